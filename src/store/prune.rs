//! Retention: which final records are kept, and for how long (S2.8).

use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::StoreError;
use crate::model::RunId;

/// How many runs are deleted in one transaction: few enough that a start does not wait for it noticeably.
const BATCH: usize = 100;

/// How many final runs are kept, and for how long. Live runs, and failed ones that nobody has looked at, are always kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// How many of each session.
    pub runs: usize,
    /// For how long after their end.
    pub age: Duration,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { runs: 500, age: Duration::from_secs(30 * 24 * 60 * 60) }
    }
}

/// What may be pruned at all.
const PRUNABLE: &str =
    "completed_at IS NOT NULL AND NOT (observed_at IS NULL AND status IN ('failed', 'timed_out', 'orphaned'))";

/// Deletes one batch of what is beyond retention; returns the runs, none when nothing is.
pub(super) fn prune(
    connection: &mut Connection,
    retention: Retention,
    now: Timestamp,
) -> Result<Vec<RunId>, StoreError> {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let age = i64::try_from(retention.age.as_millis()).unwrap_or(i64::MAX);
    let oldest = now.as_millisecond().saturating_sub(age);
    let mut found: Vec<String> = Vec::new();
    {
        let mut too_old = transaction.prepare_cached(&format!(
            "SELECT id FROM runs WHERE completed_at < ?1 AND {PRUNABLE} ORDER BY completed_at LIMIT ?2"
        ))?;
        let mut too_many = transaction.prepare_cached(&format!(
            "SELECT id FROM runs WHERE session = ?1 AND {PRUNABLE} AND seq <= coalesce(
                 (SELECT seq FROM runs WHERE session = ?1 AND completed_at IS NOT NULL ORDER BY seq DESC LIMIT 1 OFFSET ?2), -1)
             ORDER BY seq LIMIT ?3"
        ))?;
        for id in too_old.query_map(params![oldest, BATCH], |row| row.get(0))? {
            found.push(id?);
        }
        let mut sessions = transaction.prepare_cached("SELECT DISTINCT session FROM runs")?;
        for session in sessions.query_map([], |row| row.get::<_, String>(0))? {
            for id in too_many.query_map(params![session?, retention.runs, BATCH], |row| row.get(0))? {
                found.push(id?);
            }
        }
    }
    found.sort();
    found.dedup();
    for id in &found {
        transaction.prepare_cached("DELETE FROM runs WHERE id = ?1")?.execute([id])?;
    }
    transaction.commit()?;
    Ok(found.iter().filter_map(|id| id.parse().ok()).collect())
}
