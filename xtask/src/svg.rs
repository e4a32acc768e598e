//! A screen as an SVG picture: one text element for a run of cells that look alike, lines and blocks as shapes.

use std::fmt::Write as _;

use crate::boxes::{Shape, Weight, shape};
use crate::colours::{BACKGROUND, FOREGROUND, Rgb, TITLE, TITLE_BAR, dimmed, hex, rgb};
use crate::harness::Screen;

/// The size of a cell in pixels. A monospaced glyph of [`FONT_SIZE`] is 0.6 of it wide, so text fits the cells.
const CELL: (f32, f32) = (8.0, 18.0);
const FONT_SIZE: f32 = 13.33;
/// From the top of a cell to the line that letters stand on.
const BASELINE: f32 = 13.5;
const PADDING: f32 = 12.0;
const BAR: f32 = 28.0;

/// How a cell looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Look {
    text: Rgb,
    ground: Rgb,
    bold: bool,
    italic: bool,
    underline: bool,
}

/// Draws what is on the screen, in a window with `title`.
pub(crate) fn draw(screen: Screen<'_>, title: &str) -> String {
    let (cols, rows) = screen.size();
    let (width, height) = (f32::from(cols) * CELL.0, f32::from(rows) * CELL.1);
    let mut out = String::new();
    open(&mut out, width, height, title);
    for row in 0..rows {
        grounds(&mut out, screen, row);
    }
    for row in 0..rows {
        let mut strokes = Strokes::default();
        let mut col = 0;
        while col < cols {
            col += glyphs(&mut out, &mut strokes, screen, row, col);
        }
        strokes.write(&mut out);
    }
    line_cursor(&mut out, screen);
    out.push_str("</g>\n</svg>\n");
    out
}

fn open(out: &mut String, width: f32, height: f32, title: &str) {
    let (full_width, full_height) = (width + 2.0 * PADDING, height + 2.0 * PADDING + BAR);
    let (ground, bar, text) = (hex(BACKGROUND), hex(TITLE_BAR), hex(FOREGROUND));
    let fonts = "'DejaVu Sans Mono','JetBrains Mono',Menlo,Consolas,'Liberation Mono','Noto Sans Mono',monospace";
    push(
        out,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {full_width} {full_height}\" width=\"{full_width}\" \
         height=\"{full_height}\" font-family=\"{fonts}\" font-size=\"{FONT_SIZE}\" fill=\"{text}\">\n\
         <style>text{{white-space:pre}}.b{{font-weight:bold}}.i{{font-style:italic}}</style>\n\
         <rect width=\"{full_width}\" height=\"{full_height}\" rx=\"9\" fill=\"{ground}\"/>\n\
         <path d=\"M0 {BAR}V9A9 9 0 0 1 9 0H{}A9 9 0 0 1 {full_width} 9V{BAR}z\" fill=\"{bar}\"/>\n",
            full_width - 9.0
        ),
    );
    for (place, colour) in [(18, "#e06c75"), (36, "#e0b86c"), (54, "#98c379")] {
        push(out, format_args!("<circle cx=\"{place}\" cy=\"14\" r=\"5\" fill=\"{colour}\"/>\n"));
    }
    push(
        out,
        format_args!(
            "<text x=\"{}\" y=\"18.5\" text-anchor=\"middle\" fill=\"{}\">{}</text>\n\
         <g transform=\"translate({PADDING} {})\" xml:space=\"preserve\">\n",
            full_width / 2.0,
            hex(TITLE),
            escaped(title),
            PADDING + BAR
        ),
    );
}

fn look(screen: Screen<'_>, row: u16, col: u16) -> Look {
    let plain = Look { text: FOREGROUND, ground: BACKGROUND, bold: false, italic: false, underline: false };
    let mut look = screen.vt().cell(row, col).map_or(plain, |cell| {
        let (mut text, mut ground) = (rgb(cell.fgcolor(), FOREGROUND), rgb(cell.bgcolor(), BACKGROUND));
        if cell.inverse() {
            (text, ground) = (ground, text);
        }
        if cell.dim() {
            text = dimmed(text, ground);
        }
        Look { text, ground, bold: cell.bold(), italic: cell.italic(), underline: cell.underline() }
    });
    if block_cursor(screen) == Some((col, row)) {
        (look.text, look.ground) = (look.ground, FOREGROUND);
    }
    look
}

/// The place of a cursor that is a block.
fn block_cursor(screen: Screen<'_>) -> Option<(u16, u16)> {
    use vt100::CursorStyle::{BlinkBlock, Default, SteadyBlock};
    let block = matches!(screen.vt().cursor_style(), Default | BlinkBlock | SteadyBlock);
    (block && screen.cursor_visible()).then(|| screen.cursor())
}

/// Draws a cursor that is a bar or a line below.
fn line_cursor(out: &mut String, screen: Screen<'_>) {
    use vt100::CursorStyle::{BlinkUnderline, SteadyUnderline};
    if !screen.cursor_visible() || block_cursor(screen).is_some() {
        return;
    }
    let (col, row) = screen.cursor();
    let (x, y) = (f32::from(col) * CELL.0, f32::from(row) * CELL.1);
    let fill = hex(FOREGROUND);
    if matches!(screen.vt().cursor_style(), BlinkUnderline | SteadyUnderline) {
        let top = y + CELL.1 - 2.0;
        push(out, format_args!("<rect x=\"{x}\" y=\"{top}\" width=\"{}\" height=\"2\" fill=\"{fill}\"/>\n", CELL.0));
    } else {
        push(out, format_args!("<rect x=\"{x}\" y=\"{y}\" width=\"2\" height=\"{}\" fill=\"{fill}\"/>\n", CELL.1));
    }
}

/// Draws the backgrounds of a row that are not the window's.
fn grounds(out: &mut String, screen: Screen<'_>, row: u16) {
    let (cols, _) = screen.size();
    let y = f32::from(row) * CELL.1;
    let mut col = 0;
    while col < cols {
        let ground = look(screen, row, col).ground;
        let end = (col..cols).find(|at| look(screen, row, *at).ground != ground).unwrap_or(cols);
        if ground != BACKGROUND {
            let (x, width) = (f32::from(col) * CELL.0, f32::from(end - col) * CELL.0);
            let (height, fill) = (CELL.1, hex(ground));
            push(
                out,
                format_args!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>\n"),
            );
        }
        col = end;
    }
}

/// Draws the cell at `col`, or the run of plain text that begins there, and says how many columns that were.
fn glyphs(out: &mut String, strokes: &mut Strokes, screen: Screen<'_>, row: u16, col: u16) -> u16 {
    let look_here = look(screen, row, col);
    let symbol = symbol(screen, row, col);
    let (x, y) = (f32::from(col) * CELL.0, f32::from(row) * CELL.1);
    if let Some(found) = symbol.chars().next().and_then(shape) {
        draw_shape(out, strokes, &found, (x, y), look_here.text);
        return 1;
    }
    if !is_plain(symbol) {
        // The glyph may come from a font with other widths: put it in the middle of its cells.
        let wide = screen.vt().cell(row, col).is_some_and(vt100::Cell::is_wide);
        let cells = if wide { 2 } else { 1 };
        let middle = x + f32::from(cells) * CELL.0 / 2.0;
        let place = format!("x=\"{middle}\" y=\"{}\" text-anchor=\"middle\"", y + BASELINE);
        text(out, &place, look_here, symbol);
        underline(out, look_here, (x, y), cells);
        return cells;
    }
    let (cols, _) = screen.size();
    let mut run = String::new();
    let mut end = col;
    while end < cols {
        let next = self::symbol(screen, row, end);
        let gap = run.ends_with(' ') && next == " " && !look_here.underline;
        if gap || !is_plain(next) || look(screen, row, end) != look_here {
            break;
        }
        run.push_str(next);
        end += 1;
    }
    let trimmed = run.trim_end();
    if !trimmed.is_empty() {
        let count = trimmed.chars().count();
        let length = f32::from(u16::try_from(count).unwrap_or(cols)) * CELL.0;
        let stretch = if count > 1 { format!(" textLength=\"{length}\"") } else { String::new() };
        text(out, &format!("x=\"{x}\" y=\"{}\"{stretch}", y + BASELINE), look_here, trimmed);
    }
    underline(out, look_here, (x, y), end - col);
    (end - col).max(1)
}

/// What stands in a cell: a blank for nothing.
fn symbol(screen: Screen<'_>, row: u16, col: u16) -> &str {
    screen.vt().cell(row, col).filter(|cell| cell.has_contents()).map_or(" ", vt100::Cell::contents)
}

/// Whether every monospaced font has it, one cell wide.
fn is_plain(symbol: &str) -> bool {
    let mut characters = symbol.chars();
    matches!((characters.next(), characters.next()), (Some(' '..='~' | '\u{a1}'..='\u{24f}'), None))
}

fn text(out: &mut String, place: &str, look: Look, content: &str) {
    let class = match (look.bold, look.italic) {
        (false, false) => "",
        (true, false) => " class=\"b\"",
        (false, true) => " class=\"i\"",
        (true, true) => " class=\"b i\"",
    };
    let fill = if look.text == FOREGROUND { String::new() } else { format!(" fill=\"{}\"", hex(look.text)) };
    push(out, format_args!("<text {place}{class}{fill}>{}</text>\n", escaped(content)));
}

fn underline(out: &mut String, look: Look, (x, y): (f32, f32), cells: u16) {
    if look.underline {
        let (top, width, fill) = (y + BASELINE + 2.0, f32::from(cells) * CELL.0, hex(look.text));
        push(out, format_args!("<rect x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"1\" fill=\"{fill}\"/>\n"));
    }
}

fn draw_shape(out: &mut String, strokes: &mut Strokes, shape: &Shape, (x, y): (f32, f32), colour: Rgb) {
    let fill = hex(colour);
    match shape {
        Shape::Strokes(sides) => strokes.add(*sides, (x, y), colour),
        Shape::Arc(sides) => {
            let [top, right, _, left] = sides.map(|side| side != Weight::None);
            let (middle_x, middle_y) = (x + CELL.0 / 2.0, y + CELL.1 / 2.0);
            let (from_y, to_x) = (if top { y } else { y + CELL.1 }, if right { x + CELL.0 } else { x });
            debug_assert!(right != left, "an arc goes to one side");
            push(
                out,
                format_args!(
                    "<path d=\"M{middle_x} {from_y}Q{middle_x} {middle_y} {to_x} {middle_y}\" fill=\"none\" stroke=\"{fill}\"/>\n"
                ),
            );
        }
        Shape::Rectangles(all) => {
            for [left, top, width, height] in all.iter().map(|one| one.map(f32::from)) {
                let (left, top) = (x + left * CELL.0 / 8.0, y + top * CELL.1 / 8.0);
                let (width, height) = (width * CELL.0 / 8.0, height * CELL.1 / 8.0);
                push(
                    out,
                    format_args!(
                        "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\" \
                     shape-rendering=\"crispEdges\"/>\n"
                    ),
                );
            }
        }
        Shape::Shade(hundredths) => push(
            out,
            format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"{fill}\" opacity=\".{hundredths}\"/>\n",
                CELL.0, CELL.1
            ),
        ),
        Shape::Dots(all) => {
            for (col, row) in all {
                let (left, top) = (x + 2.0 + 4.0 * f32::from(*col), y + 2.25 + 4.5 * f32::from(*row));
                push(out, format_args!("<circle cx=\"{left}\" cy=\"{top}\" r=\"1.2\" fill=\"{fill}\"/>\n"));
            }
        }
    }
}

/// The box strokes of a row, those that meet end to end joined.
#[derive(Default)]
struct Strokes {
    /// Colour, thickness, and the path's start and end.
    lines: Vec<(Rgb, f32, [f32; 4])>,
}

impl Strokes {
    fn add(&mut self, sides: [Weight; 4], (x, y): (f32, f32), colour: Rgb) {
        let (middle_x, middle_y) = (x + CELL.0 / 2.0, y + CELL.1 / 2.0);
        let [top, right, bottom, left] = sides;
        let ends = [
            (left, [x, middle_y, middle_x, middle_y]),
            (right, [middle_x, middle_y, x + CELL.0, middle_y]),
            (top, [middle_x, y, middle_x, middle_y]),
            (bottom, [middle_x, middle_y, middle_x, y + CELL.1]),
        ];
        for (weight, [x1, y1, x2, y2]) in ends {
            let level = y1.total_cmp(&y2).is_eq();
            match weight {
                Weight::None => {}
                Weight::Light => self.line(colour, 1.0, [x1, y1, x2, y2]),
                Weight::Heavy => self.line(colour, 2.5, [x1, y1, x2, y2]),
                Weight::Double => {
                    for off in [-1.5, 1.5] {
                        let (dx, dy) = if level { (0.0, off) } else { (off, 0.0) };
                        self.line(colour, 1.0, [x1 + dx, y1 + dy, x2 + dx, y2 + dy]);
                    }
                }
            }
        }
    }

    fn line(&mut self, colour: Rgb, thick: f32, line: [f32; 4]) {
        let joined = self.lines.iter_mut().rev().find(|(other, weight, end)| {
            let level = end[1].total_cmp(&end[3]).is_eq() && line[1].total_cmp(&line[3]).is_eq();
            let meets = end[2].total_cmp(&line[0]).is_eq() && end[3].total_cmp(&line[1]).is_eq();
            level && meets && *other == colour && weight.total_cmp(&thick).is_eq()
        });
        match joined {
            Some((_, _, end)) => end[2] = line[2],
            None => self.lines.push((colour, thick, line)),
        }
    }

    fn write(&self, out: &mut String) {
        for (colour, thick, [x1, y1, x2, y2]) in &self.lines {
            push(
                out,
                format_args!(
                    "<path d=\"M{x1} {y1}L{x2} {y2}\" stroke=\"{}\" stroke-width=\"{thick}\"/>\n",
                    hex(*colour)
                ),
            );
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("text can always be added to a string");
}
