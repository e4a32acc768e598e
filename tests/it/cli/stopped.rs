//! A server that is stopped (SIGSTOP): whoever asks is told who does not answer, and everything goes on where it was (S9.1, S11.2).

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::lost::server_pid;
use super::real::{Served, ended, text};

/// Stops the server, and lets it go on when it is dropped.
struct Stopped(i32);

impl Stopped {
    fn new(served: &Served) -> Stopped {
        let stopped = Stopped(server_pid(served));
        stopped.signal(Signal::STOP);
        stopped
    }

    fn signal(&self, signal: Signal) {
        // It may have ended by itself since it went on.
        let _ = Pid::from_raw(self.0).map(|pid| kill_process(pid, signal));
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        self.signal(Signal::CONT);
    }
}

#[test]
fn a_verb_names_the_server_that_does_not_answer() {
    let served = Served::new();
    let run = served.start(&["echo here; exec sleep 1000"]);
    let stopped = Stopped::new(&served);
    let pid = format!("process {}", stopped.0);
    for words in [&["ls"][..], &["wait", &run], &["run", "true"], &["server", "status"]] {
        let refused = served.verb(words);
        let err = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(6), "{words:?}: {refused:?}");
        assert!(err.contains("no sign of life") && err.contains(&pid) && err.contains("kill -CONT"), "{err}");
    }
    drop(stopped);
    served.done(&["ls"]);
}

/// Those who wait say so and wait on; nothing is lost or doubled for them.
#[test]
fn who_waits_says_that_the_server_is_silent_and_goes_on_with_it() {
    let served = Served::new();
    let line = "echo begun; until [ -e go ]; do sleep 0.02; done; seq 1 50000; exit 9";
    let begin = |words: &[&str]| {
        served.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    };
    let mut front = begin(&["run", "--foreground", "--name", "front", line]);
    let mut out = BufReader::new(front.stdout.take().expect("its output"));
    let mut first = String::new();
    out.read_line(&mut first).expect("a line");
    let mut waiting = begin(&["wait", "front"]);
    let mut terminal = served.launch(&[]).size(100, 30).start();
    terminal.wait_for_text("front");
    let stopped = Stopped::new(&served);
    // What it prints meanwhile waits in the kernel.
    served.0.write("go", "");
    let warned = |child: &mut std::process::Child| {
        let mut err = BufReader::new(child.stderr.take().expect("its errors"));
        let mut warning = String::new();
        err.read_line(&mut warning).expect("a line");
        assert!(warning.contains("no sign of life") && warning.contains(&stopped.0.to_string()), "{warning}");
        err
    };
    let _errors = (warned(&mut waiting), warned(&mut front));
    terminal.wait_for_text("no sign of life");
    drop(stopped);
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut out, &mut rest).expect("its output");
    let wanted: String = (1..=50_000).map(|number| format!("{number}\n")).collect();
    assert!(rest == wanted, "{} bytes of {}", rest.len(), wanted.len());
    assert_eq!((ended(front).0, ended(waiting).0), (Some(9), Some(9)));
    terminal.wait_for_text("the server is there again");
}

/// What was typed meanwhile reaches the run when the server goes on.
#[test]
fn attach_says_to_who_types_that_the_server_is_silent_and_goes_on_with_it() {
    let served = Served::new();
    let line = "stty -echo; echo rea\"dy\"; while read line; do echo got $line; done";
    served.start(&["--pty", "--name", "echo", "--", "sh", "-c", line]);
    let mut terminal = served.launch(&["attach", "echo"]).size(100, 30).start();
    terminal.wait_for_text("ready");
    let stopped = Stopped::new(&served);
    terminal.keys("one<Enter>");
    terminal.wait_for_text("no sign of life");
    drop(stopped);
    terminal.wait_for_text("got one");
    // What is typed right behind a write that nobody answered is dropped, until a pause: no line has a hole.
    terminal.wait_until("what is typed after a pause arrives", |terminal| {
        terminal.keys("two<Enter>");
        let end = Instant::now() + Duration::from_secs(1);
        while Instant::now() < end && !terminal.screen().has("got two") {
            terminal.take_in(end.saturating_duration_since(Instant::now()));
        }
        terminal.screen().has("got two")
    });
}
