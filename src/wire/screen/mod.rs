//! Screens and rows as raw bytes: compact, and quick to write and read.
//!
//! A screen is written as what differs from a base, the last screen that the reader has; rows that did not change, also those that moved, are
//! named by their place in the base. The reader shares them, so that what it draws from knows as well which rows did not change.

mod frames;
mod rows;

#[cfg(test)]
mod tests;

pub use frames::{read_frame, write_frame};
pub use rows::{read_rows, write_rows};
