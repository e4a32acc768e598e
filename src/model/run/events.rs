//! What a run machine is told and what it asks for.

use std::time::Duration;

use crate::model::stop::{Reason, StopKey};
use crate::model::{Cause, EndedTree, Failure, Mode, Moment, Status, TimeoutKind, Timeouts};

/// What the machine has to know of a run.
#[derive(Debug, Clone)]
pub struct RunTraits {
    /// Pipes or a PTY.
    pub mode: Mode,
    /// The timeouts, the wall one as it is in force.
    pub timeouts: Timeouts,
    /// The longest wait for the end of output after the root's exit.
    pub output_drain: Duration,
    /// Whether descendants may outlive the root.
    pub daemonizes: bool,
    /// The time between the first signal and SIGKILL.
    pub grace: Duration,
}

/// How the root process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

/// Which of a run's timers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunTimer {
    /// One of the three timeouts.
    Timeout(TimeoutKind),
    /// The end of the wait for output.
    Drain,
}

/// What happens to a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// The record is durable as `starting`, or could not be stored.
    Recorded(Result<(), Failure>),
    /// The process exists.
    Spawned,
    /// The process could not be made; the exit code a shell would give, where there is one.
    SpawnFailed(Failure, Option<i32>),
    /// The record is durable as `running`, or could not be stored.
    Confirmed(Result<(), Failure>),
    /// A reason to end it. The flag asks to skip the grace.
    End(Reason, bool),
    /// A stop is withdrawn.
    Withdraw(StopKey),
    /// The cut before the end was made.
    StopCut(u64),
    /// The first signal of the end is out.
    Signalled,
    /// The root process has exited.
    Exited(Exit),
    /// After the root's exit nothing of its tree is left.
    TreeEmpty,
    /// All output has been taken in, to its end.
    OutputEnded,
    /// The tree was ended as far as it could be.
    TreeEnded(EndedTree),
    /// A timer is over.
    TimerFired(RunTimer, u64),
    /// When output came last: the answer to [`Effect::AskLastOutput`].
    LastOutput(u64, Moment),
    /// The run is ready: its ready timeout is void.
    Ready,
    /// A deadline moves later by so much, or goes away.
    Deadline(TimeoutKind, Option<Duration>),
    /// shtask could not keep its promise.
    Broke(Failure),
    /// The holder is gone; the text says what is known of the process.
    HolderLost(Failure),
    /// The driver has taken the last snapshot and closed everything.
    Finished {
        /// Whether the standard input payload was not taken whole.
        payload_undelivered: bool,
    },
    /// The final record is durable, or could not be stored.
    FinalStored,
}

/// How a run ended (S2.2).
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The final status.
    pub status: Status,
    /// The exit code.
    pub exit_code: Option<i32>,
    /// The signal that ended the root.
    pub signal: Option<i32>,
    /// Why it was ended from outside.
    pub cause: Option<Cause>,
    /// Which timeout it was.
    pub timed_out_by: Option<TimeoutKind>,
    /// The first thing that went wrong.
    pub failure: Option<Failure>,
    /// What the end of the tree took.
    pub ended: Option<EndedTree>,
    /// Whether output was still held back when the drain was over.
    pub undrained: bool,
}

/// What the machine asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Make the process.
    Spawn,
    /// Store the record as `running`.
    StoreRunning,
    /// The start is over: it succeeded, or this is why not.
    Started(Result<(), Failure>),
    /// End a process that is not confirmed to exist yet.
    AbortSpawn,
    /// Make the cut after which nothing is typed, and report its epoch.
    TakeStopCut(u64),
    /// End the tree; skip the grace when the flag is set.
    EndTree {
        /// Whether to kill at once.
        kill: bool,
    },
    /// Skip the rest of a grace that is running.
    Hurry,
    /// Report when output came last, with this epoch.
    AskLastOutput(u64),
    /// Arm a timer.
    Arm(RunTimer, u64, Moment),
    /// Disarm a timer.
    Disarm(RunTimer),
    /// Take the last snapshot and close everything.
    Finish,
    /// Store the final record.
    StoreFinal(Box<Outcome>),
    /// Tell all who wait; the run is closed. Comes exactly once.
    Close(Vec<(StopKey, bool)>),
    /// Give the slot back. Comes exactly once.
    ReleaseSlot,
    /// Something that a viewer sees has changed.
    Changed,
}
