//! Looking at a log that the program before this one wrote, to go on with it.
//!
//! Every byte that was written is in a file, however that program died: the length of a file is what counts. Only the last lines of the
//! index may be missing or torn. So the present segment is left as it is, and the log goes on in another one.

use std::io;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;

use super::layout::{self, streams};
use super::reader::LogReader;
use super::writer::Kept;
use super::{LogError, LogStream};
use crate::model::{Mode, RunId};

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) kept: Vec<Kept>,
    /// The number of the last segment.
    pub(super) segment: u32,
    /// Where each stream ends.
    pub(super) offsets: [u64; 2],
    /// How many bytes were dropped at the beginning, and lost in between.
    pub(super) dropped: u64,
    pub(super) lost: u64,
    /// Microseconds since the log began.
    pub(super) at: u64,
}

/// Looks at the log of a run, and removes what is left of a segment that was being begun.
pub(super) fn look(logs: &Path, run: RunId, mode: Mode) -> Result<Found, LogError> {
    let reader = match LogReader::open(logs, run) {
        Ok(reader) => reader,
        Err(LogError::None { .. }) => {
            remove_unfinished(&layout::folder(logs, run), mode, 0)?;
            return Ok(Found::default());
        }
        Err(error) => return Err(error),
    };
    let mut found = Found::default();
    for segment in &reader.segments {
        let head = &segment.head;
        let gap: u64 = head.offsets.iter().zip(found.offsets).map(|(begin, end)| begin.saturating_sub(end)).sum();
        match found.kept.is_empty() {
            true => found.dropped = gap,
            false => found.lost += gap,
        }
        found.offsets = LogStream::BOTH.map(|stream| segment.end(stream));
        found.segment = head.segment;
        let output_bytes = LogStream::BOTH.map(|stream| segment.stream_bytes(stream)).iter().sum();
        found.kept.push(Kept { segment: head.segment, bytes: segment.all_bytes(), output_bytes });
        // By the wall clock, as nothing else outlives the program; should it have been set back, time stands still.
        let since = Duration::try_from(Timestamp::now().duration_since(head.wall)).unwrap_or_default();
        found.at = found.at.max(head.at.saturating_add(u64::try_from(since.as_micros()).unwrap_or(u64::MAX)));
    }
    remove_unfinished(&layout::folder(logs, run), mode, found.segment)?;
    Ok(found)
}

/// Removes the files of segments behind the last one: their index was not begun, so nothing is in them.
fn remove_unfinished(folder: &Path, mode: Mode, last: u32) -> Result<(), LogError> {
    let failed = |source: io::Error| LogError::File { path: folder.to_owned(), source };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let Some((number, extension)) = name.to_str().and_then(|name| name.split_once('.')) else { continue };
        let ours = ["index", "redraw"].contains(&extension)
            || streams(mode).iter().any(|stream| stream.extension(mode) == extension);
        if ours && number.parse::<u32>().is_ok_and(|number| number > last) {
            std::fs::remove_file(entry.path()).map_err(failed)?;
        }
    }
    Ok(())
}
