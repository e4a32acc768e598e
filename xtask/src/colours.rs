//! The colours of the pictures: a dark theme for the first sixteen, the fixed cube and greys for the rest.

/// A colour as red, green and blue.
pub(crate) type Rgb = (u8, u8, u8);

/// The background of a cell that has none of its own.
pub(crate) const BACKGROUND: Rgb = (0x1a, 0x1d, 0x23);
/// The text of a cell that has no colour of its own.
pub(crate) const FOREGROUND: Rgb = (0xd6, 0xda, 0xe0);
/// The bar with the title.
pub(crate) const TITLE_BAR: Rgb = (0x2a, 0x2e, 0x37);
/// The text in the bar.
pub(crate) const TITLE: Rgb = (0x8a, 0x92, 0xa0);

const FIRST_SIXTEEN: [Rgb; 16] = [
    (0x2a, 0x2e, 0x37),
    (0xe0, 0x6c, 0x75),
    (0x98, 0xc3, 0x79),
    (0xe0, 0xb8, 0x6c),
    (0x61, 0xaf, 0xef),
    (0xc6, 0x78, 0xdd),
    (0x56, 0xb6, 0xc2),
    (0xab, 0xb2, 0xbf),
    (0x6b, 0x73, 0x82),
    (0xf0, 0x80, 0x88),
    (0xb0, 0xd8, 0x90),
    (0xf2, 0xcf, 0x88),
    (0x80, 0xc4, 0xff),
    (0xd8, 0x95, 0xeb),
    (0x74, 0xd0, 0xdb),
    (0xf2, 0xf4, 0xf8),
];

/// The colour of a cell's text or background.
pub(crate) fn rgb(colour: vt100::Color, default: Rgb) -> Rgb {
    match colour {
        vt100::Color::Default => default,
        vt100::Color::Rgb(red, green, blue) => (red, green, blue),
        vt100::Color::Idx(index) => indexed(index),
    }
}

fn indexed(index: u8) -> Rgb {
    match index {
        0..=15 => FIRST_SIXTEEN[usize::from(index)],
        16..=231 => {
            let cube = index - 16;
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            (level(cube / 36), level(cube / 6 % 6), level(cube % 6))
        }
        232..=255 => {
            let grey = 8 + 10 * (index - 232);
            (grey, grey, grey)
        }
    }
}

/// `colour` weakened towards `background`, for dim text.
pub(crate) fn dimmed(colour: Rgb, background: Rgb) -> Rgb {
    let mix = |a: u8, b: u8| {
        let mixed = (u16::from(a) * 6 + u16::from(b) * 4) / 10;
        u8::try_from(mixed).unwrap_or(u8::MAX)
    };
    (mix(colour.0, background.0), mix(colour.1, background.1), mix(colour.2, background.2))
}

/// The colour as SVG writes it.
pub(crate) fn hex((red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cube_and_the_greys_are_those_of_xterm() {
        assert_eq!(indexed(16), (0, 0, 0));
        assert_eq!(indexed(208), (255, 135, 0));
        assert_eq!(indexed(231), (255, 255, 255));
        assert_eq!(indexed(255), (238, 238, 238));
    }
}
