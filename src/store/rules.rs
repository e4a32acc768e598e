//! What no store may take, whatever it is made of (S2.1).

use super::StoreError;
use crate::model::{Record, Status};

/// What a store has of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept {
    pub(super) status: Status,
    pub(super) revision: u64,
    pub(super) is_observed: bool,
}

/// Checks that a record may follow what is kept.
pub(super) fn check(kept: Option<Kept>, record: &Record) -> Result<(), StoreError> {
    let run = record.id;
    let allowed = match kept {
        None => matches!(record.status, Status::Queued | Status::Starting),
        // The same status again is a change of the rest, which a final record takes once: when it is observed.
        Some(kept) if kept.status == record.status => {
            !kept.status.is_final() || (!kept.is_observed && record.observed_at.is_some())
        }
        Some(kept) => kept.status.may_become(record.status),
    };
    if !allowed {
        return Err(StoreError::Transition { run, from: kept.map(|kept| kept.status), to: record.status });
    }
    let kept = kept.map_or(0, |kept| kept.revision);
    if record.revision != kept + 1 {
        return Err(StoreError::Revision { run, kept, offered: record.revision });
    }
    Ok(())
}
