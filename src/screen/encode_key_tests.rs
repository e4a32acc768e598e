use super::*;
use crate::model::KeyChord;

fn typed(modes: &TerminalModes, chord: &str) -> String {
    let chord: KeyChord = chord.parse().expect(chord);
    let mut out = Vec::new();
    encode_key(modes, chord.key, chord.modifiers, &mut out);
    String::from_utf8(out).expect("keys are ASCII or text")
}

fn check(modes: TerminalModes, cases: &[(&str, &str)]) {
    for (chord, expected) in cases {
        assert_eq!(typed(&modes, chord), *expected, "{chord}");
    }
}

#[test]
fn keys_are_what_an_xterm_sends() {
    check(
        TerminalModes::default(),
        &[
            ("a", "a"),
            ("S-a", "A"),
            ("é", "é"),
            ("C-c", "\x03"),
            ("C-space", "\0"),
            ("C-_", "\x1f"),
            ("M-x", "\x1bx"),
            ("C-M-a", "\x1b\x01"),
            ("enter", "\r"),
            ("M-enter", "\x1b\r"),
            ("escape", "\x1b"),
            ("tab", "\t"),
            ("S-tab", "\x1b[Z"),
            ("backspace", "\x7f"),
            ("C-backspace", "\x08"),
            ("M-backspace", "\x1b\x7f"),
            ("delete", "\x1b[3~"),
            ("C-delete", "\x1b[3;5~"),
            ("insert", "\x1b[2~"),
            ("up", "\x1b[A"),
            ("C-left", "\x1b[1;5D"),
            ("M-S-right", "\x1b[1;4C"),
            ("home", "\x1b[H"),
            ("end", "\x1b[F"),
            ("page_up", "\x1b[5~"),
            ("page_down", "\x1b[6~"),
            ("f1", "\x1bOP"),
            ("S-f4", "\x1b[1;2S"),
            ("f5", "\x1b[15~"),
            ("f6", "\x1b[17~"),
            ("f10", "\x1b[21~"),
            ("f11", "\x1b[23~"),
            ("f12", "\x1b[24~"),
            ("C-f12", "\x1b[24;5~"),
        ],
    );
}

#[test]
fn application_cursor_mode_changes_only_bare_cursor_keys() {
    let modes = TerminalModes { application_cursor: true, ..TerminalModes::default() };
    check(modes, &[("up", "\x1bOA"), ("home", "\x1bOH"), ("C-up", "\x1b[1;5A"), ("delete", "\x1b[3~")]);
}

#[test]
fn enter_sends_a_line_feed_too_in_newline_mode() {
    check(TerminalModes { newline: true, ..TerminalModes::default() }, &[("enter", "\r\n"), ("a", "a")]);
}

#[test]
fn modify_other_keys_tells_what_control_characters_cannot() {
    let level = |modify_other_keys| TerminalModes { modify_other_keys, ..TerminalModes::default() };
    check(level(1), &[("C-a", "\x01"), ("C-.", "\x1b[27;5;46~"), ("C-enter", "\x1b[27;5;13~"), ("M-x", "\x1bx")]);
    check(
        level(2),
        &[("C-a", "\x1b[27;5;97~"), ("M-x", "\x1b[27;3;120~"), ("S-a", "A"), ("S-tab", "\x1b[Z"), ("a", "a")],
    );
}

#[test]
fn the_kitty_protocol_disambiguates() {
    let flags = |kitty_keyboard| TerminalModes { kitty_keyboard, application_cursor: true, ..TerminalModes::default() };
    check(
        flags(1),
        &[
            ("escape", "\x1b[27u"),
            ("enter", "\r"),
            ("S-enter", "\x1b[13;2u"),
            ("C-i", "\x1b[105;5u"),
            ("M-x", "\x1b[120;3u"),
            ("a", "a"),
            ("S-a", "A"),
            ("up", "\x1b[A"),
            ("f1", "\x1b[P"),
            ("f3", "\x1b[13~"),
            ("C-S-up", "\x1b[1;6A"),
        ],
    );
    check(flags(8), &[("a", "\x1b[97u"), ("S-a", "\x1b[97;2u"), ("enter", "\x1b[13u"), ("C-c", "\x1b[99;5u")]);
    check(flags(8 | 4 | 16), &[("S-a", "\x1b[97:65;2;65u"), ("a", "\x1b[97;;97u")]);
}
