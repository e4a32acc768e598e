//! Fast-forward: of a flood of lines only the last can be seen.
//!
//! While the main screen scrolls as a whole, all but the last lines of a chunk leave the screen again before anybody can
//! look. They go into the history in bulk, and the grid draws only the last ones. The outcome is the same, cell for cell, as
//! drawing everything; a property test holds both against each other.

use super::parser::{Parser, text_end};
use super::skipped::Lines;
use super::terminal::Terminal;
use crate::model::Color;

/// Fewer lines than this are not worth a skip.
const MIN_SKIPPED_LINES: usize = 8;

/// A chunk shorter than this, in bytes, is drawn at once.
const MIN_BYTES: usize = 512;

/// When a stretch cannot be skipped, this much is drawn before the next try, in bytes.
const STEP_BYTES: usize = 256;

/// Feeds a chunk, skipping what cannot be seen.
pub(super) fn feed(parser: &mut Parser, terminal: &mut Terminal, bytes: &[u8]) {
    let mut rest = bytes;
    while !rest.is_empty() {
        let mut now = rest.len();
        if rest.len() >= MIN_BYTES {
            now = if parser.is_idle() && terminal.scrolls_plainly() {
                let stretch = plain_stretch(rest, terminal.returns());
                let taken = terminal.skip(parser, &rest[..stretch.bytes], stretch.lines);
                rest = &rest[taken..];
                // What follows the stretch ends it, so it is drawn before the next try.
                (stretch.bytes - taken + STEP_BYTES).min(rest.len())
            } else {
                STEP_BYTES.max(rest.len() / 64)
            };
        }
        let (drawn, later) = rest.split_at(now.min(rest.len()));
        parser.advance(drawn, terminal);
        rest = later;
    }
}

/// A stretch of nothing but text, TAB, SGR, EL to the right, `ESC ( B`, and CR LF.
pub(super) struct Stretch {
    pub(super) bytes: usize,
    pub(super) lines: usize,
}

pub(super) fn plain_stretch(bytes: &[u8], returns: bool) -> Stretch {
    let stretch = &bytes[..plain_bytes(bytes, returns)];
    // Only now, so that the work is in proportion to the stretch, not to what comes after it.
    let valid = std::str::from_utf8(stretch).map_or_else(|error| error.valid_up_to(), str::len);
    Stretch { bytes: valid, lines: memchr::memchr_iter(b'\n', &stretch[..valid]).count() }
}

/// Returns how far a stretch goes, as far as its controls tell.
fn plain_bytes(bytes: &[u8], returns: bool) -> usize {
    let mut at = 0;
    loop {
        let end = at + text_end(&bytes[at..]);
        if let Some(c1) = first_c1(&bytes[at..end]) {
            return at + c1;
        }
        let step = match bytes[end..] {
            [b'\t', ..] => 1,
            [b'\n', ..] if returns => 1,
            [b'\r', ref after @ ..] => match after.iter().position(|&b| b != b'\r') {
                Some(more) if after[more] == b'\n' => more + 2,
                _ => 0,
            },
            [0x1b, b'[', ref after @ ..] => match after.iter().position(|b| !matches!(b, b'0'..=b';')) {
                Some(length) if after[length] == b'm' => length + 3,
                Some(0) if after[0] == b'K' => 3,
                Some(1) if after[..2] == *b"0K" => 4,
                _ => 0,
            },
            [0x1b, b'(', b'B', ..] => 3,
            _ => 0,
        };
        if step == 0 {
            return end;
        }
        at = end + step;
    }
}

/// Returns whether bytes may yet become part of a plain stretch, once more has come.
pub(super) fn is_unfinished(bytes: &[u8]) -> bool {
    match bytes {
        [] | [0x1b] | [0x1b, b'('] => true,
        [0x1b, b'[', after @ ..] => after.iter().all(|b| matches!(b, b'0'..=b';')),
        [b'\r', after @ ..] => after.iter().all(|&b| b == b'\r'),
        _ => std::str::from_utf8(bytes).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none()),
    }
}

/// Returns where the first C1 control of a text is.
pub(super) fn first_c1(text: &[u8]) -> Option<usize> {
    memchr::memchr_iter(0xc2, text).find(|&at| text.get(at + 1).is_some_and(|&next| next < 0xa0))
}

/// Returns where the line after the `count`th line feed starts.
fn after_lines(bytes: &[u8], count: usize) -> Option<usize> {
    memchr::memchr_iter(b'\n', bytes).nth(count.checked_sub(1)?).map(|at| at + 1)
}

impl Terminal {
    /// Returns whether text scrolls the whole main screen and does nothing else.
    pub(super) fn scrolls_plainly(&self) -> bool {
        let rows = self.size.rows();
        !self.modes.alternate_screen
            && rows > 1
            && self.margins == (0, rows - 1)
            && !self.has_sides()
            && self.autowrap
            && !self.insert
            && self.charsets.is_initial()
            && self.tabs.are_default()
    }

    /// Returns whether a line feed goes to the first column.
    pub(super) fn returns(&self) -> bool {
        self.modes.newline || self.raw_newlines
    }

    /// Takes the lines of a stretch that cannot be seen once the whole stretch is drawn. Returns how many bytes were taken;
    /// at least the rest of the stretch must be drawn before anybody looks. Takes nothing when little is to be gained.
    pub(super) fn skip(&mut self, parser: &mut Parser, bytes: &[u8], lines: usize) -> usize {
        let rows = usize::from(self.size.rows());
        if lines < rows + MIN_SKIPPED_LINES {
            return 0;
        }
        // The line that starts where the last row came in fresh.
        let at_bottom = usize::from(self.grid.place().row) == rows - 1;
        let drawn_lines = if at_bottom { 1 } else { rows };
        let skipped_lines = lines.saturating_sub(drawn_lines + rows - 1);
        if skipped_lines < MIN_SKIPPED_LINES {
            return 0;
        }
        let Some(start) = after_lines(bytes, drawn_lines) else { return 0 };
        let Some(length) = after_lines(&bytes[start..], skipped_lines) else { return 0 };
        parser.advance(&bytes[..start], self);
        let place = self.grid.place();
        debug_assert_eq!((usize::from(place.row), place.col), (rows - 1, 0), "the last row came in fresh");

        // The rows above go the way of all rows.
        self.grid.csi(self.size.rows() - 1, b'S');
        let mut lines = Lines::after(self);
        let history = self.grid.history();
        let skipped = std::str::from_utf8(&bytes[start..start + length]).expect("a plain stretch is valid text");
        lines.take(skipped, skipped_lines, history);
        self.style = lines.style;
        self.last_character = lines.last;
        self.grid.behind().restart(true);

        // As many rows scroll off blank as there are above the last one; they stand for what is in the history already.
        self.grid.clear_pretending(rows - 1, lines.fill);
        start + length
    }

    /// Takes the part of a text that cannot be seen once all of it is drawn: of a line that goes on for many screens only the end can.
    /// Returns how many bytes were taken; the rest must be drawn before anybody looks.
    pub(super) fn skip_text(&mut self, text: &str) -> usize {
        let (cols, rows) = (usize::from(self.size.cols()), usize::from(self.size.rows()));
        if text.len() < (2 * rows + MIN_SKIPPED_LINES) * cols || !text.is_ascii() || !self.scrolls_plainly() {
            return 0;
        }
        // Drawn up to the end of a last row that is all of this text.
        let place = self.grid.place();
        let room = if place.wraps { 0 } else { cols - usize::from(place.col) };
        let below = rows - 1 - usize::from(place.row);
        let drawn = room + below.max(1) * cols;
        let skipped = (text.len() - drawn - (rows - 1) * cols - 1) / cols * cols;
        self.grid.put_text(&text[..drawn]);

        self.grid.csi(self.size.rows() - 1, b'S');
        self.grid.history().push_ascii(&text[drawn - cols..drawn + skipped], self.style);
        self.grid.behind().restart(false);
        self.grid.clear_pretending(rows - 1, Color::Default);
        self.apply_style();
        drawn + skipped
    }
}
