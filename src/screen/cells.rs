//! Reads the grid's cells as cells of the model.

use compact_str::CompactString;

use super::line::{FILLER_MARK, REPLACEMENT_MARK};
use super::scrolled::Behind;
use crate::model::{Attributes, Cell, Color, Row, Style, Underline};

/// Returns whether the first character of a row is wide: the row before, if it wraps, may end with a column left free.
pub(super) fn starts_wide(row: &Row) -> bool {
    row.cells.first().is_some_and(|cell| cell.width == 2)
}

/// Returns a row of the shown screen.
pub(super) fn read_row(parser: &vt100::Parser<Behind>, cols: u16, row: u16) -> Row {
    let mut cells = Vec::with_capacity(cols.into());
    // Most cells are like the one before them.
    let mut last: Option<(&vt100::Cell, Cell)> = None;
    for col in 0..cols {
        let native = parser.screen().cell(row, col);
        let cell = match (native, &last) {
            (Some(native), Some((before, cell))) if native == *before => cell.clone(),
            (Some(native), _) => {
                let cell = read(parser, native);
                last = Some((native, cell.clone()));
                cell
            }
            (None, _) => Cell::blank(),
        };
        let fits = match cell.width {
            0 => cells.last().is_some_and(|before: &Cell| before.width == 2),
            2 => col + 1 < cols,
            _ => true,
        };
        // Half of a wide character is a blank.
        cells.push(if fits { cell } else { Cell { style: erased(cell.style), ..Cell::blank() } });
        if let [.., before, now] = cells.as_mut_slice() {
            if before.width == 2 && now.width != 0 {
                *before = Cell { style: erased(before.style), ..Cell::blank() };
            } else if now.width == 0 {
                now.style = before.style;
            }
        }
    }
    Row { cells, wrapped: parser.screen().row_wrapped(row) }
}

fn erased(style: Style) -> Style {
    Style { background: style.background, ..Style::default() }
}

/// Returns a cell of the shown screen.
pub(super) fn read_cell(parser: &vt100::Parser<Behind>, row: u16, col: u16) -> Cell {
    parser.screen().cell(row, col).map_or_else(Cell::blank, |cell| read(parser, cell))
}

fn read(parser: &vt100::Parser<Behind>, cell: &vt100::Cell) -> Cell {
    if cell.is_wide_continuation() {
        return Cell { width: 0, ..Cell::blank() };
    }
    let background = color(cell.bgcolor());
    if !cell.has_contents() || cell.contents().starts_with(FILLER_MARK) {
        return Cell { style: Style { background, ..Style::default() }, ..Cell::blank() };
    }
    let style = parser.callbacks().full_style(native_style(cell, background));
    let width = if cell.is_wide() { 2 } else { 1 };
    Cell { text: shown_text(cell.contents()), width, style }
}

fn shown_text(contents: &str) -> CompactString {
    match contents.as_bytes() {
        b" " => CompactString::const_new(""),
        [_] => CompactString::new(contents),
        _ => {
            let contents = contents.trim_end_matches('\u{200d}');
            match contents.strip_prefix(REPLACEMENT_MARK) {
                Some(marks) => {
                    let mut text = CompactString::const_new("\u{fffd}");
                    text.push_str(marks);
                    text
                }
                None => CompactString::new(contents),
            }
        }
    }
}

fn native_style(cell: &vt100::Cell, background: Color) -> Style {
    let flags = [
        (cell.bold(), Attributes::BOLD),
        (cell.dim(), Attributes::DIM),
        (cell.italic(), Attributes::ITALIC),
        (cell.inverse(), Attributes::REVERSE),
    ];
    let attributes = flags.iter().filter(|(set, _)| *set).fold(Attributes::NONE, |all, (_, one)| all.with(*one));
    let underline = if cell.underline() { Underline::Single } else { Underline::None };
    Style { foreground: color(cell.fgcolor()), background, attributes, underline, ..Style::default() }
}

fn color(color: vt100::Color) -> Color {
    match color {
        vt100::Color::Default => Color::Default,
        vt100::Color::Idx(index) => Color::Indexed(index),
        vt100::Color::Rgb(r, g, b) => Color::Rgb(r, g, b),
    }
}
