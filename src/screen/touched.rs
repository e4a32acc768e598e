//! Which rows of the grid may have changed since they were read last.
//!
//! The grid does not tell. What is typed and echoed is by far the most frequent change, and it touches one row: that is worth knowing, for
//! reading all rows costs more than everything else between a key and its echo.

/// Rows that may have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Touched {
    /// None.
    Nothing,
    /// Those from the first to the second.
    Rows(u16, u16),
    /// Any.
    #[default]
    Everything,
}

impl Touched {
    /// Returns what this and another change touch together.
    pub(super) fn and(self, other: Touched) -> Touched {
        match (self, other) {
            (Touched::Nothing, touched) | (touched, Touched::Nothing) => touched,
            (Touched::Rows(first, last), Touched::Rows(a, b)) => Touched::Rows(first.min(a), last.max(b)),
            (Touched::Rows(..) | Touched::Everything, Touched::Rows(..) | Touched::Everything) => Touched::Everything,
        }
    }

    /// Returns whether a row may have changed.
    pub(super) fn includes(self, row: u16) -> bool {
        match self {
            Touched::Nothing => false,
            Touched::Rows(first, last) => (first..=last).contains(&row),
            Touched::Everything => true,
        }
    }
}

/// Returns what bytes for the grid touch, which has its cursor at `row` and `col` and so many columns: the rows that they draw in, when they
/// are text, CR, BS and sequences that stay in a row or name one, and cannot reach the end of a row.
pub(super) fn touched_by(mut bytes: &[u8], row: u16, col: u16, cols: u16) -> Touched {
    let mut touched = Touched::Rows(row, row);
    let mut col = usize::from(col);
    while let [first, rest @ ..] = bytes {
        bytes = rest;
        match first {
            b' '..=b'~' => col += 1,
            b'\r' => col = 0,
            8 => col = col.saturating_sub(1),
            // Letters of two bytes take one column, ideographs two at most, and neither is a mark on the character before.
            0xc3..=0xcb if !rest.is_empty() => (bytes, col) = (&rest[1..], col + 1),
            0xe4..=0xe9 if rest.len() > 1 => (bytes, col) = (&rest[2..], col + 2),
            0x1b => match sequence(rest) {
                Some((_, _, b'm' | b'K' | b'X' | b'P' | b'@', after)) => bytes = after,
                Some((to, _, b'G', after)) => (bytes, col) = (after, usize::from(to) - 1),
                Some((to_row, to_col, b'H', after)) => {
                    (bytes, col) = (after, usize::from(to_col) - 1);
                    touched = touched.and(Touched::Rows(to_row - 1, to_row - 1));
                }
                _ => return Touched::Everything,
            },
            _ => return Touched::Everything,
        }
        if col >= usize::from(cols) {
            return Touched::Everything;
        }
    }
    touched
}

/// Returns the first two numbers of a control sequence, at least 1 each, its last byte, and what follows it.
fn sequence(bytes: &[u8]) -> Option<(u16, u16, u8, &[u8])> {
    let body = bytes.strip_prefix(b"[")?;
    let end = body.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':'))?;
    let mut numbers = body[..end].split(|&byte| byte == b';').map(|digits| {
        digits
            .iter()
            .fold(0_u16, |number, &digit| number.saturating_mul(10).saturating_add(u16::from(digit - b'0')))
            .max(1)
    });
    let (first, second) = (numbers.next().unwrap_or(1), numbers.next().unwrap_or(1));
    Some((first, second, body[end], &body[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_echo_touches_its_row_only() {
        for echo in [
            &b"a"[..],
            b"\x08 \x08",
            b"\r$ ls",
            b"\x1b[38;2;0;1;2;48;5;7mx\x1b[0m",
            b"",
            b"\x1b[10G\x1b[K",
            b"\x1b[3@x\x1b[2P",
            "é漢".as_bytes(),
            b"\x1b[79Gx\x1b[1G",
        ] {
            assert_eq!(touched_by(echo, 3, 10, 80), Touched::Rows(3, 3), "{echo:?}");
        }
    }

    #[test]
    fn what_is_drawn_at_places_touches_the_rows_between() {
        assert_eq!(touched_by(b"a\x1b[2;1Hb\x1b[9;70Hc", 3, 10, 80), Touched::Rows(1, 8));
        assert_eq!(touched_by(b"\x1b[H", 3, 10, 80), Touched::Rows(0, 3));
    }

    #[test]
    fn what_may_reach_another_row_touches_everything() {
        for more in [
            &b"a\n"[..],
            b"\x1b[J",
            b"\x1b[L",
            b"\x1b",
            b"\x1b[1",
            b"\t",
            "e\u{301}".as_bytes(),
            b"\x1b[1\x1b[mX",
            &[b'x'; 70],
            b"\x1b[79Gxy\x1b[1G",
            b"\x1b[80Gx",
            "\x1b[79G漢".as_bytes(),
            b"\xc3",
            b"\xe4\xb8",
        ] {
            assert_eq!(touched_by(more, 3, 10, 80), Touched::Everything, "{more:?}");
        }
    }

    #[test]
    fn two_rows_together_are_those_between() {
        assert_eq!(Touched::Rows(1, 1).and(Touched::Rows(3, 3)), Touched::Rows(1, 3));
        assert_eq!(Touched::Nothing.and(Touched::Rows(2, 2)), Touched::Rows(2, 2));
        assert_eq!(Touched::Everything.and(Touched::Rows(2, 2)), Touched::Everything);
        assert!(!Touched::Rows(1, 1).includes(2) && Touched::Everything.includes(2) && Touched::Rows(1, 3).includes(2));
    }
}
