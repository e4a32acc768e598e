//! What runs cost the program stays within bounds, and what it runs out of is said: memory, disk, descriptors, time (BUGS B32, B33, B68, B78).

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use shtask::model::{Record, Status};

use crate::harness::{Home, Launch, Terminal};

fn launch(home: &Arc<Home>) -> Launch {
    Launch::in_home(home, env!("CARGO_BIN_EXE_shtask")).args(["--embedded", "--config", "shtask.toml"]).size(100, 30)
}

fn open(config: &str) -> Terminal {
    let home = Arc::new(Home::new());
    home.write("shtask.toml", config);
    launch(&home).start()
}

/// The folder of the home's one project, once it is there.
fn state(home: &Home) -> Option<PathBuf> {
    let entries = std::fs::read_dir(home.folder("state").join("shtask/projects")).ok()?;
    entries.flatten().map(|entry| entry.path()).next()
}

fn records(home: &Home) -> Vec<Record> {
    let read = || {
        let connection = rusqlite::Connection::open(state(home)?.join("records.db")).ok()?;
        let mut select = connection.prepare("SELECT record FROM runs ORDER BY seq").ok()?;
        let rows = select.query_map([], |row| row.get::<_, String>(0)).ok()?;
        Some(rows.flatten().map(|record| serde_json::from_str(&record).expect("a record")).collect())
    };
    read().unwrap_or_default()
}

fn named(home: &Home, name: &str) -> Option<Record> {
    records(home).into_iter().rfind(|record| record.name.as_ref().is_some_and(|own| own.as_str() == name))
}

fn resident_kib(pid: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it lives");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it has memory");
    line.split_whitespace().next().and_then(|kib| kib.parse().ok()).expect("a number")
}

/// BUGS B32.
#[test]
fn memory_does_not_grow_with_what_a_flood_prints() {
    /// What a program at work may take for itself, and less than what is printed meanwhile.
    const MOST_KIB: u64 = 4 * 1024;
    for (mode, first, then) in [("pipes", 16 << 20, 128_u64 << 20), ("pty", 3 << 20, 9 << 20)] {
        let config = format!(
            "[output]\nmax_log_bytes = '1MiB'\n[tasks.flood]\nmode = '{mode}'\nrun = 'exec yes a line of some length'\n"
        );
        let mut terminal = open(&config);
        terminal.set_deadline(Duration::from_secs(60));
        let printed = |terminal: &Terminal| {
            named(terminal.home(), "flood").and_then(|record| record.log).map_or(0, |log| log.bytes)
        };
        terminal.wait_until("the tail and the scrollback are full", |terminal| printed(terminal) > first);
        let before = resident_kib(terminal.pid());
        terminal.wait_until("much more is printed", |terminal| printed(terminal) > then);
        let after = resident_kib(terminal.pid());
        assert!(after < before + MOST_KIB, "{mode}: {before} KiB, then {after} KiB");
    }
}

/// BUGS B33.
#[test]
fn a_run_that_prints_its_own_log_and_many_that_end_keep_the_caps_while_they_run_and_after_a_crash() {
    const ALL: u64 = 1 << 20;
    let home = Arc::new(Home::new());
    let logs = home.folder("state").join("shtask/projects/*/logs/*/*.stdout");
    let tasks: String = (0..12)
        .map(|n| format!("[tasks.t{n}]\nmode = 'pipes'\nrun = 'sleep 0.{n:02}; seq -f line%.0f 1 30000'\n"))
        .collect();
    let own = format!("[tasks.own]\nmode = 'pipes'\nrun = 'while :; do cat {} 2>/dev/null; done'\n", logs.display());
    home.write("shtask.toml", format!("[output]\nmax_log_bytes = '128KiB'\nflush_interval = '100ms'\n{own}{tasks}"));
    let mut terminal = launch(&home).env("SHTASK_RETENTION_LOG_BYTES", "1MiB").start();
    let total = |home: &Home| state(home).map_or(0, |state| shtask::store::log::total_bytes(&state.join("logs")));
    let dropped = |home: &Home| named(home, "own").and_then(|own| own.log).map_or(0, |log| log.dropped_bytes);
    let mut largest = 0;
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        terminal.take_in(Duration::from_millis(5));
        largest = largest.max(total(&home));
        let ended = records(&home).iter().filter(|record| record.status.is_final()).count();
        if ended == 12 && dropped(&home) > 4 * ALL {
            break;
        }
        assert!(Instant::now() < end, "{ended} have ended, {} were dropped\n{}", dropped(&home), terminal.picture());
    }
    // What is written while the oldest are being removed comes on top, for a moment.
    assert!(largest < ALL + ALL / 4, "{largest} bytes of logs, {ALL} are the most");
    assert!(largest > ALL / 2, "{largest}: the cap was never near");
    terminal.signal(Signal::KILL);
    terminal.wait_exit();
    let mut terminal = launch(&home).env("SHTASK_RETENTION_LOG_BYTES", "1MiB").start();
    terminal.wait_until("it is taken up", |terminal| records(terminal.home()).len() > 13);
    terminal.wait_until("the cap holds", |terminal| total(terminal.home()) <= ALL);
}

/// BUGS B68.
#[test]
fn out_of_descriptors_costs_the_runs_that_cannot_be_started_and_no_other() {
    const FIRST: usize = 3;
    let home = Arc::new(Home::new());
    // A few have their descriptors before the others want theirs.
    let ticks = "i=0; while :; do i=$((i+1)); echo tick $i; sleep 0.2; done";
    let task = |n| format!("[tasks.t{n}]\nmode = 'pipes'\nautostart = {}\nrun = '{ticks}'\n", n < FIRST);
    let tasks: String = (0..40).map(task).collect();
    home.write("shtask.toml", format!("[output]\nflush_interval = '200ms'\n{tasks}"));
    let line = format!("ulimit -n 64; exec {} --embedded --config shtask.toml", env!("CARGO_BIN_EXE_shtask"));
    let mut terminal = Launch::in_home(&home, "/bin/sh").args(["-c", &line]).size(100, 30).start();
    let running = |home: &Home| records(home).iter().filter(|record| record.status == Status::Running).count();
    terminal.wait_until("the first run", |terminal| running(terminal.home()) == FIRST);
    terminal.keys(&"j".repeat(FIRST - 1));
    terminal.keys(&"js".repeat(40 - FIRST));
    let failed = |home: &Home| {
        let all = records(home);
        all.into_iter().filter(|record| record.status == Status::Failed).collect::<Vec<_>>()
    };
    terminal.wait_until("some could not be started", |_| !failed(&home).is_empty());
    for record in failed(&home) {
        let failure = record.failure.expect("a failure");
        let message = failure.message.to_lowercase();
        assert!(message.contains("too many open files") || message.contains("descriptor"), "{message}");
    }
    let seen = |home: &Home| {
        let live = records(home).into_iter().filter(|record| record.status == Status::Running);
        live.filter_map(|record| record.log).map(|log| log.bytes).max().unwrap_or(0)
    };
    let before = seen(&home);
    terminal.wait_until("the others go on, and are kept", |_| seen(&home) > before + 20);
    assert!(running(&home) >= FIRST);
    assert_eq!(terminal.exit(), None);
}

/// BUGS B78: the clock that counts time asleep decides (S3.6).
#[test]
fn after_a_pause_of_the_program_what_is_overdue_is_timed_out_and_what_has_ended_is_completed() {
    let mut terminal = open(
        "[output]\nflush_interval = '100ms'\n\
         [tasks.late]\nmode = 'pipes'\nrun = 'exec sleep 1000'\ntimeout = '1500ms'\n\
         [tasks.done]\nmode = 'pipes'\nrun = 'sleep 1; echo the end'\n\
         [tasks.deaf]\nrun = 'trap : TERM HUP; while :; do sleep 1000; done'\ntimeout = '700ms'\nstop = { grace = '600ms' }\n",
    );
    let status = |terminal: &Terminal, name| named(terminal.home(), name).map(|record| record.status);
    terminal.wait_until("all run", |terminal| {
        ["late", "done", "deaf"].iter().all(|name| status(terminal, name) == Some(Status::Running))
    });
    terminal.signal(Signal::STOP);
    let stopped = Instant::now();
    while stopped.elapsed() < Duration::from_millis(2500) {
        terminal.take_in(Duration::from_millis(100));
    }
    terminal.signal(Signal::CONT);
    terminal.wait_until("all are final", |terminal| records(terminal.home()).iter().all(|r| r.status.is_final()));
    assert_eq!(status(&terminal, "late"), Some(Status::TimedOut));
    assert_eq!(status(&terminal, "done"), Some(Status::Completed));
    assert_eq!(status(&terminal, "deaf"), Some(Status::TimedOut));
    assert_eq!(terminal.exit(), None);
}
