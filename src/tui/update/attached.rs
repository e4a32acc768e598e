//! Typing into a run.

use std::time::Duration;

use crate::api::RunView;
use crate::model::{Action, KeyChord, Limits, Mode, NamedKey, Status, WriteStdin};
use crate::model::{Key, RunId};

use super::super::cmd::Cmd;
use super::super::keys::label;
use super::super::model::{Doubling, Focus, Model, RowKey};
use super::scroll;

/// The attach key pressed again within this goes to the run.
const DOUBLED_WITHIN: Duration = Duration::from_secs(1);

/// Attaches to the selected run, or says why not and what to do instead.
pub(super) fn attach(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(row) = model.list.selected() else {
        return model.inform("there is nothing to attach to; n starts a new run");
    };
    let (name, failed) = (model.selected_name(), row.failure.clone());
    let (pending, is_task) = (row.pending, row.spec.is_some());
    let Some(view) = model.list.view_of(row) else {
        return match (pending, failed) {
            (true, _) => model.inform(format!("{name} is being started")),
            (false, Some(failure)) => {
                model.complain(format!("{name} was not started: {}; s tries again", failure.message))
            }
            (false, None) => model.inform(format!("{name} was not started yet; s starts it")),
        };
    };
    let (mode, ended) = (view.record.mode, ended_words(view));
    let again = if is_task { "s" } else { "r" };
    match (mode, ended) {
        (_, Some(words)) => {
            look_back(model);
            model.inform(format!(
                "{name} {words}: it takes no keys. Its output can be scrolled; {again} starts it again"
            ));
        }
        (Mode::Pipes, None) => {
            look_back(model);
            model.inform(format!("{name} has pipes, no terminal: it takes no keys. Its output can be scrolled"));
        }
        (Mode::Pty, None) => {
            (model.focus, model.inspect, model.pane.scroll) = (Focus::Attached, None, None);
            focus_changed(model, true, cmds);
        }
    }
}

/// Shows the output to look at where the list alone is shown.
fn look_back(model: &mut Model) {
    model.inspect = None;
    if model.terminal_area().is_none() {
        scroll::enter(model);
    }
}

/// Says how a run has ended; none while it is live.
pub(crate) fn ended_words(view: &RunView) -> Option<String> {
    let record = &view.record;
    Some(match (record.status, record.exit_code, record.signal) {
        (Status::Queued | Status::Starting | Status::Running, ..) => return None,
        (Status::Completed, ..) => "has completed".to_owned(),
        (Status::TimedOut, ..) => "has timed out".to_owned(),
        (Status::Cancelled, ..) => "was stopped".to_owned(),
        (Status::Orphaned, ..) => "was lost".to_owned(),
        (Status::Failed, _, Some(signal)) => format!("was ended by signal {signal}"),
        (Status::Failed, Some(code), None) => format!("has failed with exit code {code}"),
        (Status::Failed, None, None) => "has failed".to_owned(),
    })
}

/// A key while attached: it goes to the run, but for the attach key.
pub(super) fn press(model: &mut Model, chord: KeyChord, cmds: &mut Vec<Cmd>) {
    if model.notice.take().is_some() {
        model.dirty = true;
    }
    if chord == model.setup.attach_key {
        return detach(model, cmds);
    }
    let Some(view) = model.selected_view() else { return detach(model, cmds) };
    let run = view.id();
    if let Some(words) = ended_words(view) {
        // The user may still be typing: nothing that is typed now may do anything in the list.
        if matches!(chord.key, Key::Named(NamedKey::Escape | NamedKey::Enter)) {
            return detach(model, cmds);
        }
        let (name, key) = (model.selected_name(), label(model.setup.attach_key));
        model.dirty = true;
        return model.inform(format!("{name} {words}; {key}, Enter or Esc goes back to the list"));
    }
    model.dirty |= model.pane.scroll.take().is_some();
    cmds.push(Cmd::Control { run, control: WriteStdin::key(chord.key, chord.modifiers) });
}

/// Goes back to the list; the attach key pressed again at once is sent after all.
pub(super) fn detach(model: &mut Model, cmds: &mut Vec<Cmd>) {
    focus_changed(model, false, cmds);
    let row = model.list.selected().map(|row| row.key.clone());
    model.doubling = row.map(|row| Doubling { row, until: model.now.plus(DOUBLED_WITHIN) });
    (model.focus, model.pane.scroll, model.dirty) = (Focus::List, None, true);
}

/// Sends the attach key itself, and attaches again.
pub(super) fn send_attach_key(model: &mut Model, row: &RowKey, cmds: &mut Vec<Cmd>) {
    if model.list.selected().is_none_or(|selected| selected.key != *row) {
        return attach(model, cmds);
    }
    attach(model, cmds);
    if let (Focus::Attached, Some(run)) = (model.focus, model.selected_view().map(RunView::id)) {
        let KeyChord { key, modifiers } = model.setup.attach_key;
        cmds.push(Cmd::Control { run, control: WriteStdin::key(key, modifiers) });
    }
}

/// Pastes into the attached run, in pieces that a write can carry.
pub(super) fn paste(model: &mut Model, text: &str, cmds: &mut Vec<Cmd>) {
    let Some(run) = live_run(model) else { return };
    model.dirty |= model.pane.scroll.take().is_some();
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = rest.len().min(Limits::MAX_INPUT_BYTES);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, more) = rest.split_at(end);
        cmds.push(Cmd::Control { run, control: WriteStdin::actions(vec![Action::Paste(piece.to_owned())]) });
        rest = more;
    }
}

/// Tells an attached program that asked for it whether it has the focus.
pub(super) fn focus_changed(model: &Model, got: bool, cmds: &mut Vec<Cmd>) {
    let asked = model.pane.frame.as_ref().is_some_and(|frame| frame.modes.focus_events);
    if let (true, Focus::Attached, Some(run)) = (asked, model.focus, live_run(model)) {
        cmds.push(Cmd::Control { run, control: WriteStdin::actions(vec![Action::Focus(got)]) });
    }
}

pub(super) fn live_run(model: &Model) -> Option<RunId> {
    model.selected_view().filter(|view| !view.record.status.is_final()).map(RunView::id)
}
