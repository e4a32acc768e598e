//! `run --foreground` and the death of its server, and of its client (S3.5, S7.2, S7.4).

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use super::lost::{kill_server, server_pid};
use super::real::{Served, ended};
use crate::harness::{DEADLINE, Marker, wait_gone};

/// Prints so many numbered lines, every third of them to standard error.
const LINES: &str = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); \
    if [ $((i%3)) = 0 ]; then echo line $i >&2; else echo line $i; fi; done; exit 7";

fn begin(served: &Served, words: &[&str]) -> Child {
    let words = [&["run", "--foreground"], words].concat();
    served.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

/// Reads a stream to its end on a thread of its own; something is done each time that so many more lines have come.
fn read(stream: impl Read + Send + 'static, every: usize, mut act: impl FnMut() + Send + 'static) -> Reading {
    std::thread::spawn(move || {
        let mut all = String::new();
        for (number, line) in (1..).zip(BufReader::new(stream).lines()) {
            writeln!(all, "{}", line.expect("a line")).expect("room");
            if number % every == 0 {
                act();
            }
        }
        all
    })
}

type Reading = std::thread::JoinHandle<String>;

fn numbered(fits: impl Fn(u32) -> bool) -> String {
    (1..=30_000).filter(|number| fits(*number)).map(|number| format!("line {number}\n")).collect()
}

fn first_line(running: &mut Child) -> BufReader<std::process::ChildStdout> {
    let mut out = BufReader::new(running.stdout.take().expect("its output"));
    let mut first = String::new();
    out.read_line(&mut first).expect("a line");
    assert_eq!(first, "begun\n");
    out
}

fn rest(mut out: BufReader<std::process::ChildStdout>) -> String {
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("its output");
    rest
}

fn signal(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a pid");
    kill_process(pid, signal).expect("it is there");
}

/// S7.4: on the way of a flood.
#[test]
fn a_flood_in_the_foreground_is_whole_however_often_the_server_is_killed() {
    let served = Served::new();
    let mut running = begin(&served, &["--", "sh", "-c", LINES]);
    let out = running.stdout.take().expect("its output");
    let err = running.stderr.take().expect("its errors");
    let killed = std::sync::Arc::new(served);
    let killer = std::sync::Arc::clone(&killed);
    let out = read(out, 4000, move || {
        killer.done(&["ls"]);
        kill_server(&killer);
    });
    let err = read(err, 100_000, || {});
    let (out, err) = (out.join().expect("read"), err.join().expect("read"));
    assert_eq!(ended(running).0, Some(7));
    assert!(out == numbered(|number| number % 3 != 0), "{} bytes", out.len());
    assert!(err == numbered(|number| number % 3 == 0), "{} bytes", err.len());
}

/// S7.4: nothing is printed meanwhile, and the server is taken away twice.
#[test]
fn a_silent_command_in_the_foreground_goes_on_with_the_next_server() {
    let served = Served::new();
    let line = "echo begun; until [ -e go ]; do sleep 0.02; done; echo and on; echo so >&2; exit 9";
    let mut running = begin(&served, &["--name", "front", line]);
    let out = first_line(&mut running);
    kill_server(&served);
    served.done(&["ls"]);
    served.done(&["server", "upgrade"]);
    served.done(&["ls"]);
    served.0.write("go", "");
    let out = rest(out);
    let (code, _, err) = ended(running);
    assert_eq!((code, out.as_str(), err.as_str()), (Some(9), "and on\n", "so\n"));
    assert_eq!(served.verb(&["wait", "front", "--timeout", "20s"]).status.code(), Some(9));
}

/// S3.4, S7.4: what was taken of standard input is not given again.
#[test]
fn standard_input_in_the_foreground_comes_once_although_the_server_dies() {
    let served = Served::new();
    let payload: String = (0..60_000).map(|number| format!("{number}\n")).collect();
    served.0.write("payload", &payload);
    let line = "echo begun; dd bs=10 count=1 2>/dev/null; until [ -e go ]; do sleep 0.02; done; exec cat";
    let mut running = begin(&served, &["--stdin", "payload", "--", "sh", "-c", line]);
    let out = first_line(&mut running);
    kill_server(&served);
    served.done(&["ls"]);
    served.0.write("go", "");
    let out = rest(out);
    let (code, _, err) = ended(running);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out == payload, "{} bytes of {}", out.len(), payload.len());
}

/// S7.4: the command takes the server with it.
#[test]
fn the_exit_code_of_a_command_whose_end_is_the_servers_is_known() {
    let served = Served::new();
    for code in 1..9 {
        served.done(&["ls"]);
        let line = format!("echo last; kill -KILL {}; exit {code}", server_pid(&served));
        let running = begin(&served, &["--", "sh", "-c", &line]);
        assert_eq!(ended(running), (Some(code), "last\n".to_owned(), String::new()));
    }
}

/// S7.4: a command that no server has on record yet is started by the next one, and once.
#[test]
fn a_command_whose_server_dies_at_its_start_is_started_once() {
    let served = Served::new();
    for round in 0..8 {
        served.done(&["ls"]);
        let pid = server_pid(&served);
        let running = begin(&served, &["--", "sh", "-c", "echo once; echo x >> started; exit 3"]);
        signal(pid.cast_unsigned(), Signal::KILL);
        let (code, out, err) = ended(running);
        assert_eq!((code, out.as_str(), err.as_str()), (Some(3), "once\n", ""), "round {round}");
        let started = std::fs::read_to_string(served.0.work().join("started")).expect("started");
        assert_eq!(started.len(), 2 * (round + 1), "once each");
    }
}

/// S3.5, S7.2: a dead client has given its run up.
#[test]
fn a_foreground_run_ends_with_its_client() {
    let (served, marker) = (Served::new(), Marker::new());
    let mut running = begin(&served, &["--name", "front", &format!("echo begun; exec sleep {marker}")]);
    let _out = first_line(&mut running);
    signal(running.id(), Signal::KILL);
    ended(running);
    wait_gone(&marker, DEADLINE);
    assert_eq!(served.verb(&["wait", "front", "--timeout", "50s"]).status.code(), Some(130));
}

/// S7.4: nobody comes back for it.
#[test]
fn a_foreground_run_whose_client_died_with_the_server_is_ended_by_the_next_one() {
    let (served, marker) = (Served::new(), Marker::new());
    let mut running = begin(&served, &["--name", "front", &format!("echo begun; exec sleep {marker}")]);
    let _out = first_line(&mut running);
    let server = server_pid(&served);
    signal(running.id(), Signal::STOP);
    signal(server.cast_unsigned(), Signal::KILL);
    signal(running.id(), Signal::KILL);
    ended(running);
    served.done(&["ls"]);
    wait_gone(&marker, DEADLINE);
    assert_eq!(served.verb(&["wait", "front", "--timeout", "50s"]).status.code(), Some(130));
}

/// S3.5: ^C is for the command, whichever server it has.
#[test]
fn an_interrupt_after_the_death_of_the_server_ends_the_command_and_its_last_words_come() {
    let served = Served::new();
    let line = "trap 'echo bye; exit 0' TERM; echo begun; sleep 1000 & while :; do wait; done";
    let mut running = begin(&served, &["--name", "front", line]);
    let out = first_line(&mut running);
    kill_server(&served);
    served.done(&["ls"]);
    signal(running.id(), Signal::INT);
    let out = rest(out);
    assert_eq!((ended(running).0, out.as_str()), (Some(130), "bye\n"));
}
