//! The terminal pane: which run it shows, what of it, and what was asked for on its behalf.

use std::sync::Arc;

use crate::model::{Failure, Frame, Row, RunId, Size};

use super::{HistoryCache, Reading};

/// What the pane shows. Row numbers count from the start of the run's history on: the screen follows right after it, so a place that is
/// looked at stays where it is while output goes on.
#[derive(Debug, Default)]
pub(crate) struct Pane {
    pub(crate) run: Option<RunId>,
    pub(crate) frame: Option<Arc<Frame>>,
    /// Why there is nothing to show.
    pub(crate) failure: Option<Failure>,
    /// The size that the run is watched at.
    pub(crate) watching: Option<Size>,
    /// The number of the row at the top, when that is not the live screen's.
    pub(crate) scroll: Option<u64>,
    pub(crate) history: HistoryCache,
    /// The size that was asked for and not answered yet.
    pub(crate) resizing: Option<Size>,
    /// The size that the run would not take.
    pub(crate) refused: Option<Size>,
    /// The frame before, for rows that have just scrolled off and are not fetched yet.
    before: Option<Arc<Frame>>,
    /// Whether the last frame had the rows in sight no more: what is shown since are the oldest, once they are at hand.
    pub(crate) is_outrun: bool,
    /// Search, filter and copy mode.
    pub(crate) reading: Reading,
}

impl Pane {
    pub(crate) fn of(run: Option<RunId>) -> Pane {
        Pane { run, ..Pane::default() }
    }

    /// Takes the newest frame.
    pub(crate) fn show(&mut self, frame: Arc<Frame>) {
        self.failure = None;
        let scrolled_off = self.frame.as_ref().map_or(0, |old| frame.history.end.saturating_sub(old.history.end));
        self.reading.news = if self.scroll.is_some() { self.reading.news + scrolled_off } else { 0 };
        if let Some(old) = self.frame.take() {
            if old.size.cols() == frame.size.cols() {
                self.before = Some(old);
            } else {
                // Rows are wrapped anew, so their numbers mean something else.
                self.history.clear();
                self.before = None;
            }
        }
        self.is_outrun = self.scroll.is_some_and(|top| top < frame.history.first);
        if let Some(top) = &mut self.scroll {
            *top = (*top).max(frame.history.first).min(frame.history.end + u64::from(frame.size.rows()));
        }
        self.frame = Some(frame);
        self.update_reading(true);
    }

    /// Returns whether a frame would change what the pane shows: not when only older rows are looked at.
    pub(crate) fn would_change(&self, next: &Frame, height: u16) -> bool {
        let (Some(frame), Some(top)) = (&self.frame, self.scroll) else { return true };
        let is_past = top + u64::from(height) <= frame.history.end;
        !is_past
            || self.reading.is_active()
            || self.reading.news_words(next.history.end.saturating_sub(frame.history.end)) != self.reading.news_words(0)
            || frame.size != next.size
            || frame.history.first != next.history.first
            || frame.title != next.title
            || next.history.end < frame.history.end
    }

    /// The number of the row at the top when the pane is live: with a screen that is taller than the pane, its used end is shown.
    pub(crate) fn live_top(&self, height: u16) -> u64 {
        let Some(frame) = &self.frame else { return 0 };
        let tall = frame.rows.len() > usize::from(height);
        let used = if tall { used_rows(frame) } else { 0 };
        frame.history.end + used.saturating_sub(usize::from(height)) as u64
    }

    /// The number of the row at the top.
    pub(crate) fn top(&self, height: u16) -> u64 {
        self.scroll.unwrap_or_else(|| self.live_top(height))
    }

    /// The row of a number, if it is at hand.
    pub(crate) fn row(&self, number: u64) -> Option<&Arc<Row>> {
        let frame = self.frame.as_ref()?;
        let on_screen = |frame: &Frame| usize::try_from(number.checked_sub(frame.history.end)?).ok();
        match on_screen(frame) {
            Some(index) => frame.rows.get(index),
            None if number < frame.history.first => None,
            None => self.history.row(number).or_else(|| {
                let before = self.before.as_ref()?;
                before.rows.get(on_screen(before)?)
            }),
        }
    }

    /// Moves by rows, down for positive numbers. Returns false when the live end is reached downwards.
    pub(crate) fn scroll_by(&mut self, rows: i64, height: u16) -> bool {
        let Some(frame) = &self.frame else { return false };
        let (first, live) = (frame.history.first, self.live_top(height));
        let top = self.top(height);
        let wanted = top.saturating_add_signed(rows).clamp(first.min(live), live);
        let at_the_end = rows > 0 && wanted == live;
        self.scroll = (!at_the_end).then_some(wanted);
        !at_the_end
    }
}

/// How many rows from the top hold something, the cursor included.
fn used_rows(frame: &Frame) -> usize {
    let is_used = |row: &Arc<Row>| row.cells.iter().any(|cell| !cell.text.is_empty());
    let text = frame.rows.iter().rposition(is_used).map_or(0, |last| last + 1);
    text.max(usize::from(frame.cursor.y) + 1).min(frame.rows.len())
}
