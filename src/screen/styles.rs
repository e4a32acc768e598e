//! Full styles behind the few attributes that the grid keeps.
//!
//! A style that the grid can hold is given to it as it is. Any other one is interned, and the grid gets its number as a
//! 24-bit foreground: so no attribute is lost, and 24-bit foregrounds never mean a colour in the grid.

use std::collections::{HashMap, HashSet};

use crate::model::{Attributes, Color, Style, Underline};

/// The most styles that are interned at once. Past that the unused are swept; past that, plain colours must do.
const MAX_STYLES: usize = 65_536;

/// How something is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Pen {
    /// Its look.
    pub(super) style: Style,
    /// Whether it only gives blanks a background.
    pub(super) erases: bool,
}

/// The interned styles.
#[derive(Debug)]
pub(super) struct StyleTable {
    /// Without their backgrounds, which the grid keeps itself.
    inks: Vec<Style>,
    numbers: HashMap<Style, u32>,
    free: Vec<u32>,
}

/// The ink of blanks that erasing gave a background. It tells them from blanks that nothing was done to, where both stand in
/// a row that scrolls off.
pub(super) const ERASED_INK: u32 = 0;

impl StyleTable {
    pub(super) fn new() -> StyleTable {
        StyleTable { inks: vec![Style::default()], numbers: HashMap::new(), free: Vec::new() }
    }

    /// Returns the style with this number, or the default one.
    pub(super) fn get(&self, number: u32) -> Style {
        self.inks.get(number as usize).copied().unwrap_or_default()
    }

    /// Returns whether a sweep is due before another style can be interned.
    pub(super) fn is_full(&self) -> bool {
        self.numbers.len() >= MAX_STYLES
    }

    /// Forgets every style whose number is not in `used`.
    pub(super) fn sweep(&mut self, used: &HashSet<u32>) {
        self.numbers.retain(|_, number| used.contains(number));
        self.free = (ERASED_INK + 1..self.inks.len() as u32).filter(|number| !used.contains(number)).collect();
    }

    /// Returns the links that interned styles name.
    pub(super) fn links(&self) -> impl Iterator<Item = u16> {
        self.numbers.keys().map(|ink| ink.link)
    }

    fn number(&mut self, ink: Style) -> Option<u32> {
        if let Some(&number) = self.numbers.get(&ink) {
            return Some(number);
        }
        if self.is_full() {
            return None;
        }
        let number = match self.free.pop() {
            Some(number) => {
                self.inks[number as usize] = ink;
                number
            }
            None => {
                self.inks.push(ink);
                self.inks.len() as u32 - 1
            }
        };
        self.numbers.insert(ink, number);
        Some(number)
    }

    /// Writes the SGR sequence that makes the grid draw with `to` when it draws with `from` now.
    pub(super) fn write(&mut self, out: &mut Vec<u8>, from: Pen, to: Pen) {
        if to.erases {
            write_erased(out, to.style.background);
            return;
        }
        if to == Pen::default() {
            out.extend_from_slice(b"\x1b[m");
            return;
        }
        let native = is_native(&to);
        let ink = Style { background: Color::Default, ..to.style };
        // What erasing left is no base for a shorter sequence.
        let is_base = native && !from.erases && is_native(&from);
        let (from, to) = (from.style, to.style);
        if is_base {
            if (Style { foreground: from.foreground, ..to }) == from {
                out.extend_from_slice(b"\x1b[");
                write_color(out, to.foreground, 30);
                out.push(b'm');
                return;
            }
            if (Style { background: from.background, ..to }) == from {
                out.extend_from_slice(b"\x1b[");
                write_color(out, to.background, 40);
                out.push(b'm');
                return;
            }
        }
        out.extend_from_slice(b"\x1b[0");
        match (native, if native { None } else { self.number(ink) }) {
            (false, Some(number)) => {
                out.extend_from_slice(b";38;2");
                for shift in [16, 8, 0] {
                    out.push(b';');
                    push_number(out, (number >> shift & 0xff) as u16);
                }
            }
            (true, _) => write_native(out, to),
            (false, None) => write_native(out, plain(to)),
        }
        if to.background != Color::Default {
            out.push(b';');
            write_color(out, to.background, 40);
        }
        out.push(b'm');
    }
}

/// Writes the SGR sequence with which erasing gives blanks this background.
fn write_erased(out: &mut Vec<u8>, background: Color) {
    if background == Color::Default {
        out.extend_from_slice(b"\x1b[m");
    } else {
        out.extend_from_slice(b"\x1b[0;38;2;0;0;0;");
        write_color(out, background, 40);
        out.push(b'm');
    }
}

/// Returns whether the grid itself can hold the style.
fn is_native(pen: &Pen) -> bool {
    let style = &pen.style;
    let lost = [Attributes::BLINK, Attributes::HIDDEN, Attributes::STRIKE, Attributes::BOLD.with(Attributes::DIM)];
    !matches!(style.foreground, Color::Rgb(..))
        && (style.attributes == Attributes::NONE || !lost.iter().any(|&a| style.attributes.contains(a)))
        && matches!(style.underline, Underline::None | Underline::Single)
        && style.underline_color == Color::Default
        && style.link == 0
}

/// Returns the nearest style that the grid can hold.
fn plain(style: Style) -> Style {
    let foreground = match style.foreground {
        Color::Rgb(r, g, b) => {
            let step = |v: u8| u8::try_from((u16::from(v) * 5 + 127) / 255).unwrap_or(5);
            Color::Indexed(16 + 36 * step(r) + 6 * step(g) + step(b))
        }
        Color::Default | Color::Indexed(_) => style.foreground,
    };
    Style { foreground, ..style }
}

fn write_native(out: &mut Vec<u8>, style: Style) {
    let has = |a| style.attributes.contains(a);
    let flags: [(bool, &[u8]); 5] = [
        (has(Attributes::BOLD), b";1"),
        (has(Attributes::DIM) && !has(Attributes::BOLD), b";2"),
        (has(Attributes::ITALIC), b";3"),
        (style.underline != Underline::None, b";4"),
        (has(Attributes::REVERSE), b";7"),
    ];
    for (_, code) in flags.iter().filter(|(set, _)| *set) {
        out.extend_from_slice(code);
    }
    if style.foreground != Color::Default {
        out.push(b';');
        write_color(out, style.foreground, 30);
    }
}

/// Writes the parameters of a colour; `base` is 30 for the foreground, 40 for the background.
fn write_color(out: &mut Vec<u8>, color: Color, base: u16) {
    match color {
        Color::Default => push_number(out, base + 9),
        Color::Indexed(index @ 0..=7) => push_number(out, base + u16::from(index)),
        Color::Indexed(index @ 8..=15) => push_number(out, base + 52 + u16::from(index)),
        Color::Indexed(index) => {
            push_number(out, base + 8);
            out.extend_from_slice(b";5;");
            push_number(out, index.into());
        }
        Color::Rgb(r, g, b) => {
            push_number(out, base + 8);
            out.extend_from_slice(b";2");
            for part in [r, g, b] {
                out.push(b';');
                push_number(out, part.into());
            }
        }
    }
}

/// Writes a number in decimal.
pub(super) fn push_number(out: &mut Vec<u8>, value: u16) {
    if value >= 10 {
        push_number(out, value / 10);
    }
    out.push(b'0' + (value % 10) as u8);
}
