//! Going over lines once: as rows come at the end, and as older ones are fetched.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::{Point, Text};

/// The most that is noted of old lines.
const MAX_NOTED: usize = 100_000;

/// A line without its soft wraps.
pub(crate) struct Line<'a> {
    pub(crate) text: Cow<'a, str>,
    /// The rows: number, and where their part of the text begins.
    rows: Vec<(u64, usize)>,
    source: &'a Text,
}

impl<'a> Line<'a> {
    fn of(source: &'a Text, first: u64, last: u64) -> Line<'a> {
        if first == last {
            return Line { text: source.part(first).into(), rows: vec![(first, 0)], source };
        }
        let (mut text, mut rows) = (String::new(), Vec::new());
        for number in first..=last {
            rows.push((number, text.len()));
            text.push_str(source.part(number));
        }
        Line { text: text.into(), rows, source }
    }

    /// The numbers of its rows.
    pub(crate) fn rows(&self) -> impl Iterator<Item = u64> {
        self.rows.iter().map(|(number, _)| *number)
    }

    /// The cell of a byte of the text.
    pub(crate) fn point(&self, byte: usize) -> Point {
        let at = self.rows.partition_point(|(_, begin)| *begin <= byte).saturating_sub(1);
        let (row, begin) = self.rows[at];
        Point { row, col: self.source.row(row).map_or(0, |packed| packed.col(byte - begin)) }
    }
}

/// What was noted of the lines at hand, in their order.
#[derive(Debug, Clone)]
pub(crate) struct Scan<T> {
    done: VecDeque<T>,
    /// The rows whose lines were gone over for good.
    from: u64,
    to: u64,
    /// Of lines that may change still: those of the screen.
    open: Vec<T>,
    epoch: Option<u64>,
}

impl<T> Default for Scan<T> {
    fn default() -> Scan<T> {
        Scan { done: VecDeque::new(), from: 0, to: 0, open: Vec::new(), epoch: None }
    }
}

impl<T> Scan<T> {
    /// Goes over what is new. `note` tells what is to be noted of a line, `row` where such a note belongs.
    pub(crate) fn update(
        &mut self,
        text: &Text,
        row: impl Fn(&T) -> u64,
        mut note: impl FnMut(&Line<'_>, &mut Vec<T>),
    ) {
        let (first, end) = text.span();
        // A line whose beginning may be missing is left until it is there.
        let start =
            if text.is_whole() { first } else { (first..end).find(|n| text.line_start(*n) > first).unwrap_or(end) };
        if self.epoch != Some(text.epoch()) || self.to < start {
            (self.from, self.to, self.epoch) = (start, start, Some(text.epoch()));
            self.done.clear();
        }
        while self.done.front().is_some_and(|noted| row(noted) < first) {
            self.done.pop_front();
        }
        self.from = self.from.max(first);
        let mut noted = Vec::new();
        let mut lines = |from: u64, to: u64, noted: &mut Vec<T>| {
            let mut at = from;
            while at < to {
                let last = text.line_end(at);
                note(&Line::of(text, at, last), noted);
                at = last + 1;
            }
        };
        // Lines that end above the screen do not change any more.
        let settled = text.line_start(text.screen_first()).clamp(self.to, end);
        lines(self.to, settled, &mut noted);
        self.to = settled;
        self.done.extend(noted.drain(..));
        while self.done.len() > MAX_NOTED {
            self.done.pop_front();
        }
        if start < self.from && self.done.len() < MAX_NOTED {
            lines(start, self.from, &mut noted);
            noted.drain(..).rev().for_each(|one| self.done.push_front(one));
        }
        self.from = self.from.min(start);
        self.open.clear();
        let mut open = std::mem::take(&mut self.open);
        lines(self.to, end, &mut open);
        self.open = open;
    }

    pub(crate) fn len(&self) -> usize {
        self.done.len() + self.open.len()
    }

    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.done.get(index).or_else(|| self.open.get(index.checked_sub(self.done.len())?))
    }

    pub(crate) fn iter_from(&self, index: usize) -> impl Iterator<Item = &T> {
        (index..self.len()).filter_map(|at| self.get(at))
    }

    /// How many of the notes come first by `is_before`, which holds for a beginning of them only.
    pub(crate) fn partition_point(&self, is_before: impl Fn(&T) -> bool) -> usize {
        let done = self.done.partition_point(&is_before);
        if done < self.done.len() { done } else { done + self.open.partition_point(is_before) }
    }
}
