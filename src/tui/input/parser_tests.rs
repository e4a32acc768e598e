use proptest::prelude::*;

use super::super::event::Input;
use super::super::ground::Ground;
use super::parser::{Begun, Parser};
use crate::model::{
    Action, Key, KeyChord, KeyFault, Modifiers, Mouse, MouseButton, MouseKind, TerminalModes, key_names,
};
use crate::screen::encode;

fn understood(bytes: &[u8]) -> Vec<Input> {
    let (mut parser, mut out) = (Parser::default(), Vec::new());
    parser.feed(bytes, &mut out);
    parser.settle(&mut out);
    out
}

fn keys(text: &str) -> Vec<Input> {
    text.split(' ').map(|key| Input::Key(key.parse::<KeyChord>().expect(key))).collect()
}

#[test]
fn keys_are_understood_as_terminals_send_them() {
    let cases: [(&[u8], &str); 22] = [
        (b"a\xc3\xa9\xe7\x95\x8c ", "a é 界 space"),
        (b"\r\t\x7f\x08\n", "enter tab backspace C-h C-j"),
        (b"\x00\x01\x1a\x1c\x1d\x1e\x1f", "C-space C-a C-z C-\\ C-] C-^ C-_"),
        (b"\x1b", "escape"),
        (b"\x1b\x1b", "escape escape"),
        (b"\x1bx\x1b\xc3\xa9\x1b\x01\x1b\r", "M-x M-é C-M-a M-enter"),
        (b"\x1b[A\x1b[B\x1b[C\x1b[D\x1b[H\x1b[F", "up down right left home end"),
        (b"\x1bOA\x1bOH\x1bOP\x1bOS\x1bOM", "up home f1 f4 enter"),
        (b"\x1b[1;5A\x1b[1;2C\x1b[1;3D\x1b[1;8F", "C-up S-right M-left C-M-S-end"),
        (b"\x1b[1;5P\x1b[1;2S", "C-f1 S-f4"),
        (b"\x1b[2~\x1b[3~\x1b[5~\x1b[6~", "insert delete page_up page_down"),
        (b"\x1b[3;5~\x1b[5;2~", "C-delete S-page_up"),
        (b"\x1b[11~\x1b[15~\x1b[17~\x1b[21~\x1b[23~\x1b[24~", "f1 f5 f6 f10 f11 f12"),
        (b"\x1b[[A\x1b[[E", "f1 f5"),
        (b"\x1b[Z", "S-tab"),
        (b"\x1b\x1b[A\x1b\x1bOB", "M-up M-down"),
        (b"\x1b[", "M-["),
        (b"\x1bO", "M-O"),
        (b"\x1b[97;5u\x1b[13;2u", "C-a S-enter"),
        (b"\x1b[?1;2cx", "x"),
        (b"\x1b[999~\x1b[1;99999Ax", "x"),
        (b"\xff\xfe", "\u{fffd} \u{fffd}"),
    ];
    for (bytes, expected) in cases {
        assert_eq!(understood(bytes), keys(expected), "{:?}", String::from_utf8_lossy(bytes));
    }
}

/// The encoder, which does what xterm does, and this parser agree with the model about what terminals tell of a key.
#[test]
fn a_key_that_is_said_to_be_told_is_understood_as_itself_and_no_other_one_is() {
    let held = |bits: u8| Modifiers { ctrl: bits & 1 != 0, alt: bits & 2 != 0, shift: bits & 4 != 0 };
    let characters = ('\u{20}'..'\u{7f}').chain(['ä', 'Ä']).map(Key::Char);
    let names = key_names().map(|name| name.parse::<KeyChord>().expect(name).key);
    for key in characters.chain(names) {
        for modifiers in (0..8).map(held) {
            let chord = KeyChord { key, modifiers };
            let bytes = encode(&TerminalModes::default(), &[Action::Key(key, modifiers)]).expect("a key");
            let is_told = understood(&bytes) == [Input::Key(chord)];
            assert_eq!(chord.check_told().is_ok(), is_told, "{chord}");
            if let Err(KeyFault::Same { same, .. }) = chord.check_told() {
                assert_eq!(understood(&bytes), [Input::Key(same)], "{chord}");
            }
        }
    }
}

#[test]
fn keys_of_the_kitty_protocol_are_those_of_the_usual_encoding_and_more() {
    let cases: [(&[u8], &str); 11] = [
        (b"\x1b[27u\x1b[13;2u\x1b[105;5u\x1b[9;5u\x1b[127;3u", "escape S-enter C-i C-tab M-backspace"),
        (b"\x1b[120;3u\x1b[120:88;4u\x1b[120;4u\x1b[49:33;4u", "M-x M-X M-X M-!"),
        // Ctrl and Shift: of a letter both are told, elsewhere Shift is in the character.
        (b"\x1b[97:65;6u\x1b[45:95;6u", "C-S-a C-_"),
        (b"\x1b[97;69u\x1b[97;133u", "C-a C-a"),
        (b"\x1b[1092::97;5u\x1b[1092;3u", "C-a M-ф"),
        (b"\x1b[97;5:1u\x1b[97;5:2u\x1b[97;5:3u", "C-a C-a"),
        (b"\x1b[57414u\x1b[57417;5u\x1b[57404u\x1b[57413;5u", "enter C-left 5 C-+"),
        (b"\x1b[57442;5ux", "x"),
        (b"\x1b[99;9ux", "x"),
        (b"\x1b[97;;97u\x1b[97:65;2;65u", "a A"),
        (b"\x1b[u\x1b[;u\x1b[1:2:3:4;5;6;7ux\x1b[4294967296ux", "x x"),
    ];
    for (bytes, expected) in cases {
        assert_eq!(understood(bytes), keys(expected), "{:?}", String::from_utf8_lossy(bytes));
    }
    assert_eq!(understood(b"\x1b[?0u\x1b[?5u"), [Input::HasKeyboardFlags, Input::HasKeyboardFlags]);
    assert_eq!(understood(b"\x1b[1;5:3A\x1b[3;1:3~\x1b[1;5:2A"), keys("C-up"), "what is let go is no press");
}

#[test]
fn mouse_reports_are_understood() {
    let mouse = |kind, button, x, y, modifiers| Input::Mouse(Mouse { kind, button, x, y, modifiers });
    let none = Modifiers::default();
    let ctrl = Modifiers { ctrl: true, ..none };
    let bytes = b"\x1b[<0;1;1M\x1b[<0;300;100m\x1b[<32;2;3M\x1b[<35;2;3M\x1b[<64;5;6M\x1b[<81;5;6M\x1b[<2;1;1M";
    let expected = [
        mouse(MouseKind::Press, MouseButton::Left, 0, 0, none),
        mouse(MouseKind::Release, MouseButton::Left, 299, 99, none),
        mouse(MouseKind::Move, MouseButton::Left, 1, 2, none),
        mouse(MouseKind::Move, MouseButton::None, 1, 2, none),
        mouse(MouseKind::Scroll, MouseButton::WheelUp, 4, 5, none),
        mouse(MouseKind::Scroll, MouseButton::WheelDown, 4, 5, ctrl),
        mouse(MouseKind::Press, MouseButton::Right, 0, 0, none),
    ];
    assert_eq!(understood(bytes), expected);
    assert_eq!(understood(b"\x1b[<0;1M\x1b[<0;0;0M").len(), 1, "a report without a place is none, place 0 is 1");
}

#[test]
fn a_paste_is_one_thing_whatever_it_holds() {
    let bytes = b"a\x1b[200~one\r\ntwo \x1b[A \x1b[20 \xc3\xa9\x1b[201~b";
    let mut expected = keys("a");
    expected.push(Input::Paste("one\r\ntwo \u{1b}[A \u{1b}[20 é".into()));
    expected.extend(keys("b"));
    assert_eq!(understood(bytes), expected);
}

#[test]
fn a_paste_that_never_ends_is_taken_as_it_is_after_a_while() {
    let (mut parser, mut out) = (Parser::default(), Vec::new());
    parser.feed(b"\x1b[200~text\x1b[20", &mut out);
    assert!(out.is_empty() && parser.begun() == Begun::Paste);
    parser.settle(&mut out);
    assert_eq!(out, [Input::Paste("text\u{1b}[20".into())]);
    assert!(parser.begun() == Begun::Nothing);
}

#[test]
fn a_huge_paste_goes_in_pieces_and_loses_nothing() {
    let text = "é".repeat(5 * 1024 * 1024);
    let (mut parser, mut out) = (Parser::default(), Vec::new());
    parser.feed(b"\x1b[200~", &mut out);
    for piece in text.as_bytes().chunks(65_521) {
        parser.feed(piece, &mut out);
    }
    parser.feed(b"\x1b[201~", &mut out);
    assert!(out.len() > 1);
    let pasted: String = out
        .iter()
        .map(|input| match input {
            Input::Paste(text) => text.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(pasted == text);
}

#[test]
fn focus_changes_are_understood() {
    assert_eq!(understood(b"\x1b[I\x1b[O"), [Input::Focus(true), Input::Focus(false)]);
}

#[test]
fn an_answer_about_the_background_is_no_key() {
    let (dark, light) = (Input::Ground(Ground::Dark), Input::Ground(Ground::Light));
    let answers = b"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\a\x1b]11;rgba:ffff/ffff/ffff/ffff\x07";
    assert_eq!(understood(answers), [dark, keys("a").remove(0), light]);
    let (to_dark, to_light) = (Input::GroundChanged(Ground::Dark), Input::GroundChanged(Ground::Light));
    assert_eq!(understood(b"\x1b[?997;1n\x1b[?997;2n"), [to_dark, to_light], "told by itself");
    assert_eq!(understood(b"\x1b[?997;3n\x1b[?997n\x1b[?996;1n\x1b[997;1n\x1b[0n"), []);
    // What it should not say, what is torn, and what has no end.
    let cases: [(&[u8], &str); 6] = [
        (b"\x1b]11;?\x1b\\x", "x"),
        (b"\x1b]11;rgb:ffff/ff\x1b[A", "up"),
        (b"\x1b]11;rgb:ffff/ff\rx", "enter x"),
        (b"\x1b]11;rgb:ffff/ffff/ffff\x1b", ""),
        (b"\x1b]11;rgb:ff", ""),
        // Alt and a bracket is a key as ever.
        (b"\x1b]", "M-]"),
    ];
    for (bytes, expected) in cases {
        let expected = if expected.is_empty() { Vec::new() } else { keys(expected) };
        assert_eq!(understood(bytes), expected, "{:?}", String::from_utf8_lossy(bytes));
    }
    assert_eq!(understood(b"\x1b]1x"), keys("M-] 1 x"));
    let mut parser = Parser::default();
    let mut out = Vec::new();
    for (byte, begun) in b"\x1b]11;rg".iter().zip([Begun::KeyOrAnswer; 4].into_iter().chain([Begun::Answer; 3])) {
        parser.feed(&[*byte], &mut out);
        assert_eq!(parser.begun(), begun);
    }
    parser.feed(&[b'f'; 100], &mut out);
    assert_eq!((parser.begun(), out.len()), (Begun::Nothing, 0), "it is not kept for ever");
}

proptest! {
    #[test]
    fn a_stream_may_be_cut_anywhere(
        parts in prop::collection::vec(prop::sample::select(vec![
            &b"a"[..], b"\xc3\xa9", b"\xe7\x95\x8c", b"\x1b[A", b"\x1b[1;5C", b"\x1bOP", b"\x1bx", b"\x1b[<35;10;20M", b"\x1b[I",
            b"\x1b[200~p\x1b[1\xc3\xa9\x1b[201~", b"\r", b"\x01", b"\x1b[24~", b"\x1b[[B", b"\x1b\x1b[B",
            b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\", b"\x1b]11;rgb:0/0/0\x07", b"\x1b]11;what\x07", b"\x1b[?997;1n",
        ]), 1..12),
        cuts in prop::collection::vec(0usize..64, 0..6),
    ) {
        let bytes: Vec<u8> = parts.concat();
        let whole = understood(&bytes);
        let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut < bytes.len()).collect();
        cuts.sort_unstable();
        let (mut parser, mut out, mut from) = (Parser::default(), Vec::new(), 0);
        for cut in cuts.into_iter().chain([bytes.len()]) {
            parser.feed(&bytes[from..cut], &mut out);
            from = cut;
        }
        parser.settle(&mut out);
        prop_assert_eq!(out, whole);
    }

    #[test]
    fn no_bytes_panic_and_nothing_is_kept_for_ever(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let (mut parser, mut out) = (Parser::default(), Vec::new());
        parser.feed(&bytes, &mut out);
        parser.settle(&mut out);
        prop_assert!(parser.begun() == Begun::Nothing);
    }
}
