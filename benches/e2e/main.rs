//! Speed and size of the real program in a real terminal, beside limits measured in the same run.
//!
//! `cargo bench --bench e2e -- [WORD…]` takes the measures whose names contain one of the words, or all. Numbers of two
//! machines, or of two runs on a busy one, cannot be compared; the ratio to the limit in the same row can.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

mod animation;
mod columns;
mod corpus;
mod echo;
mod first_frame;
mod flood;
mod growth;
#[expect(dead_code, unused_imports, reason = "the terminal of the tests has more than the benches need")]
#[path = "../../tests/it/harness/mod.rs"]
mod harness;
mod idle;
mod limits;
mod memory;
mod product;
mod records;
mod size;
mod stats;
mod table;
mod usage;

use table::{Row, Table};

/// A measure: its name for the command line, and what takes it.
type Measure = (&'static str, fn() -> Vec<Row>);

const MEASURES: &[Measure] = &[
    ("flood-pty", flood::pty),
    ("flood-pipes", flood::pipes),
    ("echo-idle", echo::idle),
    ("echo-beside-a-flood", echo::beside_a_flood),
    ("animation-one", animation::one),
    ("animation-four-panes", animation::four_panes),
    ("first-frame", first_frame::first_frame),
    ("memory", memory::memory),
    ("idle", idle::idle),
    ("usage-columns", columns::usage_columns),
    ("growth", growth::growth),
    ("flushing", records::flushing),
    ("log", records::log),
    ("size", size::size),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [word, frames_a_second] = &arguments[..]
        && word == animation::ANIMATE
    {
        animation::animate(frames_a_second.parse().expect("a number"));
    }
    // `cargo test --benches` runs this, too, without the word that `cargo bench` adds: there is nothing to test.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return ExitCode::SUCCESS;
    }
    let words: Vec<&str> = arguments.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word));
    let mut table = Table::default();
    for (name, measure) in MEASURES.iter().filter(|(name, _)| wanted(name)) {
        eprintln!("measuring {name} …");
        match catch_unwind(AssertUnwindSafe(measure)) {
            Ok(rows) => table.add(rows),
            Err(_) => table.add(vec![Row::failed(name)]),
        }
    }
    println!("{table}");
    if table.all_measured() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
