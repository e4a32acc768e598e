//! The prompt for another name, or another group. It remembers the runs: the answer goes to these, however the list looks meanwhile.

use tui_input::Input;

use crate::model::{IdError, RunId, RunName};

/// What is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Renaming {
    /// A whole name.
    Name,
    /// The part of a name before its first `/`; nothing takes it away.
    Group,
}

/// What is typed so far, and what is wrong with it.
#[derive(Debug, Clone)]
pub(crate) struct RenamePrompt {
    pub(crate) what: Renaming,
    /// How the run or the group is called.
    pub(crate) of: String,
    /// The runs, and the part of their names that stays when they get another group.
    pub(crate) runs: Vec<(RunId, String)>,
    pub(crate) input: Input,
    pub(crate) error: Option<String>,
    /// The runs whose new names were asked for and not answered yet: the prompt stays until they are.
    pub(crate) pending: Vec<RunId>,
}

impl RenamePrompt {
    pub(crate) fn new(what: Renaming, of: String, typed: String, runs: Vec<(RunId, String)>) -> RenamePrompt {
        RenamePrompt { what, of, runs, input: Input::new(typed), error: None, pending: Vec::new() }
    }

    pub(crate) fn title(&self) -> String {
        match self.what {
            Renaming::Name => format!("Rename {}", self.of),
            Renaming::Group => format!("Group of {}", self.of),
        }
    }

    /// What stands in the line while nothing is typed.
    pub(crate) fn hint(&self) -> &'static str {
        match self.what {
            Renaming::Name => "a name, such as web or api/web",
            Renaming::Group => "no group",
        }
    }

    /// The names that the runs are to have.
    ///
    /// # Errors
    /// Why what is typed is none.
    pub(crate) fn names(&self) -> Result<Vec<(RunId, RunName)>, String> {
        let typed = self.input.value().trim();
        if self.what == Renaming::Name && typed.is_empty() {
            return Err("a run that has a name keeps one: type it, for example web or api/web".to_owned());
        }
        let name = |rest: &str| match (self.what, typed) {
            (Renaming::Name, typed) => typed.to_owned(),
            (Renaming::Group, "") => rest.to_owned(),
            (Renaming::Group, group) => format!("{group}/{rest}"),
        };
        let names = self.runs.iter().map(|(run, rest)| Ok((*run, name(rest).parse::<RunName>()?)));
        names.collect::<Result<_, IdError>>().map_err(|error| error.to_string())
    }
}
