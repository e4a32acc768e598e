//! Snapshots of output without secrets (S9.4): over soft wraps, over the border of the scrollback, and where a text was cut.

use std::ops::Range;
use std::sync::Arc;

use unicode_width::UnicodeWidthStr;

use crate::model::{Cell, Frame, PtyOutput, Row};
use crate::redact::{self, MARK, Redactor, cover};
use crate::tail::{Tail, TailText};

/// How much before a cut is looked at, in bytes: a secret whose name or beginning was cut off is known by it. The longest private keys fit.
pub(super) const CONTEXT_BYTES: usize = 16 * 1024;

type Ranges = Vec<Range<usize>>;

/// Where a terminal's output is when its secrets are looked for.
pub(super) struct Moment<'a> {
    /// What is shown.
    pub(super) frame: &'a Frame,
    /// Whether the newest line of the scrollback may go on in the first row of the screen.
    pub(super) history_is_open: bool,
    /// Whether the run still writes.
    pub(super) goes_on: bool,
}

/// Covers the secrets in the output of a terminal, and notes that there were some. On screens a secret shows a star a column, in the
/// scrollback a mark.
pub(super) fn cover_output(redactor: &Redactor, output: &mut PtyOutput, moment: &Moment<'_>) {
    let Moment { frame, history_is_open, goes_on } = *moment;
    let lines: Vec<&str> =
        if output.scrollback.is_empty() { Vec::new() } else { output.scrollback.split('\n').collect() };
    let shown = texts(&frame.rows);
    let writing_at = goes_on.then_some(usize::from(frame.cursor.y));
    // What lies between the scrollback and an alternate screen is not seen.
    let joined = history_is_open && !output.alternate_screen;
    let unseen_end = (history_is_open && !joined).then(|| lines.len().saturating_sub(1));
    let history: Vec<redact::Row<'_>> = lines.iter().map(|text| redact::Row { text, soft_wrapped: false }).collect();
    let screen = rows_of(&shown, |row| frame.rows[row].wrapped);
    let mut in_history = redactor.find_in_rows(&history, unseen_end);
    let mut on_screen = redactor.find_in_rows(&screen, writing_at);
    if !lines.is_empty() && !output.alternate_screen {
        // A block of lines, such as a private key, goes on over the border.
        let all = [&history[..], &screen[..]].concat();
        let found = redactor.find_in_rows(&all, writing_at.map(|row| row + lines.len()));
        add(&mut in_history, &found[..lines.len()]);
        add(&mut on_screen, &found[lines.len()..]);
    }
    if let (true, Some(last)) = (joined, lines.last()) {
        let end = frame.rows.iter().position(|row| !row.wrapped).unwrap_or(frame.rows.len() - 1);
        let padded = to_full_rows(last, frame);
        let mut line = vec![redact::Row { text: &padded, soft_wrapped: true }];
        line.extend_from_slice(&screen[..=end]);
        let found = redactor.find_in_rows(&line, writing_at.filter(|row| *row <= end).map(|row| row + 1));
        let before: Vec<Ranges> = vec![found[0].iter().map(|range| clipped(range, last.len())).collect()];
        let at = in_history.len() - 1;
        add(&mut in_history[at..], &before);
        add(&mut on_screen[..=end], &found[1..]);
    }
    let mut found = in_history.iter().chain(&on_screen).any(|ranges| !ranges.is_empty());
    if found {
        let covered: Vec<String> = lines.iter().zip(&in_history).map(|(line, ranges)| marked(line, ranges)).collect();
        output.scrollback = covered.join("\n");
        output.screen = screen_text(shown.iter().zip(&on_screen).map(|(row, ranges)| cover(row, ranges)));
    }
    if let Some(alternate) = &output.last_alternate_screen
        && let Some(covered) = cover_alternate(redactor, alternate, output.cols)
    {
        output.last_alternate_screen = Some(covered);
        found = true;
    }
    let title = redactor.redact(&output.title);
    if title.found {
        output.title = title.text.into_owned();
        found = true;
    }
    output.redacted |= found;
}

/// Covers what an alternate screen showed when it was left. Whether its full rows went on in the next is not known, so both is looked for: a
/// program that wraps by itself is covered, too.
fn cover_alternate(redactor: &Redactor, text: &str, cols: u16) -> Option<String> {
    let rows: Vec<&str> = text.split('\n').collect();
    let is_full = |row: usize| rows[row].width() + 1 >= usize::from(cols);
    let mut found = redactor.find_in_rows(&rows_of(&rows, |_| false), None);
    add(&mut found, &redactor.find_in_rows(&rows_of(&rows, is_full), None));
    let any = found.iter().any(|ranges| !ranges.is_empty());
    any.then(|| screen_text(rows.iter().zip(&found).map(|(row, ranges)| cover(row, ranges))))
}

/// Covers the secrets in a frame, from which a screen is drawn anew: in cells, the title and the addresses of links. `before` is the line
/// of the scrollback that may go on in the first row.
pub(super) fn cover_frame(redactor: &Redactor, frame: &mut Frame, before: Option<&str>) {
    let shown = texts(&frame.rows);
    let rows = rows_of(&shown, |row| frame.rows[row].wrapped);
    let mut found = redactor.find_in_rows(&rows, Some(usize::from(frame.cursor.y)));
    if let Some(before) = before {
        let padded = to_full_rows(before, frame);
        let all = [&[redact::Row { text: &padded, soft_wrapped: true }], &rows[..]].concat();
        add(&mut found, &redactor.find_in_rows(&all, Some(usize::from(frame.cursor.y) + 1))[1..]);
    }
    for (row, ranges) in frame.rows.iter_mut().zip(&found).filter(|(_, ranges)| !ranges.is_empty()) {
        cover_cells(Arc::make_mut(row), ranges);
    }
    let title = redactor.redact(&frame.title);
    if title.found {
        frame.title = title.text.into();
    }
    if frame.links.values().any(|address| redactor.redact(address).found) {
        for address in Arc::make_mut(&mut frame.links).values_mut() {
            *address = (&*redactor.redact(address).text).into();
        }
    }
}

fn cover_cells(row: &mut Row, ranges: &[Range<usize>]) {
    let mut at = 0;
    let mut is_covered = false;
    for cell in &mut row.cells {
        // The second half of a wide character goes with the first.
        if cell.width > 0 {
            is_covered = ranges.iter().any(|range| range.contains(&at));
            at += cell.text.len().max(1);
        }
        if is_covered {
            *cell = Cell { text: "*".into(), width: 1, style: cell.style };
        }
    }
}

/// Returns the text of each row, of one that goes on with its blanks.
fn texts(rows: &[Arc<Row>]) -> Vec<String> {
    let text = |(number, row): (usize, &Arc<Row>)| {
        if !row.wrapped {
            return row.text();
        }
        let shown = row.cells.iter().filter(|cell| cell.width > 0);
        let mut text: String = shown.map(|cell| if cell.text.is_empty() { " " } else { &*cell.text }).collect();
        let next_is_wide = rows.get(number + 1).is_some_and(|next| starts_wide(next));
        if next_is_wide && row.cells.last().is_some_and(|cell| cell.width == 1 && cell.text.is_empty()) {
            // No blank: the wide character did not fit.
            text.pop();
        }
        text
    };
    rows.iter().enumerate().map(text).collect()
}

fn starts_wide(row: &Row) -> bool {
    row.cells.first().is_some_and(|cell| cell.width == 2)
}

/// Fills the last line of the scrollback up to whole rows: it went on behind its blanks, which are not kept.
fn to_full_rows(line: &str, frame: &Frame) -> String {
    let cols = usize::from(frame.size.cols());
    let missing = (cols - line.width() % cols) % cols;
    let is_filler = missing == 1 && frame.rows.first().is_some_and(|row| starts_wide(row));
    format!("{line}{}", " ".repeat(if is_filler { 0 } else { missing }))
}

fn rows_of<S: AsRef<str>>(texts: &[S], wrapped: impl Fn(usize) -> bool) -> Vec<redact::Row<'_>> {
    texts
        .iter()
        .enumerate()
        .map(|(number, text)| redact::Row { text: text.as_ref(), soft_wrapped: wrapped(number) })
        .collect()
}

/// Adds ranges to those of the same rows.
fn add(found: &mut [Ranges], more: &[Ranges]) {
    for (ranges, more) in found.iter_mut().zip(more) {
        ranges.extend(more.iter().filter(|range| !range.is_empty()).cloned());
        ranges.sort_by_key(|range| range.start);
        ranges.dedup_by(|next, kept| {
            let overlaps = next.start <= kept.end;
            if overlaps {
                kept.end = kept.end.max(next.end);
            }
            overlaps
        });
    }
}

fn clipped(range: &Range<usize>, end: usize) -> Range<usize> {
    range.start.min(end)..range.end.min(end)
}

/// Puts a mark in place of each range.
fn marked(text: &str, ranges: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        out.push_str(&text[at..range.start]);
        out.push_str(MARK);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// Joins rows as a screen's text: without trailing blanks and blank rows.
fn screen_text(rows: impl Iterator<Item = String>) -> String {
    let mut text = rows.map(|row| row.trim_end_matches(' ').to_owned()).collect::<Vec<_>>().join("\n");
    text.truncate(text.trim_end_matches('\n').len());
    text
}

/// Returns the end of a stream without its secrets, at most `limit_bytes` from a line start on, and whether there were some.
pub(super) fn tail_text(
    redactor: Option<&Redactor>,
    tail: &Tail,
    limit_bytes: usize,
    goes_on: bool,
) -> (TailText, bool) {
    let Some(redactor) = redactor else { return (tail.text(limit_bytes), false) };
    let TailText { text, truncated } = tail.text(limit_bytes + CONTEXT_BYTES);
    let redacted = if goes_on { redactor.redact_unfinished(&text) } else { redactor.redact(&text) };
    let found = redacted.found;
    let (text, cut) = newest_lines(redacted.text.into_owned(), limit_bytes);
    (TailText { text, truncated: truncated || cut }, found)
}

/// Returns the end of a text from a line start on, or else from a character on, at most `limit_bytes`; and whether something was cut.
pub(super) fn newest_lines(text: String, limit_bytes: usize) -> (String, bool) {
    if text.len() <= limit_bytes {
        return (text, false);
    }
    let from = text.len() - limit_bytes;
    let line =
        memchr::memchr(b'\n', &text.as_bytes()[from.saturating_sub(1)..]).map(|at| from.saturating_sub(1) + at + 1);
    let start = line.filter(|start| *start < text.len()).unwrap_or_else(|| text.ceil_char_boundary(from));
    (text[start..].to_owned(), true)
}

#[cfg(test)]
#[path = "covered_tests.rs"]
mod tests;
