//! Secrets that come in pieces.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::cases::CLEAN;
use super::table::{all_secrets, case, redactor};
use crate::redact::{MAX_HELD_BYTES, Redactor, Stream};

/// Pushes the pieces and returns all that was passed on.
pub(super) fn streamed<'a>(redactor: &Redactor, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut stream = Stream::new(redactor);
    let mut out = Vec::new();
    for piece in pieces {
        out.extend(stream.push(piece));
        assert!(stream.held_bytes() <= MAX_HELD_BYTES + piece.len(), "{} bytes are held", stream.held_bytes());
    }
    out.extend(stream.finish());
    out
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a stream makes of the cases; a key whose start is lost is gone before a stream knows it.
fn stream_cases() -> impl Iterator<Item = (String, String)> {
    let cases = all_secrets().filter(|marked| !marked.ends_with("the tail was cut")).map(case);
    cases
        .map(|(text, expected, _)| (text, expected))
        .chain(CLEAN.iter().map(|text| (text.to_string(), text.to_string())))
}

#[test]
fn two_pieces_give_what_the_whole_gives_wherever_the_cut_is() {
    let redactor = redactor();
    for (text, expected) in stream_cases() {
        for cut in 0..=text.len() {
            let (first, second) = text.as_bytes().split_at(cut);
            assert_eq!(shown(&streamed(&redactor, [first, second])), expected, "{text:?} cut at {cut}");
        }
    }
}

#[test]
fn single_bytes_give_what_the_whole_gives() {
    let redactor = redactor();
    for (text, expected) in stream_cases() {
        assert_eq!(shown(&streamed(&redactor, text.as_bytes().chunks(1))), expected, "{text:?}");
    }
}

#[test]
fn what_is_clean_is_passed_on_at_once() {
    for text in ["Continue? [y/n] ", "Password: ", "Enter API key> ", "50 %\r", "$ ", "\x1b[1mname:\x1b[0m "] {
        let mut stream = Stream::new(&redactor());
        assert_eq!(shown(&stream.push(text.as_bytes())), text);
        assert_eq!(stream.held_bytes(), 0);
    }
}

#[test]
fn what_is_held_back_is_shown_without_what_may_become_a_secret() {
    let mut stream = Stream::new(&redactor());
    for (piece, held) in [("user tok", "tok"), ("en=ab", "[redacted]"), ("\nghp_0123", "[redacted]"), ("\nfine t", "t")]
    {
        stream.push(piece.as_bytes());
        assert_eq!(shown(&stream.held()), held);
    }
}

#[test]
fn a_character_in_two_pieces_is_passed_on_in_one() {
    let mut stream = Stream::new(&redactor());
    let text = "größer €".as_bytes();
    let out: Vec<Vec<u8>> = text.chunks(1).map(|byte| stream.push(byte)).collect();
    assert!(out.iter().all(|piece| std::str::from_utf8(piece).is_ok()), "{out:?}");
}

#[test]
fn bytes_that_are_no_text_pass_as_they_are() {
    let redactor = redactor();
    let bytes: Vec<u8> = (0..=255).cycle().take(4096).collect();
    assert_eq!(streamed(&redactor, bytes.chunks(7)), bytes);
    let (before, after) = (b"\xff\xfepassword=".as_slice(), b"\xffhunter2 \xe2\x82".as_slice());
    assert_eq!(streamed(&redactor, [before, after]), b"\xff\xfepassword=[redacted] \xe2\x82");
}

#[test]
fn a_value_without_end_is_left_out_as_it_comes() {
    let redactor = redactor();
    let mut stream = Stream::new(&redactor);
    let mut out = stream.push(b"secret=");
    for _ in 0..1000 {
        out.extend(stream.push(&[b'x'; 1000]));
        assert!(stream.held_bytes() <= 2048, "{}", stream.held_bytes());
    }
    out.extend(stream.push(b" user=bob\n"));
    out.extend(stream.finish());
    assert_eq!(shown(&out), "secret=[redacted] user=bob\n");
    assert!(stream.found());
}

#[test]
fn a_long_value_behind_a_type_or_a_token_is_left_out_from_its_start() {
    let redactor = redactor();
    let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    for (before, expected) in [
        ("password: str = \"", "password: str = \"[redacted]\" x".to_owned()),
        (&format!("auth-{token}.password=\""), "auth-[redacted].password=\"[redacted]\" x".to_owned()),
        ("Authorization: Bearer ", "Authorization: Bearer [redacted]\" x".to_owned()),
    ] {
        let text = format!("{before}{}\" x", "v".repeat(5000));
        assert_eq!(redactor.redact(&text).text, expected);
        for size in [1, 7, 600, 4096] {
            assert_eq!(shown(&streamed(&redactor, text.as_bytes().chunks(size))), expected, "pieces of {size}");
        }
    }
}

#[test]
fn a_key_block_is_held_by_state_and_not_by_a_buffer() {
    let redactor = redactor();
    let mut stream = Stream::new(&redactor);
    let mut out = stream.push(b"-----BEGIN PRIVATE KEY-----\n");
    for _ in 0..10_000 {
        out.extend(stream.push(b"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7abcdefghijkl\n"));
        assert!(stream.held_bytes() <= 256, "{}", stream.held_bytes());
    }
    out.extend(stream.push(b"-----END PRIVATE KEY-----\nafter\n"));
    assert_eq!(shown(&out), "-----BEGIN PRIVATE KEY-----[redacted]-----END PRIVATE KEY-----\nafter\n");
}

#[test]
fn a_key_on_one_long_line_is_held_by_state_too() {
    let redactor = redactor();
    let key = format!("x -----BEGIN PRIVATE KEY-----\\n{}\\n-----END PRIVATE KEY-----\\n y\n", "QUJD".repeat(10_000));
    let expected = "x -----BEGIN PRIVATE KEY-----[redacted]-----END PRIVATE KEY-----\\n y\n";
    assert_eq!(redactor.redact(&key).text, expected);
    for size in [1, 5, 4096, 100_000] {
        assert_eq!(shown(&streamed(&redactor, key.as_bytes().chunks(size))), expected, "pieces of {size}");
    }
}

#[test]
fn escape_sequences_without_end_do_not_grow_what_is_held() {
    let redactor = redactor();
    let flood = [b"token=a".to_vec(), b"\x1b[1m".repeat(100_000)].concat();
    let out = streamed(&redactor, flood.chunks(4096));
    assert!(!shown(&out).contains("=a"), "{}", &shown(&out)[..80]);
}

fn texts() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "token",
        "=",
        ": ",
        " ",
        "\n",
        "password",
        "\"",
        "'",
        "abc1",
        "://",
        "@",
        ":",
        "Bearer ",
        "Authorization",
        "ghp_",
        "--",
        "\\",
        "0123456789abcdefghij",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "\x1b[1m",
        "\x1b",
        "é",
        "key",
        "api",
        ",",
        "&",
        "<",
        ">",
        "eyJ",
        ".",
        "sk-",
        "cookie",
        "$",
        "{",
        "}",
        "#",
        "none",
        "str",
        "[redacted]",
        "\r\n",
        "\t",
        "=",
        "sess",
        "SG.",
        "x",
    ]);
    prop::collection::vec(words, 0..24).prop_map(|words| words.concat())
}

proptest! {
    // The same texts each time: of a hundred thousand, one that no program writes is not the same twice.
    #![proptest_config(ProptestConfig { cases: 2000, rng_seed: RngSeed::Fixed(9), ..ProptestConfig::default() })]

    #[test]
    fn a_stream_of_any_text_in_any_pieces_gives_what_the_whole_gives(text in texts(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        // A key whose start is missing is the one thing that only the whole text can tell.
        let text = text.replace("-----END", "-----BEGIN");
        let redactor = redactor();
        let whole = redactor.redact(&text).text.into_owned();
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        at.extend([0, text.len()]);
        at.sort_unstable();
        let pieces = at.windows(2).map(|pair| &text.as_bytes()[pair[0]..pair[1]]);
        prop_assert_eq!(shown(&streamed(&redactor, pieces)), whole, "{:?} cut at {:?}", text, at);
    }

    #[test]
    fn any_text_redacted_twice_is_the_same_as_once(text in texts()) {
        let redactor = redactor();
        let once = redactor.redact(&text).text.into_owned();
        prop_assert_eq!(redactor.redact(&once).text, once.as_str(), "{:?}", text);
    }

    #[test]
    fn any_bytes_are_taken_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..512), size in 1_usize..64) {
        let redactor = redactor();
        streamed(&redactor, bytes.chunks(size));
        redactor.redact_unfinished(&String::from_utf8_lossy(&bytes));
    }
}
