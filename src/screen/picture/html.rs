//! A frame as a page of HTML: text that can be copied, in the colours of the screen.

use super::look::{BACKGROUND, FOREGROUND, Look, address, cell, escape, hex, look};
use super::svg::put;
use crate::model::{CursorShape, Frame, Underline};

/// Writes a frame as a whole page; its title is the screen's.
pub fn html(frame: &Frame) -> String {
    let mut out = String::from("<!doctype html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<title>");
    escape(&frame.title, &mut out);
    put(
        &mut out,
        format_args!(
            "</title>\n<style>\nbody{{background:{ground}}}\npre{{color:{text};background:{ground};font:14px/1.2 monospace}}\n\
             pre a{{color:inherit;text-decoration:inherit}}\n.w{{display:inline-block;width:2ch}}\n</style>\n</head>\n<body>\n<pre>\n",
            ground = hex(BACKGROUND),
            text = hex(FOREGROUND)
        ),
    );
    for row in 0..frame.size.rows() {
        write_row(&mut out, frame, row);
        out.push('\n');
    }
    out.push_str("</pre>\n</body>\n</html>\n");
    out
}

fn write_row(out: &mut String, frame: &Frame, row: u16) {
    let cols = frame.size.cols();
    let mut col = 0;
    while col < cols {
        let painted = look(frame, row, col);
        let cursor = line_cursor(frame, row, col);
        let is_alike = |at: u16| cell(frame, row, at).width == 0 || look(frame, row, at) == painted;
        let end = match cursor {
            Some(_) => col + 1,
            None => (col..cols).find(|&at| !is_alike(at) || line_cursor(frame, row, at).is_some()).unwrap_or(cols),
        };
        let mut css = css(painted);
        css.push_str(cursor.unwrap_or_default());
        let link = address(frame, painted.link);
        if let Some(address) = link {
            out.push_str("<a href=\"");
            escape(address, out);
            out.push_str("\">");
        }
        if !css.is_empty() {
            put(out, format_args!("<span style=\"{}\">", css.trim_end_matches(';')));
        }
        (col..end).for_each(|at| write_cell(out, frame, row, at));
        if !css.is_empty() {
            out.push_str("</span>");
        }
        if link.is_some() {
            out.push_str("</a>");
        }
        col = end;
    }
}

fn write_cell(out: &mut String, frame: &Frame, row: u16, col: u16) {
    let cell = cell(frame, row, col);
    match (cell.width, cell.text.as_str()) {
        (0, _) => {}
        (_, "") => out.push(' '),
        (2, text) => {
            out.push_str("<span class=\"w\">");
            escape(text, out);
            out.push_str("</span>");
        }
        (_, text) => escape(text, out),
    }
}

fn css(painted: Look) -> String {
    let mut css = String::new();
    if painted.hidden {
        css.push_str("color:transparent;");
    } else if painted.text != FOREGROUND {
        put(&mut css, format_args!("color:{};", hex(painted.text)));
    }
    if painted.ground != BACKGROUND {
        put(&mut css, format_args!("background:{};", hex(painted.ground)));
    }
    if painted.bold {
        css.push_str("font-weight:bold;");
    }
    if painted.italic {
        css.push_str("font-style:italic;");
    }
    let kind = match painted.underline {
        Underline::None => None,
        Underline::Single => Some("solid"),
        Underline::Double => Some("double"),
        Underline::Curly => Some("wavy"),
        Underline::Dotted => Some("dotted"),
        Underline::Dashed => Some("dashed"),
    };
    if let Some(kind) = kind {
        let through = if painted.strike { " line-through" } else { "" };
        put(&mut css, format_args!("text-decoration:underline{through} {kind} {};", hex(painted.line)));
    } else if painted.strike {
        css.push_str("text-decoration:line-through;");
    }
    css
}

/// Returns the look of a cursor that is a bar or a line below, where it stands.
fn line_cursor(frame: &Frame, row: u16, col: u16) -> Option<&'static str> {
    if !frame.cursor.visible || (frame.cursor.y, frame.cursor.x) != (row, col) {
        return None;
    }
    match frame.cursor.shape {
        CursorShape::BlinkingUnderline | CursorShape::SteadyUnderline => Some("border-bottom:2px solid;"),
        CursorShape::BlinkingBar | CursorShape::SteadyBar => Some("border-left:2px solid;"),
        CursorShape::Default | CursorShape::BlinkingBlock | CursorShape::SteadyBlock => None,
    }
}
