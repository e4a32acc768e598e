//! Tab stops.

/// The stops of one screen.
#[derive(Debug, Clone, Default)]
pub(super) struct Tabs {
    /// None while the stops are where they are by default, at every eighth column.
    stops: Option<Vec<bool>>,
}

impl Tabs {
    /// Returns whether no stop was changed.
    pub(super) fn are_default(&self) -> bool {
        self.stops.is_none()
    }

    fn stops(&mut self, cols: u16) -> &mut Vec<bool> {
        let stops = self.stops.get_or_insert_with(Vec::new);
        while stops.len() < cols.into() {
            stops.push(stops.len() % 8 == 0);
        }
        stops
    }

    pub(super) fn set(&mut self, col: u16, cols: u16) {
        self.stops(cols)[usize::from(col)] = true;
    }

    pub(super) fn clear(&mut self, col: u16, cols: u16) {
        self.stops(cols)[usize::from(col)] = false;
    }

    /// Removes all stops; columns that come with a wider screen have none either.
    pub(super) fn clear_all(&mut self) {
        self.stops = Some(vec![false; 1000]);
    }

    fn is_stop(&self, col: u16) -> bool {
        match &self.stops {
            Some(stops) => stops.get(usize::from(col)).copied().unwrap_or(col.is_multiple_of(8)),
            None => col.is_multiple_of(8),
        }
    }

    /// Returns the column of the `count`th stop after `col`, at most the last one.
    pub(super) fn next(&self, col: u16, count: u16, cols: u16) -> u16 {
        let last = cols - 1;
        let found = (col + 1..cols).filter(|&c| self.is_stop(c)).nth(usize::from(count) - 1);
        found.unwrap_or(last)
    }

    /// Returns the column of the `count`th stop before `col`, at least 0.
    pub(super) fn previous(&self, col: u16, count: u16) -> u16 {
        (0..col).rev().filter(|&c| self.is_stop(c)).nth(usize::from(count) - 1).unwrap_or(0)
    }
}
