//! shtask starts, shows, steers and stops long-running commands, over pipes or a PTY, and never loses one.
//!
//! The modules are floors: imports only go down (`ARCHITECTURE.md`).

pub mod api;
pub mod app;
pub mod cli;
pub mod driver;
pub mod holder;
pub mod launch;
pub mod model;
pub mod redact;
pub mod remote;
pub mod screen;
pub mod server;
pub mod settings;
pub mod store;
pub mod supervisor;
pub mod sys;
pub mod tail;
pub mod tui;
pub mod wire;
