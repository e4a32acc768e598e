//! x

mod holder;
mod screen;
