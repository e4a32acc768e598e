//! The run machine: the life of one run from its record to its end (S2.1, S3.1, S4.5–S4.11).
//!
//! Pure: `step(now, input) → effects`. It never reads a clock; every timer carries an epoch and a stale one is ignored.

use std::time::Duration;

use super::stop::{Admitted, Reason, Stops};
use super::{Effects, EndedTree, ErrorCode, Failure, Moment, Status, TimeoutKind, Timeouts};

mod events;
mod timers;

pub use events::{Effect, Exit, Input, Outcome, RunTimer, RunTraits};

/// How long output is still taken in once the tree has been ended.
const DRAIN_AFTER_END: Duration = Duration::from_millis(300);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Phase {
    Recording,
    Spawning,
    Confirming,
    Live,
    /// The end was commanded or the root has exited.
    Ending,
    Finishing,
    Storing,
    Closed,
}

/// A timeout that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Armed {
    epoch: u64,
    at: Moment,
}

/// The machine of one run.
#[derive(Debug, Clone)]
pub struct Run {
    traits: RunTraits,
    phase: Phase,
    stops: Stops,
    kill: bool,
    exit: Option<Exit>,
    tree_is_gone: bool,
    tree_asked: bool,
    grace_until: Option<Moment>,
    output_ended: bool,
    drain_over: bool,
    undrained: bool,
    ended: Option<EndedTree>,
    failure: Option<Failure>,
    spawn_code: Option<i32>,
    orphaned: bool,
    started: bool,
    spawn_aborted: bool,
    wall: Option<Armed>,
    idle: Option<Armed>,
    ready: Option<Armed>,
    drain: Option<Armed>,
    next_epoch: u64,
}

impl Run {
    /// Makes the machine of a run whose slot is taken and whose record is being stored as `starting`.
    pub fn new(traits: RunTraits) -> Run {
        Run {
            traits,
            phase: Phase::Recording,
            stops: Stops::default(),
            kill: false,
            exit: None,
            tree_is_gone: false,
            tree_asked: false,
            grace_until: None,
            output_ended: false,
            drain_over: false,
            undrained: false,
            ended: None,
            failure: None,
            spawn_code: None,
            orphaned: false,
            started: false,
            spawn_aborted: false,
            wall: None,
            idle: None,
            ready: None,
            drain: None,
            next_epoch: 0,
        }
    }

    /// Takes one input in and returns what is to be done, in order.
    pub fn step(&mut self, now: Moment, input: Input) -> Vec<Effect> {
        let mut effects = Vec::new();
        match input {
            Input::Recorded(result) => self.recorded(result, &mut effects),
            Input::Spawned => self.spawned(now, &mut effects),
            Input::SpawnFailed(failure, code) => self.spawn_failed(failure, code, &mut effects),
            Input::Confirmed(result) => self.confirmed(result, &mut effects),
            Input::End(reason, kill) => self.end(reason, kill, &mut effects),
            Input::Withdraw(key) => {
                if self.stops.withdraw(key) {
                    effects.push(Effect::Changed);
                }
            }
            Input::StopCut(epoch) => self.stop_cut(now, epoch, &mut effects),
            Input::Signalled => self.stops.latch(),
            Input::Exited(exit) => self.exited(now, exit, &mut effects),
            Input::TreeEmpty => self.tree_gone(&mut effects),
            Input::OutputEnded => {
                self.output_ended = true;
                self.settle(&mut effects);
            }
            Input::TreeEnded(ended) => self.tree_ended(now, ended, &mut effects),
            Input::TimerFired(timer, epoch) => self.timer_fired(timer, epoch, &mut effects),
            Input::LastOutput(epoch, at) => self.last_output(now, epoch, at, &mut effects),
            Input::Ready => {
                // It may be ready before its timers are armed.
                self.traits.timeouts.ready = None;
                self.disarm(RunTimer::Timeout(TimeoutKind::Ready), &mut effects);
            }
            Input::Deadline(kind, later) => self.move_deadline(now, kind, later, &mut effects),
            Input::Broke(failure) => {
                self.failure.get_or_insert(failure);
                self.end(Reason::Integrity, false, &mut effects);
            }
            Input::HolderLost(failure) => self.holder_lost(failure, &mut effects),
            Input::Finished { payload_undelivered } => self.finished(payload_undelivered, &mut effects),
            Input::FinalStored => self.close(&mut effects),
        }
        effects
    }

    /// Returns whether control operations are taken (S4.5).
    pub fn control_is_open(&self) -> bool {
        self.phase == Phase::Live && self.stops.control_is_open()
    }

    /// Returns whether the run is closed: its final record stands and its slot is free.
    pub fn is_closed(&self) -> bool {
        self.phase == Phase::Closed
    }

    /// Returns whether a stop was admitted that can still be withdrawn.
    pub fn stop_is_preparing(&self) -> bool {
        self.stops.is_preparing()
    }

    /// Returns when SIGKILL follows, while a grace runs.
    pub fn grace_until(&self) -> Option<Moment> {
        self.grace_until.filter(|_| self.phase == Phase::Ending && !self.tree_is_gone)
    }

    /// Returns whether the root has exited or the end was commanded, and the run is not closed.
    pub fn is_ending(&self) -> bool {
        matches!(self.phase, Phase::Ending | Phase::Finishing | Phase::Storing)
    }

    /// Returns the reason for which the end of the tree was commanded; none for a run that ended by itself.
    pub fn reason(&self) -> Option<Reason> {
        self.stops.chosen()
    }

    /// Returns the first thing that went wrong so far.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// Returns when a timeout is over, while it runs.
    pub fn deadline_of(&self, kind: TimeoutKind) -> Option<Moment> {
        let armed = match kind {
            TimeoutKind::Wall => self.wall,
            TimeoutKind::Idle => self.idle,
            TimeoutKind::Ready => self.ready,
        };
        armed.map(|armed| armed.at)
    }

    /// Returns the deadline that comes first.
    pub fn deadline(&self) -> Option<(TimeoutKind, Moment)> {
        let armed = [(TimeoutKind::Wall, self.wall), (TimeoutKind::Idle, self.idle), (TimeoutKind::Ready, self.ready)];
        armed.into_iter().filter_map(|(kind, armed)| armed.map(|a| (kind, a.at))).min_by_key(|(_, at)| *at)
    }

    fn recorded(&mut self, result: Result<(), Failure>, effects: &mut Vec<Effect>) {
        if self.phase != Phase::Recording {
            return;
        }
        match result {
            Ok(()) if self.stops.is_preparing() => {
                self.failure =
                    Some(Failure::new(ErrorCode::ControlClosed, "the run was stopped before it was started"));
                self.store_final(effects);
            }
            Ok(()) => {
                self.phase = Phase::Spawning;
                effects.push(Effect::Spawn);
            }
            Err(failure) => {
                // Nothing is on record and nothing was spawned: the start is refused as a whole.
                self.failure = Some(failure);
                self.close(effects);
            }
        }
    }

    fn spawned(&mut self, now: Moment, effects: &mut Vec<Effect>) {
        if self.phase != Phase::Spawning {
            return;
        }
        self.phase = Phase::Confirming;
        // A process that is being ended already needs no timeout.
        let timeouts = if self.spawn_aborted { Timeouts::default() } else { self.traits.timeouts };
        let Timeouts { wall, idle, ready } = timeouts;
        for (kind, span) in [(TimeoutKind::Wall, wall), (TimeoutKind::Idle, idle), (TimeoutKind::Ready, ready)] {
            if let Some(span) = span {
                self.arm(RunTimer::Timeout(kind), now.plus(span), effects);
            }
        }
        effects.push(Effect::StoreRunning);
    }

    fn spawn_failed(&mut self, failure: Failure, code: Option<i32>, effects: &mut Vec<Effect>) {
        if self.phase != Phase::Spawning {
            return;
        }
        self.failure.get_or_insert(failure);
        self.spawn_code = code;
        self.tree_is_gone = true;
        self.output_ended = true;
        self.finish(effects);
    }

    fn confirmed(&mut self, result: Result<(), Failure>, effects: &mut Vec<Effect>) {
        if self.started || !matches!(self.phase, Phase::Confirming | Phase::Ending) {
            return;
        }
        match result {
            Ok(()) => {
                self.become_live();
                effects.push(Effect::Started(Ok(())));
                effects.push(Effect::Changed);
                // What was asked for while it started takes effect now.
                if let Some(epoch) = self.epoch_in_waiting() {
                    effects.push(Effect::TakeStopCut(epoch));
                }
                self.settle(effects);
            }
            Err(failure) => {
                let failure = failure.with_effects(Effects::Pending);
                self.become_live();
                self.failure.get_or_insert(failure.clone());
                effects.push(Effect::Started(Err(failure)));
                // A stop that was admitted while it started has had no cut yet, and this reason merely joins it.
                if let Some(epoch) = self.epoch_in_waiting() {
                    effects.push(Effect::TakeStopCut(epoch));
                }
                self.end(Reason::Integrity, true, effects);
                self.settle(effects);
            }
        }
    }

    fn become_live(&mut self) {
        self.started = true;
        if self.phase == Phase::Confirming {
            self.phase = if self.spawn_aborted { Phase::Ending } else { Phase::Live };
        }
    }

    fn end(&mut self, reason: Reason, kill: bool, effects: &mut Vec<Effect>) {
        if self.phase == Phase::Closed {
            return;
        }
        let hurry = kill && !self.kill;
        self.kill |= kill;
        match self.stops.admit(reason) {
            Admitted::Prepare(epoch) if self.phase == Phase::Live => effects.push(Effect::TakeStopCut(epoch)),
            Admitted::Prepare(_) | Admitted::Joined => {
                if hurry && self.phase == Phase::Ending {
                    effects.push(Effect::Hurry);
                }
            }
        }
        if self.phase == Phase::Spawning && !self.spawn_aborted {
            // The order to kill may overtake everything from here on, so this stop can no more be withdrawn.
            self.spawn_aborted = self.stops.commit(self.stops.epoch());
            self.tree_asked = self.spawn_aborted;
            effects.push(Effect::AbortSpawn);
        }
        effects.push(Effect::Changed);
    }

    /// Returns the epoch of a stop that was admitted before the run was live.
    fn epoch_in_waiting(&self) -> Option<u64> {
        (self.phase == Phase::Live && self.stops.is_preparing()).then(|| self.stops.epoch())
    }

    fn stop_cut(&mut self, now: Moment, epoch: u64, effects: &mut Vec<Effect>) {
        if self.phase == Phase::Live && self.stops.commit(epoch) {
            self.phase = Phase::Ending;
            self.tree_asked = true;
            self.grace_until = (!self.kill).then(|| now.plus(self.traits.grace));
            self.disarm_timeouts(effects);
            effects.push(Effect::EndTree { kill: self.kill });
            effects.push(Effect::Changed);
        }
    }

    fn exited(&mut self, now: Moment, exit: Exit, effects: &mut Vec<Effect>) {
        if self.exit.is_some() || !matches!(self.phase, Phase::Confirming | Phase::Live | Phase::Ending) {
            return;
        }
        self.exit = Some(exit);
        self.stops.exited();
        self.phase = Phase::Ending;
        self.disarm_timeouts(effects);
        if !self.tree_asked {
            self.arm(RunTimer::Drain, now.plus(self.traits.output_drain), effects);
        }
        effects.push(Effect::Changed);
        self.settle(effects);
    }

    fn tree_gone(&mut self, effects: &mut Vec<Effect>) {
        // Where the end of the tree was asked for, its counts are still to come.
        if self.exit.is_some() && !self.tree_asked {
            self.tree_is_gone = true;
            self.settle(effects);
        }
    }

    fn tree_ended(&mut self, now: Moment, ended: EndedTree, effects: &mut Vec<Effect>) {
        let may_end = matches!(self.phase, Phase::Confirming | Phase::Ending) && self.tree_asked;
        if !may_end || self.ended.is_some() {
            return;
        }
        self.phase = Phase::Ending;
        self.tree_is_gone = true;
        let left = ended.left.iter().map(|l| format!("{} ({})", l.pid, l.why)).collect::<Vec<_>>().join(", ");
        if self.exit.is_none() {
            let message = format!("the process did not acknowledge exit after forced termination; left: {left}");
            self.failure.get_or_insert(Failure::new(ErrorCode::Unkillable, message));
        } else if !ended.left.is_empty() {
            let message = format!("not all of the tree could be ended; left: {left}");
            self.failure.get_or_insert(Failure::new(ErrorCode::Unkillable, message));
        }
        self.ended = Some(ended);
        if !self.drain_over {
            self.arm(RunTimer::Drain, now.plus(DRAIN_AFTER_END), effects);
        }
        effects.push(Effect::Changed);
        self.settle(effects);
    }

    /// Goes on with the end of a run as far as what is known allows: output first, then the tree, then the last snapshot.
    fn settle(&mut self, effects: &mut Vec<Effect>) {
        let root_is_over = self.exit.is_some() || self.ended.is_some() || self.orphaned;
        if self.phase != Phase::Ending || !root_is_over || !self.started {
            return;
        }
        let output_is_over = self.output_ended || self.drain_over;
        if !self.tree_is_gone && !self.tree_asked {
            if output_is_over {
                if self.traits.daemonizes {
                    self.tree_is_gone = true;
                } else {
                    self.tree_asked = true;
                    effects.push(Effect::EndTree { kill: self.kill });
                }
            }
            if !self.tree_is_gone {
                return;
            }
        }
        if self.tree_is_gone && output_is_over {
            self.finish(effects);
        }
    }

    fn finish(&mut self, effects: &mut Vec<Effect>) {
        self.disarm_timeouts(effects);
        self.disarm(RunTimer::Drain, effects);
        self.phase = Phase::Finishing;
        effects.push(Effect::Finish);
        effects.push(Effect::Changed);
    }

    fn holder_lost(&mut self, failure: Failure, effects: &mut Vec<Effect>) {
        match self.phase {
            // Whether the process came to be is not known.
            Phase::Spawning => self.spawn_failed(failure.with_effects(Effects::Unknown), None, effects),
            Phase::Confirming | Phase::Live | Phase::Ending => {
                self.failure.get_or_insert(failure);
                self.orphaned = self.exit.is_none();
                self.tree_is_gone = true;
                self.output_ended = true;
                self.stops.exited();
                self.phase = Phase::Ending;
                self.settle(effects);
            }
            Phase::Recording | Phase::Finishing | Phase::Storing | Phase::Closed => {}
        }
    }

    fn finished(&mut self, payload_undelivered: bool, effects: &mut Vec<Effect>) {
        if self.phase != Phase::Finishing {
            return;
        }
        if payload_undelivered && self.exit != Some(Exit::Code(0)) {
            let message = "the process did not take its whole standard input";
            self.failure.get_or_insert(Failure::new(ErrorCode::PayloadUndelivered, message));
        }
        self.store_final(effects);
    }

    fn store_final(&mut self, effects: &mut Vec<Effect>) {
        self.phase = Phase::Storing;
        effects.push(Effect::StoreFinal(Box::new(self.outcome())));
    }

    fn close(&mut self, effects: &mut Vec<Effect>) {
        if self.phase == Phase::Closed {
            return;
        }
        self.phase = Phase::Closed;
        if !self.started {
            self.started = true;
            let unknown = || Failure::new(ErrorCode::SpawnFailed, "the run did not start");
            effects.push(Effect::Started(Err(self.failure.clone().unwrap_or_else(unknown))));
        }
        effects.push(Effect::ReleaseSlot);
        effects.push(Effect::Close(self.stops.answers()));
    }

    /// Returns what the final record says (S2.2).
    fn outcome(&self) -> Outcome {
        let latched = self.stops.latched();
        let timed_out_by = match latched {
            Some(Reason::Timeout(kind)) => Some(kind),
            Some(Reason::Stop(_) | Reason::Shutdown | Reason::Integrity) | None => None,
        };
        let signal = match self.exit {
            Some(Exit::Signal(number)) => Some(number),
            Some(Exit::Code(_)) | None => None,
        };
        let own_code = match self.exit {
            Some(Exit::Code(code)) => Some(code),
            Some(Exit::Signal(number)) => Some(128 + number),
            None => self.spawn_code,
        };
        let cause = latched.and_then(Reason::cause);
        let (status, exit_code) = match (&self.failure, cause) {
            _ if self.orphaned => (Status::Orphaned, None),
            // With a failure of ours an exit code of 0 would be a lie.
            (Some(_), _) => (Status::Failed, own_code.filter(|code| *code != 0)),
            (None, Some(cause)) => (cause.status(), Some(cause.exit_code())),
            (None, None) if own_code == Some(0) => (Status::Completed, own_code),
            (None, None) => (Status::Failed, own_code),
        };
        Outcome {
            status,
            exit_code,
            signal,
            cause,
            timed_out_by,
            failure: self.failure.clone(),
            ended: self.ended.clone().filter(|ended| *ended != EndedTree::default()),
            undrained: self.undrained,
        }
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod walk_tests;
