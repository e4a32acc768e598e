//! Search in output (S6.6): what is asked, and what is found as it comes.

use std::fmt;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use super::{Answer, Reply, Stream, reply};
use crate::model::{Failure, RunId};

/// What is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchScope {
    /// The output of one run.
    Run(RunId),
    /// That of all live runs of the session.
    Live,
    /// That of all runs of the session that are on record.
    All,
}

/// Asks for lines of output (S6.6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchRequest {
    /// What is looked for: 1 to [`SearchRequest::MAX_PATTERN_BYTES`] bytes.
    pub pattern: String,
    /// Whether it is a regular expression, in the syntax of the `regex` crate.
    #[serde(default)]
    pub is_regex: bool,
    /// Whether upper and lower case are the same.
    #[serde(default)]
    pub ignore_case: bool,
    /// Where it is looked for.
    pub scope: SearchScope,
    /// At most so many hits: 1 to [`SearchRequest::MAX_LIMIT`]. Whoever goes on has the log of the last hit read from its beginning again, as lines
    /// are numbered from there: a log with hits for many pages is read as many times.
    pub limit: usize,
    /// Where to go on: [`SearchResults::next`] of the search before, which was otherwise the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<SearchPlace>,
    /// Asks for the newest hits, in their order, in place of the first ones: of one run only, and told at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<Newest>,
}

/// Which hits are the newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Newest {
    /// Only those before this line.
    #[serde(default)]
    pub before: Option<LinePlace>,
}

/// Where a line begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinePlace {
    /// Its stream.
    pub stream: Stream,
    /// How far in the raw log of it, in bytes.
    pub offset: u64,
}

impl SearchRequest {
    /// The longest pattern.
    pub const MAX_PATTERN_BYTES: usize = 4096;
    /// The most hits.
    pub const MAX_LIMIT: usize = 1000;
}

/// Where a search has stopped: behind its last hit. A line that comes in several pieces may be a hit on both sides of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchPlace {
    /// The run of that hit.
    pub run: RunId,
    /// Its stream.
    pub stream: Stream,
    /// Where its line begins.
    pub offset: u64,
    /// The place of the run among those on record; none when it was searched as one of the live ones, or by itself.
    #[serde(default)]
    pub record: Option<u64>,
    /// How many runs were searched before this one.
    pub runs: usize,
}

/// A line in which something was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchHit {
    /// The run.
    pub run: RunId,
    /// Its stream; standard output for a terminal.
    pub stream: Stream,
    /// The number of the line in its stream, from 1. What was dropped as the log was full is counted, so that a number stays what it is; but not in
    /// logs of older versions.
    pub line: u64,
    /// Where the line begins, in bytes of the raw log of its stream.
    pub offset: u64,
    /// When its end was printed, as the index of the log tells.
    pub at: Option<Timestamp>,
    /// The line around the hit without control sequences and secrets: at most [`SearchHit::MAX_TEXT_CHARS`] characters.
    pub text: String,
}

impl SearchHit {
    /// The most characters that are shown of a line.
    pub const MAX_TEXT_CHARS: usize = 400;
}

/// What a search has found, as far as it was not told before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Found {
    /// Hits: the newest runs first, the lines of a run in order. There may be none: then only the search has come further.
    pub hits: Vec<SearchHit>,
    /// How many runs were searched by now, those of the pages before too.
    pub runs: usize,
    /// How many there are to search.
    pub of: usize,
}

/// What a search has come to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SearchResults {
    /// The newest runs first, the lines of a run in order. [`Searching::outcome`] has none of those that were told as they were found.
    pub hits: Vec<SearchHit>,
    /// Whether there may be more than these: the limit was reached.
    pub has_more: bool,
    /// How many runs were searched, those of the pages before too.
    pub runs: usize,
    /// How many logs could not be read.
    #[serde(default)]
    pub unreadable: usize,
    /// Where to go on when there may be more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<SearchPlace>,
}

struct Shared {
    waiting: Found,
    has_news: bool,
    closed: bool,
    abandoned: bool,
}

struct Channel {
    shared: Mutex<Shared>,
    arrived: Notify,
}

impl Channel {
    fn shared(&self) -> MutexGuard<'_, Shared> {
        // Every change below is complete when it returns, so a panic elsewhere leaves no half state.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A search that is on its way.
///
/// # Cancel safety
/// Dropping it ends the search.
pub struct Searching {
    channel: Arc<Channel>,
    outcome: Reply<SearchResults>,
}

/// Tells what a search finds. What nobody takes waits in one piece, which the limit of the search bounds: a reader never holds a search up.
pub struct FoundSender(Arc<Channel>);

/// Makes a search and the ends that tell of it.
pub fn searching() -> (FoundSender, Answer<SearchResults>, Searching) {
    let shared = Shared { waiting: Found::default(), has_news: false, closed: false, abandoned: false };
    let channel = Arc::new(Channel { shared: Mutex::new(shared), arrived: Notify::new() });
    let (answer, outcome) = reply();
    (FoundSender(Arc::clone(&channel)), answer, Searching { channel, outcome })
}

impl Searching {
    /// Waits for what is found next; none when all was told, and there is the outcome.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub async fn next(&mut self) -> Option<Found> {
        loop {
            {
                let mut shared = self.channel.shared();
                if mem::take(&mut shared.has_news) {
                    let Found { runs, of, .. } = shared.waiting;
                    return Some(mem::replace(&mut shared.waiting, Found { hits: Vec::new(), runs, of }));
                }
                if shared.closed {
                    return None;
                }
            }
            self.channel.arrived.notified().await;
        }
    }

    /// Waits for the outcome. It comes after everything that was found.
    ///
    /// # Errors
    /// As [`Client::search`](super::Client::search).
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub async fn outcome(&mut self) -> Result<SearchResults, Failure> {
        (&mut self.outcome).await
    }

    /// Waits until the search is over and returns all it has found.
    ///
    /// # Errors
    /// As [`Client::search`](super::Client::search).
    pub async fn whole(mut self) -> Result<SearchResults, Failure> {
        let mut hits = Vec::new();
        while let Some(found) = self.next().await {
            hits.extend(found.hits);
        }
        let results = self.outcome().await?;
        hits.extend(results.hits);
        Ok(SearchResults { hits, ..results })
    }
}

impl Drop for Searching {
    fn drop(&mut self) {
        let mut shared = self.channel.shared();
        shared.abandoned = true;
        shared.waiting.hits = Vec::new();
    }
}

impl FoundSender {
    /// Tells what is new. Never waits; when nobody listens any more, nothing is kept.
    pub fn tell(&self, found: Found) {
        let mut shared = self.0.shared();
        if shared.abandoned {
            return;
        }
        let Found { hits, runs, of } = found;
        shared.waiting.hits.extend(hits);
        (shared.waiting.runs, shared.waiting.of, shared.has_news) = (runs, of, true);
        drop(shared);
        self.0.arrived.notify_one();
    }
}

impl Drop for FoundSender {
    fn drop(&mut self) {
        self.0.shared().closed = true;
        self.0.arrived.notify_one();
    }
}

impl fmt::Debug for Searching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searching").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: u64, runs: usize) -> Found {
        let run = RunId::from_bits([1; 10]);
        let hit = SearchHit { run, stream: Stream::Stdout, line, offset: 0, at: None, text: String::new() };
        Found { hits: vec![hit], runs, of: 9 }
    }

    #[tokio::test]
    async fn what_nobody_has_taken_comes_in_one_piece_and_the_outcome_last() {
        let (sender, answer, mut search) = searching();
        sender.tell(found(1, 0));
        sender.tell(found(2, 1));
        let told = search.next().await.expect("hits");
        assert_eq!(told.hits.iter().map(|hit| hit.line).collect::<Vec<_>>(), [1, 2]);
        assert_eq!((told.runs, told.of), (1, 9));
        sender.tell(Found { hits: Vec::new(), runs: 2, of: 9 });
        assert_eq!(search.next().await, Some(Found { hits: Vec::new(), runs: 2, of: 9 }));
        sender.tell(found(3, 3));
        answer.send(Ok(SearchResults { runs: 3, ..SearchResults::default() }));
        drop(sender);
        assert_eq!(search.next().await.map(|told| told.hits.len()), Some(1));
        assert_eq!((search.next().await, search.next().await), (None, None));
        assert_eq!(search.outcome().await.map(|results| results.runs), Ok(3));
    }

    #[tokio::test]
    async fn the_whole_is_all_that_was_told_and_what_the_outcome_has() {
        let (sender, answer, search) = searching();
        sender.tell(found(1, 0));
        drop(sender);
        answer.send(Ok(SearchResults { hits: found(2, 0).hits, ..SearchResults::default() }));
        let hits = search.whole().await.expect("results").hits;
        assert_eq!(hits.iter().map(|hit| hit.line).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_search_that_nobody_waits_for_is_seen_to_be_abandoned_and_keeps_nothing() {
        let (sender, answer, search) = searching();
        assert!(!answer.is_abandoned());
        drop(search);
        sender.tell(found(1, 0));
        assert!(answer.is_abandoned() && sender.0.shared().waiting.hits.is_empty());
    }
}
