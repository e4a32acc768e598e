//! Bringing records to the disk: one write of a run at a time, the newest state each time, and again until it works (S2.6, S2.7).

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::core::{At, Core, Do, Write};
use super::entry::Entry;
use crate::driver::Command;
use crate::model::run::Input;
use crate::model::{Degraded, ErrorCode, Failure, LogFacts, RecordOutput, RunId};
use crate::store::StoreError;
use crate::sys::hooks;

/// The first and the longest pause before a write that failed is tried again.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Returns what a write has come to. When retention has deleted the record of a final run meanwhile, nothing is left that a mark could be added to.
pub(super) fn outcome(result: Result<(), StoreError>) -> Result<(), Failure> {
    match result {
        Err(StoreError::Transition { from: None, to, .. }) if to.is_final() => Ok(()),
        result => result.map_err(Failure::from),
    }
}

/// How the record of a run stands on the disk.
#[derive(Default)]
pub(super) struct Keeping {
    /// The revision that is durable.
    durable: u64,
    /// What is being written; answered together.
    in_flight: Vec<Write>,
    /// What is to be written next: in one write, as only the newest state counts.
    waiting: Vec<Write>,
    /// Since when and why writing fails.
    failure: Option<(Timestamp, String)>,
    /// The same of the log.
    pub(super) log_failure: Option<(Timestamp, String)>,
    pause: Option<Duration>,
}

impl Keeping {
    /// Makes that of a record which is on the disk with this revision.
    pub(super) fn of(revision: u64) -> Keeping {
        Keeping { durable: revision, ..Keeping::default() }
    }

    /// Returns what is being written.
    #[cfg(test)]
    pub(super) fn in_flight(&self) -> &[Write] {
        &self.in_flight
    }

    /// Returns whether something of the run is not on the disk yet.
    pub(super) fn is_behind(&self) -> bool {
        self.failure.is_some() || !self.in_flight.is_empty() || !self.waiting.is_empty()
    }
}

impl Entry {
    /// Writes into the record what cannot be kept, or that it can be again since `now`.
    fn mark_degraded(&mut self, now: Timestamp, hopefully: bool) {
        let store = self.keeping.failure.as_ref().filter(|_| !hopefully);
        let failure = store.or(self.keeping.log_failure.as_ref());
        let before = self.record.degraded.clone();
        let degraded = match (failure, before) {
            (Some((since, why)), _) => Some(Degraded { since: *since, why: why.clone(), until: None }),
            (None, Some(before)) => Some(Degraded { until: before.until.or(Some(now)), ..before }),
            (None, None) => None,
        };
        if degraded != self.record.degraded {
            Arc::make_mut(&mut self.record).degraded = degraded;
        }
    }

    /// Begins a write of the newest state.
    fn issue(&mut self, now: Timestamp, writes: Vec<Write>) -> Do {
        self.mark_degraded(now, true);
        let revision = self.keeping.durable + 1;
        Arc::make_mut(&mut self.record).revision = revision;
        self.keeping.in_flight = writes;
        Do::Store(Arc::clone(&self.record), revision)
    }
}

impl Core {
    /// Has the present record of a run stored.
    pub(super) fn store(&mut self, at: At, run: RunId, write: Write, todo: &mut Vec<Do>) {
        let Some(entry) = self.runs.get_mut(&run) else { return };
        if entry.keeping.in_flight.is_empty() {
            todo.push(entry.issue(at.wall, vec![write]));
        } else if !entry.keeping.waiting.contains(&write) {
            entry.keeping.waiting.push(write);
        }
    }

    /// Takes the answer of the store in.
    pub(super) fn stored(&mut self, at: At, run: RunId, revision: u64, result: Result<(), Failure>) -> Vec<Do> {
        let mut todo = Vec::new();
        let Some(entry) = self.runs.get_mut(&run) else { return todo };
        let writes = std::mem::take(&mut entry.keeping.in_flight);
        match &result {
            Ok(()) => {
                entry.keeping.durable = revision;
                entry.keeping.failure = None;
                entry.keeping.pause = None;
                todo.extend(entry.next_write(at.wall));
            }
            // It is refused as a whole, and nothing is left to be stored.
            Err(_) if writes.contains(&Write::Starting) => {}
            Err(failure) => {
                let mut why = failure.message.clone();
                self.redaction.text(&mut why, false);
                entry.keeping.failure.get_or_insert((at.wall, why));
                entry.mark_degraded(at.wall, false);
                let pause = entry.keeping.pause.map_or(FIRST_PAUSE, |pause| (pause * 2).min(LONGEST_PAUSE));
                entry.keeping.pause = Some(pause);
                todo.push(Do::ArmStore(run, at.now.plus(pause)));
                // What somebody waits for is tried at once; the rest goes with the next attempt.
                if entry
                    .keeping
                    .waiting
                    .iter()
                    .any(|write| matches!(write, Write::Running | Write::Renamed | Write::Final))
                {
                    todo.extend(entry.next_write(at.wall));
                }
            }
        }
        if result.is_err() && self.strict && !writes.contains(&Write::Starting) {
            todo.extend(self.give_up(at, run, result.as_ref().err().cloned()));
        }
        for write in writes {
            todo.extend(self.written(at, run, write, result.clone()));
        }
        todo
    }

    fn written(&mut self, at: At, run: RunId, write: Write, result: Result<(), Failure>) -> Vec<Do> {
        hooks::pass(match write {
            Write::Starting => "start.recorded",
            Write::Running => "start.confirmed",
            Write::Renamed => "rename.stored",
            Write::Final => "final.stored",
            Write::Flush | Write::Again | Write::Observed => "flush.stored",
        });
        match write {
            Write::Starting => self.step(at, run, Input::Recorded(result)),
            Write::Running => self.step(at, run, Input::Confirmed(result)),
            Write::Final => {
                if let Some(entry) = self.runs.get_mut(&run) {
                    if result.is_ok() {
                        entry.let_go();
                    }
                    entry.final_failure = result.err();
                }
                self.step(at, run, Input::FinalStored)
            }
            Write::Renamed => {
                self.rename_stored(run, result);
                Vec::new()
            }
            Write::Flush | Write::Again | Write::Observed => {
                if let (Ok(()), Some(entry)) = (&result, self.runs.get(&run).filter(|entry| entry.is_final())) {
                    entry.let_go();
                }
                if let (Ok(()), Some(Some(port))) = (&result, self.runs.get(&run).map(|entry| &entry.port)) {
                    // Only a flush is waited for by the driver; to be told once more does no harm.
                    port.order(Command::Flushed);
                }
                self.publish(run);
                Vec::new()
            }
        }
    }

    /// Tries again to store a record.
    pub(super) fn store_again(&mut self, at: At, run: RunId) -> Vec<Do> {
        let mut todo = Vec::new();
        if self.runs.get(&run).is_some_and(|entry| entry.keeping.failure.is_some()) {
            self.store(at, run, Write::Again, &mut todo);
        }
        todo
    }

    /// Takes the newest output of a live run in.
    pub(super) fn flush(&mut self, at: At, run: RunId, output: RecordOutput, log: Option<LogFacts>) -> Vec<Do> {
        let mut todo = Vec::new();
        let Some(entry) = self.runs.get_mut(&run).filter(|entry| !entry.is_final()) else { return todo };
        entry.record = super::records::with_output(&entry.record, output, log, at.wall);
        self.store(at, run, Write::Flush, &mut todo);
        todo
    }

    /// Takes note that the log of a run cannot be written, or can be again.
    pub(super) fn log_failed(&mut self, at: At, run: RunId, mut failure: Option<(Timestamp, String)>) -> Vec<Do> {
        if let Some((_, why)) = &mut failure {
            self.redaction.text(why, false);
        }
        let Some(entry) = self.runs.get_mut(&run).filter(|entry| !entry.is_final()) else { return Vec::new() };
        entry.keeping.log_failure.clone_from(&failure);
        entry.mark_degraded(at.wall, false);
        self.publish(run);
        match failure {
            Some((_, why)) if self.strict => self.give_up(at, run, Some(Failure::new(ErrorCode::StoreFailed, why))),
            Some(_) | None => Vec::new(),
        }
    }

    /// Ends a run that cannot be kept as it was promised.
    fn give_up(&mut self, at: At, run: RunId, failure: Option<Failure>) -> Vec<Do> {
        match failure {
            Some(failure) => self.step(at, run, Input::Broke(failure)),
            None => Vec::new(),
        }
    }
}

impl Entry {
    /// Lets the holder of a kept run go: how it ended is on the disk.
    fn let_go(&self) {
        if let Some(port) = &self.port {
            port.order(Command::LetGo);
        }
    }

    fn next_write(&mut self, now: Timestamp) -> Option<Do> {
        let waiting = std::mem::take(&mut self.keeping.waiting);
        (!waiting.is_empty()).then(|| self.issue(now, waiting))
    }
}
