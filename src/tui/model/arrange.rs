//! The order in which rows are shown, which of them, and in which groups.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::model::{CommandSpec, RunId, Status};

use super::{Known, List, Row, RowKey};

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Line {
    /// The head of a group: the part of its members' names before the first `/`.
    Group(String),
    /// A row; whether it stands in a group.
    Row(RowKey, bool),
}

/// By what rows are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Sort {
    /// Tasks as they are configured, then other runs as they were started.
    #[default]
    Config,
    Status,
    Name,
    Started,
    Cpu,
    Attention,
}

impl Sort {
    const ALL: [Sort; 6] = [Sort::Config, Sort::Status, Sort::Name, Sort::Started, Sort::Cpu, Sort::Attention];

    pub(crate) fn next(self) -> Sort {
        let at = Sort::ALL.iter().position(|sort| *sort == self).unwrap_or(0);
        Sort::ALL[(at + 1) % Sort::ALL.len()]
    }

    pub(crate) fn words(self) -> &'static str {
        match self {
            Sort::Config => "as configured",
            Sort::Status => "status",
            Sort::Name => "name",
            Sort::Started => "newest first",
            Sort::Cpu => "processor",
            Sort::Attention => "attention",
        }
    }
}

/// What decides which lines there are.
#[derive(Debug, Default)]
pub(crate) struct Arrangement {
    pub(super) lines: Vec<Line>,
    /// Whether something has changed since the lines were made.
    pub(super) stale: bool,
    sort: Sort,
    folded: HashSet<String>,
    filter: String,
    /// The runs of rows that another row is called like.
    namesakes: HashSet<RunId>,
    /// Whether the filter is another than when the selected row was selected: otherwise that row stays whatever becomes of it, so that
    /// no key meets another run than the one that was in front.
    refiltered: bool,
}

/// The group of a name.
pub(crate) fn group_of(name: &str) -> Option<&str> {
    name.split_once('/').map(|(group, _)| group)
}

impl List {
    /// The lines, from the top.
    pub(crate) fn lines(&self) -> &[Line] {
        &self.arranged.lines
    }

    /// Whether a filter or an order of the user's decides what is shown.
    pub(crate) fn is_arranged(&self) -> bool {
        self.arranged.sort != Sort::Config || !self.arranged.filter.is_empty()
    }

    pub(crate) fn sort(&self) -> Sort {
        self.arranged.sort
    }

    pub(crate) fn sort_by(&mut self, sort: Sort) {
        self.arranged.sort = sort;
        self.arrange();
    }

    pub(crate) fn filter(&self) -> &str {
        &self.arranged.filter
    }

    /// How many rows have a line, or would without being folded away.
    pub(crate) fn shown_rows(&self) -> usize {
        self.rows.iter().filter(|row| self.is_shown(row)).count()
    }

    /// Shows only rows that have each of these words in name, command or status.
    pub(crate) fn filter_by(&mut self, text: &str) {
        if self.arranged.filter != text {
            self.arranged.filter = text.to_owned();
            self.arranged.refiltered = true;
            self.arrange();
        }
    }

    pub(crate) fn is_folded(&self, group: &str) -> bool {
        self.arranged.folded.contains(group) && self.arranged.filter.is_empty()
    }

    /// Folds a group, or unfolds it.
    pub(crate) fn fold(&mut self, group: &str) {
        if !self.arranged.folded.remove(group) {
            self.arranged.folded.insert(group.to_owned());
        }
        self.arrange();
    }

    /// Makes sure that a row has a line.
    pub(super) fn reveal(&mut self, key: &RowKey) {
        let Some(row) = self.rows.iter().find(|row| row.key == *key) else { return };
        if let Some(group) = self.name_of(row).as_deref().and_then(group_of) {
            self.arranged.folded.remove(group);
        }
        if !self.matches(row) {
            self.arranged.filter.clear();
        }
        self.arrange();
    }

    /// The rows of a group that the filter lets through.
    pub(crate) fn members(&self, group: &str) -> Vec<&Row> {
        let is_member = |row: &&Row| self.name_of(row).as_deref().and_then(group_of) == Some(group);
        self.rows.iter().filter(is_member).filter(|row| self.matches(row)).collect()
    }

    /// Makes the lines anew, when something has changed.
    pub(crate) fn settle(&mut self) {
        if self.arranged.stale {
            self.arrange();
        }
    }

    /// Makes the lines anew. The selection stays with what it named; when that has no line any more, its neighbour is selected.
    pub(crate) fn arrange(&mut self) {
        let before = self.selected_index();
        let mut rows: Vec<&Row> = self.rows.iter().filter(|row| self.is_shown(row)).collect();
        match self.arranged.sort {
            Sort::Config => {}
            Sort::Status => rows.sort_by_key(|row| self.status_rank(row)),
            Sort::Name => rows.sort_by_cached_key(|row| self.name_of(row).map(|name| name.to_lowercase())),
            Sort::Started => {
                rows.sort_by_key(|row| Reverse(self.known_of(row).and_then(|known| known.view.record.started_at)))
            }
            Sort::Cpu => rows.sort_by_key(|row| {
                Reverse(self.known_of(row).and_then(|known| known.usage).and_then(|usage| usage.share))
            }),
            Sort::Attention => rows.sort_by_key(|row| Reverse(self.known_of(row).map_or(0, Known::attention))),
        }
        let lines = self.grouped(&rows);
        (self.arranged.lines, self.arranged.stale) = (lines, false);
        self.arranged.namesakes = self.find_namesakes();
        if self.selected_index().is_none() {
            self.select_instead(before);
        }
    }

    fn find_namesakes(&self) -> HashSet<RunId> {
        let mut called: HashMap<(bool, &str), Vec<RunId>> = HashMap::new();
        for known in self.rows.iter().filter(|row| row.spec.is_none()).filter_map(|row| self.known_of(row)) {
            let record = &known.view.record;
            let name = record.name.as_ref().map_or(record.command.trim(), |name| name.as_str());
            called.entry((record.name.is_some(), name)).or_default().push(record.id);
        }
        called.into_values().filter(|runs| runs.len() > 1).flatten().collect()
    }

    /// What tells a run from another of the same name: its generation, or without a name the start of its id. Empty where there is no other.
    pub(crate) fn tag(&self, run: RunId) -> String {
        match self.known(run).filter(|_| self.arranged.namesakes.contains(&run)) {
            Some(known) if known.view.record.name.is_some() => format!(":{}", known.view.record.generation),
            Some(_) => format!(" {}", run.short()),
            None => String::new(),
        }
    }

    /// The lines of sorted rows: members of a group stand together, where the first of them would.
    fn grouped(&self, rows: &[&Row]) -> Vec<Line> {
        let names: Vec<Option<String>> = rows.iter().map(|row| self.name_of(row)).collect();
        let group = |index: usize| names[index].as_deref().and_then(group_of);
        let sizes = |name: &str| {
            self.rows.iter().filter(|row| self.name_of(row).as_deref().and_then(group_of) == Some(name)).count()
        };
        let mut lines = Vec::with_capacity(rows.len());
        let mut done = HashSet::new();
        for (index, row) in rows.iter().enumerate() {
            let Some(name) = group(index) else {
                lines.push(Line::Row(row.key.clone(), false));
                continue;
            };
            if !done.insert(name) {
                continue;
            }
            if sizes(name) < 2 {
                lines.push(Line::Row(row.key.clone(), false));
                continue;
            }
            lines.push(Line::Group(name.to_owned()));
            if !self.is_folded(name) {
                let members = (index..rows.len()).filter(|at| group(*at) == Some(name));
                lines.extend(members.map(|at| Line::Row(rows[at].key.clone(), true)));
            }
        }
        lines
    }

    /// The name of a row: of its task, or of its run.
    fn name_of(&self, row: &Row) -> Option<String> {
        match &row.key {
            RowKey::Task(name) => Some(name.to_string()),
            RowKey::Run(_) => {
                self.known_of(row).map(|known| super::display_name(&known.view)).filter(|_| self.is_named(row))
            }
        }
    }

    fn is_named(&self, row: &Row) -> bool {
        self.known_of(row).is_some_and(|known| known.view.record.name.is_some())
    }

    fn known_of(&self, row: &Row) -> Option<&Known> {
        self.known(row.run?)
    }

    fn is_shown(&self, row: &Row) -> bool {
        let is_selected = self.selected_key() == Some(&row.key) && !self.arranged.refiltered;
        is_selected || self.matches(row)
    }

    fn matches(&self, row: &Row) -> bool {
        if self.arranged.filter.trim().is_empty() {
            return true;
        }
        let known = self.known_of(row);
        let name = match &row.key {
            RowKey::Task(name) => name.to_string(),
            RowKey::Run(_) => known.map(|known| super::display_name(&known.view)).unwrap_or_default(),
        };
        let command = match (known, &row.spec) {
            (Some(known), _) => known.view.record.command.clone(),
            (None, Some(spec)) => command_text(&spec.command),
            (None, None) => String::new(),
        };
        let status = known.map_or("not run", |known| known.view.record.status.word());
        let text = format!("{name}\n{command}\n{status}");
        let folded = text.to_lowercase();
        // A word with a capital letter means it.
        let has =
            |word: &str| if word.chars().any(char::is_uppercase) { text.contains(word) } else { folded.contains(word) };
        self.arranged.filter.split_whitespace().all(has)
    }

    fn status_rank(&self, row: &Row) -> usize {
        const ORDER: [Status; 8] = [
            Status::Running,
            Status::Starting,
            Status::Queued,
            Status::Orphaned,
            Status::Failed,
            Status::TimedOut,
            Status::Cancelled,
            Status::Completed,
        ];
        let status = self.known_of(row).map(|known| known.view.record.status);
        status.and_then(|status| ORDER.iter().position(|other| *other == status)).unwrap_or(ORDER.len())
    }

    /// Selects what took the place of a line that is gone, which was number `at`.
    fn select_instead(&mut self, at: Option<usize>) {
        // The head of a group takes over when it was folded over the selected row.
        let group = self.selected_key().cloned().and_then(|key| {
            let row = self.rows.iter().find(|row| row.key == key)?;
            self.name_of(row).as_deref().and_then(group_of).map(str::to_owned)
        });
        let head = group.and_then(|group| self.lines().iter().position(|line| *line == Line::Group(group.clone())));
        // After another filter the first row that it lets through is what was meant.
        let first = || self.lines().iter().position(|line| matches!(line, Line::Row(..)));
        let wanted = match head.filter(|_| self.arranged.filter.is_empty()) {
            Some(head) => head,
            None if self.arranged.refiltered => first().unwrap_or(0),
            None => at.unwrap_or(0).min(self.lines().len().saturating_sub(1)),
        };
        if self.lines().is_empty() {
            return;
        }
        self.select(wanted);
    }

    /// Another row is selected: it stays in sight from now on.
    pub(super) fn selected_anew(&mut self) {
        self.arranged.refiltered = false;
    }
}

fn command_text(command: &CommandSpec) -> String {
    match command {
        CommandSpec::Shell { line, .. } => line.to_string_lossy().into_owned(),
        CommandSpec::Argv(argv) => argv.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "),
    }
}
