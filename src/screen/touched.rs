//! Which rows of the grid may have changed since they were read last.
//!
//! The grid does not tell. What is typed and echoed is by far the most frequent change, and it touches one row: that is worth knowing, for
//! reading all rows costs more than everything else between a key and its echo.

/// Rows that may have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Touched {
    /// None.
    Nothing,
    /// One.
    Row(u16),
    /// Any.
    #[default]
    Everything,
}

impl Touched {
    /// Returns what this and another change touch together.
    pub(super) fn and(self, other: Touched) -> Touched {
        match (self, other) {
            (Touched::Nothing, touched) | (touched, Touched::Nothing) => touched,
            (Touched::Row(a), Touched::Row(b)) if a == b => Touched::Row(a),
            (Touched::Row(_) | Touched::Everything, Touched::Row(_) | Touched::Everything) => Touched::Everything,
        }
    }

    /// Returns whether a row may have changed.
    pub(super) fn includes(self, row: u16) -> bool {
        match self {
            Touched::Nothing => false,
            Touched::Row(only) => only == row,
            Touched::Everything => true,
        }
    }
}

/// Returns what bytes for the grid touch, which has its cursor at `row` and `col` and so many columns: one row, when they are ASCII, CR, BS and
/// colours and cannot reach the end of the row.
pub(super) fn touched_by(mut bytes: &[u8], row: u16, col: u16, cols: u16) -> Touched {
    let mut col = usize::from(col);
    while let [first, rest @ ..] = bytes {
        bytes = rest;
        match first {
            b' '..=b'~' => col += 1,
            // They lead back, never further on.
            b'\r' | 8 => {}
            0x1b => match colours(rest) {
                Some(after) => bytes = after,
                None => return Touched::Everything,
            },
            _ => return Touched::Everything,
        }
    }
    if col < usize::from(cols) { Touched::Row(row) } else { Touched::Everything }
}

/// Returns what follows the rest of an SGR sequence.
fn colours(bytes: &[u8]) -> Option<&[u8]> {
    let numbers = bytes.strip_prefix(b"[")?;
    let end = numbers.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':'))?;
    numbers[end..].strip_prefix(b"m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_echo_touches_its_row_only() {
        for echo in [&b"a"[..], b"\x08 \x08", b"\r$ ls", b"\x1b[38;2;0;1;2;48;5;7mx\x1b[0m", b""] {
            assert_eq!(touched_by(echo, 3, 10, 80), Touched::Row(3), "{echo:?}");
        }
    }

    #[test]
    fn what_may_reach_another_row_touches_everything() {
        for more in [
            &b"a\n"[..],
            b"\x1b[H",
            b"\x1b[2K",
            b"\x1b",
            b"\x1b[1",
            b"\t",
            "é".as_bytes(),
            b"\x1b[1\x1b[mX",
            &[b'x'; 70],
        ] {
            assert_eq!(touched_by(more, 3, 10, 80), Touched::Everything, "{more:?}");
        }
    }

    #[test]
    fn two_rows_together_are_everything() {
        assert_eq!(Touched::Row(1).and(Touched::Row(1)), Touched::Row(1));
        assert_eq!(Touched::Row(1).and(Touched::Row(2)), Touched::Everything);
        assert_eq!(Touched::Nothing.and(Touched::Row(2)), Touched::Row(2));
        assert!(!Touched::Row(1).includes(2) && Touched::Everything.includes(2));
    }
}
