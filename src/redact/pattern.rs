//! The user's own patterns.

use std::ops::Range;

use regex::bytes::{Regex, RegexBuilder};

use super::redactor::MARK;
use super::text::is_line_end;

/// The most patterns: each costs a search of every line.
pub const MAX_PATTERNS: usize = 64;
/// The most bytes of a pattern.
pub const MAX_PATTERN_BYTES: usize = 1024;
/// The bytes that a pattern may take when it is compiled.
const MAX_COMPILED_BYTES: usize = 1 << 20;
/// The longest match that is found wherever it is on a line of any length.
pub(super) const MAX_MATCH_BYTES: usize = 4096;
/// The bytes that are searched in one go. Matching may cost the square of it, so it is not the line.
const WINDOW_BYTES: usize = 2 * MAX_MATCH_BYTES;

/// What is wrong with a user's pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// There are too many.
    #[error("{count} patterns are more than {MAX_PATTERNS}")]
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// A pattern is too long.
    #[error("pattern {number} `{start}…` has {bytes} bytes, more than {MAX_PATTERN_BYTES}")]
    TooLong {
        /// Its place in the list, from 1.
        number: usize,
        /// Its first letters.
        start: String,
        /// Its length.
        bytes: usize,
    },
    /// A pattern is no regular expression, or one too large.
    #[error("pattern {number} `{pattern}`: {reason}")]
    Invalid {
        /// Its place in the list, from 1.
        number: usize,
        /// The pattern.
        pattern: String,
        /// What the parser says.
        reason: String,
    },
    /// A pattern matches where nothing is, so it would match everywhere.
    #[error("pattern {number} `{pattern}` matches the empty text")]
    MatchesEmpty {
        /// Its place in the list, from 1.
        number: usize,
        /// The pattern.
        pattern: String,
    },
}

/// A pattern, ready to search.
#[derive(Debug)]
pub(super) struct Pattern {
    regex: Regex,
    /// Which group is the secret; 0 is the whole match.
    group: usize,
}

/// Compiles the patterns of a list.
pub(super) fn compile(patterns: &[String]) -> Result<Vec<Pattern>, PatternError> {
    if patterns.len() > MAX_PATTERNS {
        return Err(PatternError::TooMany { count: patterns.len() });
    }
    patterns.iter().enumerate().map(|(index, pattern)| Pattern::new(index + 1, pattern)).collect()
}

impl Pattern {
    pub(super) fn new(number: usize, pattern: &str) -> Result<Pattern, PatternError> {
        if pattern.len() > MAX_PATTERN_BYTES {
            let start = pattern.chars().take(32).collect();
            return Err(PatternError::TooLong { number, start, bytes: pattern.len() });
        }
        let built =
            RegexBuilder::new(pattern).size_limit(MAX_COMPILED_BYTES).dfa_size_limit(MAX_COMPILED_BYTES).build();
        let regex = built.map_err(|error| PatternError::Invalid {
            number,
            pattern: pattern.to_owned(),
            reason: last_line(&error.to_string()),
        })?;
        if regex.is_match(b"") {
            return Err(PatternError::MatchesEmpty { number, pattern: pattern.to_owned() });
        }
        let named = regex.capture_names().position(|name| name == Some("secret"));
        let group = named.unwrap_or(usize::from(regex.captures_len() > 1));
        Ok(Pattern { regex, group })
    }

    /// Adds what the pattern finds in `line`, which starts at `offset`.
    fn find(&self, line: &[u8], offset: usize, spans: &mut Vec<Range<usize>>) {
        let mut start = 0;
        loop {
            let window = &line[start..line.len().min(start + WINDOW_BYTES)];
            // Only a pattern with groups pays for finding them.
            if self.group == 0 {
                spans.extend(self.regex.find_iter(window).map(|found| shifted(found.range(), offset + start)));
            } else if self.regex.is_match(window) {
                for found in self.regex.captures_iter(window) {
                    // A group that took no part: the whole match, rather too much than too little.
                    let secret = found.get(self.group).or_else(|| found.get(0)).map(|secret| secret.range());
                    spans.extend(secret.map(|range| shifted(range, offset + start)));
                }
            }
            if start + WINDOW_BYTES >= line.len() {
                return;
            }
            start += WINDOW_BYTES - MAX_MATCH_BYTES;
        }
    }
}

fn shifted(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

fn last_line(message: &str) -> String {
    let last = message.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or(message);
    last.trim_start_matches("error: ").to_owned()
}

/// Adds what the patterns find, line by line, in the text from `from` on.
pub(super) fn find(patterns: &[Pattern], bytes: &[u8], from: usize, spans: &mut Vec<Range<usize>>) {
    if patterns.is_empty() {
        return;
    }
    let first = spans.len();
    let mut start = from;
    for line in bytes[from..].split(|byte| is_line_end(*byte)) {
        patterns.iter().for_each(|pattern| pattern.find(line, start, spans));
        start += line.len() + 1;
    }
    for span in &mut spans[first..] {
        *span = whole_characters(bytes, span);
    }
    let mut index = 0;
    spans.retain(|span| {
        index += 1;
        index <= first || !span.is_empty() && !is_within_mark(bytes, span)
    });
}

/// Widens a range so that it does not cut a character.
fn whole_characters(bytes: &[u8], span: &Range<usize>) -> Range<usize> {
    let is_inner = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let (mut start, mut end) = (span.start, span.end);
    while start > 0 && span.start - start < 3 && is_inner(start) {
        start -= 1;
    }
    while end - span.end < 3 && is_inner(end) {
        end += 1;
    }
    start..end
}

/// Returns whether a range lies within a mark that stands in the text already.
fn is_within_mark(bytes: &[u8], span: &Range<usize>) -> bool {
    let around = span.start.saturating_sub(MARK.len())..bytes.len().min(span.end + MARK.len());
    let offset = around.start;
    memchr::memmem::find_iter(&bytes[around], MARK.as_bytes())
        .any(|at| at + offset <= span.start && span.end <= at + offset + MARK.len())
}
