//! How far the writing of a log has come: shared by the driver's end, the writer and who reads.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use tokio::sync::watch;

use super::LogStream;
use crate::model::{LogFacts, Mode, RunId};

/// What the ends of a log share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) run: RunId,
    pub(super) mode: Mode,
    /// How many bytes of each stream are in the files, dropped ones included; and those that were lost before them.
    pub(super) written: [AtomicU64; 2],
    /// What was written of both, in bytes.
    pub(super) stored: AtomicU64,
    pub(super) dropped: AtomicU64,
    pub(super) lost: AtomicU64,
    /// What was handed over and is not written yet.
    pub(super) in_flight: AtomicUsize,
    /// The number of the segment that could not be written; 0 for none.
    pub(super) failed: AtomicU32,
    pub(super) failure: Mutex<Option<(Timestamp, String)>>,
    pub(super) ended: AtomicBool,
    /// How many messages the writer has got or will get: one that is still held back counts from its first step on.
    pub(super) promised: AtomicU64,
    /// How many of them are done.
    pub(super) done_tx: watch::Sender<u64>,
}

impl Shared {
    pub(super) fn new(run: RunId, mode: Mode) -> Arc<Shared> {
        Arc::new(Shared {
            run,
            mode,
            written: [AtomicU64::new(0), AtomicU64::new(0)],
            stored: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            in_flight: AtomicUsize::new(0),
            failed: AtomicU32::new(0),
            failure: Mutex::new(None),
            ended: AtomicBool::new(false),
            promised: AtomicU64::new(0),
            done_tx: watch::Sender::new(0),
        })
    }

    pub(super) fn one_done(&self) {
        self.done_tx.send_modify(|done| *done += 1);
    }

    pub(super) fn fail(&self, segment: u32, why: String) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert((Timestamp::now(), why));
        self.failed.store(segment, Ordering::Release);
    }

    pub(super) fn recover(&self) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(super) fn failure(&self) -> Option<(Timestamp, String)> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn facts(&self) -> LogFacts {
        LogFacts {
            bytes: self.stored.load(Ordering::Acquire),
            dropped_bytes: self.dropped.load(Ordering::Acquire),
            lost_bytes: self.lost.load(Ordering::Acquire),
        }
    }
}

/// How far the log of a live run has come, for who reads it.
#[derive(Debug, Clone)]
pub struct LogProgress {
    shared: Arc<Shared>,
    done_rx: watch::Receiver<u64>,
}

impl LogProgress {
    pub(super) fn new(shared: Arc<Shared>) -> LogProgress {
        let done_rx = shared.done_tx.subscribe();
        LogProgress { shared, done_rx }
    }

    /// Returns where a stream ends at the moment, as an offset.
    pub fn end(&self, stream: LogStream) -> u64 {
        self.shared.written[stream.index()].load(Ordering::Acquire)
    }

    /// Returns whether nothing will be added any more.
    pub fn has_ended(&self) -> bool {
        self.shared.ended.load(Ordering::Acquire)
    }

    /// Waits until there is something at `offset` of a stream, or the log has ended.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub async fn reaches(&mut self, stream: LogStream, offset: u64) {
        while self.end(stream) <= offset && !self.has_ended() {
            // The sender lives as long as what is shared.
            if self.done_rx.changed().await.is_err() {
                return;
            }
        }
    }

    /// Waits until everything that the log had been given by the time of the call is in the files, as far as it can be.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub async fn settles(&mut self) {
        let promised = self.shared.promised.load(Ordering::Acquire);
        // The sender lives as long as what is shared.
        let _ = self.done_rx.wait_for(|done| *done >= promised).await;
    }
}
