//! Programs that redraw their whole screen many times a second: how late a frame is, how much goes to the outer terminal, what it costs.

use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::harness::{Home, Launch, Terminal};
use crate::product::{Task, configure, launch};
use crate::stats::percentile;
use crate::table::{Goal, Row};
use crate::usage;

/// What this program is called with to be the one that is animated.
pub(crate) const ANIMATE: &str = "animate";
const SIZE: (u16, u16) = (200, 50);
const SPAN: Duration = Duration::from_secs(10);
/// Before the time that every frame shows.
const TIME: &str = "at=";

/// Draws so many frames a second, each over the whole terminal: text that stays, a bar in each row that moves, and the time in microseconds.
pub(crate) fn animate(frames_a_second: u32) -> ! {
    let mut output = std::io::stdout().lock();
    let start = Instant::now();
    for number in 0_u32.. {
        let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout()).expect("a terminal");
        let (cols, rows) = (usize::from(size.ws_col), usize::from(size.ws_row));
        let mut frame = format!("\x1b[H{TIME}{:016}\x1b[K", now_us());
        for row in 2..=rows {
            let from = (number as usize + 3 * row) % (cols - 12);
            let rest = "-".repeat(cols - 12 - from);
            frame.push_str(&format!(
                "\x1b[{row};1H{}\x1b[3{}m############\x1b[0m{rest}",
                ".".repeat(from),
                row % 7 + 1
            ));
        }
        output.write_all(frame.as_bytes()).and_then(|()| output.flush()).expect("the terminal takes it");
        std::thread::sleep(
            (start + Duration::from_secs(1) * (number + 1) / frames_a_second).saturating_duration_since(Instant::now()),
        );
    }
    unreachable!("there are numbers for two years")
}

fn now_us() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    (now.tv_sec * 1_000_000 + now.tv_nsec / 1000).unsigned_abs()
}

fn animation(frames_a_second: u32) -> [String; 3] {
    let own = std::env::current_exe().expect("a path").to_string_lossy().into_owned();
    [own, ANIMATE.to_owned(), frames_a_second.to_string()]
}

/// What came to the outer terminal.
struct Seen {
    late_ms: Vec<f64>,
    megabytes: f64,
}

fn watch(terminal: &mut Terminal) -> Seen {
    terminal.wait_for_text(TIME);
    let (end, before) = (Instant::now() + SPAN, terminal.raw().len());
    let (mut late_ms, mut last) = (Vec::new(), 0);
    while Instant::now() < end {
        terminal.take_in(end.saturating_duration_since(Instant::now()));
        let text = terminal.screen().text();
        let shown = text.split_once(TIME).and_then(|(_, rest)| rest.get(..16)?.parse::<u64>().ok());
        if let Some(shown) = shown.filter(|shown| *shown != last) {
            last = shown;
            late_ms.push(u32::try_from(now_us().saturating_sub(shown)).map_or(f64::NAN, f64::from) / 1e3);
        }
    }
    let bytes = u32::try_from(terminal.raw().len() - before).unwrap_or(u32::MAX);
    Seen { late_ms, megabytes: f64::from(bytes) / 1e6 }
}

fn task(name: &str, frames_a_second: u32) -> Task {
    Task::pty(name, &format!("exec {}", animation(frames_a_second).join(" ")))
}

/// One, beside a bare terminal and beside tmux where there is one.
pub(crate) fn one() -> Vec<Row> {
    let mut rows = Vec::new();
    for (frames_a_second, most) in [(30, 0.45), (120, 1.7)] {
        let home = Arc::new(Home::new());
        let [program, arguments @ ..] = animation(frames_a_second);
        let bare = watch(&mut Launch::in_home(&home, program).args(arguments).size(SIZE.0, SIZE.1).start());
        configure(&home, &[task("animated", frames_a_second)]);
        let mut terminal = launch(&home).size(SIZE.0, SIZE.1).start();
        terminal.wait_for_text(TIME);
        terminal.keys("z");
        terminal.take_in(Duration::from_millis(500));
        let ours = watch(&mut terminal);
        drop(terminal);
        let name = |what: &str| format!("animation of {frames_a_second} frames a second at 200×50, {what}");
        for (percent, goal) in [(50, Goal::AtMost(1.5)), (99, Goal::AtMost(3.0))] {
            let goal = if frames_a_second == 30 { goal } else { Goal::Known };
            let late = |seen: &Seen| percentile(&seen.late_ms, percent);
            let what = format!("lateness p{percent}; limit: bare PTY");
            rows.push(Row::new(name(&what), "ms", late(&ours), goal).limit(late(&bare)));
        }
        let to_outside = name("to the outer terminal in 10 s; limit: what the program wrote");
        rows.push(Row::new(to_outside, "MB", ours.megabytes, Goal::AtMost(most)).limit(bare.megabytes));
        if std::process::Command::new("tmux").arg("-V").output().is_ok() {
            let line = animation(frames_a_second).join(" ");
            let tmux = Launch::in_home(&home, "tmux").args(["-L", "shtask-bench", "-f", "/dev/null", "new", &line]);
            let mut tmux = tmux.size(SIZE.0, SIZE.1).start();
            let beside = watch(&mut tmux);
            drop(tmux);
            let what = name("to the outer terminal; limit: through tmux");
            rows.push(Row::new(what, "MB", ours.megabytes, Goal::OverLimit(0.0)).limit(beside.megabytes));
        }
    }
    rows
}

/// Four panes of sixty frames a second each.
pub(crate) fn four_panes() -> Vec<Row> {
    let home = Arc::new(Home::new());
    let names = ["one", "two", "three", "four"];
    configure(&home, &names.map(|name| task(name, 60)));
    let mut terminal = launch(&home).size(SIZE.0, SIZE.1).start();
    terminal.wait_for_text(TIME);
    terminal.keys("vjvjvjv");
    terminal.wait_until("four panes", |terminal| terminal.screen().count(TIME) == names.len());
    let pids = usage::own_processes(&terminal);
    let before = usage::work(&pids).processor_us;
    let seen = watch(&mut terminal);
    let processor_us = u32::try_from(usage::work(&pids).processor_us - before).map_or(f64::NAN, f64::from);
    let share = processor_us / SPAN.as_secs_f64() / 1e4;
    let drawn = f64::from(u32::try_from(seen.late_ms.len()).unwrap_or(u32::MAX)) / SPAN.as_secs_f64();
    vec![
        Row::new("four panes of 60 frames a second at 200×50, of one core", "%", share, Goal::AtMost(25.0)),
        Row::new("pictures of the first of them that were seen a second", "", drawn, Goal::Known),
    ]
}
