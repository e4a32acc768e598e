//! From the model to cells: pure, it changes nothing and asks nothing.

mod browser;
mod dialogs;
mod draw;
mod find;
mod groups;
mod help;
mod inspect;
mod inspect_more;
mod list;
mod palette;
mod pane;
mod prompt;
mod reading;
mod rename;
mod show;
mod split;
mod status;
mod waiting;

pub(crate) use dialogs::entry_at;
pub(crate) use draw::{cursor_shape, view};
pub(crate) use find::line_at;
pub(crate) use help::{help_end, help_start};
pub(crate) use palette::palette_entry_at;
pub(crate) use pane::cursor as pane_cursor;
pub(crate) use status::hint_at;
