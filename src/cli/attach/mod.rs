//! `attach`: the terminal of a run in this one. What is typed is passed on as it comes, but for one key; what is shown is drawn from cells.

mod input;
mod keyboard;
mod paint;
mod perform;
mod steal;
mod terminal;

pub(super) use perform::terminal_ends;
pub(super) use terminal::{OuterTerminal, keyboard};
