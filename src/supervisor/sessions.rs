//! Sessions as a whole: their gates, their fences, closing them (S7.1, S7.5).

use std::collections::BTreeMap;

use super::core::{At, Core, Do};
use super::request::Request;
use crate::api::{Answer, SessionCounts, ShutdownReport};
use crate::model::run::Input;
use crate::model::stop::Reason;
use crate::model::{ErrorCode, Failure, Fence, Guard, LeaseId, RunId, SessionGate, SessionName, StillAlive};

/// What is known of a session beside its runs.
#[derive(Default)]
pub(super) struct Session {
    pub(super) gate: SessionGate,
    fence: Option<Fence>,
}

/// A close whose runs have not all ended.
pub(super) struct PendingClose {
    session: SessionName,
    live: usize,
    over: bool,
    answer: Answer<ShutdownReport>,
}

impl Core {
    /// Returns what is known of a session, to be changed.
    fn session(&mut self, name: &SessionName) -> &mut Session {
        self.sessions.entry(name.clone()).or_default()
    }

    /// Returns the epoch of a session, for a start that is admitted now.
    pub(super) fn epoch(&self, session: &SessionName) -> u64 {
        self.sessions.get(session).map_or(0, |session| session.gate.epoch())
    }

    /// Returns whether a start that was admitted in this epoch may go on.
    pub(super) fn is_epoch_valid(&self, session: &SessionName, epoch: u64) -> bool {
        self.sessions.get(session).is_none_or(|session| session.gate.is_valid(epoch))
    }

    /// Opens a session after a committed close.
    pub(super) fn resume_session(&mut self, session: &SessionName, answer: Answer<bool>) {
        answer.send(Ok(self.sessions.get_mut(session).is_some_and(|session| session.gate.resume())));
    }

    /// Returns why a session takes no new run.
    pub(super) fn closed_session(&self, name: &SessionName) -> Option<Failure> {
        let gate = &self.sessions.get(name)?.gate;
        if gate.is_open() {
            return None;
        }
        let failure = if gate.is_closed() {
            Failure::new(ErrorCode::Closing, format!("session {name} is closed")).with_hint("resume it first")
        } else {
            Failure::new(ErrorCode::Closing, format!("session {name} is being closed: nothing starts in it"))
        };
        Some(failure)
    }

    /// Checks that a change may be made under a guard (S7.5). The error does not tell the right token.
    pub(super) fn check_guard(&self, session: &SessionName, guard: &Guard, request: &Request) -> Result<(), Failure> {
        if !request.is_change() {
            return Ok(());
        }
        let fence = self.sessions.get(session).and_then(|session| session.fence.as_ref());
        if fence.is_some_and(|fence| guard.fence.as_ref() != Some(fence)) {
            let message = match guard.fence {
                Some(_) => "the fence token is not that of this session: somebody else owns it by now",
                None => "this session has a fence: a change has to carry its token",
            };
            return Err(Failure::new(ErrorCode::Stale, message));
        }
        let entry = request.listed_run().and_then(|run| self.runs.get(&run));
        let (Some(expected), Some(entry)) = (guard.generation, entry) else { return Ok(()) };
        let record = &entry.record;
        let newest = record
            .name
            .as_ref()
            .map_or(record.generation, |name| self.generations.newest(session, name).max(record.generation));
        if record.generation == expected && newest == expected {
            return Ok(());
        }
        Err(stale_generation(expected, newest.max(record.generation)))
    }

    /// Sets or removes the fence of a session.
    pub(super) fn set_fence(&mut self, session: &SessionName, fence: Option<Fence>, answer: Answer<()>) {
        self.session(session).fence = fence;
        answer.send(Ok(()));
    }

    /// Begins to close a session: nothing starts in it any more, and its runs are ended.
    pub(super) fn close_session(
        &mut self,
        at: At,
        session: &SessionName,
        leased: Answer<LeaseId>,
        answer: Answer<ShutdownReport>,
    ) -> Vec<Do> {
        self.next_lease += 1;
        let lease = LeaseId(self.next_lease);
        self.session(session).gate.begin(lease);
        leased.send(Ok(lease));
        let own = self.runs.iter().filter(|(_, entry)| entry.record.session == *session && !entry.is_final());
        let live: Vec<RunId> = own.map(|(run, _)| *run).collect();
        let bound = self.end_bound(at, &live);
        self.closes.insert(lease, PendingClose { session: session.clone(), live: live.len(), over: false, answer });
        let mut todo = vec![Do::ArmClose(lease, bound)];
        let closing = self.closed_session(session).expect("the gate of this session was closed above");
        for run in live {
            let key = self.mint_stop();
            if let Some(entry) = self.runs.get_mut(&run) {
                entry.drop_successor(&closing);
            }
            todo.extend(self.step(at, run, Input::End(Reason::Stop(key), false)));
        }
        self.check_closes();
        todo
    }

    /// Makes a close last.
    pub(super) fn commit_close(&mut self, session: &SessionName, lease: LeaseId, answer: Answer<()>) {
        if self.closes.get(&lease).is_some_and(|close| close.session == *session) {
            let failure = Failure::new(ErrorCode::Busy, "not all runs of the session have ended yet");
            return answer.send(Err(failure.with_hint("wait for the end of the close")));
        }
        let is_held = self.sessions.get_mut(session).is_some_and(|session| session.gate.commit(lease));
        answer.send(if is_held { Ok(()) } else { Err(no_lease()) });
    }

    /// Takes a close back. What it has ended stays ended.
    pub(super) fn roll_back_close(&mut self, session: &SessionName, lease: LeaseId, answer: Answer<()>) {
        if !self.sessions.get_mut(session).is_some_and(|session| session.gate.roll_back(lease)) {
            return answer.send(Err(no_lease()));
        }
        if let Some(close) = self.closes.remove(&lease) {
            close.answer.send(Err(Failure::new(ErrorCode::Stale, "the close was rolled back")));
        }
        answer.send(Ok(()));
    }

    /// Takes note that a close has taken as long as it may.
    pub(super) fn close_is_late(&mut self, lease: LeaseId) {
        if let Some(close) = self.closes.get_mut(&lease) {
            close.over = true;
        }
        self.check_closes();
    }

    /// Answers the closes whose runs have all ended.
    pub(super) fn check_closes(&mut self) {
        let due: Vec<LeaseId> = self.closes.keys().copied().collect();
        for lease in due {
            let close = &self.closes[&lease];
            let open = self.open_runs(Some(&close.session));
            if open > 0 && !close.over {
                continue;
            }
            let left = self.left(Some(&close.session));
            if let Some(close) = self.closes.remove(&lease) {
                close.answer.send(Ok(ShutdownReport { ended: close.live.saturating_sub(open), left }));
            }
        }
    }

    /// Returns how many runs of a session, or of all, have not ended, starts that are pending among them.
    pub(super) fn open_runs(&self, session: Option<&SessionName>) -> usize {
        let is_of = |of: &SessionName| session.is_none_or(|session| session == of);
        let live = self.runs.values().filter(|entry| !entry.is_final() && is_of(&entry.record.session)).count();
        live + self.resolving.values().filter(|resolving| is_of(resolving.session())).count()
    }

    /// Returns what of a session's runs, or of all, would not die.
    pub(super) fn left(&self, session: Option<&SessionName>) -> Vec<(RunId, StillAlive)> {
        let mut left = Vec::new();
        for (run, entry) in &self.runs {
            if session.is_some_and(|session| entry.record.session != *session) {
                continue;
            }
            let ended = entry.record.ended.iter().flat_map(|ended| ended.left.clone());
            left.extend(ended.map(|still| (*run, still)));
            if !entry.is_final() {
                let pid = entry.record.process.as_ref().map_or(0, |process| process.pid);
                left.push((*run, StillAlive { pid, why: "its end was not confirmed in time".to_owned() }));
            }
        }
        left
    }

    /// Lists the sessions.
    pub(super) fn list_sessions(&self) -> Vec<SessionCounts> {
        let mut found: BTreeMap<&SessionName, SessionCounts> = BTreeMap::new();
        let empty = |session: &SessionName| {
            let gate = self.sessions.get(session).map(|session| &session.gate);
            SessionCounts {
                session: session.clone(),
                live_runs: 0,
                runs: 0,
                is_closed: gate.is_some_and(SessionGate::is_closed),
                leases: gate.map(SessionGate::leases).unwrap_or_default(),
            }
        };
        for session in self.sessions.keys() {
            found.entry(session).or_insert_with(|| empty(session));
        }
        for entry in self.runs.values() {
            let session = &entry.record.session;
            let counts = found.entry(session).or_insert_with(|| empty(session));
            counts.runs += 1;
            counts.live_runs += usize::from(!entry.is_final());
        }
        for resolving in self.resolving.values() {
            let session = resolving.session();
            found.entry(session).or_insert_with(|| empty(session)).live_runs += 1;
        }
        found.into_values().collect()
    }
}

/// The failure of a change to a run of another generation than the caller thinks.
pub(super) fn stale_generation(expected: u64, newest: u64) -> Failure {
    Failure::new(ErrorCode::Stale, format!("generation {expected} is not the present one: that is {newest}"))
        .with_hint("look at the run again")
}

fn no_lease() -> Failure {
    Failure::new(ErrorCode::Stale, "there is no such close: it was committed or rolled back")
}
