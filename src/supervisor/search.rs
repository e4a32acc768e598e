//! Search in the raw logs of a session (S6.6): beside the loop, line by line, so that no log is ever in memory as a whole.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use regex::{Regex, RegexBuilder};

use super::core::{Core, Do};
use super::kept::{Kept, settle_here};
use super::serving::not_found;
use crate::api::{
    Answer, Found, FoundSender, SearchHit, SearchPlace, SearchRequest, SearchResults, SearchScope, Stream,
};
use crate::model::{ErrorCode, Failure, RunId, SessionName};
use crate::store::log::{LogError, LogLine, LogProgress, LogReader, LogStream, LogText};
use crate::store::{Records, Redaction, StoreError};

/// How large a compiled pattern may become, in bytes.
const MAX_REGEX_BYTES: usize = 1024 * 1024;

/// How much of a line is shown before the hit, in characters.
const SHOWN_BEFORE: usize = 100;

/// How many runs are looked up at once.
const PAGE: usize = 500;

/// The shortest time between two words about how far a search is. What it finds is told at once.
const BETWEEN_WORDS: Duration = Duration::from_millis(50);

impl Core {
    /// Searches logs.
    pub(super) fn search(
        &self,
        session: &SessionName,
        request: SearchRequest,
        found: FoundSender,
        answer: Answer<SearchResults>,
    ) -> Vec<Do> {
        let pattern = match pattern(&request) {
            Ok(pattern) => pattern,
            Err(failure) => {
                answer.send(Err(failure));
                return Vec::new();
            }
        };
        let own = self.runs.iter().filter(|(_, entry)| entry.record.session == *session);
        // One that has ended since the page before is gone on with.
        let was_live = |run| request.after.is_some_and(|after| after.run == run);
        let listed: Vec<RunId> = match request.scope {
            SearchScope::Run(run) => own.map(|(id, _)| *id).filter(|id| *id == run).collect(),
            SearchScope::Live => {
                own.filter(|(id, entry)| !entry.is_final() || was_live(**id)).map(|(id, _)| *id).rev().collect()
            }
            SearchScope::All => own.map(|(id, _)| *id).rev().collect(),
        };
        let logs: Vec<LogProgress> = listed.iter().filter_map(|run| self.runs.get(run)?.log.clone()).collect();
        let search = Search { session: session.clone(), request, pattern, listed, redaction: self.redaction.clone() };
        vec![Do::beside(move |kept: &Kept| {
            settle_here(logs);
            let outcome = search.run(kept, &found, &answer);
            answer.send(outcome);
        })]
    }
}

/// Makes the pattern of a request.
fn pattern(request: &SearchRequest) -> Result<Regex, Failure> {
    if !(1..=SearchRequest::MAX_PATTERN_BYTES).contains(&request.pattern.len()) {
        let message =
            format!("a pattern has 1 to {} bytes, not {}", SearchRequest::MAX_PATTERN_BYTES, request.pattern.len());
        return Err(Failure::new(ErrorCode::Invalid, message).with_hint("search for a part that is in one line"));
    }
    if !(1..=SearchRequest::MAX_LIMIT).contains(&request.limit) {
        let message = format!("a search has 1 to {} hits, not {}", SearchRequest::MAX_LIMIT, request.limit);
        return Err(Failure::new(ErrorCode::Invalid, message));
    }
    if request.newest.is_some() && !matches!(request.scope, SearchScope::Run(_)) {
        return Err(Failure::new(ErrorCode::Invalid, "the newest hits are those of one run"));
    }
    let text = if request.is_regex { request.pattern.clone() } else { regex::escape(&request.pattern) };
    let built = RegexBuilder::new(&text).case_insensitive(request.ignore_case).size_limit(MAX_REGEX_BYTES).build();
    built.map_err(|error| {
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        Failure::new(ErrorCode::Invalid, format!("{:?} is no regular expression: {reason}", request.pattern))
            .with_hint("without the regex option it is searched for as it is")
    })
}

/// Why a search goes no further.
enum Stop {
    /// There are as many hits as were asked for, and more.
    Full,
    /// What follows is not wanted.
    Reached,
    /// Nobody waits any more.
    Abandoned,
    /// It cannot be made.
    Failed(Failure),
    /// A log cannot be read.
    Log(LogError),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failed(failure)
    }
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Stop {
        Stop::Failed(error.into())
    }
}

impl From<LogError> for Stop {
    fn from(error: LogError) -> Stop {
        Stop::Log(error)
    }
}

struct Search {
    session: SessionName,
    request: SearchRequest,
    pattern: Regex,
    /// The listed runs to be searched, newest first.
    listed: Vec<RunId>,
    redaction: Redaction,
}

impl Search {
    fn run(&self, kept: &Kept, sender: &FoundSender, answer: &Answer<SearchResults>) -> Result<SearchResults, Failure> {
        let _turn = kept.turns.take()?;
        let Some(logs) = &kept.logs else {
            return Err(Failure::new(ErrorCode::Unsupported, "no logs are kept"));
        };
        let mut walk = Walk::new(self, logs.folder(), sender, answer);
        let stopped = match (self.request.scope, &kept.records) {
            (SearchScope::All, Some(records)) => walk.all(records),
            (SearchScope::Run(run), records) if self.listed.is_empty() => {
                let record = records.as_ref().map(|records| records.of(&self.session, run)).transpose()?.flatten();
                record.map_or_else(|| Err(not_found(run).into()), |record| walk.runs([(None, record.id)]))
            }
            (SearchScope::Run(_) | SearchScope::Live | SearchScope::All, _) => walk.listed(&self.listed),
        };
        walk.tell_newest();
        match stopped {
            Ok(()) | Err(Stop::Reached | Stop::Full | Stop::Abandoned) => Ok(walk.results),
            Err(Stop::Failed(failure)) => Err(failure),
            Err(Stop::Log(error)) => Err(error.into()),
        }
    }

    /// Makes a hit of a line; none when what was found is a secret: a search must not confirm one.
    fn hit(&self, run: RunId, line: &LogLine) -> Option<SearchHit> {
        let text = self.redaction.line(&line.text);
        let found = self.pattern.find(&text)?;
        let stream = api_stream(line.stream);
        let text = excerpt(&text, found.start());
        Some(SearchHit { run, stream, line: line.line, offset: line.offset, at: Some(line.at), text })
    }
}

/// A search that goes through runs, one after the other.
struct Walk<'a> {
    search: &'a Search,
    logs: &'a Path,
    sender: &'a FoundSender,
    answer: &'a Answer<SearchResults>,
    /// What it has come to; the hits are told.
    results: SearchResults,
    hits: usize,
    /// The newest hits so far, where those are asked for.
    newest: VecDeque<SearchHit>,
    /// Where the last hit is, and how many logs could not be read before it.
    place: Option<(SearchPlace, usize)>,
    /// How many runs there are to search.
    of: usize,
    told_at: Instant,
}

impl<'a> Walk<'a> {
    fn new(search: &'a Search, logs: &'a Path, sender: &'a FoundSender, answer: &'a Answer<SearchResults>) -> Walk<'a> {
        let results =
            SearchResults { runs: search.request.after.map_or(0, |after| after.runs), ..SearchResults::default() };
        let of = results.runs + 1;
        Walk {
            search,
            logs,
            sender,
            answer,
            results,
            hits: 0,
            newest: VecDeque::new(),
            place: None,
            of,
            told_at: Instant::now(),
        }
    }

    /// Searches all runs on record, and then those that the disk would not take.
    fn all(&mut self, records: &Records) -> Result<(), Stop> {
        let after = self.search.request.after;
        let mut before = after.and_then(|after| after.record).map(|place| place.saturating_add(1));
        let is_behind_all = after.is_some_and(|after| after.record.is_none());
        if !is_behind_all {
            self.of = self.results.runs + records.count(&self.search.session, before)?;
            loop {
                let page = records.places(&self.search.session, before, PAGE)?;
                let Some((last, _)) = page.last() else { break };
                before = Some(*last);
                self.runs(page.into_iter().map(|(place, run)| (Some(place), run)))?;
            }
        }
        let mut others = Vec::new();
        for run in &self.search.listed {
            if !records.has(*run)? {
                others.push(*run);
            }
        }
        self.listed(&others)
    }

    /// Searches listed runs, from the one on that the page before has come to.
    fn listed(&mut self, runs: &[RunId]) -> Result<(), Stop> {
        let after = self.search.request.after.filter(|after| after.record.is_none());
        let first = after.and_then(|after| runs.iter().position(|run| *run == after.run)).unwrap_or(0);
        let left = &runs[first..];
        self.of = self.results.runs + left.len();
        self.runs(left.iter().map(|run| (None, *run)))
    }

    fn runs(&mut self, runs: impl IntoIterator<Item = (Option<u64>, RunId)>) -> Result<(), Stop> {
        for (place, run) in runs {
            if self.answer.is_abandoned() {
                return Err(Stop::Abandoned);
            }
            match self.log(place, run) {
                Ok(()) | Err(Stop::Reached) => self.results.runs += 1,
                Err(stop @ Stop::Log(_)) if matches!(self.search.request.scope, SearchScope::Run(_)) => {
                    return Err(stop);
                }
                // Its log was deleted, or it never had one.
                Err(Stop::Log(LogError::None { .. })) => self.of = self.of.saturating_sub(1),
                Err(Stop::Log(error)) => {
                    tracing::warn!(%run, %error, "a log could not be searched");
                    self.results.unreadable += 1;
                    self.of = self.of.saturating_sub(1);
                }
                Err(stop @ (Stop::Full | Stop::Abandoned | Stop::Failed(_))) => return Err(stop),
            }
            self.progress();
        }
        Ok(())
    }

    /// Tells how far the search is, now and then.
    fn progress(&mut self) {
        if self.told_at.elapsed() >= BETWEEN_WORDS {
            self.tell(Vec::new());
        }
    }

    /// Keeps a hit until it is known which are the newest.
    fn keep(&mut self, hit: SearchHit) {
        if self.newest.len() == self.search.request.limit {
            self.newest.pop_front();
            self.results.has_more = true;
        }
        self.newest.push_back(hit);
    }

    fn tell_newest(&mut self) {
        if !self.newest.is_empty() {
            let hits = std::mem::take(&mut self.newest).into();
            self.tell(hits);
        }
    }

    fn tell(&mut self, hits: Vec<SearchHit>) {
        self.told_at = Instant::now();
        self.sender.tell(Found { hits, runs: self.results.runs, of: self.of.max(self.results.runs) });
    }

    /// Searches the log of a run.
    fn log(&mut self, record: Option<u64>, run: RunId) -> Result<(), Stop> {
        let search = self.search;
        let mut behind = search.request.after.filter(|after| after.run == run);
        let mut last = None;
        let reader = LogReader::open(self.logs, run)?;
        let see = |text| {
            let line = match text {
                LogText::Line(line) => line,
                LogText::Gap(_) => return Ok(()),
                LogText::Read if self.answer.is_abandoned() => return Err(Stop::Abandoned),
                LogText::Read => {
                    self.progress();
                    return Ok(());
                }
            };
            let stream = api_stream(line.stream);
            if let Some(place) = behind {
                if stream != place.stream || line.offset < place.offset {
                    return Ok(());
                }
                behind = None;
                if line.offset == place.offset {
                    last = Some((line.stream, line.line));
                }
            }
            let before = search.request.newest.and_then(|newest| newest.before);
            if before.is_some_and(|before| stream == before.stream && line.offset >= before.offset) {
                return Err(Stop::Reached);
            }
            // A line that was written over again and again is one hit.
            if last == Some((line.stream, line.line)) || !search.pattern.is_match(&line.text) {
                return Ok(());
            }
            let Some(hit) = search.hit(run, &line) else { return Ok(()) };
            if search.request.newest.is_some() {
                last = Some((line.stream, line.line));
                self.keep(hit);
                return Ok(());
            }
            if self.hits == search.request.limit {
                self.results.has_more = true;
                // Those behind the place are found by whoever goes on from there.
                if let Some((place, unreadable)) = self.place {
                    (self.results.next, self.results.unreadable) = (Some(place), unreadable);
                }
                self.results.runs += 1;
                return Err(Stop::Full);
            }
            last = Some((line.stream, line.line));
            let place = SearchPlace { run, stream, offset: line.offset, record, runs: self.results.runs };
            self.place = Some((place, self.results.unreadable));
            self.hits += 1;
            self.tell(vec![hit]);
            Ok(())
        };
        match search.request.after.filter(|after| after.run == run) {
            Some(after) => reader.lines_around(log_stream(after.stream), after.offset, see),
            None => reader.lines(see),
        }
    }
}

/// Returns a stream of a log as front ends call it.
pub(super) fn api_stream(stream: LogStream) -> Stream {
    match stream {
        LogStream::Output => Stream::Stdout,
        LogStream::Error => Stream::Stderr,
    }
}

/// Returns a stream as logs call it.
pub(super) fn log_stream(stream: Stream) -> LogStream {
    match stream {
        Stream::Stdout => LogStream::Output,
        Stream::Stderr => LogStream::Error,
    }
}

/// Returns the part of a line around a place.
fn excerpt(text: &str, place: usize) -> String {
    let before = text[..place].chars().count();
    let skipped =
        if text.chars().count() <= SearchHit::MAX_TEXT_CHARS { 0 } else { before.saturating_sub(SHOWN_BEFORE) };
    let mut rest = text.chars().skip(skipped);
    let lead = if skipped > 0 { "…" } else { "" };
    let mut shown: String = lead.chars().chain(rest.by_ref()).take(SearchHit::MAX_TEXT_CHARS).collect();
    if text.chars().count() - skipped + lead.chars().count() > SearchHit::MAX_TEXT_CHARS {
        shown.pop();
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_shown_around_the_hit() {
        assert_eq!(excerpt("short", 2), "short");
        let long = format!("{}needle{}", "ä".repeat(1000), "ö".repeat(1000));
        let shown = excerpt(&long, 2000);
        assert_eq!(shown.chars().count(), SearchHit::MAX_TEXT_CHARS);
        assert!(shown.starts_with("…ä") && shown.contains("needle") && shown.ends_with("ö…"), "{shown}");
        let end = format!("{}needle", "ä".repeat(1000));
        assert!(excerpt(&end, 2000).ends_with("needle"));
        let exact = "x".repeat(SearchHit::MAX_TEXT_CHARS);
        assert_eq!(excerpt(&exact, 300), exact);
    }

    #[test]
    fn a_pattern_that_is_none_is_refused_in_one_line() {
        let request = |pattern: &str, is_regex| SearchRequest {
            pattern: pattern.into(),
            is_regex,
            ignore_case: false,
            scope: SearchScope::All,
            limit: 1,
            after: None,
            newest: None,
        };
        assert!(pattern(&request("a(b", false)).expect("as it is").is_match("a(b"));
        for bad in ["a(b", "", &"x".repeat(SearchRequest::MAX_PATTERN_BYTES + 1), "(a{1000}){1000}"] {
            let failure = pattern(&request(bad, true)).expect_err("none");
            assert_eq!(failure.code, ErrorCode::Invalid);
            assert!(failure.message.len() < 5000, "{failure}");
        }
        for limit in [0, SearchRequest::MAX_LIMIT + 1] {
            pattern(&SearchRequest { limit, ..request("a", false) }).expect_err("out of range");
        }
    }
}
