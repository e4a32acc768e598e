//! Output that froze, broke or used other programs (BUGS B30, B48, B49).

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use shtask::model::{Action, Key, Modifiers, NamedKey, Size};
use shtask::screen::Screen;

use super::{cursor, fed, rows};

/// Returns the processor time that this thread took so far: other work of the machine does not count.
fn worked() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().expect("a time since the start")
}

/// BUGS B30.
#[test]
fn a_giant_line_neither_freezes_the_view_nor_fills_the_memory() {
    const CHUNK: usize = 64 * 1024;
    let mut screen = Screen::new(Size::clamped(30, 10), 10_000);
    let up = [Action::Key(Key::Named(NamedKey::Up), Modifiers::default())];
    let line: Vec<u8> = b"all of this is one line; ".iter().copied().cycle().take(CHUNK).collect();
    let mut slowest = Duration::ZERO;
    for number in 0..320 {
        let started = worked();
        screen.admit(&line);
        if number % 100 == 99 {
            screen.admit(b"\r\n");
        }
        assert_eq!(screen.frame().rows[9].cells.len(), 30);
        assert!(!screen.encode(&up).expect("a key").is_empty());
        slowest = slowest.max(worked() - started);
    }
    assert!(slowest < Duration::from_secs(2), "a chunk with its frame and a key took {slowest:?}");
    let kept = screen.output_within(usize::MAX).scrollback.len();
    assert!(kept < 9 * 1024 * 1024, "the history has its bound: {kept} bytes of text are kept");
    assert!(screen.output().truncated, "what was dropped is told");
}

/// BUGS B48: the program, by the cursor report, and the view, by its cells, agree where a border stands.
#[test]
fn signs_of_unclear_width_keep_the_border_where_the_program_is_told_it_is() {
    let marks = format!("a{}", "\u{301}".repeat(100));
    let signs = [
        "\u{26a0}\u{fe0f}",
        "1\u{fe0f}\u{20e3}",
        "\u{1f1e9}\u{1f1ea}",
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
        "\u{1112}\u{1161}\u{11ab}",
        "\u{1f44b}\u{1f3fd}",
        marks.as_str(),
    ];
    for sign in signs {
        let mut screen = fed(20, 2, format!("{sign}\x1b[6n|"));
        let reply = String::from_utf8(screen.take_replies().expect("an answer")).expect("text");
        let col: usize = reply.trim_start_matches("\x1b[1;").trim_end_matches('R').parse().expect("a column");
        let frame = screen.frame();
        assert_eq!(frame.rows[0].cells[col - 1].text, "|", "{sign:?}: {:?}", frame.rows[0]);
        assert_eq!(cursor(&mut screen), (0, col as u16), "{sign:?}");
        let longest = frame.rows[0].cells.iter().map(|cell| cell.text.len()).max();
        assert!(longest <= Some(32), "{sign:?}: a run of marks is cut");
        assert!(
            frame.rows[0].cells.iter().all(|cell| !cell.text.ends_with('\u{200d}')),
            "no joiner reaches a terminal"
        );
    }
}

/// BUGS B49: the screen is all that comes between a run and the user's terminal.
#[test]
fn what_a_run_asks_of_the_outer_terminal_does_not_become_text_or_size() {
    let asked = [
        "\x1b]52;c;?\x07",
        "\x1b]52;c;aGk=\x07",
        "\x1b]9;note\x07",
        "\x1b]777;notify;a;b\x07",
        "\x1b]99;i=1:d=0;note\x1b\\",
        "\x1b]99;i=1:p=?;\x1b\\",
        "\x1b]0;title\x07",
        "\x1b]2;title\x1b\\",
        "\x1b]7;file://host/x\x07",
        "\x1b]1337;File=name=eA==;size=3:AAAA\x07",
        "\x1b_Ga=T,f=24;AAAA\x1b\\",
        "\x1b[5i",
        "\x1b[4i",
        "\x1b[8;50;200t",
        "\x1bPtmux;\x1b\x1b]0;x\x07\x1b\\",
        "\x1bP+q544e\x1b\\",
        "\x1bP1$tx\x1b\\",
    ];
    for bytes in asked {
        let mut screen = fed(20, 3, format!("a{bytes}b"));
        assert_eq!(screen.size(), Size::clamped(20, 3), "{bytes:?}");
        // tmux's passthrough ends at its first ESC, as any DCS: what follows is a sequence of its own.
        assert_eq!(rows(&mut screen)[0].replace('\\', ""), "ab", "{bytes:?}");
        let replies = String::from_utf8(screen.take_replies().expect("few")).expect("text");
        assert!(!replies.contains("aGk=") && !replies.contains("52;"), "{bytes:?} was answered with {replies:?}");
    }
}
