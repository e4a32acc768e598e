//! The log of a run as lines.

use super::Told;
use super::stage::{Ended, Stage};
use crate::api::{Client, Export, ExportFormat, ExportedLine, LinePlace, Stream};
use crate::model::{ErrorCode, Failure, RunId};

/// How much follows a place that was asked for, in bytes: with more, what comes before it would be pushed out.
const BYTES_AFTER: usize = 3 * 1024 * 1024;

/// Lines of an export as they come.
pub(super) struct Lines {
    export: Export,
    held: Vec<u8>,
}

impl Lines {
    pub(super) fn of(client: &dyn Client, run: RunId) -> Lines {
        Lines { export: client.export(run, ExportFormat::Lines), held: Vec::new() }
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
}

/// Shows the log of a run.
pub(super) async fn show(
    client: &dyn Client,
    run: RunId,
    place: Option<LinePlace>,
    stage: &mut Stage,
) -> Result<(), Ended> {
    let mut lines = Lines::of(client, run);
    let mut waited = place;
    let (mut after, mut last) = (0, None);
    while let Some(page) = lines.next().await? {
        for line in page {
            if waited.is_some_and(|place| place.stream == line.stream && place.offset <= line.offset) {
                waited = None;
                let row = stage.row();
                stage.tell(Told::Place(row)).await?;
            }
            if place.is_some() && waited.is_none() {
                after += line.text.len();
            }
            if after > BYTES_AFTER {
                stage.admit(b"\x1b[2m[the rest of the log is not shown here]\x1b[0m\r\n");
                return match last {
                    Some(last) => stage.tell(Told::Cut(last)).await,
                    None => Ok(()),
                };
            }
            last = Some(LinePlace { stream: line.stream, offset: line.offset });
            stage.admit(drawn(&line).as_bytes());
        }
        stage.breathe().await?;
    }
    Ok(())
}

/// A line as it is drawn: standard error in red.
fn drawn(line: &ExportedLine) -> String {
    match line.stream {
        Stream::Stdout => format!("{}\r\n", line.text),
        Stream::Stderr => format!("\x1b[31m{}\x1b[0m\r\n", line.text),
    }
}
