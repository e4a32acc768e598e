//! What a pane shows of its rows when it is read: with a filter not all of them.

use std::borrow::Cow;

use crate::model::Row;

use super::{Pane, Point};

impl Pane {
    /// Takes in what has changed for reading: a frame, rows that were fetched, or what is looked for.
    pub(crate) fn update_reading(&mut self, is_new: bool) {
        if let Some(frame) = self.frame.clone() {
            self.reading.update(&frame, is_new);
        }
    }

    /// The numbers of the rows that are shown, from the top.
    pub(crate) fn shown_rows(&self, height: u16) -> Vec<u64> {
        let Some(filter) = &self.reading.filter else {
            let top = self.top(height);
            return (top..top + u64::from(height)).collect();
        };
        filter.rows_from(self.filtered_top(height)).take(height.into()).collect()
    }

    /// The place of the top among the rows that a filter shows.
    fn filtered_top(&self, height: u16) -> usize {
        let Some(filter) = &self.reading.filter else { return 0 };
        let live = filter.count().saturating_sub(height.into());
        self.scroll.map_or(live, |top| filter.above(top).min(live))
    }

    /// A row as it is drawn, if it is at hand.
    pub(crate) fn drawn_row(&self, number: u64) -> Option<Cow<'_, Row>> {
        let is_on_screen = self.frame.as_ref().is_some_and(|frame| number >= frame.history.end);
        let packed = self.reading.text.row(number).filter(|_| self.reading.is_active() && !is_on_screen);
        match packed {
            Some(row) => Some(Cow::Owned(row.unpack())),
            None => self.row(number).map(|row| Cow::Borrowed(row.as_ref())),
        }
    }

    /// Moves by rows that are shown. Returns false when the live end is reached downwards.
    pub(crate) fn scroll_shown(&mut self, rows: i64, height: u16) -> bool {
        let Some(filter) = &self.reading.filter else { return self.scroll_by(rows, height) };
        let live = filter.count().saturating_sub(height.into()) as u64;
        let wanted = (self.filtered_top(height) as u64).saturating_add_signed(rows).min(live);
        let at_the_end = rows > 0 && wanted == live;
        self.scroll = if at_the_end { None } else { filter.row(usize::try_from(wanted).unwrap_or(usize::MAX)) };
        !at_the_end
    }

    /// The row so many rows away, among those that are shown: never beyond the first and the last.
    pub(crate) fn row_away(&self, from: u64, rows: i64) -> u64 {
        let Some(frame) = &self.frame else { return from };
        match &self.reading.filter {
            Some(filter) => {
                let place = (filter.above(from) as u64).saturating_add_signed(rows);
                filter.row(usize::try_from(place).unwrap_or(usize::MAX)).unwrap_or(from)
            }
            None => {
                let last = frame.history.end + (frame.rows.len() as u64).saturating_sub(1);
                from.saturating_add_signed(rows).clamp(frame.history.first, last)
            }
        }
    }

    /// Stops the view where it is.
    pub(crate) fn stop_view(&mut self, height: u16) {
        if self.scroll.is_none() {
            self.scroll = self.shown_rows(height).first().copied();
        }
    }

    /// Brings a row into sight: by as little as is needed, or with rows around it when it is far away.
    pub(crate) fn reveal(&mut self, row: u64, height: u16) {
        let shown = self.shown_rows(height);
        let (Some(first), Some(last)) = (shown.first().copied(), shown.last().copied()) else { return };
        if (first..=last).contains(&row) {
            return;
        }
        let height = i64::from(height);
        let is_near = row.abs_diff(first).min(row.abs_diff(last)) <= 1;
        let above = match (is_near, row < first) {
            (true, true) => 0,
            (true, false) => height - 1,
            (false, _) => height / 3,
        };
        self.scroll = Some(self.row_away(row, -above));
    }

    /// Brings a row into the middle, or as near to it as the ends let it.
    pub(crate) fn centre(&mut self, row: u64, height: u16) {
        let live = self.live_top(height);
        self.scroll = Some(self.row_away(row, -i64::from(height / 2)).min(live));
    }

    /// Whether the first row is shown at the top.
    pub(crate) fn is_at_the_top(&self, height: u16) -> bool {
        match (&self.reading.filter, &self.frame) {
            (Some(_), _) => self.filtered_top(height) == 0,
            (None, frame) => frame.as_ref().is_some_and(|frame| self.scroll == Some(frame.history.first)),
        }
    }

    /// Whether the last row is shown at the bottom.
    pub(crate) fn is_at_the_end(&self, height: u16) -> bool {
        match &self.reading.filter {
            Some(filter) => self.filtered_top(height) + usize::from(height) >= filter.count(),
            None => self.top(height) >= self.live_top(height),
        }
    }

    /// Whether less than a page follows what is shown.
    pub(crate) fn is_near_the_end(&self, height: u16) -> bool {
        if let Some(filter) = &self.reading.filter {
            return self.filtered_top(height) + 2 * usize::from(height) > filter.count();
        }
        let last = self.shown_rows(height).last().copied().unwrap_or(0);
        last > self.live_top(height)
    }

    /// The cell of the rows at a place of the pane; the nearest there is.
    pub(crate) fn point_at(&self, x: u16, line: u16, height: u16) -> Point {
        let shown = self.shown_rows(height);
        let row = shown.get(usize::from(line)).or(shown.last()).copied().unwrap_or(0);
        let last = self.frame.as_ref().map_or(0, |frame| frame.history.end + frame.rows.len() as u64 - 1);
        Point { row: row.min(last), col: x }
    }
}
