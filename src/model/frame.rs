//! What a screen shows at one instant.

use std::collections::BTreeMap;
use std::sync::Arc;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use super::{Size, Style};

/// One cell of a screen.
///
/// A character of two columns has its text in the first cell with `width` 2; the cell after it has no text and `width` 0.
/// A blank cell has no text and `width` 1.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cell {
    /// The character with its combining marks; empty for a blank; never a control character.
    pub text: CompactString,
    /// The columns that the cell takes: 1, 2, or 0 for the second half of a wide one.
    pub width: u8,
    /// How it looks.
    pub style: Style,
}

impl Cell {
    /// Makes a blank cell of the default look.
    pub const fn blank() -> Cell {
        Cell {
            text: CompactString::const_new(""),
            width: 1,
            style: Style {
                foreground: super::Color::Default,
                background: super::Color::Default,
                attributes: super::Attributes::NONE,
                underline: super::Underline::None,
                underline_color: super::Color::Default,
                link: 0,
            },
        }
    }
}

/// One row of a screen or of its history.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Row {
    /// The cells from the left. A row of a frame has as many as the frame has columns; a row of the history may have fewer,
    /// the rest being blank.
    pub cells: Vec<Cell>,
    /// Whether the text goes on in the next row without a line break (a soft wrap).
    pub wrapped: bool,
}

impl Row {
    /// Returns the text without trailing blanks; a wide character counts once.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(self.cells.len());
        for cell in &self.cells {
            match (cell.width, cell.text.as_str()) {
                (0, _) => {}
                (_, "") => text.push(' '),
                (_, shown) => text.push_str(shown),
            }
        }
        text.truncate(text.trim_end_matches(' ').len());
        text
    }
}

/// The shape of the text cursor (DECSCUSR).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum CursorShape {
    /// The user's own choice.
    #[default]
    Default,
    /// A blinking block.
    BlinkingBlock,
    /// A steady block.
    SteadyBlock,
    /// A blinking underline.
    BlinkingUnderline,
    /// A steady underline.
    SteadyUnderline,
    /// A blinking bar.
    BlinkingBar,
    /// A steady bar.
    SteadyBar,
}

/// The text cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cursor {
    /// The column, from 0, less than the frame's columns.
    pub x: u16,
    /// The row, from 0, less than the frame's rows.
    pub y: u16,
    /// Whether it is shown (DECTCEM).
    pub visible: bool,
    /// Its shape.
    pub shape: CursorShape,
}

/// Which mouse events a program asked for (xterm: modes 9, 1000, 1002, 1003).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum MouseTracking {
    /// None.
    #[default]
    Off,
    /// Presses only (mode 9).
    Press,
    /// Presses, releases and the wheel (mode 1000).
    Click,
    /// The same, and motion with a button held (mode 1002).
    Drag,
    /// The same, and all motion (mode 1003).
    Motion,
}

/// How a mouse report is written (xterm: modes 1005, 1006, 1015, 1016).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum MouseEncoding {
    /// One byte a number.
    #[default]
    Legacy,
    /// Numbers as UTF-8 (mode 1005).
    Utf8,
    /// `CSI < b ; x ; y M|m` (mode 1006).
    Sgr,
    /// `CSI b ; x ; y M` (mode 1015).
    Urxvt,
    /// As SGR, in pixels (mode 1016); cells are taken as 8 by 16 pixels.
    SgrPixels,
}

/// The modes of a terminal that decide how input is encoded, and what a viewer must mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TerminalModes {
    /// Whether the alternate screen is shown (modes 47, 1047, 1049).
    pub alternate_screen: bool,
    /// DECCKM: cursor keys send `SS3`.
    pub application_cursor: bool,
    /// DECKPAM: the keypad sends `SS3`.
    pub application_keypad: bool,
    /// Mode 2004: pastes are framed.
    pub bracketed_paste: bool,
    /// Mode 1004: focus changes are reported.
    pub focus_events: bool,
    /// Mode 1007: the wheel sends cursor keys on the alternate screen.
    pub alternate_scroll: bool,
    /// LNM (mode 20): Enter sends CR LF.
    pub newline: bool,
    /// Which mouse events are wanted.
    pub mouse_tracking: MouseTracking,
    /// How they are written.
    pub mouse_encoding: MouseEncoding,
    /// The kitty keyboard flags in force, 0–31.
    pub kitty_keyboard: u8,
    /// xterm's modifyOtherKeys level, 0–2.
    pub modify_other_keys: u8,
}

/// Progress that a program reported (OSC 9;4, ConEmu).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Progress {
    /// A share done, 0–100 per cent.
    Normal(u8),
    /// The same, gone wrong.
    Error(u8),
    /// Busy, without a share.
    Busy,
    /// Held, 0–100 per cent.
    Paused(u8),
}

/// Where the lines above the screen (the scrollback) start and end.
///
/// Lines have numbers that never change, so that a viewer keeps its place while output goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HistorySpan {
    /// The number of the oldest row that is still kept.
    pub first: u64,
    /// The number that the next row to scroll off will get; equal to `first` when there is none.
    pub end: u64,
}

impl HistorySpan {
    /// Returns how many rows are kept.
    pub fn rows(self) -> u64 {
        self.end - self.first
    }
}

/// All that a screen shows at one instant. Rows that did not change are shared with the frame before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// The generation of output that it shows: grows with every chunk that the collector admits.
    pub generation: u64,
    /// How many control cuts were made before it.
    pub cut: u64,
    /// Its size; `rows` has exactly so many rows of so many cells.
    pub size: Size,
    /// The rows from the top.
    pub rows: Vec<Arc<Row>>,
    /// The text cursor.
    pub cursor: Cursor,
    /// The modes in force.
    pub modes: TerminalModes,
    /// The window title (OSC 0 and 2), without control characters, at most 1024 characters.
    pub title: Arc<str>,
    /// How often the bell rang so far.
    pub bells: u64,
    /// Progress, where the program reports it.
    pub progress: Option<Progress>,
    /// What lies above the screen, in rows wrapped to this frame's width.
    pub history: HistorySpan,
    /// The hyperlinks that cells name by [`Style::link`].
    pub links: Arc<BTreeMap<u16, Arc<str>>>,
}

impl Frame {
    /// Makes the frame of an empty screen.
    pub fn empty(size: Size) -> Frame {
        let row = Arc::new(Row { cells: vec![Cell::blank(); size.cols().into()], wrapped: false });
        Frame {
            generation: 0,
            cut: 0,
            size,
            rows: vec![row; size.rows().into()],
            cursor: Cursor { visible: true, ..Cursor::default() },
            modes: TerminalModes::default(),
            title: Arc::from(""),
            bells: 0,
            progress: None,
            history: HistorySpan::default(),
            links: Arc::default(),
        }
    }

    /// Returns the text of the screen, a line a row, without trailing blanks and blank rows.
    pub fn text(&self) -> String {
        let mut text = self.rows.iter().map(|row| row.text()).collect::<Vec<_>>().join("\n");
        text.truncate(text.trim_end_matches('\n').len());
        text
    }
}
