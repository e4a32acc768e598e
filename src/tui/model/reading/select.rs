//! What is selected, and its text.

use super::{Filter, Point, Text};

/// How cells are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Chars,
    Lines,
    Block,
}

/// From the cell where it was begun to the cell of the cursor, both of them in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Selection {
    pub(crate) kind: Kind,
    pub(crate) anchor: Point,
    pub(crate) head: Point,
}

impl Selection {
    fn ends(&self) -> (Point, Point) {
        (self.anchor.min(self.head), self.anchor.max(self.head))
    }

    /// The first and the last row. Of lines that are joined, all rows are in it.
    pub(crate) fn rows(&self, text: &Text, joined: bool) -> (u64, u64) {
        let (first, last) = self.ends();
        match self.kind {
            Kind::Lines if joined => (text.line_start(first.row), text.line_end(last.row)),
            Kind::Chars | Kind::Lines | Kind::Block => (first.row, last.row),
        }
    }
}

/// The columns of a row that are selected: from one up to another, which may be beyond the end.
pub(crate) fn selected_cols(text: &Text, selection: &Selection, joined: bool, row: u64) -> Option<(u16, u16)> {
    let (first_row, last_row) = selection.rows(text, joined);
    if !(first_row..=last_row).contains(&row) {
        return None;
    }
    let lead = |col: u16| text.row(row).map_or(col, |packed| packed.lead(col));
    let behind = |col: u16| text.row(row).map_or(col.saturating_add(1), |packed| packed.behind(packed.lead(col)));
    let (first, last) = selection.ends();
    Some(match selection.kind {
        Kind::Lines => (0, u16::MAX),
        Kind::Chars => {
            let from = if row == first.row { lead(first.col) } else { 0 };
            (from, if row == last.row { behind(last.col) } else { u16::MAX })
        }
        Kind::Block => {
            let cols = (selection.anchor.col, selection.head.col);
            (lead(cols.0.min(cols.1)), behind(cols.0.max(cols.1)))
        }
    })
}

/// Returns the selected text: blanks at the ends of lines and blank rows at its end are cut, and with `joined` a line that was wrapped is one. Of filtered rows only those
/// that are shown. None while rows of it are not at hand yet.
pub(crate) fn copied(text: &Text, selection: &Selection, filter: Option<&Filter>, joined: bool) -> Option<String> {
    let (first, last) = selection.rows(text, joined);
    let rows: Vec<u64> = match filter {
        Some(filter) => filter.rows_from(filter.above(first)).take_while(|row| *row <= last).collect(),
        None => (first..=last).collect(),
    };
    let mut copy = String::new();
    let trim = |copy: &mut String| copy.truncate(copy.trim_end_matches(' ').len());
    for (at, number) in rows.iter().enumerate() {
        let row = text.row(*number)?;
        let (from, to) = selected_cols(text, selection, joined, *number).unwrap_or((0, 0));
        let is_followed = rows.get(at + 1) == Some(&(number + 1));
        let goes_on = joined && row.wrapped && is_followed && selection.kind != Kind::Block;
        let slice = row.slice(from, to);
        let begin = row.text().len() - row.slice(from, u16::MAX).len();
        // A line that goes on has no blank that a wide character did not fit into.
        copy.push_str(if goes_on { text.part(*number).get(begin..).unwrap_or_default() } else { slice });
        if !goes_on {
            trim(&mut copy);
            if at + 1 < rows.len() {
                copy.push('\n');
            }
        }
    }
    // What is below the text on a screen is no part of it.
    copy.truncate(copy.trim_end_matches(['\n', ' ']).len());
    Some(copy)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{Cell, Size};
    use crate::tui::tests::stage::{frame, text_row};

    fn text() -> Text {
        let mut shown = frame(Size::clamped(6, 6), &["abcdef", "gh", "one  x", "", "two"]);
        for row in [0, 2] {
            Arc::make_mut(&mut shown.rows[row]).wrapped = row == 0;
        }
        // A wide character that did not fit at the end of a row.
        let mut wide = text_row("12345", 6);
        wide.wrapped = true;
        let mut next = text_row("  6", 6);
        next.cells[0] = Cell { text: "界".into(), width: 2, ..Cell::default() };
        next.cells[1] = Cell { text: "".into(), width: 0, ..Cell::default() };
        (shown.rows[4], shown.rows[5]) = (Arc::new(wide), Arc::new(next));
        let mut text = Text::default();
        text.show(&shown);
        text
    }

    fn copy(kind: Kind, from: (u64, u16), to: (u64, u16), joined: bool) -> String {
        let point = |(row, col)| Point { row, col };
        let selection = Selection { kind, anchor: point(from), head: point(to) };
        let back = Selection { anchor: selection.head, head: selection.anchor, ..selection };
        let text = text();
        let taken = copied(&text, &selection, None, joined).expect("all at hand");
        assert_eq!(copied(&text, &back, None, joined).as_ref(), Some(&taken), "the other way round");
        taken
    }

    #[test]
    fn blank_rows_behind_the_text_are_not_copied_and_those_within_are() {
        let mut text = Text::default();
        text.show(&frame(Size::clamped(6, 6), &["one", "", "two  ", "", ""]));
        let point = |row, col| Point { row, col };
        for kind in [Kind::Chars, Kind::Lines, Kind::Block] {
            for joined in [true, false] {
                let selection = Selection { kind, anchor: point(0, 0), head: point(5, 5) };
                assert_eq!(copied(&text, &selection, None, joined).as_deref(), Some("one\n\ntwo"), "{kind:?}");
            }
        }
    }

    #[test]
    fn wrapped_lines_are_joined_or_copied_as_they_are_shown() {
        assert_eq!(copy(Kind::Chars, (0, 2), (2, 1), true), "cdefgh\non");
        assert_eq!(copy(Kind::Chars, (0, 2), (2, 1), false), "cdef\ngh\non");
        assert_eq!(copy(Kind::Lines, (1, 0), (1, 0), true), "abcdefgh", "a line is all of it");
        assert_eq!(copy(Kind::Lines, (1, 0), (1, 0), false), "gh");
        assert_eq!(copy(Kind::Chars, (4, 1), (5, 2), true), "2345界6", "a filler is no part of the text");
    }

    #[test]
    fn blanks_at_the_end_are_cut_and_half_a_character_is_a_whole_one() {
        assert_eq!(copy(Kind::Chars, (2, 0), (2, 4), true), "one");
        assert_eq!(copy(Kind::Chars, (2, 0), (3, 5), true), "one  x");
        assert_eq!(copy(Kind::Block, (0, 1), (2, 2), true), "bc\nh\nne");
        assert_eq!(copy(Kind::Chars, (5, 1), (5, 1), true), "界");
    }
}
