//! What runs print and read: pipes, standard input, environments, sizes.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use super::product::{home, launch, one, open};

#[test]
fn a_pipes_run_shows_both_streams_and_cannot_be_typed_into() {
    let line = r#"echo to o"ut"; echo to e"rr" >&2; exec sleep 1000"#;
    let mut terminal = open(&one(line, "mode = 'pipes'"));
    terminal.wait_for("both streams", |screen| screen.has("to out") && screen.has("to err"));
    terminal.keys("<Enter>");
    terminal.wait_for("a word about pipes", |screen| {
        let text = screen.text();
        text.lines().any(|line| line.contains("pipes") && !line.contains("to out"))
    });
    // The keys are still the list's.
    terminal.keys("?");
    terminal.wait_for_text("select the next run");
}

#[test]
fn a_pipes_run_has_no_terminal_and_reads_an_end_at_once() {
    let line = r#"cat; tty; (: < /dev/tty) 2>/dev/null && echo has o"ne" || echo has n"one""#;
    let mut terminal = open(&one(line, "mode = 'pipes'"));
    terminal.wait_for_text("not a tty");
    terminal.wait_for_text("has none");
    terminal.wait_for_text("completed");
}

#[test]
fn a_payload_is_read_whole_and_then_ends() {
    let mut terminal = open(&one("cat; echo a\"fter\"", "mode = 'pipes'\nstdin = \"one\\ntwo\\n\""));
    terminal.wait_for("the payload and what follows", |screen| screen.has("two") && screen.has("after"));
    terminal.wait_for_text("completed");
}

#[test]
fn the_end_of_input_key_ends_a_cat_in_a_terminal() {
    let mut terminal = open(&one(r#"echo rea"dy"; exec cat"#, ""));
    terminal.wait_for_text("ready");
    terminal.keys("<Enter><C-d>");
    terminal.wait_for_text("completed");
}

#[test]
fn a_line_without_an_end_does_not_stop_the_reader() {
    for mode in ["pipes", "pty"] {
        let line = r#"head -c 70000 /dev/zero | tr "\0" x; echo; echo a"fter"; exec sleep 1000"#;
        let mut terminal = open(&one(line, &format!("mode = '{mode}'")));
        terminal.wait_for_text("after");
    }
}

#[test]
fn a_character_split_over_many_writes_is_shown_whole() {
    for mode in ["pipes", "pty"] {
        let line = r#"for byte in 342 200 224; do printf "\\$byte"; sleep 0.02; done; echo " d"ash; exec sleep 1000"#;
        let mut terminal = open(&one(line, &format!("mode = '{mode}'")));
        terminal.wait_for_text("— dash");
        assert!(!terminal.screen().has("\u{fffd}"), "{}", terminal.picture());
    }
}

#[test]
fn a_run_has_the_size_of_its_pane_from_its_first_instruction() {
    let mut terminal = open(&one(r#"stty size >> sizes; exec sleep 1000"#, ""));
    let sizes = |terminal: &crate::harness::Terminal| terminal.home().read("sizes").unwrap_or_default();
    terminal.wait_until("the first size", |terminal| sizes(terminal).lines().count() == 1);
    let first = sizes(&terminal);
    let numbers: Vec<u16> = first.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    assert!((20..=30).contains(&numbers[0]) && (40..=100).contains(&numbers[1]), "{first}");
    terminal.keys("r");
    terminal.wait_until("the second size", |terminal| sizes(terminal).lines().count() == 2);
    assert_eq!(sizes(&terminal), first.repeat(2), "the same when it runs again");
}

#[test]
fn terminal_runs_have_the_emulators_term_and_pipes_runs_the_users() {
    let line = r#"[ -t 1 ] && t=yes || t=no; echo "($TERM,$COLORTERM,$NO_COLOR,$FORCE_COLOR,$t)"; exec sleep 1000"#;
    let start = |mode: &str| {
        let home = home(&one(line, &format!("mode = '{mode}'")));
        let user = launch(&home).env("TERM", "screen-256color").env("COLORTERM", "mine");
        user.env("NO_COLOR", "1").env("FORCE_COLOR", "0").start()
    };
    start("pty").wait_for_text("(xterm-256color,truecolor,1,0,yes)");
    start("pipes").wait_for_text("(screen-256color,mine,1,0,no)");
}

#[test]
fn an_environment_that_is_not_utf8_is_passed_on_byte_for_byte() {
    let home = home(&one(r#"printf %s "$ODD" | od -An -tx1; exec sleep 1000"#, ""));
    let odd = OsString::from_vec(vec![0xa3, b'x', 0xff]);
    let mut terminal = launch(&home).env("ODD", odd).start();
    terminal.wait_for_text("a3 78 ff");
}

#[test]
fn a_run_sees_only_three_descriptors_and_no_blocked_or_ignored_signals() {
    let line = r#"echo "fds" $(ls /proc/self/fd | wc -l); grep -E "SigBlk|SigIgn" /proc/self/status; exec sleep 1000"#;
    for mode in ["pty", "pipes"] {
        let mut terminal = open(&one(line, &format!("mode = '{mode}'")));
        // Three, and the one by which `ls` reads the folder.
        terminal.wait_for_text("fds 4");
        terminal.wait_for("empty sets of signals", |screen| {
            let sets: Vec<String> =
                screen.text().lines().filter_map(|line| Some(line.split_once("Sig")?.1.to_owned())).collect();
            sets.len() == 2 && sets.iter().all(|set| set.contains("0000000000000000"))
        });
    }
}
