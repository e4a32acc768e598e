//! x

mod holder;
