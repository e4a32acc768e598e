//! The logs of all runs: their bounds and their writer.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use super::files::Files;
use super::progress::Shared;
use super::sink::LogSink;
use super::writer::{Message, Writer};
use super::{LogError, resume};
use crate::model::{Mode, RunId, Size};
use crate::redact::Redactor;

/// How many segments a log of full length has.
const SEGMENTS: u64 = 8;

/// A smaller segment would be mostly head and redraw.
const MIN_SEGMENT_BYTES: u64 = 8 * 1024;

/// How large logs may become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogOptions {
    /// Of one run, in bytes; at least 64 KiB.
    pub max_log_bytes: u64,
    /// Of all runs together; 0 for no bound. The live ones share it evenly when it is less than what they may have.
    pub max_total_log_bytes: u64,
}

impl Default for LogOptions {
    fn default() -> LogOptions {
        LogOptions { max_log_bytes: 64 * 1024 * 1024, max_total_log_bytes: 2 * 1024 * 1024 * 1024 }
    }
}

/// Returns by how much all logs may grow before their bound is seen to again: so much below it room is made.
pub(in crate::store) fn growth_step(max_total_bytes: u64) -> u64 {
    (max_total_bytes / 32).max(1)
}

/// The bounds of this moment.
pub(super) struct Bounds {
    options: LogOptions,
    live: AtomicU64,
    /// What came since the bound of all was seen to last.
    grown: AtomicU64,
    on_growth: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl fmt::Debug for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bounds").field("options", &self.options).field("live", &self.live).finish_non_exhaustive()
    }
}

impl Bounds {
    pub(super) fn joined(&self) {
        self.live.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn left(&self) {
        self.live.fetch_sub(1, Ordering::AcqRel);
    }

    /// Takes note that so much more is being written.
    pub(super) fn grew(&self, bytes: u64) {
        let max = self.options.max_total_log_bytes;
        if max == 0 || self.grown.fetch_add(bytes, Ordering::AcqRel) + bytes < growth_step(max) {
            return;
        }
        self.grown.store(0, Ordering::Release);
        if let Some(tell) = self.on_growth.get() {
            tell();
        }
    }

    pub(super) fn max_log_bytes(&self) -> u64 {
        let of_all = match self.options.max_total_log_bytes {
            0 => u64::MAX,
            all => all / self.live.load(Ordering::Acquire).max(1),
        };
        self.options.max_log_bytes.min(of_all).max(MIN_SEGMENT_BYTES * SEGMENTS)
    }

    pub(super) fn max_segment_bytes(&self) -> u64 {
        // A segment may become a quarter larger before a line ends, and has an index and a redraw.
        self.max_log_bytes() / SEGMENTS / 4 * 3
    }
}

/// The logs of all runs. Dropping it ends the writer; sinks that are left lose what they get.
#[derive(Debug)]
pub struct Logs {
    folder: PathBuf,
    messages_tx: mpsc::Sender<Option<Message>>,
    thread: Option<JoinHandle<()>>,
    bounds: Arc<Bounds>,
    redactor: Option<Redactor>,
}

impl Logs {
    /// Starts the writer of the logs in a folder that is there and private.
    ///
    /// # Errors
    /// The thread could not be started.
    pub fn start(folder: &Path, options: LogOptions) -> std::io::Result<Logs> {
        Logs::start_with(folder, options, Files::default())
    }

    pub(super) fn start_with(folder: &Path, options: LogOptions, files: Files) -> std::io::Result<Logs> {
        // Unbounded, but a run is not read from while too much of it is on its way.
        let (messages_tx, messages_rx) = mpsc::channel();
        let writer = Writer::new(folder.to_owned(), files);
        let thread =
            std::thread::Builder::new().name("shtask-logs".to_owned()).spawn(move || writer.run(&messages_rx))?;
        let bounds =
            Arc::new(Bounds { options, live: AtomicU64::new(0), grown: AtomicU64::new(0), on_growth: OnceLock::new() });
        Ok(Logs { folder: folder.to_owned(), messages_tx, thread: Some(thread), bounds, redactor: None })
    }

    /// Has `tell` called each time when all logs together have grown so much that their bound is to be seen to. It must not wait.
    #[must_use]
    pub fn telling(self, tell: impl Fn() + Send + Sync + 'static) -> Logs {
        // Once is enough: there is one store.
        let _ = self.bounds.on_growth.set(Box::new(tell));
        self
    }

    /// Takes secrets out of what is logged from now on (S9.4): the logs are no longer what came, byte for byte.
    #[must_use]
    pub fn redacted_by(mut self, redactor: Option<Redactor>) -> Logs {
        self.redactor = redactor;
        self
    }

    /// Returns whether secrets are taken out of what is logged.
    pub fn redacts(&self) -> bool {
        self.redactor.is_some()
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Begins the log of a run. That its files cannot be made shows as [`LogSink::failure`].
    pub fn begin(&self, run: RunId, mode: Mode, size: Size) -> LogSink {
        let size = (mode == Mode::Pty).then_some(size);
        LogSink::new(
            Shared::new(run, mode),
            self.messages_tx.clone(),
            Arc::clone(&self.bounds),
            size,
            self.redactor.as_ref(),
        )
    }

    /// Takes the log of a run up that the program before this one wrote; [`LogSink::go_on`] begins the next segment. What was only half begun is removed.
    /// It blocks on the disk.
    ///
    /// # Errors
    /// [`LogError`] when it cannot be read, or was written by a newer shtask. That there is none is no error: it begins.
    pub fn resume(&self, run: RunId, mode: Mode) -> Result<LogSink, LogError> {
        let found = resume::look(&self.folder, run, mode)?;
        Ok(LogSink::resumed(Shared::new(run, mode), self.messages_tx.clone(), Arc::clone(&self.bounds), found))
    }
}

impl Drop for Logs {
    /// Waits until what was handed over is written.
    fn drop(&mut self) {
        // It has ended already when this cannot be sent.
        let _ = self.messages_tx.send(None);
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the writer of the logs has failed");
        }
    }
}
