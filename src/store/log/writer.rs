//! The thread that writes all logs.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use super::LogStream;
use super::files::Files;
use super::layout::{self, Entry, Head, streams};
use super::progress::Shared;
use crate::model::{Mode, RunId, Size};
use crate::sys::hooks;

/// Output that comes closer together is one entry of the index, in microseconds: the eye sees no difference.
pub(super) const MERGE_MICROS: u64 = 10_000;

/// How long an entry may wait for more that it can be merged with.
const IDLE: Duration = Duration::from_millis(20);

/// What is to be done, for which log, and when it happened.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) shared: Arc<Shared>,
    /// In order, each with the microseconds since the log began.
    pub(super) steps: Vec<(u64, Step)>,
}

#[derive(Debug)]
pub(super) enum Step {
    /// These segments are there already, written by the program before this one.
    Resume(Vec<Kept>),
    /// A segment begins with this redraw; the log may take so many bytes.
    Begin(Box<Head>, Vec<u8>, u64),
    Bytes(LogStream, Vec<u8>),
    Resize(Size),
    Cut(u64),
    End,
}

/// A segment that is there.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) segment: u32,
    /// What it takes on the disk.
    pub(super) bytes: u64,
    /// What of that is output.
    pub(super) output_bytes: u64,
}

/// A log that is being written.
#[derive(Debug)]
struct Log {
    shared: Arc<Shared>,
    folder: PathBuf,
    streams: Vec<File>,
    index: File,
    kept: VecDeque<Kept>,
    /// Output that is written and not in the index yet: when it began, and how much.
    pending: Option<(u64, LogStream, u64)>,
}

pub(super) struct Writer {
    folder: PathBuf,
    files: Files,
    logs: HashMap<RunId, Log>,
    /// The segments of logs that failed, or come from the program before this one, for when they go on.
    failed: HashMap<RunId, VecDeque<Kept>>,
}

impl Writer {
    pub(super) fn new(folder: PathBuf, files: Files) -> Writer {
        Writer { folder, files, logs: HashMap::new(), failed: HashMap::new() }
    }

    /// Writes until a message is none, or nobody is left who could send one.
    pub(super) fn run(mut self, messages_rx: &mpsc::Receiver<Option<Message>>) {
        loop {
            let is_idle = self.logs.values().all(|log| log.pending.is_none());
            let next = if is_idle {
                messages_rx.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                messages_rx.recv_timeout(IDLE)
            };
            match next {
                Ok(None) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(Some(Message { shared, steps })) => {
                    steps.into_iter().for_each(|(at, step)| self.take(&shared, at, step));
                    shared.one_done();
                }
                Err(RecvTimeoutError::Timeout) => self.note_all(),
            }
        }
        self.note_all();
    }

    fn note_all(&mut self) {
        let runs: Vec<RunId> = self.logs.iter().filter(|(_, log)| log.pending.is_some()).map(|(run, _)| *run).collect();
        for run in runs {
            self.with_log(run, |log, files| log.note_pending(files));
        }
    }

    fn take(&mut self, shared: &Arc<Shared>, at: u64, step: Step) {
        let run = shared.run;
        match step {
            Step::Resume(kept) => drop(self.failed.insert(run, kept.into())),
            Step::Begin(head, redraw, max_bytes) => self.begin(shared, &head, &redraw, max_bytes),
            Step::Bytes(stream, bytes) => {
                if self.logs.contains_key(&run) {
                    self.with_log(run, |log, files| log.append(files, at, stream, &bytes));
                } else {
                    shared.lost.fetch_add(bytes.len() as u64, Ordering::AcqRel);
                }
                shared.in_flight.fetch_sub(bytes.len(), Ordering::AcqRel);
            }
            Step::Resize(size) => self.with_log(run, |log, files| log.note(files, at, Entry::Resize(size))),
            Step::Cut(cuts) => self.with_log(run, |log, files| log.note(files, at, Entry::Cut(cuts))),
            Step::End => {
                self.with_log(run, |log, files| log.note(files, at, Entry::End));
                self.logs.remove(&run);
                self.failed.remove(&run);
                shared.ended.store(true, Ordering::Release);
            }
        }
    }

    /// Does something to a log; one that fails is put away until its next segment begins.
    fn with_log(&mut self, run: RunId, work: impl FnOnce(&mut Log, &Files) -> std::io::Result<()>) {
        let Some(log) = self.logs.get_mut(&run) else { return };
        if let Err(error) = work(log, &self.files) {
            tracing::warn!(%run, %error, "the log of a run could not be written");
            if let Some(log) = self.logs.remove(&run) {
                let segment = log.kept.back().map_or(0, |last| last.segment);
                log.shared.fail(segment, format!("its log could not be written: {error}"));
                self.failed.insert(run, log.kept);
            }
        }
    }

    fn begin(&mut self, shared: &Arc<Shared>, head: &Head, redraw: &[u8], max_bytes: u64) {
        hooks::pass("log.begin");
        let run = shared.run;
        self.with_log(run, |log, files| log.note_pending(files));
        let kept = self.logs.remove(&run).map(|log| log.kept).or_else(|| self.failed.remove(&run)).unwrap_or_default();
        match self.make(shared, head, redraw, kept, max_bytes) {
            Ok(log) => {
                for stream in LogStream::BOTH {
                    // What was lost has its place in the count of offsets.
                    shared.written[stream.index()].store(head.offsets[stream.index()], Ordering::Release);
                }
                self.logs.insert(run, log);
                shared.recover();
            }
            Err((error, kept)) => {
                tracing::warn!(%run, %error, "the log of a run could not be begun");
                shared.fail(head.segment, format!("its log could not be written: {error}"));
                self.failed.insert(run, kept);
            }
        }
    }

    fn make(
        &self,
        shared: &Arc<Shared>,
        head: &Head,
        redraw: &[u8],
        mut kept: VecDeque<Kept>,
        max_bytes: u64,
    ) -> Result<Log, (std::io::Error, VecDeque<Kept>)> {
        let folder = layout::folder(&self.folder, shared.run);
        let mut total: u64 = kept.iter().map(|kept| kept.bytes).sum();
        // The new segment takes an eighth at most.
        while total > max_bytes / 8 * 7 {
            let Some(oldest) = kept.pop_front() else { break };
            self.drop_segment(&folder, shared, &oldest);
            total -= oldest.bytes;
        }
        match self.create(&folder, shared, head, redraw) {
            Ok((streams, index, bytes)) => {
                kept.push_back(Kept { segment: head.segment, bytes, output_bytes: 0 });
                Ok(Log { shared: Arc::clone(shared), folder, streams, index, kept, pending: None })
            }
            Err(error) => {
                self.remove_files(&folder, shared.mode, head.segment);
                Err((error, kept))
            }
        }
    }

    fn create(
        &self,
        folder: &Path,
        shared: &Shared,
        head: &Head,
        redraw: &[u8],
    ) -> std::io::Result<(Vec<File>, File, u64)> {
        self.files.folder(folder)?;
        let write = |file: &File, bytes: &[u8]| self.files.write(file, bytes).map_err(|(_, error)| error);
        let mut files = Vec::new();
        for stream in streams(shared.mode) {
            files.push(self.files.create(&layout::file(folder, head.segment, stream.extension(shared.mode)))?);
        }
        if !redraw.is_empty() {
            write(&self.files.create(&layout::file(folder, head.segment, "redraw"))?, redraw)?;
        }
        hooks::pass("log.index");
        // Last: a segment without an index is none.
        let index = self.files.create(&layout::file(folder, head.segment, "index"))?;
        let mut line = serde_json::to_vec(head)?;
        line.push(b'\n');
        write(&index, &line)?;
        hooks::pass("log.begun");
        Ok((files, index, (redraw.len() + line.len()) as u64))
    }

    fn drop_segment(&self, folder: &Path, shared: &Shared, gone: &Kept) {
        // What was lost behind it is counted as lost.
        shared.dropped.fetch_add(gone.output_bytes, Ordering::AcqRel);
        hooks::pass("log.drop");
        self.remove_files(folder, shared.mode, gone.segment);
        hooks::pass("log.dropped");
    }

    fn remove_files(&self, folder: &Path, mode: Mode, segment: u32) {
        // The index first: what has none is not read.
        let extensions = ["index", "redraw"].into_iter().chain(streams(mode).iter().map(|s| s.extension(mode)));
        for extension in extensions {
            if let Err(error) = self.files.remove(&layout::file(folder, segment, extension)) {
                tracing::warn!(%error, "a part of a log could not be removed");
            }
        }
    }
}

impl Log {
    fn append(&mut self, files: &Files, at: u64, stream: LogStream, bytes: &[u8]) -> std::io::Result<()> {
        match self.pending {
            Some((since, pending, _)) if pending != stream || at.saturating_sub(since) > MERGE_MICROS => {
                if let Err(error) = self.note_pending(files) {
                    self.shared.lost.fetch_add(bytes.len() as u64, Ordering::AcqRel);
                    return Err(error);
                }
            }
            Some(_) | None => {}
        }
        hooks::pass("log.write");
        let (written, error) = match files.write(&self.streams[stream.index()], bytes) {
            Ok(()) => (bytes.len(), None),
            Err((written, error)) => (written, Some(error)),
        };
        hooks::pass("log.written");
        let count = written as u64;
        self.count(count);
        if let Some(last) = self.kept.back_mut() {
            last.output_bytes += count;
        }
        self.shared.stored.fetch_add(count, Ordering::AcqRel);
        self.shared.written[stream.index()].fetch_add(count, Ordering::AcqRel);
        self.pending = Some(match self.pending {
            Some((since, _, before)) => (since, stream, before + count),
            None => (at, stream, count),
        });
        let Some(error) = error else { return Ok(()) };
        self.shared.lost.fetch_add((bytes.len() - written) as u64, Ordering::AcqRel);
        Err(error)
    }

    fn note_pending(&mut self, files: &Files) -> std::io::Result<()> {
        match self.pending.take() {
            Some((at, stream, count)) => self.write_entry(files, at, Entry::Bytes(stream, count)),
            None => Ok(()),
        }
    }

    fn note(&mut self, files: &Files, at: u64, entry: Entry) -> std::io::Result<()> {
        self.note_pending(files)?;
        self.write_entry(files, at, entry)
    }

    fn write_entry(&mut self, files: &Files, at: u64, entry: Entry) -> std::io::Result<()> {
        hooks::pass("log.entry");
        let line = entry.line(at);
        self.count(line.len() as u64);
        files.write(&self.index, line.as_bytes()).map_err(|(written, error)| {
            // Half a line would spoil the next one; the next one begins in another segment.
            tracing::debug!(folder = %self.folder.display(), written, "an entry of an index was torn");
            error
        })
    }

    fn count(&mut self, bytes: u64) {
        if let Some(last) = self.kept.back_mut() {
            last.bytes += bytes;
        }
    }
}
