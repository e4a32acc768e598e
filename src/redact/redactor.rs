//! The redactor: text in, text without secrets out.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::pattern::{self, Pattern, PatternError};
use super::plain::Plain;
use super::scan::{Found, Triggers};
use super::text::Text;

/// What stands in place of a secret.
pub const MARK: &str = "[redacted]";

/// Finds secrets in text and takes them out. A clone costs a counter.
#[derive(Debug, Clone)]
pub struct Redactor {
    rules: Arc<Rules>,
}

#[derive(Debug)]
struct Rules {
    triggers: Triggers,
    patterns: Vec<Pattern>,
}

/// Text without secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'a> {
    /// The text, borrowed when nothing was taken out.
    pub text: Cow<'a, str>,
    /// Whether something was taken out.
    pub found: bool,
}

impl Redactor {
    /// Makes a redactor that knows the usual secrets and those that match the user's patterns.
    ///
    /// A pattern is a regular expression of the `regex` crate; it is matched line by line. When it has a group named
    /// `secret`, or else any group, that (or the first) is what is taken out, otherwise the whole match. Matches up to
    /// 4 KiB are found wherever they are. It costs about a millisecond: make it once and clone it.
    ///
    /// # Errors
    /// When there are more than [`MAX_PATTERNS`](super::MAX_PATTERNS) patterns, or one is too long, is no regular
    /// expression, compiles to more than 1 MiB, or matches the empty text.
    pub fn new(user_patterns: &[String]) -> Result<Redactor, PatternError> {
        let patterns = pattern::compile(user_patterns)?;
        Ok(Redactor { rules: Arc::new(Rules { triggers: Triggers::new(), patterns }) })
    }

    /// Checks one pattern; `number` is its place in the list, from 1, for the message.
    ///
    /// # Errors
    /// As [`Redactor::new`].
    pub fn check_pattern(number: usize, pattern: &str) -> Result<(), PatternError> {
        Pattern::new(number, pattern).map(drop)
    }

    /// Replaces the secrets of a complete text. Time grows with the length of the text, whatever is in it.
    ///
    /// Colours and other control sequences are looked through and kept.
    pub fn redact<'a>(&self, text: &'a str) -> Redacted<'a> {
        self.redact_as(text, true)
    }

    /// Replaces the secrets of a text that may be about to go on: the output of a run that is still writing.
    ///
    /// What may become a secret at its end is taken out, too.
    pub fn redact_unfinished<'a>(&self, text: &'a str) -> Redacted<'a> {
        self.redact_as(text, false)
    }

    fn redact_as<'a>(&self, text: &'a str, ended: bool) -> Redacted<'a> {
        match self.redact_bytes(text.as_bytes(), ended) {
            Some(bytes) => {
                let text = String::from_utf8(bytes);
                let text = text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
                Redacted { text: Cow::Owned(text), found: true }
            }
            None => Redacted { text: Cow::Borrowed(text), found: false },
        }
    }

    /// Replaces the secrets of bytes, whatever they are. Returns nothing when there are none.
    pub(super) fn redact_bytes(&self, raw: &[u8], ended: bool) -> Option<Vec<u8>> {
        let plain = Plain::new(raw, ended);
        let spans = self.spans(&plain.bytes, ended);
        if spans.is_empty() {
            return None;
        }
        let mut out = Vec::with_capacity(raw.len());
        plain.write(raw, &spans, plain.bytes.len(), MARK.as_bytes(), &mut out);
        out.extend_from_slice(&raw[plain.raw_bytes..]);
        Some(out)
    }

    /// Returns where the secrets of a text without control sequences are, in order, apart from each other.
    pub(super) fn spans(&self, bytes: &[u8], ended: bool) -> Vec<Range<usize>> {
        let mut found = self.rules.triggers.scan(Text { bytes, ended }, 0, true);
        found.spans.extend(found.open.and_then(|open| hidden(bytes, open.hide_from)));
        self.add_patterns(bytes, 0, &mut found.spans);
        found.spans
    }

    /// Looks for the usual secrets in a part of a stream: see [`Triggers::scan`].
    pub(super) fn scan(&self, bytes: &[u8], from: usize, ended: bool) -> Found {
        self.rules.triggers.scan(Text { bytes, ended }, from, false)
    }

    /// Returns how often a rule looks at a complete text.
    #[cfg(test)]
    pub(super) fn looks(&self, bytes: &[u8]) -> usize {
        self.rules.triggers.scan(Text { bytes, ended: true }, 0, true).looks
    }

    pub(super) fn has_patterns(&self) -> bool {
        !self.rules.patterns.is_empty()
    }

    /// Adds what the user's patterns find from `from` on, where a line starts.
    pub(super) fn add_patterns(&self, bytes: &[u8], from: usize, spans: &mut Vec<Range<usize>>) {
        pattern::find(&self.rules.patterns, bytes, from, spans);
        join(spans);
    }
}

/// Returns what of an undecided end must not be shown: the value, not the signs that lead to it.
pub(super) fn hidden(bytes: &[u8], hide_from: usize) -> Option<Range<usize>> {
    let is_sign = |byte: &u8| byte.is_ascii_whitespace() || b":=>?+\\\"'".contains(byte);
    let length = bytes[hide_from..].iter().position(|byte| !is_sign(byte))?;
    let is_marked = bytes[hide_from + length..].starts_with(MARK.as_bytes());
    (!is_marked).then_some(hide_from + length..bytes.len())
}

/// Sorts the ranges and makes one of those that overlap.
fn join(spans: &mut Vec<Range<usize>>) {
    spans.sort_by_key(|span| span.start);
    spans.dedup_by(|next, kept| {
        let overlaps = next.start < kept.end;
        if overlaps {
            kept.end = kept.end.max(next.end);
        }
        overlaps
    });
}
