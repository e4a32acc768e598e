//! The emulator that stands for the user's terminal: `vt100`, used directly and without anything of ours around it.

use std::num::NonZeroU16;

/// Answers the questions of a program and notes what it tells its terminal.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    replies: Vec<u8>,
    title: String,
    clipboard: Vec<Vec<u8>>,
    bells: usize,
    updating: bool,
}

impl vt100::Callbacks for Answers {
    fn audible_bell(&mut self, _: &mut vt100::Screen) {
        self.bells += 1;
    }

    fn set_window_title(&mut self, _: &mut vt100::Screen, title: &[u8]) {
        self.title = String::from_utf8_lossy(title).into_owned();
    }

    fn copy_to_clipboard(&mut self, _: &mut vt100::Screen, _: &[u8], data: &[u8]) {
        self.clipboard.push(data.to_vec());
    }

    fn unhandled_csi(
        &mut self,
        screen: &mut vt100::Screen,
        first: Option<u8>,
        second: Option<u8>,
        params: &[&[u16]],
        last: char,
    ) {
        let param = params.first().and_then(|group| group.first()).copied().unwrap_or(0);
        match (first, second, last) {
            // Primary attributes: a VT220 with colour.
            (None, None, 'c') if param == 0 => self.replies.extend_from_slice(b"\x1b[?62;22c"),
            // Secondary attributes.
            (Some(b'>'), None, 'c') if param == 0 => self.replies.extend_from_slice(b"\x1b[>1;10;0c"),
            // Status, and where the cursor is.
            (None, None, 'n') if param == 5 => self.replies.extend_from_slice(b"\x1b[0n"),
            (None, None, 'n') if param == 6 => {
                let (row, col) = screen.cursor_position();
                self.replies.extend(format!("\x1b[{};{}R", row + 1, col + 1).into_bytes());
            }
            // A synchronised update: what is drawn is shown only when it ends.
            (Some(b'?'), None, 'h' | 'l') if params.iter().any(|group| group.contains(&2026)) => {
                self.updating = last == 'h';
            }
            _ => {}
        }
    }
}

/// A terminal emulator that is fed with what a program writes.
pub(crate) struct Emulator {
    parser: vt100::Parser<Answers>,
}

impl Emulator {
    /// Makes an empty screen. The rows that scroll off are not kept: what a person can see is what counts.
    pub(crate) fn new(cols: u16, rows: u16) -> Emulator {
        let (rows, cols) = size(cols, rows);
        Emulator { parser: vt100::Parser::new_with_callbacks(rows, cols, 0, Answers::default()) }
    }

    /// Takes bytes in and returns what the terminal answers to them.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.parser.process(bytes);
        std::mem::take(&mut self.parser.callbacks_mut().replies)
    }

    /// Changes the size.
    pub(crate) fn resize(&mut self, cols: u16, rows: u16) {
        let (rows, cols) = size(cols, rows);
        self.parser.set_size(rows, cols);
    }

    /// Whether a synchronised update is open: a person still sees what was there before it.
    pub(crate) fn is_updating(&self) -> bool {
        self.parser.callbacks().updating
    }

    /// What is on the screen.
    pub(crate) fn screen(&self) -> Screen<'_> {
        Screen { vt: self.parser.screen(), told: self.parser.callbacks() }
    }
}

fn size(cols: u16, rows: u16) -> (NonZeroU16, NonZeroU16) {
    (NonZeroU16::new(rows).unwrap_or(NonZeroU16::MIN), NonZeroU16::new(cols).unwrap_or(NonZeroU16::MIN))
}

/// A look at the screen of a terminal. Rows and columns count from zero.
#[derive(Clone, Copy)]
pub(crate) struct Screen<'a> {
    vt: &'a vt100::Screen,
    told: &'a Answers,
}

impl<'a> Screen<'a> {
    /// The emulator's own screen, for what this type has no word for: cells with colours and attributes, modes.
    pub(crate) fn vt(self) -> &'a vt100::Screen {
        self.vt
    }

    /// Columns and rows.
    pub(crate) fn size(self) -> (u16, u16) {
        let (rows, cols) = self.vt.size();
        (cols.get(), rows.get())
    }

    /// The text of one row, blanks at its end removed.
    pub(crate) fn row(self, row: u16) -> String {
        self.cells(row).0.trim_end().to_owned()
    }

    /// The text of a row from column `from` to `to` (not included).
    pub(crate) fn part(self, row: u16, from: u16, to: u16) -> String {
        (from..to).map(|col| self.symbol(row, col)).collect::<String>().trim_end().to_owned()
    }

    /// The text of all rows, a line each, blanks at their ends removed.
    pub(crate) fn text(self) -> String {
        let (_, rows) = self.size();
        (0..rows).map(|row| self.row(row) + "\n").collect()
    }

    /// Whether `text` stands in a row.
    pub(crate) fn has(self, text: &str) -> bool {
        self.find(text).is_some()
    }

    /// The column and row at which `text` stands first.
    pub(crate) fn find(self, text: &str) -> Option<(u16, u16)> {
        let (_, rows) = self.size();
        (0..rows).find_map(|row| {
            let (line, starts) = self.cells(row);
            line.find(text).map(|at| (starts[at], row))
        })
    }

    /// How often `text` stands on the screen.
    pub(crate) fn count(self, text: &str) -> usize {
        self.text().matches(text).count()
    }

    /// The column and row of the cursor.
    pub(crate) fn cursor(self) -> (u16, u16) {
        let (row, col) = self.vt.cursor_position();
        (col, row)
    }

    /// Whether the cursor can be seen.
    pub(crate) fn cursor_visible(self) -> bool {
        !self.vt.hide_cursor()
    }

    /// The last title that the program set.
    pub(crate) fn title(self) -> &'a str {
        &self.told.title
    }

    /// What the program wrote to the clipboard, base64 as it came.
    pub(crate) fn clipboard(self) -> &'a [Vec<u8>] {
        &self.told.clipboard
    }

    /// How often the bell rang.
    pub(crate) fn bells(self) -> usize {
        self.told.bells
    }

    fn symbol(self, row: u16, col: u16) -> &'a str {
        match self.vt.cell(row, col) {
            Some(cell) if cell.is_wide_continuation() => "",
            Some(cell) if cell.has_contents() => cell.contents(),
            _ => " ",
        }
    }

    /// The text of a row, and for each of its bytes the column of the cell that the byte belongs to.
    fn cells(self, row: u16) -> (String, Vec<u16>) {
        let (cols, _) = self.size();
        let mut line = String::new();
        let mut starts = Vec::new();
        for col in 0..cols {
            let symbol = self.symbol(row, col);
            line.push_str(symbol);
            starts.resize(line.len(), col);
        }
        (line, starts)
    }
}
