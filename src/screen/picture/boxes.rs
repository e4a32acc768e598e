//! Lines, blocks and braille drawn as shapes: fonts leave gaps between them, shapes do not.

/// The weight of a stroke from the middle of a cell to one of its sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    /// No stroke.
    None,
    /// A thin one.
    Light,
    /// A thick one.
    Heavy,
    /// Two thin ones.
    Double,
}

/// What is drawn for a character.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// Strokes to the top, right, bottom and left.
    Strokes([Weight; 4]),
    /// A thin quarter circle between the two sides that have a stroke.
    Arc([Weight; 4]),
    /// Rectangles as left, top, width and height, in eighths of the cell.
    Rectangles(Vec<[u8; 4]>),
    /// The whole cell, this opaque in hundredths.
    Shade(u8),
    /// Dots of a braille cell, by column (0–1) and row (0–3).
    Dots(Vec<(u8, u8)>),
}

/// The shape of `character`; `None` when a font draws it.
pub(crate) fn shape(character: char) -> Option<Shape> {
    match character {
        '╭' | '╮' | '╯' | '╰' => Some(Shape::Arc(sides(character)?)),
        '\u{2500}'..='\u{257f}' => Some(Shape::Strokes(sides(character)?)),
        '\u{2580}'..='\u{259f}' => block(character),
        '\u{2800}'..='\u{28ff}' => Some(Shape::Dots(dots(character))),
        _ => None,
    }
}

/// The strokes to top, right, bottom and left: `0` none, `1` light, `2` heavy, `3` double.
fn sides(character: char) -> Option<[Weight; 4]> {
    let code = match character {
        '─' | '┄' | '┈' | '╌' => "0101",
        '━' | '┅' | '┉' | '╍' => "0202",
        '│' | '┆' | '┊' | '╎' => "1010",
        '┃' | '┇' | '┋' | '╏' => "2020",
        '┌' | '╭' => "0110",
        '┐' | '╮' => "0011",
        '└' | '╰' => "1100",
        '┘' | '╯' => "1001",
        '├' => "1110",
        '┤' => "1011",
        '┬' => "0111",
        '┴' => "1101",
        '┼' => "1111",
        '┏' => "0220",
        '┓' => "0022",
        '┗' => "2200",
        '┛' => "2002",
        '┣' => "2220",
        '┫' => "2022",
        '┳' => "0222",
        '┻' => "2202",
        '╋' => "2222",
        '┝' => "1210",
        '┥' => "1012",
        '┠' => "2120",
        '┨' => "2021",
        '┯' => "0212",
        '┷' => "1202",
        '┰' => "0121",
        '┸' => "2101",
        '┿' => "1212",
        '╂' => "2121",
        '═' => "0303",
        '║' => "3030",
        '╔' => "0330",
        '╗' => "0033",
        '╚' => "3300",
        '╝' => "3003",
        '╠' => "3330",
        '╣' => "3033",
        '╦' => "0333",
        '╩' => "3303",
        '╬' => "3333",
        '╞' => "1310",
        '╡' => "1013",
        '╟' => "3130",
        '╢' => "3031",
        '╴' => "0001",
        '╵' => "1000",
        '╶' => "0100",
        '╷' => "0010",
        '╸' => "0002",
        '╹' => "2000",
        '╺' => "0200",
        '╻' => "0020",
        _ => return None,
    };
    let mut all = [Weight::None; 4];
    for (side, digit) in all.iter_mut().zip(code.bytes()) {
        *side = match digit {
            b'1' => Weight::Light,
            b'2' => Weight::Heavy,
            b'3' => Weight::Double,
            _ => Weight::None,
        };
    }
    Some(all)
}

fn block(character: char) -> Option<Shape> {
    let number = u32::from(character);
    let eighths = |count: u32| u8::try_from(count).unwrap_or(8);
    let one = |rectangle| Some(Shape::Rectangles(vec![rectangle]));
    match character {
        '▀' => one([0, 0, 8, 4]),
        // One to eight eighths from below.
        '▁'..='█' => {
            let height = eighths(number - 0x2580);
            one([0, 8 - height, 8, height])
        }
        // Seven to one eighths from the left.
        '▉'..='▏' => one([0, 0, eighths(0x2590 - number), 8]),
        '▐' => one([4, 0, 4, 8]),
        '░' => Some(Shape::Shade(25)),
        '▒' => Some(Shape::Shade(50)),
        '▓' => Some(Shape::Shade(75)),
        '▔' => one([0, 0, 8, 1]),
        '▕' => one([7, 0, 1, 8]),
        '▖'..='▟' => {
            /// Upper left, upper right, lower left and lower right of each, as bits from above.
            const QUARTERS: [u8; 10] = [0b0010, 0b0001, 0b1000, 0b1011, 0b1001, 0b1110, 0b1101, 0b0100, 0b0110, 0b0111];
            let bits = QUARTERS.get(usize::try_from(number - 0x2596).ok()?)?;
            let places =
                [(0b1000, [0, 0, 4, 4]), (0b0100, [4, 0, 4, 4]), (0b0010, [0, 4, 4, 4]), (0b0001, [4, 4, 4, 4])];
            let set = places.into_iter().filter(|(bit, _)| bits & bit != 0);
            Some(Shape::Rectangles(set.map(|(_, rectangle)| rectangle).collect()))
        }
        _ => None,
    }
}

fn dots(character: char) -> Vec<(u8, u8)> {
    /// The place of each bit, from the lowest on.
    const PLACES: [(u8, u8); 8] = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)];
    let bits = u32::from(character) - 0x2800;
    PLACES.into_iter().enumerate().filter(|(bit, _)| bits & (1 << bit) != 0).map(|(_, place)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_grow_by_eighths() {
        assert_eq!(shape('▁'), Some(Shape::Rectangles(vec![[0, 7, 8, 1]])));
        assert_eq!(shape('█'), Some(Shape::Rectangles(vec![[0, 0, 8, 8]])));
        assert_eq!(shape('▉'), Some(Shape::Rectangles(vec![[0, 0, 7, 8]])));
        assert_eq!(shape('▏'), Some(Shape::Rectangles(vec![[0, 0, 1, 8]])));
    }

    #[test]
    fn corners_reach_the_sides_that_they_join() {
        use Weight::{Light, None};
        assert_eq!(shape('┘'), Some(Shape::Strokes([Light, None, None, Light])));
        assert_eq!(shape('╰'), Some(Shape::Arc([Light, Light, None, None])));
        assert_eq!(shape('x'), Option::None);
    }

    #[test]
    fn a_braille_cell_has_the_dots_of_its_bits() {
        assert_eq!(shape('⢸'), Some(Shape::Dots(vec![(1, 0), (1, 1), (1, 2), (1, 3)])));
    }
}
