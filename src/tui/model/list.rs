//! The list: a row for each task and each ad hoc run. Rows keep their place, and the selection follows the row, not its number.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::api::{RunView, Termination};
use crate::model::{Failure, Record, RunId, RunName, RunSpec};

use crate::tui::{Seen, TaskEntry};

use super::{Arrangement, Line, Sort, Usage};

/// What a row stands for, however the list is reordered.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum RowKey {
    /// A configured task.
    Task(RunName),
    /// An ad hoc run, by the id of its first run: a restart keeps the row.
    Run(RunId),
}

/// A row of the list.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) key: RowKey,
    /// How the task is started; none for an ad hoc run.
    pub(crate) spec: Option<Arc<RunSpec>>,
    /// The run it shows: the latest generation of the task.
    pub(crate) run: Option<RunId>,
    /// Runs that a restart of an ad hoc run replaced, to be cleared with it.
    pub(crate) older: Vec<RunId>,
    /// Whether a start was asked for and not answered yet.
    pub(crate) pending: bool,
    /// Why the last start failed, when it left no record.
    pub(crate) failure: Option<Failure>,
}

/// What is known of a run.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) view: Arc<RunView>,
    /// Whether it printed something that was not shown.
    pub(crate) unseen: bool,
    /// What of it was shown.
    pub(crate) seen: Seen,
    /// Whether its bell rang while it was not shown.
    pub(crate) bell: bool,
    /// What its processes use, where that is asked for.
    pub(crate) usage: Option<Usage>,
}

/// Tasks, runs, and which row is selected.
#[derive(Debug, Default)]
pub(crate) struct List {
    pub(crate) rows: Vec<Row>,
    pub(super) runs: HashMap<RunId, Known>,
    selected: Option<RowKey>,
    /// The group whose head is selected instead of a row.
    on_group: Option<String>,
    pub(super) arranged: Arrangement,
    /// Runs that were replaced by a restart before the list had heard of the replacement.
    superseded: HashSet<RunId>,
    /// What was seen of runs before this list had heard of them.
    remembered: HashMap<RunId, Seen>,
}

impl List {
    pub(crate) fn new(tasks: Vec<TaskEntry>) -> List {
        let rows: Vec<Row> = tasks
            .into_iter()
            .map(|task| Row {
                key: RowKey::Task(task.name),
                spec: Some(Arc::new(task.spec)),
                run: None,
                older: Vec::new(),
                // Those that start by themselves are shown so from the first frame on.
                pending: task.autostart,
                failure: None,
            })
            .collect();
        let mut list = List { rows, ..List::default() };
        list.arrange();
        list.select_key_of_first_row();
        list
    }

    pub(crate) fn known(&self, run: RunId) -> Option<&Known> {
        self.runs.get(&run)
    }

    /// The runs that are not final, in the order of the rows.
    pub(crate) fn live(&self) -> Vec<&Arc<RunView>> {
        let mut live: Vec<_> = self.runs.values().filter(|known| !known.view.record.status.is_final()).collect();
        let place = |id: RunId| self.rows.iter().position(|row| row.run == Some(id)).unwrap_or(usize::MAX);
        live.sort_by_key(|known| (place(known.view.id()), known.view.id()));
        live.into_iter().map(|known| &known.view).collect()
    }

    /// The live run of the same name as this one, which has ended.
    pub(crate) fn live_namesake(&self, run: RunId) -> Option<&Arc<RunView>> {
        let name = self.known(run)?.view.record.name.as_ref()?;
        self.live().into_iter().find(|view| view.id() != run && view.record.name.as_ref() == Some(name))
    }

    /// The number of the selected line.
    pub(crate) fn selected_index(&self) -> Option<usize> {
        let is_selected = |line: &Line| match line {
            Line::Group(name) => self.on_group.as_ref() == Some(name),
            Line::Row(key, _) => self.selected_key() == Some(key),
        };
        self.lines().iter().position(is_selected)
    }

    /// The selected row; none when the head of a group is selected.
    pub(crate) fn selected_key(&self) -> Option<&RowKey> {
        self.selected.as_ref().filter(|_| self.on_group.is_none())
    }

    pub(crate) fn selected(&self) -> Option<&Row> {
        let key = self.selected_key()?;
        self.rows.iter().find(|row| row.key == *key)
    }

    /// The group whose head is selected.
    pub(crate) fn selected_group(&self) -> Option<&str> {
        self.on_group.as_deref()
    }

    pub(crate) fn view_of(&self, row: &Row) -> Option<&Arc<RunView>> {
        Some(&self.runs.get(&row.run?)?.view)
    }

    pub(crate) fn row_mut(&mut self, key: &RowKey) -> Option<&mut Row> {
        self.arranged.stale = true;
        self.rows.iter_mut().find(|row| row.key == *key)
    }

    /// The row of a line.
    pub(crate) fn row_in(&self, line: &Line) -> Option<&Row> {
        match line {
            Line::Row(key, _) => self.rows.iter().find(|row| row.key == *key),
            Line::Group(_) => None,
        }
    }

    pub(crate) fn row_of(&self, run: RunId) -> Option<&Row> {
        self.rows.iter().find(|row| row.run == Some(run) || row.older.contains(&run))
    }

    /// Selects a line by its number.
    pub(crate) fn select(&mut self, index: usize) {
        match self.lines().get(index).cloned() {
            Some(Line::Row(key, _)) => (self.selected, self.on_group) = (Some(key), None),
            Some(Line::Group(name)) => self.on_group = Some(name),
            None => {}
        }
        self.selected_anew();
    }

    /// Selects a row, whether the filter lets it through or not.
    pub(crate) fn select_key(&mut self, key: &RowKey) {
        if self.rows.iter().any(|row| row.key == *key) {
            (self.selected, self.on_group) = (Some(key.clone()), None);
            self.reveal(key);
            self.selected_anew();
        }
    }

    fn select_key_of_first_row(&mut self) {
        if let Some(at) = self.lines().iter().position(|line| matches!(line, Line::Row(..))) {
            self.select(at);
        }
    }

    pub(crate) fn select_run(&mut self, run: RunId) {
        if let Some(key) = self.row_of(run).map(|row| row.key.clone()) {
            self.select_key(&key);
        }
    }

    pub(crate) fn move_selection(&mut self, by: isize) {
        let last = self.lines().len().saturating_sub(1);
        let index = self.selected_index().map_or(0, |at| at.saturating_add_signed(by).min(last));
        self.select(index);
    }

    /// Takes note that the run is looked at. Returns whether that changes a mark.
    pub(crate) fn mark_seen(&mut self, run: RunId) -> bool {
        let Some(known) = self.runs.get_mut(&run) else { return false };
        known.seen = all_of(&known.view, known.seen);
        std::mem::take(&mut known.unseen) | std::mem::take(&mut known.bell)
    }

    /// Takes note that output up to that generation is on the screen: how much there is of it is told later.
    pub(crate) fn saw(&mut self, run: RunId, generation: u64) {
        if let Some(known) = self.runs.get_mut(&run) {
            known.seen.output = known.seen.output.max(generation);
        }
    }

    /// Takes in what was seen of runs when they were looked at before.
    pub(crate) fn remember(&mut self, seen: HashMap<RunId, Seen>) {
        self.remembered = seen;
    }

    /// Returns what was seen of runs that are live.
    pub(crate) fn seen(&self) -> Vec<(RunId, Seen)> {
        let live = self.runs.iter().filter(|(_, known)| !known.view.record.status.is_final());
        live.map(|(run, known)| (*run, known.seen)).collect()
    }

    /// Takes in what runs use. Returns whether that looks different.
    pub(crate) fn use_usages(&mut self, usages: &HashMap<RunId, Usage>) -> bool {
        let mut changed = false;
        for (run, known) in &mut self.runs {
            let usage = usages.get(run).copied();
            changed |= known.usage != usage;
            known.usage = usage;
        }
        self.arranged.stale |= changed && self.sort() == Sort::Cpu;
        changed
    }

    /// Takes a changed run in. Returns whether the list looks different now.
    pub(crate) fn put(&mut self, view: Arc<RunView>, shown: &[RunId]) -> bool {
        let id = view.id();
        let before = self.runs.get(&id);
        let is_shown = shown.contains(&id);
        let activity = view.activity;
        // A server that was started anew counts from the beginning.
        let remembered = || self.remembered.get(&id).copied().filter(|seen| seen.output <= activity.output);
        let seen = before.map_or_else(|| remembered().unwrap_or_default(), |known| known.seen);
        let told = before.map_or(0, |known| known.view.activity.output);
        // What has ended before it was heard of is on record, and no news.
        let is_news = before.is_some() || !view.record.status.is_final();
        let printed = is_news && activity.output > told.max(seen.output);
        let rang = activity.bells > before.map_or(seen.bells, |known| known.view.activity.bells);
        let known = Known {
            unseen: !is_shown && (printed || before.is_some_and(|known| known.unseen)),
            bell: !is_shown && (rang || before.is_some_and(|known| known.bell)),
            seen: if is_shown { all_of(&view, seen) } else { seen },
            usage: before.and_then(|known| known.usage).filter(|_| !view.record.status.is_final()),
            view,
        };
        let changed = before.is_none_or(|before| looks_different(before, &known));
        let is_renamed = before.is_some_and(|before| before.view.record.name != known.view.record.name);
        self.runs.insert(id, known);
        self.arranged.stale |= changed;
        if is_renamed {
            self.leave_row(id);
        }
        changed | self.place(id)
    }

    /// Takes the final record of a run in, which came before the change of the run did.
    pub(crate) fn finish(&mut self, record: Arc<Record>) {
        let Some(known) = self.runs.get(&record.id) else { return };
        let view = RunView { record, termination: Termination::None, control_open: false, ..(*known.view).clone() };
        self.put(Arc::new(view), &[]);
    }

    /// Forgets all runs and takes these in instead.
    pub(crate) fn replace(&mut self, mut views: Vec<Arc<RunView>>, shown: &[RunId]) {
        let there: HashSet<RunId> = views.iter().map(|view| view.id()).collect();
        for gone in self.runs.keys().copied().filter(|id| !there.contains(id)).collect::<Vec<_>>() {
            self.remove(gone);
        }
        views.sort_by_key(|view| (view.record.started_at.unwrap_or(view.record.updated_at), view.id()));
        for view in views {
            self.put(view, shown);
        }
    }

    /// Removes a run; its row goes too, or shows the latest run that is left of its task.
    pub(crate) fn remove(&mut self, id: RunId) {
        self.runs.remove(&id);
        self.superseded.remove(&id);
        for row in &mut self.rows {
            row.older.retain(|older| *older != id);
            if row.run != Some(id) {
                continue;
            }
            row.run = match &row.key {
                RowKey::Task(name) => latest(&self.runs, name),
                RowKey::Run(_) => None,
            };
        }
        self.rows.retain(|row| row.run.is_some() || matches!(row.key, RowKey::Task(_)));
        self.arrange();
    }

    /// A restart of `old` became `new`: the row goes on with it.
    pub(crate) fn succeed(&mut self, old: RunId, new: RunId) {
        let Some(index) = self.rows.iter().position(|row| row.run == Some(old) && matches!(row.key, RowKey::Run(_)))
        else {
            return;
        };
        if old == new {
            return;
        }
        self.superseded.insert(old);
        self.arranged.stale = true;
        let selected_new = self.selected == Some(RowKey::Run(new));
        let row = &mut self.rows[index];
        row.older.push(old);
        row.run = Some(new);
        let key = row.key.clone();
        self.rows.retain(|row| row.key != RowKey::Run(new));
        if selected_new {
            self.selected = Some(key);
        }
    }

    /// The final runs that clearing a row removes: all generations of a task, all predecessors of an ad hoc run.
    pub(crate) fn clearable(&self, row: &Row) -> Vec<RunId> {
        let of_task = |view: &RunView| match &row.key {
            RowKey::Task(name) => view.record.name.as_ref() == Some(name),
            RowKey::Run(_) => row.run == Some(view.id()) || row.older.contains(&view.id()),
        };
        let mut runs: Vec<_> = self
            .runs
            .values()
            .filter(|known| known.view.record.status.is_final() && of_task(&known.view))
            .map(|known| (known.view.record.generation, known.view.id()))
            .collect();
        runs.sort_unstable();
        runs.into_iter().map(|(_, id)| id).collect()
    }

    /// A run has another name: it leaves the row of its task, and its own one for that of a task of its new name. The selection goes with it.
    fn leave_row(&mut self, id: RunId) {
        let Some(index) = self.rows.iter().position(|row| row.run == Some(id)) else { return };
        let name = self.runs[&id].view.record.name.clone();
        let new_key = name.map(RowKey::Task).filter(|key| self.rows.iter().any(|row| row.key == *key));
        let new_key = new_key.unwrap_or(RowKey::Run(id));
        let old_key = self.rows[index].key.clone();
        if old_key == new_key {
            return;
        }
        match &old_key {
            RowKey::Task(task) => self.rows[index].run = latest(&self.runs, task),
            RowKey::Run(_) if matches!(new_key, RowKey::Task(_)) => drop(self.rows.remove(index)),
            RowKey::Run(_) => return,
        }
        if self.selected.as_ref() == Some(&old_key) {
            self.selected = Some(new_key);
        }
        self.arranged.stale = true;
    }

    fn place(&mut self, id: RunId) -> bool {
        let record = &self.runs[&id].view.record;
        if let Some(name) = &record.name
            && let Some(row) = self.rows.iter_mut().find(|row| row.key == RowKey::Task(name.clone()))
        {
            let shown = row.run.and_then(|shown| self.runs.get(&shown));
            if row.run == Some(id) || shown.is_some_and(|shown| shown.view.record.generation > record.generation) {
                return false;
            }
            row.run = Some(id);
            (row.pending, row.failure) = (false, None);
            self.arranged.stale = true;
            return true;
        }
        if self.superseded.contains(&id) || self.row_of(id).is_some() {
            return false;
        }
        self.rows.push(Row {
            key: RowKey::Run(id),
            spec: None,
            run: Some(id),
            older: Vec::new(),
            pending: false,
            failure: None,
        });
        self.arrange();
        true
    }
}

/// The latest run of a name.
fn latest(runs: &HashMap<RunId, Known>, name: &RunName) -> Option<RunId> {
    let of_name = runs.values().map(|known| &known.view.record).filter(|record| record.name.as_ref() == Some(name));
    of_name.max_by_key(|record| record.generation).map(|record| record.id)
}

/// All of a run, and what was shown already although its count is not told yet.
fn all_of(view: &RunView, seen: Seen) -> Seen {
    Seen { output: seen.output.max(view.activity.output), bells: view.activity.bells }
}

fn looks_different(before: &Known, after: &Known) -> bool {
    let (old, new) = (&before.view, &after.view);
    (before.unseen, before.bell) != (after.unseen, after.bell)
        || old.record.name != new.record.name
        || old.record.status != new.record.status
        || old.activity.progress != new.activity.progress
        || old.attention != new.attention
        || old.keyboard != new.keyboard
        || old.deadline != new.deadline
        || old.termination != new.termination
        || old.control_open != new.control_open
        || old.started != new.started
        || old.ended != new.ended
        || old.record.process != new.record.process
        || old.record.started_at != new.record.started_at
        || old.record.exit_code != new.record.exit_code
        || old.record.failure != new.record.failure
        || old.record.degraded != new.record.degraded
}
