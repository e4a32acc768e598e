//! What can be wrong with bytes of a connection.

use crate::model::{ErrorCode, Failure};

/// Why bytes are no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// A frame says that it is empty or longer than a frame may be.
    #[error("a frame of {bytes} bytes: a frame has 1 to {max}", max = super::MAX_FRAME_BYTES)]
    FrameLength {
        /// What it says.
        bytes: u32,
    },
    /// The frames of one message are more than it may have.
    #[error("a message of more than {max} bytes")]
    MessageLength {
        /// The most that a message may have in this direction.
        max: usize,
    },
    /// The head of a message is longer than the message.
    #[error("the head of a message is longer than the message")]
    HeadLength,
    /// The first message is no hello.
    #[error("the first message is no hello of shtask")]
    NoHello,
    /// A message is not understood.
    #[error("a message is not understood: {why}")]
    Head {
        /// What the reader of JSON says.
        why: String,
    },
    /// The bytes of a screen or of its rows are none.
    #[error("a screen is broken: {what}")]
    Screen {
        /// What is wrong.
        what: &'static str,
    },
}

impl From<serde_json::Error> for WireError {
    fn from(error: serde_json::Error) -> WireError {
        WireError::Head { why: error.to_string() }
    }
}

impl From<WireError> for Failure {
    fn from(error: WireError) -> Failure {
        Failure::new(ErrorCode::Broken, error.to_string())
    }
}
