//! Records that live as long as the program.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Done, Store, StoreError};
use crate::model::{Record, RunId, Status};

/// Keeps records in memory, and refuses what no store may take (S2.1).
#[derive(Debug, Default)]
pub struct MemoryStore {
    records: HashMap<RunId, Arc<Record>>,
}

impl MemoryStore {
    fn check(&self, record: &Record) -> Result<(), StoreError> {
        let run = record.id;
        let kept = self.records.get(&run);
        let from = kept.map(|kept| kept.status);
        let allowed = match from {
            None => matches!(record.status, Status::Queued | Status::Starting),
            // The same status again is a change of the rest, which a final record takes once: when it is observed.
            Some(from) => from.may_become(record.status) || (from == record.status && !record_is_settled(kept)),
        };
        if !allowed {
            return Err(StoreError::Transition { run, from, to: record.status });
        }
        let kept = kept.map_or(0, |kept| kept.revision);
        if record.revision != kept + 1 {
            return Err(StoreError::Revision { run, kept, offered: record.revision });
        }
        Ok(())
    }
}

/// Returns whether a record is final and observed: nothing of it changes any more.
fn record_is_settled(record: Option<&Arc<Record>>) -> bool {
    record.is_some_and(|record| record.status.is_final() && record.observed_at.is_some())
}

impl Store for MemoryStore {
    fn put(&mut self, record: Arc<Record>, done: Done) {
        let checked = self.check(&record);
        if checked.is_ok() {
            self.records.insert(record.id, record);
        }
        done(checked);
    }

    fn remove(&mut self, run: RunId) {
        self.records.remove(&run);
    }
}
