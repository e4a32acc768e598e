//! Ending runs and all that they started.

use std::time::Duration;

use crate::harness::{DEADLINE, Marker, survivors, wait_gone};

use super::product::{home, launch, one, open};

/// A short grace, so that what ignores SIGTERM does not cost seconds.
const SHORT: &str = "stop = { grace = '200ms' }";

#[test]
fn a_stop_ends_a_child_that_left_the_session_and_ignores_sigterm() {
    let marker = Marker::new();
    let stubborn = format!(r#"trap "" TERM HUP INT; while :; do sleep {marker}; done"#);
    let line = format!("setsid sh -c '{stubborn}' & (setsid setsid sleep {marker} &) ; exec sleep {marker}");
    let mut terminal = open(&one(&line, SHORT));
    terminal.wait_alive(&marker, 3);
    terminal.keys("x");
    terminal.wait_gone(&marker);
    terminal.wait_for_text("cancelled");
    assert_eq!(terminal.exit(), None);
}

#[test]
fn a_stop_ends_what_shells_and_scripts_below_the_shell_started() {
    let marker = Marker::new();
    let home = home(&one("sleep $UNIQ & sleep $UNIQ & ./outer & wait", &format!("env = {{ UNIQ = '{marker}' }}")));
    home.script("outer", "./inner &\nexit 0");
    home.script("inner", "sleep $UNIQ &\nexit 0");
    let mut terminal = launch(&home).start();
    terminal.wait_alive(&marker, 3);
    terminal.keys("x");
    terminal.wait_for_text("cancelled");
    assert_eq!(survivors(&marker), [], "all are gone before the record says cancelled");
}

#[test]
fn a_kill_does_not_wait_for_the_grace() {
    let marker = Marker::new();
    let line = format!(r#"trap "" TERM HUP; sleep {marker}; sleep {marker}"#);
    let mut terminal = open(&one(&line, "stop = { grace = '1h' }"));
    terminal.wait_alive(&marker, 1);
    terminal.keys("X");
    terminal.wait_gone(&marker);
    terminal.wait_for_text("cancelled");
}

#[test]
fn a_run_past_its_timeout_is_timed_out_with_124_and_its_tree_is_gone() {
    let marker = Marker::new();
    let line = format!("mkfifo f; (while :; do echo c; sleep {marker}; done) > f & cat f");
    let mut terminal = open(&one(&line, "timeout = '1s'"));
    terminal.wait_alive(&marker, 1);
    terminal.wait_for_text("timed_out");
    assert_eq!(survivors(&marker), []);
    terminal.keys("i");
    terminal.wait_for("its exit code and why", |screen| screen.has("124") && screen.has("its timeout"));
}

#[test]
fn what_a_run_leaves_behind_is_ended_when_it_ends_well() {
    let marker = Marker::new();
    let mut terminal = open(&one(&format!("sleep {marker} & echo d\"on\"e"), ""));
    terminal.wait_for_text("done");
    terminal.wait_for_text("completed");
    terminal.wait_gone(&marker);
}

#[test]
fn the_end_of_a_pipes_run_is_noticed_though_a_grandchild_holds_its_output() {
    let marker = Marker::new();
    let line = format!("setsid sleep {marker} & echo o\"k\"");
    let mut terminal = open(&one(&line, "mode = 'pipes'"));
    terminal.wait_for_text("ok");
    terminal.wait_gone(&marker);
    terminal.wait_for("the end in the list", |screen| screen.has("completed") || screen.has("failed"));
}

#[test]
fn a_restart_begins_only_after_the_whole_old_tree_is_gone() {
    let marker = Marker::new();
    // Whoever finds the folder came too early. The old one takes a while to leave, and so does its child.
    let line = format!(
        r#"mkdir lock || {{ echo too early >> overlaps; exit 9; }}
        (sleep 1000 & trap "sleep 0.2; rmdir lock; exit" TERM HUP; echo up >> ups; while :; do wait; done) &
        trap "exit" TERM HUP; : {marker}; wait"#
    );
    let mut terminal = open(&one(&line, ""));
    for generation in 1..=4 {
        let ups = "up\n".repeat(generation);
        terminal.wait_until("the next generation", |terminal| terminal.home().read("ups").as_deref() == Some(&*ups));
        assert_eq!(terminal.home().read("overlaps"), None);
        terminal.keys("r");
    }
    terminal.wait_until("the last one", |terminal| terminal.home().read("ups").is_some_and(|ups| ups.len() == 15));
    assert_eq!(terminal.home().read("overlaps"), None);
}

#[test]
fn a_stopped_process_is_woken_to_die() {
    let marker = Marker::new();
    let mut terminal = open(&one(&format!("sleep {marker} & kill -STOP $!; wait"), ""));
    terminal.wait_until("a stopped sleeper", |_| survivors(&marker).iter().any(|one| one.state == 'T'));
    terminal.keys("x");
    terminal.wait_for_text("cancelled");
    assert_eq!(survivors(&marker), []);
}

#[test]
fn a_program_that_is_killed_leaves_nothing_behind() {
    let marker = Marker::new();
    let line = format!(r#"setsid sh -c 'trap "" TERM HUP; sleep {marker}; sleep {marker}' & exec sleep {marker}"#);
    let config = format!("[tasks.one]\nrun = '''{line}'''\n[tasks.two]\nmode = 'pipes'\nrun = '''{line}'''\n");
    let mut terminal = open(&config);
    terminal.wait_alive(&marker, 4);
    let home = std::sync::Arc::clone(terminal.home());
    terminal.signal(rustix::process::Signal::KILL);
    terminal.wait_exit();
    wait_gone(&marker, DEADLINE);
    // The holders and whatever starts them follow; this home's own drop would hide it if they did not.
    terminal.wait_until("no process of this home", |_| home.processes().is_empty());
}

#[test]
fn a_closed_terminal_leaves_nothing_behind() {
    let marker = Marker::new();
    let line = format!(r#"setsid sh -c 'trap "" TERM HUP; sleep {marker}; sleep {marker}' & exec sleep {marker}"#);
    let mut terminal = open(&one(&line, SHORT));
    terminal.wait_alive(&marker, 2);
    terminal.hang_up();
    terminal.wait_exit();
    wait_gone(&marker, DEADLINE);
    let home = std::sync::Arc::clone(terminal.home());
    terminal.wait_until("no process of this home", |_| home.processes().is_empty());
}

#[test]
fn a_full_capacity_names_its_limit_and_frees_it_after_the_end() {
    let marker = Marker::new();
    let config = format!(
        "[limits]\nruns = 1\n[tasks.first]\nrun = 'exec sleep {marker}'\n\
         [tasks.second]\nrun = 'echo second r\"uns\"; exec sleep 1000'\nautostart = false\n"
    );
    let mut terminal = open(&config);
    terminal.wait_alive(&marker, 1);
    terminal.keys("js");
    terminal.wait_for_text("limits.runs");
    terminal.keys("kx");
    terminal.wait_gone(&marker);
    terminal.wait_for_text("cancelled");
    terminal.keys("js");
    terminal.wait_for_text("second runs");
}

#[test]
fn nothing_is_in_state_zombie_a_second_after_many_short_runs() {
    let tasks: String = (0..20).map(|n| format!("[tasks.t{n}]\nrun = 'true & exec sleep 0.01'\n")).collect();
    let mut terminal = open(&tasks);
    let home = std::sync::Arc::clone(terminal.home());
    terminal.wait_until("only the program and its fork server are left", |terminal| {
        let all = home.processes();
        terminal.screen().count("completed") >= 20 && all.iter().all(|one| !one.is_zombie()) && all.len() <= 2
    });
    terminal.set_deadline(Duration::from_secs(1));
    let own = terminal.pid();
    terminal.wait_until("no zombie below the program", |_| {
        !crate::harness::Process::all().iter().any(|one| one.is_zombie() && one.parent == own)
    });
}
