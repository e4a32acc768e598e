//! Rows of screens.

use super::table::redactor;
use crate::redact::{Redactor, Row, cover};

fn row(text: &str) -> Row<'_> {
    Row { text, soft_wrapped: false }
}

fn wrapped(text: &str) -> Row<'_> {
    Row { text, soft_wrapped: true }
}

/// Covers the secrets of rows; says whether there were any.
pub(super) fn redact_rows(redactor: &Redactor, rows: &[Row<'_>], writing_at: Option<usize>) -> (Vec<String>, bool) {
    let found = redactor.find_in_rows(rows, writing_at);
    let covered = rows.iter().zip(&found).map(|(row, ranges)| cover(row.text, ranges)).collect();
    (covered, found.iter().any(|ranges| !ranges.is_empty()))
}

fn covered(rows: &[Row<'_>]) -> Vec<String> {
    redact_rows(&redactor(), rows, None).0
}

#[test]
fn a_secret_over_a_soft_wrap_is_covered_in_place() {
    let rows = [wrapped("$ export PASSW"), wrapped("ORD=hunter2hun"), row("ter2 x"), row("ok")];
    assert_eq!(covered(&rows), ["$ export PASSW", "ORD=**********", "**** x", "ok"]);
}

#[test]
fn rows_that_are_lines_of_their_own_are_not_joined() {
    assert_eq!(covered(&[row("password="), row("hunter2")]), ["password=", "hunter2"]);
}

#[test]
fn a_wide_character_is_covered_by_two_columns_and_a_mark_on_it_by_none() {
    assert_eq!(covered(&[row("password=日本e\u{301}x y")]), ["password=****** y"]);
}

#[test]
fn a_key_block_over_rows_is_covered_line_by_line() {
    let key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
    let rows =
        [row("-----BEGIN PRIVATE KEY-----"), wrapped(key), row("BKcw"), row("-----END PRIVATE KEY-----"), row("$ ")];
    let stars = "*".repeat(key.len());
    assert_eq!(covered(&rows), ["-----BEGIN PRIVATE KEY-----", &stars, "****", "-----END PRIVATE KEY-----", "$ "]);
    // The start has left the scrollback.
    assert_eq!(covered(&rows[1..]), [&stars, "****", "-----END PRIVATE KEY-----", "$ "]);
}

#[test]
fn what_may_become_a_secret_where_the_run_writes_is_covered() {
    let rows = [row("$ cat token"), row("ghp_0123"), row("")];
    assert_eq!(redact_rows(&redactor(), &rows, Some(1)).0, ["$ cat token", "********", ""]);
    assert_eq!(redact_rows(&redactor(), &rows, None).0, ["$ cat token", "ghp_0123", ""]);
    assert!(!redact_rows(&redactor(), &[row("Password: ")], Some(0)).1);
}

#[test]
fn covered_rows_stay_as_they_are() {
    let rows = [wrapped("Authorization: Bearer a"), row("bcdef"), row("password: hunter2 x"), row("token=abc")];
    let once = covered(&rows);
    let again: Vec<Row<'_>> =
        once.iter().zip(&rows).map(|(text, row)| Row { text, soft_wrapped: row.soft_wrapped }).collect();
    assert_eq!(covered(&again), once);
}

#[test]
fn ranges_are_those_of_the_rows_own_texts() {
    let found = redactor().find_in_rows(&[row("x"), wrapped("ü token=ab"), row("cd")], Some(7));
    let found: Vec<Vec<(usize, usize)>> =
        found.iter().map(|row| row.iter().map(|range| (range.start, range.end)).collect()).collect();
    assert_eq!(found, [vec![], vec![(9, 11)], vec![(0, 2)]]);
}
