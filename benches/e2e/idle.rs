//! What the program does when nothing happens.

use std::time::{Duration, Instant};

use crate::harness::Marker;
use crate::memory::idle_runs;
use crate::table::{Goal, Row};
use crate::usage;

/// Processor time, wake-ups and drawn bytes over five seconds with 50 idle runs.
pub(crate) fn idle() -> Vec<Row> {
    const SPAN: Duration = Duration::from_secs(5);
    let marker = Marker::new();
    let mut terminal = idle_runs(&marker, 50);
    let pids = usage::own_processes(&terminal);
    let (before, drawn) = (usage::work(&pids), terminal.raw().len());
    let end = Instant::now() + SPAN;
    while Instant::now() < end {
        terminal.take_in(end.saturating_duration_since(Instant::now()));
    }
    let after = usage::work(&pids);
    let count = |number: u64| u32::try_from(number).map_or(f64::NAN, f64::from);
    let processor_ms = count(after.processor_us - before.processor_us) / 1e3;
    let bytes = count(u64::try_from(terminal.raw().len() - drawn).unwrap_or(u64::MAX));
    vec![
        // Ten milliseconds are the kernel's own unit of a process's time: less is "no measurable CPU".
        Row::new("processor time in 5 s with 50 idle runs", "ms", processor_ms, Goal::AtMost(10.0)),
        Row::new("wake-ups meanwhile", "", count(after.wake_ups - before.wake_ups), Goal::Known),
        Row::new("bytes drawn meanwhile", "", bytes, Goal::AtMost(0.0)),
    ]
}
