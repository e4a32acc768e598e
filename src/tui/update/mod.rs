//! What happens when something happens: pure, it changes the model and asks for commands.

mod answers;
mod attached;
mod dispatch;
mod intents;
mod leave;
mod menus;
mod mouse;
mod panes;
mod prompt;
mod scroll;
mod sequence;
mod sync;

pub(crate) use dispatch::update;
