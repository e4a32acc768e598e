//! Why a record was not stored, and why a store could not be opened.

use std::io;
use std::path::PathBuf;

use crate::model::{ErrorCode, Failure, RunId, Status};

/// Why a record was not stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// There is no such transition (S2.1).
    #[error("run {run} cannot become {to} when it is {from}", to = to.word(), from = from.map_or("unknown", Status::word))]
    Transition {
        /// The run.
        run: RunId,
        /// What it is.
        from: Option<Status>,
        /// What it was to become.
        to: Status,
    },
    /// A change was lost or came twice.
    #[error("run {run} has revision {kept}: {offered} does not follow")]
    Revision {
        /// The run.
        run: RunId,
        /// The revision that is kept.
        kept: u64,
        /// The revision that was offered.
        offered: u64,
    },
    /// The disk or the database failed; the same write may succeed later.
    #[error("{what}")]
    Medium {
        /// What it said.
        what: String,
    },
}

impl StoreError {
    pub(super) fn medium(what: impl std::fmt::Display) -> StoreError {
        StoreError::Medium { what: what.to_string() }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        StoreError::medium(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure::new(ErrorCode::StoreFailed, format!("the record could not be stored: {error}"))
    }
}

/// Why the state directory could not be opened. Nothing in it was changed then.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another program works with it.
    #[error("the state directory {} is in use by another shtask: {holder}", path.display())]
    InUse {
        /// The directory.
        path: PathBuf,
        /// Who: process id and since when, as far as it is known.
        holder: String,
    },
    /// Somebody else's file or directory, or a link, stands where a private one is needed.
    #[error("{} cannot be trusted: {why}", path.display())]
    Untrusted {
        /// What it is about.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A file or directory could not be made, opened or written.
    #[error("{} cannot be used: {source}", path.display())]
    File {
        /// What it is about.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The records were written by a newer shtask, or by another program.
    #[error("the records in {} have schema version {found}; this shtask knows versions up to {known}", path.display())]
    UnknownSchema {
        /// The database.
        path: PathBuf,
        /// What it says.
        found: i64,
        /// The newest that is known.
        known: i64,
    },
    /// The database could not be opened or read for another reason than damage.
    #[error("the records in {} cannot be opened: {what}", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// What it said.
        what: String,
    },
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Failure {
        let (code, hint) = match &error {
            OpenError::InUse { .. } => {
                (ErrorCode::Conflict, "leave that one first, or give this one a place of its own with SHTASK_STATE_DIR")
            }
            OpenError::Untrusted { .. } => {
                (ErrorCode::StoreFailed, "remove it, or choose another place with SHTASK_STATE_DIR")
            }
            OpenError::File { .. } => (
                ErrorCode::StoreFailed,
                "make room or give yourself the right to write there, or choose another place with SHTASK_STATE_DIR",
            ),
            OpenError::UnknownSchema { .. } => (
                ErrorCode::StoreFailed,
                "it was left as it is: use a newer shtask, or another place with SHTASK_STATE_DIR",
            ),
            OpenError::Database { .. } => {
                (ErrorCode::StoreFailed, "it was left as it is: choose another place with SHTASK_STATE_DIR")
            }
        };
        Failure::new(code, error.to_string()).with_hint(hint)
    }
}
