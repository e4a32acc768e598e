//! From a key to its echo on the screen, attached to a run.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::corpus::{self, Kind};
use crate::harness::{Home, Terminal};
use crate::limits;
use crate::product::{Task, configure, open};
use crate::stats::percentile;
use crate::table::{Goal, Row};

const KEYS: usize = 200;
/// The pause between two keys: a fast typist's, and long enough for the screen to be quiet again.
pub(crate) const BETWEEN_KEYS: Duration = Duration::from_millis(30);
/// A program that gives back each byte at once.
const ECHO: &str = "stty raw -echo; echo rea\"dy\"; exec cat";

/// Microseconds from each key to the first output that holds it.
fn through_the_program(terminal: &mut Terminal) -> Vec<f64> {
    // Neither sign is in any control sequence or in the program's own text, and two take turns so that each is a change.
    (0..KEYS)
        .map(|index| {
            let sign = if index % 2 == 0 { b'~' } else { b'`' };
            pause(terminal);
            let before = terminal.raw().len();
            let start = Instant::now();
            terminal.send(&[sign]);
            while !terminal.raw()[before..].contains(&sign) {
                assert!(start.elapsed() < Duration::from_secs(20), "no echo\n{}", terminal.picture());
                terminal.take_in(Duration::from_secs(1));
            }
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect()
}

/// Takes in output for the time between two keys.
fn pause(terminal: &mut Terminal) {
    let end = Instant::now() + BETWEEN_KEYS;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        terminal.take_in(left);
    }
}

fn attached(home: &Arc<Home>, tasks: &[Task]) -> Terminal {
    configure(home, tasks);
    let mut terminal = open(home);
    terminal.wait_for_text("ready");
    terminal.keys("<Enter>");
    // The first key shows that the run has the keyboard; typed again until it does, since nothing else announces it.
    terminal.wait_until("an echo", |terminal| {
        terminal.send(b"#");
        terminal.take_in(Duration::from_millis(100));
        terminal.screen().has("#")
    });
    terminal
}

/// With nothing else going on.
pub(crate) fn idle() -> Vec<Row> {
    let bare = limits::round_trips(KEYS);
    let home = Arc::new(Home::new());
    let ours = through_the_program(&mut attached(&home, &[Task::pty("echo", ECHO)]));
    let row = |percent: usize, goal| {
        let name = format!("key to echo, idle, p{percent}; limit: bare round trip");
        Row::new(name, "µs", percentile(&ours, percent), goal).limit(percentile(&bare, percent))
    };
    // The fifth percentile is what the program takes when the machine does nothing else.
    vec![row(5, Goal::Known), row(50, Goal::OverLimit(300.0)), row(99, Goal::Known)]
}

/// While another run floods without a pause.
pub(crate) fn beside_a_flood() -> Vec<Row> {
    let home = Arc::new(Home::new());
    home.write("flood", corpus::lines(Kind::Ascii, 8 * 1024 * 1024));
    let flood = Task::pty("flood", "while :; do cat flood; done");
    let ours = through_the_program(&mut attached(&home, &[Task::pty("echo", ECHO), flood]));
    let row = |percent: usize, goal| {
        let name = format!("key to echo while another run floods, p{percent}");
        Row::new(name, "ms", percentile(&ours, percent) / 1e3, goal)
    };
    vec![row(50, Goal::AtMost(5.0)), row(99, Goal::Known)]
}
