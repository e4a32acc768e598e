//! The log of a run as lines.

use std::collections::VecDeque;

use super::Told;
use super::follow::{self, Follow};
use super::stage::{Ended, Stage};
use crate::api::{Client, Export, ExportFormat, ExportedLine, LinePlace, Stream};
use crate::model::{ErrorCode, Failure, RunId};

/// Lines of an export as they come.
pub(super) struct Lines {
    export: Export,
    held: Vec<u8>,
    /// Those that have come and were not taken yet.
    page: VecDeque<ExportedLine>,
    /// The last one of each stream that has come.
    last: [Option<ExportedLine>; 2],
}

impl Lines {
    pub(super) fn of(client: &dyn Client, run: RunId) -> Lines {
        Lines::from(client.export(run, ExportFormat::Lines))
    }

    /// The lines of a log from a place on, or from one before it.
    pub(super) fn behind(client: &dyn Client, run: RunId, place: LinePlace) -> Lines {
        Lines::from(client.export_lines(run, place))
    }

    fn from(export: Export) -> Lines {
        Lines { export, held: Vec::new(), page: VecDeque::new(), last: [None, None] }
    }

    /// Returns the next lines; none at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<ExportedLine>>, Failure> {
        let Some(chunk) = self.export.chunks_rx.recv().await else {
            return (&mut self.export.outcome).await.map(|()| None);
        };
        self.held.extend_from_slice(&chunk);
        let whole = memchr::memrchr(b'\n', &self.held).map_or(0, |at| at + 1);
        let lines: Vec<u8> = self.held.drain(..whole).collect();
        let read = |line: &[u8]| {
            serde_json::from_slice(line)
                .map_err(|_| Failure::new(ErrorCode::Broken, "the lines of the log cannot be read"))
        };
        let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let lines: Vec<ExportedLine> = lines.map(read).collect::<Result<_, _>>()?;
        for stream in [Stream::Stdout, Stream::Stderr] {
            if let Some(line) = lines.iter().rfind(|line| line.stream == stream) {
                self.last[place(stream)] = Some(line.clone());
            }
        }
        Ok(Some(lines))
    }

    /// Goes on behind the last line of a stream that has come, and where none has, at this offset.
    pub(super) fn follow(&self, run: RunId, stream: Stream, offset: u64) -> Follow {
        let last = self.last[place(stream)].as_ref();
        last.map_or_else(|| Follow::from(run, stream, offset), |line| Follow::behind(run, line))
    }

    /// Returns the next line, none at the end; does what is asked of the show between two pages.
    pub(super) async fn line(&mut self, stage: &mut Stage) -> Result<Option<ExportedLine>, Ended> {
        while self.page.is_empty() {
            stage.attend().await?;
            match self.next().await? {
                Some(lines) => self.page.extend(lines),
                None => return Ok(None),
            }
        }
        Ok(self.page.pop_front())
    }
}

fn place(stream: Stream) -> usize {
    usize::from(stream == Stream::Stderr)
}

/// Shows the whole log of a run, and goes on with it.
pub(super) async fn show(client: &dyn Client, run: RunId, stage: &mut Stage) -> Result<(), Ended> {
    let live = follow::live_streams(client, run).await;
    let mut lines = Lines::of(client, run);
    loop {
        match lines.next().await {
            Ok(Some(page)) => page.iter().for_each(|line| stage.admit(drawn(line.stream, &line.text).as_bytes())),
            Ok(None) => break,
            // It has printed nothing yet.
            Err(failure) if failure.code == ErrorCode::NotFound && !live.is_empty() => break,
            Err(failure) => return Err(failure.into()),
        }
        stage.breathe().await?;
    }
    go_on(client, live.iter().map(|stream| lines.follow(run, *stream, 0)), stage).await
}

/// Goes on with a log that is shown up to its end.
pub(super) async fn go_on(
    client: &dyn Client,
    follows: impl Iterator<Item = Follow>,
    stage: &mut Stage,
) -> Result<(), Ended> {
    let follows: Vec<((), Follow)> = follows.map(|follow| ((), follow)).collect();
    if follows.is_empty() {
        return Ok(());
    }
    stage.show(true).await?;
    stage.tell(Told::Whole).await?;
    stage.tell(Told::Follows(true)).await?;
    follow::all(client, follows, |(), stream, line| drawn(stream, line), stage).await?;
    stage.tell(Told::Follows(false)).await
}

/// A line as it is drawn: standard error in red.
pub(super) fn drawn(stream: Stream, text: &str) -> String {
    match stream {
        Stream::Stdout => format!("{text}\r\n"),
        Stream::Stderr => format!("\x1b[31m{text}\x1b[0m\r\n"),
    }
}
