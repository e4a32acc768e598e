//! Sizes as text: `64MiB`, `500 kB`.

/// The units, the longest words first where one ends with another.
const UNITS: [(&str, u64); 9] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("kB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("B", 1),
];

/// Reads a size as people write it: `64MiB`, `500 kB`, `4096`.
///
/// # Errors
/// A fragment that says what was expected.
pub fn parse_bytes(text: &str) -> Result<u64, &'static str> {
    let expected = "a size such as \"64MiB\" or \"500kB\"";
    let text = text.trim();
    let unit = UNITS.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)));
    let (number, factor) = unit.unwrap_or((text, 1));
    let number: u64 = number.trim_end().parse().map_err(|_| expected)?;
    number.checked_mul(factor).ok_or(expected)
}

/// Returns a size in the form that [`parse_bytes`] reads, in the largest unit that is exact: `64MiB`, `1000B`.
pub fn show_bytes(bytes: u64) -> String {
    let exact = |(_, factor): &&(&str, u64)| bytes >= *factor && bytes.is_multiple_of(*factor);
    let unit = UNITS[..4].iter().rev().find(exact).unwrap_or(&("B", 1));
    format!("{}{}", bytes / unit.1, unit.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sizes_read_back_as_they_print(bytes: u64) {
            prop_assert_eq!(parse_bytes(&show_bytes(bytes)), Ok(bytes));
        }
    }

    #[test]
    fn sizes_read_as_people_write_them() {
        for (text, bytes) in [("64MiB", 64 << 20), (" 500 kB ", 500_000), ("4096", 4096), ("7B", 7), ("2TiB", 2 << 40)]
        {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for text in ["", "MiB", "-1", "1.5MiB", "1 parsec", "99999999999TiB"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }
}
