//! Marks in the arguments of processes, by which survivors are found.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::process::{Process, kill_all, wait_for_end};

/// A number that only one test uses, as in `sleep 900012340001`. What still has it in its arguments when this is dropped is
/// killed.
pub(crate) struct Marker(String);

impl Marker {
    /// Makes a number that no other test of this or another test process has.
    pub(crate) fn new() -> Marker {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        // All have the same length, so that none is a part of another.
        Marker(format!("9{:07}{next:04}", std::process::id()))
    }
}

impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Drop for Marker {
    fn drop(&mut self) {
        kill_all(|| survivors(self));
    }
}

/// The living processes that have the mark in one of their arguments.
pub(crate) fn survivors(marker: &Marker) -> Vec<Process> {
    let mut all = Process::all();
    all.retain(|process| process.arguments.iter().any(|argument| argument.contains(&marker.0)));
    all
}

/// Waits until no process has the mark.
///
/// # Panics
///
/// When some are left after `deadline`; the message shows them.
pub(crate) fn wait_gone(marker: &Marker, deadline: Duration) {
    let end = Instant::now() + deadline;
    loop {
        let left = survivors(marker);
        let Some(first) = left.first() else { return };
        let now = Instant::now();
        assert!(now < end, "these were to be gone: {left:#?}");
        if let Some(handle) = first.handle() {
            wait_for_end(&handle, end - now);
        }
    }
}
