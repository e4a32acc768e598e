//! Leaving: by key, by signal, by being suspended; and how the terminal is given back.

use rustix::process::Signal;

use crate::harness::{Exit, Launch, Marker, Terminal, modes_left_on, survivors};

use super::product::{PROGRAM, home, launch, one, open};

/// Checks that the terminal is as it was before the program.
#[track_caller]
fn assert_given_back(terminal: &Terminal) {
    assert_eq!(modes_left_on(terminal.raw()), [].into(), "{}", terminal.picture());
    assert_eq!(terminal.line_settings(), terminal.line_settings_at_start());
    assert!(!terminal.screen().vt().alternate_screen());
    assert!(terminal.screen().cursor_visible());
    let off = b"\x1b[?1049l";
    let times = terminal.raw().windows(off.len()).filter(|part| part == off).count();
    assert_eq!(times, 1, "the other screen is left once, not twice");
}

#[test]
fn with_nothing_live_the_program_leaves_at_once() {
    let mut terminal = open(&one("true", ""));
    terminal.wait_for_text("completed");
    terminal.keys("q");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert_given_back(&terminal);
}

#[test]
fn with_live_runs_leaving_asks_then_ends_them_then_gives_the_terminal_back() {
    let marker = Marker::new();
    let line = format!(r#"trap 'echo l"ast" >> words; exit' TERM HUP; sleep {marker} & echo rea"dy"; wait; wait"#);
    let mut terminal = open(&one(&line, ""));
    terminal.wait_for_text("ready");
    terminal.keys("q");
    terminal.wait_for_text("stop all and leave");
    terminal.keys("n");
    terminal.wait_for_no_text("stop all and leave");
    assert!(!survivors(&marker).is_empty(), "staying ends nothing");
    terminal.keys("q");
    terminal.wait_for_text("stop all and leave");
    terminal.keys("y");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert_eq!(survivors(&marker), []);
    assert_eq!(terminal.home().read("words").as_deref(), Some("last\n"));
    assert_given_back(&terminal);
}

#[test]
fn a_run_that_is_slow_to_leave_is_named_and_can_be_hurried() {
    let marker = Marker::new();
    let line = format!(r#"trap "" TERM HUP; echo rea"dy"; sleep {marker}; sleep {marker}"#);
    let mut terminal = open(&one(&line, "stop = { grace = '10m' }"));
    terminal.wait_for_text("ready");
    terminal.keys("qy");
    terminal.wait_for("the run that is waited for", |screen| screen.has("task") && screen.has("do not wait"));
    terminal.keys("q");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert_eq!(survivors(&marker), []);
    assert_given_back(&terminal);
}

#[test]
fn sigterm_ends_all_runs_once_each_and_gives_the_terminal_back() {
    // No loop of short commands: a signal that reaches dash while it is in vfork is lost to it (its handler looks away until the fork is over).
    let line =
        r#"trap 'echo term >> $NAME; exit' TERM; trap : HUP; sleep 1000 & echo rea"dy" >> up; while :; do wait; done"#;
    let task = |n| format!("[tasks.t{n}]\nrun = '''{line}'''\nenv = {{ NAME = 'end{n}' }}\n");
    let mut terminal = open(&(0..5).map(task).collect::<String>());
    // Both: they have set their traps, and the program knows that they run.
    terminal.wait_until("five runs", |terminal| {
        let up = terminal.home().read("up").is_some_and(|up| up.len() == 30);
        up && terminal.screen().count("running") >= 5
    });
    terminal.signal(Signal::TERM);
    let exit = terminal.wait_exit();
    assert_eq!(exit, Exit::Code(143), "as a shell reports a program ended by SIGTERM");
    for n in 0..5 {
        assert_eq!(terminal.home().read(format!("end{n}")).as_deref(), Some("term\n"));
    }
    assert_given_back(&terminal);
}

#[test]
fn sigint_and_sighup_from_outside_give_the_terminal_back() {
    for (signal, code) in [(Signal::INT, 130), (Signal::HUP, 129)] {
        let marker = Marker::new();
        let mut terminal = open(&one(&format!("exec sleep {marker}"), ""));
        terminal.wait_alive(&marker, 1);
        terminal.signal(signal);
        assert_eq!(terminal.wait_exit(), Exit::Code(code));
        assert_eq!(survivors(&marker), []);
        assert_given_back(&terminal);
    }
}

#[test]
fn nothing_of_a_run_that_switched_modes_on_stays_in_the_terminal() {
    let modes =
        r"\033[?1000h\033[?1002h\033[?1003h\033[?1006h\033[?1004h\033[?2004h\033[?1h\033=\033[?25l\033[4 q\033[>1u";
    let mut terminal = open(&one(&format!(r#"printf "{modes}"; echo rea"dy"; exec sleep 1000"#), ""));
    terminal.wait_for_text("ready");
    terminal.keys("<Enter>");
    terminal.keys("<C-a>q");
    terminal.wait_for_text("stop all and leave");
    terminal.keys("y");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert_given_back(&terminal);
}

#[test]
fn suspend_gives_the_terminal_to_the_shell_and_resume_takes_it_again() {
    if !crate::harness::have("bash") {
        return;
    }
    let home = home(&one(r#"i=0; while :; do i=$((i+1)); echo beat $i > beats; sleep 0.02; done"#, ""));
    let mut shell = Launch::in_home(&home, "bash").args(["--norc", "--noprofile", "-i"]).size(100, 30).start();
    shell.wait_for_text("$ ");
    let settings = shell.line_settings();
    shell.keys(&format!("{PROGRAM} --embedded --config shtask.toml<Enter>"));
    shell.wait_for("the program's screen", |screen| screen.vt().alternate_screen() && screen.has("task"));
    shell.wait_until("a beat", |shell| shell.home().read("beats").is_some());
    shell.keys("<C-z>");
    shell.wait_for("the shell's screen", |screen| !screen.vt().alternate_screen() && screen.has("Stopped"));
    // What readline itself switches on at its prompt (2004) is the shell's own.
    assert!(modes_left_on(shell.raw()).is_subset(&[2004].into()), "{:?}", modes_left_on(shell.raw()));
    let beat = shell.home().read("beats");
    shell.wait_until("the run goes on meanwhile", |shell| shell.home().read("beats") != beat);
    shell.resize(90, 20);
    shell.keys("fg<Enter>");
    shell.wait_for("the program's screen again, at the new size", |screen| {
        screen.vt().alternate_screen() && screen.has("task") && !screen.row(19).is_empty()
    });
    shell.keys("q");
    shell.wait_for_text("stop all and leave");
    shell.keys("y");
    shell.wait_for("the shell's screen", |screen| !screen.vt().alternate_screen());
    shell.keys("echo code $?<Enter>");
    shell.wait_for_text("code 0");
    // They are those of the prompt again once readline has drawn it.
    shell.wait_until("the settings of the prompt", |shell| shell.line_settings() == settings);
}

#[test]
fn started_in_the_background_it_waits_for_the_foreground_and_spoils_nothing() {
    if !crate::harness::have("bash") {
        return;
    }
    let home = home(&one("exec sleep 1000", ""));
    let mut shell = Launch::in_home(&home, "bash").args(["--norc", "--noprofile", "-i"]).size(100, 30).start();
    shell.wait_for_text("$ ");
    shell.keys(&format!("stty tostop; {PROGRAM} --embedded --config shtask.toml &<Enter>"));
    shell.wait_until("a stopped job", |shell| {
        let own = shell.pid();
        shell.home().processes().iter().any(|one| one.parent == own && one.state == 'T')
    });
    assert!(!shell.screen().vt().alternate_screen(), "{}", shell.picture());
    shell.keys("fg<Enter>");
    shell.wait_for("the program's screen", |screen| screen.vt().alternate_screen() && screen.has("running"));
    shell.keys("qy");
    shell.wait_for("the shell's screen", |screen| !screen.vt().alternate_screen());
}

#[test]
fn nothing_is_written_after_the_shells_prompt() {
    let line = r#"trap 'for i in 1 2 3 4 5; do echo clean"ing" $i; sleep 0.1; done; exit' TERM HUP; echo rea"dy"; while :; do sleep 0.01; done"#;
    let home = home(&one(line, ""));
    let command = format!("{PROGRAM} --embedded --config shtask.toml; echo 'PROMPT>'; exec cat");
    let mut terminal = Launch::in_home(&home, "/bin/sh").args(["-c".to_owned(), command]).size(100, 30).start();
    terminal.wait_for_text("ready");
    terminal.keys("qy");
    terminal.wait_for_text("PROMPT>");
    terminal.wait_quiet(std::time::Duration::from_millis(300));
    let end = String::from_utf8_lossy(terminal.raw()).into_owned();
    assert!(end.ends_with("PROMPT>\r\n"), "{:?}", &end[end.len().saturating_sub(200)..]);
}

#[test]
fn a_terminal_that_reports_no_size_at_first_is_borne() {
    let home = home(&one(r#"stty size; exec sleep 1000"#, ""));
    let mut terminal = launch(&home).size(0, 0).start();
    terminal.wait_until("the run has started", |terminal| terminal.home().processes().len() >= 2);
    terminal.resize(100, 30);
    terminal.wait_for_text("task");
    assert!(!terminal.screen().has("0 0"), "{}", terminal.picture());
}

#[test]
fn what_a_run_says_to_its_terminal_does_not_reach_the_users() {
    let line = r#"printf "\033]52;c;%s=\007\033]0;a TITLE of a run\007\033]9;NOTICE\007\007\033]8;;http://LINK\007\033[8;5;5t\033Pq#0\033\\" "aGVs""bG8"
        echo rea"dy"; exec sleep 1000"#;
    let mut terminal = open(&one(line, ""));
    terminal.wait_for_text("ready");
    terminal.keys("<Enter>");
    terminal.wait_quiet(std::time::Duration::from_millis(100));
    let screen = terminal.screen();
    assert_eq!((screen.clipboard(), screen.bells(), screen.size()), (&[][..], 0, (100, 30)));
    assert!(!screen.title().contains("TITLE"), "{}", screen.title());
    let raw = String::from_utf8_lossy(terminal.raw());
    for part in ["\u{1b}]52", "aGVsbG8", "\u{1b}]9", "NOTICE\u{7}", "\u{1b}[8;5;5t", "\u{1b}P"] {
        assert!(!raw.contains(part), "{part:?} went through");
    }
}
