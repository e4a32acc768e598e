//! Search everywhere: what is looked for, and what was found.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use tui_input::Input;

use crate::api::{Found, SearchHit, SearchPlace, SearchRequest, SearchResults, SearchScope};
use crate::model::{Failure, Record, RunId};

use super::Pattern;

/// How many hits are kept. Who goes on past them has the oldest go.
const MAX_HITS: usize = 10 * SearchRequest::MAX_LIMIT;

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
    /// How many hits were let go before those.
    pub(crate) gone: usize,
    /// The place of the selected hit; behind the last one it is that of the words that more is found from there on.
    pub(crate) selected: usize,
    /// The runs that have hits, those that were let go included.
    hit_runs: BTreeSet<RunId>,
    /// How many runs were searched by now, and how many there are.
    pub(crate) runs: (usize, usize),
    /// Whether the search has ended at its bound.
    pub(crate) has_more: bool,
    /// Where to go on then.
    pub(crate) next: Option<SearchPlace>,
    /// How many of the hits were told since then.
    further: usize,
    /// Whether the search was ended before it had come to its end.
    is_cut: bool,
    unreadable: usize,
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
        !self.is_cut && self.searched.as_ref() == Some(&self.pattern())
    }

    /// Asks for the first hits, or for those behind the last.
    pub(crate) fn request(&self) -> SearchRequest {
        let pattern = self.pattern();
        SearchRequest {
            ignore_case: pattern.ignores_case(),
            pattern: pattern.text,
            is_regex: pattern.is_regex,
            scope: SearchScope::All,
            limit: SearchRequest::MAX_LIMIT,
            after: self.next,
            newest: None,
        }
    }

    /// Begins anew.
    pub(crate) fn begin(&mut self, pattern: Pattern, number: u64) {
        (self.searched, self.asked) = (Some(pattern), Some(number));
        (self.hits, self.gone, self.selected) = (Vec::new(), 0, 0);
        (self.runs, self.has_more, self.next, self.further) = ((0, 0), false, None, 0);
        (self.is_cut, self.unreadable) = (false, 0);
        self.hit_runs.clear();
    }

    /// Ends the search that is under way. What it has found stays; the same word is searched for anew.
    pub(crate) fn stop(&mut self) {
        (self.asked, self.has_more, self.next) = (None, false, None);
        self.is_cut = true;
        self.settle();
    }

    pub(crate) fn select(&mut self, place: usize) {
        self.selected = place;
        self.settle();
    }

    pub(crate) fn step(&mut self, by: isize) {
        self.selected = self.selected.saturating_add_signed(by);
        self.settle();
    }

    fn settle(&mut self) {
        let last = if self.next.is_some() { self.hits.len() } else { self.hits.len().saturating_sub(1) };
        self.selected = self.selected.min(last);
    }

    /// Whether the user has gone past the last hit, and there is more to find.
    pub(crate) fn wants_more(&self) -> bool {
        self.is_current() && self.asked.is_none() && self.next.is_some() && self.selected == self.hits.len()
    }

    /// Goes on behind the last hit; what a try before has found there comes once more.
    pub(crate) fn go_on(&mut self, number: u64) {
        self.hits.truncate(self.hits.len().saturating_sub(self.further));
        (self.further, self.selected) = (0, self.hits.len());
        (self.asked, self.failure) = (Some(number), None);
    }

    /// Takes what was found.
    pub(crate) fn take(&mut self, found: Found) {
        self.runs = (found.runs, found.of);
        self.further += found.hits.len();
        self.hit_runs.extend(found.hits.iter().map(|hit| hit.run));
        self.hits.extend(found.hits);
        let surplus = self.hits.len().saturating_sub(MAX_HITS);
        if surplus > 0 {
            self.hits.drain(..surplus);
            self.gone += surplus;
            self.selected = self.selected.saturating_sub(surplus);
        }
    }

    /// Takes what a search has come to.
    pub(crate) fn end(&mut self, result: Result<SearchResults, Failure>) {
        self.asked = None;
        match result {
            Ok(results) => {
                self.take(Found { hits: results.hits, runs: results.runs, of: results.runs });
                (self.has_more, self.next, self.further) = (results.has_more, results.next, 0);
                self.unreadable += results.unreadable;
            }
            Err(failure) => {
                self.failure = Some(failure.message);
                // Whoever goes on once more asks once more; nothing is asked for by itself.
                self.selected = self.selected.min(self.hits.len().saturating_sub(1));
            }
        }
        self.settle();
    }

    /// How many hits there are, and whether that is all, in words.
    pub(crate) fn summary(&self) -> String {
        let lines = match (self.gone, self.has_more) {
            _ if self.hits.is_empty() => "nothing".to_owned(),
            (0, false) => plural(self.hits.len(), "line"),
            (0, true) => format!("the first {}", plural(self.hits.len(), "line")),
            (gone, _) => format!("lines {} to {}", gone + 1, gone + self.hits.len()),
        };
        let unreadable = match self.unreadable {
            0 => String::new(),
            1 => ", one log could not be read".to_owned(),
            count => format!(", {count} logs could not be read"),
        };
        let runs = match (self.hit_runs.len(), self.runs.0) {
            (hit, searched) if hit == 0 || hit >= searched => plural(searched, "run"),
            (hit, searched) => format!("{hit} of {}", plural(searched, "run")),
        };
        format!("{lines} in {runs}{unreadable}")
    }

    /// How far the search is that is under way, in words.
    pub(crate) fn progress(&self) -> Option<String> {
        self.asked?;
        let lines = plural(self.gone + self.hits.len(), "line");
        let (runs, of) = self.runs;
        Some(if of == 0 {
            "searching…".to_owned()
        } else {
            format!("searching… {runs} of {}, {lines}", plural(of, "run"))
        })
    }
}

fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
