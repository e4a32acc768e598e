//! Sessions as a whole: their gates, their fences, closing them (S7.1, S7.5).

use std::collections::BTreeMap;
use std::time::Duration;

use super::core::{At, Core, Do};
use super::keyboard::Presence;
use super::request::Request;
use crate::api::{Answer, SessionCounts, ShutdownReport, reply};
use crate::model::run::Input;
use crate::model::stop::Reason;
use crate::model::{
    ErrorCode, Failure, Fence, Guard, LeaseId, RunId, SessionGate, SessionName, SessionState, StillAlive, TypistId,
};

/// How long a close stays whose client is gone and that was neither committed nor rolled back: time for the client to come back by another
/// connection, or by another server.
const LEASE_GRACE: Duration = Duration::from_secs(60);

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

    /// Takes in how sessions were left by the program before this one. Closes that were under way have nobody any more who could end them but
    /// by their lease.
    pub(super) fn restore_sessions(&mut self, at: At, states: Vec<SessionState>) -> Vec<Do> {
        let mut todo = Vec::new();
        for state in states {
            todo.extend(state.leases.iter().map(|lease| Do::ArmLease(*lease, at.now.plus(LEASE_GRACE))));
            self.next_lease = state.leases.last().map_or(self.next_lease, |last| self.next_lease.max(last.0));
            let gate = SessionGate::restored(&state);
            self.sessions.insert(state.session, Session { gate, fence: state.fence });
        }
        todo
    }

    /// Has what is known of a session kept; tells `told` once it is.
    fn keep_session(&self, session: &SessionName, told: impl FnOnce(Result<(), Failure>) + Send + 'static) -> Vec<Do> {
        let Some(Session { gate, fence }) = self.sessions.get(session) else { return Vec::new() };
        let leases = gate.leases().into_iter().collect();
        let state =
            SessionState { session: session.clone(), is_closed: gate.is_closed(), leases, fence: fence.clone() };
        let told = |stored: Result<(), Failure>| told(stored.map_err(only_for_now));
        vec![Do::StoreSession(state, Box::new(told))]
    }

    /// Opens a session after a committed close.
    pub(super) fn resume_session(&mut self, session: &SessionName, answer: Answer<bool>) -> Vec<Do> {
        if !self.sessions.get_mut(session).is_some_and(|session| session.gate.resume()) {
            answer.send(Ok(false));
            return Vec::new();
        }
        self.keep_session(session, |stored| answer.send(stored.map(|()| true)))
    }

    /// Returns why a session takes no new run.
    pub(super) fn closed_session(&self, name: &SessionName) -> Option<Failure> {
        let gate = &self.sessions.get(name)?.gate;
        if gate.is_open() {
            return None;
        }
        let failure = if gate.is_closed() {
            Failure::new(ErrorCode::Closing, format!("session {name} is closed"))
                .with_hint("resume it first (`shtask session resume`)")
        } else {
            Failure::new(ErrorCode::Closing, format!("session {name} is being closed: nothing starts in it"))
                .with_hint("wait until it is closed, then resume it (`shtask session resume`)")
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
        let listed = |run| self.runs.get(&run).map(|entry| &entry.record).or_else(|| self.earlier.get(run));
        let own = request.listed_run().and_then(listed).filter(|record| record.session == *session);
        let (Some(expected), Some(record)) = (guard.generation, own) else { return Ok(()) };
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
    pub(super) fn set_fence(&mut self, session: &SessionName, fence: Option<Fence>, answer: Answer<()>) -> Vec<Do> {
        self.session(session).fence = fence;
        self.keep_session(session, |stored| answer.send(stored))
    }

    /// Begins to close a session: nothing starts in it any more, and its runs are ended.
    pub(super) fn close_session(
        &mut self,
        at: At,
        session: &SessionName,
        by: &Presence,
        leased: Answer<LeaseId>,
        answer: Answer<ShutdownReport>,
    ) -> Vec<Do> {
        // One that no server before has given, unless the clock was set back that far: nobody ends the close of somebody else.
        let present = u64::try_from(at.wall.as_microsecond()).unwrap_or_default();
        self.next_lease = (self.next_lease + 1).max(present);
        let lease = LeaseId(self.next_lease);
        self.session(session).gate.begin(lease);
        self.lease_owners.insert(lease, by.holds());
        let mut todo = self.keep_session(session, move |stored| leased.send(stored.map(|()| lease)));
        let own = self.runs.iter().filter(|(_, entry)| entry.record.session == *session && !entry.is_final());
        let live: Vec<RunId> = own.map(|(run, _)| *run).collect();
        let bound = self.end_bound(at, &live);
        self.closes.insert(lease, PendingClose { session: session.clone(), live: live.len(), over: false, answer });
        todo.push(Do::ArmClose(lease, bound));
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
    pub(super) fn commit_close(&mut self, session: &SessionName, lease: LeaseId, answer: Answer<()>) -> Vec<Do> {
        // Of a close that a server before has begun it is not known otherwise whether its runs have ended.
        let is_pending = self.closes.get(&lease).is_some_and(|close| close.session == *session)
            || !self.lease_owners.contains_key(&lease) && self.open_runs(Some(session)) > 0;
        let has_lease = self.sessions.get(session).is_some_and(|session| session.gate.leases().contains(&lease));
        if has_lease && is_pending {
            let failure = Failure::new(ErrorCode::Busy, "not all runs of the session have ended yet");
            answer.send(Err(failure.with_hint("wait for the end of the close")));
            return Vec::new();
        }
        if !self.sessions.get_mut(session).is_some_and(|session| session.gate.commit(lease)) {
            answer.send(Err(no_lease()));
            return Vec::new();
        }
        self.lease_owners.remove(&lease);
        self.keep_session(session, |stored| answer.send(stored))
    }

    /// Takes a close back. What it has ended stays ended.
    pub(super) fn roll_back_close(&mut self, session: &SessionName, lease: LeaseId, answer: Answer<()>) -> Vec<Do> {
        if !self.sessions.get_mut(session).is_some_and(|session| session.gate.roll_back(lease)) {
            answer.send(Err(no_lease()));
            return Vec::new();
        }
        self.lease_owners.remove(&lease);
        if let Some(close) = self.closes.remove(&lease) {
            close.answer.send(Err(Failure::new(ErrorCode::Stale, "the close was rolled back")));
        }
        self.keep_session(session, |stored| answer.send(stored))
    }

    /// Takes note that a client is gone: its closes are taken back after a while, unless somebody ends them by their leases.
    pub(super) fn closer_left(&self, at: At, who: TypistId) -> Vec<Do> {
        let own = self.lease_owners.iter().filter(|(_, owner)| **owner == who);
        own.map(|(lease, _)| Do::ArmLease(*lease, at.now.plus(LEASE_GRACE))).collect()
    }

    /// Takes a close back whose client did not come back.
    pub(super) fn lease_is_over(&mut self, lease: LeaseId) -> Vec<Do> {
        let has = |session: &Session| session.gate.leases().contains(&lease);
        let of = self.sessions.iter().find(|(_, session)| has(session)).map(|(name, _)| name.clone());
        let Some(session) = of else { return Vec::new() };
        tracing::info!(%session, "a close is taken back: whoever began it is gone");
        let (answer, _) = reply();
        self.roll_back_close(&session, lease, answer)
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
        for record in self.earlier.records() {
            found.entry(&record.session).or_insert_with(|| empty(&record.session)).runs += 1;
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

/// The failure of a change that the disk does not have.
pub(super) fn only_for_now(failure: Failure) -> Failure {
    let message = format!("this holds until the server ends, and no longer: {}", failure.message);
    Failure { message, ..failure }.with_hint("see to the state directory, and ask again")
}

fn no_lease() -> Failure {
    Failure::new(ErrorCode::Stale, "there is no such close: it was committed or rolled back")
}

#[cfg(test)]
#[path = "sessions_tests.rs"]
mod tests;
