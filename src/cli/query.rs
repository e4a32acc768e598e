//! `history`, `summary`, `why`, `search`, `prune`: what is on record.

use serde_json::{Map, Value, json};

use super::args_look::{HistoryArgs, OneRef, SearchArgs};
use super::exit::{Exit, Fault};
use super::facts::{attention_json, bytes_text, elapsed, record_json, short_span, time};
use super::here::Verbs;
use super::list::paint;
use super::table::{Table, TableCell};
use super::target::label;
use crate::api::{Found, RecordsRequest, SearchRequest, SearchResults, SearchScope, Stream};
use crate::model::{ErrorCode, Failure, Record, RunName, RunRef, shown};

/// What a search has shown, and what it has come to.
#[derive(Default)]
struct Seen {
    count: usize,
    /// How many hits more are wanted.
    left: usize,
    /// The hits for a document, which is printed as a whole.
    shown: Vec<Value>,
    has_more: bool,
    runs: usize,
    unreadable: usize,
}

impl Verbs<'_> {
    /// Lists records, the newest first.
    pub(super) async fn history(&mut self, args: &HistoryArgs) -> Result<Exit, Fault> {
        let wanted = args.limit as usize;
        let mut records = Vec::new();
        let mut before = None;
        while records.len() < wanted {
            let limit = (wanted - records.len()).min(RecordsRequest::MAX_LIMIT);
            let request = RecordsRequest { name: args.name.clone(), before, ..RecordsRequest::newest(limit) };
            let page = self.client.list_records(request).await?;
            records.extend(page.records);
            before = page.next;
            if before.is_none() {
                break;
            }
        }
        if let (Some(name), []) = (&args.name, &records[..]) {
            return Err(self.no_generations(name).await.into());
        }
        if self.console.look.json {
            let runs: Vec<_> = records.iter().map(record_json).collect();
            self.console.json(&json!({ "schema": 1, "runs": runs, "has_more": before.is_some() }))?;
        } else if records.is_empty() {
            self.console.note("no runs on record");
        } else {
            let table = self.records_table(&records);
            self.console.table(&table)?;
        }
        Ok(Exit::DONE)
    }

    /// The failure of who asks for the generations of a name that no run has.
    async fn no_generations(&self, name: &RunName) -> Failure {
        let failure = Failure::new(ErrorCode::NotFound, format!("no run on record is called {name}"));
        let reference = RunRef::NameOrPrefix(name.to_string());
        let hint = match self.client.resolve(reference.clone()).await {
            Ok(found) => format!("it is the id of a run: `shtask show {}`", found.id.short()),
            Err(_) => self.probably_meant(&reference).await,
        };
        failure.with_hint(hint)
    }

    fn records_table(&self, records: &[Record]) -> Table {
        let now = (self.here.now)();
        let mut table = Table::new(["ID", "NAME", "STATUS", "EXIT", "STARTED (UTC)", "TOOK", "COMMAND"]);
        for record in records {
            let started =
                record.started_at.map_or_else(|| "-".to_owned(), |at| at.strftime("%Y-%m-%d %H:%M:%S").to_string());
            let took = record.started_at.map(|at| short_span(elapsed(at, record.completed_at.unwrap_or(now))));
            let name =
                record.name.as_ref().map_or_else(|| "-".to_owned(), |name| format!("{name}:{}", record.generation));
            table.row([
                TableCell::painted(record.id.short(), "1"),
                name.into(),
                TableCell::painted(record.status.word(), paint(record.status)),
                record.exit_code.map_or_else(|| "-".to_owned(), |code| code.to_string()).into(),
                started.into(),
                took.unwrap_or_else(|| "-".to_owned()).into(),
                shown(&record.command).into(),
            ]);
        }
        table
    }

    /// Shows what needs attention, in at most nine lines (S6.9).
    pub(super) async fn summary(&mut self) -> Result<Exit, Fault> {
        let summary = self.client.summary().await?;
        if self.console.look.json {
            let runs: Vec<_> = summary.runs.iter().map(record_json).collect();
            let needs: Map<String, Value> =
                summary.needs.iter().map(|(run, attention)| (run.to_string(), attention_json(attention))).collect();
            self.console.json(&json!({ "schema": 1, "runs": runs, "rest": summary.rest, "needs": needs }))?;
            return Ok(Exit::DONE);
        }
        let now = (self.here.now)();
        let mut table = Table::new(["", "", "", ""]);
        for record in &summary.runs {
            let (since, word) = match (record.completed_at, record.started_at) {
                (Some(ended), _) => (ended, "ago"),
                (None, Some(started)) => (started, "so far"),
                (None, None) => (record.updated_at, "so far"),
            };
            let state = match summary.needs.get(&record.id) {
                Some(attention) => TableCell::painted(attention.need.words(), "33"),
                None => TableCell::painted(record.ending(), paint(record.status)),
            };
            table.row([
                TableCell::painted(label(record), "1"),
                state,
                format!("{} {word}", short_span(elapsed(since, now))).into(),
                shown(&record.command).into(),
            ]);
        }
        self.console.table(&table)?;
        if summary.rest > 0 {
            self.console.line(&format!("and {} more (ls --all)", summary.rest))?;
        }
        Ok(Exit::DONE)
    }

    /// Says why a run is not running (S6.8).
    pub(super) async fn why(&mut self, args: &OneRef) -> Result<Exit, Fault> {
        let run = self.find(&args.run).await?;
        let text = self.client.why(run).await?;
        if self.console.look.json {
            self.console.json(&json!({ "run": run, "why": text }))?;
        } else {
            self.console.line(&shown(&text))?;
        }
        Ok(Exit::DONE)
    }

    /// Searches output, and prints what is found as it comes; 1 when nothing was found, as grep has it.
    pub(super) async fn search(&mut self, args: &SearchArgs) -> Result<Exit, Fault> {
        let mut scopes = Vec::new();
        for reference in &args.runs {
            scopes.push(SearchScope::Run(self.find(reference).await?));
        }
        if scopes.is_empty() {
            scopes.push(if args.all { SearchScope::All } else { SearchScope::Live });
        }
        let mut seen = Seen { left: args.limit as usize, ..Seen::default() };
        for scope in scopes {
            self.search_in(scope, args, &mut seen).await?;
        }
        let Seen { count, shown, has_more, runs, unreadable, .. } = seen;
        if self.console.look.json {
            let document = json!({ "hits": shown, "has_more": has_more, "runs": runs, "unreadable": unreadable });
            self.console.json(&document)?;
        } else {
            if has_more {
                self.console.note(&format!("there may be more than these {count} (--limit)"));
            }
            if unreadable > 0 {
                self.console.note(&format!("{unreadable} logs could not be read"));
            }
        }
        Ok(if count == 0 { Exit::FAILED } else { Exit::DONE })
    }

    /// Searches page by page, until as many hits are there as are wanted.
    async fn search_in(&mut self, scope: SearchScope, args: &SearchArgs, seen: &mut Seen) -> Result<(), Fault> {
        let mut after = None;
        loop {
            if seen.left == 0 {
                seen.has_more = true;
                return Ok(());
            }
            let mut search = self.client.search(SearchRequest {
                pattern: args.text.clone(),
                is_regex: args.regex,
                ignore_case: args.ignore_case,
                scope,
                limit: seen.left.min(SearchRequest::MAX_LIMIT),
                after,
                newest: None,
            });
            while let Some(found) = search.next().await {
                self.show_found(found, seen)?;
            }
            let SearchResults { has_more, runs, unreadable, next, .. } = search.outcome().await?;
            seen.unreadable += unreadable;
            if !has_more || next.is_none() || seen.left == 0 {
                seen.has_more |= has_more;
                seen.runs += runs;
                return Ok(());
            }
            after = next;
        }
    }

    fn show_found(&mut self, found: Found, seen: &mut Seen) -> Result<(), Fault> {
        seen.left = seen.left.saturating_sub(found.hits.len());
        seen.count += found.hits.len();
        for hit in found.hits {
            if self.console.look.json {
                seen.shown.push(json!({
                    "run": hit.run, "stream": hit.stream, "line": hit.line, "offset": hit.offset,
                    "at": hit.at.map(time), "text": hit.text,
                }));
                continue;
            }
            let stream = match hit.stream {
                Stream::Stdout => "",
                Stream::Stderr => ":stderr",
            };
            self.console.line(&format!("{}{stream}:{}: {}", hit.run.short(), hit.line, shown(&hit.text)))?;
        }
        self.console.flush()
    }

    /// Deletes what is beyond retention.
    pub(super) async fn prune(&mut self) -> Result<Exit, Fault> {
        let pruned = self.client.prune().await?;
        if self.console.look.json {
            self.console.json(&json!({ "runs": pruned.runs, "log_bytes": pruned.log_bytes }))?;
        } else {
            let noun = if pruned.runs == 1 { "record" } else { "records" };
            self.console.line(&format!(
                "{} {noun} and {} of logs removed",
                pruned.runs,
                bytes_text(pruned.log_bytes)
            ))?;
        }
        Ok(Exit::DONE)
    }
}
