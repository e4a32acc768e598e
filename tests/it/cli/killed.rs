//! SIGKILL of the server at every named point of the ways from one server to the next (feature `test-hooks`; S7.1, S7.4).

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use shtask::sys::hooks::{SERVER_POINTS, VARIABLE};

use super::lost::kill_server;
use super::real::Served;
use crate::harness::DEADLINE;

const PRINTS: &str =
    "i=0; while ! [ -e leave ] || [ $i -lt 100 ]; do i=$((i+1)); echo line $i; sleep 0.01; done; exit 7";

/// Starts a server that dies when it comes to a point.
fn doomed(served: &Served, point: &str) -> Child {
    let mut command = served.command(&["serve", "--foreground"]);
    command.env(VARIABLE, format!("{point}=kill@1")).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the program starts")
}

/// Returns whether this server is the one that answers.
fn answers(served: &Served, server: &Child) -> bool {
    let status = served.verb(&["server", "status", "--json"]);
    let status: Option<Value> = serde_json::from_slice(&status.stdout).ok();
    status.is_some_and(|status| status["pid"] == server.id())
}

/// Waits until a server has ended; returns the signal that ended it.
fn signal_of(server: &mut Child, within: Duration) -> Option<Option<i32>> {
    let end = Instant::now() + within;
    while Instant::now() < end {
        if let Some(status) = server.try_wait().expect("it is ours") {
            return Some(status.signal());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    None
}

/// Checks that a run printed each of its lines once and that its code is known.
fn is_whole(served: &Served, run: &str, point: &str) {
    let waited = served.verb(&["wait", run, "--timeout", "30s"]);
    assert_eq!(waited.status.code(), Some(7), "{point}: {waited:?}");
    let log = served.done(&["logs", run]);
    let mut count = 0;
    for (number, line) in (1..).zip(log.lines()) {
        assert_eq!(line, format!("line {number}"), "{point}");
        count = number;
    }
    assert!(count >= 100, "{point}: {count} lines");
}

#[test]
fn a_server_that_is_killed_at_any_named_point_costs_no_run_no_line_and_no_exit_code() {
    for point in SERVER_POINTS {
        let served = Served::new();
        served.done(&["--session", "other", "run", "--wait", "--", "true"]);
        let runs = [served.start(&["--pty", "--", "sh", "-c", PRINTS]), served.start(&["--", "sh", "-c", PRINTS])];
        kill_server(&served);
        let mut server = doomed(&served, point);
        let mut signal = None;
        // Not before it listens: a verb that finds no server starts one.
        while signal.is_none() && !answers(&served, &server) {
            signal = signal_of(&mut server, Duration::from_millis(10));
            if signal == Some(None) {
                // The last one was not gone yet.
                (server, signal) = (doomed(&served, point), None);
            }
        }
        // What is asked of it may be answered, by it or by the next one, or be cut off by its death: what holds is looked at below.
        let ways: [&[&str]; 5] = [
            &["ls"],
            &["rename", &runs[0], "moved"],
            &["run", "--name", "late", "--", "true"],
            &["session", "close", "other"],
            &["server", "upgrade"],
        ];
        for words in ways {
            signal = signal.or_else(|| signal_of(&mut server, Duration::ZERO));
            if signal.is_none() {
                let _ = served.verb(words);
            }
        }
        let signal = signal.or_else(|| signal_of(&mut server, DEADLINE));
        assert_eq!(signal, Some(Some(9)), "{point} was not reached");
        served.0.write("leave", "");
        for run in &runs {
            is_whole(&served, run, point);
        }
        if point == "rename.stored" {
            let moved: Value = serde_json::from_str(&served.done(&["show", "moved", "--json"])).expect("json");
            assert_eq!((&moved["ref"], &moved["generation"]), (&Value::from(&*runs[0]), &Value::from(1)));
        }
    }
}
