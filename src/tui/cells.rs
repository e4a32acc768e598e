//! From the cells of a run's screen to the cells that are drawn.

use std::num::NonZeroU16;

use ratatui::buffer::{Buffer, CellDiffOption};
use ratatui::layout::Rect;
use ratatui::style::{Color as Drawn, Modifier};

use crate::model::{Attributes, Cell, Color, Row, Style, Underline};

use super::ColorChoice;

/// The zero-width joiner: at the end of a cell it would make the outer terminal join the cell with the next one.
const JOINER: char = '\u{200d}';

/// Paints a row into the line `y` of `area`, clipped to it. The cells are taken to be blank already.
pub(crate) fn paint(buf: &mut Buffer, area: Rect, y: u16, row: &Row, colors: ColorChoice) {
    let area = area.intersection(buf.area);
    if y < area.y || y >= area.bottom() {
        return;
    }
    let start = buf.index_of(area.x, y);
    let line = &mut buf.content[start..start + usize::from(area.width)];
    let cols = line.len();
    for (x, (cell, drawn)) in row.cells.iter().zip(line.iter_mut()).enumerate() {
        let is_default = cell.style == Style::default();
        if is_default && cell.text.is_empty() {
            continue;
        }
        if !is_default {
            set_style(drawn, &cell.style, colors);
        }
        let width = u16::from(cell.width.max(1));
        // A wide character whose second half is clipped leaves a blank.
        if cell.text.is_empty() || x + usize::from(width) > cols {
            continue;
        }
        drawn.set_symbol(harmless(cell));
        if let Some(width) = NonZeroU16::new(width) {
            // The program and its screen agree on this width, so it is not computed again.
            drawn.set_diff_option(CellDiffOption::ForcedWidth(width));
        }
    }
}

/// The text of a cell, without what would do something in the outer terminal.
fn harmless(cell: &Cell) -> &str {
    let text = cell.text.as_str();
    match text.as_bytes() {
        [byte] if (0x20..0x7f).contains(byte) => text,
        _ if text.chars().any(char::is_control) => "\u{fffd}",
        _ => match text.trim_end_matches(JOINER) {
            "" => " ",
            text => text,
        },
    }
}

fn set_style(drawn: &mut ratatui::buffer::Cell, style: &Style, colors: ColorChoice) {
    drawn.fg = color(style.foreground, colors);
    drawn.bg = color(style.background, colors);
    drawn.underline_color = color(style.underline_color, colors);
    drawn.modifier = modifier(style);
}

/// Returns a look of the configuration as it is drawn. What is the terminal's own stays unset.
pub(super) fn drawn_style(style: &Style, colors: ColorChoice) -> ratatui::style::Style {
    let set = |given: Color| (given != Color::Default).then(|| color(given, colors));
    ratatui::style::Style {
        fg: set(style.foreground),
        bg: set(style.background),
        add_modifier: modifier(style),
        ..ratatui::style::Style::new()
    }
}

/// Returns a look with the nearest colours that the terminal has.
pub(super) fn in_colors(style: ratatui::style::Style, colors: ColorChoice) -> ratatui::style::Style {
    let nearest = |drawn: Drawn| match drawn {
        Drawn::Rgb(r, g, b) => color(Color::Rgb(r, g, b), colors),
        other => other,
    };
    ratatui::style::Style { fg: style.fg.map(nearest), bg: style.bg.map(nearest), ..style }
}

fn modifier(style: &Style) -> Modifier {
    const PAIRS: [(Attributes, Modifier); 7] = [
        (Attributes::BOLD, Modifier::BOLD),
        (Attributes::DIM, Modifier::DIM),
        (Attributes::ITALIC, Modifier::ITALIC),
        (Attributes::BLINK, Modifier::SLOW_BLINK),
        (Attributes::REVERSE, Modifier::REVERSED),
        (Attributes::HIDDEN, Modifier::HIDDEN),
        (Attributes::STRIKE, Modifier::CROSSED_OUT),
    ];
    let mut modifier = Modifier::empty();
    if style.attributes != Attributes::NONE {
        for (attribute, drawn) in PAIRS {
            if style.attributes.contains(attribute) {
                modifier |= drawn;
            }
        }
    }
    if style.underline != Underline::None {
        modifier |= Modifier::UNDERLINED;
    }
    modifier
}

/// The sixteen colours under the names that keep them within `SGR 30–37` and `90–97`.
const SIXTEEN: [Drawn; 16] = [
    Drawn::Black,
    Drawn::Red,
    Drawn::Green,
    Drawn::Yellow,
    Drawn::Blue,
    Drawn::Magenta,
    Drawn::Cyan,
    Drawn::Gray,
    Drawn::DarkGray,
    Drawn::LightRed,
    Drawn::LightGreen,
    Drawn::LightYellow,
    Drawn::LightBlue,
    Drawn::LightMagenta,
    Drawn::LightCyan,
    Drawn::White,
];

/// The steps of the colour cube of the palette.
const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

fn color(color: Color, colors: ColorChoice) -> Drawn {
    match (color, colors) {
        (Color::Default, _) => Drawn::Reset,
        (Color::Indexed(index @ 0..16), _) => SIXTEEN[usize::from(index)],
        (Color::Indexed(index), ColorChoice::TrueColor | ColorChoice::Palette) => Drawn::Indexed(index),
        (Color::Rgb(r, g, b), ColorChoice::TrueColor) => Drawn::Rgb(r, g, b),
        (Color::Rgb(r, g, b), ColorChoice::Palette) => Drawn::Indexed(nearest_of_palette((r, g, b))),
        (Color::Indexed(index), ColorChoice::Sixteen | ColorChoice::None) => {
            nearest_of_sixteen(Color::palette_rgb(index))
        }
        (Color::Rgb(r, g, b), ColorChoice::Sixteen | ColorChoice::None) => nearest_of_sixteen((r, g, b)),
    }
}

fn distance(a: (u8, u8, u8), b: (u8, u8, u8)) -> u32 {
    let square = |x: u8, y: u8| u32::from(x.abs_diff(y)).pow(2);
    square(a.0, b.0) + square(a.1, b.1) + square(a.2, b.2)
}

fn nearest_of_sixteen(rgb: (u8, u8, u8)) -> Drawn {
    let nearest = (0..16).min_by_key(|index| distance(Color::palette_rgb(*index), rgb));
    nearest.map_or(Drawn::Reset, |index| SIXTEEN[usize::from(index)])
}

fn nearest_of_palette(rgb: (u8, u8, u8)) -> u8 {
    let step = |value: u8| (0..6u8).min_by_key(|n| CUBE[usize::from(*n)].abs_diff(value)).unwrap_or(0);
    let cube = 16 + 36 * step(rgb.0) + 6 * step(rgb.1) + step(rgb.2);
    let average = (u16::from(rgb.0) + u16::from(rgb.1) + u16::from(rgb.2)) / 3;
    let grey = 232 + u8::try_from((average.saturating_sub(3) / 10).min(23)).unwrap_or(23);
    if distance(Color::palette_rgb(grey), rgb) < distance(Color::palette_rgb(cube), rgb) { grey } else { cube }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str, width: u8) -> Cell {
        Cell { text: text.into(), width, ..Cell::default() }
    }

    fn painted(cells: Vec<Cell>, cols: u16) -> Buffer {
        let area = Rect::new(0, 0, cols, 1);
        let mut buf = Buffer::empty(area);
        paint(&mut buf, area, 0, &Row { cells, wrapped: false }, ColorChoice::TrueColor);
        buf
    }

    #[test]
    fn a_joiner_at_the_end_of_a_cell_is_not_drawn() {
        let buf = painted(vec![cell("👩\u{200d}", 2), cell("", 0), cell("🚀", 2), cell("", 0)], 4);
        assert_eq!(buf[(0, 0)].symbol(), "👩");
        assert_eq!(buf[(2, 0)].symbol(), "🚀");
        assert_eq!(buf[(0, 0)].diff_option, CellDiffOption::ForcedWidth(NonZeroU16::new(2).expect("two")));
    }

    #[test]
    fn control_characters_never_reach_the_terminal() {
        let buf = painted(vec![cell("\u{1b}", 1), cell("\u{9b}", 1), cell("a\u{7}", 1)], 3);
        assert!((0..3).all(|x| buf[(x, 0)].symbol() == "\u{fffd}"));
    }

    #[test]
    fn a_wide_character_that_is_cut_in_half_leaves_a_blank() {
        let buf = painted(vec![cell("a", 1), cell("界", 2), cell("", 0)], 2);
        assert_eq!((buf[(0, 0)].symbol(), buf[(1, 0)].symbol()), ("a", " "));
    }

    #[test]
    fn colours_become_the_nearest_that_the_terminal_has() {
        assert_eq!(color(Color::Rgb(255, 0, 0), ColorChoice::TrueColor), Drawn::Rgb(255, 0, 0));
        assert_eq!(color(Color::Rgb(255, 0, 0), ColorChoice::Palette), Drawn::Indexed(196));
        assert_eq!(color(Color::Rgb(128, 128, 128), ColorChoice::Palette), Drawn::Indexed(244));
        assert_eq!(color(Color::Rgb(250, 10, 10), ColorChoice::Sixteen), Drawn::LightRed);
        assert_eq!(color(Color::Indexed(196), ColorChoice::Sixteen), Drawn::LightRed);
        assert_eq!(color(Color::Indexed(3), ColorChoice::TrueColor), Drawn::Yellow);
    }
}
