//! Left and right margins (DECLRMM, DECSLRM): what text, moves and edits do between them.
//!
//! The grid knows no such margins, so a part of a row is moved by reading its cells and drawing them elsewhere. Programs that set them are
//! rare; without them nothing of this costs anything.

use super::grid::Place;
use super::styles::Pen;
use super::terminal::Terminal;
use crate::model::{Cell, Color, Style};

/// The margins at the sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sides {
    /// Whether they can be set (mode 69).
    pub(super) enabled: bool,
    /// The first column between them.
    pub(super) left: u16,
    /// The last column between them.
    pub(super) right: u16,
    /// Whether a character was drawn in the last column between them, so that the next one wraps.
    pub(super) wraps: bool,
}

impl Sides {
    /// Makes margins at the edges of a screen of so many columns.
    pub(super) fn none(cols: u16) -> Sides {
        Sides { enabled: false, left: 0, right: cols - 1, wraps: false }
    }
}

impl Terminal {
    /// Returns whether there is a margin at a side.
    pub(super) fn has_sides(&self) -> bool {
        self.sides.left > 0 || self.sides.right < self.size.cols() - 1
    }

    /// Allows or takes away margins at the sides (DECLRMM).
    pub(super) fn enable_sides(&mut self, on: bool) {
        self.sides = Sides { enabled: on, ..Sides::none(self.size.cols()) };
    }

    /// Sets the margins to columns counted from 1, and homes the cursor (DECSLRM).
    pub(super) fn set_sides(&mut self, left: u16, right: u16) {
        let cols = self.size.cols();
        let (left, right) = (left.max(1), if right == 0 { cols } else { right.min(cols) });
        if left < right {
            self.sides = Sides { enabled: true, left: left - 1, right: right - 1, wraps: false };
            self.address(0, 0);
        }
    }

    /// Returns whether a column lies between the margins.
    pub(super) fn is_between(&self, col: u16) -> bool {
        (self.sides.left..=self.sides.right).contains(&col)
    }

    /// Returns the column that CR goes to from a column.
    pub(super) fn line_start(&self, col: u16) -> u16 {
        if self.origin || col >= self.sides.left { self.sides.left } else { 0 }
    }

    /// Returns the last column that can be reached from a column without wrapping.
    pub(super) fn line_end(&self, col: u16) -> u16 {
        if col <= self.sides.right { self.sides.right } else { self.size.cols() - 1 }
    }

    /// Draws one character, wrapping at the right margin.
    pub(super) fn draw_between(&mut self, character: char, width: u16) {
        let place = self.grid.place();
        let mut buffer = [0; 4];
        let text = character.encode_utf8(&mut buffer).as_bytes();
        let waits = std::mem::take(&mut self.sides.wraps) && place.col == self.sides.right && !place.wraps;
        if width == 0 {
            // The grid adds a mark to the character before its cursor.
            if waits {
                self.grid.goto(place.row, place.col + 1);
                self.grid.put(text);
                self.grid.goto(place.row, place.col);
                self.sides.wraps = true;
            } else {
                self.grid.put(text);
            }
            return;
        }
        let end = self.line_end(place.col);
        if waits || place.wraps || place.col + width > end + 1 {
            if self.autowrap {
                self.carriage_return();
                self.index();
            } else {
                self.grid.goto(place.row, (end + 1).saturating_sub(width));
            }
        }
        if self.insert {
            self.insert_blanks(width);
        }
        self.apply_style();
        let place = self.grid.place();
        if place.col + width > self.size.cols() {
            return;
        }
        self.grid.put(text);
        let end = self.line_end(place.col);
        if place.col + width > end && end < self.size.cols() - 1 {
            self.grid.goto(place.row, end);
            self.sides.wraps = true;
        }
    }

    /// Moves the rows from `first` to the bottom margin up or, with a negative count, down, between the margins only.
    pub(super) fn scroll_between(&mut self, first: u16, count: i32) {
        let place = self.grid.place();
        let (left, right, bottom) = (self.sides.left, self.sides.right, self.margins.1);
        self.grid.flush();
        let rows: Vec<Vec<Cell>> = (first..=bottom).map(|row| self.cells_between(row, left, right)).collect();
        for row in first..=bottom {
            let from = i32::from(row - first) + count;
            match usize::try_from(from).ok().and_then(|at| rows.get(at)) {
                Some(cells) => self.put_cells(row, left, cells),
                None => self.blank_cells(row, left, right),
            }
        }
        self.grid.goto(place.row, place.col);
    }

    /// Inserts (a negative count) or deletes lines at the cursor, between the margins only, when it stands there.
    pub(super) fn move_lines_between(&mut self, place: Place, count: i32) {
        if self.is_between(place.col) {
            self.scroll_between(place.row, count);
            self.grid.goto(place.row, self.sides.left);
        }
    }

    /// Moves the cells from the cursor to the right margin to the right or, with a negative count, to the left.
    pub(super) fn shift_between(&mut self, count: i32) {
        let place = self.grid.place();
        if !self.is_between(place.col) {
            return;
        }
        let right = self.sides.right;
        self.grid.flush();
        let cells = self.cells_between(place.row, place.col, right);
        let blank = Cell { style: self.blank_style(), ..Cell::blank() };
        let at = |to: i32| usize::try_from(to - count).ok().and_then(|from| cells.get(from)).unwrap_or(&blank).clone();
        let mut shifted: Vec<Cell> = (0..=i32::from(right - place.col)).map(at).collect();
        mend_halves(&mut shifted);
        self.put_cells(place.row, place.col, &shifted);
        self.grid.goto(place.row, place.col);
    }

    fn blank_style(&self) -> Style {
        Style { background: self.style.background, ..Style::default() }
    }

    /// Returns cells of a row; half of a wide character is a blank.
    fn cells_between(&self, row: u16, left: u16, right: u16) -> Vec<Cell> {
        let cells = self.grid.row(row).cells;
        let mut part = cells[usize::from(left)..=usize::from(right)].to_vec();
        mend_halves(&mut part);
        part
    }

    fn blank_cells(&mut self, row: u16, left: u16, right: u16) {
        self.grid.set_erased(self.style.background);
        self.grid.goto(row, left);
        self.grid.csi(right - left + 1, b'X');
    }

    /// Draws cells from a column on, over what is there.
    fn put_cells(&mut self, row: u16, col: u16, cells: &[Cell]) {
        for (at, cell) in cells.iter().enumerate().filter(|(_, cell)| cell.width > 0) {
            self.grid.goto(row, col + at as u16);
            let erased = Style { background: cell.style.background, ..Style::default() };
            if cell.text.is_empty() && cell.style == erased {
                self.grid.set_erased(erased.background);
                self.grid.csi(1, b'X');
            } else {
                self.grid.set_pen(Pen { style: cell.style, erases: false });
                self.grid.put_shown(if cell.text.is_empty() { " " } else { &cell.text });
            }
        }
        self.grid.flush();
    }
}

/// Makes blanks of halves of wide characters whose other half is missing.
fn mend_halves(cells: &mut [Cell]) {
    let mut owed = false;
    for at in 0..cells.len() {
        let is_half = cells[at].width == 2 && cells.get(at + 1).is_none_or(|next| next.width != 0);
        if is_half || cells[at].width == 0 && !owed {
            let background: Color = cells[at].style.background;
            cells[at] = Cell { style: Style { background, ..Style::default() }, ..Cell::blank() };
        }
        owed = cells[at].width == 2;
    }
}
