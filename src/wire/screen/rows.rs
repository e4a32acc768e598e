//! Rows of cells.
//!
//! A row: the number of its cells times two, plus one when it is wrapped; then tokens until it has so many cells. A token is a number whose two
//! lowest bits say what it is and whose rest is a count.

use std::sync::Arc;

use compact_str::CompactString;

use super::super::WireError;
use super::super::bytes::{Taker, put, put_count};
use crate::model::{Attributes, Cell, Color, Row, Style, Underline};

/// So many blank cells.
const BLANKS: u64 = 0;
/// So many cells of one ASCII character and one column each; the characters follow.
const ASCII: u64 = 1;
/// One cell: its columns (a byte), then its text of so many bytes.
const CELL: u64 = 2;
/// The cells from here on have the style that follows.
const STYLE: u64 = 3;

/// The most cells that a row can have.
const MAX_COLS: usize = 1000;

/// The most cells that one answer may have: ten thousand rows of the widest screen.
const MAX_CELLS: usize = 10_000 * MAX_COLS;

/// Writes rows, one behind the other.
pub fn write_rows<'a>(rows: impl IntoIterator<Item = &'a Arc<Row>>) -> Vec<u8> {
    let mut bytes = Vec::new();
    rows.into_iter().for_each(|row| write_row(row, &mut bytes));
    bytes
}

/// Reads rows up to the end of the bytes.
///
/// # Errors
/// [`WireError::Screen`] for bytes that are no rows.
pub fn read_rows(bytes: &[u8]) -> Result<Vec<Arc<Row>>, WireError> {
    let (mut from, mut rows, mut cells) = (Taker(bytes), Vec::new(), 0);
    while !from.0.is_empty() {
        let row = read_row(&mut from)?;
        cells += row.cells.len();
        if cells > MAX_CELLS {
            return Err(WireError::Screen { what: "there are too many rows" });
        }
        rows.push(Arc::new(row));
    }
    Ok(rows)
}

pub(super) fn write_row(row: &Row, bytes: &mut Vec<u8>) {
    put(bytes, row.cells.len() as u64 * 2 + u64::from(row.wrapped));
    let mut style = Style::default();
    let mut at = 0;
    while let Some(cell) = row.cells.get(at) {
        if cell.style != style {
            style = cell.style;
            put(bytes, STYLE);
            write_style(style, bytes);
        }
        let rest = &row.cells[at..];
        let count = |is_like: fn(&Cell) -> bool| rest.iter().take_while(|c| c.style == style && is_like(c)).count();
        let (blanks, ascii) = (count(is_blank), count(is_ascii));
        if blanks > 0 {
            put(bytes, (blanks as u64) << 2 | BLANKS);
            at += blanks;
        } else if ascii > 0 {
            put(bytes, (ascii as u64) << 2 | ASCII);
            bytes.extend(rest[..ascii].iter().map(|cell| cell.text.as_bytes()[0]));
            at += ascii;
        } else {
            put(bytes, (cell.text.len() as u64) << 2 | CELL);
            bytes.push(cell.width);
            bytes.extend_from_slice(cell.text.as_bytes());
            at += 1;
        }
    }
}

fn is_blank(cell: &Cell) -> bool {
    cell.width == 1 && cell.text.is_empty()
}

fn is_ascii(cell: &Cell) -> bool {
    cell.width == 1 && cell.text.len() == 1
}

pub(super) fn read_row(from: &mut Taker<'_>) -> Result<Row, WireError> {
    let header = from.number()?;
    let length = usize::try_from(header >> 1).unwrap_or(usize::MAX);
    if length > MAX_COLS {
        return Err(WireError::Screen { what: "a row is too long" });
    }
    let mut cells: Vec<Cell> = Vec::with_capacity(length);
    let mut style = Style::default();
    while cells.len() < length {
        let token = from.number()?;
        let count = usize::try_from(token >> 2).unwrap_or(usize::MAX);
        let left = length - cells.len();
        match token & 3 {
            BLANKS | ASCII if count == 0 || count > left => {
                return Err(WireError::Screen { what: "a row has other cells than it says" });
            }
            BLANKS => cells.extend(std::iter::repeat_n(Cell { width: 1, style, ..Cell::default() }, count)),
            ASCII => {
                let text = from.text(count)?;
                if !text.is_ascii() {
                    return Err(WireError::Screen { what: "a text is no ASCII" });
                }
                let cell = |at: usize| Cell { text: CompactString::new(&text[at..=at]), width: 1, style };
                cells.extend((0..count).map(cell));
            }
            CELL => {
                let width = from.byte()?;
                if width > 2 {
                    return Err(WireError::Screen { what: "a cell is wider than two columns" });
                }
                cells.push(Cell { text: CompactString::new(from.text(count)?), width, style });
            }
            _ => style = read_style(from)?,
        }
    }
    Ok(Row { cells, wrapped: header & 1 == 1 })
}

fn write_style(style: Style, bytes: &mut Vec<u8>) {
    bytes.push(style.attributes.bits());
    bytes.push(match style.underline {
        Underline::None => 0,
        Underline::Single => 1,
        Underline::Double => 2,
        Underline::Curly => 3,
        Underline::Dotted => 4,
        Underline::Dashed => 5,
    });
    for color in [style.foreground, style.background, style.underline_color] {
        match color {
            Color::Default => bytes.push(0),
            Color::Indexed(index) => bytes.extend([1, index]),
            Color::Rgb(red, green, blue) => bytes.extend([2, red, green, blue]),
        }
    }
    put_count(bytes, style.link.into());
}

fn read_style(from: &mut Taker<'_>) -> Result<Style, WireError> {
    let attributes = Attributes::from_bits(from.byte()?);
    let underline = match from.byte()? {
        0 => Underline::None,
        1 => Underline::Single,
        2 => Underline::Double,
        3 => Underline::Curly,
        4 => Underline::Dotted,
        5 => Underline::Dashed,
        _ => return Err(WireError::Screen { what: "an underline of no known kind" }),
    };
    let (foreground, background, underline_color) = (read_color(from)?, read_color(from)?, read_color(from)?);
    Ok(Style { foreground, background, attributes, underline, underline_color, link: from.small()? })
}

fn read_color(from: &mut Taker<'_>) -> Result<Color, WireError> {
    Ok(match from.byte()? {
        0 => Color::Default,
        1 => Color::Indexed(from.byte()?),
        2 => Color::Rgb(from.byte()?, from.byte()?, from.byte()?),
        _ => return Err(WireError::Screen { what: "a colour of no known kind" }),
    })
}
