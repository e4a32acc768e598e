//! Names of files, and the form of an index.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::{Mode, RunId, Size};

/// The version of the form.
pub(super) const VERSION: u64 = 1;

/// A stream of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LogStream {
    /// The terminal, or standard output.
    Output,
    /// Standard error (pipes).
    Error,
}

impl LogStream {
    /// Both.
    pub const BOTH: [LogStream; 2] = [LogStream::Output, LogStream::Error];

    /// Returns its place in what is kept of both.
    pub const fn index(self) -> usize {
        match self {
            LogStream::Output => 0,
            LogStream::Error => 1,
        }
    }

    pub(super) const fn extension(self, mode: Mode) -> &'static str {
        match (mode, self) {
            (Mode::Pty, _) => "pty",
            (Mode::Pipes, LogStream::Output) => "stdout",
            (Mode::Pipes, LogStream::Error) => "stderr",
        }
    }
}

/// Returns the streams that a run of this mode has.
pub(super) fn streams(mode: Mode) -> &'static [LogStream] {
    match mode {
        Mode::Pty => &[LogStream::Output],
        Mode::Pipes => &LogStream::BOTH,
    }
}

/// The first line of an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) version: u64,
    pub(super) run: RunId,
    pub(super) mode: Mode,
    /// The number of the segment, from 1.
    pub(super) segment: u32,
    /// When it began.
    pub(super) wall: Timestamp,
    /// The same, in microseconds since the log began.
    pub(super) at: u64,
    /// The terminal's size then.
    pub(super) size: Option<Size>,
    /// How many cuts had been made.
    pub(super) cuts: u64,
    /// Where in each stream it begins. What lies between the end of the segment before and this was lost.
    pub(super) offsets: [u64; 2],
    /// How many lines of each stream had ended before it, those that were dropped or lost with them; none where nobody has counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lines: Option<[u64; 2]>,
}

/// What happened, and when: microseconds since the log began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    Bytes(LogStream, u64),
    Resize(Size),
    Cut(u64),
    /// The log was ended in order.
    End,
}

impl Entry {
    /// Returns the line of the index.
    pub(super) fn line(self, at: u64) -> String {
        match self {
            Entry::Bytes(LogStream::Output, count) => format!("[{at},\"o\",{count}]\n"),
            Entry::Bytes(LogStream::Error, count) => format!("[{at},\"e\",{count}]\n"),
            Entry::Resize(size) => format!("[{at},\"r\",{},{}]\n", size.cols(), size.rows()),
            Entry::Cut(cuts) => format!("[{at},\"c\",{cuts}]\n"),
            Entry::End => format!("[{at},\"end\"]\n"),
        }
    }

    /// Reads a line, without its end; none for anything else.
    pub(super) fn parse(line: &str) -> Option<(u64, Entry)> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Line {
            One(u64, String, u64),
            Two(u64, String, u16, u16),
            Bare(u64, String),
        }
        match serde_json::from_str(line).ok()? {
            Line::One(at, kind, count) => match kind.as_str() {
                "o" => Some((at, Entry::Bytes(LogStream::Output, count))),
                "e" => Some((at, Entry::Bytes(LogStream::Error, count))),
                "c" => Some((at, Entry::Cut(count))),
                _ => None,
            },
            Line::Two(at, kind, cols, rows) if kind == "r" => Some((at, Entry::Resize(Size::new(cols, rows).ok()?))),
            Line::Bare(at, kind) if kind == "end" => Some((at, Entry::End)),
            Line::Two(..) | Line::Bare(..) => None,
        }
    }
}

/// Returns the folder of a run.
pub(super) fn folder(logs: &Path, run: RunId) -> PathBuf {
    logs.join(run.as_str())
}

/// Returns the path of one of the files of a segment.
pub(super) fn file(folder: &Path, segment: u32, extension: &str) -> PathBuf {
    folder.join(format!("{segment:06}.{extension}"))
}

/// Returns the numbers of the segments that a folder has, in order.
pub(super) fn segments(folder: &Path) -> io::Result<Vec<u32>> {
    let mut numbers = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number: Option<u32> =
            name.to_str().and_then(|name| name.strip_suffix(".index")).and_then(|name| name.parse().ok());
        numbers.extend(number);
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// Returns the runs that have a log. Anything that is not called like a run is left alone.
pub fn runs(logs: &Path) -> Vec<RunId> {
    let entries = std::fs::read_dir(logs).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Returns how many bytes the log of a run takes; 0 when there is none.
pub(super) fn bytes(logs: &Path, run: RunId) -> u64 {
    let entries = std::fs::read_dir(folder(logs, run)).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some(entry.metadata().ok()?.len())).sum()
}

/// Returns how many bytes all logs take.
pub fn total_bytes(logs: &Path) -> u64 {
    runs(logs).into_iter().map(|run| bytes(logs, run)).sum()
}

/// Returns how long nothing has been made or removed in the log of a run; none when that cannot be told.
pub fn age(logs: &Path, run: RunId) -> Option<Duration> {
    std::fs::metadata(folder(logs, run)).ok()?.modified().ok()?.elapsed().ok()
}

/// Removes the log of a run; returns how many bytes that were. Not for live runs.
///
/// # Errors
/// What the system said; a log that is not there is no error.
pub fn remove(logs: &Path, run: RunId) -> io::Result<u64> {
    let bytes = bytes(logs, run);
    match std::fs::remove_dir_all(folder(logs, run)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        removed => removed.map(|()| bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_read_back_as_they_are_written_and_nothing_else_is_taken() {
        let size = Size::clamped(100, 30);
        for entry in [
            Entry::Bytes(LogStream::Output, 7),
            Entry::Bytes(LogStream::Error, u64::MAX),
            Entry::Resize(size),
            Entry::Cut(3),
            Entry::End,
        ] {
            assert_eq!(Entry::parse(entry.line(9).trim_end()), Some((9, entry)), "{entry:?}");
        }
        for line in ["", "[1", "[1,\"x\",2]", "[1,\"r\",0,0]", "[-1,\"o\",2]", "[1,\"o\",2,3,4]", "{}", "[1,\"o\"]"] {
            assert_eq!(Entry::parse(line), None, "{line}");
        }
    }
}
