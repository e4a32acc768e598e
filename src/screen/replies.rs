//! Answers to the queries of a program, in order.
//!
//! No answer holds text that the program chose: whoever reads it may be a shell.

/// The most answers that wait to be taken, in bytes (S9.3).
pub const MAX_REPLY_BYTES: usize = 1024 * 1024;

/// More than [`MAX_REPLY_BYTES`] of answers wait: the program asks and does not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the program asked its terminal more than it reads: over {MAX_REPLY_BYTES} bytes of answers wait")]
pub struct ReplyOverflow;

/// The answers that wait to be taken.
#[derive(Debug, Default)]
pub(super) struct Replies {
    bytes: Vec<u8>,
    overflowed: bool,
}

impl Replies {
    /// Adds an answer, whole or not at all.
    pub(super) fn push(&mut self, reply: &[u8]) {
        if self.overflowed || self.bytes.len() + reply.len() > MAX_REPLY_BYTES {
            self.overflowed = true;
        } else {
            self.bytes.extend_from_slice(reply);
        }
    }

    /// Takes all answers.
    pub(super) fn take(&mut self) -> Result<Vec<u8>, ReplyOverflow> {
        let bytes = std::mem::take(&mut self.bytes);
        if std::mem::take(&mut self.overflowed) { Err(ReplyOverflow) } else { Ok(bytes) }
    }
}
