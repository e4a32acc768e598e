//! Requests on runs that exist: control, reading, looking, deadlines.

use std::sync::Arc;

use super::core::{At, Core, Do, Write};
use super::keyboard::Presence;
use super::records;
use crate::api::{Answer, Deadline, Inspection, LogReading, LogRequest, Reading, SignalTarget};
use crate::driver::Command;
use crate::model::run::Input;
use crate::model::{Cut, ErrorCode, Failure, Limits, Mode, RunId, SessionName, TimeoutKind, TypistKind, WriteStdin};

/// The failure of a request that names no run.
pub(super) fn not_found(run: RunId) -> Failure {
    Failure::new(ErrorCode::NotFound, format!("there is no run {}", run.short()))
}

impl Core {
    /// Passes a control operation to the driver. The order of calls is the order of cuts.
    pub(super) fn control(&mut self, at: At, run: RunId, control: WriteStdin, by: &Presence, answer: Answer<Cut>) {
        let Some(entry) = self.runs.get_mut(&run) else { return answer.send(Err(not_found(run))) };
        if let Err(failure) = control.validate() {
            return answer.send(Err(failure));
        }
        if entry.record.mode == Mode::Pipes {
            return answer.send(Err(has_pipes()));
        }
        let Some(port) = entry.port.as_ref().filter(|_| entry.machine.control_is_open()) else {
            return answer.send(Err(control_closed(entry.is_final())));
        };
        if let Err(failure) = entry.keyboard.admits(by.id()) {
            return answer.send(Err(failure));
        }
        // What only gives a size does not type.
        let is_agents = control.input.is_some() && by.who().kind == TypistKind::Agent;
        port.request(Command::Control(control, entry.keyboard.is_persons(by.id()), answer));
        // It is admitted, so it is given.
        if is_agents && let Err(failure) = self.give_keyboard(at, run, by) {
            tracing::error!(%run, %failure, "a client that may type does not get the keyboard");
        }
    }

    /// Passes a signal to the holder.
    pub(super) fn signal(&mut self, run: RunId, signal: i32, target: SignalTarget, answer: Answer<u32>) {
        let Some(entry) = self.runs.get(&run) else { return answer.send(Err(not_found(run))) };
        if !(1..=64).contains(&signal) {
            return answer.send(Err(Failure::new(ErrorCode::Invalid, format!("{signal} is no signal: use 1 to 64"))));
        }
        match &entry.port {
            Some(port) if !entry.is_final() => port.request(Command::Signal(signal, target, answer)),
            _ => answer.send(Err(control_closed(true))),
        }
    }

    /// Moves or removes a deadline.
    pub(super) fn set_deadline(
        &mut self,
        at: At,
        run: RunId,
        kind: TimeoutKind,
        deadline: Deadline,
        answer: Answer<()>,
    ) -> Vec<Do> {
        let Some(entry) = self.runs.get(&run) else {
            answer.send(Err(not_found(run)));
            return Vec::new();
        };
        if !entry.machine.control_is_open() {
            answer.send(Err(control_closed(entry.is_final())));
            return Vec::new();
        }
        let later = match deadline {
            Deadline::Remove => None,
            Deadline::Extend(span) if span < Limits::MIN_TIMEOUT || span > Limits::MAX_TIMEOUT => {
                let message = "a deadline can be extended by 1 ms to 24 h";
                answer.send(Err(Failure::new(ErrorCode::Invalid, message)));
                return Vec::new();
            }
            Deadline::Extend(span) => Some(span),
        };
        let todo = self.step(at, run, Input::Deadline(kind, later));
        answer.send(Ok(()));
        todo
    }

    /// Takes note that a run is ready: its ready timeout is void.
    pub(super) fn mark_ready(&mut self, at: At, run: RunId, answer: Answer<()>) -> Vec<Do> {
        if !self.runs.contains_key(&run) {
            answer.send(Err(not_found(run)));
            return Vec::new();
        }
        let todo = self.step(at, run, Input::Ready);
        answer.send(Ok(()));
        todo
    }

    /// Reads the newest output; a final run is observed from then on.
    pub(super) fn read(
        &mut self,
        at: At,
        run: RunId,
        limit_bytes: usize,
        by: &Presence,
        answer: Answer<Reading>,
    ) -> Vec<Do> {
        let Some(entry) = self.runs.get_mut(&run) else {
            answer.send(Err(not_found(run)));
            return Vec::new();
        };
        if let Err(failure) = check_limit(limit_bytes) {
            answer.send(Err(failure));
            return Vec::new();
        }
        let mut todo = Vec::new();
        if entry.is_final() && entry.record.observed_at.is_none() {
            entry.record = records::observed(&entry.record, at.wall);
            self.store(at, run, Write::Observed, &mut todo);
            self.publish(run);
        }
        let Some(entry) = self.runs.get_mut(&run) else { return todo };
        let note = match by.who().kind {
            TypistKind::Agent => entry.keyboard.note(at.now),
            TypistKind::Person => None,
        };
        let record = Arc::clone(&entry.record);
        match &entry.port {
            Some(port) => port.request(Command::Read { limit_bytes, record, note, answer }),
            None => answer.send(Ok(Reading { record, parts: Vec::new(), note })),
        }
        todo
    }

    /// Reads the log of a session's run, of one that is no longer listed as well.
    pub(super) fn read_log(
        &self,
        session: &SessionName,
        run: RunId,
        request: LogRequest,
        answer: Answer<LogReading>,
    ) -> Vec<Do> {
        if let Err(failure) = check_limit(request.limit_bytes) {
            answer.send(Err(failure));
            return Vec::new();
        }
        let progress = match self.runs.get(&run).filter(|entry| entry.record.session == *session) {
            Some(entry) if entry.log.is_none() && !entry.is_final() => {
                answer.send(Err(Failure::new(ErrorCode::Busy, "the run has not been started yet")));
                return Vec::new();
            }
            Some(entry) => entry.log.clone(),
            None => None,
        };
        vec![Do::ReadLog(session.clone(), run, request, progress, answer)]
    }

    /// Looks at a run; marks nothing.
    pub(super) fn inspect(&mut self, run: RunId, answer: Answer<Inspection>) {
        let Some(entry) = self.runs.get(&run) else { return answer.send(Err(not_found(run))) };
        let view = entry.view();
        match &entry.port {
            Some(port) => port.request(Command::Inspect(Box::new(view), answer)),
            None => {
                let bytes = crate::api::ByteCounts::default();
                answer.send(Ok(Inspection { view, processes: Vec::new(), bytes, holder_pid: None, cuts: 0 }));
            }
        }
    }

    /// Tells why a run is not running, or how it stands.
    pub(super) fn why(&self, at: At, run: RunId, answer: Answer<String>) {
        let Some(entry) = self.runs.get(&run) else { return answer.send(Err(not_found(run))) };
        answer.send(Ok(super::why::why(&entry.view(), entry.refused.as_ref(), at)));
    }

    /// Passes a request on to the driver that has the run's output.
    pub(super) fn pass_on(&mut self, run: RunId, command: Command) {
        match self.runs.get(&run).map(|entry| &entry.port) {
            Some(Some(port)) => port.request(command),
            Some(None) => command.refuse(Failure::new(ErrorCode::Busy, "the run has not been started yet")),
            None => command.refuse(not_found(run)),
        }
    }

    /// Forgets a final run.
    pub(super) fn forget(&mut self, run: RunId, answer: Answer<()>) -> Vec<Do> {
        match self.runs.get(&run).map(super::entry::Entry::is_final) {
            None => answer.send(Err(not_found(run))),
            Some(false) => {
                let failure = Failure::new(ErrorCode::Conflict, format!("run {} is live", run.short()));
                answer.send(Err(failure.with_hint("stop it first")));
            }
            Some(true) if self.runs.get(&run).is_some_and(|entry| entry.keeping.is_behind()) => {
                let failure =
                    Failure::new(ErrorCode::Busy, format!("the record of run {} is not stored yet", run.short()));
                answer.send(Err(failure.with_hint("try again when it can be stored")));
            }
            Some(true) => {
                self.unlist(run);
                return vec![Do::Unlist(run, Some(answer))];
            }
        }
        Vec::new()
    }
}

/// The failure of a control of a run with pipes, live or not: that it has ended would not be why.
pub(super) fn has_pipes() -> Failure {
    let failure = Failure::new(ErrorCode::Unsupported, "this run has pipes: it takes no input and has no size");
    failure.with_hint("start it with a PTY to type into it")
}

/// Checks how much a read is to return.
pub(super) fn check_limit(limit_bytes: usize) -> Result<(), Failure> {
    if (1..=Limits::MAX_READ_BYTES).contains(&limit_bytes) {
        return Ok(());
    }
    let message = format!("a read takes 1 to {} bytes a stream, not {limit_bytes}", Limits::MAX_READ_BYTES);
    Err(Failure::new(ErrorCode::Invalid, message))
}

/// The failure of a control of a run that is starting or ending, or has ended.
pub(super) fn control_closed(is_final: bool) -> Failure {
    if is_final {
        return Failure::new(ErrorCode::ControlClosed, "the run has ended");
    }
    let failure = Failure::new(ErrorCode::ControlClosed, "the run is starting or ending and takes no input");
    failure.with_hint("try again when it runs")
}
