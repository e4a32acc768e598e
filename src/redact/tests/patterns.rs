//! The user's patterns.

use super::streams::streamed;
use crate::redact::{MAX_PATTERN_BYTES, MAX_PATTERNS, PatternError, Redactor};

fn with(patterns: &[&str]) -> Result<Redactor, PatternError> {
    Redactor::new(&patterns.iter().map(ToString::to_string).collect::<Vec<_>>())
}

fn redacted(pattern: &str, text: &str) -> String {
    with(&[pattern]).expect("a pattern").redact(text).text.into_owned()
}

#[test]
fn a_pattern_takes_out_its_match_or_its_group() {
    assert_eq!(redacted("EMP-[0-9]{4}", "id EMP-1234, EMP-99"), "id [redacted], EMP-99");
    assert_eq!(redacted("badge ([0-9]+)", "badge 1234 of bob"), "badge [redacted] of bob");
    assert_eq!(redacted("(?<who>bob) has (?<secret>[0-9]+)", "bob has 12"), "bob has [redacted]");
    assert_eq!(redacted("a(b)?c", "ac abc"), "[redacted] a[redacted]c");
    assert_eq!(redacted("(?i)größe.", "GRÖSSE größe1"), "GRÖSSE [redacted]");
}

#[test]
fn a_pattern_is_matched_line_by_line_and_through_colours() {
    assert_eq!(redacted("^x.*$", "ax\nxyz\nx"), "ax\n[redacted]\n[redacted]");
    assert_eq!(redacted("a[^b]*c", "a\nc"), "a\nc");
    assert_eq!(redacted("EMP-[0-9]+", "\x1b[1mEMP\x1b[0m-12 x"), "\x1b[1m[redacted]\x1b[0m x");
}

#[test]
fn a_pattern_leaves_what_is_redacted_already_and_whole_characters() {
    assert_eq!(redacted(r"\w+", "[redacted]"), "[redacted]");
    assert_eq!(redacted("secret [a-z]+", "password=abc"), "password=[redacted]");
    assert_eq!(redacted(r"(?-u:\xc3)", "ä"), "[redacted]");
}

#[test]
fn patterns_that_cannot_be_used_are_refused_by_name() {
    let message = |patterns: &[&str]| with(patterns).expect_err("refused").to_string();
    assert_eq!(message(&["ok", "(a"]), "pattern 2 `(a`: unclosed group");
    assert_eq!(message(&["a*"]), "pattern 1 `a*` matches the empty text");
    let too_large = message(&["[a-z]{500}{500}"]);
    assert!(too_large.starts_with("pattern 1 `[a-z]{500}{500}`: ") && too_large.contains("size limit"), "{too_large}");
    let long = "a".repeat(MAX_PATTERN_BYTES + 1);
    assert_eq!(message(&[&long]), format!("pattern 1 `{}…` has 1025 bytes, more than 1024", "a".repeat(32)));
    assert_eq!(message(&vec!["a"; MAX_PATTERNS + 1]), "65 patterns are more than 64");
}

#[test]
fn a_match_that_comes_in_pieces_is_taken_out_at_every_cut() {
    let redactor = with(&["EMP-[0-9]{4}", "badge ([0-9]+)"]).expect("patterns");
    let text = "a EMP-1234 b\r\nbadge 77 c, token=abc EMP-0000";
    let expected = "a [redacted] b\r\nbadge [redacted] c, token=[redacted] [redacted]";
    for first in 0..text.len() {
        for second in first..text.len() {
            let pieces = [&text[..first], &text[first..second], &text[second..]].map(str::as_bytes);
            assert_eq!(String::from_utf8_lossy(&streamed(&redactor, pieces)), expected, "{first} {second}");
        }
    }
}

#[test]
fn a_match_on_a_line_of_any_length_is_taken_out() {
    let redactor = with(&["EMP-[0-9]{4}"]).expect("a pattern");
    for lead in [8180, 8190, 12_280, 65_530, 131_070, 200_000] {
        let text = format!("{} EMP-1234 {}", "x".repeat(lead), "y".repeat(5000));
        let expected = text.replace("EMP-1234", "[redacted]");
        assert!(redactor.redact(&text).text == expected, "{lead}");
        for size in [1000, 4096, 65_536] {
            assert!(
                streamed(&redactor, text.as_bytes().chunks(size)) == expected.as_bytes(),
                "{lead} in pieces of {size}"
            );
        }
    }
}
