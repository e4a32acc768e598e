//! The rows of a run at hand as text: as much of the history as is wanted, and the screen.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::model::{Frame, HistorySpan, Row};

use super::PackedRow;

/// How many rows are asked for at once.
const CHUNK: u64 = 500;

/// Rows by their numbers. Rows of the history are fetched, newest first, as far as somebody wants them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text {
    first: u64,
    history: VecDeque<PackedRow>,
    screen_first: u64,
    screen: Vec<PackedRow>,
    width: u16,
    kept: HistorySpan,
    asked: bool,
    /// What was asked for and did not help, so that it is not asked again.
    stuck: Option<(u64, u64, u64)>,
    /// Grows whenever numbers have another meaning.
    epoch: u64,
}

impl Text {
    /// Takes the newest frame.
    pub(crate) fn show(&mut self, frame: &Frame) {
        if frame.size.cols() != self.width || frame.history.end < self.kept.end {
            (self.width, self.first, self.stuck) = (frame.size.cols(), 0, None);
            self.history.clear();
            self.epoch += 1;
        }
        self.kept = frame.history;
        while !self.history.is_empty() && self.first < self.kept.first {
            self.history.pop_front();
            self.first += 1;
        }
        self.screen_first = frame.history.end;
        self.screen = frame.rows.iter().map(|row| PackedRow::of(row)).collect();
    }

    /// What to ask for so that the rows from `from` up to `to` are at hand; none when they are, or an answer is on its way.
    pub(crate) fn missing(&mut self, from: u64, to: u64) -> Option<(u64, usize)> {
        let (from, to) = (from.clamp(self.kept.first, self.kept.end), to.clamp(self.kept.first, self.kept.end));
        let end = self.history_end();
        let (first, last) = match () {
            () if self.asked || from >= to => return None,
            () if self.history.is_empty() => (to.saturating_sub(CHUNK).max(from), to),
            // The rows between what is at hand and the screen come first.
            () if end < to || (self.first > from && end < self.kept.end) => (end, (end + CHUNK).min(self.kept.end)),
            () if self.first > from => (self.first.saturating_sub(CHUNK).max(from), self.first),
            () => return None,
        };
        if self.stuck == Some((first, last, self.kept.end)) {
            return None;
        }
        (self.asked, self.stuck) = (true, Some((first, last, self.kept.end)));
        Some((first, usize::try_from(last - first).unwrap_or(usize::MAX)))
    }

    /// Takes the answer: rows from number `first` on. What does not join what is at hand takes its place.
    pub(crate) fn take(&mut self, first: u64, rows: &[Arc<Row>]) {
        self.asked = false;
        let end = first + rows.len() as u64;
        let rows = rows.iter().map(|row| PackedRow::of(row));
        if self.history.is_empty() || first > self.history_end() || end < self.first {
            (self.first, self.history) = (first, rows.collect());
            self.epoch += 1;
        } else if end >= self.first && first < self.first {
            let new = usize::try_from(self.first - first).unwrap_or(usize::MAX);
            rows.take(new).collect::<Vec<_>>().into_iter().rev().for_each(|row| self.history.push_front(row));
            self.first = first;
        } else {
            let known = usize::try_from(self.history_end() - first).unwrap_or(usize::MAX);
            self.history.extend(rows.skip(known));
        }
    }

    /// The answer did not come.
    pub(crate) fn failed(&mut self) {
        self.asked = false;
    }

    /// The row of a number, if it is at hand.
    pub(crate) fn row(&self, number: u64) -> Option<&PackedRow> {
        if number >= self.screen_first {
            return self.screen.get(usize::try_from(number - self.screen_first).ok()?);
        }
        self.history.get(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    /// The number behind the rows of the history that are at hand.
    pub(crate) fn history_end(&self) -> u64 {
        self.first + self.history.len() as u64
    }

    /// The numbers of all rows that are at hand without a gap, up to the screen's end.
    pub(crate) fn span(&self) -> (u64, u64) {
        let is_joined = !self.history.is_empty() && self.history_end() == self.screen_first;
        (if is_joined { self.first } else { self.screen_first }, self.screen_first + self.screen.len() as u64)
    }

    /// Where the screen begins.
    pub(crate) fn screen_first(&self) -> u64 {
        self.screen_first
    }

    /// Whether everything that is kept is at hand.
    pub(crate) fn is_whole(&self) -> bool {
        self.span().0 <= self.kept.first
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The columns of the screen.
    pub(crate) fn width(&self) -> u16 {
        self.width
    }

    /// The first row of the line that a row belongs to.
    pub(crate) fn line_start(&self, mut number: u64) -> u64 {
        while number > 0 && self.row(number - 1).is_some_and(|row| row.wrapped) {
            number -= 1;
        }
        number
    }

    /// The last row of the line that a row belongs to.
    pub(crate) fn line_end(&self, mut number: u64) -> u64 {
        while self.row(number).is_some_and(|row| row.wrapped) && self.row(number + 1).is_some() {
            number += 1;
        }
        number
    }

    /// The part of a row's text that belongs to its line: the blank before a wide character that did not fit does not.
    pub(crate) fn part(&self, number: u64) -> &str {
        let Some(row) = self.row(number) else { return "" };
        let is_wide_next = || self.row(number + 1).is_some_and(|next| next.behind(0) == 2);
        match row.text().strip_suffix(' ') {
            Some(text) if row.wrapped && row.cols() == usize::from(self.width) && is_wide_next() => text,
            Some(_) | None => row.text(),
        }
    }
}
