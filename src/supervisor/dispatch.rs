//! Whose request it is, and where it goes. A run of another session does not exist for a caller: nothing below this file asks again.

use super::core::{At, Core, Do};
use super::request::{Caller, Request};
use crate::driver::Command;
use crate::model::{RunId, SessionName};

impl Core {
    /// Takes a request in.
    pub(super) fn serve(&mut self, at: At, caller: &Caller, request: Request) -> Vec<Do> {
        let session = &caller.session;
        if let Err(failure) = self.check_guard(session, &caller.guard, &request) {
            request.refuse(failure);
            return Vec::new();
        }
        if request.listed_run().is_some_and(|run| !self.is_listed(session, run)) {
            return self.unlisted(session, caller.guard.generation, request);
        }
        match request {
            Request::Start(request, answer) => return self.start(at, session, *request, answer),
            Request::StartForeground(run, spec, live, answer) => {
                return self.start_foreground(at, session, run, *spec, live, answer);
            }
            Request::RejoinForeground(run, left_rx, answer) => return self.rejoin_foreground(run, left_rx, answer),
            Request::Control(run, control, answer) => self.control(at, run, control, &caller.presence, answer),
            Request::TakeKeyboard(run, answer) => self.take_keyboard(at, run, &caller.presence, answer),
            Request::HandBackKeyboard(run, answer) => self.hand_back_keyboard(at, run, &caller.presence, answer),
            Request::Stop(run, stop, request, answer) => return self.stop(at, run, stop, request, answer),
            Request::WithdrawStop(run, stop, answer) => return self.withdraw_stop(at, run, stop, answer),
            Request::Restart(run, stop, answer) => return self.restart(at, run, stop, answer),
            Request::Signal(run, signal, target, answer) => self.signal(run, signal, target, answer),
            Request::SetDeadline(run, kind, deadline, answer) => {
                return self.set_deadline(at, run, kind, deadline, answer);
            }
            Request::MarkReady(run, answer) => return self.mark_ready(at, run, answer),
            Request::Rename(run, name, answer) => return self.rename(at, run, name, answer),
            Request::Read(run, limit_bytes, answer) => {
                return self.read(at, run, limit_bytes, &caller.presence, answer);
            }
            Request::ReadLog(run, request, answer) => return self.read_log(session, run, request, answer),
            Request::Reap(run, answer) => return vec![Do::Reap(session.clone(), run, answer)],
            Request::Inspect(run, answer) => self.inspect(run, answer),
            Request::Usage(answer) => return self.usage(session, answer),
            Request::Surroundings(run, answer) => return self.surroundings(run, answer),
            Request::History { run, first, count, answer } => {
                self.pass_on(run, Command::History { first, count, answer });
            }
            Request::Watch(run, view, answer) => self.pass_on(run, Command::Watch(view, answer)),
            Request::Forget(run, answer) => return self.forget(run, answer),
            Request::Resolve(wanted, answer) => return self.resolve(session, wanted, answer),
            Request::ListRecords(request, answer) => return self.list_records(session, request, answer),
            Request::Summary(answer) => return self.summary(session, answer),
            Request::Prune(answer) => return vec![Do::Prune(answer)],
            Request::Why(run, answer) => self.why(at, run, answer),
            Request::Search(request, found, answer) => return self.search(session, request, found, answer),
            Request::Export(run, format, from, chunks_tx, answer) => {
                return self.export(session, run, (format, from), chunks_tx, answer);
            }
            Request::SetFence(fence, answer) => return self.set_fence(session, fence, answer),
            Request::CloseSession(leased, answer) => {
                return self.close_session(at, session, &caller.presence, leased, answer);
            }
            Request::CommitClose(lease, answer) => return self.commit_close(session, lease, answer),
            Request::RollBackClose(lease, answer) => return self.roll_back_close(session, lease, answer),
            Request::ResumeSession(answer) => return self.resume_session(session, answer),
            Request::ListSessions(answer) => answer.send(Ok(self.list_sessions())),
            Request::Subscribe(feed) => self.subscribe(session, feed),
            Request::Shutdown(request, answer) => return self.shut_down(at, request, answer),
            Request::LeaveRuns(answer) => self.leave_runs(answer),
        }
        Vec::new()
    }

    /// Returns whether a session has a run in its list that an earlier program has started.
    pub(super) fn is_earlier(&self, session: &SessionName, run: RunId) -> bool {
        self.earlier.get(run).is_some_and(|record| record.session == *session)
    }

    /// Returns whether a session has a run in its list that this program knows.
    pub(super) fn is_listed(&self, session: &SessionName, run: RunId) -> bool {
        self.runs.get(&run).is_some_and(|entry| entry.record.session == *session)
    }
}

impl Request {
    /// Returns whether it changes something of its session.
    pub(super) fn is_change(&self) -> bool {
        match self {
            Request::Start(..)
            | Request::StartForeground(..)
            | Request::RejoinForeground(..)
            | Request::Control(..)
            | Request::TakeKeyboard(..)
            | Request::Stop(..)
            | Request::WithdrawStop(..)
            | Request::Restart(..)
            | Request::Signal(..)
            | Request::SetDeadline(..)
            | Request::MarkReady(..)
            | Request::Rename(..)
            | Request::Reap(..)
            | Request::Forget(..)
            | Request::SetFence(..)
            | Request::CloseSession(..)
            | Request::CommitClose(..)
            | Request::RollBackClose(..)
            | Request::ResumeSession(..) => true,
            // It gives up nothing but what the caller has itself.
            Request::HandBackKeyboard(..) => false,
            Request::Read(..)
            | Request::ReadLog(..)
            | Request::Inspect(..)
            | Request::Usage(..)
            | Request::Surroundings(..)
            | Request::History { .. }
            | Request::Watch(..)
            | Request::Resolve(..)
            | Request::ListRecords(..)
            | Request::Summary(..)
            | Request::Why(..)
            | Request::Search(..)
            | Request::Export(..)
            | Request::ListSessions(..)
            | Request::Subscribe(..) => false,
            // Of the server and no session's.
            Request::Prune(..) | Request::Shutdown(..) | Request::LeaveRuns(..) => false,
        }
    }

    /// Returns the run that has to be in the caller's list.
    pub(super) fn listed_run(&self) -> Option<RunId> {
        match self {
            Request::RejoinForeground(run, ..)
            | Request::Control(run, ..)
            | Request::TakeKeyboard(run, ..)
            | Request::HandBackKeyboard(run, ..)
            | Request::Stop(run, ..)
            | Request::WithdrawStop(run, ..)
            | Request::Restart(run, ..)
            | Request::Signal(run, ..)
            | Request::SetDeadline(run, ..)
            | Request::MarkReady(run, ..)
            | Request::Rename(run, ..)
            | Request::Read(run, ..)
            | Request::Inspect(run, ..)
            | Request::Surroundings(run, ..)
            | Request::History { run, .. }
            | Request::Watch(run, ..)
            | Request::Forget(run, ..)
            | Request::Why(run, ..) => Some(*run),
            // A run that is no longer listed is looked for on the disk.
            Request::ReadLog(..) | Request::Reap(..) | Request::Export(..) => None,
            Request::Start(..)
            | Request::StartForeground(..)
            | Request::Usage(..)
            | Request::Resolve(..)
            | Request::ListRecords(..)
            | Request::Summary(..)
            | Request::Prune(..)
            | Request::Search(..)
            | Request::SetFence(..)
            | Request::CloseSession(..)
            | Request::CommitClose(..)
            | Request::RollBackClose(..)
            | Request::ResumeSession(..)
            | Request::ListSessions(..)
            | Request::Subscribe(..)
            | Request::Shutdown(..)
            | Request::LeaveRuns(..) => None,
        }
    }
}
