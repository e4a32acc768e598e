//! A logical line: text with runs of styles, wrapped to rows when it is shown.

use compact_str::CompactString;
use unicode_width::UnicodeWidthChar;

use crate::model::{Attributes, Cell, Color, Row, Style, Underline};

/// The mark that stands for U+FFFD inside the grid, which does not draw that character itself.
pub(super) const REPLACEMENT_MARK: char = '\u{10fffd}';

/// The mark in the last column of a row whose next character was too wide for it. It makes the grid note a soft wrap; it is
/// shown as a blank and is no part of the line.
pub(super) const FILLER_MARK: char = '\u{10fffc}';

/// Returns the columns of a character: 0, 1 or 2. The one width rule of this program (`unicode-width`).
pub(super) fn width_of(character: char) -> u16 {
    match character {
        // The commonest, without a look into the tables.
        '\0'..='\u{2ff}' => 1,
        '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => 2,
        _ => character.width().unwrap_or(1).min(2) as u16,
    }
}

/// A stretch of one style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    /// Its length in bytes.
    pub(super) bytes: u32,
    /// Its look.
    pub(super) style: Style,
}

/// A line that may still grow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OpenLine {
    text: String,
    runs: Vec<Run>,
    cols: u32,
    /// Whether some character takes more or less than one column.
    mixed: bool,
}

impl OpenLine {
    /// Returns its length in bytes.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Appends text of `cols` columns without controls and marks; `mixed` when not every character takes one.
    pub(super) fn push_text(&mut self, text: &str, cols: u32, mixed: bool, style: Style) {
        self.text.push_str(text);
        self.cols += cols;
        self.mixed |= mixed;
        self.extend_run(text.len(), style);
    }

    /// Appends what one cell holds: a character of `width` columns with its marks.
    pub(super) fn push_cell(&mut self, text: &str, width: u16, style: Style) {
        if let [byte] = text.as_bytes() {
            self.text.push(char::from(*byte));
            self.cols += 1;
            self.extend_run(1, style);
            return;
        }
        if text.starts_with(REPLACEMENT_MARK) {
            self.text.push('\u{fffd}');
            self.text.push_str(&text[REPLACEMENT_MARK.len_utf8()..]);
            self.extend_run(text.len() - 1, style);
        } else {
            self.text.push_str(text);
            self.extend_run(text.len(), style);
        }
        self.cols += u32::from(width);
        self.mixed |= width != 1 || text.chars().nth(1).is_some();
    }

    /// Appends a mark to the character before.
    pub(super) fn push_mark(&mut self, mark: char) {
        if let Some(run) = self.runs.last_mut() {
            self.text.push(mark);
            run.bytes += mark.len_utf8() as u32;
            self.mixed = true;
        }
    }

    fn extend_run(&mut self, bytes: usize, style: Style) {
        match self.runs.last_mut() {
            Some(run) if run.style == style => run.bytes += bytes as u32,
            _ => self.runs.push(Run { bytes: bytes as u32, style }),
        }
    }

    /// Drops the blanks at the end that cannot be seen.
    pub(super) fn trim(&mut self) {
        while let Some(run) = self.runs.last_mut() {
            if !is_invisible_blank(run.style) {
                return;
            }
            let start = self.text.len() - run.bytes as usize;
            let kept = self.text.as_bytes()[start..].iter().rposition(|&b| b != b' ').map_or(0, |at| at + 1);
            let dropped = run.bytes as usize - kept;
            self.text.truncate(start + kept);
            self.cols -= dropped as u32;
            if kept > 0 {
                run.bytes = kept as u32;
                return;
            }
            self.runs.pop();
        }
    }

    /// Empties the line, keeping its memory unless it is large.
    pub(super) fn clear(&mut self) {
        if self.text.capacity() > 4096 {
            *self = OpenLine::default();
        } else {
            self.text.clear();
            self.runs.clear();
            self.cols = 0;
            self.mixed = false;
        }
    }

    /// Returns the line to read.
    pub(super) fn view(&self) -> LineView<'_> {
        LineView { text: &self.text, runs: &self.runs, cols: self.cols, mixed: self.mixed }
    }
}

impl From<LineView<'_>> for OpenLine {
    fn from(line: LineView<'_>) -> OpenLine {
        OpenLine { text: line.text.to_owned(), runs: line.runs.to_vec(), cols: line.cols, mixed: line.mixed }
    }
}

/// A line to read.
#[derive(Clone, Copy)]
pub(super) struct LineView<'a> {
    pub(super) text: &'a str,
    pub(super) runs: &'a [Run],
    /// Its length in columns.
    pub(super) cols: u32,
    /// Whether some character takes more or less than one column.
    pub(super) mixed: bool,
}

impl<'a> LineView<'a> {
    /// Returns how many rows of `width` columns it takes.
    pub(super) fn rows(&self, width: u16) -> u64 {
        if !self.mixed || self.cols <= width.into() {
            return u64::from(self.cols.div_ceil(width.into()).max(1));
        }
        let (mut rows, mut col) = (1, 0);
        for character in self.text.chars() {
            let wide = width_of(character);
            if col + wide > width {
                rows += 1;
                col = 0;
            }
            col += wide;
        }
        rows
    }

    /// Appends its rows of `width` columns to `out`.
    pub(super) fn wrap(&self, width: u16, out: &mut Vec<Row>) {
        let mut row = Row::default();
        let mut text = self.text;
        for run in self.runs {
            let (styled, rest) = text.split_at(run.bytes as usize);
            text = rest;
            for character in styled.chars() {
                push_character(character, run.style, width, &mut row, out);
            }
        }
        out.push(row);
    }

    /// Returns the links that it names.
    pub(super) fn links(self) -> impl Iterator<Item = u16> + 'a {
        self.runs.iter().map(|run| run.style.link).filter(|&link| link != 0)
    }
}

fn push_character(character: char, style: Style, width: u16, row: &mut Row, out: &mut Vec<Row>) {
    let columns = width_of(character);
    if columns == 0 {
        let base = row.cells.iter_mut().rev().find(|cell| cell.width > 0);
        if let Some(base) = base {
            if base.text.is_empty() {
                base.text.push(' ');
            }
            base.text.push(character);
        }
        return;
    }
    if row.cells.len() + usize::from(columns) > usize::from(width) {
        row.wrapped = true;
        out.push(std::mem::take(row));
    }
    let mut buffer = [0; 4];
    let text = if character == ' ' { "" } else { character.encode_utf8(&mut buffer) };
    row.cells.push(Cell { text: CompactString::new(text), width: columns as u8, style });
    if columns == 2 {
        row.cells.push(Cell { text: CompactString::default(), width: 0, style });
    }
}

/// Returns whether a blank of this style looks like nothing at all.
pub(super) fn is_invisible_blank(style: Style) -> bool {
    style.background == Color::Default
        && style.underline == Underline::None
        && !style.attributes.contains(Attributes::REVERSE)
        && !style.attributes.contains(Attributes::STRIKE)
}
