//! The terminal: its state, and how text is drawn.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::charset::Charsets;
use super::grid::{Grid, Place};
use super::history::History;
use super::keyboard::KittyStack;
use super::line::{FILLER_MARK, width_of};
use super::links::Links;
use super::notifications::Chunks;
use super::replies::Replies;
use super::sides::Sides;
use super::signals::Signals;
use super::styles::Pen;
use super::tabs::Tabs;
use crate::model::{Color, CursorShape, Progress, Size, Style, TerminalModes};

/// What DECSC saves, one for each screen.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SavedCursor {
    pub(super) place: Place,
    pub(super) style: Style,
    pub(super) charsets: Charsets,
    pub(super) origin: bool,
}

/// All of a terminal but its byte parser.
pub(super) struct Terminal {
    pub(super) grid: Grid,
    pub(super) size: Size,
    /// What text is drawn in.
    pub(super) style: Style,
    pub(super) charsets: Charsets,
    pub(super) tabs: Tabs,
    /// The first and the last row of the scrolling region.
    pub(super) margins: (u16, u16),
    pub(super) sides: Sides,
    pub(super) modes: TerminalModes,
    pub(super) origin: bool,
    pub(super) autowrap: bool,
    pub(super) insert: bool,
    pub(super) reverse_wrap: bool,
    pub(super) synchronised: bool,
    pub(super) cursor_visible: bool,
    pub(super) cursor_blinks: bool,
    pub(super) cursor_shape: CursorShape,
    /// Of the main and of the alternate screen.
    pub(super) saved: [SavedCursor; 2],
    pub(super) kitty: [KittyStack; 2],
    pub(super) saved_modes: BTreeMap<u16, bool>,
    pub(super) title: Arc<str>,
    pub(super) titles: Vec<Arc<str>>,
    pub(super) links: Links,
    pub(super) bells: u64,
    pub(super) progress: Option<Progress>,
    pub(super) replies: Replies,
    pub(super) signals: Signals,
    pub(super) notifications: Chunks,
    /// What REP repeats.
    pub(super) last_character: Option<char>,
    /// The alternate screen as it was when it was left last.
    pub(super) last_alternate: Option<String>,
    /// Whether LF implies CR always: output of pipes, where no terminal driver adds it.
    pub(super) raw_newlines: bool,
    /// What the default foreground is drawn as.
    pub(super) default_foreground: Color,
}

impl Terminal {
    pub(super) fn new(size: Size, history: History) -> Terminal {
        Terminal {
            grid: Grid::new(size, history),
            size,
            style: Style::default(),
            charsets: Charsets::default(),
            tabs: Tabs::default(),
            margins: (0, size.rows() - 1),
            sides: Sides::none(size.cols()),
            modes: TerminalModes::default(),
            origin: false,
            autowrap: true,
            insert: false,
            reverse_wrap: false,
            synchronised: false,
            cursor_visible: true,
            cursor_blinks: false,
            cursor_shape: CursorShape::Default,
            saved: [SavedCursor::default(); 2],
            kitty: Default::default(),
            saved_modes: BTreeMap::new(),
            title: Arc::from(""),
            titles: Vec::new(),
            links: Links::default(),
            bells: 0,
            progress: None,
            replies: Replies::default(),
            signals: Signals::default(),
            notifications: Chunks::default(),
            last_character: None,
            last_alternate: None,
            raw_newlines: false,
            default_foreground: Color::Default,
        }
    }

    /// Returns the index of the shown screen in what is kept for both.
    pub(super) fn screen_index(&self) -> usize {
        usize::from(self.modes.alternate_screen)
    }

    /// Makes the grid draw as the program wants it.
    pub(super) fn apply_style(&mut self) {
        self.grid.set_pen(Pen { style: self.style, erases: false });
    }

    /// Returns whether blanks that come in have a colour, which the grid does not give them.
    pub(super) fn has_background(&self) -> bool {
        self.style.background != Color::Default
    }

    /// Draws a run of characters without controls.
    pub(super) fn draw(&mut self, run: &str) {
        if run.is_ascii() {
            self.last_character = run.as_bytes().last().map(|&b| char::from(b));
        } else {
            self.last_character = run.chars().rev().find(|&c| width_of(c) > 0).or(self.last_character);
        }
        if !self.charsets.is_plain() {
            let mapped: String = run.chars().map(|c| self.charsets.map(c)).collect();
            self.draw_allowed(&mapped);
        } else {
            self.draw_allowed(run);
        }
    }

    /// Draws a run of printable ASCII.
    pub(super) fn draw_ascii(&mut self, run: &[u8]) {
        let is_short = run.len() < usize::from(self.size.cols());
        let is_plain = self.charsets.is_plain() && self.autowrap && !self.insert;
        if is_short && is_plain && !self.has_background() && !self.has_sides() {
            self.last_character = run.last().map(|&b| char::from(b));
            self.apply_style();
            self.grid.put_ascii(run);
        } else {
            self.draw(std::str::from_utf8(run).expect("ASCII is valid text"));
        }
    }

    /// Draws characters, but those that the grid must not get.
    fn draw_allowed(&mut self, run: &str) {
        if run.is_ascii() || !run.contains(needs_change) {
            self.draw_mapped(run);
        } else {
            let changed: String = run.chars().filter(|&c| c != '\u{fe0f}').map(marked).collect();
            self.draw_mapped(&changed);
        }
    }

    fn draw_mapped(&mut self, run: &str) {
        self.apply_style();
        if self.has_sides() {
            run.chars().for_each(|character| self.draw_between(character, width_of(character)));
        } else if self.insert || !self.autowrap {
            for character in run.chars() {
                self.draw_one(character);
            }
        } else if self.has_background() {
            self.draw_by_rows(run);
        } else {
            let rest = &run[self.skip_text(run)..];
            if rest.is_ascii() || rest.chars().all(|c| width_of(c) < 2) {
                self.grid.put_text(rest);
            } else {
                self.draw_by_rows(rest);
            }
        }
    }

    /// Draws with wrapping, row by row: rows that scroll in get their background, and a column that a wide character leaves
    /// free at the end gets the mark for that.
    pub(super) fn draw_by_rows(&mut self, run: &str) {
        let mut rest = run;
        while !rest.is_empty() {
            let place = self.grid.place();
            let room = if place.wraps { 0 } else { self.size.cols() - place.col };
            let fitting = fitting_bytes(rest, room);
            self.grid.put_text(&rest[..fitting]);
            rest = &rest[fitting..];
            let Some(character) = rest.chars().next() else { return };
            if room > 0 && self.grid.place().col == self.size.cols() - 1 && !self.grid.place().wraps {
                self.grid.set_erased(self.style.background);
                self.grid.put(FILLER_MARK.encode_utf8(&mut [0; 4]).as_bytes());
                self.apply_style();
            }
            let scrolls = place.row == self.margins.1;
            self.grid.put(&rest.as_bytes()[..character.len_utf8()]);
            rest = &rest[character.len_utf8()..];
            if scrolls && self.has_background() {
                self.grid.set_erased(self.style.background);
                self.grid.put_in_place(b"\x1b[K");
                self.apply_style();
            }
        }
    }

    /// Draws one character in insert mode or without wrapping.
    fn draw_one(&mut self, character: char) {
        let width = width_of(character);
        if width > 0 {
            let place = self.grid.place();
            let cols = self.size.cols();
            let beyond = place.wraps || place.col + width > cols;
            if beyond && !self.autowrap {
                self.grid.csi(cols - width + 1, b'G');
            } else if beyond && self.insert {
                self.carriage_return();
                self.index();
                self.apply_style();
            }
            if self.insert {
                self.insert_blanks(width);
                self.apply_style();
            }
        }
        self.grid.put(character.encode_utf8(&mut [0; 4]).as_bytes());
    }

    /// Repeats the character that was written just before, at most a screen full (REP). After anything else there is none, as in xterm.
    pub(super) fn repeat(&mut self, count: u16) {
        let Some(character) = self.last_character else { return };
        let most = u32::from(self.size.cols()) * u32::from(self.size.rows());
        let run: String = std::iter::repeat_n(character, u32::from(count).min(most) as usize).collect();
        self.draw(&run);
    }
}

/// Returns whether the grid must not get the character as it is.
fn needs_change(character: char) -> bool {
    matches!(character, '\u{fe0f}' | '\u{fffd}')
}

/// Replaces U+FFFD, which the grid does not draw, by a mark that stands for it.
fn marked(character: char) -> char {
    if character == '\u{fffd}' { super::line::REPLACEMENT_MARK } else { character }
}

/// Returns how many bytes of `text` fit in `room` columns.
fn fitting_bytes(text: &str, room: u16) -> usize {
    if text.is_ascii() {
        return text.len().min(room.into());
    }
    let mut left = room;
    for (at, character) in text.char_indices() {
        match left.checked_sub(width_of(character)) {
            Some(rest) => left = rest,
            None => return at,
        }
    }
    text.len()
}
