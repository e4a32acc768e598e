//! The TUI over the server: runs that go on when it is left, several at once, a server that dies (S10.7, S11.5).

use std::process::Command;
use std::sync::Arc;

use super::product::{PROGRAM, home, one};
use crate::harness::{Exit, Home, Launch, Marker, Terminal, survivors};

/// A home whose server ends with it.
pub(super) struct Served(pub(super) Arc<Home>);

impl Served {
    pub(super) fn new(config: &str) -> Served {
        Served(home(config))
    }

    fn open(&self) -> Terminal {
        self.open_sized(100, 30)
    }

    pub(super) fn open_sized(&self, cols: u16, rows: u16) -> Terminal {
        Launch::in_home(&self.0, PROGRAM).args(["--config", "shtask.toml"]).size(cols, rows).start()
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(["--config", "shtask.toml"]).args(words);
        command.env_clear().envs(self.0.environment()).current_dir(self.0.work());
        command
    }

    /// Does what a verb says; returns what it printed.
    pub(super) fn verb(&self, words: &[&str]) -> String {
        let output = self.command(words).output();
        String::from_utf8(output.expect("the program starts").stdout).expect("text")
    }

    /// Does what a verb says; returns its exit code.
    fn status(&self, words: &[&str]) -> Option<i32> {
        self.command(words).output().expect("the program starts").status.code()
    }

    pub(super) fn kill_server(&self) {
        let pid = nix::unistd::Pid::from_raw(self.server_pid());
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).expect("the server can be killed");
    }

    fn server_pid(&self) -> i32 {
        let status: serde_json::Value =
            serde_json::from_str(&self.verb(&["server", "status", "--json"])).expect("json");
        status["pid"].as_i64().and_then(|pid| pid.try_into().ok()).expect("a pid")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // The home ends whatever is left.
        let _ = self.command(&["server", "stop"]).output();
    }
}

const CAT: &str = "stty -echo; echo rea\"dy\"; while read line; do echo \"got $line\"; done";

/// Types a line into the selected run and waits for its answer.
fn type_line(terminal: &mut Terminal, line: &str) {
    terminal.keys("<Enter>");
    terminal.wait_for_text("back to the list");
    terminal.keys(&format!("{line}<Enter>"));
    terminal.wait_for_text(&format!("got {line}"));
    terminal.keys("<C-a>");
    terminal.wait_for_text("? help");
}

#[test]
fn runs_go_on_when_the_tui_is_detached_and_are_there_again() {
    let served = Served::new(&one(CAT, "autostart = true"));
    let mut terminal = served.open();
    terminal.wait_for_text("ready");
    type_line(&mut terminal, "before");
    terminal.keys("d");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    terminal.wait_for_text("the server keeps 1 run; `shtask server stop` stops both");
    terminal.wait_for_text("  shtask --session");

    let mut again = served.open();
    again.wait_for_text("got before");
    type_line(&mut again, "after");
    again.keys("q");
    again.wait_for_text("detach: leave, the runs go on");
    again.keys("y");
    assert_eq!(again.wait_exit(), Exit::Code(0));
    again.wait_for_text("1 cancelled");
    assert!(served.verb(&["ls", "--all"]).contains("cancelled"));
}

#[test]
fn two_tuis_see_and_type_into_the_same_run() {
    let served = Served::new(&one(CAT, "autostart = true"));
    let mut first = served.open();
    first.wait_for_text("ready");
    let mut second = served.open();
    second.wait_for_text("ready");
    type_line(&mut first, "one");
    second.wait_for_text("got one");
    type_line(&mut second, "two");
    first.wait_for_text("got two");
}

#[test]
fn what_was_stopped_on_purpose_is_not_started_by_the_next_tui() {
    let two = format!("{}[tasks.other]\nrun = 'exec sleep 1000'\nautostart = true\n", one(CAT, "autostart = true"));
    let served = Served::new(&two);
    let mut terminal = served.open();
    terminal.wait_for_text("ready");
    terminal.keys("x");
    terminal.wait_for_text("cancelled");
    terminal.keys("d");
    terminal.wait_exit();
    let mut again = served.open();
    again.wait_for_text("1 live");
    again.wait_for_text("cancelled");
}

#[test]
fn a_signal_that_ends_the_tui_ends_no_run() {
    let served = Served::new(&one(CAT, "autostart = true"));
    let mut terminal = served.open();
    terminal.wait_for_text("ready");
    terminal.signal(rustix::process::Signal::TERM);
    assert_eq!(terminal.wait_exit(), Exit::Code(143));
    let mut again = served.open();
    again.wait_for_text("ready");
    again.wait_for_text("1 live");
}

#[test]
fn a_lost_server_is_told_and_the_tui_goes_on_with_the_next() {
    let served = Served::new(&one("exec true", "autostart = false"));
    let mut terminal = served.open();
    terminal.wait_for_text("not run");
    served.kill_server();
    terminal.wait_for_text("the server is there again");
    terminal.keys("s");
    terminal.wait_for_text("completed");
}

#[test]
fn a_server_that_was_stopped_on_purpose_is_not_started_again_by_an_open_tui() {
    let served = Served::new(&one("exec true", "autostart = false"));
    let mut terminal = served.open();
    terminal.wait_for_text("not run");
    served.verb(&["server", "stop"]);
    terminal.wait_for_text("the server has ended: nothing here changes any more");
    terminal.keys("q");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert!(served.verb(&["server", "status"]).is_empty(), "there is none");
}

/// S7.4, as the user sees it.
#[test]
fn a_killed_server_costs_no_run_and_the_tui_goes_on_with_it() {
    let served = Served::new(&one(CAT, "autostart = true"));
    let mut terminal = served.open();
    terminal.wait_for_text("ready");
    type_line(&mut terminal, "before");
    served.kill_server();
    terminal.wait_for_text("the server is there again");
    terminal.wait_for_text("1 live");
    type_line(&mut terminal, "after");
    terminal.wait_for_text("got before");
    let log = served.verb(&["logs", "task"]);
    assert_eq!(log.matches("got before").count(), 1, "{log}");
    assert_eq!(log.matches("got after").count(), 1, "{log}");
}

/// What a server that is stopped was asked for is asked of it again, or of the next one.
#[test]
fn who_attaches_again_while_the_server_dies_has_the_keyboard_with_the_next_one() {
    let served = Served::new(&one(CAT, "autostart = true"));
    let mut terminal = served.open();
    terminal.wait_for_text("ready");
    type_line(&mut terminal, "before");
    terminal.keys("<Enter>");
    terminal.wait_for_text("back to the list");
    let pid = nix::unistd::Pid::from_raw(served.server_pid());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGSTOP).expect("the server can be stopped");
    terminal.keys("<C-a>");
    terminal.wait_for_text("? help");
    terminal.keys("<Enter>");
    terminal.wait_for_text("back to the list");
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).expect("the server can be killed");
    terminal.wait_for_text("the server is there again");
    terminal.wait_until("the keyboard is held without a key", |_| {
        let shown: serde_json::Value = serde_json::from_str(&served.verb(&["show", "task", "--json"])).expect("json");
        shown["live"]["keyboard"].is_object()
    });
    assert!(!terminal.screen().has("types"), "{}", terminal.picture());
    terminal.keys("after<Enter>");
    terminal.wait_for_text("got after");
}

/// Keys that a dying server had not passed on are lost; the run gets nothing of what follows them in the same line.
#[test]
fn keys_typed_while_the_server_dies_leave_no_hole() {
    let served = Served::new(&one(CAT, "autostart = true"));
    let mut terminal = served.open();
    terminal.wait_for_text("ready");
    type_line(&mut terminal, "before");
    terminal.keys("<Enter>");
    terminal.wait_for_text("back to the list");
    let pid = nix::unistd::Pid::from_raw(served.server_pid());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGSTOP).expect("the server can be stopped");
    // Once the list is there, the keys before were read.
    terminal.keys("rm -rf /home/me/old<Enter><C-a>");
    terminal.wait_for_text("? help");
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).expect("the server can be killed");
    terminal.wait_for_text("pause, then type again");
    assert_eq!(served.status(&["show", "task"]), Some(0), "the next server is there");
    terminal.wait_quiet(std::time::Duration::from_millis(400));
    type_line(&mut terminal, "after");
    let log = served.verb(&["logs", "task"]);
    assert_eq!(log.matches("got ").count(), 2, "{log}");
}

/// S7.4.
#[test]
fn an_exit_while_there_was_no_server_is_known_to_the_next() {
    let served = Served::new("");
    let run =
        served.verb(&["run", "--name", "job", "while ! [ -e leave ]; do sleep 0.02; done; echo last words; exit 7"]);
    served.kill_server();
    served.0.write("leave", "");
    let show = served.verb(&["show", run.trim(), "--json"]);
    let waited = served.status(&["wait", "job", "--timeout", "20s"]);
    assert_eq!(waited, Some(7), "{show}");
    assert!(served.verb(&["read", "job"]).contains("last words"));
}

#[test]
fn an_upgrade_of_the_server_costs_no_run() {
    let served = Served::new(&one(CAT, "autostart = true"));
    let mut terminal = served.open();
    terminal.wait_for_text("ready");
    let before = served.server_pid();
    let told = served.command(&["server", "upgrade"]).output().expect("the program starts");
    assert!(String::from_utf8_lossy(&told.stdout).contains("1 run goes on"), "{told:?}");
    assert_ne!(served.server_pid(), before);
    terminal.wait_for_text("the server is there again");
    type_line(&mut terminal, "after");
}

#[test]
fn what_ended_before_the_server_was_replaced_is_still_listed() {
    let served = Served::new("");
    served.status(&["run", "--name", "old", "--wait", "exit 3"]);
    served.verb(&["server", "upgrade"]);
    let listed = served.verb(&["ls", "--all"]);
    assert!(listed.contains("old:1") && listed.contains("failed"), "{listed}");
}

#[test]
fn the_list_and_the_last_screens_are_as_they_were_when_the_server_was_killed_or_stopped() {
    let served = Served::new("");
    served.status(&["run", "--name", "bad", "--pty", "--wait", "printf '\\033[31mwhy %s failed\\033[m' it; exit 3"]);
    served.status(&["run", "--name", "good", "--wait", "echo fine; echo and  dandy"]);
    let mut open = served.open();
    open.wait_for_text("why it failed");
    served.kill_server();
    open.wait_for_text("the server is there again");
    open.keys("j");
    open.wait_for_text("and dandy");
    open.keys("k");
    open.wait_for_text("why it failed");
    open.keys("d");
    assert_eq!(open.wait_exit(), Exit::Code(0));
    served.verb(&["server", "stop"]);

    let mut again = served.open();
    again.wait_for_text("why it failed");
    again.wait_for_text("failed 3");
    let (col, row) = again.screen().find("why it failed").expect("it is shown");
    let cell = again.screen().vt().cell(row, col).expect("a cell");
    assert_eq!(cell.fgcolor(), vt100::Color::Idx(1), "{}", again.picture());
    again.keys("j");
    again.wait_for_text("and dandy");
    again.keys("c");
    again.wait_until("it is cleared", |terminal| !terminal.picture().contains("good"));
    again.keys("d");
    assert_eq!(again.wait_exit(), Exit::Code(0));
    served.verb(&["server", "stop"]);
    let mut last = served.open();
    last.wait_for_text("why it failed");
    assert!(!last.picture().contains("good"), "{}", last.picture());
    last.keys("r");
    last.wait_for_text("bad:2");
    last.wait_for_text("why it failed");
}

/// S7.5.
#[test]
fn a_restart_of_an_old_generation_touches_nothing() {
    let served = Served::new("");
    served.verb(&["run", "--name", "g", "exec sleep 1000"]);
    served.verb(&["restart", "g"]);
    assert_eq!(served.status(&["restart", "g:1"]), Some(5));
    let listed = served.verb(&["ls"]);
    assert!(listed.contains("g:2") && listed.contains("running"), "{listed}");
}

#[test]
fn output_that_cannot_be_written_is_an_error_of_a_foreground_run() {
    let served = Served::new("");
    let full = std::fs::File::options().write(true).open("/dev/full").expect("/dev/full");
    let output = served.command(&["run", "--foreground", "echo hi"]).stdout(full).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(125));
    assert!(String::from_utf8_lossy(&output.stderr).contains("No space left"), "{output:?}");
}

/// S7.3: the TUI offers to end what another server has lost.
#[test]
fn a_run_that_was_lost_together_with_its_server_is_in_the_list_and_can_be_ended_there() {
    let marker = Marker::new();
    let served = Served::new("");
    served.verb(&["run", "--name", "job", &format!("echo begun; exec sleep {marker}")]);
    let mut terminal = served.open();
    terminal.wait_for_text("1 live");
    terminal.wait_alive(&marker, 1);
    terminal.keys("d");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    for pid in [served.server_pid(), survivors(&marker)[0].parent] {
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL).expect("it is ours");
    }
    let mut terminal = served.open();
    terminal.wait_for_text("orphaned");
    terminal.wait_alive(&marker, 1);
    terminal.keys("x");
    terminal.wait_for_text("what job had left is ended");
    terminal.wait_gone(&marker);
    terminal.keys("c");
    terminal.wait_until("it is cleared", |terminal| !terminal.picture().contains("orphaned"));
}
