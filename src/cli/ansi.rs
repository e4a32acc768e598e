//! Rows of cells as text with colours. Only what stands here reaches a terminal, whatever the run has printed.

use std::fmt::Write as _;

use crate::model::{Attributes, Cell, Color, Row, Style, Underline};

/// Returns a row with its colours, without trailing blanks of the default look.
pub(super) fn row_text(row: &Row) -> String {
    let blank = |cell: &Cell| cell.text.is_empty() && cell.width == 1 && cell.style == Style::default();
    let shown = row.cells.iter().rposition(|cell| !blank(cell)).map_or(0, |last| last + 1);
    let mut text = String::new();
    write_cells(&mut text, &row.cells[..shown]);
    text
}

/// Writes cells with their colours; ends with the default look.
pub(super) fn write_cells(out: &mut String, cells: &[Cell]) {
    let mut style = Style::default();
    for cell in cells {
        if cell.width == 0 {
            continue;
        }
        let wanted = Style { link: 0, ..cell.style };
        if wanted != style {
            write_style(out, wanted);
            style = wanted;
        }
        if cell.text.is_empty() {
            (0..cell.width).for_each(|_| out.push(' '));
        } else {
            out.push_str(&cell.text);
        }
    }
    if style != Style::default() {
        out.push_str("\x1b[0m");
    }
}

/// Writes what makes the look of a terminal this one, from whatever it was.
fn write_style(out: &mut String, style: Style) {
    out.push_str("\x1b[0");
    let attributes = [
        (Attributes::BOLD, 1),
        (Attributes::DIM, 2),
        (Attributes::ITALIC, 3),
        (Attributes::BLINK, 5),
        (Attributes::REVERSE, 7),
        (Attributes::HIDDEN, 8),
        (Attributes::STRIKE, 9),
    ];
    for (attribute, number) in attributes {
        if style.attributes.contains(attribute) {
            put(out, format_args!(";{number}"));
        }
    }
    match style.underline {
        Underline::None => {}
        Underline::Single => out.push_str(";4"),
        Underline::Double => out.push_str(";4:2"),
        Underline::Curly => out.push_str(";4:3"),
        Underline::Dotted => out.push_str(";4:4"),
        Underline::Dashed => out.push_str(";4:5"),
    }
    color(out, style.foreground, 30);
    color(out, style.background, 40);
    match style.underline_color {
        Color::Default => {}
        Color::Indexed(index) => put(out, format_args!(";58:5:{index}")),
        Color::Rgb(r, g, b) => put(out, format_args!(";58:2::{r}:{g}:{b}")),
    }
    out.push('m');
}

fn color(out: &mut String, color: Color, base: u8) {
    match color {
        Color::Default => {}
        Color::Indexed(index @ 0..8) => put(out, format_args!(";{}", base + index)),
        Color::Indexed(index @ 8..16) => put(out, format_args!(";{}", base + 60 + index - 8)),
        Color::Indexed(index) => put(out, format_args!(";{};5;{index}", base + 8)),
        Color::Rgb(r, g, b) => put(out, format_args!(";{};2;{r};{g};{b}", base + 8)),
    }
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string does not fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str, width: u8, style: Style) -> Cell {
        Cell { text: text.into(), width, style }
    }

    #[test]
    fn a_row_has_its_colours_and_no_blanks_at_its_end() {
        let red = Style { foreground: Color::Indexed(1), ..Style::default() };
        let loud = Style {
            attributes: Attributes::BOLD.with(Attributes::REVERSE),
            background: Color::Rgb(1, 2, 3),
            foreground: Color::Indexed(9),
            underline: Underline::Curly,
            ..Style::default()
        };
        let cells = vec![
            cell("a", 1, red),
            cell("漢", 2, red),
            cell("", 0, red),
            cell("", 1, Style::default()),
            cell("b", 1, loud),
            Cell::blank(),
            Cell::blank(),
        ];
        let row = Row { cells, wrapped: false };
        assert_eq!(row_text(&row), "\x1b[0;31ma漢\x1b[0m \x1b[0;1;7;4:3;91;48;2;1;2;3mb\x1b[0m");
    }
}
