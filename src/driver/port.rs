//! What a driver is told, and what it reports.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::mpsc;

use crate::api::{Activity, Answer, HistoryRows, Inspection, Reading, RunView, SignalTarget, View, Watch};
use crate::model::run::Exit;
use crate::model::{
    Attention, Cut, CutOutcome, EndedTree, ErrorCode, Failure, HeldNote, LogFacts, Moment, Notification,
    ProcessIdentity, Record, RecordOutput, WriteStdin,
};

/// How many control operations of one run may wait for their cut. A person types a few a second and a program that writes faster
/// than cuts are made has to hear of it.
const MAX_WAITING_CONTROLS: usize = 256;

/// What a driver is told.
#[derive(Debug)]
pub enum Command {
    /// Apply a control operation at a cut. The flag tells that a person types who holds the keyboard: it is kept for the note.
    Control(WriteStdin, bool, Answer<Cut>),
    /// Make a cut after which nothing is typed, and report its epoch.
    StopCut(u64),
    /// End the tree: at once, or with the run's own first step and grace.
    EndTree {
        /// Whether to kill at once.
        kill: bool,
    },
    /// Skip the rest of a grace.
    Hurry,
    /// End the process although its start has not been confirmed.
    AbortSpawn,
    /// Report when output came last, with this epoch.
    AskLastOutput(u64),
    /// Send one signal.
    Signal(i32, SignalTarget, Answer<u32>),
    /// Read the newest output, at most so many bytes a stream.
    Read {
        /// The bytes.
        limit_bytes: usize,
        /// The record.
        record: Arc<Record>,
        /// What an agent is told, but for what was typed.
        note: Option<HeldNote>,
        /// Who asked.
        answer: Answer<Reading>,
    },
    /// Look at the tree.
    Inspect(Box<RunView>, Answer<Inspection>),
    /// Return rows of the scrollback.
    History {
        /// The number of the first row.
        first: u64,
        /// How many rows.
        count: usize,
        /// Who asked.
        answer: Answer<HistoryRows>,
    },
    /// Let somebody watch.
    Watch(View, Answer<Watch>),
    /// The newest output is in the record: the next may follow.
    Flushed,
    /// Note this for the program after this one, where the run outlives this one.
    Note(Vec<u8>),
    /// Take the last snapshot, close everything; let the holder go, unless the run is kept.
    Finish,
    /// The final record is durable: nobody needs the holder of a kept run any more.
    LetGo,
}

/// What a driver reports.
#[derive(Debug)]
pub enum Report {
    /// The process exists.
    Spawned(ProcessIdentity),
    /// It could not be made; with the exit code that a shell would give, where there is one.
    SpawnFailed(Failure, Option<i32>),
    /// The cut before the end was made.
    StopCut(u64),
    /// The first signal of the end is out.
    Signalled,
    /// The root has exited.
    Exited(Exit),
    /// After the root's exit nothing of the tree is left.
    TreeEmpty,
    /// All output was taken in.
    OutputEnded,
    /// The tree was ended as far as it could be.
    TreeEnded(EndedTree),
    /// When output came last.
    LastOutput(u64, Moment),
    /// shtask could not keep its promise for this run.
    Broke(Failure),
    /// The holder is gone.
    HolderLost(Failure),
    /// A control operation came after the root's exit: it is answered with the final record.
    TooLate(CutOutcome, Answer<Cut>),
    /// What it did so far, and what it wants somebody to be told; at most once a second, only when it grew.
    Active(Activity, Option<Notification>),
    /// What it wants of somebody; none when that is over.
    Attention(Option<Attention>),
    /// The terminal has another size.
    Resized(crate::model::Size),
    /// The newest output, for the record; one at a time.
    Snapshot {
        /// The output.
        output: Box<RecordOutput>,
        /// What the log has.
        log: Option<LogFacts>,
    },
    /// Since when and why the log cannot be written; none when it can be again.
    LogFailed(Option<(Timestamp, String)>),
    /// The last snapshot.
    Finished {
        /// The output for the record.
        output: Box<RecordOutput>,
        /// Whether the standard input payload was not taken whole.
        payload_undelivered: bool,
        /// What the run did in all.
        activity: Activity,
        /// What it wanted somebody to be told at the end.
        said: Option<Notification>,
        /// What the log has.
        log: Option<LogFacts>,
    },
}

/// The supervisor's end of a driver. Dropping it ends the driver.
#[derive(Debug, Clone)]
pub struct DriverPort {
    commands_tx: mpsc::UnboundedSender<Command>,
    waiting: Arc<AtomicUsize>,
}

/// The driver's end.
#[derive(Debug)]
pub struct Orders {
    commands_rx: mpsc::UnboundedReceiver<Command>,
    waiting: Arc<AtomicUsize>,
}

/// Makes both ends of a driver's road.
///
/// Commands keep their order, which is the order of cuts. The queue is bounded all the same: requests of clients are counted and refused at 256, and
/// the supervisor's own commands are a handful in a run's life.
pub fn port() -> (DriverPort, Orders) {
    let (commands_tx, commands_rx) = mpsc::unbounded_channel();
    let waiting = Arc::new(AtomicUsize::new(0));
    (DriverPort { commands_tx, waiting: Arc::clone(&waiting) }, Orders { commands_rx, waiting })
}

impl DriverPort {
    /// Returns whether nobody carries anything out any more.
    pub fn is_closed(&self) -> bool {
        self.commands_tx.is_closed()
    }

    /// Passes on what a client asked for; never waits. When too many wait already, or the driver is gone, the client is told.
    pub fn request(&self, command: Command) {
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= MAX_WAITING_CONTROLS {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            let busy = format!("{MAX_WAITING_CONTROLS} operations on this run are waiting already");
            command.refuse(Failure::new(ErrorCode::Busy, busy));
        } else if let Err(mpsc::error::SendError(command)) = self.commands_tx.send(command) {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            command.refuse(Failure::new(ErrorCode::Unavailable, "the driver of this run has failed"));
        }
    }

    /// Gives an order of the supervisor's own; never waits. Returns false when the driver is gone.
    pub fn order(&self, command: Command) -> bool {
        self.commands_tx.send(command).is_ok()
    }
}

impl Orders {
    /// Waits for the next command; none when the supervisor has dropped its end.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub(super) async fn next(&mut self) -> Option<Command> {
        let command = self.commands_rx.recv().await?;
        if command.is_request() {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
        Some(command)
    }
}

impl Command {
    fn is_request(&self) -> bool {
        match self {
            Command::Control(..)
            | Command::Signal(..)
            | Command::Read { .. }
            | Command::Inspect(..)
            | Command::History { .. }
            | Command::Watch(..) => true,
            Command::StopCut(_)
            | Command::EndTree { .. }
            | Command::Hurry
            | Command::AbortSpawn
            | Command::AskLastOutput(_)
            | Command::Flushed
            | Command::Note(_)
            | Command::Finish
            | Command::LetGo => false,
        }
    }

    /// Answers a request with a failure; an order is dropped.
    pub fn refuse(self, failure: Failure) {
        match self {
            Command::Control(_, _, answer) => answer.send(Err(failure)),
            Command::Signal(_, _, answer) => answer.send(Err(failure)),
            Command::Read { answer, .. } => answer.send(Err(failure)),
            Command::Inspect(_, answer) => answer.send(Err(failure)),
            Command::History { answer, .. } => answer.send(Err(failure)),
            Command::Watch(_, answer) => answer.send(Err(failure)),
            Command::StopCut(_)
            | Command::EndTree { .. }
            | Command::Hurry
            | Command::AbortSpawn
            | Command::AskLastOutput(_)
            | Command::Flushed
            | Command::Note(_)
            | Command::Finish
            | Command::LetGo => {}
        }
    }
}

/// The least time between two reports of activity.
pub(super) const ACTIVITY_INTERVAL: Duration = Duration::from_secs(1);
