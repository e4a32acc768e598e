//! Why a log could not be read.

use std::io;
use std::path::PathBuf;

use crate::model::{ErrorCode, Failure, RunId};

/// Why a log could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// There is none: the run never had one, or it was removed by retention.
    #[error("there is no log of run {run} any more")]
    None {
        /// The run.
        run: RunId,
    },
    /// A file could not be read.
    #[error("{} cannot be read: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It was written by a newer shtask.
    #[error("{} has version {found}; this shtask knows version {known}", path.display())]
    UnknownVersion {
        /// The file.
        path: PathBuf,
        /// What it says.
        found: u64,
        /// The one that is known.
        known: u64,
    },
}

impl From<LogError> for Failure {
    fn from(error: LogError) -> Failure {
        let message = error.to_string();
        match error {
            LogError::None { .. } => {
                Failure::new(ErrorCode::NotFound, message).with_hint("its record has the end of what it printed")
            }
            LogError::File { .. } => Failure::new(ErrorCode::StoreFailed, message),
            LogError::UnknownVersion { .. } => {
                Failure::new(ErrorCode::Unsupported, message).with_hint("it was left as it is: use a newer shtask")
            }
        }
    }
}
