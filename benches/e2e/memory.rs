//! Memory with idle runs.

use std::sync::Arc;
use std::time::Duration;

use crate::harness::{Home, Marker, Terminal};
use crate::product::{Task, configure, open};
use crate::stats::median;
use crate::table::{Goal, Row};
use crate::usage;

/// Starts the program with `count` idle runs in terminals, and waits until all run and the screen is quiet.
pub(crate) fn idle_runs(marker: &Marker, count: usize) -> Terminal {
    let home = Arc::new(Home::new());
    let task = |number| Task::pty(&format!("idle-{number}"), &format!("exec sleep {marker}"));
    configure(&home, &(0..count).map(task).collect::<Vec<Task>>());
    let mut terminal = open(&home);
    terminal.wait_alive(marker, count);
    terminal.wait_quiet(Duration::from_millis(500));
    terminal
}

/// All processes of the program together, with one run and with a hundred, and one holder alone.
pub(crate) fn memory() -> Vec<Row> {
    let marker = Marker::new();
    let mut rows = Vec::new();
    for (count, goal) in [(1, Goal::AtMost(12.0)), (100, Goal::AtMost(24.0))] {
        let terminal = idle_runs(&marker, count);
        let pids = usage::own_processes(&terminal);
        let name = format!("memory (PSS) with {count} idle PTY runs, {} processes", pids.len());
        rows.push(Row::new(name, "MiB", usage::pss_mib(&pids), goal));
        if count == 100 {
            let tui = usage::memory(terminal.pid());
            rows.push(Row::new(
                "memory (PSS) of the TUI's process among them",
                "MiB",
                usage::mib(tui.pss),
                Goal::Known,
            ));
            let others = pids.iter().filter(|pid| **pid != terminal.pid());
            let private: Vec<f64> = others.map(|pid| usage::mib(usage::memory(*pid).private) * 1024.0).collect();
            rows.push(Row::new("private memory of a holder, median", "KiB", median(&private), Goal::AtMost(512.0)));
        }
    }
    rows
}
