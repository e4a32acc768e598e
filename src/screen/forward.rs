//! Fast-forward: of a flood of lines only the last can be seen.
//!
//! While the main screen scrolls as a whole, all but the last lines of a chunk leave the screen again before anybody can
//! look. They go into the history in bulk, and the grid draws only the last ones. The outcome is the same, cell for cell, as
//! drawing everything; a property test holds both against each other.

use super::history::{History, MAX_LINE_BYTES};
use super::line::width_of;
use super::parser::{Parser, text_end};
use super::sequence::Csi;
use super::terminal::Terminal;
use crate::model::{Color, Style};

/// Fewer lines than this are not worth a skip.
const MIN_SKIPPED_LINES: usize = 8;

/// A chunk shorter than this, in bytes, is drawn at once.
const MIN_BYTES: usize = 512;

/// When a stretch cannot be skipped, this much is drawn before the next try, in bytes.
const STEP_BYTES: usize = 256;

/// A cell takes marks as long as it holds fewer bytes than this; the grid's limit.
const MAX_CELL_BYTES: usize = 18;

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
    let valid = match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        Err(error) => error.valid_up_to(),
    };
    let bytes = &bytes[..valid];
    let (mut at, mut lines) = (0, 0);
    loop {
        let end = at + text_end(&bytes[at..]);
        if let Some(c1) = first_c1(&bytes[at..end]) {
            return Stretch { bytes: at + c1, lines };
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
            return Stretch { bytes: end, lines };
        }
        at = end + step;
        lines += usize::from(bytes[at - 1] == b'\n');
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
        let background = self.style.background;
        let mut lines = Lines {
            csi: Csi::default(),
            style: self.style,
            fill: background,
            last: self.last_character,
            cols: self.size.cols(),
            default_foreground: self.default_foreground,
        };
        let history = self.grid.history();
        lines.take(&bytes[start..start + length], skipped_lines, history);
        self.style = lines.style;
        self.last_character = lines.last;
        self.grid.behind().restart(true);

        // As many rows scroll off blank as there are above the last one; they stand for what is in the history already.
        self.grid.clear_pretending(rows - 1, lines.fill);
        start + length
    }
}

/// Lines that go into the history without being drawn.
struct Lines {
    csi: Csi,
    style: Style,
    /// The background of the row that came in last.
    fill: Color,
    last: Option<char>,
    cols: u16,
    default_foreground: Color,
}

/// Where the text of one line has come to.
struct Pen {
    col: u16,
    /// Bytes in the cell before the cursor.
    cell_bytes: usize,
    /// Columns before the cursor that nothing was drawn in; they count only when something follows.
    gap: u16,
}

impl Lines {
    fn take(&mut self, bytes: &[u8], count: usize, history: &mut History) {
        let mut unkept = count.saturating_sub(history.max_lines());
        let mut rest = bytes;
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            let (line, later) = rest.split_at(end);
            rest = later;
            let body = &line[..line.iter().rposition(|b| !matches!(b, b'\r' | b'\n')).map_or(0, |at| at + 1)];
            if unkept > 0 {
                unkept -= 1;
                if self.pass(body, history) {
                    continue;
                }
            }
            self.push(body, history);
        }
    }

    /// Counts a line that would not be kept. Returns false when that takes as much as keeping it.
    fn pass(&mut self, body: &[u8], history: &mut History) -> bool {
        let has_escape = memchr::memchr2(0x1b, b'\t', body).is_some();
        if body.len() <= self.cols.into() && !body.contains(&b'\t') {
            if has_escape {
                self.follow_styles(body);
            } else {
                self.note_last(body);
            }
            self.fill = self.style.background;
            history.end_line();
            history.skip_line(1);
            return true;
        }
        if has_escape
            || !body.is_ascii()
            || body.len() >= MAX_LINE_BYTES
            || self.fill != Color::Default
            || self.style != Style::default()
        {
            return false;
        }
        self.note_last(body);
        history.end_line();
        let kept = body.iter().rposition(|&b| b != b' ').map_or(0, |at| at + 1);
        history.skip_line((kept.div_ceil(self.cols.into()) as u64).max(1));
        true
    }

    fn note_last(&mut self, text: &[u8]) {
        match text.last() {
            Some(&byte) if byte.is_ascii() => self.last = Some(char::from(byte)),
            Some(_) => {
                let text = std::str::from_utf8(text).unwrap_or_default();
                self.last = text.chars().rev().find(|&c| width_of(c) > 0).or(self.last);
            }
            None => {}
        }
    }

    fn follow_styles(&mut self, body: &[u8]) {
        let mut rest = body;
        while let Some(at) = memchr::memchr(0x1b, rest) {
            self.note_last(&rest[..at]);
            (rest, _) = self.follow_escape(&rest[at..]);
        }
        self.note_last(rest);
    }

    /// Follows the sequence at the start; returns what comes after it, and whether it erases to the right.
    fn follow_escape<'a>(&mut self, bytes: &'a [u8]) -> (&'a [u8], bool) {
        if bytes[1] == b'(' {
            return (&bytes[3..], false);
        }
        let end = 2 + bytes[2..].iter().position(|b| matches!(b, b'm' | b'K')).unwrap_or(bytes.len() - 3);
        let rest = &bytes[end + 1..];
        if bytes[end] == b'K' {
            return (rest, true);
        }
        self.csi.clear();
        bytes[2..end].iter().for_each(|&byte| self.csi.push(byte));
        if self.csi.finish(b'm') {
            super::sgr::apply_over(&self.csi, &mut self.style, self.default_foreground);
        }
        (rest, false)
    }

    fn push(&mut self, body: &[u8], history: &mut History) {
        history.end_line();
        history.begin_row();
        let mut pen = Pen { col: 0, cell_bytes: 0, gap: 0 };
        let mut rest = body;
        while !rest.is_empty() {
            let end = text_end(rest);
            if end > 0 {
                let text = std::str::from_utf8(&rest[..end]).expect("the stretch is valid");
                self.note_last(&rest[..end]);
                self.push_text(text, &mut pen, history);
                rest = &rest[end..];
                continue;
            }
            if rest[0] == b'\t' {
                self.push_tab(&mut pen);
                rest = &rest[1..];
            } else {
                let (after, erases) = self.follow_escape(rest);
                rest = after;
                if erases && self.fill != self.style.background && pen.col < self.cols {
                    // What was skipped before has the colour that the row came in with.
                    self.push_gap(&mut pen, history);
                    self.fill = self.style.background;
                }
            }
        }
        if self.fill != Color::Default {
            pen.gap += self.cols - pen.col;
            self.push_gap(&mut pen, history);
        }
        self.fill = self.style.background;
    }

    fn push_tab(&self, pen: &mut Pen) {
        if pen.col >= self.cols {
            return;
        }
        let target = (pen.col / 8 * 8 + 8).min(self.cols - 1);
        if target > pen.col {
            pen.cell_bytes = 0;
            pen.gap += target - pen.col;
        }
        pen.col = target;
    }

    fn push_gap(&self, pen: &mut Pen, history: &mut History) {
        let blank = Style { background: self.fill, ..Style::default() };
        for _ in 0..std::mem::take(&mut pen.gap) {
            history.push_cell(" ", blank);
        }
    }

    fn push_text(&mut self, text: &str, pen: &mut Pen, history: &mut History) {
        if text.is_ascii() {
            self.push_gap(pen, history);
            history.push_ascii(text, self.style);
            let after = usize::from(pen.col) + text.len();
            if after > self.cols.into() {
                self.fill = self.style.background;
                pen.col = ((after - 1) % usize::from(self.cols) + 1) as u16;
            } else {
                pen.col = after as u16;
            }
            pen.cell_bytes = 1;
            return;
        }
        let mut buffer = [0; 4];
        for character in text.chars() {
            let width = width_of(character);
            if character == '\u{fe0f}' {
                continue;
            }
            if width == 0 {
                if pen.col > 0 && pen.cell_bytes < MAX_CELL_BYTES {
                    self.push_gap(pen, history);
                    pen.cell_bytes = pen.cell_bytes.max(1) + character.len_utf8();
                    history.push_mark(character);
                }
                continue;
            }
            self.push_gap(pen, history);
            if pen.col + width > self.cols {
                // The grid ends a line where a wide character leaves a column free.
                if pen.col < self.cols {
                    if self.fill != Color::Default {
                        history.push_cell(" ", Style { background: self.fill, ..Style::default() });
                    }
                    history.end_line();
                    history.begin_row();
                }
                self.fill = self.style.background;
                pen.col = 0;
            }
            history.push_cell(character.encode_utf8(&mut buffer), self.style);
            pen.col += width;
            pen.cell_bytes = if character == '\u{fffd}' { 4 } else { character.len_utf8() };
        }
    }
}
