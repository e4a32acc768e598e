//! The TUI in a real terminal with a client that is played: what the real program cannot be made to do, such as to panic.

mod played;
mod restoring;
