//! The newest output of a pipes run, bounded: one tail a stream, and the order in which the streams wrote.

mod pipes;
mod stream;

pub use pipes::{Pipe, PipesTail};
pub use stream::{Tail, TailText};
