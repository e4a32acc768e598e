//! The real program in a real terminal, used by keys and looked at through an emulator that is not ours.
//!
//! Each test has its own home, its own `shtask.toml`, and ends what it started.

mod arranging;
mod attach;
mod exports;
mod faults;
mod ground;
mod inspect;
mod keyboard;
mod keymap;
mod leave;
mod look;
mod new_run;
mod notifications;
mod panics;
mod product;
mod reading;
mod renaming;
mod runs;
mod server;
mod shows;
mod split;
mod stop;
mod streams;
mod usage;
