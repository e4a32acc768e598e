//! Errors as data: what went wrong, and whether to try again (S7.6).

use serde::{Deserialize, Serialize};

/// The longest message of an error, in characters (S7.6).
const MAX_MESSAGE: usize = 4096;

/// The code of an error. The text form is part of the public interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The request itself is wrong.
    Invalid,
    /// No such run or session for this caller.
    NotFound,
    /// A ref that fits several runs.
    Ambiguous,
    /// A capacity is full; the message names the limit (S5.1).
    CapacityFull,
    /// A run of that name is active (S7.5).
    Conflict,
    /// Control of the run is closed: it is ending or has ended (S4.5).
    ControlClosed,
    /// Somebody else holds the keyboard (S4.4).
    Held,
    /// The operation needs another mode: a write to a pipes run, the mouse for a program that asked for none.
    Unsupported,
    /// A fence or generation is not the present one.
    Stale,
    /// The session is closing; nothing starts.
    Closing,
    /// The program, working directory or environment file cannot be used.
    NotRunnable,
    /// The command could not be executed after its record existed.
    ExecFailed,
    /// Starting failed for lack of descriptors, processes, terminals or the like.
    SpawnFailed,
    /// The record could not be stored.
    StoreFailed,
    /// A pipe was still held by a descendant when the drain was over (S4.10).
    Undrained,
    /// The process did not acknowledge its exit after forced termination (S4.7).
    Unkillable,
    /// A standard input payload was not taken whole (S3.4).
    PayloadUndelivered,
    /// shtask's own parser or driver failed.
    Broken,
    /// The holder of the run is gone.
    HolderLost,
    /// The queue of the run is full: try again.
    Busy,
    /// The server is shutting down or gone.
    Unavailable,
    /// The time for it was over.
    TimedOut,
}

impl ErrorCode {
    /// Returns whether the same request may succeed later, unchanged.
    pub fn is_retryable(self) -> bool {
        matches!(
            self,
            ErrorCode::CapacityFull
                | ErrorCode::Busy
                | ErrorCode::Unavailable
                | ErrorCode::SpawnFailed
                | ErrorCode::Held
        )
    }
}

/// What a failed start may have done (S7.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effects {
    /// Nothing happened.
    #[default]
    None,
    /// The process was started; inspect before trying again.
    Pending,
    /// It is not known.
    Unknown,
}

/// An error with its code and a message of one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct Failure {
    /// What kind of error it is.
    pub code: ErrorCode,
    /// One line: no control characters, at most 4096 characters.
    pub message: String,
    /// What to do about it, where that helps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whether the same request may succeed later, unchanged.
    #[serde(default)]
    pub retryable: bool,
    /// What a failed start may have done.
    #[serde(default)]
    pub effects: Effects,
}

impl Failure {
    /// Makes an error; control characters of the message become spaces and it is cut at 4096 characters.
    pub fn new(code: ErrorCode, message: impl AsRef<str>) -> Failure {
        Failure {
            code,
            message: plain_line(message.as_ref(), MAX_MESSAGE),
            hint: None,
            retryable: code.is_retryable(),
            effects: Effects::None,
        }
    }

    /// Returns the error with a hint.
    #[must_use]
    pub fn with_hint(self, hint: impl AsRef<str>) -> Failure {
        Failure { hint: Some(plain_line(hint.as_ref(), MAX_MESSAGE)), ..self }
    }

    /// Returns the error with what the start may have done.
    #[must_use]
    pub fn with_effects(self, effects: Effects) -> Failure {
        Failure { effects, ..self }
    }
}

/// Makes one harmless line of any text: control characters and line separators become spaces, direction overrides go, and it is cut at
/// `max_chars` characters with `…` at the end.
pub fn plain_line(text: &str, max_chars: usize) -> String {
    let mut line = String::with_capacity(text.len().min(max_chars * 4));
    let harmless = text.chars().filter(|c| !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'));
    for (count, c) in harmless.enumerate() {
        if count == max_chars {
            line.pop();
            line.push('…');
            break;
        }
        line.push(if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c });
    }
    line
}

/// Returns an error's message with those of its sources, `: ` between them. Not for errors whose own message has that of the source in it.
pub fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        source = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_told_with_all_its_sources() {
        #[derive(Debug, thiserror::Error)]
        #[error("no timer")]
        struct Outer(#[source] Middle);
        #[derive(Debug, thiserror::Error)]
        #[error("no descriptor")]
        struct Middle(#[source] std::io::Error);

        let error = Outer(Middle(std::io::Error::other("the table is full")));
        assert_eq!(with_sources(&error), "no timer: no descriptor: the table is full");
    }

    #[test]
    fn a_message_is_one_harmless_line_of_bounded_length() {
        let failure = Failure::new(ErrorCode::Invalid, format!("a\n\u{1b}[31mb\u{202e}{}", "x".repeat(9000)));
        assert!(!failure.message.chars().any(char::is_control));
        assert!(failure.message.starts_with("a  [31mbx"), "{}", &failure.message[..20]);
        assert_eq!(failure.message.chars().count(), 4096);
    }
}
