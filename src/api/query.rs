//! Looking runs up: pages of records, what needs attention, export.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use super::{Reply, Stream};
use crate::model::{Attention, ErrorCode, Failure, Record, RunId, RunName, Status};

/// Asks for records, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordsRequest {
    /// Only runs that stand so; empty for all.
    #[serde(default)]
    pub statuses: Vec<Status>,
    /// Only runs of that name.
    #[serde(default)]
    pub name: Option<RunName>,
    /// Only runs that were still live then, or started later.
    #[serde(default)]
    pub since: Option<Timestamp>,
    /// At most so many: 1 to [`RecordsRequest::MAX_LIMIT`].
    pub limit: usize,
    /// Where to go on: [`RecordsPage::next`] of the page before.
    #[serde(default)]
    pub before: Option<u64>,
}

impl RecordsRequest {
    /// The most records of one page.
    pub const MAX_LIMIT: usize = 1000;

    /// Asks for the newest `limit` records of all kinds.
    pub fn newest(limit: usize) -> RecordsRequest {
        RecordsRequest { statuses: Vec::new(), name: None, since: None, limit, before: None }
    }

    /// Returns whether a record is wanted.
    pub fn takes(&self, record: &Record) -> bool {
        let is_status = self.statuses.is_empty() || self.statuses.contains(&record.status);
        let is_name = self.name.is_none() || self.name == record.name;
        let is_recent = self.since.is_none_or(|since| record.completed_at.is_none_or(|ended| ended >= since));
        is_status && is_name && is_recent
    }

    /// Checks the limit.
    ///
    /// # Errors
    /// [`ErrorCode::Invalid`].
    pub fn validate(&self) -> Result<(), Failure> {
        if (1..=RecordsRequest::MAX_LIMIT).contains(&self.limit) {
            return Ok(());
        }
        let message = format!("a page has 1 to {} records, not {}", RecordsRequest::MAX_LIMIT, self.limit);
        Err(Failure::new(ErrorCode::Invalid, message))
    }
}

/// Some records, newest first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RecordsPage {
    /// Without their outputs. A page may have fewer than were asked for and not be the last.
    pub records: Vec<Record>,
    /// Where to go on; none when there are no more.
    pub next: Option<u64>,
}

/// The runs that need attention: active, or final and unobserved (S6.9).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Summary {
    /// At most 8, the one that has waited longest first, without their outputs.
    pub runs: Vec<Record>,
    /// How many more there are.
    pub rest: u64,
    /// What those of them want that wait for somebody (S6.7); they come first.
    #[serde(default)]
    pub needs: BTreeMap<RunId, Attention>,
}

/// What a prune has deleted (S2.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Pruned {
    /// How many records, of all sessions.
    pub runs: usize,
    /// How many bytes of logs.
    pub log_bytes: u64,
}

/// What an export is made into (S10.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// An asciicast of the raw log, for `asciinema play`.
    Cast,
    /// The record with the last snapshot of its output, as JSON.
    Json,
    /// The raw log as text, without control sequences: of pipes both streams, line by line as they came.
    Text,
    /// The same with the place and time of each line: an [`ExportedLine`] as JSON in each.
    Lines,
}

/// A line of a log, or a piece of one that was written over later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedLine {
    /// Its stream; standard output for a terminal.
    pub stream: Stream,
    /// Its number in its stream, as [`SearchHit::line`](super::SearchHit::line).
    pub line: u64,
    /// Where it begins, in bytes of the raw log of its stream.
    pub offset: u64,
    /// When its end was printed.
    pub at: Timestamp,
    /// Its text, without control sequences.
    pub text: String,
}

/// An export that is on its way.
///
/// # Cancel safety
/// Dropping it ends it. One that nobody takes from waits, and holds up no other; while 32 wait like that, one more ends by itself after a minute.
#[derive(Debug)]
pub struct Export {
    /// Its bytes, in chunks of at most [`Export::MAX_CHUNK_BYTES`]. A few wait at most; then the export waits.
    pub chunks_rx: mpsc::Receiver<Vec<u8>>,
    /// Whether it is whole, once the last chunk was sent.
    pub outcome: Reply<()>,
}

impl Export {
    /// The largest chunk.
    pub const MAX_CHUNK_BYTES: usize = 64 * 1024;
    /// How many chunks wait at most.
    pub const MAX_WAITING: usize = 4;
}
