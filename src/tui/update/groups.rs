//! Keys on the head of a group: they are for all its members.

use crate::api::SignalTarget;
use crate::model::{RunId, Status};

use super::super::cmd::Cmd;
use super::super::keys::Intent;
use super::super::model::{Deed, Model, Overlay, Question, RowKey, SignalMenu};
use super::{intents, rename};

/// Does what a key means for the selected group. Returns false when no group is selected, or the key is not about runs.
pub(super) fn act(model: &mut Model, intent: Intent, cmds: &mut Vec<Cmd>) -> bool {
    let Some(group) = model.list.selected_group().map(str::to_owned) else { return false };
    match Some(intent) {
        Some(Intent::Attach | Intent::Accept | Intent::Fold | Intent::Mark) => model.list.fold(&group),
        Some(Intent::Start) => start(model, &group, cmds),
        Some(Intent::Stop) => ask(model, &group, Deed::Stop, cmds),
        Some(Intent::Kill) => ask(model, &group, Deed::Kill, cmds),
        Some(Intent::Restart) => ask(model, &group, Deed::Restart, cmds),
        Some(Intent::KillRestart) => ask(model, &group, Deed::KillRestart, cmds),
        Some(Intent::Clear) => clear(model, &group, cmds),
        Some(Intent::Signal) => signal(model, &group),
        Some(Intent::Rename | Intent::Group) => rename::open_group(model, &group),
        Some(Intent::Extend | Intent::Inspect | Intent::Scrollback | Intent::Split) => {
            model.inform(format!("that is for one run: select one of {group}"));
        }
        Some(_) | None => return false,
    }
    true
}

/// Folds or unfolds the group that the selected row stands in.
pub(super) fn fold_around(model: &mut Model) {
    let name = model.selected_name();
    let group = name.split_once('/').map(|(group, _)| group.to_owned());
    match group.filter(|group| model.list.members(group).len() > 1) {
        Some(group) => model.list.fold(&group),
        None => {
            model.inform("runs whose names begin alike, such as web/api and web/ui, are a group that can be folded")
        }
    }
}

/// The live runs of a group with their names, and those that a lost server has left.
fn live(model: &Model, group: &str) -> Vec<(RunId, String)> {
    let views = model.list.members(group).into_iter().filter_map(|row| model.list.view_of(row));
    let live = views.filter(|view| !view.record.status.is_final());
    live.map(|view| (view.id(), model.run_name(view.id()))).collect()
}

/// The tasks of a group that do not run.
fn resting(model: &Model, group: &str) -> Vec<RowKey> {
    let is_resting = |row: &&super::super::model::Row| {
        let view = model.list.view_of(row);
        !row.pending && row.spec.is_some() && view.is_none_or(|view| view.record.status.is_final())
    };
    model.list.members(group).into_iter().filter(is_resting).map(|row| row.key.clone()).collect()
}

fn start(model: &mut Model, group: &str, cmds: &mut Vec<Cmd>) {
    let tasks = resting(model, group);
    if tasks.is_empty() {
        model.inform(format!("all of {group} is running already"));
    }
    tasks.iter().for_each(|key| intents::start_task(model, key, cmds));
}

/// Stops or restarts; asks first when that ends more than one run.
fn ask(model: &mut Model, group: &str, deed: Deed, cmds: &mut Vec<Cmd>) {
    let runs = live(model, group);
    let restarts = matches!(deed, Deed::Restart | Deed::KillRestart);
    let starts = if restarts { resting(model, group) } else { Vec::new() };
    let lost = |model: &Model| -> Vec<RunId> {
        let views = model.list.members(group).into_iter().filter_map(|row| model.list.view_of(row));
        views.filter(|view| view.record.status == Status::Orphaned).map(|view| view.id()).collect()
    };
    if !restarts {
        cmds.extend(lost(model).into_iter().map(Cmd::Reap));
    }
    let question = Question { deed, group: group.to_owned(), runs, starts, selected: 0 };
    match question.runs.len() {
        0 if question.starts.is_empty() => model.inform(format!("nothing of {group} is running")),
        0 | 1 => answer(model, &question, true, cmds),
        _ => model.overlay = Some(Overlay::Ask(Box::new(question))),
    }
}

/// The question was answered: for the runs that it named, those of them that still run.
pub(super) fn answer(model: &mut Model, question: &Question, yes: bool, cmds: &mut Vec<Cmd>) {
    if !yes {
        return;
    }
    for (run, _) in &question.runs {
        let is_live = model.list.known(*run).is_some_and(|known| !known.view.record.status.is_final());
        let run = *run;
        match question.deed {
            Deed::Stop | Deed::Kill if !is_live => {}
            Deed::Stop => cmds.push(Cmd::Stop { run, kill: false }),
            Deed::Kill => cmds.push(Cmd::Stop { run, kill: true }),
            Deed::Restart => cmds.push(Cmd::Restart { run, kill: false }),
            Deed::KillRestart => cmds.push(Cmd::Restart { run, kill: true }),
        }
    }
    question.starts.iter().for_each(|key| intents::start_task(model, key, cmds));
}

fn clear(model: &mut Model, group: &str, cmds: &mut Vec<Cmd>) {
    let rows = model.list.members(group).into_iter();
    let ended = rows.filter(|row| model.list.view_of(row).is_none_or(|view| view.record.status.is_final()));
    let runs: Vec<RunId> = ended.flat_map(|row| model.list.clearable(row)).collect();
    if runs.is_empty() {
        model.inform(format!("nothing of {group} has ended"));
    }
    cmds.extend(runs.into_iter().map(Cmd::Forget));
}

fn signal(model: &mut Model, group: &str) {
    let runs: Vec<RunId> = live(model, group).into_iter().map(|(run, _)| run).collect();
    match runs.split_first() {
        Some((first, others)) => {
            let name = format!("{} runs of {group}", runs.len());
            let mut menu = SignalMenu::new(*first, name);
            menu.others = others.to_vec();
            model.overlay = Some(Overlay::Signal(menu));
        }
        None => model.inform(format!("nothing of {group} is running")),
    }
}

/// The signal that a menu has chosen, for all its runs.
pub(super) fn signals(menu: &SignalMenu, signal: i32, target: SignalTarget, cmds: &mut Vec<Cmd>) {
    let runs = std::iter::once(menu.run).chain(menu.others.iter().copied());
    cmds.extend(runs.map(|run| Cmd::Signal { run, signal, target }));
}
