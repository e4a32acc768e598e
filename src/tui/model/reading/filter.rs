//! Showing only the lines that match, or only those that do not.

use regex::Regex;

use super::scan::Scan;
use super::{Pattern, Text};

/// A filter and the rows that it shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filter {
    pub(crate) pattern: Pattern,
    /// Whether the lines that do not match are shown.
    pub(crate) negated: bool,
    regex: Option<Regex>,
    rows: Scan<u64>,
}

impl Filter {
    /// Makes a filter of what was typed, with `!` before what is not to match; none of nothing.
    ///
    /// # Errors
    /// Why it is no regular expression.
    pub(crate) fn new(mut pattern: Pattern) -> Result<Option<Filter>, String> {
        let negated = pattern.text.starts_with('!');
        if negated {
            pattern.text.remove(0);
        }
        let Some(regex) = pattern.compile()? else { return Ok(None) };
        Ok(Some(Filter { pattern, negated, regex: Some(regex), rows: Scan::default() }))
    }

    /// The same for another text.
    pub(crate) fn anew(self) -> Filter {
        Filter { rows: Scan::default(), ..self }
    }

    /// Whether a line is shown.
    pub(crate) fn takes(&self, line: &str) -> bool {
        self.regex.as_ref().is_none_or(|regex| regex.is_match(line) != self.negated)
    }

    pub(crate) fn update(&mut self, text: &Text) {
        let (regex, negated) = (&self.regex, self.negated);
        self.rows.update(
            text,
            |row| *row,
            |line, rows| {
                if regex.as_ref().is_none_or(|regex| regex.is_match(&line.text) != negated) {
                    rows.extend(line.rows());
                }
            },
        );
    }

    /// How many rows it shows.
    pub(crate) fn count(&self) -> usize {
        self.rows.len()
    }

    /// How many of its rows are above a row.
    pub(crate) fn above(&self, row: u64) -> usize {
        self.rows.partition_point(|shown| *shown < row)
    }

    /// The number of the row at a place among those that it shows; of the last one behind the end.
    pub(crate) fn row(&self, place: usize) -> Option<u64> {
        self.rows.get(place.min(self.rows.len().saturating_sub(1))).copied()
    }

    /// The rows that it shows from a place on.
    pub(crate) fn rows_from(&self, place: usize) -> impl Iterator<Item = u64> {
        self.rows.iter_from(place).copied()
    }

    /// The filter as it is typed.
    pub(crate) fn typed(&self) -> String {
        format!("{}{}", if self.negated { "!" } else { "" }, self.pattern.text)
    }
}
