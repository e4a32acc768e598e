//! A frame as SVG: cells on a grid of their own, whatever font there is; lines and blocks as shapes.

use std::fmt::Write as _;

use super::boxes::shape;
use super::look::{BACKGROUND, FOREGROUND, Look, address, cell, escape, hex, look};
use super::shapes::Shapes;
use crate::model::{CursorShape, Frame, Underline};

/// The size of a cell in pixels. A glyph of [`FONT_SIZE`] in a monospaced font is about 0.6 of it wide, so it fits.
pub(super) const CELL: (f32, f32) = (8.0, 17.0);
const FONT_SIZE: f32 = 13.33;
/// From the top of a cell to the line that letters stand on.
const BASELINE: f32 = 13.0;
const FONTS: &str = "'DejaVu Sans Mono','JetBrains Mono',Menlo,Consolas,'Liberation Mono','Noto Sans Mono',monospace";

/// Writes a frame as an SVG picture.
pub fn svg(frame: &Frame) -> String {
    let (cols, rows) = (frame.size.cols(), frame.size.rows());
    let (width, height) = (f32::from(cols) * CELL.0, f32::from(rows) * CELL.1);
    let mut out = String::new();
    put(
        &mut out,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             font-family=\"{FONTS}\" font-size=\"{FONT_SIZE}\" fill=\"{}\">\n\
             <style>text{{white-space:pre}}.b{{font-weight:bold}}.i{{font-style:italic}}</style>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
            hex(FOREGROUND),
            hex(BACKGROUND)
        ),
    );
    for row in 0..rows {
        grounds(&mut out, frame, row);
    }
    for row in 0..rows {
        let mut shapes = Shapes::default();
        let mut col = 0;
        while col < cols {
            col += glyphs(&mut out, &mut shapes, frame, row, col);
        }
        out.push_str(&shapes.finish());
    }
    line_cursor(&mut out, frame);
    out.push_str("</svg>\n");
    out
}

/// Paints the backgrounds of a row that are not the picture's.
fn grounds(out: &mut String, frame: &Frame, row: u16) {
    let cols = frame.size.cols();
    let mut col = 0;
    while col < cols {
        let ground = look(frame, row, col).ground;
        let end = (col..cols).find(|&at| look(frame, row, at).ground != ground).unwrap_or(cols);
        if ground != BACKGROUND {
            let (x, y) = corner(row, col);
            rectangle(out, [x, y, f32::from(end - col) * CELL.0, CELL.1], &hex(ground));
        }
        col = end;
    }
}

fn corner(row: u16, col: u16) -> (f32, f32) {
    (f32::from(col) * CELL.0, f32::from(row) * CELL.1)
}

fn rectangle(out: &mut String, [x, y, width, height]: [f32; 4], fill: &str) {
    put(
        out,
        format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\" shape-rendering=\"crispEdges\"/>\n"
        ),
    );
}

/// Draws the cell at `col`, or the run of plain text that begins there; returns how many columns that were.
fn glyphs(out: &mut String, shapes: &mut Shapes, frame: &Frame, row: u16, col: u16) -> u16 {
    let here = cell(frame, row, col);
    let painted = look(frame, row, col);
    if let Some(found) = here.text.chars().next().and_then(shape) {
        if !painted.hidden {
            shapes.add(&found, corner(row, col), painted.text);
        }
        lines(out, painted, row, col, 1);
        return 1;
    }
    if !is_plain(&here.text) {
        // The glyph may come from a font with other widths, so it stands in the middle of its cells.
        let cells = if here.width == 2 { 2 } else { 1 };
        let (x, y) = corner(row, col);
        let middle = x + f32::from(cells) * CELL.0 / 2.0;
        let place = format!("x=\"{middle}\" y=\"{}\" text-anchor=\"middle\"", y + BASELINE);
        text(out, frame, &place, painted, &here.text);
        lines(out, painted, row, col, cells);
        return cells;
    }
    let goes_on = |at: &u16| is_plain(&cell(frame, row, *at).text) && look(frame, row, *at) == painted;
    let end = (col..frame.size.cols()).find(|at| !goes_on(at)).unwrap_or(frame.size.cols());
    let run: String = (col..end).map(|at| shown(&cell(frame, row, at).text)).collect();
    words(out, frame, painted, (row, col), &run);
    lines(out, painted, row, col, end - col);
    end - col
}

/// Writes the words of a run, each at its own column.
fn words(out: &mut String, frame: &Frame, painted: Look, (row, col): (u16, u16), run: &str) {
    let mut at = 0;
    // A wide gap is skipped rather than stretched.
    for part in run.split("  ") {
        let word = part.trim_matches(' ');
        if !word.is_empty() {
            let before = part.chars().take_while(|&c| c == ' ').count();
            let (x, y) = corner(row, col + (at + before) as u16);
            let count = word.chars().count();
            let mut place = format!("x=\"{x}\" y=\"{}\"", y + BASELINE);
            if count > 1 {
                put(&mut place, format_args!(" textLength=\"{}\"", count as f32 * CELL.0));
            }
            text(out, frame, &place, painted, word);
        }
        at += part.chars().count() + 2;
    }
}

fn shown(text: &str) -> &str {
    if text.is_empty() { " " } else { text }
}

/// Returns whether every monospaced font has it, one cell wide.
fn is_plain(text: &str) -> bool {
    let mut characters = text.chars();
    matches!((characters.next(), characters.next()), (None, _) | (Some(' '..='~' | '\u{a1}'..='\u{24f}'), None))
}

fn text(out: &mut String, frame: &Frame, place: &str, painted: Look, content: &str) {
    if painted.hidden || content.is_empty() {
        return;
    }
    let class = match (painted.bold, painted.italic) {
        (false, false) => "",
        (true, false) => " class=\"b\"",
        (false, true) => " class=\"i\"",
        (true, true) => " class=\"b i\"",
    };
    let link = address(frame, painted.link);
    if let Some(address) = link {
        out.push_str("<a href=\"");
        escape(address, out);
        out.push_str("\">");
    }
    put(out, format_args!("<text {place}{class}"));
    if painted.text != FOREGROUND {
        put(out, format_args!(" fill=\"{}\"", hex(painted.text)));
    }
    out.push('>');
    escape(content, out);
    out.push_str(if link.is_some() { "</text></a>\n" } else { "</text>\n" });
}

/// Draws underlines and strikes below and through some columns.
fn lines(out: &mut String, painted: Look, row: u16, col: u16, count: u16) {
    let (x, y) = corner(row, col);
    let (width, fill) = (f32::from(count) * CELL.0, hex(painted.line));
    let below = y + BASELINE + 1.5;
    match painted.underline {
        Underline::None => {}
        Underline::Single => rectangle(out, [x, below, width, 1.0], &fill),
        Underline::Double => {
            rectangle(out, [x, below - 0.5, width, 1.0], &fill);
            rectangle(out, [x, below + 1.5, width, 1.0], &fill);
        }
        Underline::Dotted | Underline::Dashed => {
            let dashes = if painted.underline == Underline::Dotted { "1 1" } else { "4 2" };
            let end = x + width;
            put(
                out,
                format_args!("<path d=\"M{x} {below}H{end}\" stroke=\"{fill}\" stroke-dasharray=\"{dashes}\"/>\n"),
            );
        }
        Underline::Curly => {
            put(out, format_args!("<path d=\"M{x} {below}"));
            for _ in 0..count {
                out.push_str("q2 -3 4 0t4 0");
            }
            put(out, format_args!("\" fill=\"none\" stroke=\"{fill}\"/>\n"));
        }
    }
    if painted.strike {
        rectangle(out, [x, y + BASELINE - 4.0, width, 1.0], &hex(painted.text));
    }
}

/// Draws a cursor that is a bar or a line below; a block is the look of its cell.
fn line_cursor(out: &mut String, frame: &Frame) {
    if !frame.cursor.visible {
        return;
    }
    let (x, y) = corner(frame.cursor.y, frame.cursor.x);
    let fill = hex(FOREGROUND);
    match frame.cursor.shape {
        CursorShape::BlinkingUnderline | CursorShape::SteadyUnderline => {
            rectangle(out, [x, y + CELL.1 - 2.0, CELL.0, 2.0], &fill);
        }
        CursorShape::BlinkingBar | CursorShape::SteadyBar => rectangle(out, [x, y, 2.0, CELL.1], &fill),
        CursorShape::Default | CursorShape::BlinkingBlock | CursorShape::SteadyBlock => {}
    }
}

/// Appends to a string, which cannot fail.
pub(super) fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}
