//! How a cell looks.

use serde::{Deserialize, Serialize};

/// A colour as a terminal program can ask for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Color {
    /// The terminal's own foreground or background.
    #[default]
    Default,
    /// One of the 256 palette colours; 0–15 are the terminal's own sixteen.
    Indexed(u8),
    /// 24-bit colour: red, green, blue.
    Rgb(u8, u8, u8),
}

/// xterm's default values of the first sixteen colours of the palette.
const SIXTEEN_RGB: [(u8, u8, u8); 16] = [
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
    (127, 127, 127),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (92, 92, 255),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 255),
];

impl Color {
    /// Returns red, green and blue of a palette colour: xterm's own sixteen, its cube of 216, its 24 greys.
    pub fn palette_rgb(index: u8) -> (u8, u8, u8) {
        match index {
            0..16 => SIXTEEN_RGB[usize::from(index)],
            16..232 => {
                let step = |n: u8| if n == 0 { 0 } else { 55 + n * 40 };
                let place = index - 16;
                (step(place / 36), step(place / 6 % 6), step(place % 6))
            }
            232.. => {
                let grey = 8 + (index - 232) * 10;
                (grey, grey, grey)
            }
        }
    }
}

/// The kind of underline (SGR 4 and 4:0 to 4:5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Underline {
    /// No line.
    #[default]
    None,
    /// One straight line.
    Single,
    /// Two straight lines.
    Double,
    /// A wavy line.
    Curly,
    /// A dotted line.
    Dotted,
    /// A dashed line.
    Dashed,
}

/// A set of yes-or-no attributes of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Attributes(u8);

impl Attributes {
    /// No attribute.
    pub const NONE: Attributes = Attributes(0);
    /// SGR 1.
    pub const BOLD: Attributes = Attributes(1);
    /// SGR 2.
    pub const DIM: Attributes = Attributes(2);
    /// SGR 3.
    pub const ITALIC: Attributes = Attributes(4);
    /// SGR 5 and 6.
    pub const BLINK: Attributes = Attributes(8);
    /// SGR 7.
    pub const REVERSE: Attributes = Attributes(16);
    /// SGR 8.
    pub const HIDDEN: Attributes = Attributes(32);
    /// SGR 9.
    pub const STRIKE: Attributes = Attributes(64);

    /// Returns the set as the bits of its attributes, for a codec.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Makes the set of the attributes whose bits are set; a bit that means nothing is dropped.
    pub const fn from_bits(bits: u8) -> Attributes {
        Attributes(bits & 0x7f)
    }

    /// Returns whether all of `other` is in this set.
    pub const fn contains(self, other: Attributes) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns this set with `other` added.
    #[must_use]
    pub const fn with(self, other: Attributes) -> Attributes {
        Attributes(self.0 | other.0)
    }

    /// Returns this set with `other` taken away.
    #[must_use]
    pub const fn without(self, other: Attributes) -> Attributes {
        Attributes(self.0 & !other.0)
    }
}

/// The whole look of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Style {
    /// The colour of the text.
    pub foreground: Color,
    /// The colour behind the text.
    pub background: Color,
    /// Bold, dim, italic, blink, reverse, hidden, strike.
    pub attributes: Attributes,
    /// The kind of underline.
    pub underline: Underline,
    /// The colour of the underline; the foreground's when it is the default.
    pub underline_color: Color,
    /// Which hyperlink (OSC 8) the cell belongs to: 0 is none, others are keys of the frame's links.
    pub link: u16,
}
