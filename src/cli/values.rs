//! Values of arguments that are not words or numbers.

use std::ffi::{OsStr, OsString};
use std::ops::RangeInclusive;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser};
use jiff::Timestamp;
use regex::bytes::Regex;

use crate::model::{KeyChord, key_names, nearest, parse_span, signal_names, signal_number};

/// Reads a duration such as `10s`; a bare number is refused, as nobody can tell its unit.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    parse_span(text).map_err(|expected| {
        let is_bare = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let unit = if is_bare { format!(": {text} needs a unit, as in {text}s") } else { String::new() };
        format!("expected {expected}{unit}")
    })
}

/// Reads a whole number of a range; one that ends with `u32::MAX` or above has no end that anybody wants to know.
pub(super) fn whole<T: TryFrom<u64>>(range: RangeInclusive<u64>) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            let upper =
                if *most < u32::MAX.into() { format!(" from {least} to {most}") } else { format!(", {least} or more") };
            format!("expected a whole number{upper}")
        })
    }
}

/// Reads a signal: `INT`, `SIGINT` or `2`.
pub(super) fn signal(text: &str) -> Result<i32, String> {
    let number = text.parse().ok().filter(|number| (1..=64).contains(number));
    number.or_else(|| signal_number(text)).ok_or_else(|| {
        let names: Vec<&str> = signal_names().map(|name| name.trim_start_matches("SIG")).collect();
        let meant = nearest(text.trim_start_matches("SIG"), names.iter().copied());
        let meant = meant.map_or_else(String::new, |near| format!("did you mean {near}? "));
        format!("{meant}expected a number from 1 to 64 or one of {}", names.join(" "))
    })
}

/// Reads a key such as `C-c`, `M-x`, `F5` or `Enter`.
pub(super) fn key(text: &str) -> Result<KeyChord, String> {
    // What people write who think of the character: ^C.
    let caret = text
        .strip_prefix('^')
        .filter(|rest| rest.chars().count() == 1)
        .map(|rest| format!("C-{}", rest.to_ascii_lowercase()));
    caret.as_deref().unwrap_or(text).parse().map_err(|_| {
        let meant = nearest(text, key_names()).map_or_else(String::new, |near| format!("did you mean {near}? "));
        format!("{meant}keys look like enter, f5, C-c, M-x, S-tab or ctrl+shift+left")
    })
}

/// Reads `NAME=VALUE`, of any bytes.
pub(super) fn assignment() -> impl TypedValueParser<Value = (OsString, OsString)> {
    OsStringValueParser::new().try_map(|text| {
        let bytes = text.as_bytes();
        let at = bytes.iter().position(|byte| *byte == b'=').filter(|at| *at > 0);
        let at = at.ok_or("expected NAME=VALUE")?;
        Ok::<_, &'static str>((part(&bytes[..at]), part(&bytes[at + 1..])))
    })
}

fn part(bytes: &[u8]) -> OsString {
    OsString::from_vec(bytes.to_vec())
}

/// What [`wait`](super::WaitArgs) waits for.
#[derive(Debug, Clone)]
pub enum WaitFor {
    /// The end of the run.
    Exit,
    /// That it is ready.
    Ready,
    /// Output that matches.
    Match(Regex),
}

impl PartialEq for WaitFor {
    fn eq(&self, other: &WaitFor) -> bool {
        match (self, other) {
            (WaitFor::Exit, WaitFor::Exit) | (WaitFor::Ready, WaitFor::Ready) => true,
            (WaitFor::Match(one), WaitFor::Match(two)) => one.as_str() == two.as_str(),
            (WaitFor::Exit | WaitFor::Ready | WaitFor::Match(_), _) => false,
        }
    }
}

/// Reads what to wait for: `exit`, `ready` or `match:REGEX`.
pub(super) fn wait_for(text: &str) -> Result<WaitFor, String> {
    match text {
        "exit" => Ok(WaitFor::Exit),
        "ready" => Ok(WaitFor::Ready),
        _ => {
            let pattern = text.strip_prefix("match:").ok_or("expected exit, ready or match:REGEX")?;
            // The last line of its message says what is wrong; those before it draw an arrow.
            let regex = Regex::new(&format!("(?m){pattern}"));
            let last = |text: &str| text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            let regex = regex.map_err(|error| last(&error.to_string()))?;
            if regex.is_match(b"") {
                return Err("it matches before anything is printed".to_owned());
            }
            Ok(WaitFor::Match(regex))
        }
    }
}

/// From when on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// For so long.
    Span(Duration),
    /// From this time on.
    Time(Timestamp),
}

impl Since {
    /// Returns the time that it stands for.
    pub(super) fn time(self, now: Timestamp) -> Timestamp {
        match self {
            // What lies before all time was always so.
            Since::Span(span) => now.checked_sub(span).unwrap_or(Timestamp::MIN),
            Since::Time(time) => time,
        }
    }
}

/// Reads `10m` or a time of RFC 3339.
pub(super) fn since(text: &str) -> Result<Since, String> {
    let span = parse_span(text).ok().map(Since::Span);
    span.or_else(|| text.parse().ok().map(Since::Time))
        .ok_or_else(|| "expected a duration such as 10m, or a time such as 2026-11-29T10:00:00Z".to_owned())
}

/// Returns whether one word is a line for a shell rather than the name of a program (S11.3).
pub(super) fn is_shell_line(word: &OsStr) -> bool {
    let bytes = word.as_bytes();
    bytes.starts_with(b"~")
        || bytes.iter().any(|byte| byte.is_ascii_whitespace() || b"|&;<>()$`\\\"'*?[]{}=".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_people_write_them() {
        for (text, shown) in
            [("C-c", "C-c"), ("^C", "C-c"), ("F5", "f5"), ("Enter", "enter"), ("M-x", "M-x"), ("^", "^")]
        {
            assert_eq!(key(text).expect(text).to_string(), shown);
        }
        assert!(key("Entre").expect_err("no key").starts_with("did you mean enter? keys look like"));
        assert!(key("hyper").expect_err("no key").starts_with("keys look like"));
    }

    #[test]
    fn signals_are_read_by_name_and_number() {
        for text in ["INT", "sigint", "2"] {
            assert_eq!(signal(text), Ok(2), "{text}");
        }
        assert_eq!(signal("34"), Ok(34));
        for text in ["", "0", "65", "-1", "FOO"] {
            assert!(signal(text).expect_err(text).contains("HUP"), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_or_duration_is_told_what_is_expected() {
        let count = whole::<u32>(1..=1000);
        assert_eq!((count("1"), count("1000")), (Ok(1), Ok(1000)));
        for text in ["", "x", "0", "1001", "-1", "1.5", "99999999999999999999"] {
            assert_eq!(count(text), Err("expected a whole number from 1 to 1000".into()), "{text}");
        }
        assert_eq!(whole::<u64>(0..=u64::MAX)("x"), Err("expected a whole number, 0 or more".into()));
        assert!(whole::<u32>(0..=u32::MAX.into())("4294967296").is_err());
        let bare = duration("10").expect_err("no unit");
        assert_eq!(bare, "expected a duration such as 500ms, 10s or 1h 30m: 10 needs a unit, as in 10s");
        assert_eq!(duration("soon").expect_err("no span"), "expected a duration such as 500ms, 10s or 1h 30m");
        assert!(
            signal("TREM").expect_err("no signal").starts_with("did you mean TERM? expected a number from 1 to 64")
        );
    }

    #[test]
    fn one_word_with_shell_syntax_is_a_line_for_the_shell() {
        for line in ["make all", "a|b", "FOO=1", "~/bin/x", "echo $HOME", "ls *.rs", "a;b", "x&"] {
            assert!(is_shell_line(OsStr::new(line)), "{line}");
        }
        for program in ["make", "/usr/bin/env", "./a-b_c.sh", "g++", "python3.11", "x@y", "50%"] {
            assert!(!is_shell_line(OsStr::new(program)), "{program}");
        }
    }

    #[test]
    fn a_pattern_that_is_wrong_or_matches_nothing_at_all_is_refused() {
        assert!(matches!(wait_for("match:listening on"), Ok(WaitFor::Match(_))));
        assert_eq!(wait_for("match:(").expect_err("no regex"), "unclosed group");
        assert!(wait_for("match:x*").expect_err("matches nothing").contains("before anything"));
        assert!(wait_for("end").expect_err("unknown").contains("match:REGEX"));
    }
}
