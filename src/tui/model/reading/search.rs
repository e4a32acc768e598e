//! A search in the rows of a run.

use regex::Regex;

use super::scan::Scan;
use super::{Filter, Pattern, Point, Text};

/// Where something was found: from a cell up to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) start: Point,
    /// The last cell and one more.
    pub(crate) end: Point,
    /// The first row of its line.
    line: u64,
}

impl Hit {
    /// The columns of a row that it covers.
    pub(crate) fn cols(&self, row: u64) -> Option<(u16, u16)> {
        if !(self.start.row..=self.end.row).contains(&row) {
            return None;
        }
        let from = if row == self.start.row { self.start.col } else { 0 };
        let to = if row == self.end.row { self.end.col } else { u16::MAX };
        Some((from, to))
    }
}

/// A search and what it has found so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Search {
    pub(crate) pattern: Pattern,
    regex: Option<Regex>,
    /// Why the pattern is none.
    pub(crate) error: Option<String>,
    hits: Scan<Hit>,
    /// Where the hit is that the user is at.
    pub(crate) current: Option<Point>,
    /// The row from which on the first hit is gone to as soon as it is found.
    pub(crate) first_from: Option<u64>,
    /// The hit to go to as soon as it is found: the nearest at or above this row.
    pub(crate) wanted: Option<u64>,
}

impl Search {
    pub(crate) fn new(pattern: Pattern) -> Search {
        let (regex, error) = match pattern.compile() {
            Ok(regex) => (regex, None),
            Err(why) => (None, Some(why)),
        };
        Search { pattern, regex, error, ..Search::default() }
    }

    /// Takes in what has changed in the text. With a filter, only lines that it shows count.
    pub(crate) fn update(&mut self, text: &Text, filter: Option<&Filter>) {
        let Some(regex) = &self.regex else { return };
        self.hits.update(
            text,
            |hit| hit.start.row,
            |line, hits| {
                if filter.is_some_and(|filter| !filter.takes(&line.text)) {
                    return;
                }
                let first = line.rows().next().unwrap_or_default();
                for found in regex.find_iter(&line.text).filter(|found| !found.is_empty()) {
                    let start = line.point(found.start());
                    // The end may be that of a row, which is where the next one begins.
                    let last = line.point(found.end() - found.as_str().chars().next_back().map_or(1, char::len_utf8));
                    let col = text.row(last.row).map_or(last.col + 1, |row| row.behind(last.col));
                    hits.push(Hit { start, end: Point { row: last.row, col }, line: first });
                }
            },
        );
    }

    /// Forgets what was found, not what is looked for.
    pub(crate) fn again(&mut self) {
        self.hits = Scan::default();
    }

    pub(crate) fn count(&self) -> usize {
        self.hits.len()
    }

    /// How many lines have hits: from the first row on, and above the end where there is one.
    pub(crate) fn lines_between(&self, first: u64, end: Option<u64>) -> usize {
        let skipped = self.hits.partition_point(|hit| hit.line < first);
        let rest = self.hits.iter_from(skipped).map(|hit| hit.line);
        let mut lines: Vec<u64> = rest.take_while(|line| end.is_none_or(|end| *line < end)).collect();
        lines.dedup();
        lines.len()
    }

    /// The number of the current hit, from 1; none when it is not there any more.
    pub(crate) fn number(&self) -> Option<usize> {
        let at = self.current?;
        let index = self.hits.partition_point(|hit| hit.start < at);
        self.hits.get(index).filter(|hit| hit.start == at).map(|_| index + 1)
    }

    /// The nearest hit at or above a row, or else the first below it.
    pub(crate) fn nearest(&self, row: u64) -> Option<Hit> {
        let index = self.hits.partition_point(|hit| hit.start.row <= row);
        self.hits.get(index.saturating_sub(1)).copied()
    }

    /// The first hit from a row on.
    pub(crate) fn first(&self, row: u64) -> Option<Hit> {
        self.hits.get(self.hits.partition_point(|hit| hit.start.row < row)).copied()
    }

    /// The next hit in a direction from a cell, and whether it was reached by way of the other end.
    pub(crate) fn next(&self, from: Point, is_down: bool) -> Option<(Hit, bool)> {
        let count = self.hits.len();
        let index = if is_down {
            self.hits.partition_point(|hit| hit.start <= from)
        } else {
            self.hits.partition_point(|hit| hit.start < from).checked_sub(1).unwrap_or(count)
        };
        let (index, wrapped) = match (index < count, is_down) {
            (true, _) => (index, false),
            (false, true) => (0, true),
            (false, false) => (count.checked_sub(1)?, true),
        };
        self.hits.get(index).map(|hit| (*hit, wrapped))
    }

    /// The hits on a row, in their order.
    pub(crate) fn on_row(&self, row: u64) -> impl Iterator<Item = Hit> {
        let first = self.hits.partition_point(|hit| hit.end.row < row);
        self.hits.iter_from(first).take_while(move |hit| hit.start.row <= row).copied()
    }
}
