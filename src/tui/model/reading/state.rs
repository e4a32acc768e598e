//! All that belongs to reading in one pane.

use crate::model::{Frame, Moment};

use super::{Filter, Point, Search, Selection, Text};

/// A button that was pressed in the pane and not let go yet, or the last one that was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Press {
    pub(crate) at: Point,
    pub(crate) when: Moment,
    /// How often it was pressed there in a row: 1 to 3.
    pub(crate) clicks: u8,
    pub(crate) is_held: bool,
    /// Whether the mouse has moved since.
    pub(crate) is_drag: bool,
    /// The place of the view before the selection stopped it.
    pub(crate) scroll: Option<u64>,
}

/// The state of reading: empty while output is only looked at.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) text: Text,
    pub(crate) search: Option<Search>,
    /// Whether one key, or what was found elsewhere, has led to the search and to where it is: they are left together.
    pub(crate) led_here: bool,
    pub(crate) filter: Option<Filter>,
    /// The cursor of copy mode.
    pub(crate) cursor: Option<Point>,
    pub(crate) selection: Option<Selection>,
    pub(crate) press: Option<Press>,
    /// The newest row that output is missing before.
    pub(crate) gap: Option<u64>,
    /// How many rows have scrolled off since the view was stopped.
    pub(crate) news: u64,
    was_active: bool,
}

impl Reading {
    /// Whether the text is needed.
    pub(crate) fn is_active(&self) -> bool {
        self.search.is_some() || self.filter.is_some() || self.cursor.is_some() || self.selection.is_some()
    }

    /// Takes in the newest frame, and what was fetched.
    pub(crate) fn update(&mut self, frame: &Frame, is_new: bool) {
        let is_active = self.is_active();
        if is_active && (is_new || !self.was_active) {
            self.text.show(frame);
        }
        self.was_active = is_active;
        if let Some(filter) = &mut self.filter {
            filter.update(&self.text);
        }
        if let Some(search) = &mut self.search {
            search.update(&self.text, self.filter.as_ref());
        }
    }

    /// The rows that are needed when `top` is the first that is shown, and `height` are.
    pub(crate) fn needed(&self, top: u64, height: u16) -> Option<(u64, u64)> {
        if self.search.is_some() || self.filter.is_some() {
            return Some((0, u64::MAX));
        }
        if !self.is_active() {
            return None;
        }
        let rows = self.cursor.iter().chain(self.selection.iter().flat_map(|s| [&s.anchor, &s.head]));
        let (first, last) = rows.fold((top, top), |(first, last), p| (first.min(p.row), last.max(p.row)));
        // A line may begin above, and moves by words and paragraphs look around.
        Some((first.saturating_sub(200), last + u64::from(height) + 200))
    }

    /// Ends copy mode and search; the filter stays.
    pub(crate) fn rest(&mut self) {
        (self.search, self.cursor, self.selection, self.led_here) = (None, None, None, false);
    }

    /// How much is new since the view was stopped, with so many rows more, in words; none while that is nothing.
    pub(crate) fn news_words(&self, more: u64) -> Option<String> {
        match self.news + more {
            0 => None,
            news @ 1..100 => Some(format!("{news} new")),
            news @ 100..1000 => Some(format!("{}00+ new", news / 100)),
            news => Some(format!("{}k+ new", news / 1000)),
        }
    }
}
