//! The thread that writes records: whatever waits goes into one transaction.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rusqlite::Connection;

use super::log;
use super::prune::{Retention, prune};
use super::sqlite::StoreOptions;
use super::{Done, StoreError, database, rows, sessions};
use crate::model::{Record, RunId, SessionState};
use crate::sys::hooks;

/// How many writes go into one transaction at most: the first of them waits for the last.
const BATCH: usize = 256;

/// How often retention is applied without a reason.
const PRUNE_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// How often it is applied while records are being written: logs grow then, and runs end.
const BUSY_PRUNE_INTERVAL: Duration = Duration::from_secs(60);

/// What a prune has deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pruned {
    /// How many records.
    pub runs: usize,
    /// How many bytes of logs.
    pub log_bytes: u64,
}

/// What the thread is told.
pub(super) enum Job {
    Put(Arc<Record>, Done),
    PutSession(SessionState, Done),
    Unlist(RunId, Done),
    Prune(Retention, Box<dyn FnOnce(Result<Pruned, StoreError>) + Send>),
    /// See to the bound of all logs.
    BoundLogs,
    /// Nothing follows.
    Close,
}

impl Job {
    pub(super) fn refuse(self, error: &StoreError) {
        match self {
            Job::Put(_, done) | Job::PutSession(_, done) | Job::Unlist(_, done) => done(Err(error.clone())),
            Job::Prune(_, done) => done(Err(error.clone())),
            Job::BoundLogs | Job::Close => {}
        }
    }
}

pub(super) struct Writer {
    connection: Connection,
    database: PathBuf,
    logs: PathBuf,
    options: StoreOptions,
    /// Whether something was written since retention was applied.
    is_busy: bool,
    pruned_at: Instant,
    damage_is_noted: bool,
}

impl Writer {
    pub(super) fn new(connection: Connection, database: PathBuf, logs: PathBuf, options: StoreOptions) -> Writer {
        let pruned_at = Instant::now();
        Writer { connection, database, logs, options, is_busy: false, pruned_at, damage_is_noted: false }
    }

    /// Works until the store is dropped and everything it asked for is done.
    pub(super) fn run(mut self, jobs_rx: &mpsc::Receiver<Job>) {
        self.sweep();
        loop {
            let interval = if self.is_busy { BUSY_PRUNE_INTERVAL } else { PRUNE_INTERVAL };
            match jobs_rx.recv_timeout(interval.saturating_sub(self.pruned_at.elapsed())) {
                Ok(first) => {
                    let mut jobs = vec![first];
                    jobs.extend(jobs_rx.try_iter().take(BATCH - 1));
                    if self.work(jobs) {
                        return;
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.prune_by_itself(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.is_busy && self.pruned_at.elapsed() >= BUSY_PRUNE_INTERVAL {
                self.prune_by_itself();
            }
        }
    }

    /// Does what waits; returns whether that was all there will be.
    fn work(&mut self, jobs: Vec<Job>) -> bool {
        let mut puts = Vec::new();
        let (mut logs_grew, mut is_over) = (false, false);
        for job in jobs {
            match job {
                Job::Put(record, done) => puts.push((record, done)),
                Job::PutSession(state, done) => {
                    self.put_all(std::mem::take(&mut puts));
                    done(self.put_session(&state));
                }
                Job::Unlist(run, done) => {
                    self.put_all(std::mem::take(&mut puts));
                    done(self.unlist(run));
                }
                Job::Prune(retention, done) => {
                    self.put_all(std::mem::take(&mut puts));
                    done(self.prune(retention));
                }
                Job::BoundLogs => logs_grew = true,
                Job::Close => is_over = true,
            }
        }
        self.put_all(puts);
        if logs_grew && let Err(error) = self.bound_logs() {
            tracing::warn!(%error, "the bound of all logs could not be seen to");
        }
        is_over
    }

    fn put_all(&mut self, puts: Vec<(Arc<Record>, Done)>) {
        if puts.is_empty() {
            return;
        }
        self.is_busy = true;
        let records: Vec<&Record> = puts.iter().map(|(record, _)| &**record).collect();
        let results = self.try_put_all(&records).or_else(|_| {
            // A full disk may only be full of our own write-ahead log.
            let _ = self.connection.pragma_query(None, "wal_checkpoint(TRUNCATE)", |_| Ok(()));
            self.try_put_all(&records)
        });
        match results {
            Ok(results) => puts.into_iter().zip(results).for_each(|((_, done), result)| done(result)),
            Err(error) => {
                self.note_damage(&error);
                let error = StoreError::from(error);
                tracing::warn!(%error, "records could not be stored");
                puts.into_iter().for_each(|(_, done)| done(Err(error.clone())));
            }
        }
    }

    /// Writes all in one transaction. What one of them may not do is its own failure; what the disk cannot do is everybody's.
    fn try_put_all(&mut self, records: &[&Record]) -> rusqlite::Result<Vec<Result<(), StoreError>>> {
        hooks::pass("store.begin");
        hooks::step("store").map_err(failing_disk)?;
        let mut transaction = self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let mut results = Vec::with_capacity(records.len());
        for record in records {
            let savepoint = transaction.savepoint()?;
            let result = rows::put(&savepoint, record);
            if result.is_ok() {
                savepoint.commit()?;
            } else {
                savepoint.finish()?;
            }
            results.push(result);
        }
        // A full disk may end the transaction from below: then nothing of it is kept.
        if transaction.is_autocommit() {
            return Err(rusqlite::Error::SqliteFailure(
                rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL),
                first_failure(&results),
            ));
        }
        hooks::pass("store.commit");
        hooks::step("commit").map_err(failing_disk)?;
        transaction.commit()?;
        hooks::pass("store.committed");
        Ok(results)
    }

    fn put_session(&mut self, state: &SessionState) -> Result<(), StoreError> {
        hooks::pass("session.store");
        let put = sessions::put(&self.connection, state).map_err(|error| {
            self.note_damage(&error);
            StoreError::from(error)
        });
        if put.is_ok() {
            hooks::pass("session.stored");
        }
        put
    }

    fn unlist(&mut self, run: RunId) -> Result<(), StoreError> {
        rows::unlist(&self.connection, run).map_err(|error| {
            self.note_damage(&error);
            StoreError::from(error)
        })
    }

    fn note_damage(&mut self, error: &rusqlite::Error) {
        if database::is_damage(error) && !self.damage_is_noted {
            self.damage_is_noted = true;
            database::note_damage(&self.database);
        }
    }

    fn prune_by_itself(&mut self) {
        self.is_busy = false;
        self.pruned_at = Instant::now();
        match self.prune(self.options.retention) {
            Ok(pruned) if pruned != Pruned::default() => tracing::info!(?pruned, "old runs were pruned"),
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "old runs could not be pruned"),
        }
    }

    fn prune(&mut self, retention: Retention) -> Result<Pruned, StoreError> {
        let mut pruned = Pruned::default();
        loop {
            let gone = prune(&mut self.connection, retention, Timestamp::now())?;
            if gone.is_empty() {
                break;
            }
            hooks::pass("prune.committed");
            pruned.runs += gone.len();
            pruned.log_bytes += gone.iter().map(|run| remove_log(&self.logs, *run)).sum::<u64>();
        }
        pruned.log_bytes += self.bound_logs()?;
        Ok(pruned)
    }

    /// Removes logs until all together fit (B33): first those without a record, then those of the runs that ended first.
    fn bound_logs(&mut self) -> Result<u64, StoreError> {
        let max_bytes = self.options.max_total_log_bytes;
        if max_bytes == 0 {
            return Ok(0);
        }
        let total = log::total_bytes(&self.logs);
        // So much comes before the next look.
        if total + log::growth_step(max_bytes) <= max_bytes {
            return Ok(0);
        }
        let mut going = self.unrecorded()?;
        {
            let mut oldest = self
                .connection
                .prepare_cached("SELECT id FROM runs WHERE completed_at IS NOT NULL ORDER BY completed_at, seq")?;
            for id in oldest.query_map([], |row| row.get::<_, String>(0))? {
                going.extend(id?.parse::<RunId>().ok());
            }
        }
        let mut removed = 0;
        // A little more than needed, so that the next run does not begin with it again.
        for run in going {
            if total - removed <= max_bytes / 10 * 9 {
                break;
            }
            removed += remove_log(&self.logs, run).min(total - removed);
        }
        Ok(removed)
    }

    /// Returns the runs that have a log and no record: they were pruned when the program died, or their records were damaged.
    fn unrecorded(&self) -> Result<Vec<RunId>, StoreError> {
        let mut known = self.connection.prepare_cached("SELECT 1 FROM runs WHERE id = ?1")?;
        let mut unrecorded = Vec::new();
        for run in log::runs(&self.logs) {
            if !known.exists([run.as_str()])? {
                unrecorded.push(run);
            }
        }
        Ok(unrecorded)
    }

    /// Removes logs without a record once they are as old as records may become.
    fn sweep(&mut self) {
        let unrecorded = self.unrecorded().unwrap_or_default();
        for run in unrecorded {
            if log::age(&self.logs, run).is_some_and(|age| age > self.options.retention.age) {
                remove_log(&self.logs, run);
            }
        }
        self.prune_by_itself();
    }
}

/// Makes of a step that a test made fail what the database says of a failing disk.
fn failing_disk(error: std::io::Error) -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR);
    rusqlite::Error::SqliteFailure(code, Some(format!("disk I/O error: {error}")))
}

fn first_failure(results: &[Result<(), StoreError>]) -> Option<String> {
    results.iter().find_map(|result| result.as_ref().err().map(ToString::to_string))
}

fn remove_log(logs: &Path, run: RunId) -> u64 {
    log::remove(logs, run).unwrap_or_else(|error| {
        tracing::warn!(%run, %error, "the log of a run could not be removed");
        0
    })
}
