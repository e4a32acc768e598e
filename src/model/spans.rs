//! Durations as text: `1h 30m`, `500ms`.

use std::time::Duration;

use jiff::fmt::friendly::SpanParser;

/// Reads a duration as people write it: `10s`, `1h 30m`, `1.5 minutes`, `500ms`. Hours are the largest unit.
///
/// # Errors
/// A fragment that says what was expected.
pub fn parse_span(text: &str) -> Result<Duration, &'static str> {
    SpanParser::new().parse_unsigned_duration(text.trim()).map_err(|_| "a duration such as 500ms, 10s or 1h 30m")
}

/// Returns a duration in the form that [`parse_span`] reads, exact to the millisecond: `1h 30m`, `2s 500ms`, `0s`.
pub fn show_span(span: Duration) -> String {
    let millis = span.as_millis();
    let parts =
        [(millis / 3_600_000, "h"), (millis / 60_000 % 60, "m"), (millis / 1000 % 60, "s"), (millis % 1000, "ms")];
    let shown: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, unit)| format!("{count}{unit}")).collect();
    if shown.is_empty() { "0s".into() } else { shown.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn durations_read_back_as_they_print(millis in 0_u64..100_000_000_000) {
            let span = Duration::from_millis(millis);
            prop_assert_eq!(parse_span(&show_span(span)), Ok(span));
        }
    }

    #[test]
    fn durations_read_as_people_write_them() {
        for (text, millis) in [("1h 30m", 5_400_000), ("500ms", 500), (" 10 seconds ", 10_000), ("1.5s", 1500)] {
            assert_eq!(parse_span(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "10", "-1s", "1 parsec", "1d", "99999999999999999999h"] {
            assert!(parse_span(text).is_err(), "{text}");
        }
    }
}
