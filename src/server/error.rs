//! Why there is no socket.

use std::io;
use std::path::PathBuf;

use crate::model::{ErrorCode, Failure};

/// Why a server gets no socket.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// Another server has it.
    #[error("another server listens on {}", path.display())]
    InUse {
        /// The socket.
        path: PathBuf,
    },
    /// The folder that the user chose is not there: more likely a slip than a wish, so it is not made.
    #[error("the folder {} of the server's socket does not exist", path.display())]
    NoFolder {
        /// The folder.
        path: PathBuf,
    },
    /// Something in the way is not ours or not what it must be; it was not touched.
    #[error("{} cannot be trusted: {why}", path.display())]
    Untrusted {
        /// What is in the way.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The system refuses.
    #[error("{} cannot be used: {source}", path.display())]
    File {
        /// What it was about.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl From<PlaceError> for Failure {
    fn from(error: PlaceError) -> Failure {
        let (code, hint) = match &error {
            PlaceError::InUse { .. } => (ErrorCode::Conflict, "`shtask server status` tells about it"),
            PlaceError::NoFolder { .. } => (ErrorCode::Unavailable, "make it, or correct --socket or SHTASK_SOCKET"),
            PlaceError::Untrusted { .. } => {
                (ErrorCode::Unavailable, "remove it, or choose another socket by SHTASK_SOCKET")
            }
            PlaceError::File { .. } => (ErrorCode::Unavailable, "choose another socket by SHTASK_SOCKET"),
        };
        Failure::new(code, error.to_string()).with_hint(hint)
    }
}
