//! Which rows are side by side, and how a place is divided among them.

use ratatui::layout::Rect;

use super::RowKey;

/// The most runs side by side.
pub(crate) const MAX_PANES: usize = 4;
/// The least columns of a pane.
const MIN_PANE_COLS: u16 = 20;
/// The least rows of a pane, its head line included.
const MIN_PANE_ROWS: u16 = 3;

/// Rows that stay in sight, each in a pane of its own, and the pane that follows the selection.
///
/// With none of them there is one pane, of the selected row. With one there is a second pane beside it, which shows what is selected
/// otherwise. With more, another row that is selected is shown in place of the last of them, so that the number of panes and with it the
/// size of every run changes only when the user says so.
#[derive(Debug, Default)]
pub(crate) struct Split {
    pinned: Vec<RowKey>,
    /// The row selected last that does not stay in sight.
    follower: Option<RowKey>,
}

impl Split {
    pub(crate) fn is_pinned(&self, key: &RowKey) -> bool {
        self.pinned.contains(key)
    }

    /// The rows that it names.
    pub(crate) fn rows_mut(&mut self) -> impl Iterator<Item = &mut RowKey> {
        self.pinned.iter_mut().chain(&mut self.follower)
    }

    /// How many panes there are.
    pub(crate) fn count(&self) -> usize {
        panes_for(self.pinned.len())
    }

    /// How many panes there are once another row stays in sight; none when no more may.
    pub(crate) fn count_with_another(&self) -> Option<usize> {
        (self.pinned.len() < MAX_PANES).then(|| panes_for(self.pinned.len() + 1))
    }

    /// The pane of the selected row.
    pub(crate) fn focused(&self, selected: Option<&RowKey>) -> usize {
        selected.and_then(|key| self.pinned.iter().position(|pinned| pinned == key)).unwrap_or(self.count() - 1)
    }

    /// The row of a pane.
    pub(crate) fn key_at<'a>(&'a self, pane: usize, selected: Option<&'a RowKey>) -> Option<&'a RowKey> {
        if pane == self.focused(selected) {
            return selected;
        }
        self.pinned.get(pane).or(self.follower.as_ref())
    }

    /// Lets a row stay in sight, or no longer. Returns whether it does now.
    pub(crate) fn toggle(&mut self, key: &RowKey) -> bool {
        if let Some(at) = self.pinned.iter().position(|pinned| pinned == key) {
            self.pinned.remove(at);
            return false;
        }
        self.pinned.push(key.clone());
        true
    }

    /// Follows the selection, and forgets rows that are gone.
    pub(crate) fn settle(&mut self, selected: Option<&RowKey>, is_there: impl Fn(&RowKey) -> bool) {
        self.pinned.retain(&is_there);
        match selected {
            Some(key) if !self.pinned.contains(key) => self.follower = Some(key.clone()),
            Some(_) | None => {}
        }
        let pinned = &self.pinned;
        self.follower.take_if(|key| pinned.contains(key) || !is_there(key));
    }
}

fn panes_for(pinned: usize) -> usize {
    match pinned {
        0 => 1,
        1 => 2,
        more => more,
    }
}

/// Divides a place into so many panes, a column between those that are side by side, in columns from the left; none when they would be
/// too small. Of the ways to do it, the one whose smallest pane comes nearest to a terminal of 80×24.
pub(crate) fn grid(place: Rect, count: usize) -> Option<Vec<Rect>> {
    let ways = (1..=count).filter_map(|columns| {
        let smallest = smallest(place, count, columns)?;
        let share = (u32::from(smallest.0) * 1000 / 80).min(1000).min(u32::from(smallest.1) * 1000 / 24);
        Some((share, columns))
    });
    // With the same smallest pane, fewer columns are wider.
    let (_, columns) = ways.max_by_key(|(share, columns)| (*share, std::cmp::Reverse(*columns)))?;
    let mut panes = Vec::with_capacity(count);
    let widths = shares(place.width - u16::try_from(columns - 1).ok()?, columns);
    let mut x = place.x;
    for (column, width) in widths.into_iter().enumerate() {
        let mut y = place.y;
        for height in shares(place.height, in_column(count, columns, column)) {
            panes.push(Rect::new(x, y, width, height));
            y += height;
        }
        x += width + 1;
    }
    Some(panes)
}

/// Columns and rows of the smallest pane; none when that is too small.
fn smallest(place: Rect, count: usize, columns: usize) -> Option<(u16, u16)> {
    let between = u16::try_from(columns - 1).ok()?;
    let cols = place.width.checked_sub(between)? / u16::try_from(columns).ok()?;
    let rows = place.height / u16::try_from(in_column(count, columns, columns - 1)).ok()?;
    (cols >= MIN_PANE_COLS && rows >= MIN_PANE_ROWS).then_some((cols, rows))
}

/// How many panes stand in a column: what is left over stands on the right.
fn in_column(count: usize, columns: usize, column: usize) -> usize {
    count / columns + usize::from(column >= columns - count % columns)
}

/// Divides a length into parts that differ by one at most.
fn shares(length: u16, parts: usize) -> Vec<u16> {
    let count = u16::try_from(parts).unwrap_or(1).max(1);
    (0..count).map(|part| length / count + u16::from(part < length % count)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sizes(cols: u16, rows: u16, count: usize) -> Option<Vec<(u16, u16)>> {
        Some(grid(Rect::new(0, 0, cols, rows), count)?.iter().map(|pane| (pane.width, pane.height)).collect())
    }

    #[test]
    fn panes_are_side_by_side_where_that_is_wide_and_stacked_where_it_is_not() {
        assert_eq!(sizes(161, 40, 2), Some(vec![(80, 40), (80, 40)]));
        assert_eq!(sizes(80, 48, 2), Some(vec![(80, 24), (80, 24)]));
        assert_eq!(sizes(200, 60, 4), Some(vec![(100, 30), (100, 30), (99, 30), (99, 30)]));
        assert_eq!(sizes(200, 60, 3), Some(vec![(100, 60), (99, 30), (99, 30)]));
        assert_eq!(sizes(39, 11, 2), Some(vec![(39, 6), (39, 5)]), "too narrow for two columns of 20");
        assert_eq!(sizes(39, 5, 2), None);
        assert_eq!(sizes(19, 50, 1), None);
    }

    #[test]
    fn the_number_of_panes_changes_only_when_the_user_says_so() {
        let key = |name: &str| RowKey::Task(name.parse().expect("name"));
        let (a, b, c) = (key("a"), key("b"), key("c"));
        let mut split = Split::default();
        assert_eq!((split.count(), split.focused(Some(&a))), (1, 0));
        assert!(split.toggle(&a));
        split.settle(Some(&a), |_| true);
        assert_eq!((split.count(), split.focused(Some(&a)), split.key_at(1, Some(&a))), (2, 0, None));
        split.settle(Some(&b), |_| true);
        assert_eq!((split.focused(Some(&b)), split.key_at(0, Some(&b))), (1, Some(&a)));
        assert_eq!(split.key_at(1, Some(&a)), Some(&b), "what was selected last stays beside it");
        assert!(split.toggle(&b));
        assert_eq!((split.count(), split.focused(Some(&c)), split.key_at(1, Some(&c))), (2, 1, Some(&c)));
        assert_eq!(split.key_at(1, Some(&a)), Some(&b), "it was only in the way");
        split.settle(Some(&c), |key| *key != a);
        assert_eq!((split.count(), split.key_at(0, Some(&c))), (2, Some(&b)));
    }

    proptest! {
        #[test]
        fn panes_never_overlap_and_are_never_too_small(cols in 0u16..300, rows in 0u16..100, count in 1usize..=4) {
            let place = Rect::new(3, 1, cols, rows);
            for (index, pane) in grid(place, count).into_iter().flatten().enumerate() {
                prop_assert!(pane.width >= MIN_PANE_COLS && pane.height >= MIN_PANE_ROWS);
                prop_assert_eq!(pane.intersection(place), pane);
                for other in grid(place, count).into_iter().flatten().skip(index + 1) {
                    prop_assert!(!pane.intersects(other));
                }
            }
        }
    }
}
