//! The limits: what a bare terminal or pipe does when nothing stands between it and the reader.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::harness::pty::{Beside, Pty, ReadOutcome};
use crate::harness::{Home, Launch};
use crate::product::open_gate;

/// What something took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// By the clock.
    pub(crate) seconds: f64,
    /// Of processors: this does not depend on what else the machine does.
    pub(crate) processor_seconds: f64,
}

fn thread_processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec.try_into().unwrap_or(0)).as_secs_f64()
}

/// Reads a bare terminal until `mark` has come, keeping nothing but the end.
fn drain_until(pty: &Pty, mark: &[u8]) {
    let mut buffer = vec![0; 64 * 1024];
    let mut tail = Vec::new();
    loop {
        pty.wait(Duration::from_secs(60), Beside::Nothing);
        loop {
            match pty.read(&mut buffer) {
                ReadOutcome::Bytes(count) => {
                    let kept = tail.len().saturating_sub(mark.len());
                    tail.drain(..kept);
                    tail.extend_from_slice(&buffer[count.saturating_sub(256)..count]);
                    if tail.windows(mark.len()).any(|part| part == mark) {
                        return;
                    }
                }
                ReadOutcome::Empty => break,
                ReadOutcome::Closed => panic!("the program ended before its last line"),
            }
        }
    }
}

/// Seconds that a bare terminal takes for the shell line, from the opening of its gate to its last line.
pub(crate) fn pty_flood(home: &Arc<Home>, line: &str, last: &str) -> f64 {
    let pty = Launch::in_home(home, "/bin/sh").args(["-c", line]).start_bare();
    drain_until(&pty, b"ready");
    let start = Instant::now();
    open_gate(home, "gate");
    drain_until(&pty, last.as_bytes());
    start.elapsed().as_secs_f64()
}

/// Seconds that a bare pipe takes for the same.
pub(crate) fn pipe_flood(home: &Home, line: &str, last: &str) -> f64 {
    let mut child = Command::new("/bin/sh")
        .args(["-c", line])
        .current_dir(home.work())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell can be started");
    let mut pipe = child.stdout.take().expect("the output is a pipe");
    let mut buffer = vec![0; 64 * 1024];
    let mut started = None;
    loop {
        let count = pipe.read(&mut buffer).expect("a pipe can be read");
        assert!(count > 0, "the program ended before its last line");
        let part = &buffer[count.saturating_sub(256)..count];
        match started {
            None => {
                started = Some(Instant::now());
                open_gate(home, "gate");
            }
            Some(start) if part.windows(last.len()).any(|seen| seen == last.as_bytes()) => {
                let seconds = Instant::elapsed(&start).as_secs_f64();
                let _ = child.kill();
                let _ = child.wait();
                return seconds;
            }
            Some(_) => {}
        }
    }
}

/// What `vt100` alone takes for these bytes at 80×24, with the line ends that a terminal makes.
pub(crate) fn vt100_alone(bytes: &[u8]) -> Cost {
    let mut lines = Vec::with_capacity(bytes.len() + bytes.len() / 32);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\n") {
            Some(text) => {
                lines.extend_from_slice(text);
                lines.extend_from_slice(b"\r\n");
            }
            None => lines.extend_from_slice(line),
        }
    }
    let (rows, cols) = (24.try_into().expect("not zero"), 80.try_into().expect("not zero"));
    let mut parser = vt100::Parser::new(rows, cols, 0);
    let (start, processor) = (Instant::now(), thread_processor_seconds());
    for part in lines.chunks(4096) {
        parser.process(part);
    }
    Cost { seconds: start.elapsed().as_secs_f64(), processor_seconds: thread_processor_seconds() - processor }
}

/// Microseconds from each key to its echo through a bare terminal.
pub(crate) struct RoundTrip {
    pty: Pty,
    _home: Arc<Home>,
}

impl RoundTrip {
    pub(crate) fn new() -> RoundTrip {
        let home = Arc::new(Home::new());
        let pty = Launch::in_home(&home, "/bin/sh").args(["-c", "stty raw -echo; echo ready; exec cat"]).start_bare();
        drain_until(&pty, b"ready\n");
        RoundTrip { pty, _home: home }
    }

    /// Types a key; returns the microseconds to its echo.
    pub(crate) fn key(&self) -> f64 {
        let mut buffer = [0; 1024];
        self.pty.wait(super::echo::BETWEEN_TURNS, Beside::Nothing);
        let start = Instant::now();
        self.pty.write(b"~");
        loop {
            self.pty.wait(Duration::from_secs(5), Beside::Nothing);
            if matches!(self.pty.read(&mut buffer), ReadOutcome::Bytes(_)) {
                return start.elapsed().as_secs_f64() * 1e6;
            }
        }
    }
}
