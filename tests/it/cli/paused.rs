//! Readers of long output that pause, as a pager does.

use std::io::Read;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::real::{Served, ended};

/// S10.8: a pager that nobody reads on holds nobody up, and has all of it in the end.
#[test]
fn exports_and_logs_wait_for_readers_that_pause_and_hold_up_nobody() {
    let served = Served::new();
    let run = served.start(&["--wait", "seq 1 400000"]);
    let begin = |words: &[&str]| -> Child {
        let mut child = served.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
        // It has begun.
        let mut first = [0; 2];
        child.stdout.as_mut().expect("its output").read_exact(&mut first).expect("a line");
        assert_eq!(first, *b"1\n");
        child
    };
    let mut paused = Vec::new();
    for _ in 0..4 {
        paused.push(begin(&["export", &run, "--format", "text"]));
        paused.push(begin(&["logs", &run, "--since", "1h"]));
    }
    // As many as read at once: they make room as they come to wait.
    let end = Instant::now() + Duration::from_secs(60);
    for _ in 0..2 {
        while !served.verb(&["search", "^400000$", "--regex", &run]).status.success() {
            assert!(Instant::now() < end, "nobody is held up");
        }
    }
    let wanted: String = (2..=400_000).map(|number| format!("{number}\n")).collect();
    for child in paused {
        let (code, out, errors) = ended(child);
        assert!(code == Some(0) && out == wanted, "{code:?}, {} bytes of {}: {errors}", out.len(), wanted.len());
    }
}
