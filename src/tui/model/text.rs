//! Words and numbers as people read them, in few columns.

use std::time::Duration;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Below this a countdown shows seconds; above it minutes are enough, and cost no redraw a second.
const FINE: Duration = Duration::from_secs(10 * 60);

/// Returns the columns of a text.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Returns the text in exactly `cols` columns: padded with blanks, or cut with `…`.
pub(crate) fn fit(text: &str, cols: usize) -> String {
    let whole = text.width();
    if whole <= cols {
        return format!("{text}{}", " ".repeat(cols - whole));
    }
    let (mut cut, mut taken) = (String::new(), 0);
    for cluster in text.graphemes(true) {
        if taken + cluster.width() + 1 > cols {
            break;
        }
        cut.push_str(cluster);
        taken += cluster.width();
    }
    if cols > 0 {
        cut.push('…');
        taken += 1;
    }
    cut.push_str(&" ".repeat(cols.saturating_sub(taken)));
    cut
}

/// Returns the text in at most `cols` columns: cut with `…` where it is longer, its last columns, `tag`, never.
pub(crate) fn cut(text: &str, tag: &str, cols: usize) -> String {
    if text.width() + tag.width() <= cols {
        return format!("{text}{tag}");
    }
    format!("{}{tag}", fit(text, cols.saturating_sub(tag.width())).trim_end())
}

/// Returns a span that is over, in at most five columns up to 99 hours: `850ms`, `12.3s`, `4m05s`, `2h03m`.
pub(crate) fn span(span: Duration) -> String {
    let secs = span.as_secs();
    match secs {
        0 => format!("{}ms", span.as_millis()),
        1..60 => format!("{secs}.{}s", span.subsec_millis() / 100),
        60..600 => format!("{}m{:02}s", secs / 60, secs % 60),
        600..3600 => format!("{}m", secs / 60),
        3600..36_000 => format!("{}h{:02}m", secs / 3600, secs / 60 % 60),
        36_000..360_000 => format!("{}h", secs / 3600),
        _ => format!("{}d", secs / 86_400),
    }
}

/// Returns the time that is left: in seconds, rounded up, below ten minutes (`0:07`, `9:59`); else in whole minutes (`25m`, `2h05m`).
pub(crate) fn countdown(left: Duration) -> String {
    if left < FINE {
        let secs = ceil_secs(left);
        return format!("{}:{:02}", secs / 60, secs % 60);
    }
    let minutes = left.as_secs() / 60;
    if minutes < 60 { format!("{minutes}m") } else { format!("{}h{:02}m", minutes / 60, minutes % 60) }
}

/// Returns how long it takes until [`countdown`] shows something else.
pub(crate) fn countdown_step(left: Duration) -> Duration {
    let second = Duration::from_secs(1);
    let into = Duration::from_nanos(left.subsec_nanos().into());
    let step = match left < FINE {
        true if into.is_zero() => second,
        true => into,
        false => Duration::from_secs(left.as_secs() % 60) + into,
    };
    // Just past the border, so that the new text is due when the timer fires.
    step + Duration::from_millis(2)
}

fn ceil_secs(span: Duration) -> u64 {
    span.as_secs() + u64::from(span.subsec_nanos() > 0)
}

/// Returns a number of bytes: `17 B`, `4.2 KiB`, `310 MiB`.
pub(crate) fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if count < 1024 {
        return format!("{count} B");
    }
    let (mut tenths, mut unit) = (count.saturating_mul(10) / 1024, 0);
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        tenths /= 1024;
        unit += 1;
    }
    if tenths < 1000 {
        format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
    } else {
        format!("{} {}", tenths / 10, UNITS[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fitted_text_has_exactly_its_columns(text in "[a-z 界👩é]{0,20}", cols in 0usize..30) {
            prop_assert_eq!(fit(&text, cols).width(), cols);
        }

        #[test]
        fn spans_up_to_99_hours_fit_five_columns(millis in 0u64..99 * 3_600_000) {
            prop_assert!(span(Duration::from_millis(millis)).len() <= 5);
        }

        #[test]
        fn a_countdown_changes_after_its_step_and_not_before(millis in 1100u64..86_400_000) {
            let left = Duration::from_millis(millis);
            let step = countdown_step(left);
            prop_assert_ne!(countdown(left), countdown(left.saturating_sub(step)));
            let before = left.saturating_sub(step.saturating_sub(Duration::from_millis(3)));
            prop_assert_eq!(countdown(left), countdown(before));
        }
    }

    #[test]
    fn what_tells_names_apart_is_not_cut() {
        assert_eq!(cut("login", ":12", 8), "login:12");
        assert_eq!(cut("sleep 1000", " q7k2m9", 12), "slee… q7k2m9");
        assert_eq!(cut("sleep 1000", "", 6), "sleep…");
    }

    #[test]
    fn times_read_as_people_write_them() {
        let secs = Duration::from_secs;
        assert_eq!(span(Duration::from_millis(850)), "850ms");
        assert_eq!(span(Duration::from_millis(12_345)), "12.3s");
        assert_eq!(span(secs(245)), "4m05s");
        assert_eq!(span(secs(7385)), "2h03m");
        assert_eq!(countdown(secs(7)), "0:07");
        assert_eq!(countdown(Duration::from_millis(6001)), "0:07");
        assert_eq!(countdown(secs(1500)), "25m");
        assert_eq!(countdown(secs(7500)), "2h05m");
    }

    #[test]
    fn bytes_keep_three_digits() {
        assert_eq!(bytes(17), "17 B");
        assert_eq!(bytes(4300), "4.1 KiB");
        assert_eq!(bytes(310 * 1024 * 1024), "310 MiB");
        assert_eq!(bytes(u64::MAX), "1638 PiB");
    }
}
