//! Puts the parts together: the only floor that knows all of them.

mod args;
mod embedded;
mod exit;
mod log;
mod program;
mod render;
mod state;

pub use program::main;
