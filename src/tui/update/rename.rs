//! Giving runs other names, and with them other groups.

use std::sync::Arc;

use crate::model::{Failure, KeyChord, Record, RunId};

use super::super::cmd::Cmd;
use super::super::keys::Intent;
use super::super::model::{Model, Overlay, RenamePrompt, Renaming, RowKey};
use super::{answers, prompt};

/// The longest text, in bytes: more than any name has, so that one that is too long is told so.
const MAX_BYTES: usize = 256;

/// Asks for another name of the selected run, or for another group.
pub(super) fn open(model: &mut Model, what: Renaming) {
    let Some(view) = model.selected_view() else {
        let name = model.selected_name();
        return model.inform(match name.as_str() {
            "" => format!("there is nothing to rename; {} starts a new run", model.key(Intent::NewRun)),
            name => format!("{name} was not started yet: its name is that of the configuration"),
        });
    };
    let (run, name) = (view.id(), view.record.name.clone());
    let is_over = view.record.status.is_final();
    let shown = model.run_name(run);
    if is_over {
        return model.inform(format!("{shown} is over: its record keeps its name"));
    }
    let typed = match (what, &name) {
        (Renaming::Name, name) => name.as_ref().map(ToString::to_string).unwrap_or_default(),
        (Renaming::Group, Some(name)) => group(name.as_str()).unwrap_or_default().to_owned(),
        (Renaming::Group, None) => {
            let rename = model.key(Intent::Rename);
            return model
                .inform(format!("{shown} has no name yet, and groups are made of names: {rename} gives it one"));
        }
    };
    let rest = name.as_ref().map(|name| without_group(name.as_str()).to_owned()).unwrap_or_default();
    model.overlay = Some(Overlay::Rename(Box::new(RenamePrompt::new(what, shown, typed, vec![(run, rest)]))));
}

/// Asks for another name of a group: of its live members.
pub(super) fn open_group(model: &mut Model, group: &str) {
    let views = model.list.members(group).into_iter().filter_map(|row| model.list.view_of(row));
    let live = views.filter(|view| !view.record.status.is_final());
    let rest = |view: &crate::api::RunView| Some(without_group(view.record.name.as_ref()?.as_str()).to_owned());
    let runs: Vec<(RunId, String)> = live.filter_map(|view| Some((view.id(), rest(view)?))).collect();
    if runs.is_empty() {
        return model.inform(format!("nothing of {group} is running: records that are final keep their names"));
    }
    let of = format!("{} runs of {group}", runs.len());
    let prompt = RenamePrompt::new(Renaming::Group, of, group.to_owned(), runs);
    model.overlay = Some(Overlay::Rename(Box::new(prompt)));
}

fn group(name: &str) -> Option<&str> {
    name.split_once('/').map(|(group, _)| group)
}

fn without_group(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, rest)| rest)
}

pub(super) fn press(
    model: &mut Model,
    mut open: Box<RenamePrompt>,
    intent: Option<Intent>,
    chord: KeyChord,
    cmds: &mut Vec<Cmd>,
) {
    match intent {
        Some(Intent::Back) => return,
        Some(Intent::Accept) if open.pending.is_empty() => match open.names() {
            Ok(names) => {
                open.pending = names.iter().map(|(run, _)| *run).collect();
                open.error = None;
                cmds.extend(names.into_iter().map(|(run, name)| Cmd::Rename { run, name }));
            }
            Err(why) => open.error = Some(why),
        },
        Some(_) => {}
        None if open.pending.is_empty() && prompt::edit_line(&mut open.input, chord, MAX_BYTES) => open.error = None,
        None => {}
    }
    model.overlay = Some(Overlay::Rename(open));
}

/// Takes a paste into the name.
pub(super) fn paste(open: &mut RenamePrompt, text: &str) {
    if open.pending.is_empty() {
        prompt::paste_line(&mut open.input, text, MAX_BYTES);
        open.error = None;
    }
}

/// A run has another name, or not, and why.
pub(super) fn renamed(model: &mut Model, run: RunId, result: Result<Arc<Record>, Failure>) {
    let before = model.run_name(run);
    let task = match model.list.row_of(run).map(|row| row.key.clone()) {
        Some(RowKey::Task(task)) => Some(task),
        Some(RowKey::Run(_)) | None => None,
    };
    let asked = match &mut model.overlay {
        Some(Overlay::Rename(open)) if open.pending.contains(&run) => {
            open.pending.retain(|other| *other != run);
            Some(open)
        }
        _ => None,
    };
    match (result, asked) {
        (Ok(_), Some(open)) => {
            if open.pending.is_empty() && open.error.is_none() {
                model.overlay = None;
            } else {
                open.runs.retain(|(other, _)| *other != run);
            }
        }
        (Ok(_), None) => {}
        (Err(failure), Some(open)) => {
            let hint = failure.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            let who = if open.runs.len() > 1 { format!("{before}: ") } else { String::new() };
            open.error = Some(format!("{who}{}{hint}", failure.message));
            return;
        }
        (Err(failure), None) => {
            return answers::complain(model, &format!("{before} was not renamed"), &failure);
        }
    }
    // The list may have heard of it already.
    if let Some(task) =
        task.filter(|task| model.list.known(run).is_some_and(|known| known.view.record.name.as_ref() == Some(task)))
    {
        model.announce(format!("that run is no longer one of the task {task}, which can be started beside it"));
    }
}
