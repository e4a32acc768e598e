//! Lines of a plain stretch on their way into the history, as the grid would have laid them out.

use super::history::{History, MAX_LINE_BYTES};
use super::line::width_of;
use super::links::Links;
use super::parser::text_end;
use super::sequence::Csi;
use super::sgr;
use super::terminal::Terminal;
use crate::model::{Color, Style};

/// A cell takes marks as long as it holds fewer bytes than this; the grid's limit.
const MAX_CELL_BYTES: usize = 18;

/// Lines that go into the history without being drawn.
#[derive(Debug)]
pub(super) struct Lines {
    csi: Csi,
    pub(super) style: Style,
    /// The background of the row that came in last.
    pub(super) fill: Color,
    pub(super) links: Links,
    /// The newest title and progress, as OSC.
    pub(super) title: Option<String>,
    pub(super) progress: Option<String>,
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
    /// Starts where the terminal stands: at the start of a row that came in last.
    pub(super) fn after(terminal: &mut Terminal) -> Lines {
        Lines {
            csi: Csi::default(),
            style: terminal.style,
            fill: terminal.style.background,
            links: std::mem::take(&mut terminal.links),
            title: None,
            progress: None,
            cols: terminal.size.cols(),
            default_foreground: terminal.default_foreground,
        }
    }

    /// Takes `count` lines of a plain stretch.
    pub(super) fn take(&mut self, stretch: &str, count: usize, history: &mut History) {
        let mut unkept = count.saturating_sub(history.max_lines());
        let mut rest = stretch;
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |at| at + 1);
            let (line, later) = rest.split_at(end);
            rest = later;
            let body = line.trim_end_matches(['\r', '\n']);
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
    fn pass(&mut self, body: &str, history: &mut History) -> bool {
        let has_escape = memchr::memchr2(0x1b, b'\t', body.as_bytes()).is_some();
        if body.len() <= self.cols.into() && !body.contains('\t') {
            if has_escape {
                self.follow_styles(body);
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
        history.end_line();
        let kept = body.trim_end_matches(' ').len();
        history.skip_line((kept.div_ceil(self.cols.into()) as u64).max(1));
        true
    }

    fn follow_styles(&mut self, body: &str) {
        let mut rest = body;
        while let Some(at) = memchr::memchr(0x1b, rest.as_bytes()) {
            (rest, _) = self.follow_escape(&rest[at..]);
        }
    }

    /// Follows the sequence at the start; returns what comes after it, and whether it erases to the right.
    fn follow_escape<'a>(&mut self, text: &'a str) -> (&'a str, bool) {
        let bytes = text.as_bytes();
        if bytes[1] == b'(' {
            return (&text[3..], false);
        }
        if bytes[1] == b']' {
            return (self.follow_command(&text[2..]), false);
        }
        if let Some(length) = self.csi.read_plain(&bytes[2..]) {
            let erases = self.csi.last == b'K';
            if !erases {
                sgr::apply_over(&self.csi, &mut self.style, self.default_foreground);
            }
            return (&text[2 + length..], erases);
        }
        // With colons, or more parameters than are kept.
        let end = memchr::memchr(b'm', bytes).unwrap_or(bytes.len() - 1);
        self.csi.clear();
        bytes[2..end].iter().for_each(|&byte| self.csi.push(byte));
        if self.csi.finish(b'm') {
            sgr::apply_over(&self.csi, &mut self.style, self.default_foreground);
        }
        (&text[end + 1..], false)
    }

    /// Follows an OSC, from its number on; returns what comes after it.
    fn follow_command<'a>(&mut self, text: &'a str) -> &'a str {
        let end = memchr::memchr2(0x07, 0x1b, text.as_bytes()).unwrap_or(text.len() - 1);
        let (command, after) = text.split_at(end);
        if let Some(link) = command.strip_prefix("8;") {
            self.style.link = self.links.follow(link.as_bytes()).unwrap_or(self.style.link);
        } else {
            let newest = if command.starts_with('9') { &mut self.progress } else { &mut self.title };
            // An icon's name is no title.
            if !command.starts_with('1') {
                newest.get_or_insert_default().clear();
                newest.get_or_insert_default().push_str(command);
            }
        }
        after.strip_prefix("\x1b\\").unwrap_or(&after[1..])
    }

    fn push(&mut self, body: &str, history: &mut History) {
        history.end_line();
        history.begin_row();
        let mut pen = Pen { col: 0, cell_bytes: 0, gap: 0 };
        let mut rest = body;
        while !rest.is_empty() {
            let end = text_end(rest.as_bytes());
            if end > 0 {
                let (text, after) = rest.split_at(end);
                self.push_text(text, &mut pen, history);
                rest = after;
                continue;
            }
            if rest.as_bytes()[0] == b'\t' {
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
        // Characters are gathered as long as nothing but their widths matters.
        let (mut from, mut from_col) = (0, pen.col);
        for (at, character) in text.char_indices() {
            let width = width_of(character);
            if character != '\u{fe0f}' && width > 0 && pen.col + width <= self.cols {
                pen.col += width;
                continue;
            }
            if at > from {
                self.push_gap(pen, history);
                history.push_characters(&text[from..at], pen.col - from_col, self.style);
                pen.cell_bytes = cell_bytes_before(&text[..at]);
            }
            if width > 0 && character != '\u{fe0f}' {
                self.wrap(pen, history);
                pen.col = width;
                (from, from_col) = (at, 0);
                continue;
            }
            (from, from_col) = (at + character.len_utf8(), pen.col);
            if character != '\u{fe0f}' && pen.col > 0 && pen.cell_bytes < MAX_CELL_BYTES {
                self.push_gap(pen, history);
                pen.cell_bytes = pen.cell_bytes.max(1) + character.len_utf8();
                history.push_mark(character);
            }
        }
        if from < text.len() {
            self.push_gap(pen, history);
            history.push_characters(&text[from..], pen.col - from_col, self.style);
            pen.cell_bytes = cell_bytes_before(text);
        }
    }

    /// Goes on in the next row.
    fn wrap(&mut self, pen: &mut Pen, history: &mut History) {
        self.push_gap(pen, history);
        self.fill = self.style.background;
        pen.col = 0;
    }
}

/// Returns the bytes that the grid keeps of the last character.
fn cell_bytes_before(text: &str) -> usize {
    match text.chars().next_back() {
        Some('\u{fffd}') => 4,
        Some(character) => character.len_utf8(),
        None => 0,
    }
}
