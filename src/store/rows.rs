//! Records as rows.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::StoreError;
use super::rules::{Kept, check};
use crate::model::{Record, RecordOutput, RunId, Status};

/// Returns the status of that word.
pub(super) fn status_of(word: &str) -> Option<Status> {
    Status::ALL.into_iter().find(|status| status.word() == word)
}

/// The shape of records that is known.
const SCHEMA: u32 = 1;

/// Reads a record; one of another shape is left alone.
fn parse(json: &str) -> Result<Record, StoreError> {
    #[derive(serde::Deserialize)]
    struct Shape {
        schema: u32,
    }
    let Shape { schema } = serde_json::from_str(json).map_err(malformed)?;
    if schema != SCHEMA {
        return Err(malformed(format!("it has schema {schema}, this shtask knows {SCHEMA}: use a newer shtask")));
    }
    serde_json::from_str(json).map_err(malformed)
}

fn malformed(what: impl std::fmt::Display) -> StoreError {
    StoreError::medium(format!("a record cannot be read: {what}"))
}

/// Writes one record and its output; refuses what S2.1 does not know.
pub(super) fn put(connection: &Connection, record: &Record) -> Result<(), StoreError> {
    let kept = kept(connection, record.id)?;
    check(kept, record)?;
    let without_output = Record { output: None, ..record.clone() };
    let json = serde_json::to_string(&without_output).map_err(StoreError::medium)?;
    let failure = record.failure.as_ref().map(|failure| failure.message.as_str());
    let completed_at = record.completed_at.map(|at| at.as_millisecond());
    let observed_at = record.observed_at.map(|at| at.as_millisecond());
    if kept.is_none() {
        let mut insert = connection.prepare_cached(
            "INSERT INTO runs (id, session, name, generation, status, revision, created_at, record)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?;
        insert.execute(params![
            record.id.as_str(),
            record.session.as_str(),
            record.name.as_ref().map(|name| name.as_str()),
            record.generation,
            record.status.word(),
            record.revision,
            record.updated_at.as_millisecond(),
            json,
        ])?;
    }
    // Before the record, because the output of a final one does not change any more.
    let is_final_already = kept.is_some_and(|kept| kept.status.is_final());
    if let Some(output) = record.output.as_ref().filter(|_| !is_final_already) {
        put_output(connection, record.id, output)?;
    }
    if kept.is_some() {
        let mut update = connection.prepare_cached(
            "UPDATE runs SET status = ?2, revision = ?3, exit_code = ?4, failure = ?5, completed_at = ?6, observed_at = ?7, record = ?8,
                 name = ?9, generation = ?10
             WHERE id = ?1 AND revision = ?3 - 1",
        )?;
        let changed = update.execute(params![
            record.id.as_str(),
            record.status.word(),
            record.revision,
            record.exit_code,
            failure,
            completed_at,
            observed_at,
            json,
            record.name.as_ref().map(|name| name.as_str()),
            record.generation,
        ])?;
        if changed != 1 {
            let kept = kept.map_or(0, |kept| kept.revision);
            return Err(StoreError::Revision { run: record.id, kept, offered: record.revision });
        }
    }
    Ok(())
}

/// Takes a run out of the list that the next program begins with.
pub(super) fn unlist(connection: &Connection, run: RunId) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM listed WHERE run = ?1")?.execute([run.as_str()])?;
    Ok(())
}

fn put_output(connection: &Connection, run: RunId, output: &RecordOutput) -> Result<(), StoreError> {
    let json = serde_json::to_string(output).map_err(StoreError::medium)?;
    let mut put = connection.prepare_cached(
        "INSERT INTO outputs (run, output) VALUES (?1, ?2) ON CONFLICT (run) DO UPDATE SET output = excluded.output",
    )?;
    put.execute(params![run.as_str(), json])?;
    Ok(())
}

fn kept(connection: &Connection, run: RunId) -> Result<Option<Kept>, StoreError> {
    let mut select = connection.prepare_cached("SELECT status, revision, observed_at FROM runs WHERE id = ?1")?;
    let row = select.query_row([run.as_str()], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, u64>(1)?, row.get::<_, Option<i64>>(2)?))
    });
    let Some((word, revision, observed_at)) = row.optional()? else { return Ok(None) };
    let status = status_of(&word).ok_or_else(|| malformed(format!("unknown status {word:?}")))?;
    Ok(Some(Kept { status, revision, is_observed: observed_at.is_some() }))
}

/// A record without its output, and its place in the order of starts.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Its place: grows with every start, never used twice.
    pub place: u64,
    /// The record; `output` is left out.
    pub record: Record,
}

/// Reads `seq, record`.
pub(super) fn listed(row: &Row<'_>) -> Result<Listed, StoreError> {
    let json: String = row.get(1)?;
    Ok(Listed { place: row.get(0)?, record: parse(&json)? })
}

/// Reads a record with its output.
pub(super) fn get(connection: &Connection, run: RunId) -> Result<Option<Record>, StoreError> {
    let mut select = connection
        .prepare_cached("SELECT record, output FROM runs LEFT JOIN outputs ON outputs.run = runs.id WHERE id = ?1")?;
    let row = select.query_row([run.as_str()], |row| Ok((row.get::<_, String>(0)?, row.get::<_, Option<String>>(1)?)));
    let Some((record, output)) = row.optional()? else { return Ok(None) };
    let mut record = parse(&record)?;
    record.output = output.map(|output| serde_json::from_str(&output)).transpose().map_err(malformed)?;
    Ok(Some(record))
}
