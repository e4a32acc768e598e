//! SIGKILL of the whole program at random moments under load: the database opens, its records are true, and no byte is missing that a
//! record or the log says is there (S2.7).

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use shtask::model::{Record, Status};
use shtask::store::log::{LogReader, LogStream};

use super::ground::{Program, Setup, run};
use crate::harness::pty::{Beside, Exit, ReadOutcome};
use crate::harness::{Home, Launch};

/// How often it is killed in all, and by how many at once.
const KILLS: usize = 200;
const AT_ONCE: usize = 4;

/// The longest that it lives.
const MAX_LIFE: Duration = Duration::from_millis(500);

/// Runs that print numbered lines, run short, and fail: something is being started, flushed and made final all the time.
const CONFIG: &str = r#"
[output]
flush_interval = "100ms"
max_log_bytes = "64KiB"

[tasks.terminal]
run = 'i=0; while :; do for x in 1 2 3 4 5 6 7 8 9 10; do i=$((i+1)); echo "line $i"; done; sleep 0.005; done'

[tasks.pipes]
mode = "pipes"
run = 'i=0; while :; do for x in 1 2 3 4 5 6 7 8 9 10; do i=$((i+1)); echo "line $i"; echo "line $i" >&2; done; sleep 0.005; done'

[tasks.short]
mode = "pipes"
run = 'echo "line 1"; exit 3'

[tasks.shorter]
run = 'sleep 0.1; echo "line 1"'
"#;

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }
}

/// Lets the program live for so long, and kills it.
fn live_and_die(home: &Arc<Home>, life: Duration) {
    let program = Launch::in_home(home, env!("CARGO_BIN_EXE_shtask")).args(["--config", "shtask.toml"]).size(80, 24);
    let mut pty = program.start_bare();
    let end = Instant::now() + life;
    let mut buffer = [0; 65536];
    while let Some(left) = end.checked_duration_since(Instant::now()) {
        pty.wait(left, Beside::End);
        if pty.read(&mut buffer) == ReadOutcome::Closed {
            break;
        }
        assert_eq!(pty.exit(), None, "it ended by itself: {}", String::from_utf8_lossy(&buffer[..2000]));
    }
    pty.signal(Signal::KILL);
    let deadline = Instant::now() + Duration::from_secs(20);
    let exit = loop {
        if let Some(exit) = pty.exit() {
            break exit;
        }
        assert!(Instant::now() < deadline, "it cannot be killed");
        pty.wait(Duration::from_millis(100), Beside::End);
        while matches!(pty.read(&mut buffer), ReadOutcome::Bytes(_)) {}
    };
    assert_eq!(exit, Exit::Signal(9));
}

/// What S2.2 says of each status.
fn check_record(record: &Record) {
    let fits = match record.status {
        Status::Queued | Status::Starting => record.process.is_none() && record.completed_at.is_none(),
        Status::Running => record.process.is_some() && record.completed_at.is_none() && record.exit_code.is_none(),
        Status::Completed => record.exit_code == Some(0) && record.failure.is_none(),
        Status::Failed => record.exit_code != Some(0) && (record.exit_code.is_some() || record.failure.is_some()),
        Status::TimedOut => record.exit_code == Some(124),
        Status::Cancelled => record.exit_code == Some(130),
        Status::Orphaned => record.exit_code.is_none() && record.failure.is_some(),
    };
    assert!(fits && record.revision >= 1, "{record:?}");
    assert_eq!(record.completed_at.is_some(), record.status.is_final(), "{record:?}");
}

/// Lines that follow each other, but for the first and the last, which may be cut.
fn check_lines(bytes: &[u8], record: &Record) {
    let text = String::from_utf8_lossy(bytes);
    let whole: Vec<&str> = text.split_inclusive('\n').skip(1).filter(|line| line.ends_with('\n')).collect();
    let numbers = whole.iter().map(|line| line.trim_end().strip_prefix("line ").and_then(|n| n.parse::<u64>().ok()));
    let numbers: Vec<u64> = numbers.map(|number| number.unwrap_or_else(|| panic!("{text} of {record:?}"))).collect();
    assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1), "{numbers:?} of {record:?}");
}

/// Looks at everything that the program left behind, before another one sees it.
pub(super) fn check(state: &Path) -> usize {
    let path = state.join("records.db");
    let known = |table: &rusqlite::Connection| {
        table.query_row("SELECT count(*) FROM sqlite_master WHERE name = 'runs'", [], |row| row.get::<_, i64>(0))
    };
    if !path.exists() {
        return 0;
    }
    let connection = rusqlite::Connection::open(&path).expect("the database opens");
    let found: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("it can be checked");
    assert_eq!(found, "ok");
    // It may have died before there was anything in it.
    if known(&connection).expect("it can be read") == 0 {
        return 0;
    }
    let mut select = connection.prepare("SELECT record FROM runs").expect("a table");
    let records = select.query_map([], |row| row.get::<_, String>(0)).expect("rows");
    let mut count = 0;
    for record in records {
        let record: Record = serde_json::from_str(&record.expect("a row")).expect("a record");
        check_record(&record);
        count += 1;
        let promised = record.log.map_or(0, |log| log.bytes);
        let Ok(mut reader) = LogReader::open(&state.join("logs"), record.id) else {
            assert_eq!(promised, 0, "{record:?}");
            continue;
        };
        assert!(reader.notices().is_empty(), "{reader:?}");
        let ends = LogStream::BOTH.map(|stream| reader.span(stream).1);
        assert!(ends.iter().sum::<u64>() >= promised, "{ends:?} of {record:?}");
        for stream in LogStream::BOTH {
            let bytes = reader.read(stream, 0, usize::MAX).expect("it can be read").bytes;
            check_lines(&bytes, &record);
        }
    }
    count
}

/// Returns the folder of the one project that has been opened.
pub(super) fn only_project(projects: &Path) -> Option<PathBuf> {
    let mut found = std::fs::read_dir(projects).ok()?.map(|entry| entry.expect("an entry").path());
    let only = found.next();
    assert_eq!(found.next(), None, "one project has one folder");
    only
}

#[test]
fn nothing_that_was_promised_is_lost_over_two_hundred_kills() {
    let start = Instant::now();
    let seen: usize = std::thread::scope(|scope| {
        let work = |seed: u64| {
            let home = Arc::new(Home::new());
            home.write("shtask.toml", CONFIG);
            let projects = home.folder("state").join("shtask/projects");
            let mut numbers = Numbers(seed);
            let mut seen = 0;
            for _ in 0..KILLS / AT_ONCE {
                let life = MAX_LIFE.as_micros() as u64;
                live_and_die(&home, Duration::from_micros(numbers.next() % life));
                // The very first may have died before it had a folder.
                if let Some(state) = only_project(&projects) {
                    seen = check(&state);
                }
            }
            let state = only_project(&projects).expect("a program that lived long enough");
            // The next program takes it up, and nothing is live any more.
            run(async {
                let program = Program::start(&state, Setup::default()).expect("a program");
                let connection = rusqlite::Connection::open(state.join("records.db")).expect("the database opens");
                let active = "SELECT count(*) FROM runs WHERE completed_at IS NULL";
                assert_eq!(connection.query_row(active, [], |row| row.get::<_, i64>(0)).expect("a count"), 0);
                program.leave().await;
            });
            seen
        };
        let works: Vec<_> = (1..=AT_ONCE as u64).map(|seed| scope.spawn(move || work(seed))).collect();
        works.into_iter().map(|work| work.join().expect("no panic")).sum()
    });
    println!("{KILLS} kills in {:?}, {seen} records", start.elapsed());
    assert!(seen > KILLS, "{seen} records: it lived too short to do anything");
}
