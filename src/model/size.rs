//! The size of a terminal.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A terminal's size in cells, always inside 2–1000 columns and 1–500 rows (S4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "RawSize", into = "RawSize")]
pub struct Size {
    cols: u16,
    rows: u16,
}

/// Why a size was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// A number lies outside the limits.
    #[error("size {cols}x{rows} is out of range: columns must be 2 to 1000, rows 1 to 500")]
    OutOfRange {
        /// The columns that were asked for.
        cols: u32,
        /// The rows that were asked for.
        rows: u32,
    },
    /// The text is not of the form `COLSxROWS`.
    #[error("size {text:?} is not of the form COLSxROWS, as in 80x24")]
    Malformed {
        /// The text that was given.
        text: String,
    },
}

impl Size {
    /// The size of a run that nobody looks at and that names none.
    pub const DEFAULT: Size = Size { cols: 80, rows: 24 };

    /// Makes a size.
    ///
    /// # Errors
    /// [`SizeError::OutOfRange`] outside 2–1000 columns or 1–500 rows.
    pub fn new(cols: u16, rows: u16) -> Result<Size, SizeError> {
        if (2..=1000).contains(&cols) && (1..=500).contains(&rows) {
            Ok(Size { cols, rows })
        } else {
            Err(SizeError::OutOfRange { cols: cols.into(), rows: rows.into() })
        }
    }

    /// Makes the nearest size that is allowed.
    pub fn clamped(cols: u16, rows: u16) -> Size {
        Size { cols: cols.clamp(2, 1000), rows: rows.clamp(1, 500) }
    }

    /// Returns the columns, 2–1000.
    pub fn cols(self) -> u16 {
        self.cols
    }

    /// Returns the rows, 1–500.
    pub fn rows(self) -> u16 {
        self.rows
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.cols, self.rows)
    }
}

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Size, SizeError> {
        let malformed = || SizeError::Malformed { text: text.to_owned() };
        let (cols, rows) = text.split_once(['x', 'X']).ok_or_else(malformed)?;
        let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit()) && !s.is_empty();
        if !digits(cols) || !digits(rows) {
            return Err(malformed());
        }
        let number = |s: &str| s.parse::<u32>().unwrap_or(u32::MAX);
        let (cols, rows) = (number(cols), number(rows));
        match (u16::try_from(cols), u16::try_from(rows)) {
            (Ok(c), Ok(r)) => Size::new(c, r),
            _ => Err(SizeError::OutOfRange { cols, rows }),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct RawSize {
    cols: u16,
    rows: u16,
}

impl TryFrom<RawSize> for Size {
    type Error = SizeError;

    fn try_from(raw: RawSize) -> Result<Size, SizeError> {
        Size::new(raw.cols, raw.rows)
    }
}

impl From<Size> for RawSize {
    fn from(size: Size) -> RawSize {
        RawSize { cols: size.cols, rows: size.rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_outside_the_border_are_refused_by_number() {
        for (cols, rows) in [(1, 24), (1001, 24), (80, 0), (80, 501), (0, 0)] {
            let err = Size::new(cols, rows).expect_err("out of range");
            assert!(err.to_string().contains(&format!("{cols}x{rows}")), "{err}");
        }
        assert!(Size::new(2, 1).is_ok() && Size::new(1000, 500).is_ok());
    }

    #[test]
    fn text_that_is_no_size_is_refused_with_the_text() {
        for text in ["", "80", "80x", "x24", "80x24x1", "-1x24", "eighty x four", "99999999999x1"] {
            let err = text.parse::<Size>().expect_err(text).to_string();
            assert!(err.contains("COLSxROWS") || err.contains("out of range"), "{text}: {err}");
        }
        assert_eq!("132x43".parse::<Size>(), Size::new(132, 43));
    }
}
