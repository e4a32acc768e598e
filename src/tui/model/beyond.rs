//! A look for hits beyond the rows at hand, in the log of the run that is read.

use crate::api::{Found, LinePlace, Newest, SearchHit, SearchPlace, SearchRequest, SearchScope};
use crate::model::RunId;

use super::Pattern;

/// What is looked for, and what was found so far.
#[derive(Debug, Clone)]
pub(crate) struct Beyond {
    pub(crate) run: RunId,
    pub(crate) is_down: bool,
    pub(crate) pattern: Pattern,
    /// Whether it is only wanted when there is no hit at hand.
    pub(crate) is_first: bool,
    /// Whether it goes on from the other end of the log.
    pub(crate) is_round: bool,
    /// How many lines with hits are at hand of those that are asked for.
    known: usize,
    /// The number of the search, once it was asked for.
    pub(crate) asked: Option<u64>,
    hits: Vec<SearchHit>,
}

impl Beyond {
    pub(crate) fn new(run: RunId, pattern: Pattern, is_down: bool, is_first: bool) -> Beyond {
        Beyond { run, is_down, pattern, is_first, is_round: false, known: 0, asked: None, hits: Vec::new() }
    }

    /// The same from the other end of the log.
    pub(crate) fn round(self) -> Beyond {
        Beyond { is_round: true, ..Beyond::new(self.run, self.pattern, self.is_down, false) }
    }

    /// Asks for one hit more than are known: up from a place or from the end, or down from a place.
    pub(crate) fn ask(&mut self, number: u64, from: Option<LinePlace>, known: usize) -> SearchRequest {
        // More than that are not counted off: then a hit comes once more that was at hand.
        self.known = known.min(SearchRequest::MAX_LIMIT - 1);
        self.asked = Some(number);
        let place = |from: LinePlace| SearchPlace {
            run: self.run,
            stream: from.stream,
            offset: from.offset,
            record: None,
            runs: 0,
        };
        SearchRequest {
            pattern: self.pattern.text.clone(),
            is_regex: self.pattern.is_regex,
            ignore_case: self.pattern.ignores_case(),
            scope: SearchScope::Run(self.run),
            limit: self.known + 1,
            after: from.filter(|_| self.is_down).map(place),
            newest: (!self.is_down).then_some(Newest { before: from }),
        }
    }

    pub(crate) fn take(&mut self, found: Found) {
        self.hits.extend(found.hits);
    }

    /// The hit to go to, if there is one beyond those that are known.
    pub(crate) fn target(&self) -> Option<&SearchHit> {
        if self.hits.len() <= self.known {
            return None;
        }
        if self.is_down { self.hits.last() } else { self.hits.first() }
    }
}
