//! Secrets planted in noise: never passed on, wherever they stand and however they are cut.

use super::cases::{BLOCKS, HTTP, NAMED, SHAPED};
use super::rows::redact_rows;
use super::streams::streamed;
use super::table::{case, redactor};
use crate::redact::{MARK, Redactor, Row, Stream};

/// A secret of each kind, in a text whose words would not give it away: what must never be seen of it.
fn planted() -> Vec<(String, String)> {
    let all = [NAMED, HTTP, SHAPED].into_iter().flatten().map(|marked| case(marked));
    // A short one may be part of a word by chance.
    let long = all.filter_map(|(text, _, secrets)| {
        let secret = secrets.into_iter().find(|secret| secret.len() >= 6 && secret.is_ascii())?;
        // How a token starts is no secret.
        let prefix = secret.bytes().take(17).rposition(|byte| b"_-".contains(&byte)).map_or(0, |at| at + 1);
        let essential = if secret.len() > 30 { &secret[prefix..] } else { &secret };
        Some((text, essential.to_owned()))
    });
    long.collect()
}

/// Returns whether any piece of a secret that would help a guesser is in the text.
fn leaks(text: &str, secret: &str) -> bool {
    const PIECE_BYTES: usize = 6;
    let clean = text.replace(MARK, " ");
    (0..=secret.len() - PIECE_BYTES).any(|at| clean.contains(&secret[at..at + PIECE_BYTES]))
}

#[test]
fn a_planted_secret_is_never_passed_on_at_any_offset() {
    let redactor = redactor();
    let noise = "ünï 日本 x=1; ok\n";
    for (text, secret) in planted() {
        for offset in (0..=64).chain([1000, 4090, 65_530]) {
            let lead: String = noise.chars().cycle().take(offset).collect::<String>() + "\n";
            let whole = format!("{lead}{text}\n{noise}");
            let shown = redactor.redact(&whole).text;
            assert!(!leaks(&shown, &secret), "{text:?} at {offset}");
            assert!(shown.starts_with(&lead) && shown.ends_with(noise), "{text:?} at {offset}");
        }
    }
}

#[test]
fn a_planted_secret_is_never_passed_on_at_any_two_cuts() {
    let redactor = redactor();
    for (text, secret) in planted() {
        let whole = format!("a b\n{text}\nc d\n");
        let bytes = whole.as_bytes();
        // Cuts of three pieces: every first one, and every second one that is near, or far by a step.
        for first in 0..bytes.len() {
            for second in (first..bytes.len()).filter(|second| second - first < 6 || (second - first) % 7 == 0) {
                let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                let shown = String::from_utf8_lossy(&streamed(&redactor, pieces)).into_owned();
                assert!(!leaks(&shown, &secret), "{text:?} cut at {first} and {second}: {shown:?}");
            }
        }
    }
}

#[test]
fn nothing_of_a_planted_secret_is_seen_while_it_comes() {
    let redactor = redactor();
    for (text, secret) in planted() {
        let whole = format!("a b\n{text}");
        let mut stream = Stream::new(&redactor);
        let mut passed = Vec::new();
        for end in 1..=whole.len() {
            passed.extend(stream.push(&whole.as_bytes()[end - 1..end]));
            let seen = String::from_utf8_lossy(&[&passed[..], &stream.held()].concat()).into_owned();
            assert!(!leaks(&seen, &secret), "{text:?} at {end}: {seen:?}");
            if let Some(text_so_far) = whole.get(..end) {
                let seen = redactor.redact_unfinished(text_so_far).text;
                assert!(!leaks(&seen, &secret), "{text_so_far:?}: {seen:?}");
            }
        }
    }
}

#[test]
fn a_planted_secret_is_never_seen_in_rows_of_any_width() {
    let redactor = redactor();
    // A passphrase has its line to itself, which is not so here.
    for (text, secret) in planted().into_iter().filter(|(_, secret)| !secret.contains(' ')) {
        for width in [3, 7, 10, 16, 33, 80] {
            let cells: Vec<char> = format!("$ cat x; {text}").chars().collect();
            let texts: Vec<String> = cells.chunks(width).map(|row| row.iter().collect()).collect();
            let rows: Vec<Row<'_>> = (0..texts.len())
                .map(|index| Row { text: &texts[index], soft_wrapped: index + 1 < texts.len() })
                .collect();
            let (covered, found) = redact_rows(&redactor, &rows, None);
            // What stands behind something else is not at the start of its line: the same text says what is to be found.
            if redactor.redact(&format!("$ cat x; {text}")).found {
                assert!(found && !leaks(&covered.concat(), &secret), "{text:?} {width}: {covered:?}");
            }
        }
    }
}

#[test]
fn nothing_of_a_key_block_is_passed_on_at_any_cut() {
    let redactor = redactor();
    for marked in BLOCKS.iter().filter(|marked| marked.starts_with("-----BEGIN")) {
        let (text, _, secrets) = case(marked);
        let lines: Vec<&str> = secrets[0].split(['\r', '\n']).filter(|line| line.len() >= 8).collect();
        for cut in 0..text.len() {
            let (first, second) = text.as_bytes().split_at(cut);
            let shown = String::from_utf8_lossy(&streamed(&redactor, [first, second])).into_owned();
            assert!(!lines.iter().any(|line| leaks(&shown, line)), "{text:?} cut at {cut}: {shown:?}");
        }
    }
}

/// Text that costs a careless matcher the square of its length.
fn traps() -> Vec<String> {
    let pieces = [
        "token",
        "token ",
        "token=",
        "key-",
        "a.b_key",
        "password: ",
        "://",
        "://a:",
        "x://a:b",
        "eyJ",
        "sk-",
        "sk-a.",
        "SG.a",
        "-----BEGIN ",
        "-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n",
        "QUJD\n",
        "\\",
        "\\\\\"",
        "\"",
        "token\\\"",
        "bearer ",
        "cookie: a=b",
        ",a",
        "token=a,",
        "session id ",
        "<token>",
        "\x1b",
        "\x1b[",
        "\x1b[1m",
        "token=\x1b[m",
        "\n",
        "key key ",
        "auth:",
        "Bearer a",
        "?sig=",
        "api key",
    ];
    pieces.iter().map(|piece| piece.repeat(200_000 / piece.len())).collect()
}

#[test]
fn time_grows_with_the_length_and_not_with_its_square() {
    let redactor = redactor();
    for text in traps() {
        // Looks counted, not time: the automaton's finds are the only loop over the text.
        let looks = redactor.looks(text.as_bytes());
        assert!(looks <= text.len() * 2, "{looks} looks at {:?}…", &text[..20]);
        redactor.redact(&text);
    }
}

#[test]
fn streams_of_small_pieces_do_bounded_work_for_each() {
    let redactor = redactor();
    for text in traps() {
        let mut stream = Stream::new(&redactor);
        for piece in text.as_bytes()[..20_000].chunks(16) {
            stream.push(piece);
            assert!(stream.held_bytes() <= 8 * 1024, "{} are held of {:?}…", stream.held_bytes(), &text[..20]);
        }
    }
}

#[test]
fn a_user_pattern_does_not_make_long_lines_slow() {
    // The square of the line's length would be hours.
    let redactor = Redactor::new(&["[a-z]*[0-9]z|x".to_owned()]).expect("a pattern");
    let line = "a".repeat(400_000);
    assert!(!redactor.redact(&line).found);
}
