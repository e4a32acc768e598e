//! Every limit with its default, in one place.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The limits of one server. All can be set in the configuration (`[limits]`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// How many runs may be live at once (S5.1).
    pub runs: usize,
    /// How many of them may be PTY runs (S5.1).
    pub pty_runs: usize,
    /// The rows of scrollback that a PTY run keeps.
    pub scrollback_lines: usize,
    /// The longest wait for the end of output after the root's exit (S4.10).
    pub output_drain: Duration,
    /// How many final runs are kept in memory.
    pub kept_runs: usize,
}

impl Limits {
    /// The most text that one write may carry, in bytes (S4.1).
    pub const MAX_INPUT_BYTES: usize = 64 * 1024;
    /// The most actions that one write may carry (S4.1).
    pub const MAX_ACTIONS: usize = 64;
    /// The most that a payload for standard input may have, in bytes (S3.4).
    pub const MAX_PAYLOAD_BYTES: usize = 1024 * 1024;
    /// The shortest timeout (S3.6).
    pub const MIN_TIMEOUT: Duration = Duration::from_millis(1);
    /// The longest timeout (S3.6).
    pub const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);
    /// The wall timeout of a foreground run that names none (S3.5).
    pub const FOREGROUND_TIMEOUT: Duration = Duration::from_secs(120);
    /// The longest wall timeout of a foreground run (S3.5).
    pub const MAX_FOREGROUND_TIMEOUT: Duration = Duration::from_secs(600);
    /// The time between the stop signal and SIGKILL, unless a task says otherwise (S4.7).
    pub const GRACE: Duration = Duration::from_secs(2);
    /// The longest grace.
    pub const MAX_GRACE: Duration = Duration::from_secs(60 * 60);
    /// The most that a read returns of a stream, in bytes (S6.1).
    pub const MAX_READ_BYTES: usize = 1024 * 1024;
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            runs: 64,
            pty_runs: 32,
            scrollback_lines: 10_000,
            output_drain: Duration::from_secs(2),
            kept_runs: 500,
        }
    }
}
