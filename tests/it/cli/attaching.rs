//! `attach` in a real terminal (S4.4, S10.2; BUGS B17, B41, B53, B54).

use rustix::process::Signal;

use super::lost::server_pid;
use super::real::{Served, text};
use crate::harness::{Exit, Terminal, modes_left_on};

/// Checks that the terminal is as it was before the program.
#[track_caller]
fn assert_given_back(terminal: &Terminal) {
    assert_eq!(modes_left_on(terminal.raw()), [].into(), "{}", terminal.picture());
    assert_eq!(terminal.line_settings(), terminal.line_settings_at_start());
    assert!(!terminal.screen().vt().alternate_screen() && terminal.screen().cursor_visible());
}

fn attach(served: &Served, run: &str) -> Terminal {
    served.launch(&["attach", run]).size(90, 20).start()
}

#[test]
fn what_is_typed_reaches_the_run_and_what_it_shows_is_drawn() {
    let served = Served::new();
    let run = served.start(&[
        "--pty",
        "--name",
        "shell",
        r#"stty size; read -r line; echo "got <$line>"; read -r line; exit 7"#,
    ]);
    let mut terminal = attach(&served, &run);
    terminal.wait_for_text("shell:1: C-a leaves");
    terminal.send(b"hello\r");
    terminal.wait_for_text("got <hello>");
    terminal.send(b"\r");
    assert_eq!(terminal.wait_exit(), Exit::Code(7));
    assert!(terminal.screen().has("shell:1 failed with exit code 7"), "{}", terminal.picture());
    assert_given_back(&terminal);
}

/// S4.4: the size of a run follows who is attached to it.
#[test]
fn the_run_takes_the_size_of_the_terminal() {
    let served = Served::new();
    let run = served.start(&["--pty", "trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done"]);
    let mut terminal = attach(&served, &run);
    terminal.wait_for_text("20 90");
    terminal.resize(70, 15);
    terminal.wait_for_text("15 70");
    terminal.keys("<C-a>");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert_given_back(&terminal);
}

/// B17, S10.2: one key is stolen; every other, ^C too, is the run's.
#[test]
fn one_key_leaves_and_pressed_twice_reaches_the_run() {
    let served = Served::new();
    let run = served.start(&[
        "--pty",
        "--name",
        "cat",
        "trap 'echo interrupted' INT; stty -echo; echo ready; while :; do cat -v; done",
    ]);
    let mut terminal = attach(&served, &run);
    terminal.wait_for_text("ready");
    terminal.send(b"\x01\x01x\r");
    terminal.wait_for_text("^Ax");
    terminal.send(b"\x03");
    terminal.wait_for_text("interrupted");
    terminal.send(b"\x01");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert!(terminal.screen().has("detached from cat:1, which goes on"), "{}", terminal.picture());
    assert_given_back(&terminal);
    assert!(served.done(&["show", &run]).contains("running"));
}

/// More than a run holds for a program that does not read yet.
#[test]
fn a_large_paste_into_a_program_that_reads_late_and_prints_it_arrives_whole() {
    let served = Served::new();
    let run = served
        .start(&["--pty", r#"stty raw -echo; mkfifo go; echo rea"dy"; read -r word < go; head -c 3145728 | tee typed; echo al"l"; exec sleep 1000"#]);
    let mut terminal = attach(&served, &run);
    terminal.wait_for_text("ready");
    let text: String = (0..393_216).map(|number| format!("{number:07};")).collect();
    terminal.send(text.as_bytes());
    served.0.write("go", "now\n");
    terminal.wait_for_text("all");
    assert!(served.0.read("typed") == Some(text));
    terminal.keys("<C-a>");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
}

/// The server dies in the middle of a paste: what is lost is no line, and the program is not left in the paste.
#[test]
fn a_paste_that_is_lost_in_the_middle_is_ended_for_the_program() {
    let served = Served::new();
    let run = served.start(&["--pty", r#"stty raw -echo; printf '\033[?2004h'; echo rea"dy"; exec cat -vt"#]);
    let mut terminal = attach(&served, &run);
    terminal.wait_for_text("ready");
    terminal.wait_until("frames of pastes", |terminal| modes_left_on(terminal.raw()).contains(&2004));
    terminal.send(b"\x1b[200~begin");
    terminal.wait_for_text("^[[200~begin");
    let server = rustix::process::Pid::from_raw(server_pid(&served)).expect("a pid");
    rustix::process::kill_process(server, Signal::STOP).expect("it is ours");
    // So much that its first bytes are under way, not in the terminal, when this is sent.
    terminal.send(&vec![b'm'; 1024 * 1024]);
    rustix::process::kill_process(server, Signal::KILL).expect("it is ours");
    terminal.wait_for_text("^[[201~");
    terminal.send(b"rest\x1b[201~");
    // What is typed within 0.3 s of the rest is dropped with it; when the rest is read nobody can tell.
    terminal.wait_until("what is typed after a pause", |terminal| {
        terminal.wait_quiet(std::time::Duration::from_millis(500));
        terminal.send(b"after");
        terminal.wait_quiet(std::time::Duration::from_millis(500));
        terminal.screen().has("after")
    });
    assert!(!terminal.screen().has("rest") && !terminal.screen().has("mm"), "{}", terminal.picture());
    terminal.keys("<C-a>");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
}

/// B53, B54.
#[test]
fn modes_hold_while_attached_and_for_the_next_who_attaches_and_are_off_afterwards() {
    let served = Served::new();
    let run = served.start(&[
        "--pty",
        r"printf '\033[?1h\033=\033[?1002h\033[?1006h\033[?1004h\033[?2004h\033[?25l\033[4 qready'; sleep 60",
    ]);
    for _ in 0..2 {
        let mut terminal = attach(&served, &run);
        terminal.wait_for_text("ready");
        terminal.wait_until("all modes", |terminal| {
            let on = modes_left_on(terminal.raw());
            [1, 25, 1002, 1004, 1006, 2004, 10_000].iter().all(|mode| on.contains(mode))
        });
        terminal.send(b"\x01");
        assert_eq!(terminal.wait_exit(), Exit::Code(0));
        assert_given_back(&terminal);
    }
}

/// S10.7 for this terminal: however it ends.
#[test]
fn a_signal_ends_the_attachment_and_the_terminal_is_given_back() {
    let served = Served::new();
    let run = served.start(&["--pty", "echo ready; sleep 60"]);
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let mut terminal = attach(&served, &run);
        terminal.wait_for_text("ready");
        terminal.signal(signal);
        assert_eq!(terminal.wait_exit(), Exit::Code(code));
        assert_given_back(&terminal);
    }
    assert!(served.done(&["show", &run]).contains("running"), "the run goes on");
}

/// S9.2.
#[test]
fn nothing_that_the_run_prints_reaches_the_terminal_as_a_command() {
    let served = Served::new();
    let run =
        served.start(&["--pty", r"printf '\033]52;c;aGFjaw==\007\033]0;title\007\007\033[8;5;5tshown\n'; sleep 60"]);
    let mut terminal = attach(&served, &run);
    terminal.wait_for_text("shown");
    terminal.send(b"\x01");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert_eq!((terminal.screen().clipboard().len(), terminal.screen().bells()), (0, 0));
    assert_ne!(terminal.screen().title(), "title");
}

#[test]
fn what_cannot_be_attached_is_refused_before_the_terminal_is_touched() {
    let served = Served::new();
    let pipes = served.start(&["--", "sleep", "60"]);
    let ended_pipes = served.start(&["--wait", "--", "true"]);
    let ended = served.start(&["--pty", "--wait", "--", "true"]);
    let nobody = "nobody".to_owned();
    for (run, code, part) in
        [(pipes, 1, "no terminal"), (ended_pipes, 1, "no terminal"), (ended, 5, "has ended"), (nobody, 3, "error:")]
    {
        let mut terminal = attach(&served, &run);
        assert_eq!(terminal.wait_exit(), Exit::Code(code));
        assert!(terminal.screen().has(part), "{}", terminal.picture());
        assert!(!terminal.raw().windows(8).any(|part| part == b"\x1b[?1049h"));
    }
    let output = served.verb(&["attach", "nobody"]);
    assert_eq!(output.status.code(), Some(1), "no terminal: {output:?}");
}

#[test]
fn a_detach_key_that_a_terminal_cannot_send_is_refused_with_a_hint() {
    let served = Served::new();
    for (key, message, hint) in [
        ("C-!", "\"C-!\" is no key that every terminal can send", "hint: Ctrl goes with letters"),
        ("C-i", "\"C-i\" cannot be told from \"tab\" in a terminal, which every run needs", "such as C-a or C-]"),
        ("C-A", "\"C-A\" cannot be told from \"C-a\" in a terminal", "hint: write \"C-a\""),
        ("q", "\"q\" cannot be the key that leaves: every run needs it", "such as C-a or C-]"),
    ] {
        let output = served.verb(&["attach", "web", "--detach-key", key]);
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.contains(message) && err.contains(hint), "{err}");
    }
}

#[test]
fn a_named_key_with_ctrl_or_alt_leaves_too() {
    let served = Served::new();
    let run = served.start(&["--pty", "--name", "cat", "stty raw -echo; echo ready; exec cat -v"]);
    for (key, bytes) in [("C-up", &b"\x1b[1;5A"[..]), ("M-enter", b"\x1b\r")] {
        let mut terminal = served.launch(&["attach", &run, "--detach-key", key]).size(90, 20).start();
        terminal.wait_for_text(&format!("{key} leaves"));
        terminal.send(bytes);
        assert_eq!(terminal.wait_exit(), Exit::Code(0));
        assert_given_back(&terminal);
    }
}

#[test]
fn a_recording_is_played_and_any_key_leaves() {
    let served = Served::new();
    let run = served.start(&["--pty", "--wait", "echo played; exit 0"]);
    let mut terminal = served.launch(&["replay", &run, "--max-pause", "100ms"]).size(90, 26).start();
    terminal.wait_for_text("the end: any key leaves");
    assert!(terminal.screen().has("played"), "{}", terminal.picture());
    terminal.send(b"x");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert_given_back(&terminal);
}

/// S4.4.
#[test]
fn who_attaches_last_has_the_keyboard_and_the_other_one_takes_it_back() {
    let served = Served::new();
    let run = served.start(&["--pty", "--name", "cat", "stty -echo; echo ready; exec cat"]);
    let mut first = attach(&served, &run);
    first.wait_for_text("ready");
    let mut second = served.launch(&["attach", &run]).size(60, 12).start();
    second.wait_for_text("ready");
    first.wait_for_text("types since");
    first.send(b"x");
    first.wait_for_text("C-a t takes the keyboard");
    second.send(b"second\r");
    first.wait_for_text("second");
    assert!(served.done(&["show", &run]).contains("pty, 60x12"), "the size follows who has it");
    let refused = served.verb(&["write", &run, "--text", "third"]);
    assert_eq!(refused.status.code(), Some(5), "{refused:?}");
    assert!(text(&refused.stderr).contains("has the keyboard of this run since"), "{refused:?}");
    first.send(b"\x01t");
    second.wait_for_text("types since");
    first.send(b"first\r");
    second.wait_for_text("first");
    first.keys("<C-a>");
    assert_eq!(first.wait_exit(), Exit::Code(0));
    second.wait_for_text("nobody types any more");
    second.send(b"again\r");
    second.wait_for_text("again");
    second.keys("<C-a>");
    assert_eq!(second.wait_exit(), Exit::Code(0));
    served.done(&["write", &run, "--text", "third\n"]);
}

/// S4.4.
#[test]
fn an_agent_is_told_what_was_done_while_a_person_had_the_keyboard() {
    let served = Served::new();
    let run = served.start(&["--pty", "--name", "cat", "echo ready; exec cat >/dev/null"]);
    let mut terminal = attach(&served, &run);
    terminal.wait_for_text("ready");
    terminal.send(b"make deploy");
    terminal.wait_for_text("make deploy");
    let refused = served.verb(&["--as", "agent", "write", &run, "--text", "x", "--json"]);
    assert_eq!(refused.status.code(), Some(5), "{refused:?}");
    assert!(text(&refused.stderr).contains(r#""code":"held""#), "{refused:?}");
    terminal.keys("<C-a>");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    served.done(&["--as", "agent", "write", &run, "--text", "x"]);
    let read = served.command(&["read", &run]).env("SHTASK_AS", "agent").output().expect("the program starts");
    let told = text(&read.stderr);
    assert!(told.contains("attach on pts/") && told.contains(r#"and typed "make deploy""#), "{told}");
    let again: serde_json::Value =
        serde_json::from_str(&served.done(&["--as", "agent", "read", &run, "--json"])).expect("json");
    assert!(again.get("note").is_none(), "{again}");
}

/// S4.3, B17: with the kitty keyboard protocol, Num Lock and the releases of keys do not hide the stolen key, nor end what it began.
#[test]
fn the_stolen_key_is_known_in_the_kitty_keyboard_protocol_whatever_is_locked() {
    let served = Served::new();
    let run = served.start(&["--pty", "--name", "cat", r"stty raw -echo; printf '\033[>11uready'; exec cat -v"]);
    let mut terminal = attach(&served, &run);
    terminal.wait_for_text("ready");
    terminal.wait_until("the flags", |terminal| terminal.raw().windows(6).any(|part| part == b"\x1b[=11;"));
    terminal.send(b"\x1b[13;130u");
    terminal.wait_for_text("^[[13;130u");
    // Pressed and let go twice: it reaches the run.
    let press = b"\x1b[57442;133u\x1b[97;133u\x1b[97;133:3u\x1b[57442;129:3u";
    terminal.send(press);
    terminal.send(press);
    terminal.wait_for_text("^[[97;5u");
    terminal.send(press);
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert!(terminal.screen().has("detached from cat:1, which goes on"), "{}", terminal.picture());
    assert_given_back(&terminal);
}
