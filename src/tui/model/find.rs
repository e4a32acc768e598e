//! Search everywhere: what is looked for, and what was found.

use std::collections::HashMap;
use std::sync::Arc;

use tui_input::Input;

use crate::api::{SearchHit, SearchRequest, SearchScope};
use crate::model::{Record, RunId};

use super::Pattern;

/// The search in the logs of all runs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Find {
    pub(crate) input: Input,
    pub(crate) is_regex: bool,
    pub(crate) exact_case: bool,
    /// What the hits are of.
    pub(crate) searched: Option<Pattern>,
    /// The number of the search that is under way.
    pub(crate) asked: Option<u64>,
    pub(crate) hits: Vec<SearchHit>,
    pub(crate) selected: usize,
    /// How many hits, runs and so on, in words.
    pub(crate) summary: String,
    pub(crate) failure: Option<String>,
    /// The names of runs that are on record only.
    pub(crate) names: HashMap<RunId, Arc<Record>>,
}

impl Find {
    pub(crate) fn pattern(&self) -> Pattern {
        Pattern { text: self.input.value().to_owned(), is_regex: self.is_regex, exact_case: self.exact_case }
    }

    /// Whether the hits are of what is typed.
    pub(crate) fn is_current(&self) -> bool {
        self.searched.as_ref() == Some(&self.pattern())
    }

    pub(crate) fn request(&self) -> SearchRequest {
        let pattern = self.pattern();
        SearchRequest {
            ignore_case: pattern.ignores_case(),
            pattern: pattern.text,
            is_regex: pattern.is_regex,
            scope: SearchScope::All,
            limit: SearchRequest::MAX_LIMIT,
        }
    }

    pub(crate) fn step(&mut self, by: isize) {
        self.selected = self.selected.saturating_add_signed(by).min(self.hits.len().saturating_sub(1));
    }
}
