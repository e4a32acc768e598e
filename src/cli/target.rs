//! From refs to runs.

use std::collections::HashSet;
use std::sync::Arc;

use super::exit::{Exit, Fault};
use super::here::Verbs;
use super::logs::look;
use crate::api::{Activity, Client, RecordsRequest, RunView, Termination, Update};
use crate::model::{ErrorCode, Failure, Guard, Record, RunId, RunName, RunRef, nearest};

impl Verbs<'_> {
    /// Finds the run that a ref names.
    ///
    /// # Errors
    /// No such run for this caller, or several.
    pub(super) async fn find(&self, reference: &RunRef) -> Result<RunId, Fault> {
        Ok(self.find_record(reference).await?.id)
    }

    /// Finds the record of the run that a ref names, without its output.
    ///
    /// # Errors
    /// As [`Verbs::find`].
    pub(super) async fn find_record(&self, reference: &RunRef) -> Result<Arc<Record>, Fault> {
        match look(|| self.client.resolve(reference.clone())).await {
            Err(failure) if failure.code == ErrorCode::NotFound && failure.hint.is_none() => {
                let hint = self.probably_meant(reference).await;
                Err(failure.with_hint(hint).into())
            }
            found => Ok(found?),
        }
    }

    /// Says what somebody may have meant whose ref names no run.
    pub(super) async fn probably_meant(&self, reference: &RunRef) -> String {
        let session = &self.here.session;
        let name = match reference {
            RunRef::Full(other, _) if other != session => return format!("--session {other} looks there"),
            RunRef::Full(..) | RunRef::Id(_) => None,
            RunRef::NameOrPrefix(text) => Some(text.as_str()),
            RunRef::Generation(name, _) => Some(name.as_str()),
        };
        // What cannot be looked up is no help, and no second error.
        let page = self.client.list_records(RecordsRequest::newest(RecordsRequest::MAX_LIMIT)).await;
        let known = page.map(|page| page.records).unwrap_or_default();
        if known.is_empty() {
            return format!("session {session} has no runs; `shtask session ls` lists those that have");
        }
        let names = || known.iter().filter_map(|record| record.name.as_ref());
        match name {
            Some(name) if names().any(|known| known.as_str() == name) => {
                let generations =
                    known.iter().filter(|record| record.name.as_ref().is_some_and(|n| n.as_str() == name));
                let newest = generations.map(|record| record.generation).max().unwrap_or_default();
                format!("the newest generation of {name} is {newest}")
            }
            Some(text) if known.iter().any(|record| record.id.as_str().starts_with(text)) => {
                format!("a run id is named by {} or more of its characters", RunRef::MIN_PREFIX)
            }
            name => match name.and_then(|name| nearest(name, names().map(RunName::as_str))) {
                Some(near) => format!("did you mean {near}?"),
                None => "`shtask ls --all` lists the runs".to_owned(),
            },
        }
    }

    /// Returns the client for a change of what a ref names: a ref with a generation is meant for that one only (S7.5).
    pub(super) fn client_for(&self, reference: &RunRef) -> Arc<dyn Client> {
        match reference {
            RunRef::Generation(_, generation) => {
                self.client.guarded(Guard { fence: None, generation: Some(*generation) })
            }
            RunRef::Full(..) | RunRef::Id(_) | RunRef::NameOrPrefix(_) => Arc::clone(&self.client),
        }
    }

    /// Returns the present table of runs, in the order of their starts; with those that have ended before the present server was started.
    pub(super) async fn table_of_all_runs(&self) -> Result<Vec<Arc<RunView>>, Fault> {
        let mut views = self.table_of_runs().await?;
        let page = self.client.list_records(RecordsRequest::newest(RecordsRequest::MAX_LIMIT)).await?;
        let listed: HashSet<RunId> = views.iter().map(|view| view.id()).collect();
        let others = page.records.into_iter().filter(|record| !listed.contains(&record.id));
        views.extend(others.map(|record| {
            Arc::new(RunView {
                record: Arc::new(record),
                deadline: None,
                termination: Termination::None,
                control_open: false,
                started: None,
                ended: None,
                attention: None,
                notification: None,
                keyboard: None,
                activity: Activity::default(),
            })
        }));
        views.sort_by_key(|view| (view.record.started_at.unwrap_or(view.record.updated_at), view.id()));
        Ok(views)
    }

    /// Returns the present table of runs.
    pub(super) async fn table_of_runs(&self) -> Result<Vec<Arc<RunView>>, Fault> {
        match self.client.subscribe().next().await {
            Some(Update::Resync(views)) => Ok(views),
            // The table always comes first.
            Some(Update::Run(_) | Update::Removed(_)) | None => Err(server_gone().into()),
        }
    }

    /// Tells a failure of one of several runs; the rest is done all the same. Returns the exit code that goes with it.
    pub(super) fn told(&mut self, fault: Fault) -> Result<Exit, Fault> {
        match fault {
            Fault::ReaderGone => Err(fault),
            Fault::Failed(failure) => {
                self.console.fail(&failure);
                Ok(Exit::of(failure.code))
            }
        }
    }
}

/// Returns the exit code of several: the first that is not 0.
pub(super) fn first_failure(exits: impl IntoIterator<Item = Exit>) -> Exit {
    exits.into_iter().find(|exit| *exit != Exit::DONE).unwrap_or(Exit::DONE)
}

/// The failure of a feed that has ended.
pub(super) fn server_gone() -> Failure {
    Failure::new(ErrorCode::Unavailable, "the server is gone")
}

/// Returns how people call a run: `NAME:GENERATION`, else the start of its id.
pub(super) fn label(record: &Record) -> String {
    match &record.name {
        Some(name) => format!("{name}:{}", record.generation),
        None => record.id.short().to_owned(),
    }
}
