//! Leaving: a question when something is live, then waiting until all runs have ended.

use std::time::Duration;

use super::super::cmd::Cmd;
use super::super::keys::Intent;
use super::super::model::{Ending, LeaveQuestion, Model, Overlay};

/// A hurried shutdown that is not answered after this is not waited for any longer.
const HURRY_AT_MOST: Duration = Duration::from_secs(10);

/// The user wants to leave.
pub(super) fn ask(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let starting = model.list.rows.iter().any(|row| row.pending);
    let is_quiet = model.list.live().is_empty() && !starting;
    if model.lost {
        cmds.push(Cmd::Quit);
    } else if model.setup.has_server && (is_quiet || model.parted.is_some()) {
        detach(model, None, cmds);
    } else if is_quiet {
        begin(model, None, cmds);
    } else {
        model.overlay = Some(Overlay::Leave(LeaveQuestion::new(model.setup.has_server)));
    }
}

/// Leaves; the server goes on with the runs.
pub(super) fn detach(model: &mut Model, signal: Option<i32>, cmds: &mut Vec<Cmd>) {
    model.detached = Some(signal);
    cmds.push(Cmd::Quit);
}

/// Ends all runs, then leaves.
pub(super) fn begin(model: &mut Model, signal: Option<i32>, cmds: &mut Vec<Cmd>) {
    (model.overlay, model.notice, model.inspect) = (None, None, None);
    model.ending = Some(Ending { signal, ..Ending::default() });
    model.dirty = true;
    end_all(model, false, cmds);
}

/// Asks for the end of all runs: here of this program's, with a server of this session's, as others may have theirs there.
fn end_all(model: &Model, hurry: bool, cmds: &mut Vec<Cmd>) {
    cmds.push(match model.setup.has_server {
        true => Cmd::StopAll { runs: model.list.live().iter().map(|view| view.id()).collect(), kill: hurry },
        false => Cmd::Shutdown { hurry },
    });
}

/// A signal asks for the end: the first gently, the next in a hurry.
pub(super) fn terminate(model: &mut Model, signal: i32, cmds: &mut Vec<Cmd>) {
    if model.lost {
        return cmds.push(Cmd::Quit);
    }
    match &mut model.ending {
        None if model.setup.has_server => detach(model, Some(signal), cmds),
        None => begin(model, Some(signal), cmds),
        Some(ending) => {
            ending.signal.get_or_insert(signal);
            hurry(model, cmds);
        }
    }
}

pub(super) fn press_waiting(model: &mut Model, intent: Option<Intent>, cmds: &mut Vec<Cmd>) {
    match intent {
        Some(Intent::Hurry) => hurry(model, cmds),
        Some(Intent::Suspend) => cmds.push(Cmd::Suspend),
        Some(Intent::Redraw) => cmds.push(Cmd::Redraw),
        Some(_) | None => {}
    }
}

pub(super) fn hurry(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let now = model.now;
    let Some(ending) = &mut model.ending else { return };
    model.dirty = true;
    if ending.hurried.is_none() {
        ending.hurried = Some(now);
        end_all(model, true, cmds);
    }
}

/// There is a bound after which it leaves all the same.
pub(super) fn tick(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let hurried = model.ending.as_ref().and_then(|ending| ending.hurried);
    if hurried.is_some_and(|since| model.now.since(since) > HURRY_AT_MOST) {
        cmds.push(Cmd::Quit);
    }
}
