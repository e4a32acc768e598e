//! What a style looks like once colours are real and reverse, dim and the cursor are worked in.

use crate::model::{Attributes, Cell, Color, CursorShape, Frame, Style, Underline};

/// Red, green, blue.
pub(super) type Rgb = (u8, u8, u8);

/// The colours of text and ground that name none: what the answers to OSC 10 and 11 say.
pub(super) const FOREGROUND: Rgb = (229, 229, 229);
pub(super) const BACKGROUND: Rgb = (0, 0, 0);

/// How a cell is painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) text: Rgb,
    pub(super) ground: Rgb,
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) strike: bool,
    pub(super) hidden: bool,
    pub(super) underline: Underline,
    /// The colour of the underline.
    pub(super) line: Rgb,
    /// The number of the link, or 0.
    pub(super) link: u16,
}

/// Returns how a cell is painted.
pub(super) fn look(frame: &Frame, row: u16, col: u16) -> Look {
    let mut look = of_style(cell(frame, row, col).style);
    if block_cursor(frame) == Some((row, col)) {
        (look.text, look.ground) = (look.ground, FOREGROUND);
    }
    look
}

pub(super) fn cell(frame: &Frame, row: u16, col: u16) -> &Cell {
    &frame.rows[usize::from(row)].cells[usize::from(col)]
}

fn of_style(style: Style) -> Look {
    let has = |attribute| style.attributes.contains(attribute);
    let mut text = rgb(style.foreground).unwrap_or(FOREGROUND);
    let mut ground = rgb(style.background).unwrap_or(BACKGROUND);
    if has(Attributes::REVERSE) {
        (text, ground) = (ground, text);
    }
    if has(Attributes::DIM) {
        text = dimmed(text, ground);
    }
    Look {
        text,
        ground,
        bold: has(Attributes::BOLD),
        italic: has(Attributes::ITALIC),
        strike: has(Attributes::STRIKE),
        hidden: has(Attributes::HIDDEN),
        underline: style.underline,
        line: rgb(style.underline_color).unwrap_or(text),
        link: style.link,
    }
}

fn rgb(color: Color) -> Option<Rgb> {
    match color {
        Color::Default => None,
        Color::Indexed(index) => Some(Color::palette_rgb(index)),
        Color::Rgb(r, g, b) => Some((r, g, b)),
    }
}

/// Returns a colour weakened towards the ground by four tenths.
fn dimmed(text: Rgb, ground: Rgb) -> Rgb {
    let mix = |a: u8, b: u8| ((u16::from(a) * 6 + u16::from(b) * 4) / 10) as u8;
    (mix(text.0, ground.0), mix(text.1, ground.1), mix(text.2, ground.2))
}

/// Returns row and column of a cursor that is a shown block.
fn block_cursor(frame: &Frame) -> Option<(u16, u16)> {
    let is_block =
        matches!(frame.cursor.shape, CursorShape::Default | CursorShape::BlinkingBlock | CursorShape::SteadyBlock);
    (is_block && frame.cursor.visible).then_some((frame.cursor.y, frame.cursor.x))
}

/// Returns the colour as SVG and CSS write it.
pub(super) fn hex((r, g, b): Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Writes text into XML or HTML, with what they do not take replaced.
pub(super) fn escape(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' | '\0'..='\x1f' | '\x7f' => out.push('\u{fffd}'),
            _ => out.push(character),
        }
    }
}

/// Returns the address of a link that a page may lead to: another scheme could run a script.
pub(super) fn address(frame: &Frame, link: u16) -> Option<&str> {
    let address = frame.links.get(&link)?;
    ["http://", "https://", "mailto:"].iter().any(|scheme| address.starts_with(scheme)).then_some(&**address)
}
