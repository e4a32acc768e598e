//! The lines of several runs in one.

use std::collections::VecDeque;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use super::lines::Lines;
use super::stage::{Ended, Stage};
use super::{Order, Source, Told};
use crate::api::{Client, ExportedLine, LogReading, LogRequest, Stream};
use crate::model::{ErrorCode, Failure, Mode, Plain};

/// How many lines of each run there are at first: the newest.
const MAX_LINES: usize = 20_000;

/// How much is read at once of a run that goes on, in bytes.
const PAGE_BYTES: usize = 64 * 1024;

/// For how long one request waits; then it is asked again.
const WAIT: std::time::Duration = std::time::Duration::from_secs(30);

/// The longest name before a line, in characters.
const MAX_NAME: usize = 14;

/// The colours of names, of the palette.
const COLORS: [u8; 6] = [6, 3, 5, 2, 4, 1];

/// Shows the lines of several runs, and goes on with those that are live.
pub(super) async fn show(client: &dyn Client, sources: &[Source], stage: &mut Stage) -> Result<(), Ended> {
    let names = Names::of(sources);
    let mut lines = Vec::new();
    let mut follows = FuturesUnordered::new();
    for (index, source) in sources.iter().enumerate() {
        let (known, ends) = first_lines(client, source).await?;
        let streams: &[Stream] = match source.mode {
            Mode::Pipes => &[Stream::Stdout, Stream::Stderr],
            Mode::Pty => &[Stream::Stdout],
        };
        for stream in streams.iter().filter(|_| source.is_live) {
            let offset = ends[usize::from(*stream == Stream::Stderr)];
            let shown = known.iter().rfind(|line| line.stream == *stream).map(|line| line.text.clone());
            let plain = Plain::new(false);
            let follow = Follow { index, stream: *stream, offset, plain, shown, line: String::new() };
            follows.push(follow.next(client, source));
        }
        lines.extend(known.into_iter().map(|line| (index, line)));
        stage.breathe().await?;
    }
    lines.sort_by_key(|(_, line)| line.at);
    for (at, (index, line)) in lines.iter().enumerate() {
        stage.admit(names.line(*index, line.stream, &line.text).as_bytes());
        if at % 256 == 255 {
            stage.breathe().await?;
        }
    }
    stage.show(true).await?;
    stage.tell(Told::Whole).await?;
    while !follows.is_empty() {
        tokio::select! {
            Some((mut follow, page)) = follows.next() => {
                let page = match page {
                    Ok(page) => page,
                    // Its log is gone, or the server for a moment: the others go on.
                    Err(failure) if failure.code == ErrorCode::NotFound => continue,
                    Err(failure) => return Err(failure.into()),
                };
                for line in follow.take(&page) {
                    stage.admit(names.line(follow.index, follow.stream, &line).as_bytes());
                }
                stage.show(true).await?;
                if !page.is_end {
                    let source = &sources[follow.index];
                    follows.push(follow.next(client, source));
                }
            }
            order = stage.order() => {
                if let Some(Order::Resize(size)) = stage.obey(order?).await? {
                    stage.resize(size);
                }
                stage.show(true).await?;
            }
        }
    }
    Ok(())
}

/// Returns the newest lines of a run, and where the last line of each of its streams begins: it may not be whole, and is read again.
async fn first_lines(client: &dyn Client, source: &Source) -> Result<(VecDeque<ExportedLine>, [u64; 2]), Failure> {
    let mut known = VecDeque::new();
    let mut ends = [0; 2];
    let mut lines = Lines::of(client, source.run);
    loop {
        let page = match lines.next().await {
            Ok(Some(page)) => page,
            Ok(None) => break,
            // It has printed nothing yet.
            Err(failure) if failure.code == ErrorCode::NotFound => break,
            Err(failure) => return Err(failure),
        };
        for line in page {
            ends[usize::from(line.stream == Stream::Stderr)] = line.offset;
            known.push_back(line);
        }
        while known.len() > MAX_LINES {
            known.pop_front();
        }
    }
    Ok((known, ends))
}

/// A stream of a run that goes on.
struct Follow {
    index: usize,
    stream: Stream,
    offset: u64,
    plain: Plain,
    /// The line that is shown already, and comes once more.
    shown: Option<String>,
    /// The line whose end has not come yet.
    line: String,
}

impl Follow {
    async fn next(self, client: &dyn Client, source: &Source) -> (Follow, Result<LogReading, Failure>) {
        let request =
            LogRequest { stream: self.stream, offset: self.offset, limit_bytes: PAGE_BYTES, wait: Some(WAIT) };
        let reading = client.read_log(source.run, request).await;
        (self, reading)
    }

    /// Returns the lines that are whole now.
    fn take(&mut self, page: &LogReading) -> Vec<String> {
        self.offset = page.next_offset;
        let mut text = std::mem::take(&mut self.line) + &self.plain.admit(&page.bytes);
        if page.is_end {
            text += &self.plain.finish();
        } else {
            let whole = text.rfind('\n').map_or(0, |at| at + 1);
            self.line = text.split_off(whole);
        }
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if !lines.is_empty() && self.shown.take().as_ref() == lines.first() {
            lines.remove(0);
        }
        lines
    }
}

/// The names before the lines.
struct Names(Vec<String>);

impl Names {
    fn of(sources: &[Source]) -> Names {
        let cut = |name: &str| name.chars().take(MAX_NAME).collect::<String>();
        let widths = sources.iter().map(|source| unicode_width::UnicodeWidthStr::width(cut(&source.name).as_str()));
        let cols = widths.max().unwrap_or(0);
        let prefix = |(index, source): (usize, &Source)| {
            let name = cut(&source.name);
            let blanks = cols - unicode_width::UnicodeWidthStr::width(name.as_str());
            format!("\x1b[38;5;{}m{name}{} │\x1b[0m ", COLORS[index % COLORS.len()], " ".repeat(blanks))
        };
        Names(sources.iter().enumerate().map(prefix).collect())
    }

    fn line(&self, index: usize, stream: Stream, text: &str) -> String {
        match stream {
            Stream::Stdout => format!("{}{text}\r\n", self.0[index]),
            Stream::Stderr => format!("{}\x1b[31m{text}\x1b[0m\r\n", self.0[index]),
        }
    }
}
