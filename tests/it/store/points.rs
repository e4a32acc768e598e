//! SIGKILL of the whole program at every named point, and the n-th failure of what it asks of the system (feature `test-hooks`).

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use shtask::model::{Record, Status};
use shtask::sys::hooks::{POINTS, VARIABLE};

use super::ground::{Program, Setup, run};
use super::killed::{check, only_project};
use crate::harness::pty::{Beside, Exit, Pty, ReadOutcome};
use crate::harness::{Home, Launch, Terminal};

/// The longest that a point is waited for.
const MAX_LIFE: Duration = Duration::from_secs(30);

/// Every way of a run: started, flushed, more than its log takes, ended by itself and by a timeout, in a terminal and with pipes.
const CONFIG: &str = r#"
[output]
flush_interval = "100ms"
max_log_bytes = "64KiB"
[tasks.flood]
mode = "pipes"
run = 'seq -f "line %.0f" 1 30000; exec sleep 1000'
[tasks.terminal]
run = 'i=0; while :; do i=$((i+1)); echo "line $i"; sleep 0.01; done'
timeout = "600ms"
[tasks.steady]
mode = "pipes"
run = 'i=0; while :; do i=$((i+1)); echo "line $i"; sleep 0.02; done'
[tasks.short]
mode = "pipes"
run = 'echo "line 1"; exit 3'
[tasks.shorter]
run = 'sleep 0.1; echo "line 1"'
"#;

fn launch(home: &Arc<Home>, plan: &str) -> Launch {
    let program = Launch::in_home(home, env!("CARGO_BIN_EXE_shtask"))
        .args(["--embedded", "--config", "shtask.toml"])
        .size(100, 30);
    // None is kept, so that something is pruned at each start.
    program.env(VARIABLE, plan).env("SHTASK_RETENTION_RUNS", "0")
}

/// Lets the program live until it dies; returns whether it did.
fn dies(mut pty: Pty, max_life: Duration) -> bool {
    let end = Instant::now() + max_life;
    let mut buffer = [0; 65536];
    while let Some(left) = end.checked_duration_since(Instant::now()) {
        pty.wait(left.min(Duration::from_millis(50)), Beside::End);
        let read = pty.read(&mut buffer);
        if let Some(exit) = pty.exit() {
            assert_eq!(exit, Exit::Signal(9));
            return true;
        }
        if read == ReadOutcome::Closed {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    pty.signal(Signal::KILL);
    false
}

/// Starts the next program over what is left, and checks that it makes every record final.
fn taken_up(state: &Path) {
    run(async {
        let program = Program::start(state, Setup::default()).expect("a program");
        assert!(program.found.notices.is_empty(), "{:?}", program.found.notices);
        assert_eq!(count(state, "completed_at IS NULL"), 0);
        program.leave().await;
    });
}

fn count(state: &Path, condition: &str) -> i64 {
    let connection = rusqlite::Connection::open(state.join("records.db")).expect("the database opens");
    let count = format!("SELECT count(*) FROM runs WHERE {condition}");
    connection.query_row(&count, [], |row| row.get(0)).expect("a count")
}

#[test]
fn a_program_that_is_killed_at_any_named_point_leaves_true_records_and_whole_logs() {
    const AT_ONCE: usize = 2;
    let work = |mine: usize| {
        for (_, point) in POINTS.iter().enumerate().filter(|(number, _)| number % AT_ONCE == mine) {
            let home = Arc::new(Home::new());
            home.write("shtask.toml", CONFIG);
            let projects = home.folder("state").join("shtask/projects");
            // Something to be recovered and to be pruned.
            for plan in ["start.confirmed=kill@3", "final.stored=kill@3"] {
                assert!(dies(launch(&home, plan).start_bare(), MAX_LIFE), "{plan} was not reached");
            }
            for time in [1, 3] {
                let plan = format!("{point}=kill@{time}");
                let max_life = if time == 1 { MAX_LIFE } else { Duration::from_secs(2) };
                let died = dies(launch(&home, &plan).start_bare(), max_life);
                assert!(died || time > 1, "{plan} was not reached");
                let state = only_project(&projects).expect("it had a folder");
                assert!(check(&state) > 0, "{plan}");
            }
            taken_up(&only_project(&projects).expect("it had a folder"));
        }
    };
    std::thread::scope(|scope| {
        let works: Vec<_> = (0..AT_ONCE).map(|mine| scope.spawn(move || work(mine))).collect();
        works.into_iter().for_each(|work| work.join().expect("no panic"));
    });
}

/// Returns the records of the one project.
fn records(home: &Home) -> Vec<Record> {
    let Some(state) = only_project(&home.folder("state").join("shtask/projects")) else { return Vec::new() };
    let Ok(connection) = rusqlite::Connection::open(state.join("records.db")) else { return Vec::new() };
    let Ok(mut select) = connection.prepare("SELECT record FROM runs ORDER BY seq") else { return Vec::new() };
    let Ok(rows) = select.query_map([], |row| row.get::<_, String>(0)) else { return Vec::new() };
    rows.flatten().map(|record| serde_json::from_str(&record).expect("a record")).collect()
}

const STAYS: &str = "[tasks.first]\nmode = 'pipes'\nrun = 'echo first; exec sleep 1000'\n\
     [tasks.second]\nrun = 'echo second; exec sleep 1000'\n[tasks.third]\nrun = 'echo third; exec sleep 1000'\n";

fn open_with(home: &Arc<Home>, plan: &str) -> Terminal {
    launch(home, plan).start()
}

#[test]
fn the_nth_fork_or_terminal_that_cannot_be_had_costs_that_run_alone() {
    // 11 is EAGAIN, 28 is ENOSPC.
    for (plan, cause) in [
        ("fork=11@1", "Resource temporarily unavailable"),
        ("fork=11@2", "Resource temporarily unavailable"),
        ("fork=11@3", "Resource temporarily unavailable"),
        ("openpty=28@1", "No space left"),
    ] {
        let home = Arc::new(Home::new());
        home.write("shtask.toml", STAYS);
        let mut terminal = open_with(&home, plan);
        let all_are_decided = |_: &mut Terminal| {
            let records = records(&home);
            records.len() == 3 && records.iter().all(|record| record.status != Status::Starting)
        };
        terminal.wait_until("all are decided", all_are_decided);
        let records = records(&home);
        let failed: Vec<&Record> = records.iter().filter(|record| record.status == Status::Failed).collect();
        assert!((1..3).contains(&failed.len()), "{plan}: {records:?}");
        for record in failed {
            let message = &record.failure.as_ref().expect("a failure").message;
            assert!(message.contains(cause) && record.process.is_none(), "{plan}: {message}");
        }
        assert_eq!(terminal.exit(), None);
    }
}

#[test]
fn the_nth_failure_of_the_disk_is_said_and_over_with_the_next_try() {
    for plan in ["store=5@4", "commit=5@5", "log-open=5@2", "log-write=5@3", "log-write=28@6"] {
        let home = Arc::new(Home::new());
        home.write("shtask.toml", format!("[output]\nflush_interval = '100ms'\n{CONFIG_TICKS}"));
        let mut terminal = open_with(&home, plan);
        // The next try may come before anybody sees a mark; what lasts is that everything is stored in the end.
        terminal.wait_until("the newest output is on record", |_| {
            let state = only_project(&home.folder("state").join("shtask/projects"));
            state.is_some_and(|state| {
                let path: PathBuf = state.join("records.db");
                let newest = rusqlite::Connection::open(path).and_then(|connection| {
                    connection.query_row("SELECT max(output) FROM outputs", [], |row| row.get::<_, Option<String>>(0))
                });
                newest.is_ok_and(|output| output.is_some_and(|output| output.contains("tick 40")))
            })
        });
        let records = records(&home);
        assert_eq!(records.len(), 1, "{plan}");
        assert_eq!(records[0].status, Status::Running, "{plan}: {records:?}");
        assert!(records[0].degraded.as_ref().is_none_or(|degraded| !degraded.why.is_empty()), "{records:?}");
        assert_eq!(terminal.exit(), None, "{plan}");
    }
}

const CONFIG_TICKS: &str =
    "[tasks.ticks]\nmode = 'pipes'\nrun = 'i=0; while :; do i=$((i+1)); echo tick $i; sleep 0.05; done'\n";

#[test]
fn a_file_that_cannot_be_opened_or_set_aside_is_an_error_with_its_path_and_changes_nothing() {
    let home = Arc::new(Home::new());
    home.write("shtask.toml", STAYS);
    // The lock, then the database.
    for plan in ["open=13@1", "open=13@2"] {
        let mut terminal = open_with(&home, plan);
        assert_eq!(terminal.wait_exit(), Exit::Code(1), "{}", terminal.picture());
        let text = terminal.screen().text().replace('\n', "");
        assert!(text.contains("Permission denied") && text.contains("hint: "), "{text}");
    }
    let mut terminal = open_with(&home, "");
    terminal.wait_until("it works", |_| records(&home).len() == 3);
    terminal.signal(Signal::TERM);
    terminal.wait_exit();
    let database = only_project(&home.folder("state").join("shtask/projects")).expect("a folder").join("records.db");
    let damage = b"no database ".repeat(1000);
    std::fs::write(&database, &damage).expect("it is ours");
    let mut terminal = open_with(&home, "rename=5@1");
    assert_eq!(terminal.wait_exit(), Exit::Code(1), "{}", terminal.picture());
    assert!(terminal.screen().text().replace('\n', "").contains("records.db"), "{}", terminal.picture());
    assert_eq!(std::fs::read(&database).expect("it is there"), damage);
}
