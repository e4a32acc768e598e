//! Cells as the bytes that draw them: what a terminal has been told already is not told again.

use std::io::{self, Write};

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use ratatui::style::{Color, Modifier};

/// A terminal that is drawn on with few bytes.
///
/// The first sixteen colours are told by their own codes, which terminals with no more colours know, too.
pub(super) struct Ink<W: Write> {
    terminal: CrosstermBackend<W>,
    /// What is drawn at once. It is kept, as pictures are of about the same size.
    bytes: Vec<u8>,
}

impl<W: Write> Ink<W> {
    /// Draws with `writer`, whose terminal draws plainly by now.
    pub(super) fn new(writer: W) -> Ink<W> {
        Ink { terminal: CrosstermBackend::new(writer), bytes: Vec::new() }
    }
}

impl<W: Write> Write for Ink<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.terminal.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Write::flush(&mut self.terminal)
    }
}

impl<W: Write> Backend for Ink<W> {
    type Error = io::Error;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, content: I) -> io::Result<()> {
        self.bytes.clear();
        let mut look = Look::default();
        let mut at = None;
        for (x, y, cell) in content {
            go(at, x, y, &mut self.bytes);
            look.change(&Look::of(cell), &mut self.bytes);
            let symbol = cell.symbol();
            self.bytes.extend_from_slice(symbol.as_bytes());
            let is_sure = symbol.len() == 1;
            at = Some(At { next: (x + 1, y), is_sure });
        }
        look.change(&Look::default(), &mut self.bytes);
        self.terminal.write_all(&self.bytes)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.terminal.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.terminal.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.terminal.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.terminal.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.terminal.clear()
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        self.terminal.clear_region(region)
    }

    fn size(&self) -> io::Result<Size> {
        self.terminal.size()
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.terminal.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.terminal)
    }
}

/// Where the cursor is.
#[derive(Debug, Clone, Copy)]
struct At {
    next: (u16, u16),
    /// Whether the terminal cannot take what was drawn there for wider than it is.
    is_sure: bool,
}

/// Moves the cursor, unless it is there.
fn go(at: Option<At>, x: u16, y: u16, bytes: &mut Vec<u8>) {
    match at {
        Some(At { next, .. }) if next == (x, y) => {}
        Some(At { next: (_, row), is_sure: true }) if row == y => put(bytes, format_args!("\x1b[{}G", x + 1)),
        _ => put(bytes, format_args!("\x1b[{};{}H", y + 1, x + 1)),
    }
}

fn put(bytes: &mut Vec<u8>, what: std::fmt::Arguments<'_>) {
    bytes.write_fmt(what).expect("memory takes all");
}

/// How a cell looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Look {
    foreground: Color,
    background: Color,
    underline: Color,
    modifier: Modifier,
}

impl Default for Look {
    fn default() -> Look {
        let none = Color::Reset;
        Look { foreground: none, background: none, underline: none, modifier: Modifier::empty() }
    }
}

/// The codes that set what a modifier stands for.
const MODIFIERS: [(Modifier, u8); 9] = [
    (Modifier::BOLD, 1),
    (Modifier::DIM, 2),
    (Modifier::ITALIC, 3),
    (Modifier::UNDERLINED, 4),
    (Modifier::SLOW_BLINK, 5),
    (Modifier::RAPID_BLINK, 6),
    (Modifier::REVERSED, 7),
    (Modifier::HIDDEN, 8),
    (Modifier::CROSSED_OUT, 9),
];

impl Look {
    fn of(cell: &Cell) -> Look {
        Look { foreground: cell.fg, background: cell.bg, underline: cell.underline_color, modifier: cell.modifier }
    }

    /// Makes the terminal draw with another look from here on.
    fn change(&mut self, next: &Look, bytes: &mut Vec<u8>) {
        if self == next {
            return;
        }
        bytes.extend_from_slice(b"\x1b[");
        // What is to end has no code of its own everywhere.
        if !next.modifier.contains(self.modifier) || *next == Look::default() {
            *self = Look::default();
            bytes.extend_from_slice(if next == self { b"" } else { b"0;" });
        }
        for (modifier, code) in MODIFIERS {
            if next.modifier.contains(modifier) && !self.modifier.contains(modifier) {
                put(bytes, format_args!("{code};"));
            }
        }
        if next.foreground != self.foreground {
            put_color(next.foreground, 30, bytes);
        }
        if next.background != self.background {
            put_color(next.background, 40, bytes);
        }
        if next.underline != self.underline {
            put_color(next.underline, 50, bytes);
        }
        if bytes.last() == Some(&b';') {
            bytes.pop();
        }
        bytes.push(b'm');
        *self = *next;
    }
}

/// Adds the code of a colour: of the foreground from 30 on, of the background from 40 on, of underlines from 50 on, which have none of their own
/// for the first sixteen.
fn put_color(color: Color, of: u8, bytes: &mut Vec<u8>) {
    let extended = of + 8;
    let first = match color {
        Color::Reset => return put(bytes, format_args!("{};", of + 9)),
        Color::Indexed(index) => return put(bytes, format_args!("{extended};5;{index};")),
        Color::Rgb(r, g, b) => return put(bytes, format_args!("{extended};2;{r};{g};{b};")),
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
    };
    match first {
        _ if of == 50 => put(bytes, format_args!("{extended};5;{first};")),
        0..8 => put(bytes, format_args!("{};", of + first)),
        _ => put(bytes, format_args!("{};", of + 60 + first - 8)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::style::Style;

    use super::*;

    fn cell(symbol: &str, style: Style) -> Cell {
        let mut cell = Cell::default();
        cell.set_symbol(symbol).set_style(style);
        cell
    }

    fn drawn(cells: &[(u16, u16, Cell)]) -> String {
        let mut bytes = Vec::new();
        Ink::new(&mut bytes).draw(cells.iter().map(|(x, y, cell)| (*x, *y, cell))).expect("drawn");
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn what_the_terminal_knows_already_is_not_told_again() {
        let red = Style::new().fg(Color::Red);
        let cells = [
            (4, 2, cell("a", Style::new())),
            (5, 2, cell("b", red)),
            (6, 2, cell("c", red.add_modifier(Modifier::BOLD))),
            (9, 2, cell("d", red)),
            (0, 3, cell("e", red.bg(Color::Indexed(200)))),
        ];
        assert_eq!(drawn(&cells), "\x1b[3;5Ha\x1b[31mb\x1b[1mc\x1b[10G\x1b[0;31md\x1b[4;1H\x1b[48;5;200me\x1b[m");
    }

    #[test]
    fn behind_what_may_be_wider_the_whole_place_is_told() {
        let cells = [(0, 0, cell("界", Style::new())), (2, 0, cell("a", Style::new()))];
        assert_eq!(drawn(&cells), "\x1b[1;1H界\x1b[1;3Ha");
    }

    /// What a terminal makes of it: each character with its place and look.
    fn read(bytes: &str) -> Vec<(u16, u16, char, Look)> {
        let (mut x, mut y, mut look, mut seen) = (0, 0, Look::default(), Vec::new());
        let mut rest = bytes;
        while let Some(first) = rest.chars().next() {
            let Some(sequence) = rest.strip_prefix("\x1b[") else {
                seen.push((x, y, first, look));
                x += 1;
                rest = &rest[first.len_utf8()..];
                continue;
            };
            let end = sequence.find(|c: char| c.is_ascii_alphabetic()).expect("an end");
            let numbers: Vec<u16> = sequence[..end].split(';').map(|number| number.parse().unwrap_or(0)).collect();
            match &sequence[end..=end] {
                "H" => (y, x) = (numbers[0] - 1, numbers[1] - 1),
                "G" => x = numbers[0] - 1,
                "m" => apply(&numbers, &mut look),
                other => panic!("{other}"),
            }
            rest = &sequence[end + 1..];
        }
        assert_eq!(look, Look::default(), "the next picture begins plainly");
        seen
    }

    fn apply(mut codes: &[u16], look: &mut Look) {
        while let [code, after @ ..] = codes {
            codes = after;
            let color = |codes: &mut &[u16]| match **codes {
                [5, index, ref after @ ..] => {
                    *codes = after;
                    Color::Indexed(index as u8)
                }
                [2, r, g, b, ref after @ ..] => {
                    *codes = after;
                    Color::Rgb(r as u8, g as u8, b as u8)
                }
                _ => panic!("no colour"),
            };
            match *code {
                0 => *look = Look::default(),
                1..10 => look.modifier |= MODIFIERS[usize::from(*code) - 1].0,
                30..38 | 90..98 => look.foreground = NAMED[usize::from(code % 10 + code / 90 * 8)],
                40..48 | 100..108 => look.background = NAMED[usize::from(code % 10 + code / 100 * 8)],
                39 => look.foreground = Color::Reset,
                49 => look.background = Color::Reset,
                59 => look.underline = Color::Reset,
                38 => look.foreground = color(&mut codes),
                48 => look.background = color(&mut codes),
                58 => look.underline = color(&mut codes),
                other => panic!("{other}"),
            }
        }
    }

    const NAMED: [Color; 16] = [
        Color::Black,
        Color::Red,
        Color::Green,
        Color::Yellow,
        Color::Blue,
        Color::Magenta,
        Color::Cyan,
        Color::Gray,
        Color::DarkGray,
        Color::LightRed,
        Color::LightGreen,
        Color::LightYellow,
        Color::LightBlue,
        Color::LightMagenta,
        Color::LightCyan,
        Color::White,
    ];

    fn color() -> impl Strategy<Value = Color> {
        prop_oneof![
            Just(Color::Reset),
            prop::sample::select(NAMED.to_vec()),
            any::<u8>().prop_map(Color::Indexed),
            any::<[u8; 3]>().prop_map(|[r, g, b]| Color::Rgb(r, g, b)),
        ]
    }

    proptest! {
        #[test]
        fn each_cell_has_its_own_place_and_look(
            cells in prop::collection::vec(
                (0_u16..6, 0_u16..3, "[a-z界]", color(), color(), any::<Option<u8>>(), 0_u16..512),
                0..12,
            ),
        ) {
            let cells: Vec<(u16, u16, Cell)> = cells
                .into_iter()
                .map(|(x, y, symbol, fg, bg, underline, modifier)| {
                    let mut cell = cell(&symbol, Style::new().fg(fg).bg(bg));
                    cell.underline_color = underline.map_or(Color::Reset, Color::Indexed);
                    cell.modifier = Modifier::from_bits_truncate(modifier);
                    (x, y, cell)
                })
                .collect();
            let meant: Vec<_> = cells
                .iter()
                .map(|(x, y, cell)| (*x, *y, cell.symbol().chars().next().expect("one"), Look::of(cell)))
                .collect();
            prop_assert_eq!(read(&drawn(&cells)), meant);
        }
    }
}
