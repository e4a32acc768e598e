//! The grid of cells: `vt100`, kept from doing what it does wrongly, guarded, and read as rows of the model.
//!
//! It is given only text, CR, LF, BS, cursor addressing, erasing, inserting, deleting, scrolling, margins, SGR and the plain
//! switch of screens; everything else of a terminal is made from these by the layers above.

use std::cell::Cell as Flag;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::cells::{read_cell, read_row, starts_wide};
use super::history::History;
use super::line::{FILLER_MARK, REPLACEMENT_MARK};
use super::rest::{Rested, least_parser, nothing_behind, parser};
use super::scrolled::Behind;
use super::styles::{Pen, StyleTable, push_number};
use super::touched::{Touched, touched_by};
use crate::model::{Cell, Color, Row, Size, Style};

/// Bytes for the grid are collected up to this many before they are processed.
const PENDING_BYTES: usize = 16 * 1024;

thread_local! {
    static GUARDED: Flag<bool> = const { Flag::new(false) };
}

/// Returns whether this thread is inside the screen's panic guard: a panic hook should leave such a panic alone, because it
/// is caught and mended.
pub fn is_guarded() -> bool {
    GUARDED.get()
}

/// Where the next character goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    pub(super) row: u16,
    /// Less than the columns.
    pub(super) col: u16,
    /// Whether the last column has been written, so that the next character wraps.
    pub(super) wraps: bool,
}

/// A grid of cells with a cursor.
pub(super) struct Grid {
    /// The least one while the grid rests.
    parser: vt100::Parser<Behind>,
    rested: Option<Rested>,
    size: Size,
    pending: Vec<u8>,
    /// What the grid draws with, once the pending bytes are processed.
    pen: Pen,
    /// Where the cursor will be, once the pending bytes are processed, as long as that is easy to tell.
    place: Option<Place>,
    faults: u64,
    touched: Touched,
}

impl Grid {
    pub(super) fn new(size: Size, history: History) -> Grid {
        Grid::with(size, Behind::new(history, StyleTable::new()))
    }

    fn with(size: Size, behind: Behind) -> Grid {
        Grid {
            parser: parser(size, behind),
            rested: None,
            size,
            pending: Vec::new(),
            pen: Pen::default(),
            place: None,
            faults: 0,
            touched: Touched::Everything,
        }
    }

    /// Returns how often a panic was caught.
    pub(super) fn faults(&self) -> u64 {
        self.faults
    }

    pub(super) fn size(&self) -> Size {
        self.size
    }

    /// Returns the history, with everything in it that was drawn so far.
    pub(super) fn history(&mut self) -> &mut History {
        self.flush();
        &mut self.parser.callbacks_mut().history
    }

    /// Returns the history as of the last flush.
    pub(super) fn flushed_history(&self) -> &History {
        &self.parser.callbacks().history
    }

    pub(super) fn behind(&mut self) -> &mut Behind {
        self.flush();
        self.parser.callbacks_mut()
    }

    /// Adds bytes that the grid understands.
    pub(super) fn put(&mut self, bytes: &[u8]) {
        self.place = None;
        self.put_in_place(bytes);
    }

    /// Adds text without controls.
    pub(super) fn put_text(&mut self, text: &str) {
        if text.is_ascii() {
            self.put_ascii(text.as_bytes());
        } else {
            self.put(text.as_bytes());
        }
    }

    /// Adds printable ASCII.
    pub(super) fn put_ascii(&mut self, text: &[u8]) {
        let last = self.size.cols() - 1;
        self.place = self.place.filter(|place| !place.wraps).and_then(|place| {
            let end = usize::from(place.col) + text.len();
            match end.cmp(&(usize::from(last) + 1)) {
                Ordering::Less => Some(Place { col: end as u16, ..place }),
                Ordering::Equal => Some(Place { col: last, wraps: true, ..place }),
                Ordering::Greater => None,
            }
        });
        self.put_in_place(text);
    }

    /// Adds bytes that do not move the cursor.
    pub(super) fn put_in_place(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
        if self.pending.len() >= PENDING_BYTES {
            self.flush();
        }
    }

    /// Adds a control sequence with one number.
    pub(super) fn csi(&mut self, number: u16, last: u8) {
        match last {
            b'@' | b'J' | b'K' | b'P' | b'X' => {}
            b'G' => {
                let col = (number - 1).min(self.size.cols() - 1);
                self.place = self.place.map(|place| Place { col, wraps: false, ..place });
            }
            _ => self.place = None,
        }
        self.pending.extend_from_slice(b"\x1b[");
        push_number(&mut self.pending, number);
        self.pending.push(last);
    }

    /// Adds a control sequence with two numbers.
    pub(super) fn csi2(&mut self, first: u16, second: u16, last: u8) {
        self.place = None;
        self.pending.extend_from_slice(b"\x1b[");
        push_number(&mut self.pending, first);
        self.pending.push(b';');
        push_number(&mut self.pending, second);
        self.pending.push(last);
    }

    /// Moves the cursor to a cell, counted from 0.
    pub(super) fn goto(&mut self, row: u16, col: u16) {
        self.csi2(row + 1, col + 1, b'H');
        self.place = Some(Place { row, col, wraps: false });
    }

    /// Makes the grid draw with this pen from here on.
    pub(super) fn set_pen(&mut self, pen: Pen) {
        if self.pen != pen {
            if self.parser.callbacks().styles.is_full() {
                self.sweep_styles();
            }
            self.parser.callbacks_mut().styles.write(&mut self.pending, self.pen, pen);
            self.pen = pen;
        }
    }

    /// Makes the grid erase to this background from here on.
    pub(super) fn set_erased(&mut self, background: Color) {
        let style = Style { background, ..Style::default() };
        // Without a background it is the same as drawing without a look.
        self.set_pen(Pen { style, erases: background != Color::Default });
    }

    /// Clears the screen, with the cursor at the start of the last row, which gets the background. The next `rows` rows that
    /// scroll off are no part of the history.
    pub(super) fn clear_pretending(&mut self, rows: usize, background: Color) {
        self.set_erased(Color::Default);
        self.put(b"\x1b[2J");
        self.goto(self.size.rows() - 1, 0);
        if background != Color::Default {
            self.set_erased(background);
            self.put(b"\x1b[2K");
        }
        self.behind().pretend(rows);
    }

    /// Returns whether it has no cells at the moment.
    pub(super) fn rests(&self) -> bool {
        self.rested.is_some()
    }

    /// Gives up the cells for text that draws them again, until the next flush. The margins have to be those of the whole screen. Returns
    /// whether the grid rests now.
    pub(super) fn rest(&mut self) -> bool {
        self.flush();
        let size = self.size;
        match guarded(|| Rested::of(&mut self.parser, size)) {
            Ok(Some(rested)) => {
                let behind = std::mem::replace(self.parser.callbacks_mut(), nothing_behind());
                self.parser = least_parser(behind);
                self.pending = Vec::new();
                self.rested = Some(rested);
                true
            }
            Ok(None) => false,
            Err(()) => {
                self.mend();
                false
            }
        }
    }

    fn wake(&mut self) {
        if let Some(rested) = self.rested.take() {
            let behind = std::mem::replace(self.parser.callbacks_mut(), nothing_behind());
            self.parser = parser(self.size, behind);
            rested.draw(&mut self.parser);
        }
    }

    /// Processes what is pending: now the cells can be read.
    pub(super) fn flush(&mut self) {
        self.wake();
        if self.pending.is_empty() {
            return;
        }
        let mut pending = std::mem::take(&mut self.pending);
        if self.touched != Touched::Everything {
            let (row, col) = self.parser.screen().cursor_position();
            self.touched = self.touched.and(touched_by(&pending, row, col, self.size.cols()));
        }
        if guarded(|| self.parser.process(&pending)).is_err() {
            self.mend();
            self.place = None;
        }
        pending.clear();
        if pending.capacity() <= 2 * PENDING_BYTES {
            self.pending = pending;
        }
    }

    /// Makes a new grid after a panic, with what can still be read of the old one.
    fn mend(&mut self) {
        self.faults += 1;
        let old = std::mem::replace(&mut self.parser, least_parser(nothing_behind()));
        let alternate = old.screen().alternate_screen();
        let rows: Vec<Row> = (0..self.size.rows())
            .map(|row| catch_unwind(AssertUnwindSafe(|| read_row(&old, self.size.cols(), row))).unwrap_or_default())
            .collect();
        let place = catch_unwind(AssertUnwindSafe(|| old.screen().cursor_position())).unwrap_or_default();
        let behind = take_behind(old);
        let faults = self.faults;
        *self = Grid::with(self.size, behind);
        self.faults = faults;
        if alternate {
            self.put(b"\x1b[?47h");
        }
        self.draw(&rows);
        self.goto(place.0.min(self.size.rows() - 1), place.1.min(self.size.cols() - 1));
        self.flush();
    }

    /// Returns which rows may have changed since this was asked last.
    pub(super) fn take_touched(&mut self) -> Touched {
        self.flush();
        std::mem::replace(&mut self.touched, Touched::Nothing)
    }

    /// Returns where the cursor is.
    pub(super) fn place(&mut self) -> Place {
        if let Some(place) = self.place {
            return place;
        }
        self.flush();
        let (row, col) = self.parser.screen().cursor_position();
        let last = self.size.cols() - 1;
        let place = Place { row: row.min(self.size.rows() - 1), col: col.min(last), wraps: col > last };
        self.place = Some(place);
        place
    }

    /// Moves the cursor to the first column.
    pub(super) fn carriage_return(&mut self) {
        self.place = self.place.map(|place| Place { col: 0, wraps: false, ..place });
        self.put_in_place(b"\r");
    }

    /// Returns whether the alternate screen is shown.
    pub(super) fn is_alternate(&self) -> bool {
        self.rested.as_ref().map_or_else(|| self.parser.screen().alternate_screen(), Rested::is_alternate)
    }

    /// Returns a row of the shown screen.
    pub(super) fn row(&self, row: u16) -> Row {
        debug_assert!(self.pending.is_empty() && self.rested.is_none(), "flush before reading");
        read_row(&self.parser, self.size.cols(), row)
    }

    /// Returns the style of one cell of the shown screen.
    pub(super) fn cell(&self, row: u16, col: u16) -> Cell {
        read_cell(&self.parser, row, col)
    }

    /// Replaces the grid by an empty one of another size, keeping what stands behind it.
    pub(super) fn remake(&mut self, size: Size) {
        self.flush();
        let faults = self.faults;
        let mut behind = std::mem::replace(self.parser.callbacks_mut(), nothing_behind());
        behind.restart(false);
        *self = Grid::with(size, behind);
        self.faults = faults;
    }

    /// Draws rows from the top of the shown screen down, over what is there. The cursor is left anywhere.
    pub(super) fn draw(&mut self, rows: &[Row]) {
        let last = usize::from(self.size.cols()) - 1;
        let mut joins = false;
        for (number, row) in rows.iter().enumerate().take(self.size.rows().into()) {
            if !joins {
                self.goto(number as u16, 0);
            }
            let mut gap = 0;
            let mut erase_first = None;
            for (at, cell) in row.cells.iter().enumerate().take(last + 1) {
                if cell.width == 0 {
                    continue;
                }
                let erased = Style { background: cell.style.background, ..Style::default() };
                let must_draw = row.wrapped && at == last || joins && at == 0;
                if cell.text.is_empty() && cell.style == erased && !must_draw {
                    if erased.background != Color::Default {
                        self.skip(&mut gap);
                        self.set_erased(erased.background);
                        self.put(b"\x1b[X");
                    }
                    gap += 1;
                    continue;
                }
                self.skip(&mut gap);
                self.set_pen(Pen { style: cell.style, ..Pen::default() });
                let fills = row.wrapped && at == last && rows.get(number + 1).is_some_and(starts_wide);
                if cell.text.is_empty() && fills {
                    self.put(FILLER_MARK.encode_utf8(&mut [0; 4]).as_bytes());
                } else if cell.text.is_empty() {
                    self.put(b" ");
                    if joins && at == 0 && cell.style == erased && !(row.wrapped && last == 0) {
                        erase_first = Some(cell.style);
                    }
                } else {
                    self.put_shown(&cell.text);
                }
            }
            let leaves_free = row.cells.len() == last && rows.get(number + 1).is_some_and(starts_wide);
            if row.wrapped && gap == 0 && leaves_free {
                self.put(FILLER_MARK.encode_utf8(&mut [0; 4]).as_bytes());
            }
            joins = row.wrapped && gap == 0 && (row.cells.len() > last || leaves_free);
            if let Some(blank) = erase_first {
                let place = self.place();
                self.set_erased(blank.background);
                self.csi(1, b'G');
                self.put(b"\x1b[X");
                self.goto(place.row, place.col);
                joins = false;
            }
        }
    }

    /// Puts a cell's text, with U+FFFD as the mark that the grid draws.
    pub(super) fn put_shown(&mut self, text: &str) {
        match text.strip_prefix('\u{fffd}') {
            Some(marks) => {
                self.put(REPLACEMENT_MARK.encode_utf8(&mut [0; 4]).as_bytes());
                self.put(marks.as_bytes());
            }
            None => self.put(text.as_bytes()),
        }
    }

    fn skip(&mut self, gap: &mut u16) {
        if *gap > 0 {
            self.csi(*gap, b'C');
            *gap = 0;
        }
    }

    /// Returns the links that cells name, once styles without cells are forgotten.
    pub(super) fn interned_links(&mut self) -> Vec<u16> {
        self.sweep_styles();
        self.parser.callbacks().styles.links().collect()
    }

    /// Forgets the styles that no cell has.
    fn sweep_styles(&mut self) {
        self.flush();
        let mut used = HashSet::new();
        let shown_alternate = self.is_alternate();
        for toggle in [true, false] {
            if toggle {
                self.put(if shown_alternate { b"\x1b[?47l" } else { b"\x1b[?47h" });
                self.flush();
            }
            let screen = self.parser.screen();
            for row in 0..self.size.rows() {
                for col in 0..self.size.cols() {
                    if let Some(vt100::Color::Rgb(high, middle, low)) = screen.cell(row, col).map(vt100::Cell::fgcolor)
                    {
                        used.insert(u32::from_be_bytes([0, high, middle, low]));
                    }
                }
            }
            if toggle {
                self.put(if shown_alternate { b"\x1b[?47h" } else { b"\x1b[?47l" });
                self.flush();
            }
        }
        self.parser.callbacks_mut().styles.sweep(&used);
        // The grid's own attributes may name a style that is gone.
        self.put(b"\x1b[m");
        self.pen = Pen::default();
    }
}

fn take_behind(mut parser: vt100::Parser<Behind>) -> Behind {
    let mut behind = std::mem::replace(parser.callbacks_mut(), nothing_behind());
    behind.restart(false);
    behind
}

/// Does something in which `vt100` may panic.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, ()> {
    let before = GUARDED.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(before);
    outcome.map_err(drop)
}
