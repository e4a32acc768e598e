//! Answers to what a program asks of its terminal (S9.3).

use super::sequence::Csi;
use super::styles::push_number;
use super::terminal::Terminal;
use crate::model::{Attributes, Color, CursorShape, Style, Underline};

/// A cell in pixels, where a program asks for them: wide by high.
pub(super) const CELL_PIXELS: (u16, u16) = (8, 16);

impl Terminal {
    /// Answers DA1, DA2 or DA3 (`level` 0 to 2).
    pub(super) fn device_attributes(&mut self, level: u8) {
        self.replies.push(match level {
            // A VT220 with colours.
            0 => b"\x1b[?62;22c",
            // An xterm of patch 354: `TERM` says xterm-256color, and programs look for its number.
            1 => b"\x1b[>41;354;0c",
            _ => b"\x1bP!|00000000\x1b\\",
        });
    }

    /// Answers DSR.
    pub(super) fn status(&mut self, what: u16) {
        match what {
            5 => self.replies.push(b"\x1b[0n"),
            6 => {
                let (row, col) = self.reported_place();
                self.replies.push(format!("\x1b[{row};{col}R").as_bytes());
            }
            _ => {}
        }
    }

    /// Answers DEC's own DSR.
    pub(super) fn private_status(&mut self, what: u16) {
        match what {
            6 => {
                let (row, col) = self.reported_place();
                self.replies.push(format!("\x1b[?{row};{col};1R").as_bytes());
            }
            15 => self.replies.push(b"\x1b[?13n"),       // no printer
            25 => self.replies.push(b"\x1b[?21n"),       // user-defined keys are locked
            26 => self.replies.push(b"\x1b[?27;1;0;0n"), // a North American keyboard
            _ => {}
        }
    }

    fn reported_place(&mut self) -> (u16, u16) {
        let place = self.grid.place();
        let (top, left) = if self.origin { (self.margins.0, self.sides.left) } else { (0, 0) };
        (place.row.saturating_sub(top) + 1, place.col.saturating_sub(left) + 1)
    }

    /// Answers DECRQM for an ANSI mode.
    pub(super) fn report_mode(&mut self, mode: u16) {
        let value = mode_value(self.mode(mode));
        self.replies.push(format!("\x1b[{mode};{value}$y").as_bytes());
    }

    /// Answers DECRQM for a private mode.
    pub(super) fn report_private_mode(&mut self, mode: u16) {
        let value = mode_value(self.private_mode(mode));
        self.replies.push(format!("\x1b[?{mode};{value}$y").as_bytes());
    }

    /// Answers XTVERSION.
    pub(super) fn report_version(&mut self) {
        self.replies.push(concat!("\x1bP>|shtask ", env!("CARGO_PKG_VERSION"), "\x1b\\").as_bytes());
    }

    pub(super) fn report_kitty_flags(&mut self) {
        self.replies.push(format!("\x1b[?{}u", self.modes.kitty_keyboard).as_bytes());
    }

    pub(super) fn report_modify_other_keys(&mut self) {
        self.replies.push(format!("\x1b[>4;{}m", self.modes.modify_other_keys).as_bytes());
    }

    /// Answers questions about the window, and keeps the stack of titles. Requests to change the window are not followed.
    pub(super) fn window(&mut self, csi: &Csi) {
        /// As many titles as xterm keeps.
        const MAX_TITLES: usize = 10;
        let (cols, rows) = (self.size.cols(), self.size.rows());
        let (wide, high) = CELL_PIXELS;
        match csi.value(0) {
            11 => self.replies.push(b"\x1b[1t"),
            13 => self.replies.push(b"\x1b[3;0;0t"),
            14 => self.replies.push(
                format!("\x1b[4;{};{}t", u32::from(rows) * u32::from(high), u32::from(cols) * u32::from(wide))
                    .as_bytes(),
            ),
            16 => self.replies.push(format!("\x1b[6;{high};{wide}t").as_bytes()),
            18 => self.replies.push(format!("\x1b[8;{rows};{cols}t").as_bytes()),
            19 => self.replies.push(format!("\x1b[9;{rows};{cols}t").as_bytes()),
            // The title is text of the program's choice: the answer is always empty.
            20 => self.replies.push(b"\x1b]L\x1b\\"),
            21 => self.replies.push(b"\x1b]l\x1b\\"),
            22 => {
                if self.titles.len() == MAX_TITLES {
                    self.titles.remove(0);
                }
                self.titles.push(self.title.clone());
            }
            23 => {
                if let Some(title) = self.titles.pop() {
                    self.title = title;
                }
            }
            _ => {}
        }
    }

    /// Answers DECRQSS: what a setting is now.
    pub(super) fn report_setting(&mut self, setting: &[u8]) {
        let mut reply = b"\x1bP1$r".to_vec();
        match setting {
            b"m" => write_sgr(&mut reply, self.style),
            b"r" => {
                push_number(&mut reply, self.margins.0 + 1);
                reply.push(b';');
                push_number(&mut reply, self.margins.1 + 1);
            }
            b"s" => {
                push_number(&mut reply, self.sides.left + 1);
                reply.push(b';');
                push_number(&mut reply, self.sides.right + 1);
            }
            b"t" => push_number(&mut reply, self.size.rows()),
            b" q" => push_number(&mut reply, shape_number(self.cursor_shape)),
            b"\"p" => reply.extend_from_slice(b"62;1"),
            _ => {
                self.replies.push(b"\x1bP0$r\x1b\\");
                return;
            }
        }
        reply.extend_from_slice(setting);
        reply.extend_from_slice(b"\x1b\\");
        self.replies.push(&reply);
    }

    /// Answers XTGETTCAP: capabilities by name, in hexadecimal.
    pub(super) fn report_capabilities(&mut self, names: &[u8]) {
        /// Name, name in hexadecimal, value in hexadecimal.
        const KNOWN: [(&str, &str, &str); 6] = [
            ("TN", "544e", "787465726d2d323536636f6c6f72"),
            ("name", "6e616d65", "787465726d2d323536636f6c6f72"),
            ("Co", "436f", "323536"),
            ("colors", "636f6c6f7273", "323536"),
            ("RGB", "524742", "382f382f38"),
            ("Tc", "5463", ""),
        ];
        for name in names.split(|&b| b == b';').take(32) {
            let known = KNOWN.iter().find(|(_, hex, _)| hex.as_bytes().eq_ignore_ascii_case(name));
            match known {
                Some((_, hex, "")) => self.replies.push(format!("\x1bP1+r{hex}\x1b\\").as_bytes()),
                Some((_, hex, value)) => self.replies.push(format!("\x1bP1+r{hex}={value}\x1b\\").as_bytes()),
                None => self.replies.push(b"\x1bP0+r\x1b\\"),
            }
        }
    }
}

/// Returns the DECRPM value of a mode.
fn mode_value(mode: Option<bool>) -> u8 {
    match mode {
        Some(true) => 1,
        Some(false) => 2,
        None => 0,
    }
}

fn shape_number(shape: CursorShape) -> u16 {
    match shape {
        CursorShape::Default => 0,
        CursorShape::BlinkingBlock => 1,
        CursorShape::SteadyBlock => 2,
        CursorShape::BlinkingUnderline => 3,
        CursorShape::SteadyUnderline => 4,
        CursorShape::BlinkingBar => 5,
        CursorShape::SteadyBar => 6,
    }
}

/// Writes the parameters of an SGR sequence that sets `style`, without its final byte.
fn write_sgr(out: &mut Vec<u8>, style: Style) {
    out.push(b'0');
    let attributes = [
        (Attributes::BOLD, 1),
        (Attributes::DIM, 2),
        (Attributes::ITALIC, 3),
        (Attributes::BLINK, 5),
        (Attributes::REVERSE, 7),
        (Attributes::HIDDEN, 8),
        (Attributes::STRIKE, 9),
    ];
    for (_, code) in attributes.iter().filter(|(attribute, _)| style.attributes.contains(*attribute)) {
        out.push(b';');
        push_number(out, *code);
    }
    out.extend_from_slice(match style.underline {
        Underline::None => b"",
        Underline::Single => b";4",
        Underline::Double => b";4:2",
        Underline::Curly => b";4:3",
        Underline::Dotted => b";4:4",
        Underline::Dashed => b";4:5",
    });
    for (color, base) in [(style.foreground, 30), (style.background, 40), (style.underline_color, 50)] {
        match color {
            Color::Default => {}
            Color::Indexed(index) if index < 8 && base < 50 => {
                out.push(b';');
                push_number(out, base + u16::from(index));
            }
            Color::Indexed(index) if index < 16 && base < 50 => {
                out.push(b';');
                push_number(out, base + 52 + u16::from(index));
            }
            Color::Indexed(index) => out.extend_from_slice(format!(";{}:5:{index}", base + 8).as_bytes()),
            Color::Rgb(r, g, b) => out.extend_from_slice(format!(";{}:2::{r}:{g}:{b}", base + 8).as_bytes()),
        }
    }
}
