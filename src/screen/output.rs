//! The screen as text: for the record (S2.4) and for a read (S6.1).

use super::collector::Screen;
use super::terminal::Terminal;
use crate::model::{PtyOutput, ScreenPoint};

/// The most scrollback that a record keeps, in bytes: the newest lines. The whole output is in the log (S2.5).
const MAX_RECORD_SCROLLBACK_BYTES: usize = 1024 * 1024;

/// What a read shows of a PTY run, within its limit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PtyText {
    /// The screen, a line a row.
    pub screen: String,
    /// The alternate screen as it was when it was left last.
    pub last_alternate_screen: Option<String>,
    /// The newest logical lines above the screen.
    pub scrollback: String,
    /// Whether the screen was cut to fit the limit; then its lower part is given.
    pub screen_cut: bool,
    /// Whether the last alternate screen was cut or left out.
    pub alternate_cut: bool,
    /// Whether older scrollback was left out, or had been dropped before.
    pub scrollback_cut: bool,
}

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

    /// Returns what fits `limit_bytes`: first the screen, then the last alternate screen, then the newest scrollback.
    pub fn read(&mut self, limit_bytes: usize) -> PtyText {
        let terminal = self.settle();
        let screen = terminal.screen_text();
        let mut left = limit_bytes;
        let (screen, screen_cut) = newest_lines(screen, &mut left);
        let (last_alternate_screen, alternate_cut) = match terminal.last_alternate.clone() {
            Some(text) => {
                let (text, cut) = newest_lines(text, &mut left);
                (Some(text).filter(|text| !text.is_empty()), cut)
            }
            None => (None, false),
        };
        let (scrollback, whole) = terminal.grid.history().text(left);
        let scrollback_cut = !whole || terminal.grid.history().lost();
        PtyText { screen, last_alternate_screen, scrollback, screen_cut, alternate_cut, scrollback_cut }
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

/// Returns the end of `text` from a line start on, at most `left` bytes, and whether something was cut; counts `left` down.
fn newest_lines(text: String, left: &mut usize) -> (String, bool) {
    if text.len() <= *left {
        *left -= text.len();
        return (text, false);
    }
    let from = text.len() - *left;
    let start = memchr::memchr(b'\n', &text.as_bytes()[from - 1..]).map_or(text.len(), |at| from + at);
    let cut = text[start..].to_owned();
    *left -= cut.len();
    (cut, true)
}
