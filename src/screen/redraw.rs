//! What draws a screen anew: for the part of a log whose beginning was dropped (S2.5).

use std::fmt::Write as _;

use super::collector::Screen;
use crate::model::{
    Attributes, Cell, Color, CursorShape, Frame, MouseEncoding, MouseTracking, Style, TerminalModes, Underline,
};

impl Screen {
    /// Returns what makes a fresh screen of this size show what this one shows, with the same modes, margins and pen. The scrollback, the screen
    /// that is not shown, tab stops and character sets are not in it. `change` may change first what is drawn.
    pub fn redraw(&mut self, change: impl FnOnce(&mut Frame)) -> Vec<u8> {
        let mut frame = Frame::clone(&self.frame());
        change(&mut frame);
        let mut out = String::from("\x1bc");
        if frame.modes.alternate_screen {
            out.push_str("\x1b[?1049h");
        }
        write_rows(&mut out, &frame);
        let (top, bottom) = self.terminal.margins;
        if (top, bottom) != (0, frame.size.rows() - 1) {
            put(&mut out, format_args!("\x1b[{};{}r", top + 1, bottom + 1));
        }
        let sides = self.terminal.sides;
        if self.terminal.has_sides() {
            put(&mut out, format_args!("\x1b[?69h\x1b[{};{}s", sides.left + 1, sides.right + 1));
        }
        if !frame.title.is_empty() {
            put(&mut out, format_args!("\x1b]2;{}\x1b\\", frame.title));
        }
        write_modes(&mut out, &frame.modes);
        if !self.terminal.autowrap {
            out.push_str("\x1b[?7l");
        }
        if self.terminal.insert {
            out.push_str("\x1b[4h");
        }
        put(&mut out, format_args!("\x1b[{};{}H", frame.cursor.y + 1, frame.cursor.x + 1));
        if self.terminal.origin {
            out.push_str("\x1b[?6h");
            let (row, col) = (frame.cursor.y.saturating_sub(top), frame.cursor.x.saturating_sub(sides.left));
            put(&mut out, format_args!("\x1b[{};{}H", row + 1, col + 1));
        }
        let shape = match frame.cursor.shape {
            CursorShape::Default => 0,
            CursorShape::BlinkingBlock => 1,
            CursorShape::SteadyBlock => 2,
            CursorShape::BlinkingUnderline => 3,
            CursorShape::SteadyUnderline => 4,
            CursorShape::BlinkingBar => 5,
            CursorShape::SteadyBar => 6,
        };
        if shape > 0 {
            put(&mut out, format_args!("\x1b[{shape} q"));
        }
        if !frame.cursor.visible {
            out.push_str("\x1b[?25l");
        }
        write_style(&mut out, self.terminal.style);
        out.into_bytes()
    }
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string does not fail");
}

fn write_rows(out: &mut String, frame: &Frame) {
    let mut style = Style::default();
    let mut goes_on = false;
    for (number, row) in frame.rows.iter().enumerate() {
        let used = match row.wrapped {
            // Written to its end, the next row's first character wraps it again.
            true => row.cells.len(),
            false => {
                row.cells.iter().rposition(|cell| *cell != Cell::blank()).map_or(usize::from(goes_on), |at| at + 1)
            }
        };
        if !goes_on && used > 0 {
            put(out, format_args!("\x1b[{};1H", number + 1));
        }
        for cell in row.cells.iter().take(used).filter(|cell| cell.width > 0) {
            if cell.style != style {
                if cell.style.link != style.link {
                    let address = frame.links.get(&cell.style.link).map_or("", |address| address);
                    put(out, format_args!("\x1b]8;;{address}\x1b\\"));
                }
                style = cell.style;
                write_style(out, style);
            }
            out.push_str(if cell.text.is_empty() { " " } else { &cell.text });
        }
        goes_on = row.wrapped;
    }
    if style.link != 0 {
        out.push_str("\x1b]8;;\x1b\\");
    }
}

fn write_modes(out: &mut String, modes: &TerminalModes) {
    let switches = [
        (modes.application_cursor, "\x1b[?1h"),
        (modes.application_keypad, "\x1b="),
        (modes.bracketed_paste, "\x1b[?2004h"),
        (modes.focus_events, "\x1b[?1004h"),
        (modes.newline, "\x1b[20h"),
    ];
    switches.into_iter().filter(|(on, _)| *on).for_each(|(_, text)| out.push_str(text));
    out.push_str(if modes.alternate_scroll { "\x1b[?1007h" } else { "\x1b[?1007l" });
    out.push_str(match modes.mouse_tracking {
        MouseTracking::Off => "",
        MouseTracking::Press => "\x1b[?9h",
        MouseTracking::Click => "\x1b[?1000h",
        MouseTracking::Drag => "\x1b[?1002h",
        MouseTracking::Motion => "\x1b[?1003h",
    });
    out.push_str(match modes.mouse_encoding {
        MouseEncoding::Legacy => "",
        MouseEncoding::Utf8 => "\x1b[?1005h",
        MouseEncoding::Sgr => "\x1b[?1006h",
        MouseEncoding::Urxvt => "\x1b[?1015h",
        MouseEncoding::SgrPixels => "\x1b[?1016h",
    });
    if modes.kitty_keyboard > 0 {
        put(out, format_args!("\x1b[={}u", modes.kitty_keyboard));
    }
    if modes.modify_other_keys > 0 {
        put(out, format_args!("\x1b[>4;{}m", modes.modify_other_keys));
    }
}

fn write_style(out: &mut String, style: Style) {
    out.push_str("\x1b[0");
    let attributes = [
        (Attributes::BOLD, "1"),
        (Attributes::DIM, "2"),
        (Attributes::ITALIC, "3"),
        (Attributes::BLINK, "5"),
        (Attributes::REVERSE, "7"),
        (Attributes::HIDDEN, "8"),
        (Attributes::STRIKE, "9"),
    ];
    for (_, number) in attributes.into_iter().filter(|(attribute, _)| style.attributes.contains(*attribute)) {
        put(out, format_args!(";{number}"));
    }
    out.push_str(match style.underline {
        Underline::None => "",
        Underline::Single => ";4",
        Underline::Double => ";4:2",
        Underline::Curly => ";4:3",
        Underline::Dotted => ";4:4",
        Underline::Dashed => ";4:5",
    });
    for (base, color) in [(38, style.foreground), (48, style.background), (58, style.underline_color)] {
        match color {
            Color::Default => {}
            Color::Indexed(number) => put(out, format_args!(";{base};5;{number}")),
            Color::Rgb(red, green, blue) => put(out, format_args!(";{base};2;{red};{green};{blue}")),
        }
    }
    out.push('m');
}
