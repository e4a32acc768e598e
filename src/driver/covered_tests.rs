//! Secrets planted in output: in no snapshot, wherever they stand, wrap, are cut or come in pieces.

use super::*;
use crate::driver::view::Collector;
use crate::model::{Mode, RecordOutput, Size};
use crate::tail::Pipe;

/// What is printed, and what must not be seen of it.
const PLANTED: [(&str, &str); 5] = [
    ("password=correct_horse", "correct_horse"),
    ("Authorization: Bearer 0a1b2c3d4e5f6071", "0a1b2c3d4e5f6071"),
    ("id ghp_0123456789abcdefghijABCDEFGHIJ012345", "0123456789abcdefghijABCDEFGHIJ012345"),
    ("postgres://bob:tr0ub4dor@db/x", "tr0ub4dor"),
    ("badge 12345678", "12345678"),
];

fn redactor() -> Redactor {
    Redactor::new(&["badge ([0-9]{8})".to_owned()]).expect("a pattern")
}

/// Returns whether a piece of the secret that helps a guesser is in the text, over the ends of rows, too.
fn leaks(text: &str, secret: &str) -> bool {
    const PIECE: usize = 5;
    let text = text.replace('\n', "");
    (0..=secret.len() - PIECE).any(|at| text.contains(&secret[at..at + PIECE]))
}

/// All of a snapshot, in the order in which it was printed.
fn all(output: &RecordOutput) -> String {
    match output {
        RecordOutput::Pipes(pipes) => format!("{}{}", pipes.stdout, pipes.stderr),
        RecordOutput::Pty(pty) => {
            let alternate = pty.last_alternate_screen.as_deref().unwrap_or_default();
            format!("{}\n{}\n{alternate}\n{}", pty.scrollback, pty.screen, pty.title)
        }
    }
}

fn is_marked(output: &RecordOutput) -> bool {
    match output {
        RecordOutput::Pipes(pipes) => pipes.redacted,
        RecordOutput::Pty(pty) => pty.redacted,
    }
}

fn terminal(cols: u16, rows: u16) -> Collector {
    Collector::new(Mode::Pty, Size::clamped(cols, rows), 1000)
}

#[test]
fn a_planted_secret_is_in_no_snapshot_at_any_soft_wrap_and_any_border_of_the_scrollback() {
    let redactor = redactor();
    for (text, secret) in PLANTED {
        for cols in [8, 11, 20] {
            for offset in 0..2 * usize::from(cols) {
                // A line that starts before it and ends behind it, with more and more behind, so that each of its rows scrolls off in turn.
                for behind in 0..9 {
                    let mut collector = terminal(cols, 4);
                    let lead = ".".repeat(offset) + " ";
                    let print = format!("first\r\n{lead}{text} end\r\n{}", "more\r\n".repeat(behind));
                    collector.admit(Pipe::Stdout, print.as_bytes());
                    for output in [collector.live_output(Some(&redactor)), collector.output(Some(&redactor))] {
                        let seen = all(&output);
                        assert!(!leaks(&seen, secret), "{text:?} at {offset} of {cols}, {behind} behind: {seen:?}");
                        assert!(is_marked(&output) && seen.contains("first"), "{seen:?}");
                    }
                    let parts = collector.read(Some(&redactor), 4096, true);
                    // As it was printed: the scrollback is the last part.
                    let seen: String = parts.iter().rev().map(|part| part.text.as_str()).collect();
                    assert!(!leaks(&seen, secret), "{text:?} at {offset} of {cols}, {behind} behind: {seen:?}");
                    let redraw = collector.redraw(Some(&redactor));
                    let mut anew = terminal(cols, 4);
                    anew.admit(Pipe::Stdout, &redraw);
                    let seen = all(&anew.output(None));
                    assert!(!leaks(&seen, secret), "{text:?} at {offset} of {cols}, {behind} behind: {seen:?}");
                }
            }
        }
    }
}

#[test]
fn a_planted_secret_is_in_no_live_snapshot_at_any_split() {
    let redactor = redactor();
    // What a pattern of the user matches is known once it is whole.
    for (text, secret) in PLANTED.into_iter().filter(|(text, _)| !text.starts_with("badge")) {
        for mode in [Mode::Pty, Mode::Pipes] {
            for pipe in [Pipe::Stdout, Pipe::Stderr] {
                let mut collector = Collector::new(mode, Size::clamped(30, 4), 1000);
                let print = format!("first\r\nsecond {text} end\r\n");
                for byte in print.as_bytes() {
                    collector.admit(pipe, std::slice::from_ref(byte));
                    let seen = all(&collector.live_output(Some(&redactor)));
                    assert!(!leaks(&seen, secret), "{seen:?}");
                    let parts = collector.read(Some(&redactor), 4096, true);
                    let seen: String = parts.iter().rev().map(|part| part.text.as_str()).collect();
                    assert!(!leaks(&seen, secret), "{seen:?}");
                }
                assert!(is_marked(&collector.output(Some(&redactor))));
            }
        }
    }
}

#[test]
fn a_planted_secret_is_in_no_tail_wherever_it_is_cut() {
    let redactor = redactor();
    for (text, secret) in PLANTED {
        for before in ["", "line\n", "x".repeat(40).as_str()] {
            let mut tail = Tail::new(1 << 20);
            let print = format!("{before} {text} {}", "y".repeat(30));
            tail.admit(print.as_bytes());
            for limit in 1..print.len() {
                let (shown, _) = tail_text(Some(&redactor), &tail, limit, false);
                assert!(!leaks(&shown.text, secret), "{print:?} cut at {limit}: {:?}", shown.text);
                assert!(shown.text.len() <= limit);
            }
        }
    }
}

#[test]
fn a_program_that_wraps_by_itself_on_the_alternate_screen_is_covered_too() {
    let redactor = redactor();
    let mut collector = terminal(10, 4);
    // Each row is put to its place, as editors do.
    let rows = "\x1b[?1049h\x1b[1;1Hpassword=c\x1b[2;1Horrect_hor\x1b[3;1Hse x\x1b[?1049l";
    collector.admit(Pipe::Stdout, rows.as_bytes());
    let output = collector.output(Some(&redactor));
    assert!(!leaks(&all(&output), "correct_horse") && is_marked(&output), "{output:?}");
}

#[test]
fn a_title_and_the_addresses_of_links_are_covered() {
    let redactor = redactor();
    let mut collector = terminal(40, 4);
    let print = "\x1b]0;password=correct_horse\x07\x1b]8;;https://x/?token=correct_horse\x1b\\here\x1b]8;;\x1b\\";
    collector.admit(Pipe::Stdout, print.as_bytes());
    assert!(!leaks(&all(&collector.output(Some(&redactor))), "correct_horse"));
    let redraw = String::from_utf8(collector.redraw(Some(&redactor))).expect("text");
    assert!(!redraw.contains("horse") && redraw.contains("here"), "{redraw:?}");
}

#[test]
fn a_key_whose_lines_lie_on_both_sides_of_the_border_is_covered_on_both() {
    let redactor = redactor();
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
    let mut collector = terminal(80, 4);
    let key = format!("-----BEGIN PRIVATE KEY-----\r\n{}", format!("{body}\r\n").repeat(8));
    collector.admit(Pipe::Stdout, key.as_bytes());
    for output in [collector.live_output(Some(&redactor)), collector.output(Some(&redactor))] {
        assert!(!all(&output).contains(&body[4..12]), "{output:?}");
    }
}

#[test]
fn what_has_no_secret_is_shown_as_it_was() {
    let redactor = redactor();
    let mut collector = terminal(10, 3);
    collector.admit(Pipe::Stdout, "one\r\ntwo 世界世界 wraps\r\n\r\nfour  \r\nfive".as_bytes());
    let plain = collector.output(None);
    assert_eq!(collector.output(Some(&redactor)), plain);
    assert!(!is_marked(&plain));
}

#[test]
fn a_read_gives_the_screen_before_the_scrollback_and_cuts_at_lines() {
    for redactor in [None, Some(&redactor())] {
        let mut collector = terminal(10, 2);
        collector.admit(Pipe::Stdout, b"1\r\n2\r\n3\r\n4\x1b[?1049h\x1b[HALT\x1b[?1049l");
        let mut read = |limit| {
            let parts = collector.read(redactor, limit, true).into_iter();
            parts.map(|part| (part.name, part.text, part.cut)).collect::<Vec<_>>()
        };
        use crate::api::PartName::{Alternate, Screen, Scrollback};
        let text = String::from;
        assert_eq!(
            read(1000),
            [(Screen, text("3\n4"), false), (Alternate, text("ALT"), false), (Scrollback, text("1\n2"), false)]
        );
        assert_eq!(
            read(8),
            [(Screen, text("3\n4"), false), (Alternate, text("ALT"), false), (Scrollback, text("2"), true)]
        );
        assert_eq!(read(1), [(Screen, text("4"), true), (Alternate, text(""), true), (Scrollback, text(""), true)]);
    }
}
