//! Memory under output without an end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::harness::Home;
use crate::product::{MakeTask, Task, configure, open, open_gate};
use crate::table::{Goal, Row};
use crate::usage;

/// How much all processes grow in ten seconds of `yes`, in a terminal and through pipes.
pub(crate) fn growth() -> Vec<Row> {
    const SPAN: Duration = Duration::from_secs(10);
    /// The rest of the growth must stay within this after the scrollback has filled up in the first seconds.
    const FILL: Duration = Duration::from_secs(3);
    let mut rows = Vec::new();
    let kinds: [(&str, MakeTask); 2] = [("PTY", Task::pty), ("pipes", Task::pipes)];
    for (name, task) in kinds {
        let home = Arc::new(Home::new());
        configure(&home, &[task("yes", "rm -f gate; mkfifo gate; echo rea\"dy\"; read x < gate; exec yes")]);
        let mut terminal = open(&home);
        terminal.wait_for_text("ready");
        let pids = usage::own_processes(&terminal);
        let idle = usage::pss_mib(&pids);
        open_gate(&home, "gate");
        let start = Instant::now();
        let mut filled = idle;
        while start.elapsed() < SPAN {
            terminal.take_in(Duration::from_millis(100));
            if start.elapsed() < FILL {
                filled = filled.max(usage::pss_mib(&pids));
            }
        }
        let end = usage::pss_mib(&pids);
        rows.push(Row::new(
            format!("memory growth under `yes`, {name}, start to 10 s"),
            "MiB",
            end - idle,
            Goal::Known,
        ));
        let steady = (end - filled).max(0.0);
        rows.push(Row::new(format!("the same from 3 s to 10 s, {name}"), "MiB", steady, Goal::AtMost(1.0)));
    }
    rows
}
