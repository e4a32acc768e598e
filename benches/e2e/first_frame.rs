//! From the start of the program to its first frame.

use std::sync::Arc;
use std::time::Instant;

use crate::harness::{Home, Launch};
use crate::product::{Task, configure, launch};
use crate::stats::median;
use crate::table::{Goal, Row};

const ROUNDS: usize = 20;

/// The median until the list of runs is on the screen, beside a program that only prints a word.
pub(crate) fn first_frame() -> Vec<Row> {
    let home = Arc::new(Home::new());
    configure(&home, &[Task::pty("first-task", "exec sleep 1000")]);
    let milliseconds = |make: &dyn Fn() -> Launch, text: &str| {
        let samples = (0..ROUNDS).map(|_| {
            let launch = make();
            let start = Instant::now();
            let mut terminal = launch.start();
            terminal.wait_for_text(text);
            start.elapsed().as_secs_f64() * 1e3
        });
        median(&samples.collect::<Vec<f64>>())
    };
    let bare = milliseconds(&|| Launch::in_home(&home, "/bin/echo").args(["word"]), "word");
    let ours = milliseconds(&|| launch(&home), "first-task");
    vec![Row::new("first frame after exec, limit: echo", "ms", ours, Goal::AtMost(10.0)).limit(bare)]
}
