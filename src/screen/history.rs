//! What scrolled off the screen: logical lines of our own, bounded, wrapped when they are shown.

use super::blocks::Blocks;
use super::line::{FILLER_MARK, LineView, OpenLine, width_of};
use crate::model::{HistorySpan, Row, Style};

/// The most memory that the lines of one history take, in bytes: 10,000 coloured lines of 200 columns fit.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The longest logical line, in bytes. A longer one is broken, so that a stream without a line break stays cheap to wrap.
pub(super) const MAX_LINE_BYTES: usize = 64 * 1024;

/// The lines above the screen.
#[derive(Debug)]
pub(super) struct History {
    lines: Blocks,
    /// The newest line, whose end has not been seen yet.
    tail: OpenLine,
    /// Whether there is such a line (it may be empty).
    has_tail: bool,
    max_lines: usize,
    width: u16,
    first: u64,
    /// Rows of `lines` at `width`.
    rows: u64,
    lost: bool,
}

impl History {
    pub(super) fn new(max_lines: usize, width: u16) -> History {
        History {
            lines: Blocks::default(),
            tail: OpenLine::default(),
            has_tail: false,
            max_lines,
            width,
            first: 0,
            rows: 0,
            lost: false,
        }
    }

    /// Returns how many logical lines are kept at most.
    pub(super) fn max_lines(&self) -> usize {
        self.max_lines
    }

    /// Returns whether a line was dropped because of a bound.
    pub(super) fn lost(&self) -> bool {
        self.lost
    }

    /// Appends what one cell of the line that is scrolling off holds.
    pub(super) fn push_cell(&mut self, text: &str, style: Style) {
        if text.starts_with(FILLER_MARK) {
            return;
        }
        self.make_room();
        let width = if text.len() == 1 { 1 } else { text.chars().next().map_or(1, width_of).max(1) };
        self.tail.push_cell(text, width, style);
    }

    /// Appends a mark to the character before.
    pub(super) fn push_mark(&mut self, mark: char) {
        self.tail.push_mark(mark);
    }

    /// Appends ASCII text to the line that is scrolling off: the same as its characters one by one.
    pub(super) fn push_ascii(&mut self, mut text: &str, style: Style) {
        loop {
            self.make_room();
            let room = MAX_LINE_BYTES - self.tail.len();
            let (now, later) = text.split_at(text.len().min(room));
            self.tail.push_text(now, now.len() as u32, false, style);
            if later.is_empty() {
                return;
            }
            text = later;
        }
    }

    /// Appends characters of `cols` columns, none of them a mark: the same as one by one.
    pub(super) fn push_characters(&mut self, text: &str, cols: u16, style: Style) {
        if text.is_empty() {
            return;
        }
        self.make_room();
        if self.tail.len() + text.len() > MAX_LINE_BYTES {
            text.char_indices().for_each(|(at, c)| self.push_cell(&text[at..at + c.len_utf8()], style));
        } else {
            self.tail.push_text(text, cols.into(), true, style);
        }
    }

    fn make_room(&mut self) {
        if self.tail.len() >= MAX_LINE_BYTES {
            self.close(false);
        }
        self.begin_row();
    }

    /// Notes that a row scrolls off, even when it turns out to be empty.
    pub(super) fn begin_row(&mut self) {
        if !self.has_tail {
            self.has_tail = true;
            self.keep_bounds();
        }
    }

    /// Returns whether the newest line has no known end.
    pub(super) fn is_open(&self) -> bool {
        self.has_tail
    }

    /// Ends the line that is scrolling off, if there is one.
    pub(super) fn end_line(&mut self) {
        if self.has_tail {
            self.close(true);
        }
    }

    fn close(&mut self, trim: bool) {
        if trim {
            self.tail.trim();
        }
        self.has_tail = false;
        self.rows += self.tail.view().rows(self.width);
        self.lines.push(self.tail.view());
        self.tail.clear();
        self.keep_bounds();
    }

    fn keep_bounds(&mut self) {
        let open = usize::from(self.has_tail);
        while self.lines.len() > 0 && (self.lines.len() + open > self.max_lines || self.lines.bytes() > MAX_BYTES) {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let Some(rows) = self.lines.drop_oldest(self.width) else { return };
        self.rows -= rows;
        self.first += rows;
        self.lost = true;
    }

    /// Counts a line of `rows` rows that came and went without being kept.
    pub(super) fn skip_line(&mut self, rows: u64) {
        self.first += rows;
        self.lost = true;
    }

    /// Forgets everything because the program asked for it. The numbers go on.
    pub(super) fn clear(&mut self) {
        self.first = self.span().end;
        self.lines = Blocks::default();
        self.tail.clear();
        self.has_tail = false;
        self.rows = 0;
        self.lost = false;
    }

    /// Returns the numbers of the rows.
    pub(super) fn span(&self) -> HistorySpan {
        let tail = if self.has_tail { self.tail.view().rows(self.width) } else { 0 };
        HistorySpan { first: self.first, end: self.first + self.rows + tail }
    }

    /// Wraps everything to another width. The oldest row keeps its number.
    pub(super) fn set_width(&mut self, width: u16) {
        if self.width != width {
            self.width = width;
            self.rows = self.lines.iter().map(|line| line.rows(width)).sum();
        }
    }

    /// Returns at most `count` rows from number `first` on, clipped to what is kept.
    pub(super) fn rows(&self, first: u64, count: usize) -> Vec<Row> {
        let span = self.span();
        let start = first.clamp(span.first, span.end);
        let end = first.saturating_add(count as u64).clamp(start, span.end);
        let mut rows = Vec::with_capacity((end - start) as usize);
        let mut number = span.first;
        let mut wrapped = Vec::new();
        let mut take = |number: &mut u64, line: LineView<'_>| {
            let line_rows = line.rows(self.width);
            if *number + line_rows > start && *number < end {
                wrapped.clear();
                line.wrap(self.width, &mut wrapped);
                let from = start.saturating_sub(*number) as usize;
                let to = (end - *number).min(line_rows) as usize;
                rows.extend(wrapped.drain(..to).skip(from));
            }
            *number += line_rows;
        };
        for line in self.lines.iter() {
            if number >= end {
                break;
            }
            take(&mut number, line);
        }
        if self.has_tail && number < end {
            take(&mut number, self.tail.view());
        }
        rows
    }

    /// Takes the newest line back, with whether it was known to have ended.
    pub(super) fn pop_line(&mut self) -> Option<OpenLine> {
        if self.has_tail {
            self.has_tail = false;
            return Some(std::mem::take(&mut self.tail));
        }
        let line = self.lines.pop()?;
        self.rows -= line.view().rows(self.width);
        Some(line)
    }

    /// Returns the newest logical lines as text, in order, at most `max_bytes` with their line breaks, and whether that is all.
    pub(super) fn text(&self, max_bytes: usize) -> (String, bool) {
        let tail = self.has_tail.then(|| self.tail.view().text);
        let newest_first = tail.into_iter().chain(self.lines.iter().rev().map(|line| line.text));
        let mut taken = Vec::new();
        let mut bytes = 0;
        let mut whole = true;
        for line in newest_first {
            let line = line.trim_end_matches(' ');
            bytes += line.len() + 1;
            if bytes > max_bytes {
                whole = false;
                break;
            }
            taken.push(line);
        }
        taken.reverse();
        (taken.join("\n"), whole)
    }

    /// Returns the links that the kept lines name.
    pub(super) fn links(&self) -> impl Iterator<Item = u16> {
        self.lines.iter().flat_map(LineView::links)
    }
}
