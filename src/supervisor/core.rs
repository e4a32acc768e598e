//! The pure part: takes one thing in, decides, and says what is to be done. It never waits.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::sync::Arc;

use indexmap::IndexMap;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::oneshot;

use super::adopting::Word;
use super::earlier::Earlier;
use super::entry::{Entry, Starter};
use super::kept::Kept;
use super::records;
use super::sessions::{PendingClose, Session};
use super::starting::Resolving;
use crate::api::{Answer, FeedSender, LogReading, LogRequest, Pruned, Reaped, RunView, Update};
use crate::driver::{Command, Orders, Report};
use crate::launch::RunIdentity;
use crate::model::run::{Effect, Input, RunTimer};
use crate::model::stop::StopKey;
use crate::model::{
    Failure, LeaseId, Limits, Moment, Record, RunId, RunSpec, SessionName, SessionState, Slots, TypistId,
};
use crate::store::log::LogProgress;
use crate::store::{Generations, Redaction};
use crate::sys::hooks;

/// The present, as it is passed in.
#[derive(Debug, Clone, Copy)]
pub(super) struct At {
    /// On the boot clock, for deadlines.
    pub(super) now: Moment,
    /// On the wall clock, for records.
    pub(super) wall: Timestamp,
}

/// What a record is stored for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Write {
    Starting,
    Running,
    /// The newest output of a live run.
    Flush,
    /// The run has another name.
    Renamed,
    Final,
    Observed,
    /// An attempt after one that failed.
    Again,
}

/// An answer that is worked out beside the loop, on a thread that may wait for the disk.
pub(super) type Work = Box<dyn FnOnce(&Kept) -> After + Send>;

/// What remains to be done after such an answer.
pub(super) enum After {
    Nothing,
    /// This final record of a run that this program has not started, or that is no longer listed, has been read.
    Observed(Box<Record>),
    /// This run of the session is not on record.
    Gone(SessionName, RunId),
}

/// What the core asks the actor to do.
pub(super) enum Do {
    /// Look for program, folder and environment of a run.
    Resolve(RunIdentity, Box<RunSpec>),
    /// Store a record of this revision.
    Store(Arc<Record>, u64),
    /// Store a record again then.
    ArmStore(RunId, Moment),
    /// Tell the store that a run is no longer listed, and who asked for it when that is durable.
    Unlist(RunId, Option<Answer<()>>),
    /// Answer looks at what an earlier run has shown.
    LookBack(Arc<Record>, Orders),
    /// Read the log of a session's run, live when there is progress to follow.
    ReadLog(SessionName, RunId, LogRequest, Option<LogProgress>, Answer<LogReading>),
    /// Have retention applied.
    Prune(Answer<Pruned>),
    /// Answer somebody beside the loop, from the disk.
    Beside(Work),
    /// End what orphaned runs of a session have left.
    Reap(SessionName, Option<RunId>, Answer<Vec<Reaped>>),
    /// Start the driver of a run, and with it the process.
    Drive(RunId),
    /// Watch for the leaving of who waits for a foreground run.
    WatchStarter(RunId, oneshot::Receiver<()>),
    /// Cancel a foreground run then, unless somebody waits for it again.
    ArmStarter(RunId, Moment),
    /// Somebody does.
    DisarmStarter(RunId),
    /// Arm a timer; one of the same kind is replaced.
    Arm(RunId, RunTimer, u64, Moment),
    /// Disarm a timer.
    Disarm(RunId, RunTimer),
    /// Report on the shutdown at the latest then.
    ArmShutdown(Moment),
    /// Report on this close at the latest then.
    ArmClose(LeaseId, Moment),
    /// Take this close back then, whose client is gone.
    ArmLease(LeaseId, Moment),
    /// Keep what of a session outlives the program, and tell what came of it.
    StoreSession(SessionState, Box<dyn FnOnce(Result<(), Failure>) + Send>),
}

impl Do {
    /// Has somebody answered beside the loop.
    pub(super) fn beside(work: impl FnOnce(&Kept) + Send + 'static) -> Do {
        Do::Beside(Box::new(move |kept| {
            work(kept);
            After::Nothing
        }))
    }
}

/// All runs of all sessions.
pub(super) struct Core {
    pub(super) limits: Limits,
    pub(super) slots: Slots,
    pub(super) runs: IndexMap<RunId, Entry>,
    /// Ended runs of earlier programs.
    pub(super) earlier: Earlier,
    /// Runs that have a slot but no record yet.
    pub(super) resolving: HashMap<RunId, Resolving>,
    /// The newest generation of each name of each session.
    pub(super) generations: Generations,
    pub(super) mint: Box<dyn FnMut() -> RunId + Send>,
    pub(super) next_stop: u64,
    /// The sessions that have a fence or were closed once, by name.
    pub(super) sessions: HashMap<SessionName, Session>,
    pub(super) next_lease: u64,
    pub(super) closes: BTreeMap<LeaseId, PendingClose>,
    /// Whose each lease is.
    pub(super) lease_owners: HashMap<LeaseId, TypistId>,
    pub(super) shutdown: Option<super::ending::Shutdown>,
    /// Whether all runs are left to the next program: who leaves then has not given up a run.
    pub(super) leaves_runs: bool,
    /// Whether a run ends that cannot be kept.
    pub(super) strict: bool,
    pub(super) redaction: Redaction,
    /// The environment that the newest run was started from.
    pub(super) newest_env: Arc<Vec<(OsString, OsString)>>,
    feeds: Vec<(SessionName, FeedSender)>,
}

impl Core {
    /// Makes a core without runs. `mint` makes a new run id.
    pub(super) fn new(limits: Limits, mint: Box<dyn FnMut() -> RunId + Send>) -> Core {
        Core {
            slots: Slots::new(&limits),
            limits,
            runs: IndexMap::new(),
            earlier: Earlier::default(),
            resolving: HashMap::new(),
            generations: Generations::new(),
            mint,
            next_stop: 0,
            sessions: HashMap::new(),
            next_lease: 0,
            closes: BTreeMap::new(),
            lease_owners: HashMap::new(),
            shutdown: None,
            leaves_runs: false,
            strict: false,
            redaction: Redaction::none(),
            newest_env: Arc::default(),
            feeds: Vec::new(),
        }
    }

    /// Takes a timer in that went off.
    pub(super) fn timer_fired(&mut self, at: At, run: RunId, timer: RunTimer, epoch: u64) -> Vec<Do> {
        self.step(at, run, Input::TimerFired(timer, epoch))
    }

    /// Takes a driver's report in.
    pub(super) fn reported(&mut self, at: At, run: RunId, report: Report) -> Vec<Do> {
        let Some(entry) = self.runs.get_mut(&run) else {
            // It was forgotten while this was on its way; who waits is told all the same.
            if let Report::TooLate(_, answer) = report {
                answer.send(Err(super::serving::not_found(run)));
            }
            return Vec::new();
        };
        let input = match report {
            Report::Spawned(process) => {
                hooks::pass("start.spawned");
                let started = *entry.started.get_or_insert(at.now);
                // Of a run that was taken up it may be on record already, with the time of its start; or that lies back a while.
                if entry.record.process.as_ref() != Some(&process) {
                    let ago = SignedDuration::try_from(at.now.since(started)).unwrap_or_default();
                    let wall = at.wall.checked_sub(ago).unwrap_or(at.wall);
                    entry.record = records::with_process(&entry.record, process, wall);
                }
                entry.note(&Word::Started(started));
                let unfinished = entry.adoption.as_mut().and_then(|adoption| adoption.unfinished.take());
                let mut todo = self.step(at, run, Input::Spawned);
                todo.extend(unfinished.into_iter().flat_map(|input| self.step(at, run, input)));
                return todo;
            }
            Report::SpawnFailed(failure, code) => Input::SpawnFailed(failure, code),
            Report::StopCut(epoch) => Input::StopCut(epoch),
            Report::Signalled => {
                hooks::pass("stop.signalled");
                Input::Signalled
            }
            Report::Exited(exit) => {
                hooks::pass("final.exited");
                Input::Exited(exit)
            }
            Report::TreeEmpty => Input::TreeEmpty,
            Report::OutputEnded => Input::OutputEnded,
            Report::TreeEnded(ended) => {
                hooks::pass("stop.ended");
                Input::TreeEnded(ended)
            }
            Report::LastOutput(epoch, moment) => Input::LastOutput(epoch, moment),
            Report::Broke(failure) => Input::Broke(failure),
            Report::HolderLost(failure) => Input::HolderLost(failure),
            Report::TooLate(outcome, answer) => {
                if entry.is_final() {
                    let view = crate::model::Applied::Final(Arc::clone(&entry.record));
                    answer.send(Ok(crate::model::Cut { outcome, view }));
                } else {
                    entry.late_controls.push((outcome, answer));
                }
                return Vec::new();
            }
            Report::Active(activity, said) => {
                entry.activity = activity;
                entry.hear(said, &self.redaction);
                self.publish(run);
                return Vec::new();
            }
            Report::Attention(attention) => {
                entry.attention = attention;
                self.publish(run);
                return Vec::new();
            }
            Report::Resized(size) => {
                entry.record = records::with_size(&entry.record, size);
                self.publish(run);
                return Vec::new();
            }
            Report::Snapshot { output, log } => {
                hooks::pass("flush.snapshot");
                return self.flush(at, run, *output, log);
            }
            Report::LogFailed(failure) => return self.log_failed(at, run, failure),
            Report::Finished { output, payload_undelivered, activity, said, log } => {
                entry.hear(said, &self.redaction);
                hooks::pass("final.finished");
                entry.output = Some(*output);
                if log.is_some() {
                    Arc::make_mut(&mut entry.record).log = log;
                }
                entry.activity = activity;
                Input::Finished { payload_undelivered }
            }
        };
        self.step(at, run, input)
    }

    /// Takes note that a driver failed: its holder ends the run, by itself or for the actor, and nothing more is known of it.
    pub(super) fn driver_failed(&mut self, at: At, run: RunId, failure: Failure) -> Vec<Do> {
        let Some(entry) = self.runs.get_mut(&run) else { return Vec::new() };
        entry.port = None;
        let mut todo = self.step(at, run, Input::HolderLost(failure));
        // It may have failed while it took the last snapshot.
        todo.extend(self.step(at, run, Input::Finished { payload_undelivered: false }));
        todo
    }

    /// Steps the machine of a run and turns its effects into what is to be done.
    pub(super) fn step(&mut self, at: At, run: RunId, input: Input) -> Vec<Do> {
        let mut todo = Vec::new();
        let mut next = Some(input);
        while let Some(input) = next.take() {
            let Some(entry) = self.runs.get_mut(&run) else { break };
            let effects = entry.machine.step(at.now, input);
            entry.note_deadlines(&effects);
            for effect in effects {
                next = self.perform(at, run, effect, &mut todo).or(next);
            }
        }
        todo
    }

    /// Does what an effect asks for, and returns what that has come to at once.
    fn perform(&mut self, at: At, run: RunId, effect: Effect, todo: &mut Vec<Do>) -> Option<Input> {
        let entry = self.runs.get_mut(&run)?;
        let order = |entry: &Entry, command| entry.port.as_ref().is_some_and(|port| port.order(command));
        match effect {
            Effect::Spawn => {
                hooks::pass("start.drive");
                todo.push(Do::Drive(run));
            }
            Effect::StoreRunning => {
                hooks::pass("start.running");
                entry.record = records::running(&entry.record, at.wall);
                self.store(at, run, Write::Running, todo);
            }
            Effect::Started(result) => self.tell_starter(run, result),
            Effect::AbortSpawn => {
                entry.note(&Core::ending_word(entry, true));
                order(entry, Command::AbortSpawn);
            }
            Effect::TakeStopCut(epoch) => drop(order(entry, Command::StopCut(epoch))),
            Effect::EndTree { kill } => {
                hooks::pass("stop.end");
                // Before the holder hears of it: a server that takes the run up knows why it ends.
                entry.note(&Core::ending_word(entry, kill));
                order(entry, Command::EndTree { kill });
            }
            Effect::Hurry => drop(order(entry, Command::Hurry)),
            Effect::AskLastOutput(epoch) => drop(order(entry, Command::AskLastOutput(epoch))),
            Effect::Arm(timer, epoch, moment) => todo.push(Do::Arm(run, timer, epoch, moment)),
            Effect::Disarm(timer) => todo.push(Do::Disarm(run, timer)),
            Effect::Finish => {
                hooks::pass("final.finish");
                // A driver that failed takes no last snapshot.
                if !order(entry, Command::Finish) {
                    return Some(Input::Finished { payload_undelivered: false });
                }
            }
            Effect::StoreFinal(outcome) => {
                hooks::pass("final.store");
                entry.ended = Some(at.now);
                entry.record = records::ended(&entry.record, *outcome, entry.output.take(), at.wall);
                self.redaction.record(Arc::make_mut(&mut entry.record));
                self.store(at, run, Write::Final, todo);
            }
            Effect::ReleaseSlot => {
                if let Some(slot) = entry.slot.take() {
                    self.slots.release(slot);
                }
            }
            Effect::Close(stops) => self.closed(at, run, stops, todo),
            Effect::Changed => self.publish(run),
        }
        None
    }

    fn tell_starter(&mut self, run: RunId, mut result: Result<(), Failure>) {
        if let Err(failure) = &mut result {
            self.redaction.failure(failure);
        }
        let Some(entry) = self.runs.get_mut(&run) else { return };
        let record = Arc::clone(&entry.record);
        match (&mut entry.starter, result) {
            (Starter::Background(answers), result) => {
                for answer in answers.drain(..) {
                    answer.send(result.clone().map(|()| Arc::clone(&record)));
                }
            }
            (Starter::Foreground(_, answer), Err(failure)) => {
                answer.take().into_iter().for_each(|answer| answer.send(Err(failure.clone())));
            }
            // It waits for the end.
            (Starter::Foreground(..), Ok(())) => {}
        }
    }

    /// Returns a new key for a stop.
    pub(super) fn mint_stop(&mut self) -> StopKey {
        self.next_stop += 1;
        StopKey(self.next_stop)
    }

    /// Sends the table of a session to a new subscriber, and every change from now on.
    pub(super) fn subscribe(&mut self, session: &SessionName, feed: FeedSender) {
        if feed.resync(self.table(session)) {
            self.feeds.push((session.clone(), feed));
        }
    }

    /// Sends the present state of a run to the subscribers of its session.
    pub(super) fn publish(&mut self, run: RunId) {
        if let Some(entry) = self.runs.get(&run) {
            let view = Arc::new(entry.view());
            self.send(&view.record.session, &Update::Run(Arc::clone(&view)));
        }
    }

    /// Sends an update to the subscribers of a session, and forgets those that are gone.
    pub(super) fn send(&mut self, session: &SessionName, update: &Update) {
        let mut feeds = std::mem::take(&mut self.feeds);
        feeds.retain(|(of, feed)| of != session || feed.send(update.clone(), || self.table(session)));
        self.feeds = feeds;
    }

    /// Takes a run out of the list of its session.
    pub(super) fn unlist(&mut self, run: RunId) {
        let record = self.runs.shift_remove(&run).map(|entry| entry.record).or_else(|| self.earlier.remove(run));
        if let Some(record) = record {
            self.send(&record.session, &Update::Removed(run));
        }
    }

    fn table(&self, session: &SessionName) -> Vec<Arc<RunView>> {
        let own = self.runs.values().filter(|entry| entry.record.session == *session);
        let own = own.map(|entry| Arc::new(entry.view()));
        let mut table: Vec<Arc<RunView>> = self.earlier.table(session).chain(own).collect();
        // A run that was taken up may have been started before one that had ended. Of one that could not start its end does not change any more.
        let place = |record: &Record| record.started_at.or(record.completed_at).unwrap_or(record.updated_at);
        table.sort_by_key(|view| place(&view.record));
        table
    }
}

#[cfg(test)]
#[path = "core_tests.rs"]
mod tests;
