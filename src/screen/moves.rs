//! Moving, scrolling, erasing, inserting and deleting, as xterm does it.

use super::grid::Place;
use super::styles::Pen;
use super::terminal::Terminal;

impl Terminal {
    /// Moves the cursor to column 0.
    pub(super) fn carriage_return(&mut self) {
        self.grid.carriage_return();
    }

    /// Moves the cursor down, scrolling at the bottom of the region.
    pub(super) fn index(&mut self) {
        let place = self.grid.place();
        if place.wraps {
            self.grid.goto(place.row, place.col);
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
            self.scroll_down(1);
        } else if place.row > 0 {
            self.grid.goto(place.row - 1, place.col);
        }
    }

    /// Moves the cursor to a cell counted from 0, in the region when origin mode is on.
    pub(super) fn address(&mut self, row: u16, col: u16) {
        let (top, bottom) = if self.origin { self.margins } else { (0, self.size.rows() - 1) };
        let row = row.saturating_add(top).min(bottom);
        self.grid.goto(row, col.min(self.size.cols() - 1));
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

    /// Moves right by columns or, for HPR, the same.
    pub(super) fn right(&mut self, count: u16) {
        self.grid.csi(count, b'C');
    }

    /// Moves left; in reverse-wrap mode past the start of a row to the end of the one above.
    pub(super) fn left(&mut self, count: u16) {
        let place = self.grid.place();
        if !self.reverse_wrap || !self.autowrap {
            self.grid.goto(place.row, place.col.saturating_sub(count));
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
        self.grid.csi(col.saturating_add(1), b'G');
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
            self.grid.csi(col + 1, b'G');
        }
    }

    pub(super) fn back_tab(&mut self, count: u16) {
        let place = self.grid.place();
        let col = self.tabs.previous(place.col, count);
        self.grid.csi(col + 1, b'G');
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
        let protected = self.grid.is_protected(place.row, start);
        self.grid.goto(place.row, start);
        self.grid.set_pen(Pen { style: cell.style, protected, erases: false });
        let text = if cell.text.is_empty() { " " } else { cell.text.as_str() };
        let text = text.replace('\u{fffd}', &super::line::REPLACEMENT_MARK.to_string());
        self.grid.put(text.as_bytes());
    }

    pub(super) fn scroll_up(&mut self, count: u16) {
        let count = count.min(self.region_rows());
        let place = self.grid.place();
        self.grid.csi(count, b'S');
        self.colour_rows(self.margins.1 + 1 - count..self.margins.1 + 1, place);
    }

    pub(super) fn scroll_down(&mut self, count: u16) {
        let count = count.min(self.region_rows());
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
        self.carriage_return();
        self.grid.csi(count, b'M');
        self.colour_rows(self.margins.1 + 1 - count..self.margins.1 + 1, Place { row: place.row, ..Place::default() });
    }

    pub(super) fn insert_blanks(&mut self, count: u16) {
        let place = self.grid.place();
        let count = count.min(self.size.cols() - place.col);
        self.grid.csi(count, b'@');
        if self.has_background() && !place.wraps {
            self.grid.set_erased(self.style.background);
            self.grid.csi(count, b'X');
        }
    }

    pub(super) fn delete_cells(&mut self, count: u16) {
        let place = self.grid.place();
        let count = count.min(self.size.cols() - place.col);
        self.grid.csi(count, b'P');
        if self.has_background() && !place.wraps {
            self.grid.set_erased(self.style.background);
            self.grid.goto(place.row, self.size.cols() - count);
            self.grid.put_in_place(b"\x1b[K");
            self.grid.goto(place.row, place.col);
        }
    }

    pub(super) fn erase_cells(&mut self, count: u16) {
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

    /// Erases what is not protected of the line (DECSEL) or, with `screen`, of the screen (DECSED).
    pub(super) fn erase_selectively(&mut self, part: u16, screen: bool) {
        let place = self.grid.place();
        let (cols, rows) = (self.size.cols(), self.size.rows());
        let range = match (part, screen) {
            (0, false) => place.row..place.row + 1,
            (0, true) => place.row..rows,
            (1, true) => 0..place.row + 1,
            (1 | 2, false) => place.row..place.row + 1,
            (2, true) => 0..rows,
            _ => return,
        };
        self.grid.set_erased(self.style.background);
        for row in range {
            let from = if part == 0 && row == place.row { place.col + u16::from(place.wraps) } else { 0 };
            let to = if part == 1 && row == place.row { place.col + 1 } else { cols };
            for col in from..to {
                self.grid.flush();
                if !self.grid.is_protected(row, col) {
                    self.grid.goto(row, col);
                    self.grid.put_in_place(b"\x1b[X");
                }
            }
        }
        self.restore_place(place);
    }

    /// Scrolls the region sideways (SL, SR), or shifts what is right of the cursor (DECIC, DECDC), by whole columns.
    pub(super) fn shift_columns(&mut self, count: u16, last: u8, from_cursor: bool) {
        let place = self.grid.place();
        if place.row < self.margins.0 || place.row > self.margins.1 {
            return;
        }
        let col = if from_cursor { place.col } else { 0 };
        for row in self.margins.0..=self.margins.1 {
            self.grid.goto(row, col);
            match last {
                b'@' => self.insert_blanks(count),
                _ => self.delete_cells(count),
            }
        }
        self.restore_place(place);
    }

    /// Fills the screen with E (DECALN).
    pub(super) fn align(&mut self) {
        self.set_margins(1, self.size.rows());
        self.grid.set_pen(Pen::default());
        let row = "E".repeat(self.size.cols().into());
        for number in 0..self.size.rows() {
            self.grid.goto(number, 0);
            self.grid.put(row.as_bytes());
        }
        self.grid.goto(0, 0);
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
