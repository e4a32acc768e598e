//! A question before something is done to several runs. It remembers the runs: the answer goes to these, however the list looks meanwhile.

use crate::model::RunId;

use super::RowKey;

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    Start,
    Stop,
    Kill,
    Restart,
    KillRestart,
}

impl Deed {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Deed::Start => "start",
            Deed::Stop => "stop",
            Deed::Kill => "kill",
            Deed::Restart => "restart",
            Deed::KillRestart => "kill and restart",
        }
    }
}

/// The question.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) deed: Deed,
    /// What it is about, for the title: `web/`, `2 marked runs`.
    pub(crate) about: String,
    /// The runs that it is about, with their names.
    pub(crate) runs: Vec<(RunId, String)>,
    /// Tasks that are not running and are started with the others.
    pub(crate) starts: Vec<RowKey>,
    /// Whether the rows were marked for it: then they are not any more.
    pub(crate) of_marked: bool,
    pub(crate) selected: usize,
}

impl Question {
    /// The two answers.
    pub(crate) fn entries(&self) -> Vec<String> {
        let runs = |count: usize| if count == 1 { "1 run".to_owned() } else { format!("{count} runs") };
        let does = match (self.runs.len(), self.starts.len()) {
            (0, starts) => format!("start {}", runs(starts)),
            (count, starts) if self.deed == Deed::Start => format!("start {}", runs(count + starts)),
            (count, 0) => format!("{} {}", self.deed.words(), runs(count)),
            (count, starts) => format!("{} {}, start {starts}", self.deed.words(), runs(count)),
        };
        vec![does, "do nothing".to_owned()]
    }

    /// What it asks, with all names as far as there is room.
    pub(crate) fn text(&self) -> String {
        let tasks = self.starts.iter().map(|key| match key {
            RowKey::Task(name) => name.as_str(),
            RowKey::Run(run) => run.short(),
        });
        let all = self.runs.iter().map(|(_, name)| name.as_str()).chain(tasks);
        let names: Vec<&str> = all.take(8).collect();
        let more = self.runs.len() + self.starts.len() - names.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", names.join(", "))
    }
}
