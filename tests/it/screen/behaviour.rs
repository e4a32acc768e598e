//! Behaviour that the specification and the list of faults name.

use std::sync::Arc;

use shtask::model::{Action, Key, Modifiers, Mouse, MouseButton, MouseKind, NamedKey, Size};
use shtask::screen::{EncodeError, Screen, Signal};

use super::{cursor, fed, history, rows};

fn replies(screen: &mut Screen) -> String {
    String::from_utf8(screen.take_replies().expect("few replies")).expect("text")
}

#[test]
fn a_character_split_over_two_reads_is_drawn_whole() {
    let mut screen = fed(10, 2, "");
    for byte in "–é".as_bytes() {
        screen.admit(&[*byte]);
    }
    assert_eq!(rows(&mut screen)[0], "–é");
}

#[test]
fn hundred_thousand_box_characters_in_odd_sized_writes_show_no_mark() {
    let bytes = "─".repeat(100_000).into_bytes();
    let mut screen = fed(80, 24, "");
    for (at, chunk) in bytes.chunks(7).enumerate() {
        screen.admit(&chunk[..at % chunk.len()]);
        screen.admit(&chunk[at % chunk.len()..]);
    }
    assert!(rows(&mut screen).iter().all(|row| !row.contains('\u{fffd}') && row.chars().count() == 80));
    assert!(!screen.output().scrollback.contains('\u{fffd}'));
}

#[test]
fn bytes_that_are_broken_give_one_mark_each() {
    let mut screen = fed(20, 2, b"a\xff\xfeb\xe2\x94c\xc3");
    assert_eq!(rows(&mut screen)[0], "a\u{fffd}\u{fffd}b\u{fffd}c");
    screen.admit(b"\xa9");
    assert_eq!(
        rows(&mut screen)[0],
        "a\u{fffd}\u{fffd}b\u{fffd}cé",
        "a character that was not whole yet is not broken"
    );
}

#[test]
fn a_line_over_64_kib_does_not_stop_the_screen() {
    let mut screen = fed(80, 24, "x".repeat(70_000) + "\r\nafter");
    assert_eq!(rows(&mut screen)[23], "after");
    assert!(!screen.output().truncated, "all of it fits the history");
}

#[test]
fn small_and_shrunken_screens_do_not_panic() {
    let mut screen = fed(2, 1, "漢字漢\r\n漢a漢\x1b[5;9r\x1bM\x1b[99T\x1b[99S");
    assert_eq!(screen.frame().rows.len(), 1);
    let mut screen = fed(80, 24, "\x1b[5;20r\x1b[20;1H");
    screen.resize(Size::clamped(10, 4));
    screen.admit(b"\x1bM\x1bM\x1bM\x1bM\x1bM\x1bMx");
    assert_eq!(rows(&mut screen).len(), 4);
    assert_eq!(screen.history_rows(0, 1000).len() as u64, screen.history().rows());
    assert_eq!(screen.history_rows(u64::MAX, usize::MAX), []);
    assert_eq!(screen.faults(), 0);
}

#[test]
fn a_warning_sign_in_the_last_column_of_the_last_row_does_no_harm() {
    let mut screen = fed(80, 24, format!("\x1b[24;1H{}\u{26a0}\u{fe0f}\x1b[24;79Hab", "x".repeat(79)));
    assert_eq!(screen.faults(), 0);
    assert!(rows(&mut screen)[23].ends_with("ab"));
}

#[test]
fn huge_numbers_in_sequences_cost_at_most_a_screen() {
    // Anything that counted up to such a number would not end within a test.
    let mut screen = fed(80, 24, "x");
    for last in "bSTˆ@LPXIZABCDMdGe".chars() {
        screen.admit(format!("\x1b[999999999{last}").as_bytes());
    }
    screen.admit(format!("\x1b[{}m", "1;".repeat(10_000)).as_bytes());
    assert_eq!(screen.faults(), 0);
}

#[test]
fn strings_without_an_end_take_no_memory_and_can_be_left() {
    for start in ["\x1b]0;", "\x1bP", "\x1b_", "\x1b^", "\x1bX", "\x1b["] {
        let mut screen = fed(20, 3, "before");
        screen.admit(start.as_bytes());
        for _ in 0..100 {
            screen.admit(&[b'7'; 100_000]);
        }
        screen.admit(b"\x1b\\\r\nafter");
        assert_eq!(rows(&mut screen)[1], "after", "{start:?}");
        assert_eq!(&*screen.frame().title, "");

        screen.admit(start.as_bytes());
        screen.admit(b"123");
        screen.unstick();
        screen.admit(b"\r\nagain");
        assert_eq!(rows(&mut screen)[2], "again", "{start:?}");
    }
}

#[test]
fn queries_are_answered_in_order_with_output() {
    let mut screen = fed(80, 24, "ab\x1b[6n\r\n\x1b[6n\x1b[5n\x1b[c\x1b[>c\x1b[=c");
    assert_eq!(replies(&mut screen), "\x1b[1;3R\x1b[2;1R\x1b[0n\x1b[?62;22c\x1b[>41;354;0c\x1bP!|00000000\x1b\\");
    assert_eq!(replies(&mut screen), "");
}

#[test]
fn no_reply_holds_text_that_the_program_chose() {
    let mut screen = fed(
        80,
        24,
        "\x1b]0;evil\x07\x1b[21t\x1b[20t\x1bP$qevil\x1b\\\x1bP+q6576696c\x1b\\\x1b]52;c;?\x07\x1b]4;evil;?\x07\x05",
    );
    assert!(!replies(&mut screen).contains("evil"));
}

#[test]
fn a_program_that_asks_and_does_not_read_fails_closed_at_1_mib() {
    let mut screen = fed(80, 24, "");
    screen.admit("\x1b[6n".repeat(300_000).as_bytes());
    assert!(screen.take_replies().is_err());
    screen.admit(b"\x1b[5n");
    assert_eq!(replies(&mut screen), "\x1b[0n");
}

#[test]
fn the_clipboard_and_other_signals_become_data() {
    let mut screen = fed(
        40,
        4,
        "\x1b]52;c;aGk=\x07\x1b]9;done\x07\x1b]777;notify;T;B\x1b\\\x1b]99;e=1;aGk=\x07\x1b]7;file://h/tmp\x07\x1b]133;D;3\x07x",
    );
    assert_eq!(rows(&mut screen)[0], "x");
    assert_eq!(
        screen.take_signals(),
        [
            Signal::Clipboard { selection: "c".into(), base64: "aGk=".into() },
            Signal::Notification { title: String::new(), body: "done".into() },
            Signal::Notification { title: "T".into(), body: "B".into() },
            Signal::Notification { title: String::new(), body: "hi".into() },
            Signal::Directory("file://h/tmp".into()),
            Signal::Mark { kind: 'D', exit_code: Some(3) },
        ]
    );
}

#[test]
fn rows_that_did_not_change_are_shared_between_frames() {
    let mut screen = fed(20, 5, "one\r\ntwo\r\n");
    let first = screen.frame();
    assert!(Arc::ptr_eq(&first, &screen.frame()), "nothing changed");
    screen.admit(b"three");
    let second = screen.frame();
    assert!(Arc::ptr_eq(&first.rows[0], &second.rows[0]));
    assert!(!Arc::ptr_eq(&first.rows[2], &second.rows[2]));
    assert!(Arc::ptr_eq(&second.rows[3], &second.rows[4]), "blank rows are one");
    assert!(second.generation > first.generation);
}

#[test]
fn soft_wrapped_rows_become_one_line_of_the_scrollback() {
    let mut screen = fed(10, 2, "0123456789abcdef\r\nnext\r\n\r\nlast\r\n");
    assert_eq!(history(&mut screen), ["0123456789", "abcdef", "next", ""]);
    let output = screen.output();
    assert_eq!(output.scrollback, "0123456789abcdef\nnext\n");
    assert_eq!(output.screen, "last");
    assert!(!output.truncated);
}

#[test]
fn scrollback_is_bounded_and_says_so_only_when_something_was_lost() {
    let mut screen = Screen::new(Size::clamped(10, 2), 5);
    for n in 0..10 {
        screen.admit(format!("{n}\r\n").as_bytes());
    }
    assert!(screen.output().truncated);
    assert_eq!(screen.output().scrollback, "4\n5\n6\n7\n8");
    assert_eq!((screen.history().first, screen.history().end), (4, 9), "a row keeps its number");
    screen.admit(b"\x1b[3J");
    assert_eq!(screen.output().scrollback, "");
    assert!(!screen.output().truncated, "a clear loses nothing");
}

#[test]
fn a_narrower_screen_wraps_anew_and_a_wider_one_joins_again() {
    let mut screen = fed(10, 3, "0123456789abcdef\r\n$ ");
    screen.resize(Size::clamped(6, 3));
    assert_eq!(history(&mut screen), ["012345"]);
    assert_eq!(rows(&mut screen), ["6789ab", "cdef", "$"]);
    assert_eq!(cursor(&mut screen), (2, 2));
    screen.resize(Size::clamped(20, 3));
    assert_eq!(rows(&mut screen), ["0123456789abcdef", "$", ""]);
    assert_eq!(cursor(&mut screen), (1, 2));
    assert_eq!(history(&mut screen), Vec::<String>::new());
}

#[test]
fn rows_go_to_the_history_when_the_screen_shrinks_and_come_back() {
    let mut screen = fed(10, 4, "1\r\n2\r\n3\r\n4");
    screen.resize(Size::clamped(10, 2));
    assert_eq!((rows(&mut screen), history(&mut screen)), (vec!["3".into(), "4".into()], vec!["1".into(), "2".into()]));
    screen.resize(Size::clamped(10, 4));
    assert_eq!(rows(&mut screen), ["1", "2", "3", "4"]);
    assert_eq!(cursor(&mut screen), (3, 1));
    screen.admit(b"\r\n5");
    assert_eq!((history(&mut screen), rows(&mut screen)[3].as_str()), (vec!["1".into()], "5"));
}

#[test]
fn the_main_screen_survives_a_resize_behind_the_alternate_one() {
    let mut screen = fed(10, 3, "one\r\ntwo\r\n$ \x1b[?1049h\x1b[Hfull page");
    screen.resize(Size::clamped(8, 2));
    assert_eq!(rows(&mut screen)[0], "full pag");
    screen.admit(b"\x1b[?1049l");
    assert_eq!(rows(&mut screen), ["two", "$"]);
    assert_eq!(cursor(&mut screen), (1, 2));
    assert_eq!(screen.output().last_alternate_screen.as_deref(), Some("full pag"));
}

#[test]
fn input_is_encoded_from_the_modes_parsed_so_far() {
    let up = Action::Key(Key::Named(NamedKey::Up), Modifiers::default());
    let click =
        Mouse { kind: MouseKind::Press, button: MouseButton::Left, x: 0, y: 0, modifiers: Modifiers::default() };
    let mut screen = fed(10, 2, "");
    assert_eq!(screen.encode(&[up.clone(), Action::Mouse(click)]), Err(EncodeError::MouseNotWanted));
    screen.admit(b"\x1b[?1;1000;1006;2004h");
    let all = [up, Action::Mouse(click), Action::Paste("a\nb".into()), Action::Text("c".into())];
    assert_eq!(screen.encode(&all).expect("wanted"), b"\x1bOA\x1b[<0;1;1M\x1b[200~a\rb\x1b[201~c");
}

#[test]
fn a_synchronised_update_can_be_seen_from_outside() {
    let mut screen = fed(10, 2, "\x1b[?2026ha");
    assert!(screen.is_synchronised());
    screen.admit(b"\x1b[?2026l");
    assert!(!screen.is_synchronised());
}
