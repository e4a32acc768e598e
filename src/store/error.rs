//! Why a record was not stored.

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
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure::new(ErrorCode::StoreFailed, format!("the record could not be stored: {error}"))
    }
}
