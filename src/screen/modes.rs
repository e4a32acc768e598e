//! Modes, the two screens, saving and resetting.

use std::sync::Arc;

use super::grid::Place;
use super::terminal::{SavedCursor, Terminal};
use crate::model::{CursorShape, MouseEncoding, MouseTracking, TerminalModes};

impl Terminal {
    /// Sets or resets an ANSI mode.
    pub(super) fn set_mode(&mut self, mode: u16, on: bool) {
        match mode {
            4 => self.insert = on,
            20 => self.modes.newline = on,
            _ => {}
        }
    }

    /// Returns whether an ANSI mode is set; none for one that is not known.
    pub(super) fn mode(&self, mode: u16) -> Option<bool> {
        match mode {
            4 => Some(self.insert),
            20 => Some(self.modes.newline),
            _ => None,
        }
    }

    /// Sets or resets a private mode.
    pub(super) fn set_private_mode(&mut self, mode: u16, on: bool) {
        match mode {
            1 => self.modes.application_cursor = on,
            3 => {
                // The columns stay as they are; all else that the switch to 80 or 132 does is done.
                self.margins = (0, self.size.rows() - 1);
                self.enable_sides(false);
                self.apply_margins();
                self.erase_all();
                self.address(0, 0);
            }
            6 => {
                self.origin = on;
                self.address(0, 0);
            }
            7 => self.autowrap = on,
            9 => self.set_tracking(MouseTracking::Press, on),
            12 => self.cursor_blinks = on,
            25 => self.cursor_visible = on,
            45 => self.reverse_wrap = on,
            47 => self.switch_screen(on),
            66 => self.modes.application_keypad = on,
            69 => self.enable_sides(on),
            1000 => self.set_tracking(MouseTracking::Click, on),
            1002 => self.set_tracking(MouseTracking::Drag, on),
            1003 => self.set_tracking(MouseTracking::Motion, on),
            1004 => self.modes.focus_events = on,
            1005 => self.set_encoding(MouseEncoding::Utf8, on),
            1006 => self.set_encoding(MouseEncoding::Sgr, on),
            1007 => self.modes.alternate_scroll = on,
            1015 => self.set_encoding(MouseEncoding::Urxvt, on),
            1016 => self.set_encoding(MouseEncoding::SgrPixels, on),
            1047 => {
                if !on && self.modes.alternate_screen {
                    self.remember_alternate();
                    self.erase_all();
                }
                self.switch_screen(on);
            }
            1048 if on => self.save_cursor(),
            1048 => self.restore_cursor(),
            1049 if on => {
                if !self.modes.alternate_screen {
                    self.save_cursor();
                }
                self.switch_screen(true);
                self.erase_all();
            }
            1049 => {
                let was_alternate = self.modes.alternate_screen;
                self.switch_screen(false);
                if was_alternate {
                    self.restore_cursor();
                }
            }
            2004 => self.modes.bracketed_paste = on,
            2026 => self.synchronised = on,
            _ => {}
        }
    }

    /// Returns whether a private mode is set; none for one that is not known.
    pub(super) fn private_mode(&self, mode: u16) -> Option<bool> {
        let modes = &self.modes;
        Some(match mode {
            1 => modes.application_cursor,
            6 => self.origin,
            7 => self.autowrap,
            9 => modes.mouse_tracking == MouseTracking::Press,
            12 => self.cursor_blinks,
            25 => self.cursor_visible,
            45 => self.reverse_wrap,
            47 | 1047 | 1049 => modes.alternate_screen,
            66 => modes.application_keypad,
            69 => self.sides.enabled,
            1000 => modes.mouse_tracking == MouseTracking::Click,
            1002 => modes.mouse_tracking == MouseTracking::Drag,
            1003 => modes.mouse_tracking == MouseTracking::Motion,
            1004 => modes.focus_events,
            1005 => modes.mouse_encoding == MouseEncoding::Utf8,
            1006 => modes.mouse_encoding == MouseEncoding::Sgr,
            1007 => modes.alternate_scroll,
            1015 => modes.mouse_encoding == MouseEncoding::Urxvt,
            1016 => modes.mouse_encoding == MouseEncoding::SgrPixels,
            2004 => modes.bracketed_paste,
            2026 => self.synchronised,
            _ => return None,
        })
    }

    /// Saves a private mode (XTSAVE).
    pub(super) fn save_private_mode(&mut self, mode: u16) {
        if let Some(on) = self.private_mode(mode) {
            self.saved_modes.insert(mode, on);
        }
    }

    /// Restores a private mode (XTRESTORE).
    pub(super) fn restore_private_mode(&mut self, mode: u16) {
        if let Some(&on) = self.saved_modes.get(&mode) {
            self.set_private_mode(mode, on);
        }
    }

    fn set_tracking(&mut self, tracking: MouseTracking, on: bool) {
        self.modes.mouse_tracking = if on { tracking } else { MouseTracking::Off };
    }

    fn set_encoding(&mut self, encoding: MouseEncoding, on: bool) {
        if on {
            self.modes.mouse_encoding = encoding;
        } else if self.modes.mouse_encoding == encoding {
            self.modes.mouse_encoding = MouseEncoding::Legacy;
        }
    }

    /// Shows the main or the alternate screen; cursor and margins go along.
    fn switch_screen(&mut self, alternate: bool) {
        if self.modes.alternate_screen == alternate {
            return;
        }
        if !alternate {
            self.remember_alternate();
        }
        let place = self.grid.place();
        self.grid.put(if alternate { b"\x1b[?47h" } else { b"\x1b[?47l" });
        self.modes.alternate_screen = alternate;
        self.modes.kitty_keyboard = self.kitty[self.screen_index()].flags();
        self.apply_margins();
        self.restore_place(place);
    }

    /// Keeps what the alternate screen shows for the time after it.
    fn remember_alternate(&mut self) {
        let text = self.screen_text();
        if !text.is_empty() {
            self.last_alternate = Some(text);
        }
    }

    fn erase_all(&mut self) {
        self.grid.set_erased(self.style.background);
        self.grid.put_in_place(b"\x1b[2J");
    }

    /// Saves the cursor (DECSC).
    pub(super) fn save_cursor(&mut self) {
        let place = self.grid.place();
        self.saved[self.screen_index()] =
            SavedCursor { place, style: self.style, charsets: self.charsets, origin: self.origin };
    }

    /// Restores the cursor (DECRC).
    pub(super) fn restore_cursor(&mut self) {
        let saved = self.saved[self.screen_index()];
        // A link is not part of what is saved.
        self.style = crate::model::Style { link: self.style.link, ..saved.style };
        self.charsets = saved.charsets;
        self.origin = saved.origin;
        let size = self.size;
        let place = Place {
            row: saved.place.row.min(size.rows() - 1),
            col: saved.place.col.min(size.cols() - 1),
            wraps: saved.place.wraps && saved.place.col == size.cols() - 1,
        };
        self.restore_place(place);
    }

    /// Sets most modes back (DECSTR). What is drawn stays.
    pub(super) fn soft_reset(&mut self) {
        let place = self.grid.place();
        self.insert = false;
        self.origin = false;
        self.autowrap = true;
        self.reverse_wrap = false;
        self.cursor_visible = true;
        self.modes.application_cursor = false;
        self.modes.application_keypad = false;
        self.style = crate::model::Style::default();
        self.charsets = Default::default();
        self.saved[self.screen_index()] = SavedCursor::default();
        self.margins = (0, self.size.rows() - 1);
        self.enable_sides(false);
        self.apply_margins();
        self.grid.goto(place.row, place.col);
    }

    /// Sets everything back (RIS), the lines above the screen included.
    pub(super) fn reset(&mut self) {
        if self.modes.alternate_screen {
            self.switch_screen(false);
        }
        self.modes = TerminalModes::default();
        self.insert = false;
        self.origin = false;
        self.autowrap = true;
        self.reverse_wrap = false;
        self.synchronised = false;
        self.cursor_visible = true;
        self.cursor_blinks = false;
        self.cursor_shape = CursorShape::Default;
        self.style = crate::model::Style::default();
        self.charsets = Default::default();
        self.tabs = Default::default();
        self.saved = Default::default();
        self.saved_modes.clear();
        self.kitty.iter_mut().for_each(super::keyboard::KittyStack::clear);
        self.title = Arc::from("");
        self.titles.clear();
        self.progress = None;
        self.last_character = None;
        self.margins = (0, self.size.rows() - 1);
        self.enable_sides(false);
        self.apply_margins();
        self.erase_all();
        self.grid.goto(0, 0);
        self.grid.history().clear();
    }
}
