//! Telling the user of what happens where nobody looks.

use crate::api::RunView;
use crate::model::{RunId, plain_line};

use super::super::cmd::Cmd;
use super::super::model::{Model, display_name, worth_telling};

/// The longest text, in characters.
const MAX_WORDS: usize = 400;

/// A run has changed: that is told when it is worth it and its terminal is not in sight.
pub(super) fn changed(model: &mut Model, view: &RunView, shown: &[RunId], cmds: &mut Vec<Cmd>) {
    let run = view.id();
    if shown.contains(&run) && !model.away {
        return;
    }
    let Some(what) = worth_telling(model.list.known(run), view) else { return };
    if model.ending.is_none() && model.notified.may(run, model.now) {
        // The name is the user's own or a command line, and what a run says is its own: without anything that a terminal would obey.
        cmds.push(Cmd::Notify { name: plain_line(&display_name(view), 64), what: plain_line(&what, MAX_WORDS) });
    }
}
