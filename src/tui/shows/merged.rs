//! The lines of several runs in one.

use std::collections::VecDeque;

use super::lines::Lines;
use super::stage::{Ended, Stage};
use super::{Source, Told, follow};
use crate::api::{Client, ExportedLine, Stream};
use crate::model::{ErrorCode, Failure};

/// How many lines of each run there are at first: the newest.
const MAX_LINES: usize = 20_000;

/// The longest name before a line, in characters.
const MAX_NAME: usize = 14;

/// The colours of names, of the palette.
const COLORS: [u8; 6] = [6, 3, 5, 2, 4, 1];

/// Shows the lines of several runs, and goes on with those that are live.
pub(super) async fn show(client: &dyn Client, sources: &[Source], stage: &mut Stage) -> Result<(), Ended> {
    let names = Names::of(sources);
    let mut shown = Vec::new();
    let mut follows = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let mut lines = Lines::of(client, source.run);
        shown.extend(newest_lines(&mut lines).await?.into_iter().map(|line| (index, line)));
        let streams = follow::streams(source.mode).iter().filter(|_| source.is_live);
        follows.extend(streams.map(|stream| (index, lines.follow(source.run, *stream, 0))));
        stage.breathe().await?;
    }
    shown.sort_by_key(|(_, line)| line.at);
    for (at, (index, line)) in shown.iter().enumerate() {
        stage.admit(names.line(*index, line.stream, &line.text).as_bytes());
        if at % 256 == 255 {
            stage.breathe().await?;
        }
    }
    stage.show(true).await?;
    stage.tell(Told::Whole).await?;
    follow::all(client, follows, |index, stream, line| names.line(*index, stream, line), stage).await
}

/// Returns the newest lines of a run.
async fn newest_lines(lines: &mut Lines) -> Result<VecDeque<ExportedLine>, Failure> {
    let mut known = VecDeque::new();
    loop {
        let page = match lines.next().await {
            Ok(Some(page)) => page,
            Ok(None) => return Ok(known),
            // It has printed nothing yet.
            Err(failure) if failure.code == ErrorCode::NotFound => return Ok(known),
            Err(failure) => return Err(failure),
        };
        known.extend(page);
        known.drain(..known.len().saturating_sub(MAX_LINES));
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
