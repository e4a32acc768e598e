//! Secrets in text: found and taken out before it is stored or shown (S9.4).
//!
//! One automaton finds the words that give secrets away; only there rules look closer, so clean text costs little.
//! `docs/redaction.md` says what is found and what is not.

mod command;
mod extent;
mod judge;
mod names;
mod pair;
mod pattern;
mod pem;
mod plain;
mod redactor;
mod rows;
mod rule;
mod scan;
mod shapes;
mod stream;
mod text;
mod url;
mod words;

pub use pattern::{MAX_PATTERN_BYTES, MAX_PATTERNS, PatternError};
pub use redactor::{MARK, Redacted, Redactor};
pub use rows::{Row, cover};
pub use stream::{MAX_BEHIND_BYTES, MAX_HELD_BYTES, Stream};

#[cfg(test)]
mod tests;
