//! The table of what is found and what is not.

use std::fmt::Write as _;
use std::sync::LazyLock;

use super::cases::{BLOCKS, CLEAN, COLOURED, HTTP, NAMED, SHAPED};
use crate::redact::{MARK, Redactor};

/// Returns the text of a case, what becomes of it, and its secrets.
pub(super) fn case(marked: &str) -> (String, String, Vec<String>) {
    let text = marked.replace(['«', '»'], "");
    let mut expected = String::new();
    let mut secrets = Vec::new();
    let mut rest = marked;
    while let Some((before, after)) = rest.split_once('«') {
        let (secret, after) = after.split_once('»').expect("a closing sign");
        expected.push_str(before);
        expected.push_str(MARK);
        secrets.push(secret.to_owned());
        rest = after;
    }
    expected.push_str(rest);
    (text, expected, secrets)
}

/// One for all tests: making one takes longer than most of them.
static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| Redactor::new(&[]).expect("no patterns"));

pub(super) fn redactor() -> Redactor {
    REDACTOR.clone()
}

pub(super) fn all_secrets() -> impl Iterator<Item = &'static str> {
    [NAMED, HTTP, SHAPED, BLOCKS, COLOURED].into_iter().flatten().copied()
}

fn faults<'a>(cases: impl Iterator<Item = &'a str>) -> String {
    let redactor = redactor();
    let mut faults = String::new();
    for marked in cases {
        let (text, expected, _) = case(marked);
        let redacted = redactor.redact(&text);
        if redacted.text != expected || redacted.found != (text != expected) {
            writeln!(faults, "  {text:?}\n    gives {:?}\n    not   {expected:?}", redacted.text).expect("text");
        }
    }
    faults
}

#[test]
fn every_secret_of_the_table_is_taken_out_and_nothing_else() {
    let faults = faults(all_secrets());
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
fn text_without_secrets_stays_as_it_is() {
    let faults = faults(CLEAN.iter().copied());
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
fn clean_text_is_borrowed() {
    let redactor = redactor();
    for text in CLEAN {
        assert!(matches!(redactor.redact(text).text, std::borrow::Cow::Borrowed(same) if same == *text), "{text:?}");
    }
}

#[test]
fn redacting_twice_is_redacting_once() {
    let redactor = redactor();
    for marked in all_secrets() {
        let (text, ..) = case(marked);
        let once = redactor.redact(&text).text.into_owned();
        let twice = redactor.redact(&once);
        assert_eq!(twice.text, once, "{text:?}");
        assert!(!twice.found, "{once:?}");
    }
}

#[test]
fn the_table_is_long_enough_to_mean_something() {
    assert!(all_secrets().count() >= 150 && CLEAN.len() >= 130, "{} {}", all_secrets().count(), CLEAN.len());
}
