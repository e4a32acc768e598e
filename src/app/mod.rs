//! Puts the parts together: the only floor that knows all of them.

mod clipboard;
mod config;
mod connect;
mod doctor;
mod embedded;
mod farewell;
mod history;
mod host;
mod log;
mod place;
mod program;
mod render;
mod seen;
mod serve;
mod session;
mod state;
mod surroundings;
mod tui;
mod verbs;
mod who;

pub use program::main;
