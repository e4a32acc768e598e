//! SQLite's own calls of the system that fail, made to by `strace`: what it cannot write or make durable is tried again, and nothing is lost.

use std::path::Path;
use std::sync::Arc;

use shtask::model::{Record, Status};

use super::killed::{check, only_project};
use crate::harness::{Home, Launch, have};

const CONFIG: &str = "[output]\nflush_interval = '100ms'\n[tasks.ticks]\nmode = 'pipes'\n\
     run = 'i=0; while :; do i=$((i+1)); echo line $i; sleep 0.02; done'\n";

const PROGRAM: [&str; 4] = [env!("CARGO_BIN_EXE_shtask"), "--embedded", "--config", "shtask.toml"];

fn newest(state: &Path) -> Option<Record> {
    let connection = rusqlite::Connection::open(state.join("records.db")).ok()?;
    let newest = "SELECT record FROM runs ORDER BY seq DESC LIMIT 1";
    let record: String = connection.query_row(newest, [], |row| row.get(0)).ok()?;
    Some(serde_json::from_str(&record).expect("a record"))
}

/// Returns whether `strace` has noted a fault of its own making.
fn has_failed(notes: &Path) -> bool {
    std::fs::read_to_string(notes).is_ok_and(|notes| notes.contains("(INJECTED)"))
}

#[test]
fn writes_and_flushes_of_the_database_that_fail_cost_no_run_and_are_made_up_for() {
    if !have("strace") {
        println!("left out: strace is not installed");
        return;
    }
    // The calls of the writer's thread: of the record of the start, of its updates, of the first sync of a log of writes.
    for (calls, error, when) in [
        ("write,pwrite64", "EIO", "30..31"),
        ("write,pwrite64", "ENOSPC", "60"),
        ("fsync,fdatasync", "EIO", "1"),
        ("ftruncate", "EIO", "1"),
    ] {
        let home = Arc::new(Home::new());
        home.write("shtask.toml", CONFIG);
        let mut terminal = Launch::in_home(&home, PROGRAM[0]).args(&PROGRAM[1..]).start();
        terminal.wait_for_text("running");
        terminal.keys("qy");
        terminal.wait_exit();
        let state = only_project(&home.folder("state").join("shtask/projects")).expect("it had a folder");
        let notes = home.work().join("strace.notes");

        let inject = format!("inject={calls}:error={error}:when={when}");
        let strace = ["-f", "-qq", "--seccomp-bpf", "-e", &format!("trace={calls}"), "-e", &inject].map(str::to_owned);
        let files = ["records.db", "records.db-wal"].map(|name| state.join(name));
        let mut launch = Launch::in_home(&home, "strace").args(strace);
        launch = launch.args([Path::new("-o"), &notes]);
        for file in &files {
            launch = launch.args([Path::new("-P"), file]);
        }
        let mut terminal = launch.args(PROGRAM).start();
        terminal.wait_until(&format!("{inject} is over and the newest output is on record"), |terminal| {
            if terminal.screen().has("ticks was not started: the record could not be stored") {
                // What cannot be put on record is not started, and nothing keeps the next try from it.
                terminal.keys("s");
            }
            let is_on_record = || output(&state).is_some_and(|output| output.contains("line 90"));
            has_failed(&notes) && is_on_record()
        });
        let record = newest(&state).expect("a record");
        assert_eq!(record.status, Status::Running, "{inject}: {record:?}");
        assert!(record.degraded.as_ref().is_none_or(|degraded| degraded.until.is_some()), "{inject}: {record:?}");
        terminal.keys("qy");
        terminal.wait_exit();
        assert_eq!(newest(&state).map(|record| record.status), Some(Status::Cancelled), "{inject}");
        assert_eq!(check(&state), 2, "{inject}");
    }
}

fn output(state: &Path) -> Option<String> {
    let connection = rusqlite::Connection::open(state.join("records.db")).ok()?;
    connection.query_row("SELECT output FROM outputs ORDER BY rowid DESC LIMIT 1", [], |row| row.get(0)).ok()
}
