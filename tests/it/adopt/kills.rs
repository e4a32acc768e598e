//! Kills at random moments: every byte is there once, every exit code is known.

use std::path::Path;
use std::time::{Duration, Instant};

use shtask::model::{Mode, RunId};
use shtask::store::log::{LogReader, LogStream};

use super::drivers::{Plan, outcome, plan};
use super::server::{Numbers, Server};

const SERVER: &str = "adopt::drivers::a_server_of_drivers";

/// How many kills there are at least; `SHTASK_KILLS` says otherwise.
fn kills(usual: usize) -> usize {
    std::env::var("SHTASK_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Kills servers one after the other until all runs are over; returns how many.
fn kill_until_done(state: &Path, runs: &[RunId], numbers: &mut Numbers, longest: Duration) -> usize {
    let mut count = 0;
    let end = Instant::now() + Duration::from_secs(240);
    while runs.iter().any(|run| outcome(state, *run).is_none()) {
        assert!(Instant::now() < end, "not over after {count} kills");
        let server = Server::start(SERVER, state);
        let life = Duration::from_micros(numbers.below(u64::try_from(longest.as_micros()).expect("fits")));
        let until = Instant::now() + life;
        while Instant::now() < until && runs.iter().any(|run| outcome(state, *run).is_none()) {
            std::thread::sleep(Duration::from_micros(500));
        }
        server.kill();
        count += 1;
    }
    // The last ones may not have come to let their holders go.
    Server::start(SERVER, state).kill();
    assert_eq!(std::fs::read_dir(state.join("holders")).expect("sockets").count(), 0);
    count
}

fn output(state: &Path, run: RunId, stream: LogStream) -> Vec<u8> {
    let mut reader = LogReader::open(&state.join("logs"), run).expect("a log");
    let (mut bytes, mut at) = (Vec::new(), 0);
    loop {
        let read = reader.read(stream, at, 1 << 20).expect("read");
        assert_eq!(read.skipped_bytes, 0);
        if read.bytes.is_empty() {
            return bytes;
        }
        at = read.next_offset;
        bytes.extend(read.bytes);
    }
}

fn numbered(count: u64, end: &str) -> Vec<u8> {
    (1..=count).flat_map(|number| format!("{number}{end}").into_bytes()).collect()
}

/// Compares without printing megabytes.
fn assert_same(found: &[u8], wanted: &[u8], what: &str) {
    if found != wanted {
        let at = found.iter().zip(wanted).take_while(|(a, b)| a == b).count();
        let near = |bytes: &[u8]| {
            String::from_utf8_lossy(&bytes[at.saturating_sub(30).min(bytes.len())..(at + 30).min(bytes.len())])
                .into_owned()
        };
        panic!(
            "{what}: {} and {} bytes, other from {at} on: {:?} and {:?}",
            found.len(),
            wanted.len(),
            near(found),
            near(wanted)
        );
    }
}

#[test]
fn a_server_that_is_killed_in_a_flood_loses_no_byte_and_no_exit_code() {
    let mut numbers = Numbers(7);
    let mut killed = 0;
    while killed < kills(12) {
        let state = tempfile::tempdir().expect("a folder");
        let lines = 20_000;
        let script = format!("seq 1 {lines}; seq 1 {lines} >&2; exit 7");
        let runs = [Mode::Pty, Mode::Pipes].map(|mode| {
            let plan_of = Plan { script: script.clone(), mode, payload: None };
            plan(state.path(), 1 + mode as u8, &plan_of)
        });
        killed += kill_until_done(state.path(), &runs, &mut numbers, Duration::from_millis(150));
        for run in runs {
            assert_eq!(outcome(state.path(), run).as_deref(), Some("Code(7) false"));
        }
        let terminal = numbered(lines, "\r\n").repeat(2);
        assert_same(&output(state.path(), runs[0], LogStream::Output), &terminal, "the terminal");
        let pipe = numbered(lines, "\n");
        assert_same(&output(state.path(), runs[1], LogStream::Output), &pipe, "standard output");
        assert_same(&output(state.path(), runs[1], LogStream::Error), &pipe, "standard error");
    }
    println!("{killed} kills");
}

#[test]
fn a_payload_reaches_standard_input_once_however_often_the_server_is_killed() {
    let state = tempfile::tempdir().expect("a folder");
    let mut numbers = Numbers(11);
    let payload: Vec<u8> = (0..1_048_576_u32).map(|_| u8::try_from(numbers.below(256)).expect("fits")).collect();
    // It reads in small steps, so that a kill finds it in the middle.
    let script = "dd bs=4000 status=none | while dd bs=3000 count=20 iflag=fullblock status=none | cat; test -e /dev/null; do i=$((i+1)); test $i -lt 20 || break; done";
    let plan_of = Plan { script: script.to_owned(), mode: Mode::Pipes, payload: Some(payload.clone()) };
    let run = plan(state.path(), 3, &plan_of);
    let killed = kill_until_done(state.path(), &[run], &mut numbers, Duration::from_millis(30));
    println!("{killed} kills");
    assert_eq!(outcome(state.path(), run).as_deref(), Some("Code(0) false"));
    assert_same(&output(state.path(), run, LogStream::Output), &payload, "what was read");
}

#[test]
fn runs_that_start_idle_and_end_between_kills_are_all_there() {
    let mut numbers = Numbers(13);
    let mut killed = 0;
    while killed < kills(12) {
        let state = tempfile::tempdir().expect("a folder");
        let scripts =
            ["echo one; exit 1", "sleep 0.05; echo two; exit 2", "echo a; sleep 0.3; echo b; exit 3", "exit 4"];
        let mut runs = Vec::new();
        for (number, script) in (10..).zip(scripts) {
            for (mode, add) in [(Mode::Pty, 0), (Mode::Pipes, 100)] {
                let plan_of = Plan { script: script.to_owned(), mode, payload: None };
                runs.push((plan(state.path(), number + add, &plan_of), number - 9, mode));
            }
        }
        let ids: Vec<RunId> = runs.iter().map(|(run, ..)| *run).collect();
        killed += kill_until_done(state.path(), &ids, &mut numbers, Duration::from_millis(60));
        for (run, code, mode) in runs {
            assert_eq!(outcome(state.path(), run), Some(format!("Code({code}) false")));
            let text = ["one\n", "two\n", "a\nb\n", ""][usize::from(code) - 1];
            let text = if mode == Mode::Pty { text.replace('\n', "\r\n") } else { text.to_owned() };
            assert_same(&output(state.path(), run, LogStream::Output), text.as_bytes(), "the output");
        }
    }
    println!("{killed} kills");
}
