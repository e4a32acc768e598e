//! What the columns of processor and memory cost.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::harness::{Home, Marker};
use crate::product::{Task, configure, launch};
use crate::table::{Goal, Row};
use crate::usage;

const RUNS: usize = 100;

/// How often the list asks: see `USAGE_EVERY` in `src/tui/model/usage.rs`.
const EVERY: Duration = Duration::from_secs(2);

/// Processor time of the program with a hundred idle runs, with the columns and without, in as long as ten questions take.
pub(crate) fn usage_columns() -> Vec<Row> {
    const QUESTIONS: u32 = 10;
    let [without, with] = [false, true].map(|is_wanted| processor_ms(is_wanted, EVERY * QUESTIONS));
    let name = |what: &str| format!("{what} with {RUNS} idle runs");
    let share = with / (EVERY * QUESTIONS).as_secs_f64() / 10.0;
    vec![
        Row::new(
            name("processor time of a question of the usage columns"),
            "ms",
            (with - without) / f64::from(QUESTIONS),
            Goal::Known,
        ),
        Row::new(name("the whole program with the columns, of one core"), "%", share, Goal::Known),
        Row::new("processes of the machine at the end of it", "", f64::from(processes()), Goal::Known),
    ]
}

fn processor_ms(is_wanted: bool, span: Duration) -> f64 {
    let (home, marker) = (Arc::new(Home::new()), Marker::new());
    let task = |number| Task::pty(&format!("idle-{number}"), &format!("exec sleep {marker}"));
    configure(&home, &(0..RUNS).map(task).collect::<Vec<Task>>());
    let own = home.folder("config").join("shtask");
    std::fs::create_dir_all(&own).expect("a folder");
    std::fs::write(own.join("config.toml"), format!("[tui]\nusage = {is_wanted}\n")).expect("a file");
    // Wide enough for both columns.
    let mut terminal = launch(&home).size(160, 50).start();
    terminal.set_deadline(Duration::from_secs(120));
    terminal.wait_alive(&marker, RUNS);
    terminal.wait_for("both columns, or none", |screen| screen.text().contains("0%") == is_wanted);
    terminal.wait_quiet(Duration::from_millis(500));
    let pids = usage::own_processes(&terminal);
    let before = usage::work(&pids).processor_us;
    let end = Instant::now() + span;
    while Instant::now() < end {
        terminal.take_in(end.saturating_duration_since(Instant::now()));
    }
    u32::try_from(usage::work(&pids).processor_us - before).map_or(f64::NAN, f64::from) / 1e3
}

fn processes() -> u32 {
    u32::try_from(crate::harness::Process::all().len()).unwrap_or(u32::MAX)
}
