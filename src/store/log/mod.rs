//! Raw logs: every byte that a run printed, as it came, with an index of times, resizes and cuts beside it (S2.5).
//!
//! A run has a folder. Its log is a row of *segments*; segment 1 of a PTY run is `000001.pty` (the bytes), `000001.index` (a line of
//! JSON for its head, then one for each event) and, where something came before it, `000001.redraw` (what draws the screen as it was).
//! A pipes run has `.stdout` and `.stderr` in place of `.pty`. When the log is full the oldest segment goes, as a whole.
//!
//! `sink` is the driver's end: it never waits. `writer` is the one thread that writes. `reader` reads by offset, `replay` by event, and
//! `cast` makes a recording of it. Bytes that were handed to the kernel survive the death of this program at any instant; nothing is
//! synchronised to the disk, so a power failure may cost the last seconds.

mod cast;
mod error;
mod files;
mod layout;
mod lines;
mod logs;
mod progress;
mod reader;
mod redacting;
mod replay;
mod resume;
mod sink;
mod split;
mod writer;

pub use cast::{CastError, export_cast};
pub use error::LogError;
pub use layout::{LogStream, age, remove, runs, total_bytes};
pub use lines::{LogLine, LogText, line_ends};
pub(super) use logs::growth_step;
pub use logs::{LogOptions, Logs};
pub use progress::LogProgress;
pub use reader::{LogBytes, LogReader};
pub use redacting::Rest;
pub use replay::{LogEvent, TimedEvent};
pub use sink::LogSink;

#[cfg(test)]
mod tests;
