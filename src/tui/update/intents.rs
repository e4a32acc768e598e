//! The keys of the list.

use std::sync::Arc;

use crate::api::RunView;
use crate::model::{RunId, Status, TimeoutKind};

use super::super::cmd::Cmd;
use super::super::exporting::Shower;
use super::super::keys::Intent;
use super::super::model::{
    ExtendMenu, Focus, InspectPanel, LineKind, Model, Overlay, Prompt, Renaming, RowKey, SignalMenu, is_motion,
};
use super::{
    attached, browser, exports, filter, find, groups, keyboard, leave, line, menus, palette, panes, rename, scroll,
    show,
};

/// How far a page of the inspect panel goes, in lines.
const PANEL_PAGE: isize = 5;

pub(super) fn act(model: &mut Model, intent: Intent, cmds: &mut Vec<Cmd>) {
    let why_not = model.why_not(intent).filter(|_| !is_motion(intent));
    if groups::act(model, intent, cmds) {
        return;
    }
    act_on_one(model, intent, cmds);
    // Most know better words for it, and what to do instead.
    if let (Some(why), None) = (why_not, &model.notice) {
        let new = model.key(Intent::NewRun);
        model.inform(if model.list.rows.is_empty() { format!("{why}; {new} starts a new one") } else { why });
    }
}

fn act_on_one(model: &mut Model, intent: Intent, cmds: &mut Vec<Cmd>) {
    match intent {
        Intent::Down => model.list.move_selection(1),
        Intent::Up => model.list.move_selection(-1),
        Intent::First => model.list.select(0),
        Intent::Last => model.list.select(model.list.lines().len().saturating_sub(1)),
        Intent::Attach | Intent::Accept => attached::attach(model, cmds),
        Intent::Inspect => toggle_inspect(model),
        Intent::NewRun => {
            let prompt = Prompt::new(&model.setup.cwd, model.setup.new_run_mode);
            model.overlay = Some(Overlay::Prompt(Box::new(prompt)));
        }
        Intent::Duplicate => duplicate(model),
        Intent::Pager => exports::open_log(model, Shower::Pager, cmds),
        Intent::Editor => exports::open_log(model, Shower::Editor, cmds),
        Intent::Export => exports::ask(model),
        Intent::Start => start(model, cmds),
        Intent::Stop => stop(model, false, cmds),
        Intent::Kill => stop(model, true, cmds),
        Intent::Restart => restart(model, false, cmds),
        Intent::KillRestart => restart(model, true, cmds),
        Intent::Clear => clear(model, cmds),
        Intent::Zoom => model.zoom = !model.zoom,
        Intent::Split => panes::toggle(model),
        Intent::NextPane => panes::step(model, true),
        Intent::PreviousPane => panes::step(model, false),
        Intent::MoveList => panes::move_list(model),
        Intent::Scrollback | Intent::Search if show::stands_in(model, cmds) => {}
        Intent::Sort => filter::sort(model),
        Intent::Filter => filter::begin(model),
        Intent::Attention => {
            if !model.list.select_attention() {
                model.inform("no run needs you");
            }
        }
        Intent::Fold => groups::fold_around(model),
        Intent::Scrollback => scroll::enter(model),
        Intent::PageUp | Intent::HalfUp => page(model, intent, -1, cmds),
        Intent::PageDown | Intent::HalfDown => page(model, intent, 1, cmds),
        Intent::Signal => signal(model),
        Intent::Extend => extend(model),
        Intent::Rename => rename::open(model, Renaming::Name),
        Intent::Group => rename::open(model, Renaming::Group),
        Intent::Keyboard => keyboard::toggle(model, cmds),
        Intent::Help => menus::open_help(model),
        Intent::Palette => palette::open(model),
        Intent::Detach if model.setup.has_server => leave::detach(model, None, cmds),
        Intent::Detach => {
            let leave = model.key(Intent::Leave);
            model.inform(format!("these runs end with this program (--embedded); {leave} stops them and leaves"));
        }
        Intent::Leave => leave::ask(model, cmds),
        Intent::Back => back(model),
        Intent::Suspend => cmds.push(Cmd::Suspend),
        Intent::Redraw => cmds.push(Cmd::Redraw),
        Intent::FindAll => find::open(model, cmds),
        Intent::HistoryBrowser => browser::open(model, cmds),
        Intent::Mark => show::mark(model),
        Intent::MergedLog => show::merged(model, cmds),
        Intent::Search => line::open(model, LineKind::Search),
        // What is for several runs is done already.
        Intent::StopOthers
        | Intent::Complete
        | Intent::Older
        | Intent::Newer
        | Intent::NextField
        | Intent::PreviousField
        | Intent::Yes
        | Intent::No
        | Intent::Hurry
        | Intent::NextHit
        | Intent::PreviousHit
        | Intent::ToggleRegex
        | Intent::ToggleCase
        | Intent::Follow
        | Intent::Select
        | Intent::SelectLines
        | Intent::SelectBlock
        | Intent::OtherEnd
        | Intent::Copy
        | Intent::CopyAsShown
        | Intent::Left
        | Intent::Right
        | Intent::WordForward
        | Intent::WordBack
        | Intent::WordEnd
        | Intent::LineStart
        | Intent::FirstText
        | Intent::LineEnd
        | Intent::ParagraphBack
        | Intent::ParagraphForward
        | Intent::OpenLog
        | Intent::Replay
        | Intent::PlayPause
        | Intent::Faster
        | Intent::Slower => {}
    }
}

/// Starts the tasks that are to be started by themselves and do not run yet.
pub(super) fn autostart(model: &mut Model, cmds: &mut Vec<Cmd>) {
    // Whoever comes to runs that go on wants to see them as they are: what was stopped on purpose stays stopped.
    let goes_on = model.setup.has_server && !model.list.live().is_empty();
    for key in std::mem::take(&mut model.autostart) {
        if goes_on {
            if let Some(row) = model.list.row_mut(&key) {
                row.pending = false;
            }
            continue;
        }
        let live = model.list.rows.iter().find(|row| row.key == key).and_then(|row| model.list.view_of(row));
        if live.is_none_or(|view| view.record.status.is_final()) {
            start_task(model, &key, cmds);
        } else if let Some(row) = model.list.row_mut(&key) {
            row.pending = false;
        }
    }
}

/// The selected run if it is live; otherwise says that it is not.
fn live(model: &mut Model, wanted: &str) -> Option<(RunId, Arc<RunView>)> {
    let row = model.list.selected()?;
    match model.list.view_of(row).filter(|view| !view.record.status.is_final()).cloned() {
        Some(view) => Some((view.id(), view)),
        None => {
            let name = model.selected_name();
            model.inform(format!("{name} is not running: there is nothing to {wanted}"));
            None
        }
    }
}

fn start(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(row) = model.list.selected() else {
        return model.inform(format!("there is nothing to start; {} starts a new run", model.key(Intent::NewRun)));
    };
    let (key, run, pending) = (row.key.clone(), row.run, row.pending);
    let is_live = model.list.view_of(row).is_some_and(|view| !view.record.status.is_final());
    let name = model.selected_name();
    if is_live || pending {
        return model.inform(format!("{name} is running; {} restarts it", model.key(Intent::Restart)));
    }
    match (&key, run) {
        (RowKey::Task(_), _) => start_task(model, &key, cmds),
        (RowKey::Run(_), Some(run)) => drop(start_again(model, run, false, cmds)),
        (RowKey::Run(_), None) => {}
    }
}

pub(super) fn start_task(model: &mut Model, key: &RowKey, cmds: &mut Vec<Cmd>) {
    let size = model.pane_size();
    let (RowKey::Task(name), Some(row)) = (key, model.list.row_mut(key)) else { return };
    let Some(spec) = &row.spec else { return };
    let mut spec = Box::new(spec.as_ref().clone());
    spec.size = size;
    spec.name = Some(name.clone());
    (row.pending, row.failure) = (true, None);
    cmds.push(Cmd::Start { name: name.clone(), spec });
}

fn stop(model: &mut Model, kill: bool, cmds: &mut Vec<Cmd>) {
    if let Some(view) = model.selected_view().filter(|view| view.record.status == Status::Orphaned) {
        return cmds.push(Cmd::Reap(view.id()));
    }
    let Some((run, view)) = live(model, if kill { "kill" } else { "stop" }) else { return };
    if !kill && !view.control_open && super::super::model::grace_end(&view).is_some() {
        let name = model.selected_name();
        model.inform(format!("{name} is being stopped; {} kills it", model.key(Intent::Kill)));
    }
    cmds.push(Cmd::Stop { run, kill });
}

/// Opens the new-run form with what the selected run was started with.
fn duplicate(model: &mut Model) {
    let Some(row) = model.list.selected() else {
        return model.inform(format!("there is nothing to duplicate; {} starts a new run", model.key(Intent::NewRun)));
    };
    let mut prompt = Prompt::new(&model.setup.cwd, model.setup.new_run_mode);
    match (&row.spec, model.list.view_of(row)) {
        (Some(spec), _) => prompt.fill_from_spec(spec),
        (None, Some(view)) if view.record.command.contains(browser::COVERED) => {
            let name = model.selected_name();
            return model
                .complain(format!("{name} cannot be duplicated: its record does not have the secrets of its command"));
        }
        (None, Some(view)) => prompt.fill_from_record(&view.record),
        (None, None) => return,
    }
    model.overlay = Some(Overlay::Prompt(Box::new(prompt)));
}

fn restart(model: &mut Model, kill: bool, cmds: &mut Vec<Cmd>) {
    match model.list.selected().map(|row| (row.key.clone(), row.run)) {
        Some((key, None)) => start_task(model, &key, cmds),
        Some((_, Some(run))) => drop(start_again(model, run, kill, cmds)),
        None => {}
    }
}

/// Starts a run again; an old one not in place of a newer one that is live: nobody has asked to end that. Returns whether it is started.
pub(super) fn start_again(model: &mut Model, run: RunId, kill: bool, cmds: &mut Vec<Cmd>) -> bool {
    if let Some(view) = model.list.live_namesake(run) {
        let (name, generation) = (model.run_name(run), view.record.generation);
        model.inform(format!("{name}:{generation} is running already; stop or restart that one"));
        return false;
    }
    cmds.push(Cmd::Restart { run, kill });
    true
}

fn clear(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(row) = model.list.selected() else { return };
    let is_live = model.list.view_of(row).is_some_and(|view| !view.record.status.is_final());
    let runs = model.list.clearable(row);
    let (name, key) = (model.selected_name(), row.key.clone());
    if is_live {
        return model
            .inform(format!("{name} is running: stop it with {} before it is cleared", model.key(Intent::Stop)));
    }
    if let Some(row) = model.list.row_mut(&key) {
        row.failure = None;
    }
    cmds.extend(runs.into_iter().map(Cmd::Forget));
}

fn toggle_inspect(model: &mut Model) {
    model.inspect = match model.inspect.take() {
        Some(_) => None,
        None if model.list.selected().is_some() => Some(InspectPanel::default()),
        None => None,
    };
    if let Some(panel) = &mut model.inspect {
        panel.run = model.list.selected().and_then(|row| row.run);
        panel.stale = true;
    }
}

/// Scrolls the open panel; without one, looks back.
fn page(model: &mut Model, intent: Intent, direction: isize, cmds: &mut Vec<Cmd>) {
    if let Some(panel) = &mut model.inspect {
        panel.scroll = panel.scroll.saturating_add_signed(direction * PANEL_PAGE);
    } else if direction < 0 {
        scroll::enter(model);
        if model.focus == Focus::Scroll {
            scroll::act(model, intent, cmds);
        }
    }
}

fn signal(model: &mut Model) {
    if let Some((run, _)) = live(model, "signal") {
        let name = model.selected_name();
        model.overlay = Some(Overlay::Signal(SignalMenu::new(run, name)));
    }
}

fn extend(model: &mut Model) {
    if let Some((run, view)) = live(model, "give more time") {
        let kind = view.deadline.map_or(TimeoutKind::Wall, |deadline| deadline.kind);
        let (name, armed) = (model.selected_name(), view.deadline.is_some());
        model.overlay = Some(Overlay::Extend(ExtendMenu { run, name, kind, armed, selected: 0 }));
    }
}

fn back(model: &mut Model) {
    if model.inspect.take().is_none() && !std::mem::take(&mut model.zoom) && !filter::clear(model) {
        model.marked.clear();
    }
}
