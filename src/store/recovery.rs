//! What becomes of records whose program has died (S7.3).

use std::collections::HashSet;

use jiff::Timestamp;
use rusqlite::Connection;

use super::StoreError;
use super::rows::{self, listed};
use super::sqlite::Found;
use crate::model::{ErrorCode, Failure, ProcessIdentity, Record, RunId, Status};
use crate::sys::hooks;

/// One run that was lost sight of.
#[derive(Debug, Clone, PartialEq)]
pub struct Recovered {
    /// Its final record.
    pub record: Record,
    /// Whether its process was still alive at that moment.
    pub is_alive: bool,
}

/// Makes the final record of a run that nobody has a handle to any more (S7.3). A queued one never ran: it has failed.
pub fn lost(record: &Record, is_alive: bool, now: Timestamp) -> Record {
    let mut lost = Record { revision: record.revision + 1, updated_at: now, completed_at: Some(now), ..record.clone() };
    let message = match (&record.process, record.status) {
        (_, Status::Queued) => "shtask ended while the run was queued; it was never started".to_owned(),
        (None, _) => {
            "shtask ended while the run was being started; whether its process came to be is not known".to_owned()
        }
        (Some(process), _) if is_alive => {
            format!("shtask ended before the run did; its process {} is still alive", process.pid)
        }
        (Some(process), _) => format!("shtask ended before the run did; its process {} is gone", process.pid),
    };
    lost.status = if record.status == Status::Queued { Status::Failed } else { Status::Orphaned };
    let failure = Failure::new(ErrorCode::HolderLost, message);
    lost.failure = Some(if is_alive { failure.with_hint("end it with `shtask reap`") } else { failure });
    lost
}

/// Makes every active record final but those of held runs. Both are in the order of their starts.
///
/// The transaction and the revision make observers of the same moment converge: each record is changed by exactly one.
pub(super) fn recover(
    connection: &mut Connection,
    now: Timestamp,
    held: &HashSet<RunId>,
    is_alive: &dyn Fn(RunId, &ProcessIdentity) -> bool,
    into: &mut Found,
) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let mut active = Vec::new();
    {
        let mut select =
            transaction.prepare("SELECT seq, record, id FROM runs WHERE completed_at IS NULL ORDER BY seq")?;
        let mut found = select.query([])?;
        while let Some(row) = found.next()? {
            match listed(row) {
                Ok(listed) => active.push(listed.record),
                Err(error) => into.notices.push(format!("run {}: {error}", row.get::<_, String>(2)?)),
            }
        }
    }
    for record in active {
        if held.contains(&record.id) && record.status != Status::Queued {
            into.held.push(record);
            continue;
        }
        let is_alive = record.process.as_ref().is_some_and(|process| is_alive(record.id, process));
        let record = lost(&record, is_alive, now);
        match rows::put(&transaction, &record) {
            Ok(()) => into.recovered.push(Recovered { record, is_alive }),
            Err(StoreError::Medium { what }) => return Err(StoreError::Medium { what }),
            // Somebody else was there first.
            Err(StoreError::Transition { .. } | StoreError::Revision { .. }) => {}
        }
    }
    if !into.recovered.is_empty() {
        hooks::pass("recover.commit");
    }
    transaction.commit()?;
    if !into.recovered.is_empty() {
        hooks::pass("recover.committed");
    }
    Ok(())
}
