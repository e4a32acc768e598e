//! Sessions as rows: those that are closed, are being closed, or have a fence (S7.1, S7.5).

use rusqlite::{Connection, params};

use super::{Records, StoreError};
use crate::model::SessionState;

/// Writes what of a session matters, and removes it when nothing does.
pub(super) fn put(connection: &Connection, state: &SessionState) -> rusqlite::Result<()> {
    let session = state.session.as_str();
    if !state.matters() {
        connection.prepare_cached("DELETE FROM sessions WHERE session = ?1")?.execute([session])?;
        return Ok(());
    }
    let json = serde_json::to_string(state).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    let mut put = connection.prepare_cached(
        "INSERT INTO sessions (session, state) VALUES (?1, ?2) ON CONFLICT (session) DO UPDATE SET state = excluded.state",
    )?;
    put.execute(params![session, json])?;
    Ok(())
}

impl Records {
    /// Returns the sessions that were closed, were being closed, or had a fence when the program before this one ended.
    ///
    /// # Errors
    /// [`StoreError::Medium`] when the database cannot be read, or has a session in a form that is not known: it may be closed.
    pub fn sessions(&self) -> Result<Vec<SessionState>, StoreError> {
        self.with(|connection| {
            let mut select = connection.prepare_cached("SELECT state FROM sessions ORDER BY session")?;
            let states = select.query_map([], |row| row.get::<_, String>(0))?;
            let mut found = Vec::new();
            for state in states {
                found.push(serde_json::from_str(&state?).map_err(StoreError::medium)?);
            }
            Ok(found)
        })
    }
}
