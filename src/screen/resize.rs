//! Another size: soft wraps of the main screen are made anew, rows move between screen and history.

use super::cells::starts_wide;
use super::grid::Place;
use super::terminal::Terminal;
use crate::model::{Cell, Row, Size};

/// A screen that is being laid out anew, from the top.
struct Layout {
    rows: Vec<Row>,
    place: Place,
}

impl Terminal {
    /// Gives both screens another size.
    pub(super) fn resize(&mut self, size: Size) {
        let old = self.size;
        let alternate = self.modes.alternate_screen;
        let shown_place = self.grid.place();
        let alternate_rows = alternate.then(|| self.read_rows());
        if alternate {
            self.grid.put(b"\x1b[?47l");
        }
        self.grid.flush();
        // On the alternate screen the main one's cursor is what was saved when it was left.
        let main_place = if alternate { self.saved[0].place } else { shown_place };
        let main_rows = self.read_rows();
        let joined = self.top_is_joined();

        self.grid.remake(size);
        self.size = size;
        self.margins = (0, size.rows() - 1);
        self.enable_sides(self.sides.enabled);
        let main = self.lay_out_main(main_rows, main_place, joined, old);
        self.grid.draw(&main.rows);
        if alternate {
            self.saved[0].place = main.place;
        } else {
            self.restore_place(main.place);
        }
        if let Some(rows) = alternate_rows {
            let fit = lay_out_plain(rows, shown_place, size);
            self.grid.put(b"\x1b[?47h");
            self.grid.draw(&fit.rows);
            self.restore_place(fit.place);
        }
        self.grid.flush();
    }

    fn read_rows(&mut self) -> Vec<Row> {
        self.grid.flush();
        (0..self.grid.size().rows()).map(|row| self.grid.row(row)).collect()
    }

    /// Returns whether the first row of the main screen goes on the last line of the history. The first row is spent on it.
    fn top_is_joined(&mut self) -> bool {
        self.grid.behind().begin_probe();
        let rows = self.grid.size().rows();
        self.grid.csi2(1, rows, b'r');
        self.grid.csi(1, b'S');
        let behind = self.grid.behind();
        behind.end_probe() && behind.history.is_open()
    }

    fn lay_out_main(&mut self, rows: Vec<Row>, place: Place, joined: bool, old: Size) -> Layout {
        let size = self.size;
        let history = self.grid.history();
        if !joined {
            history.end_line();
        }
        let old_rows = rows.len();
        let used = rows
            .iter()
            .rposition(|row| row.cells.iter().any(|cell| *cell != Cell::blank()))
            .map_or(0, |at| at + 1)
            .max(usize::from(place.row) + 1);
        let mut rows = rows;
        rows.truncate(used);
        let mut place = place;
        if size.cols() != old.cols() {
            // The line that started in the history is wrapped as a whole.
            let mut before = Vec::new();
            if joined && let Some(line) = history.pop_line() {
                line.view().wrap(old.cols(), &mut before);
                if let Some(last) = before.last_mut() {
                    last.wrapped = true;
                }
            }
            let cursor_row = before.len() + usize::from(place.row);
            before.append(&mut rows);
            let (wrapped, row, col, wraps) = rewrap(&before, cursor_row, place, size.cols());
            rows = wrapped;
            history.set_width(size.cols());
            let overflow = rows.len().saturating_sub(size.rows().into()).min(row);
            push_rows(history, &rows[..rows.len().min(overflow + 1)], overflow);
            rows.drain(..overflow);
            place = Place { row: (row - overflow).min(usize::from(size.rows()) - 1) as u16, col, wraps };
        } else {
            let overflow = rows.len().saturating_sub(size.rows().into()).min(place.row.into());
            push_rows(history, &rows[..rows.len().min(overflow + 1)], overflow);
            rows.drain(..overflow);
            place.row -= overflow as u16;
        }
        rows.truncate(size.rows().into());
        place.row = place.row.min(size.rows() - 1);
        // Rows come back for the height that was gained, and for what wrapping saved.
        let gained = usize::from(size.rows()).saturating_sub(old_rows) + used.saturating_sub(rows.len()).min(used);
        let wanted = gained.min(usize::from(size.rows()) - rows.len());
        let mut pulled = pull_rows(history, wanted, size.cols());
        place.row += pulled.len() as u16;
        pulled.append(&mut rows);
        Layout { rows: pulled, place }
    }
}

/// Cuts or extends rows without wrapping; rows above the cursor go when there are too many.
fn lay_out_plain(mut rows: Vec<Row>, place: Place, size: Size) -> Layout {
    let overflow = (place.row + 1).saturating_sub(size.rows());
    rows.drain(..usize::from(overflow));
    rows.truncate(size.rows().into());
    let col = place.col.min(size.cols() - 1);
    for row in &mut rows {
        if row.cells.len() > size.cols().into() {
            row.cells.truncate(size.cols().into());
            if let Some(last) = row.cells.last_mut().filter(|cell| cell.width == 2) {
                *last = Cell::blank();
            }
        }
        row.wrapped = false;
    }
    Layout { rows, place: Place { row: place.row - overflow, col, wraps: false } }
}

/// Wraps rows to another width; returns them with the cursor's row, column and pending wrap.
fn rewrap(rows: &[Row], cursor_row: usize, place: Place, cols: u16) -> (Vec<Row>, usize, u16, bool) {
    let mut out: Vec<Row> = Vec::new();
    let mut cursor = (0, 0, false);
    let mut start = 0;
    while start < rows.len() {
        let end = (start..rows.len()).find(|&at| !rows[at].wrapped).unwrap_or(rows.len() - 1);
        let mut cells: Vec<Cell> = Vec::new();
        let mut cursor_at = None;
        for (at, row) in rows.iter().enumerate().take(end + 1).skip(start) {
            if at == cursor_row {
                cursor_at = Some(cells.len() + usize::from(place.col));
            }
            let text = &row.cells[..row.cells.len() - usize::from(row.wrapped && leaves_free(row, rows.get(at + 1)))];
            cells.extend(text.iter().cloned());
        }
        let kept = cells.iter().rposition(|cell| *cell != Cell::blank()).map_or(0, |at| at + 1);
        cells.truncate(kept);
        let first = out.len();
        let mut row = Row::default();
        let mut taken = 0;
        // Where each cell of the line went, as far as the cursor needs it.
        let mut spot = None;
        for cell in cells {
            if row.cells.len() + usize::from(cell.width.max(1)) > usize::from(cols) && cell.width > 0 {
                row.wrapped = true;
                out.push(std::mem::take(&mut row));
            }
            if cursor_at == Some(taken) {
                spot = Some((out.len(), row.cells.len()));
            }
            row.cells.push(cell);
            taken += 1;
        }
        if let Some(at) = cursor_at {
            let (spot_row, spot_col) = spot.unwrap_or_else(|| {
                // In the blanks after the text.
                (out.len(), row.cells.len() + (at - taken))
            });
            let last = usize::from(cols) - 1;
            let waits = place.wraps && spot.is_some() && spot_col == last;
            cursor = (spot_row, spot_col.min(last), waits);
            if place.wraps && spot.is_some() && spot_col < last {
                cursor.1 = spot_col + 1;
            }
        }
        debug_assert!(out.len() >= first, "rows are only added");
        out.push(row);
        start = end + 1;
    }
    (out, cursor.0, cursor.1 as u16, cursor.2)
}

/// Returns whether the last column was left free for want of room for a wide character.
fn leaves_free(row: &Row, next: Option<&Row>) -> bool {
    row.cells.last().is_some_and(|cell| cell.width == 1 && cell.text.is_empty()) && next.is_some_and(starts_wide)
}

/// Appends the first `count` rows to the history; the one after them is only looked at.
fn push_rows(history: &mut super::history::History, rows: &[Row], count: usize) {
    for (at, row) in rows.iter().enumerate().take(count) {
        history.begin_row();
        let kept = if row.wrapped {
            row.cells.len() - usize::from(leaves_free(row, rows.get(at + 1)))
        } else {
            row.cells.iter().rposition(|cell| *cell != Cell::blank()).map_or(0, |at| at + 1)
        };
        for cell in row.cells.iter().take(kept).filter(|cell| cell.width > 0) {
            history.push_cell(if cell.text.is_empty() { " " } else { &cell.text }, cell.style);
        }
        if !row.wrapped {
            history.end_line();
        }
    }
}

/// Takes up to `wanted` rows back from the end of the history.
fn pull_rows(history: &mut super::history::History, wanted: usize, cols: u16) -> Vec<Row> {
    let mut pulled: Vec<Row> = Vec::new();
    while pulled.len() < wanted {
        let open = history.is_open();
        let Some(line) = history.pop_line() else { break };
        let mut rows = Vec::new();
        line.view().wrap(cols, &mut rows);
        if open && let Some(last) = rows.last_mut() {
            last.wrapped = true;
        }
        for row in &mut rows {
            let missing = usize::from(cols).saturating_sub(row.cells.len());
            row.cells.extend(std::iter::repeat_n(Cell::blank(), missing));
        }
        let spare = (pulled.len() + rows.len()).saturating_sub(wanted);
        let kept: Vec<Row> = rows.drain(..spare).collect();
        let has_kept = !kept.is_empty();
        push_rows(history, &kept, kept.len());
        rows.append(&mut pulled);
        pulled = rows;
        if has_kept {
            break;
        }
    }
    pulled
}
