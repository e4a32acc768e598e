//! What keeping costs: flushing records, writing logs.

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::corpus::{self, Kind};
use crate::flood;
use crate::harness::Home;
use crate::product::{Task, configure_with, open};
use crate::stats::best;
use crate::table::{Goal, Row};
use crate::usage;

/// The share of a processor that all processes of the program take, in per cent, while 64 runs print ten lines a second.
fn share(flush_interval: &str, redacts: bool) -> f64 {
    const RUNS: usize = 64;
    const SPAN: Duration = Duration::from_secs(8);
    let home = Arc::new(Home::new());
    let line = "i=0; while :; do i=$((i+1)); echo \"2026-11-29T12:00:00Z INFO server: request $i took 12 ms\"; sleep 0.1; done";
    let tasks: Vec<Task> = (0..RUNS).map(|number| Task::pipes(&format!("run{number}"), line)).collect();
    let patterns = if redacts { "[redact]\npatterns = [\"EMP-[0-9]{4}\"]\n" } else { "" };
    configure_with(&home, &format!("[output]\nflush_interval = \"{flush_interval}\"\n{patterns}"), &tasks);
    let mut terminal = open(&home);
    terminal.wait_for_text("request 40 took");
    let pids = usage::own_processes(&terminal);
    let (start, before) = (Instant::now(), usage::work(&pids).processor_us);
    while start.elapsed() < SPAN {
        terminal.take_in(Duration::from_millis(100));
    }
    let used = Duration::from_micros(usage::work(&pids).processor_us - before);
    used.as_secs_f64() / start.elapsed().as_secs_f64() * 100.0
}

/// What flushing takes of a processor: the program with a flush a second beside the program that flushes nothing.
pub(crate) fn flushing() -> Vec<Row> {
    // Turn by turn, so that what else the machine does is in both.
    let (mut without, mut with, mut with_pattern) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..2 {
        without.push(share("1h", false));
        with.push(share("1s", false));
        with_pattern.push(share("1s", true));
    }
    let (without, with, with_pattern) = (best(&without), best(&with), best(&with_pattern));
    vec![
        Row::new("processor, 64 runs of 10 lines/s, limit: no flushes", "%", with, Goal::OverLimit(3.0)).limit(without),
        Row::new("the same with a pattern of the user's", "%", with_pattern, Goal::OverLimit(3.0)).limit(without),
    ]
}

/// How fast a flood through pipes goes into its log, beside `cat` into a file of the same file system.
pub(crate) fn log() -> Vec<Row> {
    const BYTES: usize = 256 * 1024 * 1024;
    const ROUNDS: usize = 3;
    let bytes = corpus::lines(Kind::Ascii, BYTES);
    let rate = |seconds: f64| flood::megabytes_per_second(bytes.len(), seconds);
    let (mut cat, mut kept, mut redacted) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        // A home for each: what one has written is in no other's way.
        let home = Arc::new(Home::new());
        home.write("flood", &bytes);
        cat.push(cat_to_a_file(&home));
        for (output, seconds) in [("", &mut kept), ("redact_logs = true\n", &mut redacted)] {
            let head = format!("[output]\nmax_log_bytes = \"1GiB\"\n{output}");
            seconds.push(flood::through_the_program(&home, Task::pipes, &head).seconds);
        }
    }
    let (cat, kept, redacted) = (rate(best(&cat)), rate(best(&kept)), rate(best(&redacted)));
    let name = "pipe flood into the log, limit: cat to a file";
    vec![
        Row::new(name, "MB/s", kept, Goal::PartOfLimit(0.6)).limit(cat),
        Row::new("the same with redact_logs", "MB/s", redacted, Goal::Known).limit(cat),
    ]
}

/// Seconds that `cat` takes from a pipe to a file, as the log's writer has it from a pipe.
fn cat_to_a_file(home: &Home) -> f64 {
    let start = Instant::now();
    let line = "cat flood | cat > written";
    let done = Command::new("/bin/sh").args(["-c", line]).current_dir(home.work()).status();
    assert!(done.is_ok_and(|status| status.success()), "cat works");
    start.elapsed().as_secs_f64()
}
