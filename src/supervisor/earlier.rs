//! Ended runs of earlier programs: they stay in the list of their session as those of this one do, until they are cleared or there are newer
//! ones. Their records and logs are on the disk and read when somebody asks.

use std::sync::Arc;

use indexmap::IndexMap;

use super::core::{Core, Do};
use super::reap::{MAX_ORPHANS, is_alive};
use super::serving::not_found;
use super::sessions::stale_generation;
use super::stored::view;
use crate::api::{Answer, RunView, Update};
use crate::driver::{self, Command, DriverPort};
use crate::model::{Record, RunId, SessionName};
use crate::store::{Found, Records, StoreError};

/// How many of them have their screen made again at the same time: as many as a few people look at.
const MAX_SCREENS: usize = 8;

/// Returns the runs that were lost sight of when the store was opened just now, and those lost before whose process is still alive (S7.3); in the
/// order of their starts.
///
/// # Errors
/// [`StoreError::Medium`] when the database cannot be read.
pub fn lost_runs(records: &Records, found: &Found) -> Result<Vec<Record>, StoreError> {
    let is_new = |run: RunId| found.recovered.iter().any(|lost| lost.record.id == run);
    let mut lost = records.orphaned(None, MAX_ORPHANS)?;
    lost.retain(|record| is_new(record.id) || record.process.as_ref().is_some_and(is_alive));
    lost.reverse();
    Ok(lost)
}

/// Returns the ended runs that were in the lists of the program before this one, and the lost ones that are not to be forgotten
/// ([`lost_runs`]); in the order of their starts, but for what had been cleared and still lives, which comes first.
///
/// # Errors
/// [`StoreError::Medium`] when the database cannot be read.
pub fn listed_runs(records: &Records, found: &Found) -> Result<Vec<Record>, StoreError> {
    let listed = records.still_listed()?;
    let mut all = lost_runs(records, found)?;
    all.retain(|lost| listed.iter().all(|record| record.id != lost.id));
    all.extend(listed);
    Ok(all)
}

/// The listed runs of earlier programs.
#[derive(Default)]
pub(super) struct Earlier {
    runs: IndexMap<RunId, Arc<Record>>,
    /// Those whose screen is there again, the one that was looked at last at the end.
    screens: Vec<(RunId, DriverPort)>,
}

impl Earlier {
    pub(super) fn new(records: Vec<Record>) -> Earlier {
        let runs = records.into_iter().map(|record| (record.id, record.into())).collect();
        Earlier { runs, screens: Vec::new() }
    }

    /// Returns the record of a run, without its output.
    pub(super) fn get(&self, run: RunId) -> Option<&Arc<Record>> {
        self.runs.get(&run)
    }

    /// Returns the records of all, the oldest first, without their outputs.
    pub(super) fn records(&self) -> impl Iterator<Item = &Arc<Record>> {
        self.runs.values()
    }

    /// Returns those of a session as lists show them.
    pub(super) fn table(&self, session: &SessionName) -> impl Iterator<Item = Arc<RunView>> {
        let own = self.runs.values().filter(move |record| record.session == *session);
        own.map(|record| Arc::new(view(Arc::clone(record))))
    }

    /// Takes a run out.
    pub(super) fn remove(&mut self, run: RunId) -> Option<Arc<Record>> {
        self.screens.retain(|(of, _)| *of != run);
        self.runs.shift_remove(&run)
    }
}

impl Core {
    /// Adds a run that has nobody any more who knows of it.
    pub(super) fn add_earlier(&mut self, record: Record) {
        let record = Arc::new(record);
        self.earlier.runs.insert(record.id, Arc::clone(&record));
        self.send(&record.session, &Update::Run(Arc::new(view(Arc::clone(&record)))));
    }

    /// Takes an earlier run out of the list of its session. Any other run is in no list already.
    pub(super) fn forget_earlier(
        &mut self,
        session: &SessionName,
        generation: Option<u64>,
        run: RunId,
        answer: Answer<()>,
    ) -> Vec<Do> {
        let Some(record) = self.earlier.get(run).filter(|record| record.session == *session) else {
            answer.send(Err(not_found(run)));
            return Vec::new();
        };
        if let Some(expected) = generation.filter(|expected| *expected != record.generation) {
            answer.send(Err(stale_generation(expected, record.generation)));
            return Vec::new();
        }
        self.unlist(run);
        vec![Do::Unlist(run, Some(answer))]
    }

    /// Takes a session's earlier run out of the list whose record was pruned.
    pub(super) fn drop_earlier(&mut self, session: &SessionName, run: RunId) {
        if self.is_earlier(session, run) {
            self.unlist(run);
        }
    }

    /// Shows that the record of an earlier run has changed.
    pub(super) fn renew_earlier(&mut self, record: &Arc<Record>) {
        if let Some(known) = self.earlier.runs.get_mut(&record.id) {
            *known = Arc::new(Record { output: None, ..(**record).clone() });
            let shown = view(Arc::clone(known));
            self.send(&record.session, &Update::Run(Arc::new(shown)));
        }
    }

    /// Lets somebody look at what an earlier run has shown.
    pub(super) fn look_back(&mut self, run: RunId, command: Command) -> Vec<Do> {
        let screens = &mut self.earlier.screens;
        // One that could not be made is tried again.
        screens.retain(|(_, screen)| !screen.is_closed());
        if let Some(at) = screens.iter().position(|(of, _)| *of == run) {
            let screen = screens.remove(at);
            screen.1.request(command);
            screens.push(screen);
            return Vec::new();
        }
        let Some(record) = self.earlier.runs.get(&run) else {
            command.refuse(not_found(run));
            return Vec::new();
        };
        if screens.len() == MAX_SCREENS {
            // What it was asked for already it still answers.
            screens.remove(0);
        }
        let (port, orders) = driver::port();
        port.request(command);
        screens.push((run, port));
        vec![Do::LookBack(Arc::clone(record), orders)]
    }
}
