//! Runs whose log is redacted, and the death of their server (S7.4, S9.4): they go on like others, and a secret that comes in pieces on both sides of a
//! kill is in no file.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use serde_json::Value;

use super::lost::kill_server;
use super::real::{Served, ended};
use crate::harness::DEADLINE;

/// A home whose server takes the secrets out of its logs.
fn redacting() -> Served {
    let served = Served::new();
    let folder = served.0.folder("config").join("shtask");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("config.toml"), "[output]\nredact_logs = true\n").expect("written");
    served
}

/// Waits until a server has taken so much of a run's output in.
fn until_printed(served: &Served, run: &str, bytes: u64) {
    let end = Instant::now() + DEADLINE;
    loop {
        let shown: Value = serde_json::from_str(&served.done(&["show", run, "--json"])).expect("json");
        if shown["live"]["bytes"]["output"].as_u64().is_some_and(|printed| printed >= bytes) {
            return;
        }
        assert!(Instant::now() < end, "{shown}");
    }
}

/// Returns the files below a folder that hold a text.
fn holders(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("entries") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(holders(&path, text));
        } else if memchr::memmem::find(&std::fs::read(&path).unwrap_or_default(), text.as_bytes()).is_some() {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn a_secret_that_is_split_by_the_death_of_the_server_is_in_no_file_and_what_is_around_it_is() {
    let served = redacting();
    // A name before the kill and its value behind it; a value in two pieces; a name in two pieces.
    for (number, (first, second)) in
        [("password=", "FirstSecret"), ("password=First", "SecondSecret"), ("pass", "word=ThirdSecret")]
            .iter()
            .enumerate()
    {
        for mode in [&[][..], &["--pty"]] {
            let line = format!(
                "echo before; printf '{first}'; until [ -e go{number} ]; do sleep 0.02; done; echo '{second} and on'; echo after; exit 7"
            );
            let run = served.start(&[mode, &["--", "sh", "-c", &line]].concat());
            until_printed(&served, &run, ("before\n".len() + first.len()) as u64);
            kill_server(&served);
            served.done(&["ls"]);
            served.0.write(format!("go{number}"), "");
            assert_eq!(served.verb(&["wait", &run, "--timeout", "50s"]).status.code(), Some(7), "{run}");
            std::fs::remove_file(served.0.work().join(format!("go{number}"))).expect("removed");
            let log = served.done(&["logs", &run]);
            let lines: Vec<&str> = log.lines().collect();
            assert_eq!((lines.len(), lines[0], lines[2]), (3, "before", "after"), "{log:?}");
            assert!(lines[1].starts_with("password=") && lines[1].ends_with(" and on"), "{log:?}");
            assert!(!log.contains("Secret") && !log.contains("First"), "{log:?}");
            let read = served.done(&["read", &run]);
            assert!(read.contains("before") && read.contains("and on") && !read.contains("Secret"), "{read:?}");
        }
    }
    for part in ["FirstSecret", "SecondSecret", "ThirdSecret"] {
        // The command line has the second piece without its name.
        let found = holders(&served.0.folder("state"), part);
        assert!(found.iter().all(|path| path.contains("records.db")), "{part} is in {found:?}");
    }
}

/// S3.5: what was printed is not in the log, so the wrapper cannot go on as if nothing had been.
#[test]
fn a_wrapper_whose_log_is_redacted_says_that_it_cannot_go_on() {
    let served = redacting();
    let line = "echo password=WrapperSecret; until [ -e go ]; do sleep 0.02; done; echo on";
    let mut running = served.command(&["run", "--foreground", "--name", "front", line]);
    let mut running = running.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut out = BufReader::new(running.stdout.take().expect("its output"));
    let mut first = String::new();
    out.read_line(&mut first).expect("a line");
    assert_eq!(first, "password=WrapperSecret\n", "what only its reader sees is as it came");
    kill_server(&served);
    served.done(&["ls"]);
    served.0.write("go", "");
    let (code, _, err) = ended(running);
    assert_eq!(code, Some(125), "{err}");
    assert!(err.contains("without its secrets"), "{err}");
}

#[test]
fn a_flood_of_secrets_is_logged_without_them_and_whole_however_often_the_server_is_killed() {
    let served = redacting();
    let line = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); echo line $i password=Secret$i end; done; exit 7";
    let alone = served.start(&["--", "sh", "-c", line]);
    assert_eq!(served.verb(&["wait", &alone]).status.code(), Some(7));
    let wanted = served.done(&["logs", &alone]);
    assert!(!wanted.contains("Secret") && wanted.lines().count() == 20_000, "{} bytes", wanted.len());
    let run = served.start(&["--", "sh", "-c", line]);
    let mut kills = 0;
    while kills < 12 && served.done(&["ls", "--json"]).contains("\"running\"") {
        kill_server(&served);
        kills += 1;
    }
    assert_eq!(served.verb(&["wait", &run, "--timeout", "50s"]).status.code(), Some(7));
    let log = served.done(&["logs", &run]);
    let at = log.bytes().zip(wanted.bytes()).take_while(|(a, b)| a == b).count();
    let near = |text: &str| text.get(at.saturating_sub(60)..(at + 60).min(text.len())).map(str::to_owned);
    assert!(log == wanted, "other from {at} on after {kills} kills: {:?} and {:?}", near(&log), near(&wanted));
}
