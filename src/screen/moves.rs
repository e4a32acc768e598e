//! Moving, scrolling, erasing, inserting and deleting, as xterm does it.

use super::grid::Place;
use super::styles::Pen;
use super::terminal::Terminal;

impl Terminal {
    /// Moves the cursor to the start of the line.
    pub(super) fn carriage_return(&mut self) {
        if self.has_sides() {
            let place = self.grid.place();
            self.grid.csi(self.line_start(place.col) + 1, b'G');
        } else {
            self.grid.carriage_return();
        }
    }

    /// Moves the cursor down, scrolling at the bottom of the region.
    pub(super) fn index(&mut self) {
        let place = self.grid.place();
        if place.wraps {
            self.grid.goto(place.row, place.col);
        }
        if self.has_sides() && place.row == self.margins.1 {
            if self.is_between(place.col) {
                self.scroll_between(self.margins.0, 1);
            }
            return;
        }
        self.grid.put(b"\n");
        if place.row == self.margins.1 && self.has_background() {
            self.grid.set_erased(self.style.background);
            self.grid.put_in_place(b"\x1b[2K");
        }
    }

    /// Moves the cursor up, scrolling at the top of the region.
    pub(super) fn reverse_index(&mut self) {
        let place = self.grid.place();
        if place.row == self.margins.0 {
            if self.is_between(place.col) {
                self.scroll_down(1);
            }
        } else if place.row > 0 {
            self.grid.goto(place.row - 1, place.col);
        }
    }

    /// Moves the cursor to a cell counted from 0, in the region when origin mode is on.
    pub(super) fn address(&mut self, row: u16, col: u16) {
        let (top, bottom) = if self.origin { self.margins } else { (0, self.size.rows() - 1) };
        let (left, right) = if self.origin { (self.sides.left, self.sides.right) } else { (0, self.size.cols() - 1) };
        self.grid.goto(row.saturating_add(top).min(bottom), col.saturating_add(left).min(right));
    }

    pub(super) fn up(&mut self, count: u16) {
        let place = self.grid.place();
        let top = if place.row >= self.margins.0 { self.margins.0 } else { 0 };
        self.grid.goto(place.row.saturating_sub(count).max(top), place.col);
    }

    pub(super) fn down(&mut self, count: u16) {
        let place = self.grid.place();
        let bottom = if place.row <= self.margins.1 { self.margins.1 } else { self.size.rows() - 1 };
        self.grid.goto(place.row.saturating_add(count).min(bottom), place.col);
    }

    /// Moves down whatever the margins are, but in the region when origin mode is on (VPR).
    pub(super) fn line_down(&mut self, count: u16) {
        let place = self.grid.place();
        let bottom = if self.origin { self.margins.1 } else { self.size.rows() - 1 };
        self.grid.goto(place.row.saturating_add(count).min(bottom), place.col);
    }

    /// Moves right by columns or, for HPR, the same.
    pub(super) fn right(&mut self, count: u16) {
        if self.has_sides() {
            let col = self.grid.place().col;
            self.grid.csi(col.saturating_add(count).min(self.line_end(col)) + 1, b'G');
        } else {
            self.grid.csi(count, b'C');
        }
    }

    /// Moves left; in reverse-wrap mode past the start of a row to the end of the one above.
    pub(super) fn left(&mut self, count: u16) {
        let place = self.grid.place();
        if !self.reverse_wrap || !self.autowrap {
            // By column, so that a backspace touches one row.
            let start = if place.col >= self.sides.left { self.sides.left } else { 0 };
            self.grid.csi(place.col.saturating_sub(count).max(start) + 1, b'G');
            return;
        }
        let cols = u32::from(self.size.cols());
        let rows = u32::from(self.size.rows());
        // A cursor that waits to wrap takes one step to its own column.
        let steps = u32::from(count) - u32::from(place.wraps);
        let offset = u32::from(place.row) * cols + u32::from(place.col);
        let target = (offset + rows * cols - steps % (rows * cols)) % (rows * cols);
        let (row, col) = (target / cols, target % cols);
        self.grid.goto(row as u16, col as u16);
    }

    /// Moves to a column counted from 0.
    pub(super) fn column(&mut self, col: u16) {
        if self.origin && self.has_sides() {
            self.grid.csi(col.saturating_add(self.sides.left).min(self.sides.right) + 1, b'G');
        } else {
            self.grid.csi(col.saturating_add(1), b'G');
        }
    }

    /// Moves to a row counted from 0, in the region when origin mode is on.
    pub(super) fn line(&mut self, row: u16) {
        let col = self.grid.place().col;
        self.address(row, col);
    }

    pub(super) fn tab(&mut self, count: u16) {
        let place = self.grid.place();
        if !place.wraps {
            let col = self.tabs.next(place.col, count, self.size.cols());
            self.grid.csi(col.min(self.line_end(place.col)) + 1, b'G');
        }
    }

    pub(super) fn back_tab(&mut self, count: u16) {
        let place = self.grid.place();
        // A pending wrap stays, as in xterm.
        if !place.wraps {
            self.grid.csi(self.tabs.previous(place.col, count) + 1, b'G');
        }
    }

    fn region_rows(&self) -> u16 {
        self.margins.1 - self.margins.0 + 1
    }

    /// Gives rows the current background, leaving the cursor where it was.
    fn colour_rows(&mut self, rows: std::ops::Range<u16>, place: Place) {
        if self.has_background() {
            self.grid.set_erased(self.style.background);
            for row in rows {
                self.grid.goto(row, 0);
                self.grid.put_in_place(b"\x1b[2K");
            }
            self.restore_place(place);
        }
    }

    /// Puts the cursor back, with a pending wrap where there was one.
    pub(super) fn restore_place(&mut self, place: Place) {
        self.grid.goto(place.row, place.col);
        if !place.wraps {
            return;
        }
        // Only drawing makes the grid wait to wrap, so what is there is drawn again.
        let last = self.size.cols() - 1;
        self.grid.flush();
        let start = if self.grid.cell(place.row, last).width == 0 { last - 1 } else { last };
        let cell = self.grid.cell(place.row, start);
        self.grid.goto(place.row, start);
        self.grid.set_pen(Pen { style: cell.style, erases: false });
        let text = if cell.text.is_empty() { " " } else { cell.text.as_str() };
        let text = text.replace('\u{fffd}', &super::line::REPLACEMENT_MARK.to_string());
        self.grid.put(text.as_bytes());
    }

    pub(super) fn scroll_up(&mut self, count: u16) {
        let count = count.min(self.region_rows());
        if self.has_sides() {
            return self.scroll_between(self.margins.0, count.into());
        }
        let place = self.grid.place();
        self.grid.csi(count, b'S');
        self.colour_rows(self.margins.1 + 1 - count..self.margins.1 + 1, place);
    }

    pub(super) fn scroll_down(&mut self, count: u16) {
        let count = count.min(self.region_rows());
        if self.has_sides() {
            return self.scroll_between(self.margins.0, -i32::from(count));
        }
        let place = self.grid.place();
        self.grid.csi(count, b'T');
        self.colour_rows(self.margins.0..self.margins.0 + count, place);
    }

    pub(super) fn insert_lines(&mut self, count: u16) {
        let place = self.grid.place();
        if place.row < self.margins.0 || place.row > self.margins.1 {
            return;
        }
        let count = count.min(self.margins.1 + 1 - place.row);
        if self.has_sides() {
            return self.move_lines_between(place, -i32::from(count));
        }
        self.carriage_return();
        self.grid.csi(count, b'L');
        self.colour_rows(place.row..place.row + count, Place { row: place.row, ..Place::default() });
    }

    pub(super) fn delete_lines(&mut self, count: u16) {
        let place = self.grid.place();
        if place.row < self.margins.0 || place.row > self.margins.1 {
            return;
        }
        let count = count.min(self.margins.1 + 1 - place.row);
        if self.has_sides() {
            return self.move_lines_between(place, count.into());
        }
        self.carriage_return();
        self.grid.csi(count, b'M');
        self.colour_rows(self.margins.1 + 1 - count..self.margins.1 + 1, Place { row: place.row, ..Place::default() });
    }

    /// Makes a cursor that waits to wrap stand on the last column, which it is about to change; returns its place.
    fn stop_waiting(&mut self) -> Place {
        let place = self.grid.place();
        if place.wraps {
            self.grid.goto(place.row, place.col);
        }
        Place { wraps: false, ..place }
    }

    pub(super) fn insert_blanks(&mut self, count: u16) {
        let place = self.stop_waiting();
        let count = count.min(self.size.cols() - place.col);
        if self.has_sides() {
            return self.shift_between(count.into());
        }
        self.grid.csi(count, b'@');
        if self.has_background() {
            self.grid.set_erased(self.style.background);
            self.grid.csi(count, b'X');
        }
    }

    pub(super) fn delete_cells(&mut self, count: u16) {
        let place = self.stop_waiting();
        let count = count.min(self.size.cols() - place.col);
        if self.has_sides() {
            return self.shift_between(-i32::from(count));
        }
        self.grid.csi(count, b'P');
        if self.has_background() {
            self.grid.set_erased(self.style.background);
            self.grid.goto(place.row, self.size.cols() - count);
            self.grid.put_in_place(b"\x1b[K");
            self.grid.goto(place.row, place.col);
        }
    }

    pub(super) fn erase_cells(&mut self, count: u16) {
        self.stop_waiting();
        self.grid.set_erased(self.style.background);
        self.grid.csi(count.min(self.size.cols()), b'X');
    }

    pub(super) fn erase_line(&mut self, part: u16) {
        if part <= 2 {
            self.grid.set_erased(self.style.background);
            self.grid.csi(part, b'K');
        }
    }

    pub(super) fn erase_screen(&mut self, part: u16) {
        match part {
            0..=2 => {
                self.grid.set_erased(self.style.background);
                self.grid.csi(part, b'J');
            }
            3 => self.grid.history().clear(),
            _ => {}
        }
    }

    /// Scrolls the region sideways (SL, SR), or shifts what is right of the cursor (DECIC, DECDC), by whole columns.
    pub(super) fn shift_columns(&mut self, count: u16, last: u8, from_cursor: bool) {
        let place = self.grid.place();
        if place.row < self.margins.0 || place.row > self.margins.1 {
            return;
        }
        if self.has_sides() && from_cursor && !self.is_between(place.col) {
            return;
        }
        let col = if from_cursor { place.col } else { self.sides.left };
        for row in self.margins.0..=self.margins.1 {
            self.grid.goto(row, col);
            match last {
                b'@' => self.insert_blanks(count),
                _ => self.delete_cells(count),
            }
        }
        self.restore_place(place);
    }

    /// Fills the screen with E (DECALN). The margins go; the cursor stays.
    pub(super) fn align(&mut self) {
        let place = self.grid.place();
        self.margins = (0, self.size.rows() - 1);
        self.enable_sides(self.sides.enabled);
        self.apply_margins();
        self.grid.set_pen(Pen::default());
        let row = "E".repeat(self.size.cols().into());
        for number in 0..self.size.rows() {
            self.grid.goto(number, 0);
            self.grid.put(row.as_bytes());
        }
        self.grid.goto(place.row, place.col);
    }

    /// Sets the scrolling region to rows counted from 1, and homes the cursor (DECSTBM).
    pub(super) fn set_margins(&mut self, top: u16, bottom: u16) {
        let rows = self.size.rows();
        let bottom = if bottom == 0 { rows } else { bottom.min(rows) };
        let top = top.max(1);
        if top < bottom || rows == 1 {
            self.margins = (top.min(rows) - 1, bottom - 1);
            self.apply_margins();
            self.address(0, 0);
        }
    }

    /// Tells the grid the margins. The cursor is left anywhere.
    pub(super) fn apply_margins(&mut self) {
        self.grid.csi2(self.margins.0 + 1, self.margins.1 + 1, b'r');
    }
}
