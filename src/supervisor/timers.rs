//! All deadlines in one kernel timer of the boot clock.

use std::collections::{BTreeMap, HashMap};
use std::io;

use crate::model::run::RunTimer;
use crate::model::{LeaseId, Moment, RunId};
use crate::sys::clock::BoottimeTimer;
use crate::sys::watched::Watched;

/// What a deadline belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Deadline {
    /// A run's timer.
    Run(RunId, RunTimer),
    /// A record that could not be stored is tried again.
    Store(RunId),
    /// Somebody waits for a foreground run again by then.
    Starter(RunId),
    /// The bound of a shutdown.
    Shutdown,
    /// The bound of a close.
    Close(LeaseId),
    /// The lease of a client that is gone.
    Lease(LeaseId),
}

/// The deadlines that are armed. No thread wakes up before the first of them.
pub(super) struct Timers {
    timer: BoottimeTimer,
    watched: Watched,
    /// By time, then by number, so that two of the same moment are told apart.
    by_time: BTreeMap<(Moment, u64), (Deadline, u64)>,
    armed: HashMap<Deadline, (Moment, u64)>,
    next_number: u64,
}

impl Timers {
    /// Makes timers; none is armed.
    pub(super) fn new() -> io::Result<Timers> {
        let timer = BoottimeTimer::new()?;
        let watched = Watched::with_interest(timer.shared_fd(), tokio::io::Interest::READABLE)?;
        Ok(Timers { timer, watched, by_time: BTreeMap::new(), armed: HashMap::new(), next_number: 0 })
    }

    /// Arms a deadline; an earlier one of the same kind is replaced.
    pub(super) fn arm(&mut self, deadline: Deadline, epoch: u64, at: Moment) {
        self.remove(deadline);
        self.next_number += 1;
        let key = (at, self.next_number);
        self.by_time.insert(key, (deadline, epoch));
        self.armed.insert(deadline, key);
        self.set();
    }

    /// Disarms a deadline.
    pub(super) fn disarm(&mut self, deadline: Deadline) {
        self.remove(deadline);
        self.set();
    }

    fn remove(&mut self, deadline: Deadline) {
        if let Some(key) = self.armed.remove(&deadline) {
            self.by_time.remove(&key);
        }
    }

    fn set(&self) {
        let first = self.by_time.keys().next().map(|(at, _)| at.since_boot());
        if let Err(error) = self.timer.arm(first) {
            tracing::error!(%error, "a deadline could not be armed");
        }
    }

    /// Waits until the first deadline is over.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub(super) async fn over(&self) {
        loop {
            let Ok(mut ready) = self.watched.readable().await else { return std::future::pending().await };
            match self.timer.consume() {
                Ok(true) => return,
                Ok(false) | Err(_) => ready.clear_ready(),
            }
        }
    }

    /// Takes the deadlines out that are over, first the earliest.
    pub(super) fn take_over(&mut self, now: Moment) -> Vec<(Deadline, u64)> {
        let mut over = Vec::new();
        while let Some(first) = self.by_time.first_entry().filter(|first| first.key().0 <= now) {
            let (deadline, epoch) = first.remove();
            self.armed.remove(&deadline);
            over.push((deadline, epoch));
        }
        self.set();
        over
    }
}
