//! Runs that an earlier program has lost sight of (S7.3): they stay in the list of their session until they are cleared, so that what is left
//! of them can be ended there.

use std::sync::Arc;

use indexmap::IndexMap;

use super::core::Core;
use super::reap::{MAX_ORPHANS, is_alive};
use super::serving::not_found;
use super::sessions::stale_generation;
use super::stored::view;
use crate::api::{RunView, Update};
use crate::model::{Failure, Record, RunId, SessionName};
use crate::store::{Found, Records, StoreError};

/// Returns the runs that were lost sight of when the store was opened just now, and those lost before whose process is still alive; in the
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

/// The listed runs of earlier programs.
#[derive(Default)]
pub(super) struct Lost(IndexMap<RunId, Arc<Record>>);

impl Lost {
    pub(super) fn new(records: Vec<Record>) -> Lost {
        Lost(records.into_iter().map(|record| (record.id, record.into())).collect())
    }

    /// Returns those of a session as lists show them.
    pub(super) fn table(&self, session: &SessionName) -> impl Iterator<Item = Arc<RunView>> {
        let own = self.0.values().filter(move |record| record.session == *session);
        own.map(|record| Arc::new(view(Arc::clone(record))))
    }
}

impl Core {
    /// Takes a lost run out of the list of its session. Any other run is in no list already.
    pub(super) fn forget_lost(
        &mut self,
        session: &SessionName,
        generation: Option<u64>,
        run: RunId,
    ) -> Result<(), Failure> {
        let own = self.lost.0.get(&run).filter(|record| record.session == *session);
        let record = own.ok_or_else(|| not_found(run))?;
        if let Some(expected) = generation.filter(|expected| *expected != record.generation) {
            return Err(stale_generation(expected, record.generation));
        }
        self.lost.0.shift_remove(&run);
        self.send(session, &Update::Removed(run));
        Ok(())
    }

    /// Shows that the record of a lost run has changed.
    pub(super) fn renew_lost(&mut self, record: &Arc<Record>) {
        if let Some(known) = self.lost.0.get_mut(&record.id) {
            *known = Arc::clone(record);
            self.send(&record.session, &Update::Run(Arc::new(view(Arc::clone(record)))));
        }
    }
}
