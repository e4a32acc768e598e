//! `attach` as a job of a shell: stopped, in the background, continued, killed (S10.7 for this terminal).

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::real::{PROGRAM, Served};
use crate::harness::{Launch, Process, Terminal, have, modes_left_on};

/// A shell with job control and a run that it can attach to.
fn shell(served: &Served) -> Terminal {
    let line = "stty -echo; mkfifo say; while :; do read -r word < say && echo said $word; done & echo ready; exec cat";
    served.start(&["--pty", "--name", "cat", line]);
    let mut shell = Launch::in_home(&served.0, "bash").args(["--norc", "--noprofile", "-i"]).size(100, 20).start();
    shell.wait_for_text("$ ");
    shell
}

fn attached(shell: &Terminal) -> Option<Process> {
    let own = shell.pid();
    shell
        .home()
        .processes()
        .into_iter()
        .find(|one| one.parent == own && one.arguments.iter().any(|word| word == "attach"))
}

fn attach(shell: &mut Terminal) -> Pid {
    shell.keys(&format!("{PROGRAM} attach cat<Enter>"));
    shell.wait_for("the run's screen", |screen| screen.vt().alternate_screen() && screen.has("C-a leaves"));
    Pid::from_raw(attached(shell).expect("it is attached").pid)
}

fn stopped(shell: &mut Terminal, pid: Pid, signal: Signal) {
    kill(pid, signal).expect("a signal");
    shell.wait_until("a stopped job", |shell| attached(shell).is_some_and(|one| one.state == 'T'));
}

/// `kill %1` of a shell ends the job, whatever it was doing.
fn killed(shell: &mut Terminal) {
    shell.keys("kill %1<Enter>");
    shell.wait_until("the end of the job", |shell| attached(shell).is_none());
}

#[test]
fn a_stop_from_outside_gives_the_terminal_back_until_it_is_continued() {
    if !have("bash") {
        return;
    }
    let served = Served::new();
    let mut shell = shell(&served);
    let pid = attach(&mut shell);
    stopped(&mut shell, pid, Signal::SIGTSTP);
    shell.wait_for("the shell's screen", |screen| !screen.vt().alternate_screen() && screen.has("Stopped"));
    assert!(modes_left_on(shell.raw()).is_subset(&[2004].into()), "{:?}", modes_left_on(shell.raw()));
    shell.keys("fg<Enter>");
    shell.wait_for("the run's screen", |screen| screen.vt().alternate_screen() && screen.has("ready"));
    shell.keys("typed<Enter>");
    shell.wait_for_text("typed");
    shell.keys("<C-a>");
    shell.wait_for("the shell's screen", |screen| !screen.vt().alternate_screen() && screen.has("detached from cat:1"));
}

#[test]
fn in_the_background_it_leaves_the_terminal_alone_and_ends_when_it_is_killed() {
    if !have("bash") {
        return;
    }
    let served = Served::new();
    let mut shell = shell(&served);
    for signal in [Signal::SIGTSTP, Signal::SIGSTOP] {
        let pid = attach(&mut shell);
        stopped(&mut shell, pid, signal);
        shell.keys("bg<Enter>");
        shell.wait_until("a running job", |shell| attached(shell).is_some_and(|one| one.state != 'T'));
        served.0.write("say", format!("{signal}\n"));
        served.done(&["wait", "cat", "--for", &format!("match:said {signal}")]);
        shell.keys("echo of the sh''ell<Enter>");
        shell.wait_for_text("of the shell");
        assert!(attached(&shell).is_some_and(|one| one.state != 'T'), "it reads nothing that is the shell's");
        killed(&mut shell);
        assert!(!shell.screen().has(&format!("said {signal}")), "{}", shell.picture());
        shell.keys("clear<Enter>");
        shell.wait_for("the shell's screen, and empty", |screen| {
            !screen.vt().alternate_screen() && !screen.has("of the shell")
        });
    }
}

#[test]
fn started_in_the_background_it_waits_for_the_foreground_and_can_be_killed() {
    if !have("bash") {
        return;
    }
    let served = Served::new();
    let mut shell = shell(&served);
    let start = |shell: &mut Terminal| {
        shell.keys(&format!("{PROGRAM} attach cat &<Enter>"));
        shell.wait_until("a stopped job", |shell| attached(shell).is_some_and(|one| one.state == 'T'));
        assert!(!shell.screen().vt().alternate_screen(), "{}", shell.picture());
    };
    start(&mut shell);
    killed(&mut shell);
    start(&mut shell);
    shell.keys("fg<Enter>");
    shell.wait_for("the run's screen", |screen| screen.vt().alternate_screen() && screen.has("ready"));
    shell.keys("<C-a>");
    shell.wait_for("the shell's screen", |screen| !screen.vt().alternate_screen());
}
