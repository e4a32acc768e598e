//! Which control and which sequence does what.

use super::parser::Sink;
use super::sequence::Csi;
use super::sgr;
use super::terminal::Terminal;
use crate::model::CursorShape;

impl Sink for Terminal {
    fn text(&mut self, run: &str) {
        self.draw(run);
    }

    fn ascii(&mut self, run: &[u8]) {
        self.draw_ascii(run);
    }

    fn control(&mut self, byte: u8) {
        self.sides.wraps &= byte == 0x07;
        self.last_character = None;
        match byte {
            0x05 => {} // ENQ: the answerback is empty.
            0x07 => self.bells += 1,
            0x08 => self.left(1),
            0x09 => self.tab(1),
            0x0a..=0x0c => self.line_feed(),
            0x0d => self.carriage_return(),
            0x0e => self.charsets.shift(1),
            0x0f => self.charsets.shift(0),
            _ => {}
        }
    }

    fn escape(&mut self, intermediates: &[u8], last: u8) {
        self.sides.wraps &= matches!(intermediates, [_, ..]);
        self.last_character = None;
        match (intermediates, last) {
            ([], b'7') => self.save_cursor(),
            ([], b'8') => self.restore_cursor(),
            ([], b'=') => self.modes.application_keypad = true,
            ([], b'>') => self.modes.application_keypad = false,
            ([], b'D') => self.index(),
            ([], b'E') => {
                self.carriage_return();
                self.index();
            }
            ([], b'H') => {
                let col = self.grid.place().col;
                self.tabs.set(col, self.size.cols());
            }
            ([], b'M') => self.reverse_index(),
            ([], b'N') => self.charsets.shift_once(2),
            ([], b'O') => self.charsets.shift_once(3),
            ([], b'Z') => self.device_attributes(0),
            ([], b'c') => self.reset(),
            ([], b'n') => self.charsets.shift(2),
            ([], b'o') => self.charsets.shift(3),
            ([b'#'], b'8') => self.align(),
            ([slot], name) => {
                self.charsets.designate(*slot, name);
            }
            _ => {}
        }
    }

    fn csi(&mut self, csi: &Csi) {
        self.sides.wraps &= matches!(csi.last, b'm' | b'n' | b'c');
        if csi.last != b'b' {
            self.last_character = None;
        }
        match (csi.marker, csi.intermediate, csi.last) {
            (0, 0, last) => self.plain_csi(csi, last),
            (b'?', 0, b'h') => csi.values().iter().for_each(|&mode| self.set_private_mode(mode, true)),
            (b'?', 0, b'l') => csi.values().iter().for_each(|&mode| self.set_private_mode(mode, false)),
            (b'?', 0, b's') => csi.values().iter().for_each(|&mode| self.save_private_mode(mode)),
            (b'?', 0, b'r') => csi.values().iter().for_each(|&mode| self.restore_private_mode(mode)),
            (b'?', 0, b'n') => self.private_status(csi.value(0)),
            (b'?', 0, b'm') if csi.value(0) == 4 => self.report_modify_other_keys(),
            (b'?', 0, b'u') => self.report_kitty_flags(),
            (b'?', b'$', b'p') => self.report_private_mode(csi.value(0)),
            (0, b'$', b'p') => self.report_mode(csi.value(0)),
            (b'>', 0, b'c') => self.device_attributes(1),
            (b'=', 0, b'c') => self.device_attributes(2),
            (b'>', 0, b'q') if csi.value(0) == 0 => self.report_version(),
            (b'>', 0, b'm') => self.set_modify_other_keys(csi),
            (b'>', 0, b'n') if csi.value(0) == 4 => self.modes.modify_other_keys = 0,
            (b'>', 0, b'u') => self.change_kitty(|stack| stack.push(csi.value(0))),
            (b'<', 0, b'u') => self.change_kitty(|stack| stack.pop(csi.count(0))),
            (b'=', 0, b'u') => self.change_kitty(|stack| stack.set(csi.value(0), csi.count(1))),
            (0, b' ', b'@') => self.shift_columns(csi.count(0), b'P', false),
            (0, b' ', b'A') => self.shift_columns(csi.count(0), b'@', false),
            (0, b'\'', b'}') => self.shift_columns(csi.count(0), b'@', true),
            (0, b'\'', b'~') => self.shift_columns(csi.count(0), b'P', true),
            (0, b'!', b'p') => self.soft_reset(),
            (0, b' ', b'q') => self.set_cursor_shape(csi.value(0)),
            _ => {}
        }
    }

    fn osc(&mut self, payload: &[u8], by_bell: bool) {
        self.last_character = None;
        self.operating_system_command(payload, by_bell);
    }

    fn dcs(&mut self, payload: &[u8]) {
        self.last_character = None;
        self.device_control_string(payload);
    }
}

impl Terminal {
    fn plain_csi(&mut self, csi: &Csi, last: u8) {
        let count = csi.count(0);
        match last {
            b'@' => self.insert_blanks(count),
            b'A' => self.up(count),
            b'B' => self.down(count),
            b'C' | b'a' => self.right(count),
            b'D' => self.left(count),
            b'E' => {
                self.down(count);
                self.carriage_return();
            }
            b'F' => {
                self.up(count);
                self.carriage_return();
            }
            b'G' | b'`' => self.column(count - 1),
            b'H' | b'f' => self.address(count - 1, csi.count(1) - 1),
            b'I' => self.tab(count),
            b'J' => self.erase_screen(csi.value(0)),
            b'K' => self.erase_line(csi.value(0)),
            b'L' => self.insert_lines(count),
            b'M' => self.delete_lines(count),
            b'P' => self.delete_cells(count),
            b'S' => self.scroll_up(count),
            // With five parameters it would be mouse highlighting.
            b'T' | b'^' if csi.len() <= 1 => self.scroll_down(count),
            b'X' => self.erase_cells(count),
            b'Z' => self.back_tab(count),
            b'b' => self.repeat(count),
            b'c' => self.device_attributes(0),
            b'd' => self.line(count - 1),
            b'e' => self.line_down(count),
            b'g' => {
                let col = self.grid.place().col;
                match csi.value(0) {
                    0 => self.tabs.clear(col, self.size.cols()),
                    3 => self.tabs.clear_all(),
                    _ => {}
                }
            }
            b'h' => csi.values().iter().for_each(|&mode| self.set_mode(mode, true)),
            b'l' => csi.values().iter().for_each(|&mode| self.set_mode(mode, false)),
            b'm' => sgr::apply_over(csi, &mut self.style, self.default_foreground),
            b'n' => self.status(csi.value(0)),
            b'r' => self.set_margins(csi.value(0), csi.value(1)),
            b's' if self.sides.enabled => self.set_sides(csi.value(0), csi.value(1)),
            b's' => self.save_cursor(),
            b't' => self.window(csi),
            b'u' => self.restore_cursor(),
            _ => {}
        }
    }

    fn line_feed(&mut self) {
        if self.modes.newline || self.raw_newlines {
            self.carriage_return();
        }
        self.index();
    }

    fn change_kitty(&mut self, change: impl FnOnce(&mut super::keyboard::KittyStack)) {
        let stack = &mut self.kitty[self.screen_index()];
        change(stack);
        self.modes.kitty_keyboard = self.kitty[self.screen_index()].flags();
    }

    fn set_modify_other_keys(&mut self, csi: &Csi) {
        match (csi.len(), csi.value(0)) {
            (0, _) => self.modes.modify_other_keys = 0,
            (_, 4) => self.modes.modify_other_keys = csi.value(1).min(2) as u8,
            _ => {}
        }
    }

    fn set_cursor_shape(&mut self, shape: u16) {
        self.cursor_shape = match shape {
            0 => CursorShape::Default,
            1 => CursorShape::BlinkingBlock,
            2 => CursorShape::SteadyBlock,
            3 => CursorShape::BlinkingUnderline,
            4 => CursorShape::SteadyUnderline,
            5 => CursorShape::BlinkingBar,
            6 => CursorShape::SteadyBar,
            _ => return,
        };
    }
}
