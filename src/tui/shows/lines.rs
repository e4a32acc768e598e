//! The log of a run as lines.

use std::collections::VecDeque;

use super::stage::{Ended, Stage};
use crate::api::{Client, Export, ExportFormat, ExportedLine, LinePlace, Stream};
use crate::model::{ErrorCode, Failure, RunId};

/// Lines of an export as they come.
pub(super) struct Lines {
    export: Export,
    held: Vec<u8>,
    /// Those that have come and were not taken yet.
    page: VecDeque<ExportedLine>,
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
        Lines { export, held: Vec::new(), page: VecDeque::new() }
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
        lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(read).collect::<Result<_, _>>().map(Some)
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

/// Shows the whole log of a run.
pub(super) async fn show(client: &dyn Client, run: RunId, stage: &mut Stage) -> Result<(), Ended> {
    let mut lines = Lines::of(client, run);
    while let Some(page) = lines.next().await? {
        for line in page {
            stage.admit(drawn(&line).as_bytes());
        }
        stage.breathe().await?;
    }
    Ok(())
}

/// A line as it is drawn: standard error in red.
pub(super) fn drawn(line: &ExportedLine) -> String {
    match line.stream {
        Stream::Stdout => format!("{}\r\n", line.text),
        Stream::Stderr => format!("\x1b[31m{}\x1b[0m\r\n", line.text),
    }
}
