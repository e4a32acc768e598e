//! The terminal user interface: the list of runs, the terminal of the selected one, and the keys for both (S10).
//!
//! It knows the [`Client`](crate::api::Client) trait and nothing behind it. A pure `Model` is changed by `update`, which answers an event
//! with commands, and drawn by `view`; only `run` and `terminal` touch the world.

mod awaiting;
mod cells;
mod clipboard;
mod cmd;
mod complete;
mod event;
mod exporting;
mod finding;
mod ground;
mod ink;
mod input;
mod key_label;
mod keymap;
mod keys;
mod model;
mod notifier;
mod options;
mod outside;
mod painter;
mod palettes;
mod panic;
mod perform;
mod presets;
mod run;
mod shows;
mod surface;
mod terminal;
#[cfg(test)]
mod tests;
mod theme;
mod typing;
mod update;
mod view;
mod watches;

pub use keymap::{Keymap, names};
pub use options::{ColorChoice, DrawPicture, KeepSeen, Leaving, NewRun, Options, Picture, Seen, TaskEntry, TuiError};
pub use run::run;
pub use terminal::check as check_terminal;
pub use theme::{ByGround, Theme};
