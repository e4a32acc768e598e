//! Fast-forward: of a flood of lines only the last can be seen.
//!
//! While the main screen scrolls as a whole, all but the last lines of a chunk leave the screen again before anybody can
//! look. They go into the history in bulk, and the grid draws only the last ones. The outcome is the same, cell for cell, as
//! drawing everything; a property test holds both against each other.

use super::line::{FILLER_MARK, REPLACEMENT_MARK, width_of};
use super::links::Links;
use super::parser::{Parser, text_end};
use super::skipped::Lines;
use super::terminal::Terminal;
use crate::model::Color;

/// Fewer lines than this are not worth a skip.
const MIN_SKIPPED_LINES: usize = 8;

/// A chunk shorter than this, in bytes, is drawn at once.
const MIN_BYTES: usize = 512;

/// When a stretch cannot be skipped, this much is drawn before the next try, in bytes, and twice as much each time that fails again.
const STEP_BYTES: usize = 256;
const MAX_STEP_BYTES: usize = 4096;

/// Feeds a chunk, skipping what cannot be seen.
pub(super) fn feed(parser: &mut Parser, terminal: &mut Terminal, bytes: &[u8]) {
    let mut rest = bytes;
    let mut step = STEP_BYTES;
    while !rest.is_empty() {
        let mut now = rest.len();
        if rest.len() >= MIN_BYTES {
            now = if parser.is_idle() && terminal.scrolls_plainly() {
                let stretch = plain_stretch(&rest[..rest.len().min(MAX_STRETCH_BYTES)], terminal.returns());
                let taken = terminal.skip(parser, stretch.text, stretch.lines);
                rest = &rest[taken..];
                step = if taken > 0 { STEP_BYTES } else { (2 * step).min(MAX_STEP_BYTES) };
                // What follows the stretch ends it, so it is drawn before the next try.
                (stretch.text.len() - taken + step).min(rest.len())
            } else {
                STEP_BYTES.max(rest.len() / 64)
            };
        }
        let (drawn, later) = rest.split_at(now.min(rest.len()));
        parser.advance(drawn, terminal);
        rest = later;
    }
}

/// The longest stretch that is looked for, in bytes: few enough for the links in it.
const MAX_STRETCH_BYTES: usize = 256 * 1024;

/// The longest title or link in a stretch, in bytes.
const MAX_COMMAND_BYTES: usize = 2048;

/// A stretch of nothing but text, TAB, SGR, EL to the right, `ESC ( B`, titles, links, progress, and CR LF.
pub(super) struct Stretch<'a> {
    pub(super) text: &'a str,
    pub(super) lines: usize,
}

pub(super) fn plain_stretch(bytes: &[u8], returns: bool) -> Stretch<'_> {
    let stretch = &bytes[..plain_bytes(bytes, returns)];
    // Only now, so that the work is in proportion to the stretch, not to what comes after it.
    let text = match std::str::from_utf8(stretch) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&stretch[..error.valid_up_to()]).unwrap_or_default(),
    };
    Stretch { text, lines: memchr::memchr_iter(b'\n', text.as_bytes()).count() }
}

/// How far ahead is looked for C1 controls, in bytes: once for many of the short texts between colours.
const C1_AHEAD_BYTES: usize = 4096;

/// Returns how far a stretch goes, as far as its controls tell.
fn plain_bytes(bytes: &[u8], returns: bool) -> usize {
    let (mut at, mut free_of_c1) = (0, 0);
    loop {
        let end = at + text_end(&bytes[at..]);
        if end > free_of_c1 {
            let ahead = (end + C1_AHEAD_BYTES).min(bytes.len());
            if first_c1(&bytes[at..ahead]).is_none() {
                free_of_c1 = ahead;
            } else if let Some(c1) = first_c1(&bytes[at..end]) {
                return at + c1;
            }
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
            [0x1b, b']', ref after @ ..] => command_bytes(after).map_or(0, |length| 2 + length),
            _ => 0,
        };
        if step == 0 {
            return end;
        }
        at = end + step;
    }
}

/// Returns the length, with its end, of an OSC that only a look can tell of: a title, a link, progress. Others signal or ask something.
fn command_bytes(after: &[u8]) -> Option<usize> {
    if !is_quiet(after) {
        return None;
    }
    let length = after.iter().take(MAX_COMMAND_BYTES).position(|&b| is_command_end(b))?;
    match after[length..] {
        [0x07, ..] => Some(length + 1),
        [0x1b, b'\\', ..] => Some(length + 2),
        _ => None,
    }
}

/// How they begin.
const QUIET_COMMANDS: [&[u8]; 5] = [b"0;", b"1;", b"2;", b"8;", b"9;4;"];

fn is_quiet(command: &[u8]) -> bool {
    QUIET_COMMANDS.iter().any(|start| command.starts_with(start))
}

/// Returns whether a byte ends an OSC or may do so: a control, or the last byte of an eight-bit ST.
fn is_command_end(byte: u8) -> bool {
    byte < 0x20 || byte == 0x7f || byte == 0x9c
}

/// Returns whether bytes may yet become part of a plain stretch, once more has come.
pub(super) fn is_unfinished(bytes: &[u8]) -> bool {
    match bytes {
        [] | [0x1b] | [0x1b, b'('] => true,
        [0x1b, b'[', after @ ..] => after.iter().all(|b| matches!(b, b'0'..=b';')),
        [b'\r', after @ ..] => after.iter().all(|&b| b == b'\r'),
        [0x1b, b']', after @ ..] => {
            let command = after.strip_suffix(b"\x1b").unwrap_or(after);
            let is_begun = QUIET_COMMANDS.iter().any(|start| start.starts_with(command));
            is_begun || is_quiet(command) && !command.iter().any(|&b| is_command_end(b))
        }
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

/// Returns whether all links that a text begins and does not end at once can be kept.
fn has_room_for_links(links: &Links, text: &str) -> bool {
    let count = |what: &[u8]| memchr::memmem::find_iter(text.as_bytes(), what).count();
    let begun = count(b"\x1b]8;");
    begun == 0 || links.has_room_for(begun.saturating_sub(count(b"\x1b]8;;\x1b") + count(b"\x1b]8;;\x07")))
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
    pub(super) fn skip(&mut self, parser: &mut Parser, text: &str, lines: usize) -> usize {
        let Some((begun, mut skipped)) = self.begin_skip(parser, text, lines) else { return 0 };
        let later = &text[begun..];
        let taken = self.go_on_skipping(&mut skipped, later, memchr::memchr_iter(b'\n', later.as_bytes()).count());
        self.end_skip(skipped);
        begun + taken.unwrap_or(0)
    }

    /// Begins to skip a stretch of so many lines: everything that is shown goes into the history. Returns how many bytes were drawn for that,
    /// and what goes on with those behind them; none when little is to be gained.
    ///
    /// Until [`end_skip`](Terminal::end_skip) the terminal shows nothing that is true.
    pub(super) fn begin_skip(&mut self, parser: &mut Parser, text: &str, lines: usize) -> Option<(usize, Lines)> {
        let rows = usize::from(self.size.rows());
        if lines < rows + MIN_SKIPPED_LINES || !has_room_for_links(&self.links, text) {
            return None;
        }
        // Up to the line that starts where the last row came in fresh.
        let at_bottom = usize::from(self.grid.place().row) == rows - 1;
        let drawn_lines = if at_bottom { 1 } else { rows };
        if lines < drawn_lines + rows - 1 + MIN_SKIPPED_LINES {
            return None;
        }
        let drawn = after_lines(text.as_bytes(), drawn_lines)?;
        parser.advance(&text.as_bytes()[..drawn], self);
        let place = self.grid.place();
        debug_assert_eq!((usize::from(place.row), place.col), (rows - 1, 0), "the last row came in fresh");

        // The rows above go the way of all rows.
        self.grid.csi(self.size.rows() - 1, b'S');
        self.grid.flush();
        Some((drawn, Lines::after(self)))
    }

    /// Takes those of the next lines of a stretch, of which there are `lines`, that cannot be seen when no more come. Returns how many bytes that were;
    /// none when the rest has to be drawn.
    pub(super) fn go_on_skipping(&mut self, skipped: &mut Lines, text: &str, lines: usize) -> Option<usize> {
        let unseen = lines.saturating_sub(self.lines_in_view());
        if unseen == 0 {
            return Some(0);
        }
        let text = &text[..after_lines(text.as_bytes(), unseen)?];
        // When links have to be forgotten, it matters which are shown.
        if !has_room_for_links(&skipped.links, text) {
            return None;
        }
        skipped.take(text, unseen, self.grid.history());
        for command in [skipped.title.take(), skipped.progress.take()].into_iter().flatten() {
            self.operating_system_command(command.as_bytes(), true);
        }
        Some(text.len())
    }

    /// Returns how many line ends have to be drawn behind a skip, so that nothing else is on the screen.
    pub(super) fn lines_in_view(&self) -> usize {
        usize::from(self.size.rows()) - 1
    }

    /// Ends a skip: the lines in view are to be drawn now.
    pub(super) fn end_skip(&mut self, skipped: Lines) {
        self.style = skipped.style;
        self.last_character = None;
        self.links = skipped.links;
        self.grid.behind().restart(true);
        // As many rows scroll off blank as there are above the last one; they stand for what is in the history already.
        self.grid.clear_pretending(self.lines_in_view(), skipped.fill);
    }

    /// Takes the part of a text that cannot be seen once all of it is drawn: of a line that goes on for many screens only the end can.
    /// Returns how many bytes were taken; the rest must be drawn before anybody looks.
    pub(super) fn skip_text(&mut self, text: &str) -> usize {
        let (cols, rows) = (usize::from(self.size.cols()), usize::from(self.size.rows()));
        if text.len() < (2 * rows + MIN_SKIPPED_LINES) * cols || !self.scrolls_plainly() {
            return 0;
        }
        // Drawn up to the end of a last row that is all of this text, as the row above it is, which therefore goes on in it.
        let place = self.grid.place();
        let room = if place.wraps { 0 } else { self.size.cols() - place.col };
        let below = rows - 1 - usize::from(place.row);
        let Some(starts) = row_starts(text, room, self.size.cols()) else { return 0 };
        let last = below + 2;
        // From the row after it to as many before the end as the screen has.
        let Some(end) = starts.len().checked_sub(rows).filter(|&end| end > last + MIN_SKIPPED_LINES) else { return 0 };
        let (from, drawn, to) = (starts[last - 1], starts[last], starts[end]);
        self.draw_by_rows(&text[..drawn]);

        self.grid.csi(self.size.rows() - 1, b'S');
        let history = self.grid.history();
        history.begin_row();
        if text.is_ascii() {
            history.push_ascii(&text[from..to], self.style);
        } else {
            // In parts whose columns a row's number can count.
            for pair in starts[last - 1..=end].windows(2) {
                let part = &text[pair[0]..pair[1]];
                let cols = part.chars().map(width_of).sum();
                history.push_characters(part, cols, self.style);
            }
        }
        self.grid.behind().restart(false);
        self.grid.clear_pretending(rows - 1, Color::Default);
        self.apply_style();
        to
    }
}

/// Returns where the rows start that a text fills after the rest of the present one, `room` columns; none when marks or what the grid must
/// not get are in it.
fn row_starts(text: &str, room: u16, cols: u16) -> Option<Vec<usize>> {
    let step = usize::from(cols);
    if text.is_ascii() {
        return Some((usize::from(room)..text.len()).step_by(step).collect());
    }
    let mut starts = Vec::with_capacity(text.len() / step);
    let mut left = room;
    for (at, character) in text.char_indices() {
        let width = width_of(character);
        if width == 0 || matches!(character, REPLACEMENT_MARK | FILLER_MARK) {
            return None;
        }
        left = match left.checked_sub(width) {
            Some(left) => left,
            None => {
                starts.push(at);
                cols - width
            }
        };
    }
    Some(starts)
}
