//! vim runs here as if it were alone.

use std::time::Duration;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ending {
    /// By itself.
    Exited { code: i32 },
    /// Past its deadline: 124.
    TimedOut(Duration),
}

impl Ending {
    pub fn code(self) -> i32 {
        match self {
            Ending::Exited { code } => code,
            Ending::TimedOut(_) => 124,
        }
    }
}
