//! What verbs do when their server dies, and what holds over its death (S7.1, S7.4, S11.2).

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::real::{Served, ended, text};
use crate::harness::Process;

pub(super) fn server_pid(served: &Served) -> i32 {
    let status: Value = serde_json::from_str(&served.done(&["server", "status", "--json"])).expect("json");
    status["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok()).expect("a pid")
}

pub(super) fn kill_server(served: &Served) {
    let pid = Pid::from_raw(server_pid(served)).expect("a pid");
    kill_process(pid, Signal::KILL).expect("the server can be killed");
}

fn begin(served: &Served, words: &[&str]) -> Child {
    served.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

#[test]
fn whoever_looks_at_what_runs_here_can_tell_the_server_by_its_name() {
    let served = Served::new();
    served.done(&["ls"]);
    let pid = server_pid(&served);
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).expect("its name");
    let process = Process::look(pid).expect("it lives");
    assert_eq!((name.trim_end(), &*process.arguments[0], &*process.arguments[1]), ("shtask-server", "shtask", "serve"));
}

/// S6.4, S7.4.
#[test]
fn a_match_is_waited_for_over_the_death_of_the_server() {
    let served = Served::new();
    let run = served.start(&["while ! [ -e go ]; do sleep 0.02; done; echo here it is; exec sleep 1000"]);
    let waiting = begin(&served, &["wait", &run, "--for", "match:here it is"]);
    kill_server(&served);
    served.done(&["ls"]);
    served.0.write("go", "");
    let (code, _, errors) = ended(waiting);
    assert_eq!(code, Some(0), "{errors}");
}

/// S6.7, S7.4.
#[test]
fn what_waits_for_a_password_is_told_by_the_next_server_too() {
    let served = Served::new();
    let run = served.start(&["--pty", "--", "sh", "-c", "stty -echo; printf 'Password: '; read word"]);
    let until_it_needs_one = || {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let shown: Value = serde_json::from_str(&served.done(&["show", &run, "--json"])).expect("json");
            if shown["live"]["attention"]["need"] == "password" {
                return;
            }
            assert!(Instant::now() < end, "{shown}");
        }
    };
    until_it_needs_one();
    kill_server(&served);
    // Nothing is printed and nothing typed meanwhile.
    until_it_needs_one();
}

/// S7.1.
#[test]
fn a_closed_session_stays_closed_over_the_death_of_the_server() {
    let served = Served::new();
    served.done(&["--session", "shut", "run", "--wait", "true"]);
    served.done(&["session", "close", "shut"]);
    kill_server(&served);
    let refused = served.verb(&["--session", "shut", "run", "true"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert!(text(&refused.stderr).contains("session shut is closed"), "{refused:?}");
    served.done(&["session", "resume", "shut"]);
    kill_server(&served);
    served.done(&["--session", "shut", "run", "true"]);
}

/// S11.2.
#[test]
fn a_session_that_is_not_known_is_not_found_and_one_with_a_past_is() {
    let served = Served::new();
    for words in [&["--session", "nope", "ls"][..], &["--session", "nope", "history"], &["session", "close", "nope"]] {
        let refused = served.verb(words);
        assert_eq!(refused.status.code(), Some(3), "{words:?}: {refused:?}");
        assert!(text(&refused.stderr).contains("there is no session nope"), "{refused:?}");
    }
    served.done(&["--session", "nope", "run", "--wait", "true"]);
    served.done(&["--session", "nope", "ls"]);
    let hint = |session: &str| text(&served.verb(&["--session", session, "ls"]).stderr).to_owned();
    assert!(hint("no").contains("did you mean nope? `shtask session ls`"), "{}", hint("no"));
    assert!(hint("web").contains("hint: `shtask session ls` lists those that have runs"), "{}", hint("web"));
    served.done(&["server", "stop"]);
    served.done(&["--session", "nope", "history"]);
}

/// S11.2.
#[test]
fn an_upgrade_without_a_server_says_so_and_starts_none() {
    let served = Served::new();
    for _ in 0..2 {
        let refused = served.verb(&["server", "upgrade"]);
        assert_eq!(refused.status.code(), Some(6), "{refused:?}");
        assert!(text(&refused.stderr).contains("no server answers"), "{refused:?}");
    }
}

/// S11.2: the same mistake has the same code.
#[test]
fn a_folder_or_file_that_is_not_there_is_a_wrong_usage_however_the_run_is_started() {
    let served = Served::new();
    for wrong in [&["--cwd", "/nope"][..], &["--stdin", "/nope"], &["--env-file", "/nope"]] {
        for how in [&["run"][..], &["run", "--foreground"], &["run", "--wait"]] {
            let words = [how, wrong, &["--", "true"]].concat();
            let refused = served.verb(&words);
            assert_eq!(refused.status.code(), Some(2), "{words:?}: {refused:?}");
            assert!(text(&refused.stderr).contains("/nope"), "{refused:?}");
        }
    }
    assert_eq!(served.verb(&["run", "-f", "--timeout", "11m", "true"]).status.code(), Some(2));
}

/// S6.4.
#[test]
fn no_time_at_all_is_enough_to_know_what_has_ended() {
    let served = Served::new();
    served.verb(&["run", "--name", "old", "--wait", "exit 7"]);
    assert_eq!(served.verb(&["wait", "old", "--timeout", "0s"]).status.code(), Some(7));
    served.start(&["--name", "new", "--", "sleep", "1000"]);
    assert_eq!(served.verb(&["wait", "new", "--timeout", "0s"]).status.code(), Some(124));
}

/// S6.3.
#[test]
fn one_piece_of_a_log_is_read_with_where_to_go_on() {
    let served = Served::new();
    let run = served.start(&["printf 'one two'; while ! [ -e go ]; do sleep 0.02; done; echo ' three'"]);
    let read = |words: &[&str]| -> Value {
        let all = [&["logs", &run, "--json"], words].concat();
        serde_json::from_str(&served.done(&all)).expect("one document")
    };
    let first = read(&["--limit", "3", "--wait", "20s"]);
    assert_eq!((&first["text"], &first["next_offset"], &first["is_end"]), (&"one".into(), &3.into(), &false.into()));
    assert_eq!(read(&["--offset", "3", "--limit", "100"])["text"], " two");
    let nothing = read(&["--offset", "7", "--wait", "10ms"]);
    assert_eq!((&nothing["text"], &nothing["next_offset"]), (&"".into(), &7.into()));
    served.0.write("go", "");
    assert_eq!(read(&["--offset", "7", "--wait", "20s"])["text"], " three\n");
}

/// S6.5.
#[test]
fn a_follower_of_the_list_sees_each_revision_once() {
    let served = Served::new();
    let run = served.start(&["--name", "busy", "i=0; while [ $i -lt 12 ]; do i=$((i+1)); echo $i; sleep 0.25; done"]);
    let mut follower = begin(&served, &["ls", "--follow", "--json"]);
    let out = BufReader::new(follower.stdout.take().expect("its output"));
    let mut revisions = Vec::new();
    for line in out.lines() {
        let change: Value = serde_json::from_str(&line.expect("a line")).expect("json");
        assert_eq!(change["ref"], run.as_str());
        revisions.push(change["revision"].as_u64().expect("a revision"));
        if change["status"] == "completed" {
            break;
        }
    }
    follower.kill().expect("it can be ended");
    ended(follower);
    assert!(revisions.windows(2).all(|pair| pair[0] < pair[1]), "{revisions:?}");
}

/// S6.3, S7.4.
#[test]
fn a_log_is_followed_over_the_deaths_of_the_server_without_a_byte_lost_or_doubled() {
    let served = Served::new();
    let run = served.start(&["i=0; while [ $i -lt 600 ]; do i=$((i+1)); echo line $i; sleep 0.01; done"]);
    let mut following = begin(&served, &["logs", &run, "--follow"]);
    let out = BufReader::new(following.stdout.take().expect("its output"));
    for (number, line) in (1..).zip(out.lines()) {
        assert_eq!(line.expect("a line"), format!("line {number}"));
        if number == 50 || number == 300 {
            kill_server(&served);
        }
        if number == 600 {
            break;
        }
    }
    assert_eq!(ended(following).0, Some(0));
}

/// S7.4, S7.5.
#[test]
fn another_name_outlives_the_server_and_goes_on_with_its_generations() {
    let served = Served::new();
    let run = served.start(&["--name", "web", "--", "sleep", "1000"]);
    assert_eq!(served.done(&["rename", "web", "api"]), "api:1\n");
    kill_server(&served);
    let shown: Value = serde_json::from_str(&served.done(&["show", "api", "--json"])).expect("json");
    assert_eq!((&shown["ref"], &shown["status"]), (&Value::from(&*run), &Value::from("running")));
    served.done(&["restart", "api"]);
    let shown: Value = serde_json::from_str(&served.done(&["show", "api", "--json"])).expect("json");
    assert_eq!((&shown["name"], &shown["generation"]), (&Value::from("api"), &Value::from(2)));
    served.done(&["stop", "api", "--kill"]);
    kill_server(&served);
    served.start(&["--name", "other", "--", "sleep", "1000"]);
    assert_eq!(served.done(&["rename", "other", "api"]), "api:3\n");
}

/// S6.6, S7.4.
#[test]
fn the_numbers_of_lines_go_on_over_the_death_of_the_server() {
    let served = Served::new();
    let line = "seq 1 50; while ! [ -e go ]; do sleep 0.02; done; seq 51 60";
    let runs = [served.start(&["--pty", "--", "sh", "-c", line]), served.start(&["--", "sh", "-c", line])];
    for run in &runs {
        served.done(&["wait", run, "--for", "match:50"]);
    }
    kill_server(&served);
    served.done(&["ls"]);
    served.0.write("go", "");
    for run in &runs {
        served.done(&["wait", run]);
        for number in [7, 57] {
            let found = served.done(&["search", "--regex", &format!("^{number}$"), run, "--json"]);
            let found: Value = serde_json::from_str(&found).expect("json");
            assert_eq!(found["hits"][0]["line"], number, "{found}");
        }
    }
}
