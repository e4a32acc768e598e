//! Starting runs (S3.1): validate → fence → slot → id → look at program and folder → durable `starting` → spawn → …

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::oneshot;

use super::core::{At, Core, Do, Write};
use super::entry::{Entry, Starter};
use super::records;
use super::request::LiveRoad;
use super::storing::Keeping;
use crate::api::{Activity, Answer, StartRequest, StopRequest};
use crate::launch::{Resolved, RunIdentity};
use crate::model::run::{Input, Run, RunTraits};
use crate::model::stop::Reason;
use crate::model::{ErrorCode, Failure, Keyboard, Record, RunId, RunName, RunSpec, SessionName, Slot, Timeouts};

/// A run that has a slot, and whose program, folder and environment are being looked at.
pub(super) struct Resolving {
    identity: RunIdentity,
    spec: RunSpec,
    slot: Slot,
    starter: Starter,
    /// The epoch of its session when it was admitted.
    epoch: u64,
}

impl Resolving {
    /// Returns the name that it is to have.
    pub(super) fn name(&self) -> Option<&RunName> {
        self.identity.name.as_ref()
    }

    /// Returns the session that it is for.
    pub(super) fn session(&self) -> &SessionName {
        &self.identity.session
    }
}

impl Core {
    /// Starts a run in the background.
    pub(super) fn start(
        &mut self,
        at: At,
        session: &SessionName,
        request: StartRequest,
        answer: Answer<Arc<Record>>,
    ) -> Vec<Do> {
        let active = request.spec.name.as_ref().and_then(|name| self.active_run(session, name));
        match active {
            Some(run) if request.replace => self.succeed(at, run, request, StopRequest { kill: false }, answer),
            Some(run) => {
                let name = request.spec.name.as_ref().map_or_else(String::new, ToString::to_string);
                let message = format!("{name} is running already, as {}", run.short());
                answer.send(Err(Failure::new(ErrorCode::Conflict, message).with_hint("stop it first, or restart it")));
                Vec::new()
            }
            None => self.begin(at, session, request.spec, Starter::Background(vec![answer])),
        }
    }

    /// Starts a foreground run.
    pub(super) fn start_foreground(
        &mut self,
        at: At,
        session: &SessionName,
        wanted: Option<RunId>,
        mut spec: RunSpec,
        live: LiveRoad,
        answer: Answer<Arc<Record>>,
    ) -> Vec<Do> {
        spec.foreground = true;
        if let Some(run) = spec.name.as_ref().and_then(|name| self.active_run(session, name)) {
            let message = format!("a run of that name is running already, as {}", run.short());
            answer
                .send(Err(Failure::new(ErrorCode::Conflict, message).with_hint("stop it first, or take another name")));
            return Vec::new();
        }
        if let Some(run) = wanted.filter(|run| self.is_listed(session, *run) || self.is_earlier(session, *run)) {
            answer.send(Err(Failure::new(ErrorCode::Conflict, format!("there is a run {} already", run.short()))));
            return Vec::new();
        }
        // That another session has the id, by whatever chance, is nothing that anybody is told.
        let free = wanted.filter(|run| !self.runs.contains_key(run) && !self.resolving.contains_key(run));
        self.begin_as(at, session, free, spec, Starter::Foreground(Some(live), Some(answer)))
    }

    /// Lets somebody wait for a foreground run whose server has died, as who waited for it did (S7.4).
    pub(super) fn rejoin_foreground(
        &mut self,
        run: RunId,
        left_rx: oneshot::Receiver<()>,
        answer: Answer<Arc<Record>>,
    ) -> Vec<Do> {
        let Some(entry) = self.runs.get_mut(&run) else { return Vec::new() };
        let is_over = entry.is_final();
        match &mut entry.starter {
            _ if is_over => answer.send(entry.final_failure.clone().map_or(Ok(Arc::clone(&entry.record)), Err)),
            Starter::Foreground(_, waiting @ None) => {
                *waiting = Some(answer);
                return vec![Do::DisarmStarter(run), Do::WatchStarter(run, left_rx)];
            }
            Starter::Foreground(..) | Starter::Background(_) => {
                let message = format!("nobody is missed who waits for {} in the foreground", run.short());
                answer.send(Err(Failure::new(ErrorCode::Conflict, message)));
            }
        }
        Vec::new()
    }

    /// Ends a run, if it is live, and starts it again once its whole tree is gone.
    pub(super) fn restart(&mut self, at: At, run: RunId, stop: StopRequest, answer: Answer<Arc<Record>>) -> Vec<Do> {
        let Some(entry) = self.runs.get(&run) else {
            answer.send(Err(super::serving::not_found(run)));
            return Vec::new();
        };
        // Nobody waits for the next one; the time that it has is the same.
        let mut spec = entry.spec.clone();
        (spec.timeouts.wall, spec.foreground) = (spec.wall_timeout(), false);
        let request = StartRequest { spec, replace: true };
        if !entry.is_final() {
            return self.succeed(at, run, request, stop, answer);
        }
        // An older generation may be asked for while a newer one runs: it is that one that is replaced.
        let session = entry.record.session.clone();
        self.start(at, &session, request, answer)
    }

    /// Lets a run be succeeded by another once it is closed.
    fn succeed(
        &mut self,
        at: At,
        run: RunId,
        request: StartRequest,
        stop: StopRequest,
        answer: Answer<Arc<Record>>,
    ) -> Vec<Do> {
        let session = self.runs.get(&run).map(|entry| entry.record.session.clone());
        if let Some(failure) = session.and_then(|session| self.refusal(&session, &request.spec)) {
            answer.send(Err(failure));
            return Vec::new();
        }
        let key = self.mint_stop();
        let Some(entry) = self.runs.get_mut(&run) else { return Vec::new() };
        match &mut entry.successor {
            Some((waiting, answers)) => {
                *waiting = request;
                answers.push(answer);
            }
            None => entry.successor = Some((request, vec![answer])),
        }
        self.step(at, run, Input::End(Reason::Stop(key), stop.kill))
    }

    /// Returns why a run cannot be started now, whatever is free.
    fn refusal(&self, session: &SessionName, spec: &RunSpec) -> Option<Failure> {
        if let Err(error) = spec.validate() {
            return Some(error.into());
        }
        if self.shutdown.is_some() {
            return Some(Failure::new(ErrorCode::Closing, "everything is being ended: nothing starts any more"));
        }
        self.closed_session(session)
    }

    /// Begins a start: takes a slot and an id.
    pub(super) fn begin(&mut self, at: At, session: &SessionName, spec: RunSpec, starter: Starter) -> Vec<Do> {
        self.begin_as(at, session, None, spec, starter)
    }

    fn begin_as(
        &mut self,
        at: At,
        session: &SessionName,
        wanted: Option<RunId>,
        mut spec: RunSpec,
        starter: Starter,
    ) -> Vec<Do> {
        let slot = match self.refusal(session, &spec).map_or_else(|| self.slots.reserve(spec.mode), Err) {
            Ok(slot) => slot,
            Err(mut failure) => {
                self.redaction.failure(&mut failure);
                self.note_refusal(at, session, spec.name.as_ref(), &failure);
                starter.refuse(&failure);
                return Vec::new();
            }
        };
        // Most runs start from the same environment: one copy serves them all.
        if self.newest_env == spec.env.base {
            spec.env.base = Arc::clone(&self.newest_env);
        } else {
            self.newest_env = Arc::clone(&spec.env.base);
        }
        let epoch = self.epoch(session);
        let id = wanted.unwrap_or_else(|| (self.mint)());
        let generation = spec.name.as_ref().map_or(1, |name| self.generations.newest(session, name) + 1);
        let identity = RunIdentity { id, session: session.clone(), name: spec.name.clone(), generation };
        let todo = vec![Do::Resolve(identity.clone(), Box::new(spec.clone()))];
        self.resolving.insert(id, Resolving { identity, spec, slot, starter, epoch });
        todo
    }

    /// Takes in what was found of program, folder and environment. Only now is there a record.
    pub(super) fn resolved(&mut self, at: At, run: RunId, found: Result<Resolved, Failure>) -> Vec<Do> {
        let Some(Resolving { identity, spec, slot, mut starter, epoch }) = self.resolving.remove(&run) else {
            return Vec::new();
        };
        // The fence again: everything may be ending by now.
        let found = self.refusal(&identity.session, &spec).map_or(found, Err);
        let found = if self.is_epoch_valid(&identity.session, epoch) {
            found
        } else {
            let message = "the session was closed while the run was being started";
            found.and(Err(Failure::new(ErrorCode::Closing, message)))
        };
        let taken = identity.name.as_ref().and_then(|name| self.active_run(&identity.session, name));
        let found = match taken {
            Some(other) => {
                let message = format!("a run of that name was started at the same time, as {}", other.short());
                Err(Failure::new(ErrorCode::Conflict, message).with_hint("stop it first, or take another name"))
            }
            None => found,
        };
        let resolved = match found {
            Ok(resolved) => resolved,
            Err(mut failure) => {
                self.slots.release(slot);
                // It may name the program and its arguments.
                self.redaction.failure(&mut failure);
                starter.refuse(&failure);
                self.check_shutdown();
                return Vec::new();
            }
        };
        let mut record = records::starting(&identity, &spec, &resolved, at.wall);
        self.redaction.record(Arc::make_mut(&mut record));
        if let Some(name) = &identity.name {
            self.generations.note(&identity.session, name, identity.generation);
        }
        let machine = Run::new(RunTraits {
            mode: spec.mode,
            timeouts: Timeouts { wall: spec.wall_timeout(), ..spec.timeouts },
            output_drain: self.limits.output_drain,
            daemonizes: spec.daemonizes,
            grace: spec.stop.grace,
        });
        let mut todo = Vec::new();
        let mut live_tx = None;
        if let Starter::Foreground(live, _) = &mut starter
            && let Some(LiveRoad { output_tx, left_rx }) = live.take()
        {
            live_tx = Some(output_tx);
            todo.push(Do::WatchStarter(run, left_rx));
        }
        let entry = Entry {
            spec,
            machine,
            record,
            slot: Some(slot),
            starter,
            resolved: Some((resolved, live_tx)),
            port: None,
            stops: HashMap::new(),
            late_controls: Vec::new(),
            successor: None,
            output: None,
            final_failure: None,
            started: None,
            ended: None,
            activity: Activity::default(),
            attention: None,
            said: None,
            keyboard: Keyboard::default(),
            renaming: None,
            keeping: Keeping::default(),
            refused: None,
            log: None,
            adoption: None,
        };
        self.runs.insert(run, entry);
        crate::sys::hooks::pass("start.record");
        self.store(at, run, Write::Starting, &mut todo);
        self.publish(run);
        todo
    }

    /// Notes at the newest run of a name why there is no newer one.
    fn note_refusal(&mut self, at: At, session: &SessionName, name: Option<&RunName>, failure: &Failure) {
        let Some(name) = name else { return };
        let is_it = |entry: &&mut Entry| entry.record.name.as_ref() == Some(name) && entry.record.session == *session;
        if let Some(entry) = self.runs.values_mut().rev().find(is_it) {
            entry.refused = Some((at.wall, failure.clone()));
        }
    }

    /// Returns a session's live run of a name.
    pub(super) fn active_run(&self, session: &SessionName, name: &RunName) -> Option<RunId> {
        let is_it = |entry: &Entry| entry.record.name.as_ref() == Some(name) && entry.record.session == *session;
        let active = self.runs.iter().find(|(_, entry)| is_it(entry) && !entry.is_final());
        active.map(|(run, _)| *run)
    }
}
