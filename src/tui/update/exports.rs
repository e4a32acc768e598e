//! Exports, and the log of a run in the user's own programs.

use std::path::PathBuf;

use crate::model::{Failure, RunId, shown};

use super::super::cmd::Cmd;
use super::super::exporting::{Form, LogFile, Shower};
use super::super::keys::Intent;
use super::super::model::{ExportMenu, Model, Overlay};
use super::answers::complain;

/// The run of the selected row; without one, says so.
fn selected(model: &mut Model) -> Option<RunId> {
    let row = model.list.selected()?;
    let run = row.run;
    if run.is_none() {
        let name = model.selected_name();
        model.inform(format!("{name} was not started yet: there is no output"));
    }
    run
}

/// Asks for the log of the selected run, to be shown by a program.
pub(super) fn open_log(model: &mut Model, shower: Shower, cmds: &mut Vec<Cmd>) {
    if let Some(run) = selected(model) {
        model.inform(format!("the log of {} is fetched", model.run_name(run)));
        cmds.push(Cmd::FetchLog { run, shower });
    }
}

/// The log is there: the program gets the terminal.
pub(super) fn fetched(
    model: &mut Model,
    run: RunId,
    shower: Shower,
    result: Result<LogFile, Failure>,
    cmds: &mut Vec<Cmd>,
) {
    model.notice = None;
    match result {
        Ok(file) => cmds.push(Cmd::Visit { shower, file }),
        Err(failure) => complain(model, &format!("the log of {} cannot be shown", model.run_name(run)), &failure),
    }
}

/// Asks into what the selected run is to be made.
pub(super) fn ask(model: &mut Model) {
    if let Some(run) = selected(model) {
        let name = model.run_name(run);
        model.overlay = Some(Overlay::Export(ExportMenu { run, name, selected: 0 }));
    }
}

pub(super) fn press(model: &mut Model, mut menu: ExportMenu, intent: Option<Intent>, cmds: &mut Vec<Cmd>) {
    let count = Form::ALL.len();
    match intent {
        Some(Intent::Back) => return,
        Some(Intent::Accept) => return choose(model, &menu, cmds),
        Some(Intent::Down) => menu.selected = (menu.selected + 1) % count,
        Some(Intent::Up) => menu.selected = (menu.selected + count - 1) % count,
        Some(_) | None => {}
    }
    model.overlay = Some(Overlay::Export(menu));
}

/// Exports the run that the menu was opened for.
pub(super) fn choose(model: &mut Model, menu: &ExportMenu, cmds: &mut Vec<Cmd>) {
    let Some(form) = Form::ALL.get(menu.selected) else { return };
    model.inform(format!("{} is written to a file", menu.name));
    let (folder, name) = (model.setup.cwd.clone(), menu.name.chars().take(40).collect());
    cmds.push(Cmd::Export { run: menu.run, form: *form, folder, name });
}

pub(super) fn exported(model: &mut Model, run: RunId, result: Result<PathBuf, Failure>) {
    match result {
        Ok(path) => model.inform(format!("written: {}", shown(path))),
        Err(failure) => complain(model, &format!("{} was not exported", model.run_name(run)), &failure),
    }
}
