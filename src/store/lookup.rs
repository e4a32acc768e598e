//! Finding records: by what a person types, and page by page.

use rusqlite::params;

use super::StoreError;
use super::query::Records;
use super::rows::{Listed, listed};
use crate::model::{Record, RunId, RunName, RunRef, SessionName};

/// How many records a ref is tried on at most: one more than anybody wants to read.
const MAX_MATCHES: usize = 20;

/// How much JSON is in a page of records at most, but for the last of them: a page goes over a socket in one piece.
const MAX_PAGE_BYTES: usize = 512 * 1024;

impl Records {
    /// Returns the records of a session that a ref may mean, without their outputs: by a name its newest generation; when there is no such name,
    /// those whose id begins so.
    ///
    /// # Errors
    /// [`StoreError::Medium`] when the database cannot be read.
    pub fn matching(&self, session: &SessionName, wanted: &RunRef) -> Result<Vec<Record>, StoreError> {
        const BY_ID: &str = "SELECT seq, record FROM runs WHERE id = ?2 AND session = ?1";
        const BY_GENERATION: &str =
            "SELECT seq, record FROM runs WHERE session = ?1 AND name = ?2 AND generation = CAST(?3 AS INTEGER)";
        const BY_NAME: &str =
            "SELECT seq, record FROM runs WHERE session = ?1 AND name = ?2 ORDER BY generation DESC LIMIT 1";
        // No digit of an id comes after the tilde.
        const BY_PREFIX: &str =
            "SELECT seq, record FROM runs WHERE id >= ?2 AND id < ?2 || '~' AND session = ?1 ORDER BY id LIMIT ?3";
        match wanted {
            // In another session there is nothing, which takes as long to find out.
            RunRef::Full(of, id) => {
                let found = self.select(BY_ID, &[session.as_str(), id.as_str()])?;
                Ok(found.into_iter().filter(|record| record.session == *of).collect())
            }
            RunRef::Id(id) => self.select(BY_ID, &[session.as_str(), id.as_str()]),
            RunRef::Generation(name, generation) => {
                self.select(BY_GENERATION, &[session.as_str(), name.as_str(), &generation.to_string()])
            }
            RunRef::NameOrPrefix(text) => {
                let named = self.select(BY_NAME, &[session.as_str(), text])?;
                if !named.is_empty() || text.len() < RunRef::MIN_PREFIX {
                    return Ok(named);
                }
                self.select(BY_PREFIX, &[session.as_str(), text, &MAX_MATCHES.to_string()])
            }
        }
    }

    fn select(&self, query: &str, values: &[&str]) -> Result<Vec<Record>, StoreError> {
        self.with(|connection| {
            let mut select = connection.prepare_cached(query)?;
            let mut rows = select.query(rusqlite::params_from_iter(values))?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(listed(row)?.record);
            }
            Ok(found)
        })
    }

    /// Returns the newest `count` records of a session that `takes` wants, newest first, without their outputs; with `before`, of those that started
    /// before that place. `fresh` has a newer state of a run, where there is one. There may be fewer in a page than there are: the second
    /// value tells where to go on, and is none when there are no more.
    ///
    /// # Errors
    /// [`StoreError::Medium`] when the database cannot be read.
    pub fn page(
        &self,
        session: &SessionName,
        name: Option<&RunName>,
        before: Option<u64>,
        count: usize,
        fresh: &dyn Fn(RunId) -> Option<Record>,
        takes: &dyn Fn(&Record) -> bool,
    ) -> Result<(Vec<Record>, Option<u64>), StoreError> {
        self.with(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT seq, record FROM runs WHERE session = ?1 AND seq < ?2 AND (?3 IS NULL OR name = ?3) ORDER BY seq DESC",
            )?;
            let before = before.and_then(|place| i64::try_from(place).ok()).unwrap_or(i64::MAX);
            let mut rows = select.query(params![session.as_str(), before, name.map(RunName::as_str)])?;
            let (mut found, mut bytes, mut last) = (Vec::new(), 0, None);
            while let Some(row) = rows.next()? {
                if found.len() == count || bytes > MAX_PAGE_BYTES {
                    return Ok((found, last));
                }
                let Listed { place, record } = listed(row)?;
                last = Some(place);
                let record = fresh(record.id).unwrap_or(record);
                if takes(&record) {
                    bytes += row.get_ref(1)?.as_str().map_or(0, str::len);
                    found.push(record);
                }
            }
            Ok((found, None))
        })
    }
}
