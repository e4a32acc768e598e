//! Runs side by side.

use crate::model::RunId;
use crate::settings::ListPlace;

use super::super::cmd::Cmd;
use super::super::keys::Intent;
use super::super::model::{Focus, Model, Pane, Reading, grid, panes_place};

/// Gives each pane the run of its row. A pane that shows the run already keeps all it knows.
pub(super) fn settle(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let list = &model.list;
    model.split.settle(list.selected_key(), |key| list.rows.iter().any(|row| row.key == *key));
    let wanted: Vec<Option<RunId>> =
        (0..model.split.count()).map(|index| model.row_at(index).and_then(|row| row.run)).collect();
    let focused = model.focused_pane();
    let others = |index: usize| index != focused;
    let has = model.beside.iter().map(|pane| pane.run);
    let is_same = model.pane.run == wanted[focused]
        && has.eq(wanted.iter().enumerate().filter(|(index, _)| others(*index)).map(|(_, run)| *run));
    if is_same {
        return;
    }
    let before = model.pane.run;
    let mut pool: Vec<Pane> = std::iter::once(std::mem::take(&mut model.pane)).chain(model.beside.drain(..)).collect();
    for (index, run) in wanted.into_iter().enumerate() {
        let known = run.and_then(|run| pool.iter().position(|pane| pane.run == Some(run)));
        let mut pane = known.map_or_else(|| Pane::of(run), |at| pool.swap_remove(at));
        if others(index) {
            // What is not in front is live.
            (pane.scroll, pane.reading) = (None, Reading::default());
            model.beside.push(pane);
        } else {
            model.pane = pane;
        }
    }
    let gone = pool.into_iter().filter(|pane| pane.watching.is_some()).filter_map(|pane| pane.run);
    cmds.extend(gone.map(Cmd::Unwatch));
    // A place in the scrollback does not carry over to another run.
    if model.pane.run != before && model.focus == Focus::Scroll {
        model.focus = Focus::List;
        model.pane.scroll = None;
    }
    model.dirty = true;
}

/// Lets the selected run stay in sight in a pane of its own, or no longer.
pub(super) fn toggle(model: &mut Model) {
    let Some(key) = model.list.selected_key().cloned() else {
        return model
            .inform(format!("there is nothing to show beside; {} starts a new run", model.key(Intent::NewRun)));
    };
    let name = model.row_name(&key);
    if !model.split.is_pinned(&key) {
        let Some(count) = model.split.count_with_another() else {
            let key = model.key(Intent::Split);
            return model.inform(format!("four runs are side by side already; {key} on one of them takes it away"));
        };
        model.zoom = false;
        let room = panes_place(model);
        if room.is_none_or(|room| grid(room, count).is_none()) {
            return model.inform("there is no room for another pane: each needs 20 columns and 3 rows");
        }
    }
    let stays = model.split.toggle(&key);
    let split = model.key(Intent::Split);
    model.inform(match (stays, model.split.count_with_another()) {
        (false, _) => format!("{name} stays in sight no longer"),
        (true, None) => format!("{name} stays in sight beside three others"),
        (true, Some(2)) => format!("{name} stays in sight; select another run to see it beside"),
        // What is selected otherwise takes the place of the last.
        (true, Some(_)) => format!("{name} stays in sight; {split} on another run adds that one"),
    });
}

/// Goes to the next pane, or the one before.
pub(super) fn step(model: &mut Model, forward: bool) {
    let count = model.split.count();
    let by = if forward { 1 } else { count - 1 };
    let next = (model.focused_pane() + by) % count;
    if count == 1 {
        let key = model.key(Intent::Split);
        model.inform(format!("there is one pane; {key} lets the selected run stay in sight beside others"));
    } else if let Some(key) = model.row_at(next).map(|row| row.key.clone()) {
        model.list.select_key(&key);
    } else {
        model.inform("select a run to see it in the other pane");
    }
}

/// Moves the list to its next place.
pub(super) fn move_list(model: &mut Model) {
    let at = ListPlace::ALL.iter().position(|place| *place == model.list_place).unwrap_or(0);
    model.list_place = ListPlace::ALL[(at + 1) % ListPlace::ALL.len()];
    model.zoom = false;
    if model.list_place == ListPlace::Hidden {
        model.inform(format!("the list is hidden; {} shows it again", model.key(Intent::MoveList)));
    }
}
