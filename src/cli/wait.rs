//! `wait`: until runs have ended, are ready, or have printed something (S6.4). Nothing is asked for again and again: changes come by the feed, and
//! the log answers when there is more.

use std::sync::Arc;

use futures_util::future::try_join_all;
use regex::bytes::Regex;
use serde_json::{Value, json};

use super::args_look::WaitArgs;
use super::exit::{Exit, Fault};
use super::facts::{record_json, short_span};
use super::here::Verbs;
use super::logs::{LogCursor, look, next_page, streams};
use super::target::{first_failure, label, server_gone};
use super::values::WaitFor;
use crate::api::{Client, Feed, StopRequest, Update};
use crate::model::{ErrorCode, Failure, Plain, Record, RunId, Status};

/// The longest line that is looked at for a match.
const MAX_LINE: usize = 1024 * 1024;

impl Verbs<'_> {
    /// Waits for runs; the exit code is that of the run when it is one and its end is waited for.
    pub(super) async fn wait(&mut self, args: &WaitArgs) -> Result<Exit, Fault> {
        let mut runs = Vec::new();
        for reference in &args.runs {
            runs.push(self.find(reference).await?);
        }
        let waiting = self.waited(&runs, &args.what);
        let documents = match args.timeout {
            None => waiting.await?,
            // However short the time is: what has ended already is known.
            Some(_) if args.what == WaitFor::Exit && self.have_ended(&runs).await? => waiting.await?,
            Some(timeout) => match tokio::time::timeout(timeout, waiting).await {
                Ok(waited) => waited?,
                Err(_) => {
                    let message = format!("the time is over: waited {}", short_span(timeout));
                    let failure = Failure::new(ErrorCode::TimedOut, message);
                    return Err(failure.with_hint("nothing was stopped: it may still come").into());
                }
            },
        };
        let mut exits = Vec::new();
        let mut shown = Vec::new();
        for Waited { record, document, line } in documents {
            exits.push(if args.what == WaitFor::Exit { Exit::of_run(&record) } else { Exit::DONE });
            if !self.console.look.json {
                self.console.line(&line)?;
            }
            shown.push(document);
        }
        if self.console.look.json {
            self.console.json(&json!({ "schema": 1, "runs": shown }))?;
        }
        if let ([one], WaitFor::Exit) = (&exits[..], &args.what) {
            return Ok(self.console.end_of_run(*one));
        }
        Ok(if first_failure(exits) == Exit::DONE { Exit::DONE } else { Exit::FAILED })
    }

    async fn have_ended(&self, runs: &[RunId]) -> Result<bool, Failure> {
        let found = try_join_all(runs.iter().map(|run| look(|| self.client.inspect(*run)))).await?;
        Ok(found.iter().all(|found| found.view.record.status.is_final()))
    }

    async fn waited(&self, runs: &[RunId], what: &WaitFor) -> Result<Vec<Waited>, Failure> {
        let client = self.client.as_ref();
        try_join_all(runs.iter().map(|run| async move {
            match what {
                WaitFor::Exit => ended(client, *run).await.map(|record| Waited::exit(&record)),
                WaitFor::Ready => ready(client, *run).await,
                WaitFor::Match(pattern) => matched(client, *run, pattern).await,
            }
        }))
        .await
    }
}

/// What was waited for and came.
struct Waited {
    record: Arc<Record>,
    document: Value,
    line: String,
}

impl Waited {
    fn exit(record: &Arc<Record>) -> Waited {
        let code = record.exit_code.map_or_else(String::new, |code| format!(" with exit code {code}"));
        let line = format!("{} {}{code}", label(record), record.status.word());
        Waited { record: Arc::clone(record), document: record_json(record), line }
    }
}

/// Waits for the final record of a run.
pub(super) async fn ended(client: &dyn Client, run: RunId) -> Result<Arc<Record>, Failure> {
    let record = until(client, run, |record| record.status.is_final()).await?;
    // The table shows the final record while it is being stored. A stop of a run that has ended changes nothing and is answered once all is done:
    // then its name and its slot are free for who comes next. Of a run that is only on record there is nothing to wait for.
    let _ = client.stop(run, StopRequest { kill: false }).reply.await;
    Ok(record)
}

/// Waits until the record of a run is as wanted, or final.
async fn until(client: &dyn Client, run: RunId, wanted: impl Fn(&Record) -> bool) -> Result<Arc<Record>, Failure> {
    // Subscribed before it is looked at: no change falls between.
    let mut feed = client.subscribe();
    let record = Arc::clone(&look(|| client.inspect(run)).await?.view.record);
    if wanted(&record) || record.status.is_final() {
        return Ok(record);
    }
    changed(&mut feed, run, wanted).await
}

async fn changed(feed: &mut Feed, run: RunId, wanted: impl Fn(&Record) -> bool) -> Result<Arc<Record>, Failure> {
    loop {
        let views = match feed.next().await.ok_or_else(server_gone)? {
            Update::Run(view) => vec![view],
            Update::Resync(views) => views,
            Update::Removed(removed) if removed == run => {
                let message = "the run was removed from the table while it was waited for";
                return Err(Failure::new(ErrorCode::NotFound, message).with_hint("`shtask history` has its record"));
            }
            Update::Removed(_) => continue,
        };
        let view = views.iter().find(|view| view.id() == run);
        if let Some(view) = view.filter(|view| wanted(&view.record) || view.record.status.is_final()) {
            return Ok(Arc::clone(&view.record));
        }
    }
}

/// Waits until a run is ready: without a readiness of its own it is that as soon as it runs.
async fn ready(client: &dyn Client, run: RunId) -> Result<Waited, Failure> {
    let record = until(client, run, |record| record.status == Status::Running).await?;
    if record.status.is_final() && record.status != Status::Completed {
        let message = format!("{} {} before it was ready", label(&record), record.status.word());
        let hint = format!("`shtask why {}` says why", label(&record));
        return Err(Failure::new(ErrorCode::Unsupported, message).with_hint(hint));
    }
    let line = format!("{} ready", label(&record));
    Ok(Waited { document: record_json(&record), record, line })
}

/// Waits for a line of output that matches, from the beginning of the log on.
async fn matched(client: &dyn Client, run: RunId, pattern: &Regex) -> Result<Waited, Failure> {
    let record = Arc::clone(&look(|| client.inspect(run)).await?.view.record);
    let mut cursors: Vec<_> = streams(record.mode).iter().map(|stream| LogCursor::new(*stream, 0, true)).collect();
    let mut lines: Vec<_> = cursors.iter().map(|_| Lines { plain: Plain::new(false), line: String::new() }).collect();
    while let Some((at, page)) = next_page(client, run, &mut cursors).await? {
        if let Some(line) = lines[at].find(&page.bytes, pattern) {
            let stream = cursors[at].stream;
            let mut document = record_json(&record);
            document["match"] = json!({ "stream": stream, "line": line });
            return Ok(Waited { record, document, line });
        }
    }
    let message =
        format!("{} ended without a match for {}", label(&record), pattern.as_str().trim_start_matches("(?m)"));
    let hint = format!("`shtask logs {}` has all that it printed", label(&record));
    Err(Failure::new(ErrorCode::Unsupported, message).with_hint(hint))
}

/// The lines of a stream, without control sequences: colours stand in no pattern's way.
struct Lines {
    plain: Plain,
    line: String,
}

impl Lines {
    /// Takes the next bytes; returns the first line that matches. A line that has not ended is looked at as well: a prompt never does.
    fn find(&mut self, bytes: &[u8], pattern: &Regex) -> Option<String> {
        let text = self.plain.admit(bytes);
        for part in text.split_inclusive('\n') {
            self.line.push_str(part.strip_suffix('\n').unwrap_or(part));
            if pattern.is_match(self.line.as_bytes()) {
                return Some(std::mem::take(&mut self.line));
            }
            if part.ends_with('\n') || self.line.len() > MAX_LINE {
                self.line.clear();
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_is_found_in_colours_over_chunks_and_in_a_line_without_an_end() {
        let mut lines = Lines { plain: Plain::new(false), line: String::new() };
        let pattern = Regex::new("(?m)^listening on .*:3000$").expect("a pattern");
        assert_eq!(lines.find(b"starting\nlist", &pattern), None);
        assert_eq!(lines.find(b"ening on \x1b[1mlocalhost\x1b[0m:", &pattern), None);
        assert_eq!(lines.find(b"3000", &pattern).as_deref(), Some("listening on localhost:3000"));
        assert_eq!(lines.find(b"\nnot listening on x:3000\n", &pattern), None);
    }
}
