//! From refs to runs.

use std::sync::Arc;

use super::exit::{Exit, Fault};
use super::here::Verbs;
use crate::api::{RunView, Update};
use crate::model::{ErrorCode, Failure, Record, RunId, RunRef, SessionName};

impl Verbs<'_> {
    /// Finds the run that a ref names.
    ///
    /// # Errors
    /// No such run for this caller, or several.
    pub(super) async fn find(&self, reference: &RunRef) -> Result<RunId, Fault> {
        let views = self.table_of_runs().await?;
        resolve(&views, &self.here.session, reference).map_err(Fault::from)
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

fn resolve(views: &[Arc<RunView>], session: &SessionName, reference: &RunRef) -> Result<RunId, Failure> {
    let unknown = || Failure::new(ErrorCode::NotFound, format!("there is no run {reference} in the session {session}"));
    let named = |name: &str| {
        let of_name = views.iter().filter(|view| view.record.name.as_ref().is_some_and(|own| own.as_str() == name));
        of_name.max_by_key(|view| view.record.generation).map(|view| view.id())
    };
    match reference {
        RunRef::Full(of, id) if of == session => Ok(*id),
        RunRef::Full(..) => Err(unknown()),
        RunRef::Id(id) => Ok(*id),
        RunRef::Generation(name, generation) => {
            let is_it = |record: &Record| record.name.as_ref() == Some(name) && record.generation == *generation;
            views.iter().find(|view| is_it(&view.record)).map(|view| view.id()).ok_or_else(unknown)
        }
        RunRef::NameOrPrefix(text) => {
            if let Some(run) = named(text) {
                return Ok(run);
            }
            let mut fits = views.iter().map(|view| view.id()).filter(|id| RunRef::is_prefix_of(text, id));
            match (fits.next(), fits.next()) {
                (Some(run), None) => Ok(run),
                (Some(_), Some(_)) => {
                    Err(Failure::new(ErrorCode::Ambiguous, format!("{text} is the start of several run ids")))
                }
                (None, _) => Err(unknown()),
            }
        }
    }
}
