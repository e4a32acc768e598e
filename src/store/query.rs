//! Looking records up, beside the writer and without waiting for it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, params};

use super::rows::{self, Listed, listed};
use super::{Generations, StoreError, database};
use crate::model::{Record, RunId, SessionName};

/// The most runs that a summary names (S6.9).
pub const SUMMARY_RUNS: usize = 8;

/// The runs that need attention: active, or final and unobserved (S6.9).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary {
    /// At most [`SUMMARY_RUNS`], the one that has waited longest first, without their outputs.
    pub runs: Vec<Record>,
    /// How many more there are.
    pub rest: u64,
}

/// Reads records. All its calls block on the disk: not for async code.
#[derive(Debug, Clone)]
pub struct Records {
    path: PathBuf,
    /// Opened by the first look; a second reader at the same moment waits.
    connection: Arc<Mutex<Option<Connection>>>,
}

impl Records {
    pub(super) fn new(path: PathBuf) -> Records {
        Records { path, connection: Arc::default() }
    }

    pub(super) fn with<T>(&self, look: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        // A look changes nothing, so a panic of another one leaves nothing half done.
        let mut kept = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = match kept.take() {
            Some(connection) => connection,
            None => database::open_to_read(&self.path)?,
        };
        let found = look(&connection);
        // A connection that met an error is not trusted further.
        if found.is_ok() {
            *kept = Some(connection);
        }
        found
    }

    /// Returns the newest records of a session, newest first; with `before`, those that started before that place.
    ///
    /// # Errors
    /// [`StoreError::Medium`] when the database cannot be read.
    pub fn newest(&self, session: &SessionName, before: Option<u64>, count: usize) -> Result<Vec<Listed>, StoreError> {
        self.with(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT seq, record FROM runs WHERE session = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT ?3",
            )?;
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            let mut rows = select.query(params![session.as_str(), bound(before), count])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(listed(row)?);
            }
            Ok(found)
        })
    }

    /// Returns the newest runs of a session with their places, newest first; with `before`, those that started before that place.
    ///
    /// # Errors
    /// [`StoreError::Medium`] when the database cannot be read.
    pub fn places(
        &self,
        session: &SessionName,
        before: Option<u64>,
        count: usize,
    ) -> Result<Vec<(u64, RunId)>, StoreError> {
        self.with(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT seq, id FROM runs WHERE session = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT ?3",
            )?;
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            let mut rows = select.query(params![session.as_str(), bound(before), count])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                if let Ok(run) = row.get::<_, String>(1)?.parse() {
                    found.push((row.get(0)?, run));
                }
            }
            Ok(found)
        })
    }

    /// Counts the runs of a session that are on record; with `before`, those that started before that place.
    ///
    /// # Errors
    /// [`StoreError::Medium`] when the database cannot be read.
    pub fn count(&self, session: &SessionName, before: Option<u64>) -> Result<usize, StoreError> {
        self.with(|connection| {
            let mut count = connection.prepare_cached("SELECT count(*) FROM runs WHERE session = ?1 AND seq < ?2")?;
            Ok(count.query_row(params![session.as_str(), bound(before)], |row| row.get(0))?)
        })
    }

    /// Returns whether a run is on record.
    ///
    /// # Errors
    /// [`StoreError::Medium`] when the database cannot be read.
    pub fn has(&self, run: RunId) -> Result<bool, StoreError> {
        self.with(|connection| {
            Ok(connection.prepare_cached("SELECT 1 FROM runs WHERE id = ?1")?.exists([run.as_str()])?)
        })
    }

    /// Returns the record of a run with its output, whatever its session.
    ///
    /// # Errors
    /// [`StoreError::Medium`] when the database cannot be read.
    pub fn get(&self, run: RunId) -> Result<Option<Record>, StoreError> {
        self.with(|connection| rows::get(connection, run))
    }

    /// Returns the record of a session's run with its output. A run of another session is as one that never was, in what it takes too.
    ///
    /// # Errors
    /// [`StoreError::Medium`] when the database cannot be read.
    pub fn of(&self, session: &SessionName, run: RunId) -> Result<Option<Record>, StoreError> {
        self.with(|connection| {
            let mut is_there = connection.prepare_cached("SELECT 1 FROM runs WHERE id = ?1 AND session = ?2")?;
            if is_there.exists([run.as_str(), session.as_str()])? { rows::get(connection, run) } else { Ok(None) }
        })
    }

    /// Returns the newest generation of each name, of runs that were pruned as well.
    ///
    /// # Errors
    /// [`StoreError::Medium`] when the database cannot be read.
    pub fn generations(&self) -> Result<Generations, StoreError> {
        self.with(|connection| {
            let mut select = connection.prepare_cached("SELECT session, name, generation FROM generations")?;
            let mut rows = select.query([])?;
            let mut found = Generations::new();
            while let Some(row) = rows.next()? {
                let (session, name) = (row.get::<_, String>(0)?.parse(), row.get::<_, String>(1)?.parse());
                if let (Ok(session), Ok(name)) = (session, name) {
                    found.note(&session, &name, row.get(2)?);
                }
            }
            Ok(found)
        })
    }

    /// Returns the runs of a session that need attention (S6.9).
    ///
    /// # Errors
    /// [`StoreError::Medium`] when the database cannot be read.
    pub fn summary(&self, session: &SessionName) -> Result<Summary, StoreError> {
        self.with(|connection| {
            let mut count =
                connection.prepare_cached("SELECT count(*) FROM runs WHERE session = ?1 AND observed_at IS NULL")?;
            let all: u64 = count.query_row([session.as_str()], |row| row.get(0))?;
            let mut select = connection.prepare_cached(
                "SELECT seq, record FROM runs WHERE session = ?1 AND observed_at IS NULL
                 ORDER BY coalesce(completed_at, created_at), seq LIMIT ?2",
            )?;
            let mut rows = select.query(params![session.as_str(), SUMMARY_RUNS])?;
            let mut runs = Vec::new();
            while let Some(row) = rows.next()? {
                runs.push(listed(row)?.record);
            }
            let rest = all.saturating_sub(runs.len() as u64);
            Ok(Summary { runs, rest })
        })
    }

    /// Returns the ended runs that have not left the list of their session, of all sessions, in the order of their starts, without their outputs.
    /// One that cannot be read is left out with a warning.
    ///
    /// # Errors
    /// [`StoreError::Medium`] when the database cannot be read.
    pub fn still_listed(&self) -> Result<Vec<Record>, StoreError> {
        self.with(|connection| {
            // The cross join has the small table looked through and not the large one.
            let mut select = connection.prepare_cached(
                "SELECT seq, record FROM listed CROSS JOIN runs ON runs.id = listed.run
                 WHERE completed_at IS NOT NULL ORDER BY seq",
            )?;
            let mut rows = select.query([])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                match listed(row) {
                    Ok(listed) => found.push(listed.record),
                    Err(error) => tracing::warn!(%error, "an ended run is left out of its list"),
                }
            }
            Ok(found)
        })
    }

    /// Returns the newest `count` orphaned runs of a session, or of all, newest first.
    ///
    /// # Errors
    /// [`StoreError::Medium`] when the database cannot be read.
    pub fn orphaned(&self, session: Option<&SessionName>, count: usize) -> Result<Vec<Record>, StoreError> {
        self.with(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT seq, record FROM runs WHERE (?1 IS NULL OR session = ?1) AND status = 'orphaned'
                 ORDER BY seq DESC LIMIT ?2",
            )?;
            let mut rows =
                select.query(params![session.map(SessionName::as_str), i64::try_from(count).unwrap_or(i64::MAX)])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(listed(row)?.record);
            }
            Ok(found)
        })
    }
}

/// The place that all wanted ones are before.
fn bound(before: Option<u64>) -> i64 {
    before.and_then(|place| i64::try_from(place).ok()).unwrap_or(i64::MAX)
}
