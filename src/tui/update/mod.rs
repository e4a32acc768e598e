//! What happens when something happens: pure, it changes the model and asks for commands.

mod answers;
mod attached;
mod beyond;
mod browser;
mod dispatch;
mod exports;
mod filter;
mod find;
mod groups;
mod intents;
mod keyboard;
mod leave;
mod line;
mod menus;
mod mouse;
mod notify;
mod palette;
mod panes;
mod prompt;
mod reading;
mod rename;
mod scroll;
mod select_mouse;
mod sequence;
mod show;
mod sync;

pub(crate) use browser::name as record_name;
pub(crate) use dispatch::update;
pub(crate) use find::run_name;
