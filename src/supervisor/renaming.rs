//! Giving a live run another name (S7.5, S10.6). The name is taken at once, for starts that come behind it; the answer comes once it is durable.

use std::sync::Arc;

use super::core::{At, Core, Do, Write};
use super::records;
use crate::api::Answer;
use crate::model::{ErrorCode, Failure, Record, RunId, RunName, SessionName};
use crate::sys::hooks;

impl Core {
    /// Gives a run another name.
    pub(super) fn rename(&mut self, at: At, run: RunId, name: RunName, answer: Answer<Arc<Record>>) -> Vec<Do> {
        let Some(entry) = self.runs.get(&run) else {
            answer.send(Err(super::serving::not_found(run)));
            return Vec::new();
        };
        let session = entry.record.session.clone();
        let refused = if !entry.machine.control_is_open() {
            Some(keeps_its_name(entry.is_final()))
        } else if entry.renaming.is_some() {
            Some(Failure::new(ErrorCode::Busy, format!("run {} is being renamed already", run.short())))
        } else {
            self.holder_of(&session, &name).filter(|holder| *holder != run).map(|holder| taken(&name, holder))
        };
        if let Some(failure) = refused {
            answer.send(Err(failure));
            return Vec::new();
        }
        let generation = self.generations.newest(&session, &name) + 1;
        let Some(entry) = self.runs.get_mut(&run) else { return Vec::new() };
        if entry.record.name.as_ref() == Some(&name) {
            answer.send(Ok(Arc::clone(&entry.record)));
            return Vec::new();
        }
        hooks::pass("rename.store");
        entry.record = records::renamed(&entry.record, name.clone(), generation, at.wall);
        entry.spec.name = Some(name.clone());
        entry.renaming = Some(answer);
        self.generations.note(&session, &name, generation);
        let mut todo = Vec::new();
        self.store(at, run, Write::Renamed, &mut todo);
        todo
    }

    /// Tells what came of storing another name.
    pub(super) fn rename_stored(&mut self, run: RunId, result: Result<(), Failure>) {
        let Some(entry) = self.runs.get_mut(&run) else { return };
        let record = Arc::clone(&entry.record);
        if let Some(answer) = entry.renaming.take() {
            answer.send(result.map(|()| record).map_err(|failure| {
                let message = format!("the run has that name now, but it is not stored yet: {}", failure.message);
                Failure { message, ..failure }.with_hint("it is tried again; see to the state directory")
            }));
        }
        self.publish(run);
    }

    /// Returns a session's run that has a name, or is about to have it.
    fn holder_of(&self, session: &SessionName, name: &RunName) -> Option<RunId> {
        let is_it =
            |resolving: &super::starting::Resolving| resolving.session() == session && resolving.name() == Some(name);
        let starting = self.resolving.iter().find(|(_, resolving)| is_it(resolving)).map(|(run, _)| *run);
        self.active_run(session, name).or(starting)
    }
}

fn taken(name: &RunName, holder: RunId) -> Failure {
    let message = format!("{name} is the name of a live run: {}", holder.short());
    Failure::new(ErrorCode::Conflict, message).with_hint("take another name, or stop or rename that run first")
}

/// The failure of a new name for a run that is starting or ending, or is over: a final record never changes (S2.1).
pub(super) fn keeps_its_name(is_final: bool) -> Failure {
    if is_final {
        let failure = Failure::new(ErrorCode::ControlClosed, "the run is over: its record keeps the name that it has");
        return failure.with_hint("start it anew under another name");
    }
    let failure = Failure::new(ErrorCode::ControlClosed, "the run is starting or ending and cannot be renamed now");
    failure.with_hint("try again when it runs")
}
