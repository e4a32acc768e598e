//! Search in the raw logs of a session (S6.6): beside the loop, line by line, so that no log is ever in memory as a whole.

use std::sync::atomic::{AtomicUsize, Ordering};

use regex::{Regex, RegexBuilder};

use super::core::{Core, Do};
use super::kept::{Kept, settle_here};
use super::serving::not_found;
use crate::api::{Answer, SearchHit, SearchRequest, SearchResults, SearchScope, Stream};
use crate::model::{ErrorCode, Failure, RunId, SessionName};
use crate::store::Redaction;
use crate::store::log::{LogError, LogLine, LogProgress, LogReader, LogStream, LogText};

/// How many searches and exports go on at once: each has a thread and reads as fast as the disk gives.
const MAX_AT_ONCE: usize = 8;

/// How large a compiled pattern may become, in bytes.
const MAX_REGEX_BYTES: usize = 1024 * 1024;

/// How much of a line is shown before the hit, in characters.
const SHOWN_BEFORE: usize = 100;

/// How many runs are looked up at once.
const PAGE: usize = 500;

/// How often it is looked whether somebody still waits, in lines.
const LINES_BETWEEN_LOOKS: usize = 4096;

/// The right to read much at once; given back by its end.
pub(super) struct Turn<'a>(&'a AtomicUsize);

impl Kept {
    /// Takes a turn.
    pub(super) fn turn(&self) -> Result<Turn<'_>, Failure> {
        let turn = Turn(&self.readers);
        if self.readers.fetch_add(1, Ordering::AcqRel) >= MAX_AT_ONCE {
            let message = format!("{MAX_AT_ONCE} searches and exports are under way already");
            return Err(Failure::new(ErrorCode::Busy, message).with_hint("try again when one has ended"));
        }
        Ok(turn)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Why a log is not read further.
enum Stop {
    /// There are as many hits as were asked for, and more.
    Full,
    /// Nobody waits any more.
    Abandoned,
    /// It cannot be read.
    Log(LogError),
}

impl From<LogError> for Stop {
    fn from(error: LogError) -> Stop {
        Stop::Log(error)
    }
}

impl Core {
    /// Searches logs.
    pub(super) fn search(
        &self,
        session: &SessionName,
        request: SearchRequest,
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
        let listed: Vec<RunId> = match request.scope {
            SearchScope::Run(run) => own.map(|(id, _)| *id).filter(|id| *id == run).collect(),
            SearchScope::Live => own.filter(|(_, entry)| !entry.is_final()).map(|(id, _)| *id).rev().collect(),
            SearchScope::All => own.map(|(id, _)| *id).rev().collect(),
        };
        let logs: Vec<LogProgress> = listed.iter().filter_map(|run| self.runs.get(run)?.log.clone()).collect();
        let search = Search { session: session.clone(), request, pattern, listed, redaction: self.redaction.clone() };
        vec![Do::beside(move |kept: &Kept| {
            settle_here(logs);
            let found = search.run(kept, &answer);
            answer.send(found);
        })]
    }
}

/// Makes the pattern of a request.
fn pattern(request: &SearchRequest) -> Result<Regex, Failure> {
    if !(1..=SearchRequest::MAX_PATTERN_BYTES).contains(&request.pattern.len()) {
        let message =
            format!("a pattern has 1 to {} bytes, not {}", SearchRequest::MAX_PATTERN_BYTES, request.pattern.len());
        return Err(Failure::new(ErrorCode::Invalid, message));
    }
    if !(1..=SearchRequest::MAX_LIMIT).contains(&request.limit) {
        let message = format!("a search has 1 to {} hits, not {}", SearchRequest::MAX_LIMIT, request.limit);
        return Err(Failure::new(ErrorCode::Invalid, message));
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

struct Search {
    session: SessionName,
    request: SearchRequest,
    pattern: Regex,
    /// The listed runs to be searched, newest first.
    listed: Vec<RunId>,
    redaction: Redaction,
}

impl Search {
    fn run(&self, kept: &Kept, answer: &Answer<SearchResults>) -> Result<SearchResults, Failure> {
        let _turn = kept.turn()?;
        let Some(logs) = &kept.logs else {
            return Err(Failure::new(ErrorCode::Unsupported, "no logs are kept"));
        };
        let mut results = SearchResults::default();
        let mut before = None;
        let mut runs = self.first_runs(kept)?;
        loop {
            for run in runs {
                match self.search_run(logs.folder(), run, &mut results, answer) {
                    Ok(()) => results.runs += 1,
                    Err(Stop::Full) => {
                        results.runs += 1;
                        results.has_more = true;
                        return Ok(results);
                    }
                    Err(Stop::Abandoned) => return Ok(results),
                    Err(Stop::Log(error)) if matches!(self.request.scope, SearchScope::Run(_)) => {
                        return Err(error.into());
                    }
                    // Its log was deleted, or it never had one.
                    Err(Stop::Log(LogError::None { .. })) => {}
                    Err(Stop::Log(error)) => {
                        tracing::warn!(%run, %error, "a log could not be searched");
                        results.unreadable += 1;
                    }
                }
            }
            let (SearchScope::All, Some(records)) = (self.request.scope, &kept.records) else { return Ok(results) };
            let page = records.newest(&self.session, before, PAGE)?;
            let Some(last) = page.last() else { return Ok(results) };
            before = Some(last.place);
            runs = page.iter().map(|listed| listed.record.id).filter(|run| !self.listed.contains(run)).collect();
        }
    }

    /// Returns the runs that are searched before those that are only on record.
    fn first_runs(&self, kept: &Kept) -> Result<Vec<RunId>, Failure> {
        match (self.request.scope, &kept.records) {
            (SearchScope::Run(run), Some(records)) if self.listed.is_empty() => {
                let record = records.of(&self.session, run)?;
                record.map(|record| vec![record.id]).ok_or_else(|| not_found(run))
            }
            (SearchScope::Run(run), None) if self.listed.is_empty() => Err(not_found(run)),
            (SearchScope::Run(_) | SearchScope::Live | SearchScope::All, _) => Ok(self.listed.clone()),
        }
    }

    fn search_run(
        &self,
        logs: &std::path::Path,
        run: RunId,
        results: &mut SearchResults,
        answer: &Answer<SearchResults>,
    ) -> Result<(), Stop> {
        let mut lines = 0;
        let mut last = None;
        LogReader::open(logs, run)?.lines(|text| {
            let LogText::Line(line) = text else { return Ok(()) };
            lines += 1;
            if lines % LINES_BETWEEN_LOOKS == 1 && answer.is_abandoned() {
                return Err(Stop::Abandoned);
            }
            // A line that was written over again and again is one hit.
            if last == Some((line.stream, line.line)) || !self.pattern.is_match(&line.text) {
                return Ok(());
            }
            let Some(hit) = self.hit(run, &line) else { return Ok(()) };
            if results.hits.len() == self.request.limit {
                return Err(Stop::Full);
            }
            last = Some((line.stream, line.line));
            results.hits.push(hit);
            Ok(())
        })
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

/// Returns a stream of a log as front ends call it.
pub(super) fn api_stream(stream: LogStream) -> Stream {
    match stream {
        LogStream::Output => Stream::Stdout,
        LogStream::Error => Stream::Stderr,
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
