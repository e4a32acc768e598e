//! Keys that are for several runs: for those that are marked, or else for the members of the group whose head is selected.

use crate::api::{RunView, SignalTarget};
use crate::model::{RunId, Status};

use super::super::cmd::Cmd;
use super::super::keys::Intent;
use super::super::model::{Deed, Model, Overlay, Question, Row, RowKey, SignalMenu};
use super::{intents, rename};

/// The rows that a key is for.
struct Several {
    rows: Vec<RowKey>,
    /// The group; none when the rows are marked.
    group: Option<String>,
}

impl Several {
    /// Those that are marked, if it is not only the selected one, or the members of the selected group.
    fn of(model: &Model) -> Option<Several> {
        let selected = model.list.selected_key();
        match (model.marked.as_slice(), model.list.selected_group()) {
            ([only], _) if selected == Some(only) => None,
            ([], Some(group)) => {
                let rows = model.list.members(group).into_iter().map(|row| row.key.clone()).collect();
                Some(Several { rows, group: Some(group.to_owned()) })
            }
            ([], None) => None,
            (marked, _) => Some(Several { rows: marked.to_vec(), group: None }),
        }
    }

    fn rows<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = &'a Row> {
        model.list.rows.iter().filter(|row| self.rows.contains(&row.key))
    }

    fn views<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = &'a RunView> {
        self.rows(model).filter_map(|row| model.list.view_of(row)).map(AsRef::as_ref)
    }

    /// So many of them, for titles.
    fn counted(&self, count: usize) -> String {
        let runs = if count == 1 { "run" } else { "runs" };
        match &self.group {
            Some(group) => format!("{count} {runs} of {group}"),
            None => format!("{count} marked {runs}"),
        }
    }

    /// All of them, for messages.
    fn name(&self) -> &str {
        self.group.as_deref().unwrap_or("what is marked")
    }
}

fn is_live(view: &RunView) -> bool {
    !view.record.status.is_final()
}

/// Does what a key means for several runs. Returns false when it is for one, or not about runs.
pub(super) fn act(model: &mut Model, intent: Intent, cmds: &mut Vec<Cmd>) -> bool {
    match intent {
        Intent::StopOthers => stop_others(model),
        Intent::Start => return ask(model, Deed::Start, cmds),
        Intent::Stop => return ask(model, Deed::Stop, cmds),
        Intent::Kill => return ask(model, Deed::Kill, cmds),
        Intent::Restart => return ask(model, Deed::Restart, cmds),
        Intent::KillRestart => return ask(model, Deed::KillRestart, cmds),
        Intent::Clear => return clear(model, cmds),
        Intent::Signal => return signal(model),
        other => return on_group(model, other),
    }
    true
}

/// The keys of the head of a group that are not for its members.
fn on_group(model: &mut Model, intent: Intent) -> bool {
    let Some(group) = model.list.selected_group().map(str::to_owned) else { return false };
    match Some(intent) {
        Some(Intent::Attach | Intent::Accept | Intent::Fold | Intent::Mark) => model.list.fold(&group),
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

/// The runs that something is to be done to: what is live, to stop also what a lost server has left, to start what has ended.
fn wanted(model: &Model, several: &Several, deed: Deed) -> (Vec<RunId>, Vec<RowKey>) {
    let mut wanted = (Vec::new(), Vec::new());
    for row in several.rows(model) {
        let view = model.list.view_of(row);
        let live = view.is_some_and(|view| is_live(view));
        let is_lost = view.is_some_and(|view| view.record.status == Status::Orphaned);
        match (deed, row.run) {
            (Deed::Stop | Deed::Kill, Some(run)) if live || is_lost => wanted.0.push(run),
            (Deed::Restart | Deed::KillRestart, Some(run)) if live => wanted.0.push(run),
            (Deed::Stop | Deed::Kill, _) => {}
            (Deed::Start, _) if live || row.pending => {}
            (Deed::Start | Deed::Restart | Deed::KillRestart, _) if row.spec.is_some() => {
                if !row.pending {
                    wanted.1.push(row.key.clone());
                }
            }
            (Deed::Start | Deed::Restart | Deed::KillRestart, run) => wanted.0.extend(run),
        }
    }
    wanted
}

/// Does something to several runs; asks first when they are marked, or when that ends more than one.
fn ask(model: &mut Model, deed: Deed, cmds: &mut Vec<Cmd>) -> bool {
    let Some(several) = Several::of(model) else { return false };
    let (runs, starts) = wanted(model, &several, deed);
    let of_marked = several.group.is_none();
    let about = match &several.group {
        Some(group) => format!("{group}/"),
        None => several.counted(several.rows.len()),
    };
    let runs: Vec<_> = runs.into_iter().map(|run| (run, model.run_name(run))).collect();
    let question = Question { deed, about, runs, starts, of_marked, selected: 0 };
    let ends = if deed == Deed::Start { 0 } else { question.runs.len() };
    match (question.runs.len() + question.starts.len(), deed) {
        (0, Deed::Start) => model.inform(format!("all of {} is running already", several.name())),
        (0, _) => model.inform(format!("nothing of {} is running", several.name())),
        _ if ends > 1 || of_marked => model.overlay = Some(Overlay::Ask(Box::new(question))),
        _ => answer(model, &question, true, cmds),
    }
    true
}

/// Asks whether all is to be stopped but what is marked, or else selected.
fn stop_others(model: &mut Model) {
    let (kept, but) = match (Several::of(model), model.list.selected_key()) {
        (Some(several), _) => {
            let but = several.counted(several.rows.len());
            (several.rows, but)
        }
        (None, Some(key)) => (vec![key.clone()], model.selected_name()),
        (None, None) => return model.inform("no run is selected that would be kept"),
    };
    let is_kept = |view: &RunView| {
        kept.iter().any(|key| match key {
            RowKey::Task(name) => view.record.name.as_ref() == Some(name),
            RowKey::Run(_) => model.list.row_of(view.id()).is_some_and(|row| row.key == *key),
        })
    };
    let others = model.list.live().into_iter().filter(|view| !is_kept(view));
    let runs: Vec<_> = others.map(|view| (view.id(), model.run_name(view.id()))).collect();
    if runs.is_empty() {
        return model.inform(format!("nothing is running but {but}"));
    }
    let about = format!("all but {but}");
    let question = Question { deed: Deed::Stop, about, runs, starts: Vec::new(), of_marked: false, selected: 0 };
    model.overlay = Some(Overlay::Ask(Box::new(question)));
}

/// The question was answered: for the runs that it named, as they stand now.
pub(super) fn answer(model: &mut Model, question: &Question, yes: bool, cmds: &mut Vec<Cmd>) {
    if !yes {
        return;
    }
    if question.of_marked {
        model.marked.clear();
    }
    for (run, _) in &question.runs {
        let Some(status) = model.list.known(*run).map(|known| known.view.record.status) else { continue };
        let run = *run;
        match question.deed {
            Deed::Stop | Deed::Kill if status == Status::Orphaned => cmds.push(Cmd::Reap(run)),
            Deed::Stop | Deed::Kill if status.is_final() => {}
            Deed::Stop => cmds.push(Cmd::Stop { run, kill: false }),
            Deed::Kill => cmds.push(Cmd::Stop { run, kill: true }),
            Deed::Start if !status.is_final() => {}
            Deed::Start | Deed::Restart => drop(intents::start_again(model, run, false, cmds)),
            Deed::KillRestart => drop(intents::start_again(model, run, true, cmds)),
        }
    }
    question.starts.iter().for_each(|key| intents::start_task(model, key, cmds));
}

fn clear(model: &mut Model, cmds: &mut Vec<Cmd>) -> bool {
    let Some(several) = Several::of(model) else { return false };
    let ended = several.rows(model).filter(|row| model.list.view_of(row).is_none_or(|view| !is_live(view)));
    let runs: Vec<RunId> = ended.flat_map(|row| model.list.clearable(row)).collect();
    if runs.is_empty() {
        model.inform(format!("nothing of {} has ended", several.name()));
    }
    cmds.extend(runs.into_iter().map(Cmd::Forget));
    true
}

fn signal(model: &mut Model) -> bool {
    let Some(several) = Several::of(model) else { return false };
    let runs: Vec<RunId> = several.views(model).filter(|view| is_live(view)).map(RunView::id).collect();
    match runs.split_first() {
        Some((first, others)) => {
            let mut menu = SignalMenu::new(*first, several.counted(runs.len()));
            menu.others = others.to_vec();
            model.overlay = Some(Overlay::Signal(menu));
        }
        None => model.inform(format!("nothing of {} is running", several.name())),
    }
    true
}

/// The signal that a menu has chosen, for all its runs.
pub(super) fn signals(menu: &SignalMenu, signal: i32, target: SignalTarget, cmds: &mut Vec<Cmd>) {
    let runs = std::iter::once(menu.run).chain(menu.others.iter().copied());
    cmds.extend(runs.map(|run| Cmd::Signal { run, signal, target }));
}
