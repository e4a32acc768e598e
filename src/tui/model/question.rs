//! A question before something is done to several runs. It remembers the runs: the answer goes to these, however the list looks meanwhile.

use crate::model::RunId;

use super::RowKey;

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    Stop,
    Kill,
    Restart,
    KillRestart,
}

impl Deed {
    pub(crate) fn words(self) -> &'static str {
        match self {
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
    /// Whose members they are.
    pub(crate) group: String,
    /// The live runs that it is about, with their names.
    pub(crate) runs: Vec<(RunId, String)>,
    /// Tasks that are not running and are started with the others.
    pub(crate) starts: Vec<RowKey>,
    pub(crate) selected: usize,
}

impl Question {
    /// The two answers.
    pub(crate) fn entries(&self) -> Vec<String> {
        vec![format!("{} {} runs", self.deed.words(), self.runs.len()), "do nothing".to_owned()]
    }

    /// What it asks, with all names as far as there is room.
    pub(crate) fn text(&self) -> String {
        let names: Vec<&str> = self.runs.iter().map(|(_, name)| name.as_str()).take(8).collect();
        let more = self.runs.len() - names.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", names.join(", "))
    }
}
