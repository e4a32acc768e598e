//! `ls`: the table of runs.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::json;

use super::args_look::LsArgs;
use super::exit::{Exit, Fault};
use super::facts::{deadline_text, elapsed, short_span, view_json};
use super::here::Verbs;
use super::table::{Paint, Table, TableCell};
use super::target::{label, server_gone};
use crate::api::{RunView, Update};
use crate::model::{Record, RunId, Status, shown};

impl Verbs<'_> {
    /// Lists runs.
    pub(super) async fn list(&mut self, args: &LsArgs) -> Result<Exit, Fault> {
        if args.follow {
            return self.follow_list(args).await;
        }
        let mut views = match args.all || !args.status.is_empty() {
            true => self.table_of_all_runs().await?,
            false => self.table_of_runs().await?,
        };
        views.retain(|view| is_wanted(args, &view.record));
        let now = (self.here.boot_now)();
        if args.quiet && !self.console.look.json {
            for view in &views {
                self.console.line(&view.record.reference)?;
            }
        } else if self.console.look.json {
            let runs: Vec<_> = views.iter().map(|view| view_json(view, now)).collect();
            self.console.json(&json!({ "schema": 1, "runs": runs }))?;
        } else if views.is_empty() {
            self.console.note(match args.all {
                true => "no runs",
                false => "no runs that are live or were not looked at (ls --all lists the others)",
            });
        } else {
            let table = self.runs_table(&views);
            self.console.table(&table)?;
        }
        Ok(Exit::DONE)
    }

    fn runs_table(&self, views: &[Arc<RunView>]) -> Table {
        let (wall, boot) = ((self.here.now)(), (self.here.boot_now)());
        let mut table = Table::new(["ID", "NAME", "STATUS", "AGE", "EXIT", "COMMAND"]);
        for view in views {
            let record = &view.record;
            let age = match (record.started_at, record.completed_at) {
                (Some(started), Some(ended)) => short_span(elapsed(started, ended)),
                (Some(started), None) => short_span(elapsed(started, wall)),
                (None, _) => "-".to_owned(),
            };
            let mut status = record.status.word().to_owned();
            if let Some(deadline) = view.deadline.filter(|_| !record.status.is_final()) {
                status.push_str(&format!(", {}", deadline_text(deadline, boot)));
            }
            if let Some(attention) = view.attention {
                status.push_str(&format!(", {}", attention.need.words()));
            }
            if let Some(owner) = &view.keyboard {
                status.push_str(&format!(", {} types", shown(&owner.who.name)));
            }
            table.row([
                TableCell::painted(record.id.short(), "1"),
                record
                    .name
                    .as_ref()
                    .map_or_else(|| "-".to_owned(), |name| format!("{name}:{}", record.generation))
                    .into(),
                TableCell::painted(status, paint(record.status)),
                age.into(),
                record.exit_code.map_or_else(|| "-".to_owned(), |code| code.to_string()).into(),
                shown(&record.command).into(),
            ]);
        }
        table
    }

    /// Prints every change, one a line. Whoever is too slow gets the newest state of each run (S6.5).
    async fn follow_list(&mut self, args: &LsArgs) -> Result<Exit, Fault> {
        let mut feed = self.client.subscribe();
        // A change that is not one of the record has no revision of its own; nor has a table that comes again.
        let mut shown: HashMap<RunId, u64> = HashMap::new();
        while let Some(update) = feed.next().await {
            let views = match update {
                Update::Resync(views) => views,
                Update::Run(view) => vec![view],
                Update::Removed(run) if self.console.look.json => {
                    shown.remove(&run);
                    self.console.json(&json!({ "removed": run }))?;
                    self.console.flush()?;
                    continue;
                }
                Update::Removed(run) => {
                    shown.remove(&run);
                    continue;
                }
            };
            for view in views.iter().filter(|view| args.all || args.status.is_empty() || is_wanted(args, &view.record))
            {
                let revision = view.record.revision;
                if shown.insert(view.id(), revision) != Some(revision) {
                    self.change(view)?;
                }
            }
            self.console.flush()?;
        }
        Err(server_gone().into())
    }

    fn change(&mut self, view: &RunView) -> Result<(), Fault> {
        if self.console.look.json {
            return self.console.json(&view_json(view, (self.here.boot_now)()));
        }
        let record = &view.record;
        let at = record.updated_at.strftime("%H:%M:%S");
        let exit = record.exit_code.map_or_else(String::new, |code| format!(" with {code}"));
        self.console.line(&format!(
            "{at}  {}  {}{exit}  {}",
            label(record),
            record.status.word(),
            shown(&record.command)
        ))
    }
}

/// Without more words: what is live, and what has ended and was not looked at.
fn is_wanted(args: &LsArgs, record: &Record) -> bool {
    if !args.status.is_empty() {
        return args.status.contains(&record.status);
    }
    args.all || !record.status.is_final() || record.observed_at.is_none()
}

/// Returns the colour of a status.
pub(super) fn paint(status: Status) -> Paint {
    match status {
        Status::Queued | Status::Starting => "33",
        Status::Running => "32",
        Status::Completed => "",
        Status::Failed | Status::TimedOut | Status::Orphaned => "31",
        Status::Cancelled => "2",
    }
}
