//! Typing into a run.

use std::time::Duration;

use crate::api::RunView;
use crate::model::{Action, Input, InputQueue, KeyChord, Limits, Mode, NamedKey, Status, WriteStdin};
use crate::model::{Key, RunId};

use super::super::cmd::Cmd;
use super::super::keys::{Intent, Part, label};
use super::super::model::{Doubling, Focus, Model, RowKey, cut, ended_words};
use super::answers::complain;
use super::{keyboard, scroll, sequence};

/// The attach key pressed again within this goes to the run.
const DOUBLED_WITHIN: Duration = Duration::from_secs(1);

/// How much of a name is told before what can be done.
const MAX_NAME_COLS: usize = 32;

/// Attaches to the selected run, or says why not and what to do instead.
pub(super) fn attach(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(row) = model.list.selected() else {
        return model.inform(format!("there is nothing to attach to; {} starts a new run", model.key(Intent::NewRun)));
    };
    let (name, failed) = (cut(&model.selected_name(), "", MAX_NAME_COLS), row.failure.clone());
    let pending = row.pending;
    let spec_mode = row.spec.as_ref().map(|spec| spec.mode);
    let view = model.list.view_of(row).filter(|view| !(pending && view.record.status.is_final()));
    let (mode, ended) = match (view, spec_mode) {
        (Some(view), _) => (view.record.mode, ended_words(view)),
        (None, Some(mode)) if pending => (mode, None),
        (None, _) => {
            return match failed {
                Some(failure) => {
                    let start = model.key(Intent::Start);
                    model.complain(format!("{name} was not started: {}; {start} tries again", failure.message));
                }
                None => model.inform(format!("{name} was not started yet; {} starts it", model.key(Intent::Start))),
            };
        }
    };
    match (mode, ended) {
        (_, Some(words)) => {
            look_back(model);
            let (looking, again) = (model.looking_words(), model.again_key());
            model.inform(format!("{name} {words}: it takes no keys. {looking}; {again} starts it again"));
        }
        (Mode::Pipes, None) => {
            look_back(model);
            model.inform(format!("{name} has pipes, no terminal: it takes no keys. {}", model.looking_words()));
        }
        (Mode::Pty, None) => {
            model.attached = model.list.selected().map(|row| row.key.clone());
            (model.focus, model.inspect, model.pane.scroll) = (Focus::Attached, None, None);
            keyboard::attached(model, cmds);
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

/// A key while attached: it goes to the run, but for the attach key.
pub(super) fn press(model: &mut Model, chord: KeyChord, cmds: &mut Vec<Cmd>) {
    if model.notice.take().is_some() {
        model.dirty = true;
    }
    if chord == model.setup.attach_key {
        detach(model, cmds);
        if sequence::attach_key_begins(model, Part::List) {
            model.pending = Some((Part::List, vec![chord]));
        }
        return;
    }
    if let Some(words) = model.over_words() {
        // The user may still be typing: nothing that is typed now may do anything in the list.
        if matches!(chord.key, Key::Named(NamedKey::Escape | NamedKey::Enter)) {
            return detach(model, cmds);
        }
        let (name, key) = (cut(&model.selected_name(), "", MAX_NAME_COLS), label(model.setup.attach_key));
        model.dirty = true;
        return model.inform(format!("{name} {words}; {key}, Enter or Esc goes back to the list"));
    }
    if keyboard::press(model, cmds) {
        send(model, Action::Key(chord.key, chord.modifiers), cmds);
    }
}

/// Types into the attached run; into one that is still being started once it runs.
fn send(model: &mut Model, action: Action, cmds: &mut Vec<Cmd>) {
    model.dirty |= model.pane.scroll.take().is_some();
    let input = Input::Actions(vec![action]);
    match model.selected_view().filter(|view| takes_keys(view)).map(RunView::id) {
        Some(run) if model.typed_ahead.is_spent(model.now) => {
            cmds.push(Cmd::Control { run, control: WriteStdin { input: Some(input), size: None } });
        }
        Some(_) | None => {
            if let Err(failure) = model.typed_ahead.put(input, model.now) {
                complain(model, "too much was typed before the run has started", &failure);
            }
        }
    }
}

/// Types what was typed before the run had started.
pub(super) fn send_typed_ahead(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if model.focus != Focus::Attached {
        model.typed_ahead = InputQueue::default();
    }
    if let Some(run) = model.selected_view().filter(|view| takes_keys(view)).map(RunView::id) {
        let writes = model.typed_ahead.take_waiting().into_iter();
        cmds.extend(writes.map(|input| Cmd::Control { run, control: WriteStdin { input: Some(input), size: None } }));
    }
}

fn takes_keys(view: &RunView) -> bool {
    !matches!(view.record.status, Status::Queued | Status::Starting) && !view.record.status.is_final()
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
    if model.focus == Focus::Attached {
        let KeyChord { key, modifiers } = model.setup.attach_key;
        send(model, Action::Key(key, modifiers), cmds);
    }
}

/// Pastes into the attached run, in pieces that a write can carry.
pub(super) fn paste(model: &mut Model, text: &str, cmds: &mut Vec<Cmd>) {
    if model.over_words().is_some() || !keyboard::press(model, cmds) {
        return;
    }
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = rest.len().min(Limits::MAX_INPUT_BYTES);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, more) = rest.split_at(end);
        send(model, Action::Paste(piece.to_owned()), cmds);
        rest = more;
    }
}

/// Tells an attached program that asked for it whether it has the focus.
pub(super) fn focus_changed(model: &Model, got: bool, cmds: &mut Vec<Cmd>) {
    let asked = model.pane.frame.as_ref().is_some_and(|frame| frame.modes.focus_events);
    if let (true, Focus::Attached, Some(run)) = (asked, model.focus, live_run(model))
        && !model.keyboards.is_lost(run)
    {
        cmds.push(Cmd::Control { run, control: WriteStdin::actions(vec![Action::Focus(got)]) });
    }
}

pub(super) fn live_run(model: &Model) -> Option<RunId> {
    model.selected_view().filter(|view| !view.record.status.is_final()).map(RunView::id)
}
