//! Ending runs: stops, the shutdown of all, and what happens when a run is closed (S4.6, S4.11, S7.2).

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use super::core::{At, Core, Do};
use super::entry::Starter;
use super::serving::not_found;
use crate::api::{Answer, ShutdownReport, ShutdownRequest, StopId, StopOutcome, StopRequest};
use crate::model::run::Input;
use crate::model::stop::{Reason, StopKey};
use crate::model::{Applied, Cut, ErrorCode, Failure, Moment, Record, RunId, SessionName};

/// How much longer than the longest grace a shutdown may take (S7.2).
const SHUTDOWN_MARGIN: Duration = Duration::from_secs(5);

/// How many sessions may have as many final runs in their lists as one may. Few are looked at on one day, but each has the output of its runs
/// in memory.
const KEPT_SESSIONS: usize = 4;

/// A shutdown that is under way.
pub(super) struct Shutdown {
    waiting: Vec<Answer<ShutdownReport>>,
    /// How many runs were live when it began.
    live: usize,
    over: bool,
}

impl Core {
    /// Admits a stop.
    pub(super) fn stop(
        &mut self,
        at: At,
        run: RunId,
        stop: StopId,
        request: StopRequest,
        answer: Answer<StopOutcome>,
    ) -> Vec<Do> {
        let key = self.mint_stop();
        let Some(entry) = self.runs.get_mut(&run) else {
            answer.send(Err(not_found(run)));
            return Vec::new();
        };
        if entry.is_final() {
            answer.send(Ok(StopOutcome { applied: false, record: Arc::clone(&entry.record) }));
            return Vec::new();
        }
        // Of a restart and a later stop the stop stands.
        entry.drop_successor(&Failure::new(ErrorCode::Stale, "the run was stopped after it was asked to start again"));
        entry.stops.insert(key, (stop, answer));
        self.step(at, run, Input::End(Reason::Stop(key), request.kill))
    }

    /// Withdraws a stop, if that is still possible.
    pub(super) fn withdraw_stop(&mut self, at: At, run: RunId, stop: StopId, answer: Answer<bool>) -> Vec<Do> {
        let Some(entry) = self.runs.get_mut(&run) else {
            answer.send(Err(not_found(run)));
            return Vec::new();
        };
        let key = entry.stops.iter().find(|(_, (id, _))| *id == stop).map(|(key, _)| *key);
        let key = key.filter(|_| entry.machine.stop_is_preparing());
        let todo = key.map_or_else(Vec::new, |key| self.step(at, run, Input::Withdraw(key)));
        if let (Some(key), Some(entry)) = (key, self.runs.get_mut(&run))
            && let Some((_, stop)) = entry.stops.remove(&key)
        {
            stop.send(Err(Failure::new(ErrorCode::Stale, "the stop was withdrawn")));
        }
        answer.send(Ok(key.is_some()));
        todo
    }

    /// Ends everything. A second request joins the first, and may hurry it.
    pub(super) fn shut_down(&mut self, at: At, request: ShutdownRequest, answer: Answer<ShutdownReport>) -> Vec<Do> {
        let live: Vec<RunId> = self.runs.iter().filter(|(_, e)| !e.is_final()).map(|(run, _)| *run).collect();
        let mut todo = Vec::new();
        let bound = self.end_bound(at, &live);
        match &mut self.shutdown {
            Some(shutdown) => shutdown.waiting.push(answer),
            None => {
                self.shutdown = Some(Shutdown { waiting: vec![answer], live: live.len(), over: false });
                todo.push(Do::ArmShutdown(bound));
            }
        }
        for run in live {
            // Nothing follows a run that ends with everything.
            if let Some(entry) = self.runs.get_mut(&run) {
                entry.drop_successor(&Failure::new(ErrorCode::Closing, "everything is being ended"));
            }
            todo.extend(self.step(at, run, Input::End(Reason::Shutdown, request.hurry)));
        }
        self.check_shutdown();
        todo
    }

    /// Takes note that a shutdown has taken as long as it may: it says what is left.
    pub(super) fn shutdown_is_late(&mut self) {
        if let Some(shutdown) = &mut self.shutdown {
            shutdown.over = true;
        }
        self.check_shutdown();
    }

    /// Returns when the end of these runs is to be over at the latest (S7.2).
    pub(super) fn end_bound(&self, at: At, live: &[RunId]) -> Moment {
        let grace = live.iter().map(|run| self.runs[run].spec.stop.grace).max().unwrap_or_default();
        at.now.plus(grace + self.limits.output_drain + SHUTDOWN_MARGIN)
    }

    /// Answers a shutdown, and closes of sessions, whose runs have all ended, or whose time is over.
    pub(super) fn check_shutdown(&mut self) {
        self.check_closes();
        let Some(over) = self.shutdown.as_ref().map(|shutdown| shutdown.over) else { return };
        let open = self.open_runs(None);
        if open > 0 && !over {
            return;
        }
        let left = self.left(None);
        if let Some(shutdown) = &mut self.shutdown {
            let report = ShutdownReport { ended: shutdown.live.saturating_sub(open), left };
            shutdown.waiting.drain(..).for_each(|answer| answer.send(Ok(report.clone())));
        }
    }

    /// Takes note that the next program goes on with all runs: clients that leave now do so because this one ends.
    pub(super) fn leave_runs(&mut self, answer: Answer<()>) {
        self.leaves_runs = true;
        answer.send(Ok(()));
    }

    /// Takes note that who waited for a foreground run has left: it is cancelled.
    pub(super) fn starter_left(&mut self, at: At, run: RunId) -> Vec<Do> {
        if self.leaves_runs {
            return Vec::new();
        }
        let key = self.mint_stop();
        self.step(at, run, Input::End(Reason::Stop(key), false))
    }

    /// Tells all who wait for the end of a run, and lets its successor start.
    pub(super) fn closed(&mut self, at: At, run: RunId, stops: Vec<(StopKey, bool)>, todo: &mut Vec<Do>) {
        let Some(entry) = self.runs.get_mut(&run) else { return };
        entry.keyboard.end(at.now);
        let record = Arc::clone(&entry.record);
        let told = entry.final_failure.clone().map_or(Ok(Arc::clone(&record)), Err);
        for (key, applied) in stops {
            if let Some((_, answer)) = entry.stops.remove(&key) {
                answer.send(told.clone().map(|record| StopOutcome { applied, record }));
            }
        }
        for (outcome, answer) in entry.late_controls.drain(..) {
            answer.send(Ok(Cut { outcome, view: Applied::Final(Arc::clone(&record)) }));
        }
        if let Starter::Foreground(_, answer) = &mut entry.starter {
            answer.take().into_iter().for_each(|answer| answer.send(told.clone()));
        }
        // The live output of a foreground run ends with it.
        entry.starter = Starter::Background(Vec::new());
        let successor = entry.successor.take();
        if record.process.is_none() && !record.status.is_final() {
            // It could not be recorded, so there never was such a run.
            self.unlist(run);
        } else {
            self.publish(run);
            self.forget_oldest(&record.session, todo);
        }
        if let Some((request, answers)) = successor {
            todo.extend(self.begin(at, &record.session, request.spec, Starter::Background(answers)));
        }
        self.check_shutdown();
    }

    /// Forgets the oldest final runs beyond what is kept of a session, and of all.
    fn forget_oldest(&mut self, session: &SessionName, todo: &mut Vec<Do>) {
        let (all, own) = self.forgettable().fold((0, 0), |(all, own): (usize, usize), record| {
            (all + 1, own + usize::from(record.session == *session))
        });
        let kept = self.limits.kept_runs;
        let too_many = own.saturating_sub(kept);
        self.forget_first(too_many, Some(session), todo);
        self.forget_first((all - too_many).saturating_sub(kept.saturating_mul(KEPT_SESSIONS)), None, todo);
    }

    /// Does the same for all sessions, as nothing of them has been bounded yet.
    pub(super) fn forget_oldest_of_all(&mut self) -> Vec<Do> {
        let mut todo = Vec::new();
        let sessions: HashSet<SessionName> = self.earlier.records().map(|record| record.session.clone()).collect();
        sessions.iter().for_each(|session| self.forget_oldest(session, &mut todo));
        todo
    }

    /// Returns the final runs that are on the disk as they are, those of earlier programs first.
    fn forgettable(&self) -> impl Iterator<Item = &Arc<Record>> {
        let done = self.runs.values().filter(|entry| entry.is_final() && !entry.keeping.is_behind());
        self.earlier.records().chain(done.map(|entry| &entry.record))
    }

    fn forget_first(&mut self, count: usize, session: Option<&SessionName>, todo: &mut Vec<Do>) {
        if count == 0 {
            return;
        }
        let done = self.forgettable().filter(|record| session.is_none_or(|session| record.session == *session));
        let first: Vec<RunId> = done.map(|record| record.id).take(count).collect();
        for run in first {
            self.unlist(run);
            todo.push(Do::Unlist(run, None));
        }
    }
}
