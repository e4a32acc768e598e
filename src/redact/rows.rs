//! Rows of a screen: secrets over soft wraps and over the border of the scrollback.

use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use super::redactor::Redactor;

/// What a column of a secret shows.
const SIGN: char = '*';

/// A row of a screen or of its scrollback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<'a> {
    /// The text of its cells, without control sequences.
    pub text: &'a str,
    /// Whether its line goes on in the next row.
    pub soft_wrapped: bool,
}

impl Redactor {
    /// Returns where the secrets of the rows are: for each row, ranges of bytes of its text, in order.
    ///
    /// Give the scrollback and the screen in one go, the oldest row first: a secret may begin in the one and end in the
    /// other. `writing_at` is the row in which a run that still writes goes on: what may become a secret at its end is
    /// found, too. [`cover`] covers them.
    pub fn find_in_rows(&self, rows: &[Row<'_>], writing_at: Option<usize>) -> Vec<Vec<Range<usize>>> {
        let (before, after) = rows.split_at(writing_at.map_or(0, |at| at + 1).min(rows.len()));
        let mut found = self.find_in_part(before, false);
        found.extend(self.find_in_part(after, true));
        found
    }

    fn find_in_part(&self, rows: &[Row<'_>], ended: bool) -> Vec<Vec<Range<usize>>> {
        let mut joined = Vec::with_capacity(rows.iter().map(|row| row.text.len() + 1).sum());
        let mut starts = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            starts.push(joined.len());
            joined.extend_from_slice(row.text.as_bytes());
            if !row.soft_wrapped && (ended || index + 1 < rows.len()) {
                joined.push(b'\n');
            }
        }
        let mut found = vec![Vec::new(); rows.len()];
        for span in self.spans(&joined, ended) {
            let first = starts.partition_point(|start| *start <= span.start).saturating_sub(1);
            for (index, start) in starts.iter().enumerate().skip(first).take_while(|(_, start)| **start < span.end) {
                let length = rows[index].text.len();
                let range = span.start.max(*start) - start..(span.end - start).min(length);
                if range.start < range.end {
                    found[index].push(range);
                }
            }
        }
        found
    }
}

/// Covers ranges of a row's text in place: it stays as wide as it was, a secret shows a star a column.
pub fn cover(text: &str, ranges: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        if ranges.iter().any(|range| range.contains(&at)) {
            out.extend(std::iter::repeat_n(SIGN, character.width().unwrap_or(0)));
        } else {
            out.push(character);
        }
    }
    out
}
