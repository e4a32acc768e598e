//! The rows of the scrollback that are at hand.

use std::sync::Arc;

use crate::model::Row;

/// A stretch of the scrollback around what is shown, fetched as the user moves.
#[derive(Debug, Default)]
pub(crate) struct HistoryCache {
    first: u64,
    rows: Vec<Arc<Row>>,
    /// What was asked for and not answered yet.
    asked: Option<(u64, usize)>,
    /// The last question, so that one whose answer did not help is not asked again.
    last: Option<(u64, usize, u64)>,
}

impl HistoryCache {
    pub(crate) fn row(&self, number: u64) -> Option<&Arc<Row>> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.rows.get(index)
    }

    /// Returns what to ask for so that the rows from `from` up to `to` are at hand; none when they are, or an answer is on its way.
    pub(crate) fn missing(&mut self, from: u64, to: u64, kept: (u64, u64), margin: usize) -> Option<(u64, usize)> {
        let (from, to) = (from.max(kept.0), to.min(kept.1));
        if self.asked.is_some() || from >= to || (from..to).all(|number| self.row(number).is_some()) {
            return None;
        }
        let first = from.saturating_sub(margin as u64).max(kept.0);
        let count = usize::try_from((to + margin as u64).min(kept.1) - first).unwrap_or(usize::MAX);
        if self.last == Some((first, count, kept.1)) {
            return None;
        }
        self.asked = Some((first, count));
        self.last = Some((first, count, kept.1));
        self.asked
    }

    pub(crate) fn answered(&mut self, first: u64, rows: Vec<Arc<Row>>) {
        self.asked = None;
        self.first = first;
        self.rows = rows;
    }

    pub(crate) fn failed(&mut self) {
        self.asked = None;
    }

    /// Forgets the rows, but not that an answer is on its way.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.last = None;
    }
}
