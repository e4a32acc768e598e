//! A byte stream as its final screen, for `shtask render`.

use std::fmt::Write as _;

use super::collector::Screen;
use crate::model::{Attributes, Cell, Color, Frame, Size, Style, Underline};

/// Feeds a whole byte stream to a new screen of this size. The history keeps what a run's does by default.
pub fn render(bytes: &[u8], size: Size) -> Screen {
    let mut screen = Screen::new(size, crate::model::Limits::default().scrollback_lines);
    screen.admit(bytes);
    screen
}

/// Writes a frame as text: a line a row, a wide character once, without blanks at the end of a row.
pub fn text(frame: &Frame) -> String {
    let mut text = String::new();
    for row in &frame.rows {
        text.push_str(&row.text());
        text.push('\n');
    }
    text
}

/// Writes a frame as one line of JSON: `{"cells":[[[text,fg,bg,flags,wide],…]],"cursor":[row,col]}`.
///
/// A colour is `""` for the default, `"0"` to `"255"`, or `"#rrggbb"`; flags are out of `bdiursh` (bold, dim, italic,
/// underline, reverse, strike, hidden); `wide` is 1 for the first and 2 for the second half of a wide character, else 0.
pub fn json(frame: &Frame) -> String {
    let mut out = String::from("{\"cells\":[");
    for (at, row) in frame.rows.iter().enumerate() {
        out.push_str(if at > 0 { ",[" } else { "[" });
        for (at, cell) in row.cells.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            write_cell(&mut out, cell);
        }
        out.push(']');
    }
    // Writing to a string does not fail.
    let _ = writeln!(out, "],\"cursor\":[{},{}]}}", frame.cursor.y, frame.cursor.x);
    out
}

fn write_cell(out: &mut String, cell: &Cell) {
    let wide = match cell.width {
        2 => 1,
        0 => 2,
        _ => 0,
    };
    out.push_str("[\"");
    for character in cell.text.chars() {
        if matches!(character, '"' | '\\') {
            out.push('\\');
        }
        out.push(character);
    }
    out.push_str("\",\"");
    write_color(out, cell.style.foreground);
    out.push_str("\",\"");
    write_color(out, cell.style.background);
    out.push_str("\",\"");
    write_flags(out, cell.style);
    let _ = write!(out, "\",{wide}]");
}

fn write_color(out: &mut String, color: Color) {
    let _ = match color {
        Color::Default => Ok(()),
        Color::Indexed(index) => write!(out, "{index}"),
        Color::Rgb(r, g, b) => write!(out, "#{r:02x}{g:02x}{b:02x}"),
    };
}

fn write_flags(out: &mut String, style: Style) {
    let has = |attribute| style.attributes.contains(attribute);
    let flags = [
        (has(Attributes::BOLD), 'b'),
        (has(Attributes::DIM), 'd'),
        (has(Attributes::ITALIC), 'i'),
        (style.underline != Underline::None, 'u'),
        (has(Attributes::REVERSE), 'r'),
        (has(Attributes::STRIKE), 's'),
        (has(Attributes::HIDDEN), 'h'),
    ];
    out.extend(flags.iter().filter(|(set, _)| *set).map(|(_, letter)| *letter));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_a_line_a_row_and_wide_characters_once() {
        let mut screen = render("a漢b\r\n\r\n  x".as_bytes(), Size::clamped(6, 4));
        assert_eq!(text(&screen.frame()), "a漢b\n\n  x\n\n");
    }

    #[test]
    fn json_tells_colours_flags_and_halves() {
        let mut screen = render("\x1b[1;31;48;2;1;2;3m\"\x1b[0;9m漢".as_bytes(), Size::clamped(3, 1));
        assert_eq!(
            json(&screen.frame()),
            "{\"cells\":[[[\"\\\"\",\"1\",\"#010203\",\"b\",0],[\"漢\",\"\",\"\",\"s\",1],[\"\",\"\",\"\",\"s\",2]]],\"cursor\":[0,2]}\n"
        );
    }
}
