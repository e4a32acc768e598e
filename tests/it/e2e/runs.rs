//! What can be done with a run beside typing and stopping: signals, deadlines, restarts, clearing.

use crate::harness::{Marker, Terminal, survivors};

use super::product::{home, launch, one, open};

#[test]
fn a_signal_from_the_menu_reaches_the_run_once() {
    let line = r#"trap "echo hit >> hits" USR1; echo rea"dy"; while :; do sleep 0.01; done"#;
    let mut terminal = open(&one(line, ""));
    terminal.wait_for_text("ready");
    terminal.keys("m");
    terminal.wait_for_text("USR1");
    // To the root alone: the group has the `sleep` of the moment, too, which USR1 would end.
    terminal.keys("jjjj<Tab><Enter>");
    terminal.wait_until("the signal", |terminal| terminal.home().read("hits").as_deref() == Some("hit\n"));
    terminal.wait_for_text("SIGUSR1 was sent");
    assert!(terminal.screen().has("running"), "{}", terminal.picture());
}

#[test]
fn a_deadline_can_be_taken_away() {
    let line = r#"echo rea"dy"; sleep 2; echo still he"re"; exec sleep 1000"#;
    let mut terminal = open(&one(line, "timeout = '1500ms'"));
    terminal.wait_for_text("ready");
    terminal.keys("e");
    terminal.wait_for_text("no deadline");
    terminal.keys("jjjj<Enter>");
    terminal.wait_for_text("still here");
    assert!(terminal.screen().has("running"), "{}", terminal.picture());
}

#[test]
fn a_run_that_is_silent_for_too_long_is_timed_out() {
    let line = r#"for i in 1 2 3 4 5 6 7 8; do echo beat $i; sleep 0.1; done; exec sleep 1000"#;
    let mut terminal = open(&one(line, "idle_timeout = '500ms'"));
    terminal.wait_for_text("timed_out");
    assert!(terminal.screen().has("beat 8"), "it was not ended while it printed\n{}", terminal.picture());
    terminal.keys("i");
    terminal.wait_for_text("its idle timeout");
}

#[test]
fn a_task_is_stopped_by_its_own_signal() {
    let line = r#"trap "echo int >> got; exit 5" INT; trap "echo term >> got" TERM HUP; echo rea"dy"; while :; do sleep 0.01; done"#;
    let mut terminal = open(&one(line, "stop = 'SIGINT'"));
    terminal.wait_for_text("ready");
    terminal.keys("x");
    terminal.wait_for_text("cancelled");
    assert_eq!(terminal.home().read("got").as_deref(), Some("int\n"));
}

#[test]
fn a_task_is_stopped_by_its_own_command() {
    let marker = Marker::new();
    let line = format!(r#"trap "" TERM HUP; echo rea"dy"; while [ ! -e bye ]; do sleep 0.01; done; : {marker}"#);
    let mut terminal = open(&one(&line, "stop = { command = 'touch bye', grace = '1h' }"));
    terminal.wait_for_text("ready");
    terminal.keys("x");
    terminal.wait_for_text("cancelled");
    assert_eq!(survivors(&marker), []);
}

#[test]
fn the_last_words_of_a_run_that_is_stopped_are_kept() {
    let line = r#"trap 'echo last wo"rds"; exit' TERM HUP; echo rea"dy"; while :; do sleep 0.01; done"#;
    for mode in ["pty", "pipes"] {
        let mut terminal = open(&one(line, &format!("mode = '{mode}'")));
        terminal.wait_for_text("ready");
        terminal.keys("x");
        terminal.wait_for_text("cancelled");
        terminal.wait_for_text("last words");
    }
}

#[test]
fn an_ended_run_is_cleared_and_a_task_can_be_started_again() {
    let mut terminal = open(&one("echo run >> runs; exit 3", ""));
    terminal.wait_for_text("failed 3");
    terminal.keys("c");
    terminal.wait_for_text("not run");
    terminal.keys("s");
    terminal.wait_for_text("failed 3");
    assert_eq!(terminal.home().read("runs").as_deref(), Some("run\nrun\n"));
}

#[test]
fn a_flood_is_stopped_at_once_and_the_keys_work_meanwhile() {
    let marker = Marker::new();
    for mode in ["pty", "pipes"] {
        let mut terminal = open(&one(&format!("yes {marker}"), &format!("mode = '{mode}'")));
        terminal.wait_for("a page of it", |screen| screen.count(&marker.to_string()) > 20);
        terminal.keys("?");
        terminal.wait_for_text("select the next run");
        terminal.keys("?x");
        terminal.wait_for_text("cancelled");
        assert_eq!(survivors(&marker), []);
    }
}

#[test]
fn a_holder_that_is_killed_takes_nothing_but_its_own_run_with_it() {
    let marker = Marker::new();
    let config = format!(
        "[tasks.first]\nmode = 'pipes'\nrun = 'echo f\"irst\"; exec sleep {marker}'\n[tasks.second]\nrun = 'echo s\"econd\"; exec sleep 1000'\n"
    );
    let mut terminal = open(&config);
    terminal.wait_alive(&marker, 1);
    let holder = survivors(&marker)[0].parent;
    assert_ne!(holder, terminal.pid());
    let pid = rustix::process::Pid::from_raw(holder).expect("a pid");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it is ours");
    terminal.wait_for("what became of the run", |screen| screen.has("orphaned"));
    // S7.3: what it has left can be ended.
    terminal.wait_alive(&marker, 1);
    terminal.keys("x");
    terminal.wait_for_text("what first had left is ended");
    terminal.wait_gone(&marker);
    terminal.keys("j");
    terminal.wait_for("the other one lives", |screen| screen.has("second") && screen.has("running"));
    terminal.keys("x");
    terminal.wait_for_text("cancelled");
}

#[test]
fn as_an_ordinary_user_the_whole_tree_ends_too() {
    if !rustix::process::geteuid().is_root() || !crate::harness::have("setpriv") {
        return;
    }
    let marker = Marker::new();
    let line = format!("setsid sh -c 'trap \"\" TERM HUP; sleep {marker}; sleep {marker}' & exec sleep {marker}");
    let home = home(&one(&line, "stop = { grace = '200ms' }"));
    // The user must be able to reach the program, wherever it was built.
    let program = home.work().join("shtask");
    std::fs::copy(super::product::PROGRAM, &program).expect("the program can be copied");
    home.give_to("65534:65534");
    let user = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    let launch = crate::harness::Launch::in_home(&home, "setpriv").args(user);
    let mut terminal =
        launch.args([program.as_os_str()]).args(["--embedded", "--config", "shtask.toml"]).size(100, 30).start();
    terminal.wait_alive(&marker, 2);
    terminal.keys("x");
    terminal.wait_gone(&marker);
    terminal.wait_for_text("cancelled");
}

/// How often the run's word is in the file.
fn lines(terminal: &Terminal, file: &str) -> usize {
    terminal.home().read(file).map_or(0, |text| text.lines().count())
}

#[test]
fn a_large_paste_into_a_program_that_answers_moves_both_ways() {
    let home = home(&one(r#"stty -echo; echo rea"dy"; exec tee copy"#, ""));
    let mut terminal = launch(&home).start();
    terminal.wait_for_text("ready");
    terminal.keys("<Enter>");
    let text: String = (0..4000).map(|n| format!("line {n} of a paste that is longer than any buffer\n")).collect();
    terminal.paste(&text);
    terminal.wait_until("all lines", |terminal| lines(terminal, "copy") == 4000);
    assert_eq!(terminal.home().read("copy").as_deref(), Some(&*text));
    terminal.wait_for_text("line 3999");
}
