//! From a key to its echo on the screen, attached to a run.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::corpus::{self, Kind};
use crate::harness::{Home, Terminal};
use crate::limits;
use crate::product::{Task, configure, open, open_on_a_server, stop_server};
use crate::stats::percentile;
use crate::table::{Goal, Row};

const KEYS: usize = 200;
/// The pause before a key of a fast typist: long enough for the screen to be quiet again.
const BETWEEN_KEYS: Duration = Duration::from_millis(30);
/// The pause when three terminals take turns: so that each gets its keys as fast.
pub(crate) const BETWEEN_TURNS: Duration = Duration::from_millis(10);
/// A program that gives back each byte at once.
const ECHO: &str = "stty raw -echo; echo rea\"dy\"; exec cat";

/// Microseconds from a key to the first output that holds it.
fn key_to_echo(terminal: &mut Terminal, index: usize, wait: Duration) -> f64 {
    // Neither sign is in any control sequence or in the program's own text, and two take turns so that each is a change.
    let sign = if index.is_multiple_of(2) { b'~' } else { b'`' };
    pause(terminal, wait);
    let before = terminal.raw().len();
    let start = Instant::now();
    terminal.send(&[sign]);
    while !terminal.raw()[before..].contains(&sign) {
        assert!(start.elapsed() < Duration::from_secs(20), "no echo\n{}", terminal.picture());
        terminal.take_in(Duration::from_secs(1));
    }
    start.elapsed().as_secs_f64() * 1e6
}

/// Takes in output for some time.
fn pause(terminal: &mut Terminal, wait: Duration) {
    let end = Instant::now() + wait;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        terminal.take_in(left);
    }
}

fn attached(home: &Arc<Home>, tasks: &[Task], start: fn(&Arc<Home>) -> Terminal) -> Terminal {
    configure(home, tasks);
    let mut terminal = start(home);
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

/// With nothing else going on. A key to each in turn, so that what else the machine does is in all of them.
pub(crate) fn idle() -> Vec<Row> {
    let homes = [(); 2].map(|()| Arc::new(Home::new()));
    let bare = limits::RoundTrip::new();
    let mut embedded = attached(&homes[0], &[Task::pty("echo", ECHO)], open);
    let mut served = attached(&homes[1], &[Task::pty("echo", ECHO)], open_on_a_server);
    let times: Vec<[f64; 3]> = (0..KEYS)
        .map(|index| {
            [
                bare.key(),
                key_to_echo(&mut embedded, index, BETWEEN_TURNS),
                key_to_echo(&mut served, index, BETWEEN_TURNS),
            ]
        })
        .collect();
    stop_server(&homes[1]);
    let percentiles =
        |percent| [0, 1, 2].map(|which| percentile(&times.iter().map(|t| t[which]).collect::<Vec<_>>(), percent));
    // The fifth percentile is what the program takes when the machine does nothing else.
    let goals = [(5, None), (50, Some([300.0, 150.0])), (99, None)];
    let rows = goals.map(|(percent, goals)| {
        let [bare, embedded, served] = percentiles(percent);
        let goal = |which: usize| goals.map_or(Goal::Known, |goals| Goal::OverLimit(goals[which]));
        let name = format!("key to echo, idle, p{percent}; limit: bare round trip");
        let through = format!("key to echo through a server, idle, p{percent}; limit: in-process");
        [Row::new(name, "µs", embedded, goal(0)).limit(bare), Row::new(through, "µs", served, goal(1)).limit(embedded)]
    });
    rows.into_iter().flatten().collect()
}

/// While another run floods without a pause.
pub(crate) fn beside_a_flood() -> Vec<Row> {
    let home = Arc::new(Home::new());
    home.write("flood", corpus::lines(Kind::Ascii, 8 * 1024 * 1024));
    let flood = Task::pty("flood", "while :; do cat flood; done");
    let mut terminal = attached(&home, &[Task::pty("echo", ECHO), flood], open);
    let ours: Vec<f64> = (0..KEYS).map(|index| key_to_echo(&mut terminal, index, BETWEEN_KEYS)).collect();
    let row = |percent: usize, goal| {
        let name = format!("key to echo while another run floods, p{percent}");
        Row::new(name, "ms", percentile(&ours, percent) / 1e3, goal)
    };
    vec![row(50, Goal::AtMost(5.0)), row(99, Goal::Known)]
}
