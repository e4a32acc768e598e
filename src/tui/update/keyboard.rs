//! Taking the keyboard of a run and handing it back (S4.4): attaching takes it, detaching hands it back, and a key of the list does both without
//! attaching.

use crate::api::{RunView, Update};
use crate::model::{Claim, Failure, KeyboardOwner, Mode, Press, RunId};

use super::super::cmd::Cmd;
use super::super::keys::{Intent, label};
use super::super::model::{Focus, Model, owner_name};

/// Takes the keyboard of the attached run, from whoever has it.
pub(super) fn attached(model: &mut Model, cmds: &mut Vec<Cmd>) {
    model.keyboards.typed_at = Some(model.now);
    if let Some(run) = attached_run(model).filter(|run| !model.keyboards.is_held(*run)) {
        take(model, run, cmds);
    }
}

fn take(model: &mut Model, run: RunId, cmds: &mut Vec<Cmd>) {
    model.keyboards.want(run).claim = Claim::Asked;
    model.dirty = true;
    if let Some(pane) = model.pane_of_mut(run) {
        // A size that was refused was perhaps another's to say.
        pane.refused = None;
    }
    cmds.push(Cmd::TakeKeyboard(run));
}

/// The run that is attached, once it takes keys.
fn attached_run(model: &Model) -> Option<RunId> {
    let view = model.selected_view().filter(|view| model.focus == Focus::Attached && takes_keys(view));
    view.map(RunView::id)
}

fn takes_keys(view: &RunView) -> bool {
    view.record.mode == Mode::Pty && view.control_open
}

/// Gets ready for a key of the attached run; returns false when somebody else types, which is said.
pub(super) fn press(model: &mut Model, cmds: &mut Vec<Cmd>) -> bool {
    model.keyboards.typed_at = Some(model.now);
    let Some(run) = attached_run(model) else { return true };
    let owner = match model.keyboards.want(run).claim.press() {
        Press::Send => return true,
        Press::TakeFirst => {
            take(model, run, cmds);
            return true;
        }
        Press::Refused(owner) => owner.clone(),
    };
    tell_lost(model, run, &owner);
    model.dirty = true;
    false
}

fn tell_lost(model: &mut Model, run: RunId, owner: &KeyboardOwner) {
    let since = owner.since.to_zoned_datetime(model.time_zone.clone()).strftime("%H:%M:%S").to_string();
    let (run, who) = (model.run_name(run), owner_name(owner));
    let (back, attach) = (label(model.setup.attach_key), model.key(Intent::Attach));
    model.inform(format!("{who} types into {run} since {since}; {back} {attach} takes the keyboard back"));
}

/// The key of the list: takes the keyboard of the selected run, or hands it back.
pub(super) fn toggle(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let name = model.selected_name();
    let Some(view) = model.selected_view() else { return };
    let run = view.id();
    match (view.record.mode, takes_keys(view)) {
        (Mode::Pipes, _) => return model.inform(format!("{name} has pipes and no keyboard")),
        (Mode::Pty, false) => return model.inform(format!("{name} takes no keys")),
        (Mode::Pty, true) => {}
    }
    if model.keyboards.give_up(run) {
        cmds.push(Cmd::HandBackKeyboard(run));
        return model.inform(format!("the keyboard of {name} is handed back"));
    }
    model.keyboards.want(run).is_kept = true;
    take(model, run, cmds);
    let key = model.key(Intent::Keyboard);
    model.inform(format!("nobody else types into {name} until {key} hands the keyboard back"));
}

/// Takes the answer to a take in.
pub(super) fn answered(model: &mut Model, run: RunId, answer: Result<KeyboardOwner, Failure>) {
    model.keyboards.answered(run, answer);
}

/// Takes the answer to a hand-back in.
pub(super) fn handed_back(model: &mut Model, run: RunId, answer: Result<bool, Failure>) {
    model.keyboards.handed_back(run, answer);
}

/// Asks again what a silent server gave no answer to, and the next one knows nothing of.
pub(super) fn server_speaks(model: &mut Model, cmds: &mut Vec<Cmd>) {
    hand_back_owed(model, cmds);
    model.keyboards.unknown().into_iter().for_each(|run| take(model, run, cmds));
}

fn hand_back_owed(model: &mut Model, cmds: &mut Vec<Cmd>) {
    cmds.extend(model.keyboards.take_owed().into_iter().map(Cmd::HandBackKeyboard));
}

/// Takes in whom a change of the list shows as owners.
pub(super) fn saw(model: &mut Model, change: &Update, cmds: &mut Vec<Cmd>) {
    hand_back_owed(model, cmds);
    match change {
        Update::Run(view) => saw_view(model, view, false, cmds),
        Update::Resync(views) => views.iter().for_each(|view| saw_view(model, view, true, cmds)),
        Update::Removed(run) => drop(model.keyboards.give_up(*run)),
    }
}

fn saw_view(model: &mut Model, view: &RunView, is_anew: bool, cmds: &mut Vec<Cmd>) {
    let run = view.id();
    let Some(wanted) = model.keyboards.get_mut(run) else { return };
    if view.record.status.is_final() {
        model.keyboards.give_up(run);
        return;
    }
    let (had, was_lost) = (wanted.claim.is_held(), matches!(wanted.claim, Claim::Lost(_)));
    if wanted.claim.saw(view.keyboard.as_ref(), is_anew) {
        return take(model, run, cmds);
    }
    let is_free = was_lost && wanted.claim == Claim::Idle;
    if is_free && attached_run(model) == Some(run) {
        let name = model.run_name(run);
        model.dirty = true;
        return model.inform(format!("nobody types into {name} any more; the next key takes the keyboard"));
    }
    let Some(wanted) = model.keyboards.get_mut(run) else { return };
    if let (true, Claim::Lost(owner)) = (had, wanted.claim.clone()) {
        wanted.is_kept = false;
        model.dirty = true;
        if attached_run(model) == Some(run) || model.focus != Focus::Attached {
            tell_lost(model, run, &owner);
        }
    }
}

/// After every event: what is attached is held, what is not is handed back, unless it was taken by its own key.
pub(super) fn sync(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let attached = attached_run(model);
    for run in model.keyboards.runs() {
        if Some(run) == attached || model.keyboards.get(run).is_some_and(|wanted| wanted.is_kept) {
            continue;
        }
        if model.keyboards.give_up(run) {
            cmds.push(Cmd::HandBackKeyboard(run));
        }
    }
    if let Some(run) = attached.filter(|run| model.keyboards.get(*run).is_none()) {
        take(model, run, cmds);
    }
    let is_idle = model.keyboard_idle_at().is_some_and(|at| at <= model.now);
    if let Some(run) = attached.filter(|_| is_idle) {
        model.keyboards.want(run).claim = Claim::Idle;
        model.dirty = true;
        cmds.push(Cmd::HandBackKeyboard(run));
    }
}
