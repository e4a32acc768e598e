//! The stop machine: who ends a run, and why (S4.5, S4.6, S4.9).
//!
//! Stops gather while the driver prepares the cut after which nothing more is typed. Until that cut all of them can be withdrawn; at the cut one
//! of them is chosen and cannot be any more. The cause is latched when the first signal is out, not before: a process
//! that exits by itself in between keeps its own exit code.

use super::{Cause, TimeoutKind};

/// Names one request to stop a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StopKey(pub u64);

/// Why a run should end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Somebody asked.
    Stop(StopKey),
    /// Everything ends.
    Shutdown,
    /// A timeout is over.
    Timeout(TimeoutKind),
    /// shtask could not keep its promise: it ends the run without a cause.
    Integrity,
}

/// The stops of one run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stops {
    state: State,
    waiting: Vec<Reason>,
    epoch: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum State {
    #[default]
    Open,
    Preparing,
    Committed(Reason),
    Latched(Reason),
    Natural,
}

/// What an admitted stop asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admitted {
    /// A cut is to be prepared; its report carries this epoch.
    Prepare(u64),
    /// It joins a stop that is on its way.
    Joined,
}

impl Stops {
    /// Admits a reason to end the run.
    pub fn admit(&mut self, reason: Reason) -> Admitted {
        // A reason that comes again and again, as a program's flood of queries makes it, is kept once.
        if !self.waiting.contains(&reason) {
            self.waiting.push(reason);
        }
        if self.state == State::Open {
            self.state = State::Preparing;
            self.epoch += 1;
            Admitted::Prepare(self.epoch)
        } else {
            Admitted::Joined
        }
    }

    /// Withdraws a stop. Returns whether that was still possible. Control opens again when nothing is left to wait for.
    pub fn withdraw(&mut self, key: StopKey) -> bool {
        if self.state != State::Preparing {
            return false;
        }
        let before = self.waiting.len();
        self.waiting.retain(|reason| *reason != Reason::Stop(key));
        if self.waiting.is_empty() {
            self.state = State::Open;
        }
        self.waiting.len() < before
    }

    /// Takes note that the cut of `epoch` was made, and chooses who ends the run. Returns false when the cut is stale or not wanted any more.
    pub fn commit(&mut self, epoch: u64) -> bool {
        if self.state != State::Preparing || epoch != self.epoch {
            return false;
        }
        let Some(chosen) = self.waiting.iter().copied().min_by_key(rank) else { return false };
        self.state = State::Committed(chosen);
        true
    }

    /// Takes note that the first signal is out: the cause stays what it is from now on.
    pub fn latch(&mut self) {
        if let State::Committed(reason) = self.state {
            self.state = State::Latched(reason);
        }
    }

    /// Takes note that the root process is gone. Before the first signal it went by itself.
    pub fn exited(&mut self) {
        if !matches!(self.state, State::Latched(_)) {
            self.state = State::Natural;
        }
    }

    /// Returns the epoch of the cut that is being prepared, or was last.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns whether control operations are taken.
    pub fn control_is_open(&self) -> bool {
        self.state == State::Open
    }

    /// Returns whether a stop was admitted that has not been committed.
    pub fn is_preparing(&self) -> bool {
        self.state == State::Preparing
    }

    /// Returns the reason that was chosen at the cut; none when the root went by itself before the first signal.
    pub fn chosen(&self) -> Option<Reason> {
        match self.state {
            State::Committed(reason) | State::Latched(reason) => Some(reason),
            State::Open | State::Preparing | State::Natural => None,
        }
    }

    /// Returns the reason that ended the run, once it is latched.
    pub fn latched(&self) -> Option<Reason> {
        match self.state {
            State::Latched(reason) => Some(reason),
            State::Open | State::Preparing | State::Committed(_) | State::Natural => None,
        }
    }

    /// Returns the keys of all stops that wait for the end, and whether each one is the one that ended the run.
    pub fn answers(&self) -> Vec<(StopKey, bool)> {
        let owner = self.latched();
        let keys = self.waiting.iter().filter_map(|reason| match reason {
            Reason::Stop(key) => Some((*key, owner == Some(*reason))),
            Reason::Shutdown | Reason::Timeout(_) | Reason::Integrity => None,
        });
        keys.collect()
    }
}

/// The lower wins at the cut: a failure of ours is never hidden, and a cancel beats a timeout that still prepares (S4.9). Of equals
/// the first one stays.
fn rank(reason: &Reason) -> u8 {
    match reason {
        Reason::Integrity => 0,
        Reason::Stop(_) => 1,
        Reason::Shutdown => 2,
        Reason::Timeout(_) => 3,
    }
}

impl Reason {
    /// Returns the cause that goes into the record; none for an integrity failure.
    pub fn cause(self) -> Option<Cause> {
        match self {
            Reason::Stop(_) => Some(Cause::Cancel),
            Reason::Shutdown => Some(Cause::Shutdown),
            Reason::Timeout(_) => Some(Cause::Timeout),
            Reason::Integrity => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: StopKey = StopKey(1);
    const B: StopKey = StopKey(2);

    #[test]
    fn of_many_stops_exactly_one_owns_the_end() {
        let mut stops = Stops::default();
        let Admitted::Prepare(epoch) = stops.admit(Reason::Stop(A)) else { panic!("the first prepares") };
        assert_eq!(stops.admit(Reason::Stop(B)), Admitted::Joined);
        assert!(stops.commit(epoch));
        stops.latch();
        stops.exited();
        assert_eq!(stops.answers(), [(A, true), (B, false)]);
    }

    #[test]
    fn control_opens_again_when_every_stop_is_withdrawn_before_it_commits() {
        let mut stops = Stops::default();
        let Admitted::Prepare(first) = stops.admit(Reason::Stop(A)) else { panic!() };
        stops.admit(Reason::Stop(B));
        assert!(stops.withdraw(A) && !stops.control_is_open());
        assert!(stops.withdraw(B) && stops.control_is_open());
        assert!(!stops.commit(first), "the cut of a withdrawn stop ends nothing");
        let Admitted::Prepare(second) = stops.admit(Reason::Stop(A)) else { panic!() };
        assert!(!stops.commit(first) && stops.commit(second));
        assert!(!stops.withdraw(A), "too late");
    }

    #[test]
    fn a_cancel_that_arrives_while_a_timeout_prepares_wins() {
        let mut stops = Stops::default();
        let Admitted::Prepare(epoch) = stops.admit(Reason::Timeout(TimeoutKind::Wall)) else { panic!() };
        stops.admit(Reason::Stop(A));
        assert!(stops.commit(epoch));
        stops.latch();
        assert_eq!(stops.latched().and_then(Reason::cause), Some(Cause::Cancel));
    }

    #[test]
    fn a_stop_after_a_timeouts_signal_leaves_the_cause() {
        let mut stops = Stops::default();
        let Admitted::Prepare(epoch) = stops.admit(Reason::Timeout(TimeoutKind::Wall)) else { panic!() };
        assert!(stops.commit(epoch));
        stops.latch();
        assert_eq!(stops.admit(Reason::Stop(A)), Admitted::Joined);
        assert_eq!(stops.latched().and_then(Reason::cause), Some(Cause::Timeout));
        assert_eq!(stops.answers(), [(A, false)]);
    }

    #[test]
    fn an_exit_before_any_signal_is_natural_and_no_stop_owns_it() {
        let mut stops = Stops::default();
        let Admitted::Prepare(epoch) = stops.admit(Reason::Stop(A)) else { panic!() };
        assert!(stops.commit(epoch));
        stops.exited();
        stops.latch();
        assert_eq!((stops.latched(), stops.answers()), (None, vec![(A, false)]));
    }
}
