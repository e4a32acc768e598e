//! After every event: what is shown decides what is watched, how large runs are, and which rows are fetched.

use crate::model::{Mode, Status};

use super::super::cmd::Cmd;
use super::super::model::{Focus, INSPECT_EVERY, InspectPanel, Model};
use super::{attached, beyond, find, keyboard, panes, reading, scroll, show};

pub(super) fn sync(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if let Some(run) = model.select_when_known.filter(|run| model.list.known(*run).is_some()) {
        model.list.select_run(run);
        model.select_when_known = None;
    }
    model.list.settle();
    if model.show.is_none() {
        panes::settle(model, cmds);
    }
    show::settle_marks(model);
    // A row that is started again stays attached; what is typed never goes to another one that took its place.
    let row = model.list.selected().map(|row| &row.key);
    if model.focus == Focus::Attached && row != model.attached.as_ref() {
        (model.focus, model.dirty) = (Focus::List, true);
    }
    keyboard::sync(model, cmds);
    attached::send_typed_ahead(model, cmds);
    watch(model, cmds);
    resize(model, cmds);
    if model.show.is_some() {
        show::sync(model, cmds);
    } else {
        history(model, cmds);
        gather(model, cmds);
        reading::settle(model);
    }
    inspect(model, cmds);
    beyond::sync(model, cmds);
    find::sync(model, cmds);
    if model.usage_is_due() {
        model.sampling.asked = true;
        cmds.push(Cmd::Usage);
    }
}

fn watch(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let shown: Vec<_> = model.terminals().collect();
    for index in 0..model.split.count() {
        let area = shown.iter().find(|(at, _)| *at == index).map(|(_, area)| *area);
        let size = area.map(|area| model.size_in(area));
        let Some(pane) = model.pane_at_mut(index) else { continue };
        let Some(run) = pane.run else { continue };
        let Some(size) = size else {
            if pane.watching.take().is_some() {
                cmds.push(Cmd::Unwatch(run));
            }
            continue;
        };
        let (watched, failed) = (pane.watching, pane.failure.is_some());
        model.dirty |= model.list.mark_seen(run);
        let Some(known) = model.list.known(run) else { continue };
        let record = &known.view.record;
        let watchable = record.status != Status::Queued && !failed;
        let fits = watched.is_some_and(|watched| record.mode == Mode::Pty || watched == size);
        if watchable && !fits {
            if let Some(pane) = model.pane_at_mut(index) {
                pane.watching = Some(size);
            }
            cmds.push(Cmd::Watch { run, size });
        }
    }
}

/// The size follows who has the keyboard: whoever only looks changes none (S4.4). The newest size that was asked for counts, answered or not: a resize never waits for the one before.
fn resize(model: &mut Model, cmds: &mut Vec<Cmd>) {
    for (index, area) in model.terminals().collect::<Vec<_>>() {
        let size = model.size_in(area);
        let Some(run) = model.pane_at(index).and_then(|pane| pane.run) else { continue };
        let Some(view) = model.list.known(run).map(|known| &known.view) else { continue };
        let takes = view.record.mode == Mode::Pty && view.record.status == Status::Running && view.control_open;
        // Without a server nobody else can look.
        let is_held = model.keyboards.is_held(run) || !model.setup.has_server;
        let Some(pane) = model.pane_at_mut(index) else { continue };
        let Some(has) = pane.frame.as_ref().map(|frame| frame.size) else { continue };
        if takes && is_held && pane.resizing.unwrap_or(has) != size && pane.refused != Some(size) {
            pane.resizing = Some(size);
            cmds.push(Cmd::Resize { run, size });
        }
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

/// Fetches the rows that are read as text.
fn gather(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let height = scroll::height(model);
    let pane = &mut model.pane;
    let Some(run) = pane.run else { return };
    pane.update_reading(false);
    let top = pane.scroll.unwrap_or_else(|| pane.live_top(height));
    let Some((from, to)) = pane.reading.needed(top, height) else { return };
    if let Some((first, count)) = pane.reading.text.missing(from, to) {
        cmds.push(Cmd::Gather { run, first, count });
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
    if panel.stale && !panel.asked {
        // What does not move by itself: asked for when the panel opens, and when the run stands otherwise.
        cmds.push(Cmd::Why(run));
        let name = model.list.known(run).and_then(|known| known.view.record.name.clone());
        cmds.extend(name.map(|name| Cmd::Generations { run, name }));
    }
    let due = panel.stale || (is_live && model.now.since(panel.at) >= INSPECT_EVERY);
    if due && !panel.asked {
        (panel.asked, panel.stale) = (true, false);
        cmds.push(Cmd::Inspect(run));
        cmds.push(Cmd::Surroundings(run));
    }
}
