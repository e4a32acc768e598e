//! From the start of the program to its first frame.

use std::sync::Arc;
use std::time::Instant;

use crate::harness::{Home, Launch};
use crate::product::{Task, configure, launch};
use crate::stats::{best, median};
use crate::table::{Goal, Row};

const ROUNDS: usize = 20;

/// The time until the list of runs is on the screen, beside a program that only prints a word.
pub(crate) fn first_frame() -> Vec<Row> {
    let home = Arc::new(Home::new());
    configure(&home, &[Task::pty("first-task", "exec sleep 1000")]);
    let milliseconds = |make: &dyn Fn() -> Launch, text: &str| -> Vec<f64> {
        let sample = |_| {
            let launch = make();
            let start = Instant::now();
            let mut terminal = launch.start();
            terminal.wait_for_text(text);
            start.elapsed().as_secs_f64() * 1e3
        };
        (0..ROUNDS).map(sample).collect()
    };
    let bare = milliseconds(&|| Launch::in_home(&home, "/bin/echo").args(["word"]), "word");
    let ours = milliseconds(&|| launch(&home), "first-task");
    let row = |word: &str, of: fn(&[f64]) -> f64, goal| {
        Row::new(format!("first frame after exec, {word}, limit: echo"), "ms", of(&ours), goal).limit(of(&bare))
    };
    vec![row("p50", median, Goal::AtMost(10.0)), row("best", best, Goal::Known)]
}
