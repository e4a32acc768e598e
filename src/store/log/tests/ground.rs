//! What the tests of logs stand on.

use std::fs;
use std::path::{Path, PathBuf};
pub(super) use std::time::Duration;
use std::time::Instant;

use tempfile::TempDir;

pub(super) use crate::model::{Mode, RunId, Size};
use crate::store::log::files::Files;
pub(super) use crate::store::log::{LogEvent, LogOptions, LogReader, LogSink, LogStream, Logs};

pub(super) fn run() -> RunId {
    RunId::from_bits([5; 10])
}

pub(super) const SMALL: LogOptions = LogOptions { max_log_bytes: 64 * 1024, max_total_log_bytes: 0 };

pub(super) struct Ground {
    pub(super) folder: TempDir,
    pub(super) logs: Logs,
    pub(super) files: Files,
}

pub(super) fn ground(options: LogOptions) -> Ground {
    let folder = tempfile::tempdir().expect("a folder");
    let files = Files::default();
    let logs = Logs::start_with(folder.path(), options, files.clone()).expect("a thread");
    Ground { folder, logs, files }
}

impl Ground {
    pub(super) fn sink(&self, mode: Mode) -> LogSink {
        self.logs.begin(run(), mode, Size::clamped(80, 24))
    }

    pub(super) fn reader(&self) -> LogReader {
        LogReader::open(self.folder.path(), run()).expect("a log")
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(run().as_str()).join(name)
    }
}

/// Appends as a driver does: a new segment where one is due.
pub(super) fn append(sink: &mut LogSink, stream: LogStream, bytes: &[u8]) {
    let mut rest = bytes;
    while let Some(end) = sink.segment_ends_in(rest) {
        sink.append(stream, &rest[..end]);
        sink.begin_segment(b"redraw".to_vec());
        rest = &rest[end..];
    }
    sink.append(stream, rest);
    sink.pass_on();
}

/// Ends a log and waits until it is written.
pub(super) fn end(mut sink: LogSink) {
    sink.end();
    wait("the log is written", || sink.progress().has_ended());
}

#[track_caller]
pub(super) fn wait(what: &str, mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < end, "waited in vain for: {what}");
        std::thread::yield_now();
    }
}

pub(super) fn events(reader: &LogReader) -> Vec<LogEvent> {
    let mut events = Vec::new();
    let mut last = Duration::ZERO;
    reader
        .replay::<crate::store::log::LogError>(|event| {
            assert!(event.at >= last, "time goes on");
            last = event.at;
            events.push(event.event);
            Ok(())
        })
        .expect("it can be read");
    events
}

/// All bytes of a stream as the replay gives them.
pub(super) fn replayed(reader: &LogReader, stream: LogStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    for event in events(reader) {
        if let LogEvent::Bytes(own, chunk) = event
            && own == stream
        {
            bytes.extend(chunk);
        }
    }
    bytes
}

/// All bytes of a stream by offset, and how many were skipped.
pub(super) fn read_all(reader: &mut LogReader, stream: LogStream, step: usize) -> (Vec<u8>, u64) {
    let (mut bytes, mut offset, mut skipped) = (Vec::new(), 0, 0);
    loop {
        let read = reader.read(stream, offset, step).expect("it can be read");
        assert_eq!(read.next_offset, read.offset + read.bytes.len() as u64);
        if read.bytes.is_empty() {
            return (bytes, skipped);
        }
        skipped += read.skipped_bytes;
        offset = read.next_offset;
        bytes.extend(read.bytes);
    }
}

pub(super) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("entries").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The next of a row of numbers that look like chance (xorshift).
pub(super) fn next_random(number: u64) -> u64 {
    let number = number ^ (number << 13);
    let number = number ^ (number >> 7);
    number ^ (number << 17)
}
