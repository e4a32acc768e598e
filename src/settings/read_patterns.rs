//! Reading the user's patterns of secrets: each is tried at once, so that a fault is told with its place.

use super::reader::Value;
use crate::redact::{MAX_PATTERNS, PatternError, Redactor};

/// Adds the patterns of a list, those that are sound.
pub(super) fn read_patterns(value: &Value<'_, '_>, patterns: &mut Vec<String>) {
    let Some(items) = value.placed_texts() else { return };
    for (index, (place, pattern)) in items.into_iter().enumerate() {
        if patterns.len() == MAX_PATTERNS {
            return value.fault_at(&place, format!("more than {MAX_PATTERNS} patterns"), "join some with `|`");
        }
        match Redactor::check_pattern(index + 1, pattern) {
            Ok(()) => patterns.push(pattern.to_owned()),
            Err(error) => value.fault_at(&place, error.to_string(), hint(&error)),
        }
    }
}

fn hint(error: &PatternError) -> &'static str {
    match error {
        PatternError::Invalid { .. } => {
            "write it in single quotes ('\\d+'), where a backslash stays one; look-around and back-references are not known"
        }
        PatternError::MatchesEmpty { .. } => "it would match everywhere: use `+` in place of `*`",
        PatternError::TooLong { .. } | PatternError::TooMany { .. } => "make several patterns of it",
    }
}
