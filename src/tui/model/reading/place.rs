//! A cursor in the rows of a run, and how it moves.

use super::Text;

/// A cell: the number of its row, and its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Point {
    pub(crate) row: u64,
    pub(crate) col: u16,
}

/// A move within the text, as `vi` has it; up and down are moves of the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Motion {
    Left,
    Right,
    WordForward,
    WordBack,
    WordEnd,
    LineStart,
    FirstText,
    LineEnd,
    ParagraphBack,
    ParagraphForward,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    Word,
    Other,
}

/// Returns where a move leads from a cell.
pub(crate) fn moved(text: &Text, from: Point, motion: Motion) -> Point {
    let col = text.row(from.row).map_or(from.col, |row| row.lead(from.col));
    let from = Point { col, ..from };
    match motion {
        Motion::Left => Point { col: lead(text, from.row, col.saturating_sub(1)), ..from },
        Motion::Right => {
            let next = text.row(from.row).map_or(col.saturating_add(1), |row| row.behind(col));
            if next < text.width() { Point { col: next, ..from } } else { from }
        }
        Motion::WordForward => word_forward(text, from),
        Motion::WordBack => word_back(text, from),
        Motion::WordEnd => word_end(text, from),
        Motion::LineStart => Point { col: 0, ..from },
        Motion::FirstText => Point { col: first_text(text, from.row), ..from },
        Motion::LineEnd => Point { col: last_col(text, from.row), ..from },
        Motion::ParagraphBack => paragraph(text, from, false),
        Motion::ParagraphForward => paragraph(text, from, true),
    }
}

/// Returns the word, or what else stands together, around a cell: its first and last cell.
pub(crate) fn word_at(text: &Text, at: Point) -> (Point, Point) {
    let class = class(text, at);
    let (mut first, mut last) = (at, at);
    while let Some(before) = before(text, first).filter(|point| is_joined(text, *point, first)) {
        if self::class(text, before) != class {
            break;
        }
        first = before;
    }
    while let Some(after) = after(text, last).filter(|point| is_joined(text, last, *point)) {
        if self::class(text, after) != class {
            break;
        }
        last = after;
    }
    (first, last)
}

fn lead(text: &Text, row: u64, col: u16) -> u16 {
    text.row(row).map_or(col, |packed| packed.lead(col))
}

/// The last column with text; the first of a blank row.
fn last_col(text: &Text, row: u64) -> u16 {
    let used = text.row(row).map_or(0, |packed| packed.col(packed.text().trim_end_matches(' ').len()));
    lead(text, row, used.saturating_sub(1))
}

fn first_text(text: &Text, row: u64) -> u16 {
    let Some(packed) = text.row(row) else { return 0 };
    let blanks = packed.text().len() - packed.text().trim_start_matches(' ').len();
    if blanks == packed.text().len() { 0 } else { packed.col(blanks) }
}

fn class(text: &Text, at: Point) -> Class {
    let Some(row) = text.row(at.row) else { return Class::Blank };
    match row.slice(at.col, row.behind(at.col)).chars().next() {
        None | Some(' ') => Class::Blank,
        Some(c) if c.is_alphanumeric() || c == '_' => Class::Word,
        Some(_) => Class::Other,
    }
}

/// The cell after another; that of a row's end is the first of the next row.
fn after(text: &Text, at: Point) -> Option<Point> {
    let row = text.row(at.row)?;
    let next = row.behind(at.col);
    if usize::from(next) < row.cols() {
        return Some(Point { col: next, ..at });
    }
    text.row(at.row + 1).map(|_| Point { row: at.row + 1, col: 0 })
}

fn before(text: &Text, at: Point) -> Option<Point> {
    if at.col > 0 {
        return Some(Point { col: lead(text, at.row, at.col - 1), ..at });
    }
    let row = at.row.checked_sub(1)?;
    let packed = text.row(row)?;
    let col = u16::try_from(packed.cols()).unwrap_or(u16::MAX).saturating_sub(1);
    Some(Point { row, col: packed.lead(col) })
}

/// Whether two cells, one after the other, are not parted by the end of a line.
fn is_joined(text: &Text, first: Point, second: Point) -> bool {
    first.row == second.row || text.row(first.row).is_some_and(|row| row.wrapped)
}

fn word_forward(text: &Text, from: Point) -> Point {
    let (mut at, mut class_before) = (from, class(text, from));
    while let Some(next) = after(text, at) {
        let class = class(text, next);
        let begins = class != class_before || !is_joined(text, at, next);
        if class != Class::Blank && begins {
            return next;
        }
        (at, class_before) = (next, class);
    }
    at
}

fn word_back(text: &Text, from: Point) -> Point {
    let mut at = from;
    while let Some(previous) = before(text, at) {
        at = previous;
        if class(text, at) != Class::Blank {
            return word_at(text, at).0;
        }
    }
    at
}

fn word_end(text: &Text, from: Point) -> Point {
    let mut at = from;
    while let Some(next) = after(text, at) {
        at = next;
        if class(text, at) != Class::Blank {
            return word_at(text, at).1;
        }
    }
    at
}

/// The next blank row in a direction, beyond the blank rows around the cell; without one the end.
fn paragraph(text: &Text, from: Point, is_down: bool) -> Point {
    let step = |row: u64| if is_down { Some(row + 1) } else { row.checked_sub(1) };
    let is_blank = |row: u64| text.row(row).is_some_and(|packed| packed.text().trim().is_empty());
    let mut row = from.row;
    let mut has_left = !is_blank(row);
    while let Some(next) = step(row).filter(|next| text.row(*next).is_some()) {
        row = next;
        if is_blank(row) && has_left {
            break;
        }
        has_left |= !is_blank(row);
    }
    Point { row, col: 0 }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{Frame, Size};
    use crate::tui::tests::stage::frame;

    fn text(lines: &[&str]) -> Text {
        let shown: Frame = frame(Size::clamped(12, 8), lines);
        let mut text = Text::default();
        text.show(&Arc::new(shown));
        text
    }

    fn walk(text: &Text, motion: Motion, from: (u64, u16), steps: usize) -> Vec<(u64, u16)> {
        let mut at = Point { row: from.0, col: from.1 };
        (0..steps)
            .map(|_| {
                at = moved(text, at, motion);
                (at.row, at.col)
            })
            .collect()
    }

    #[test]
    fn words_are_walked_as_vi_does() {
        let text = text(&["foo_1 -> bar", "", "  baz."]);
        assert_eq!(walk(&text, Motion::WordForward, (0, 0), 4), [(0, 6), (0, 9), (2, 2), (2, 5)]);
        assert_eq!(walk(&text, Motion::WordEnd, (0, 0), 4), [(0, 4), (0, 7), (0, 11), (2, 4)]);
        assert_eq!(walk(&text, Motion::WordBack, (2, 5), 4), [(2, 2), (0, 9), (0, 6), (0, 0)]);
        assert_eq!(walk(&text, Motion::WordBack, (0, 0), 1), [(0, 0)]);
    }

    #[test]
    fn ends_of_rows_and_paragraphs_are_reached() {
        let text = text(&["  one", "two", "", "", "three", "four"]);
        let one = |motion, from| walk(&text, motion, from, 1)[0];
        assert_eq!(one(Motion::FirstText, (0, 9)), (0, 2));
        assert_eq!(one(Motion::LineEnd, (0, 0)), (0, 4));
        assert_eq!(one(Motion::LineStart, (0, 4)), (0, 0));
        assert_eq!(one(Motion::ParagraphForward, (0, 0)), (2, 0));
        assert_eq!(one(Motion::ParagraphForward, (2, 0)), (6, 0));
        assert_eq!(one(Motion::ParagraphBack, (5, 2)), (3, 0));
        assert_eq!(one(Motion::ParagraphBack, (1, 0)), (0, 0));
        assert_eq!(one(Motion::Right, (0, 11)), (0, 11), "the row has an end");
        assert_eq!(one(Motion::Left, (0, 0)), (0, 0));
    }
}
