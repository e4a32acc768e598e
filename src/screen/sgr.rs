//! Select graphic rendition: parameters to style.

use super::sequence::Csi;
use crate::model::{Attributes, Color, Style, Underline};

/// Applies an SGR sequence to `style`, where the default foreground is drawn as another colour.
pub(super) fn apply_over(csi: &Csi, style: &mut Style, default_foreground: Color) {
    apply(csi, style);
    if style.foreground == Color::Default {
        style.foreground = default_foreground;
    }
}

/// Applies an SGR sequence to `style`.
pub(super) fn apply(csi: &Csi, style: &mut Style) {
    if csi.len() == 0 {
        reset(style);
        return;
    }
    if let Some(values) = csi.plain_values() {
        values.iter().for_each(|&value| simple(style, value));
        return;
    }
    let mut groups = csi.groups();
    while let Some(group) = groups.next() {
        match *group {
            [38 | 48 | 58] => {
                // The old form: the colour's parts are parameters of their own.
                let color = match groups.next() {
                    Some([5]) => groups.next().and_then(|g| indexed(g[0])),
                    Some([2]) => rgb([(); 3].map(|()| groups.next().map(|g| g[0]))),
                    _ => return,
                };
                let Some(color) = color else { return };
                set_color(style, group[0], color);
            }
            [kind @ (38 | 48 | 58), ref parts @ ..] => {
                let color = match *parts {
                    [5, index, ..] => indexed(index),
                    [2, r, g, b] => rgb([Some(r), Some(g), Some(b)]),
                    // With a colour space, which may be empty.
                    [2, _, r, g, b, ..] => rgb([Some(r), Some(g), Some(b)]),
                    _ => None,
                };
                if let Some(color) = color {
                    set_color(style, kind, color);
                }
            }
            [4, kind] => {
                style.underline = match kind {
                    0 => Underline::None,
                    2 => Underline::Double,
                    3 => Underline::Curly,
                    4 => Underline::Dotted,
                    5 => Underline::Dashed,
                    _ => Underline::Single,
                }
            }
            [value, ..] => simple(style, value),
            [] => {}
        }
    }
}

/// Sets everything back but the link, which SGR does not touch.
pub(super) fn reset(style: &mut Style) {
    *style = Style { link: style.link, ..Style::default() };
}

/// Applies one parameter that stands for itself.
pub(super) fn simple(style: &mut Style, value: u16) {
    let with = |a| style.attributes.with(a);
    let without = |a| style.attributes.without(a);
    match value {
        0 => reset(style),
        1 => style.attributes = with(Attributes::BOLD),
        2 => style.attributes = with(Attributes::DIM),
        3 => style.attributes = with(Attributes::ITALIC),
        4 => style.underline = Underline::Single,
        5 | 6 => style.attributes = with(Attributes::BLINK),
        7 => style.attributes = with(Attributes::REVERSE),
        8 => style.attributes = with(Attributes::HIDDEN),
        9 => style.attributes = with(Attributes::STRIKE),
        21 => style.underline = Underline::Double,
        22 => style.attributes = without(Attributes::BOLD).without(Attributes::DIM),
        23 => style.attributes = without(Attributes::ITALIC),
        24 => style.underline = Underline::None,
        25 => style.attributes = without(Attributes::BLINK),
        27 => style.attributes = without(Attributes::REVERSE),
        28 => style.attributes = without(Attributes::HIDDEN),
        29 => style.attributes = without(Attributes::STRIKE),
        30..=37 => style.foreground = Color::Indexed(low(value - 30)),
        39 => style.foreground = Color::Default,
        40..=47 => style.background = Color::Indexed(low(value - 40)),
        49 => style.background = Color::Default,
        59 => style.underline_color = Color::Default,
        90..=97 => style.foreground = Color::Indexed(low(value - 82)),
        100..=107 => style.background = Color::Indexed(low(value - 92)),
        _ => {}
    }
}

fn low(value: u16) -> u8 {
    u8::try_from(value).unwrap_or(u8::MAX)
}

fn indexed(value: u16) -> Option<Color> {
    u8::try_from(value).ok().map(Color::Indexed)
}

fn rgb(parts: [Option<u16>; 3]) -> Option<Color> {
    let [r, g, b] = parts.map(|part| part.and_then(|value| u8::try_from(value).ok()));
    Some(Color::Rgb(r?, g?, b?))
}

fn set_color(style: &mut Style, kind: u16, color: Color) {
    match kind {
        38 => style.foreground = color,
        48 => style.background = color,
        _ => style.underline_color = color,
    }
}
