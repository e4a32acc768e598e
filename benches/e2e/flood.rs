//! How fast a flood of output is taken in, until its last line can be seen.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::corpus::{self, Kind};
use crate::harness::Home;
use crate::limits::{self, Cost};
use crate::product::{MakeTask, Task, configure_with, open, open_gate};
use crate::stats::best;
use crate::table::{Goal, Row};
use crate::usage;

const PTY_BYTES: usize = 32 * 1024 * 1024;
const PIPE_BYTES: usize = 256 * 1024 * 1024;
const ROUNDS: usize = 3;
/// Stands nowhere in the flood, the configuration or the screen's own text.
const LAST: &str = "=LAST=LINE=";

/// Waits at the gate, floods, says its words in two parts (so that a shown command does not hold them), and stays.
const LINE: &str =
    "rm -f gate; mkfifo gate; echo rea\"dy\"; read x < gate; cat flood; echo =LAST=\"LINE=\"; exec sleep 1000";

/// From the opening of the gate to the last line on the screen.
///
/// `head` is what the configuration has besides the task.
pub(crate) fn through_the_program(home: &Arc<Home>, task: MakeTask, head: &str) -> Cost {
    configure_with(home, head, &[task("flood", LINE)]);
    let mut terminal = open(home);
    terminal.wait_for_text("ready");
    let pids = usage::own_processes(&terminal);
    let (start, before) = (Instant::now(), usage::work(&pids).processor_us);
    open_gate(home, "gate");
    terminal.wait_for_text(LAST);
    let seconds = start.elapsed().as_secs_f64();
    let processor = Duration::from_micros(usage::work(&pids).processor_us - before);
    Cost { seconds, processor_seconds: processor.as_secs_f64() }
}

/// The quickest of some rounds: a flood uses both processors, so whatever else runs on the machine is in the way.
fn rounds(mut one: impl FnMut() -> f64) -> f64 {
    best(&(0..ROUNDS).map(|_| one()).collect::<Vec<f64>>())
}

fn cost(mut one: impl FnMut() -> Cost) -> Cost {
    let all: Vec<Cost> = (0..ROUNDS).map(|_| one()).collect();
    let least = |of: fn(&Cost) -> f64| best(&all.iter().map(of).collect::<Vec<f64>>());
    Cost { seconds: least(|cost| cost.seconds), processor_seconds: least(|cost| cost.processor_seconds) }
}

pub(crate) fn megabytes_per_second(bytes: usize, seconds: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a rate needs no more than three digits")]
    let bytes = bytes as f64;
    bytes / 1e6 / seconds
}

/// A flood in a terminal, of three kinds, beside a bare terminal and beside the emulator alone.
pub(crate) fn pty() -> Vec<Row> {
    let mut rows = Vec::new();
    for kind in [Kind::Ascii, Kind::Coloured, Kind::Wide] {
        let bytes = corpus::lines(kind, PTY_BYTES);
        let home = Arc::new(Home::new());
        home.write("flood", &bytes);
        let rate = |seconds| megabytes_per_second(bytes.len(), seconds);
        let bare = rate(rounds(|| limits::pty_flood(&home, LINE, LAST)));
        let vt100 = cost(|| limits::vt100_alone(&bytes));
        let program = cost(|| through_the_program(&home, Task::pty, ""));
        let (alone, ours) = (rate(vt100.seconds), rate(program.seconds));
        let name = kind.name();
        rows.push(Row::new(format!("PTY flood, {name}, limit: bare PTY"), "MB/s", ours, Goal::Known).limit(bare));
        let goal = Goal::PartOfLimit(0.8);
        rows.push(Row::new(format!("PTY flood, {name}, limit: vt100 alone"), "MB/s", ours, goal).limit(alone));
        let per_gigabyte = |cost: Cost| 1e3 / rate(cost.processor_seconds);
        let row = Row::new(
            format!("processor time of it, {name}, limit: vt100 alone"),
            "s/GB",
            per_gigabyte(program),
            Goal::Known,
        );
        rows.push(row.limit(per_gigabyte(vt100)));
    }
    rows
}

/// A flood through pipes, beside a bare reader.
pub(crate) fn pipes() -> Vec<Row> {
    let bytes = corpus::lines(Kind::Ascii, PIPE_BYTES);
    let home = Arc::new(Home::new());
    home.write("flood", &bytes);
    let rate = |seconds| megabytes_per_second(bytes.len(), seconds);
    let bare = rate(rounds(|| limits::pipe_flood(&home, LINE, LAST)));
    let ours = rate(cost(|| through_the_program(&home, Task::pipes, "")).seconds);
    vec![Row::new("pipe flood, limit: bare reader", "MB/s", ours, Goal::PartOfLimit(0.4)).limit(bare)]
}
