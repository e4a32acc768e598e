//! Integration tests: the crate from outside, and the real binary in a real terminal.

mod adopt;
mod architecture;
mod cli;
mod contract;
mod e2e;
mod harness;
mod holder;
mod screen;
mod server;
mod settings;
mod store;
mod tui;
mod wire;
