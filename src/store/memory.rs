//! Records that live as long as the program.

use std::collections::HashMap;
use std::sync::Arc;

use super::rules::{Kept, check};
use super::{Done, PruneDone, Pruned, Store};
use crate::model::{Record, RunId, SessionState};

/// Keeps records in memory, and refuses what no store may take (S2.1).
#[derive(Debug, Default)]
pub struct MemoryStore {
    records: HashMap<RunId, Arc<Record>>,
}

impl Store for MemoryStore {
    fn put(&mut self, record: Arc<Record>, done: Done) {
        let kept = self.records.get(&record.id).map(|kept| Kept {
            status: kept.status,
            revision: kept.revision,
            is_observed: kept.observed_at.is_some(),
        });
        let checked = check(kept, &record);
        if checked.is_ok() {
            self.records.insert(record.id, record);
        }
        done(checked);
    }

    /// It lasts as long as the supervisor, which knows it.
    fn put_session(&mut self, _state: SessionState, done: Done) {
        done(Ok(()));
    }

    /// What is here is listed.
    fn prune(&mut self, done: PruneDone) {
        done(Ok(Pruned::default()));
    }

    fn left_the_list(&mut self, run: RunId, done: Done) {
        self.records.remove(&run);
        done(Ok(()));
    }
}
