//! A row in little room, with its text at hand.

use crate::model::{Cell, Row, Style};

/// A row of a screen or its history: its text, where each cell begins in it, and runs of styles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PackedRow {
    text: Box<str>,
    /// Where each cell begins, and the end; none when every cell is one byte.
    starts: Option<Box<[u32]>>,
    styles: Box<[(u16, Style)]>,
    /// Whether the text goes on in the next row.
    pub(crate) wrapped: bool,
}

impl PackedRow {
    pub(crate) fn of(row: &Row) -> PackedRow {
        let is_used = |cell: &Cell| !cell.text.is_empty() || cell.style != Style::default();
        let used =
            if row.wrapped { row.cells.len() } else { row.cells.iter().rposition(is_used).map_or(0, |at| at + 1) };
        let cells = &row.cells[..used];
        let mut text = String::with_capacity(cells.len());
        let mut starts = Vec::new();
        let mut styles: Vec<(u16, Style)> = Vec::new();
        let is_plain = cells.iter().all(|cell| cell.text.len() <= 1 && cell.width == 1);
        for cell in cells {
            if !is_plain {
                starts.push(byte(&text));
            }
            match (cell.width, cell.text.as_str()) {
                (0, _) => {}
                (_, "") => text.push(' '),
                (_, shown) => text.push_str(shown),
            }
            match styles.last_mut() {
                Some((count, style)) if *style == cell.style && *count < u16::MAX => *count += 1,
                Some(_) | None => styles.push((1, cell.style)),
            }
        }
        if !is_plain {
            starts.push(byte(&text));
        }
        PackedRow {
            text: text.into(),
            starts: (!is_plain).then(|| starts.into()),
            styles: styles.into(),
            wrapped: row.wrapped,
        }
    }

    /// The row as it can be drawn.
    pub(crate) fn unpack(&self) -> Row {
        let styles = self.styles.iter().flat_map(|(count, style)| std::iter::repeat_n(*style, usize::from(*count)));
        let cells = styles.enumerate().map(|(col, style)| {
            let (from, to) = (self.byte(col), self.byte(col + 1));
            let text = self.text[from..to].trim_matches(' ');
            let width = match &self.starts {
                Some(_) if from == to => 0,
                Some(_) if col + 2 <= self.cols() && self.byte(col + 2) == to && col + 1 < self.cols() => 2,
                Some(_) | None => 1,
            };
            Cell { text: text.into(), width, style }
        });
        Row { cells: cells.collect(), wrapped: self.wrapped }
    }

    /// How many columns it has, blank ones at its end left out.
    pub(crate) fn cols(&self) -> usize {
        self.starts.as_ref().map_or(self.text.len(), |starts| starts.len().saturating_sub(1))
    }

    /// All of its text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Where the text of a cell begins; of one beyond the end, the end.
    fn byte(&self, col: usize) -> usize {
        match &self.starts {
            Some(starts) => starts.get(col).map_or(self.text.len(), |at| *at as usize),
            None => col.min(self.text.len()),
        }
    }

    /// The column of the cell that a byte of the text belongs to; of the end, the number of columns.
    pub(crate) fn col(&self, byte: usize) -> u16 {
        let col = match &self.starts {
            Some(starts) => starts.partition_point(|at| *at as usize <= byte).saturating_sub(1),
            None => byte.min(self.text.len()),
        };
        u16::try_from(col).unwrap_or(u16::MAX)
    }

    /// Whether a column is the second half of a wide character.
    fn is_half(&self, col: usize) -> bool {
        self.starts.is_some() && col < self.cols() && self.byte(col) == self.byte(col + 1)
    }

    /// The first column of the character that covers a column.
    pub(crate) fn lead(&self, col: u16) -> u16 {
        if self.is_half(col.into()) { col.saturating_sub(1) } else { col }
    }

    /// The column behind the character that covers a column.
    pub(crate) fn behind(&self, col: u16) -> u16 {
        let next = col.saturating_add(1);
        if self.is_half(next.into()) { next.saturating_add(1) } else { next }
    }

    /// The text from a column up to another, whole characters.
    pub(crate) fn slice(&self, from: u16, to: u16) -> &str {
        let from = self.byte(self.lead(from).into());
        &self.text[from..self.byte(to.into()).max(from)]
    }
}

fn byte(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Attributes, Color};

    fn row(texts: &[(&str, u8)]) -> Row {
        let cells = texts.iter().map(|(text, width)| Cell { text: (*text).into(), width: *width, ..Cell::default() });
        Row { cells: cells.collect(), wrapped: true }
    }

    #[test]
    fn a_row_is_the_same_when_it_is_unpacked() {
        let mut coloured = row(&[("a", 1), ("", 1), ("界", 2), ("", 0), ("e\u{301}", 1), ("x", 1)]);
        for cell in &mut coloured.cells[2..5] {
            cell.style = Style { foreground: Color::Indexed(2), attributes: Attributes::BOLD, ..Style::default() };
        }
        for one in [coloured, row(&[("a", 1), ("b", 1)]), row(&[]), row(&[("界", 2), ("", 0)])] {
            assert_eq!(PackedRow::of(&one).unpack(), one);
        }
    }

    #[test]
    fn columns_and_bytes_go_together() {
        let packed = PackedRow::of(&row(&[("a", 1), ("界", 2), ("", 0), ("ä", 1), ("b", 1)]));
        assert_eq!(packed.text(), "a界äb");
        assert_eq!([0, 1, 4, 6, 7].map(|byte| packed.col(byte)), [0, 1, 3, 4, 5]);
        assert_eq!(packed.slice(1, 3), "界");
        assert_eq!(packed.slice(2, 4), "界ä", "half a character is a whole one");
        assert_eq!(packed.slice(1, 2), "界");
        assert_eq!(packed.slice(3, 99), "äb");
        assert_eq!((packed.lead(2), packed.behind(1), packed.behind(3)), (1, 3, 4));
    }

    #[test]
    fn blanks_at_the_end_take_no_room() {
        let mut blank = row(&[("a", 1), ("", 1), ("", 1)]);
        blank.wrapped = false;
        assert_eq!(PackedRow::of(&blank).cols(), 1);
    }
}
