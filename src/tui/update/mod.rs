//! What happens when something happens: pure, it changes the model and asks for commands.

mod answers;
mod attached;
mod dispatch;
mod intents;
mod leave;
mod line;
mod menus;
mod mouse;
mod panes;
mod prompt;
mod reading;
mod scroll;
mod select_mouse;
mod sequence;
mod sync;

pub(crate) use dispatch::update;
