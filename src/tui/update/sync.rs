//! After every event: what is shown decides what is watched, how large runs are, and which rows are fetched.

use crate::model::{Mode, Status};

use super::super::cmd::Cmd;
use super::super::model::{Focus, INSPECT_EVERY, InspectPanel, Model, Pane};
use super::attached;

pub(super) fn sync(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if let Some(run) = model.select_when_known.filter(|run| model.list.known(*run).is_some()) {
        model.list.select_run(run);
        model.select_when_known = None;
    }
    let selected = model.list.selected().and_then(|row| row.run);
    if model.pane.run != selected {
        let was_watching = model.pane.watching.is_some();
        model.pane = Pane::of(selected);
        model.dirty = true;
        // A place in the scrollback does not carry over to another run.
        if model.focus == Focus::Scroll {
            model.focus = Focus::List;
        }
        if was_watching {
            cmds.push(Cmd::Unwatch);
        }
    }
    // A row that is started again stays attached; what is typed never goes to another one that took its place.
    let row = model.list.selected().map(|row| &row.key);
    if model.focus == Focus::Attached && row != model.attached.as_ref() {
        (model.focus, model.dirty) = (Focus::List, true);
    }
    attached::send_typed_ahead(model, cmds);
    watch(model, cmds);
    resize(model, cmds);
    history(model, cmds);
    inspect(model, cmds);
}

fn watch(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(run) = model.pane.run else { return };
    if model.terminal_area().is_none() {
        if model.pane.watching.take().is_some() {
            cmds.push(Cmd::Unwatch);
        }
        return;
    }
    model.dirty |= model.list.mark_seen(run);
    let size = model.pane_size();
    let Some(known) = model.list.known(run) else { return };
    let record = &known.view.record;
    let watchable = record.status != Status::Queued && model.pane.failure.is_none();
    let fits = model.pane.watching.is_some_and(|watched| record.mode == Mode::Pty || watched == size);
    if watchable && !fits {
        model.pane.watching = Some(size);
        cmds.push(Cmd::Watch { run, size });
    }
}

/// The newest size that was asked for counts, answered or not: a resize never waits for the one before.
fn resize(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let (Some(run), Some(_)) = (model.pane.run, model.terminal_area()) else { return };
    let (Some(known), Some(frame)) = (model.list.known(run), model.pane.frame.as_ref()) else { return };
    let has = frame.size;
    let view = &known.view;
    let takes = view.record.mode == Mode::Pty && view.record.status == Status::Running && view.control_open;
    let size = model.pane_size();
    let pane = &mut model.pane;
    if takes && pane.resizing.unwrap_or(has) != size && pane.refused != Some(size) {
        pane.resizing = Some(size);
        cmds.push(Cmd::Resize { run, size });
    }
}

fn history(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let (Some(run), Some(area)) = (model.pane.run, model.terminal_area()) else { return };
    let (Some(frame), Some(top)) = (model.pane.frame.clone(), model.pane.scroll) else { return };
    let to = top + u64::from(area.height);
    let kept = (frame.history.first, frame.history.end);
    if let Some((first, count)) = model.pane.history.missing(top, to, kept, usize::from(area.height)) {
        cmds.push(Cmd::History { run, first, count });
    }
}

fn inspect(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let selected = model.list.selected().and_then(|row| row.run);
    let Some(panel) = &mut model.inspect else { return };
    if panel.run != selected {
        *panel = InspectPanel { run: selected, ..Default::default() };
        panel.stale = true;
    }
    let Some(run) = panel.run else { return };
    let is_live = model.list.known(run).is_some_and(|known| !known.view.record.status.is_final());
    let due = panel.stale || (is_live && model.now.since(panel.at) >= INSPECT_EVERY);
    if due && !panel.asked {
        (panel.asked, panel.stale) = (true, false);
        cmds.push(Cmd::Inspect(run));
    }
}
