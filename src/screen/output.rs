//! The screen as text: for the record (S2.4) and for a read (S6.1), which cuts it.

use super::collector::Screen;
use super::terminal::Terminal;
use crate::model::{PtyOutput, ScreenPoint};

/// The most scrollback that a record keeps, in bytes: the newest lines. The whole output is in the log (S2.5).
const MAX_RECORD_SCROLLBACK_BYTES: usize = 1024 * 1024;

impl Screen {
    /// Returns what the record keeps.
    pub fn output(&mut self) -> PtyOutput {
        self.output_within(MAX_RECORD_SCROLLBACK_BYTES)
    }

    /// Returns what a record keeps, with at most so many bytes of the newest scrollback.
    pub fn output_within(&mut self, scrollback_bytes: usize) -> PtyOutput {
        let terminal = self.settle();
        let screen = terminal.screen_text();
        let place = terminal.grid.place();
        let (scrollback, whole) = terminal.grid.history().text(scrollback_bytes);
        PtyOutput {
            screen,
            scrollback,
            last_alternate_screen: terminal.last_alternate.clone(),
            cols: terminal.size.cols(),
            rows: terminal.size.rows(),
            cursor: ScreenPoint { x: place.col, y: place.row, visible: terminal.cursor_visible },
            alternate_screen: terminal.modes.alternate_screen,
            title: terminal.title.to_string(),
            truncated: !whole || terminal.grid.history().lost(),
            redacted: false,
        }
    }

    /// Returns whether the newest line of the scrollback may go on in the first row of the main screen.
    pub fn history_is_open(&mut self) -> bool {
        self.settle().grid.history().is_open()
    }
}

impl Terminal {
    /// Returns the text of the shown screen, a line a row, without trailing blanks and blank rows.
    pub(super) fn screen_text(&mut self) -> String {
        self.grid.flush();
        let rows: Vec<String> = (0..self.size.rows()).map(|row| self.grid.row(row).text()).collect();
        let mut text = rows.join("\n");
        text.truncate(text.trim_end_matches('\n').len());
        text
    }
}
