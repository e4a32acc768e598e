//! What a server says after its welcome.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Outbox, WireError};
use crate::api::{Found, RunView, Stream};
use crate::model::{CutOutcome, ErrorCode, Failure, HistorySpan, LeaseId, Record, RunId};

/// A value as JSON that was not read yet, or is written already.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Json(Box<RawValue>);

impl Json {
    /// Writes a value.
    ///
    /// # Panics
    /// For a value that has no form in JSON; what answers are made of has one.
    pub fn of<T: Serialize>(value: &T) -> Json {
        Json(serde_json::value::to_raw_value(value).expect("answers have a form in JSON"))
    }

    /// Reads the value.
    ///
    /// # Errors
    /// [`WireError::Head`] when it is another.
    pub fn read<'a, T: Deserialize<'a>>(&'a self) -> Result<T, WireError> {
        Ok(serde_json::from_str(self.0.get())?)
    }
}

/// A message of a server.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "`id` is always that of the message that asked for it")]
pub enum FromServer {
    /// It was done. What the answer is made of depends on what was asked: what the method returns, or [`CutAnswer`], [`LogAnswer`],
    /// [`HistoryAnswer`]; for a watch `null`, with its first screen as raw bytes.
    Ok { id: u64, answer: Json },
    /// It was not done, or it is over because of this.
    Failed { id: u64, failure: Failure },
    /// The table of a feed changed.
    Run { id: u64, view: Arc<RunView> },
    /// A run left the table of a feed.
    Removed { id: u64, run: RunId },
    /// The whole table of a feed.
    Table { id: u64, runs: Vec<Arc<RunView>> },
    /// The raw bytes are a screen of a watch. The next follows once the client says that it has taken this one.
    Screen { id: u64 },
    /// The raw bytes are output of a foreground run.
    Output { id: u64, stream: Stream },
    /// Further output of this stream is not passed on.
    Suppressed { id: u64, stream: Stream },
    /// The lease of a close, which goes on.
    Leased { id: u64, lease: LeaseId },
    /// The raw bytes are the next of an export. More follow once the client says that it has taken these; the answer comes behind the last.
    Chunk { id: u64 },
    /// A search has found something, or has come further; the answer comes behind the last.
    Found { id: u64, found: Found },
    /// A feed, a watch, or what was cancelled is over: nothing follows with this id.
    End { id: u64 },
    /// The connection ends now, for this reason.
    Goodbye { reason: Failure },
}

impl FromServer {
    /// Puts the message and its raw bytes behind those that are on their way out.
    ///
    /// # Panics
    /// Never for a value of these types: all of them have a form in JSON.
    pub fn write(&self, bulk: &[u8], outbox: &mut Outbox) {
        let head = serde_json::to_vec(self).expect("messages have a form in JSON");
        outbox.push(&head, bulk);
    }

    /// Reads a message. A failure whose code is not known, of a later minor version, is read as [`ErrorCode::Broken`].
    ///
    /// # Errors
    /// [`WireError::Head`] for a message that is not known, of a later minor version perhaps.
    pub fn read(head: &[u8]) -> Result<FromServer, WireError> {
        let unknown = match serde_json::from_slice(head) {
            Ok(read) => return Ok(read),
            Err(error) => error,
        };
        let Ok(AnyFailed::Failed { id, failure }) = serde_json::from_slice(head) else { return Err(unknown.into()) };
        let message = format!("{} ({})", failure.message, failure.code);
        let known = Failure { hint: failure.hint, ..Failure::new(ErrorCode::Broken, message) };
        Ok(FromServer::Failed { id, failure: known })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum AnyFailed {
    Failed { id: u64, failure: AnyFailure },
}

/// A failure whose code may be of a later version.
#[derive(Deserialize)]
struct AnyFailure {
    code: String,
    message: String,
    #[serde(default)]
    hint: Option<String>,
}

/// The answer to a control.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CutAnswer {
    /// What was done.
    pub outcome: CutOutcome,
    /// What the run shows.
    pub view: CutView,
}

/// What a run shows at a cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CutView {
    /// The raw bytes are the screen at the cut: as what differs from the last screen of this watch, where one is given.
    Live {
        /// The id of the watch.
        #[serde(default)]
        base: Option<u64>,
    },
    /// The run had ended before the cut.
    Final(Arc<Record>),
}

/// The answer to a look into a log; the raw bytes are those of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "as in `LogReading`")]
pub struct LogAnswer {
    pub offset: u64,
    pub next_offset: u64,
    #[serde(default)]
    pub skipped_bytes: u64,
    #[serde(default)]
    pub is_end: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_redacted: bool,
}

/// The answer to a look into the scrollback; the raw bytes are the rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "as in `HistoryRows`")]
pub struct HistoryAnswer {
    pub span: HistorySpan,
    pub first: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<u64>,
}

/// Returns the id of a message of either side whose kind is not known.
pub fn id_of(head: &[u8]) -> Option<u64> {
    #[derive(Deserialize)]
    struct Known {
        id: u64,
    }

    let any: std::collections::BTreeMap<String, Known> = serde_json::from_slice(head).ok()?;
    any.into_values().next().map(|known| known.id)
}
