//! What a front end can ask for.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

use super::{
    Closing, Export, ExportFormat, Feed, HistoryRows, Inspection, LinePlace, LogReading, LogRequest, Pruned, Reading,
    Reaped, RecordsPage, RecordsRequest, Reply, RunUsage, SearchRequest, Searching, Stream, Summary, Surroundings,
    View, Watch,
};
use crate::model::{
    Cut, Fence, Guard, KeyboardOwner, LeaseId, Record, RunId, RunName, RunRef, RunSpec, StillAlive, TimeoutKind,
    WriteStdin,
};

/// Asks for a new run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartRequest {
    /// What to run.
    pub spec: RunSpec,
    /// Whether an active run of the same name is stopped first; without it that is a conflict (S7.5).
    #[serde(default)]
    pub replace: bool,
}

/// What a foreground run printed, live (S3.5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveOutput {
    /// A chunk of a stream.
    Chunk(Stream, Vec<u8>),
    /// The stream printed more than 1 MiB: the rest is not passed on. Said once a stream; the record still has the tail.
    Suppressed(Stream),
}

/// A run that somebody waits for.
///
/// # Cancel safety
/// Dropping it cancels the run.
#[derive(Debug)]
pub struct Foreground {
    /// What it prints. The queue is bounded by what is passed on at most: 1 MiB a stream.
    pub output_rx: mpsc::UnboundedReceiver<LiveOutput>,
    /// The final record. [`ErrorCode::Unavailable`](crate::model::ErrorCode::Unavailable) with unknown effects when its server died: the run goes on,
    /// and [`Client::rejoin_foreground`] waits for it again.
    pub outcome: Reply<Arc<Record>>,
    /// Tells the other side by its end that nobody waits any more.
    presence: Option<oneshot::Sender<()>>,
}

impl Foreground {
    /// Puts the ends of a foreground run together. The other end of `presence` ends when this is dropped.
    pub fn new(
        output_rx: mpsc::UnboundedReceiver<LiveOutput>,
        outcome: Reply<Arc<Record>>,
        presence: oneshot::Sender<()>,
    ) -> Foreground {
        Foreground { output_rx, outcome, presence: Some(presence) }
    }

    /// Cancels the run; what it still prints and its final record come all the same.
    pub fn cancel(&mut self) {
        self.presence = None;
    }
}

/// The number of a stop request, chosen by who asks; unique for that client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StopId(pub u64);

/// Asks for the end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopRequest {
    /// Whether to skip the grace: SIGKILL at once.
    pub kill: bool,
}

/// A stop that is on its way: it can be withdrawn by its id until the first signal is sent (S4.6).
#[derive(Debug)]
pub struct Stopping {
    /// Its id, for [`Client::withdraw_stop`].
    pub id: StopId,
    /// The answer, once the run is final or the stop was withdrawn.
    pub reply: Reply<StopOutcome>,
}

/// The answer to a stop (S4.6).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StopOutcome {
    /// Whether this very stop ended the run. True for exactly one of all concurrent stops, or for none.
    pub applied: bool,
    /// The final record.
    pub record: Arc<Record>,
}

/// To whom a signal goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignalTarget {
    /// The root process.
    Root,
    /// The root's process group.
    Group,
    /// The terminal's foreground process group (PTY).
    Foreground,
    /// Every process of the tree.
    Tree,
}

/// What becomes of a deadline (S3.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deadline {
    /// It moves later by so much; one that is not armed starts from now.
    Extend(Duration),
    /// It goes away.
    Remove,
}

/// Asks for the end of everything (S7.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ShutdownRequest {
    /// Whether to skip what is left of every grace.
    pub hurry: bool,
}

/// What a shutdown did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ShutdownReport {
    /// How many runs it ended.
    pub ended: usize,
    /// What would not die, by run.
    pub left: Vec<(RunId, StillAlive)>,
}

/// Everything a front end can ask of the runs of one session.
///
/// No method is `async`: a request is on its way when the method returns, so the order of calls is the order of effects. All errors
/// come as [`Failure`](crate::model::Failure) in the reply.
pub trait Client: Send + Sync {
    /// Starts a run; answers with its record once it is `running` (S3.1).
    fn start(&self, request: StartRequest) -> Reply<Arc<Record>>;

    /// Starts a foreground run (S3.5): pipes only, with live output. Who wants to find it again when its server has died makes the id itself, of 80
    /// random bits; `None` leaves that to the server.
    ///
    /// # Errors
    /// [`Conflict`](crate::model::ErrorCode::Conflict) for an id that the session has a run of already.
    fn start_foreground(&self, run: Option<RunId>, spec: RunSpec) -> Foreground;

    /// Waits again for a foreground run whose server has died (S7.4). There is no live output: what it prints is in its log. A foreground run
    /// that nobody waits for again within half a minute is cancelled.
    ///
    /// # Errors
    /// [`NotFound`](crate::model::ErrorCode::NotFound) when it was never started, and [`Conflict`](crate::model::ErrorCode::Conflict) when it is no
    /// foreground run, or somebody waits for it.
    fn rejoin_foreground(&self, run: RunId) -> Foreground;

    /// Applies a control operation at a cut (S4.1, S4.2).
    ///
    /// # Errors
    /// [`Held`](crate::model::ErrorCode::Held) while a person holds the keyboard of the run and this client does not (S4.4). An agent that types
    /// holds it from then on.
    fn control(&self, run: RunId, control: WriteStdin) -> Reply<Cut>;

    /// Takes the keyboard of a PTY run (S4.4), until it is handed back, somebody else takes it, or this client is gone. Answers with who holds
    /// it now: this client, by its id.
    ///
    /// # Errors
    /// [`Held`](crate::model::ErrorCode::Held) for an agent while a person holds it.
    fn take_keyboard(&self, run: RunId) -> Reply<KeyboardOwner>;

    /// Hands the keyboard of a run back; answers whether this client held it.
    fn hand_back_keyboard(&self, run: RunId) -> Reply<bool>;

    /// Stops a run and everything it started (S4.6, S4.7).
    fn stop(&self, run: RunId, request: StopRequest) -> Stopping;

    /// Withdraws a stop; answers whether that was still possible.
    fn withdraw_stop(&self, run: RunId, stop: StopId) -> Reply<bool>;

    /// Stops a run if it is live and starts it again from the same spec once its whole tree is gone; answers with the new record.
    ///
    /// # Errors
    /// [`ControlClosed`](crate::model::ErrorCode::ControlClosed) when nobody has its spec any more, as an earlier server has started it or it is no
    /// longer listed: [`restarted`](super::restarted) starts it from its record.
    fn restart(&self, run: RunId, request: StopRequest) -> Reply<Arc<Record>>;

    /// Sends one signal, by number; answers to how many processes. Not a stop: no cause, no escalation.
    fn signal(&self, run: RunId, signal: i32, target: SignalTarget) -> Reply<u32>;

    /// Moves or removes a deadline of a live run; the feed then tells of the new one.
    fn set_deadline(&self, run: RunId, kind: TimeoutKind, deadline: Deadline) -> Reply<()>;

    /// Tells that a run is ready, by whatever its readiness is known: its ready timeout is void.
    fn mark_ready(&self, run: RunId) -> Reply<()>;

    /// Gives a live run another name, or its first one (S7.5, S10.6); answers with the record, once it is durable. It is the next generation of
    /// that name. What the run itself sees of its name (`SHTASK_TASK`) stays as it was started with; restarts have the new one.
    ///
    /// # Errors
    /// [`Conflict`](crate::model::ErrorCode::Conflict) when a live run has the name, [`ControlClosed`](crate::model::ErrorCode::ControlClosed) for
    /// a run that is starting, ending or over. [`StoreFailed`](crate::model::ErrorCode::StoreFailed) when the disk does not take it: the run has
    /// the name all the same, and storing it is tried again.
    fn rename(&self, run: RunId, name: RunName) -> Reply<Arc<Record>>;

    /// Reads the newest output, at most `limit_bytes` a stream (S6.1), and marks a final run observed.
    fn read(&self, run: RunId, limit_bytes: usize) -> Reply<Reading>;

    /// Reads the raw log by offset (S6.3), of a run of this session that has ended long ago as well; marks nothing.
    fn read_log(&self, run: RunId, request: LogRequest) -> Reply<LogReading>;

    /// Ends what is left of orphaned runs: of one, or of all of this session (S7.3). Answers with those that had something left.
    fn reap(&self, run: Option<RunId>) -> Reply<Vec<Reaped>>;

    /// Returns the record and live facts; marks nothing (S6.2).
    fn inspect(&self, run: RunId) -> Reply<Inspection>;

    /// Measures what the live runs of the session use. It costs one look at every process of the machine, and nothing while nobody asks.
    ///
    /// # Errors
    /// None of its own.
    fn usage(&self) -> Reply<Vec<RunUsage>>;

    /// Looks at what a run has around it: the ports its processes listen on, the environment it was given, its limits. All are empty for a
    /// run that is not live.
    ///
    /// # Errors
    /// [`NotFound`](crate::model::ErrorCode::NotFound).
    fn surroundings(&self, run: RunId) -> Reply<Surroundings>;

    /// Returns `count` rows of the scrollback from row number `first` on, clipped to what is kept.
    fn history(&self, run: RunId, first: u64, count: usize) -> Reply<HistoryRows>;

    /// Watches the screen of a run. A final run has one last frame.
    fn watch(&self, run: RunId, view: View) -> Reply<Watch>;

    /// Removes a final run from the table.
    fn forget(&self, run: RunId) -> Reply<()>;

    /// Finds the run of this session that a ref names, live or on record; answers with its record, without its output.
    ///
    /// # Errors
    /// [`NotFound`](crate::model::ErrorCode::NotFound); [`Ambiguous`](crate::model::ErrorCode::Ambiguous) with what it fits.
    fn resolve(&self, wanted: RunRef) -> Reply<Arc<Record>>;

    /// Returns a page of records of this session, live ones among them, newest first; marks nothing.
    fn list_records(&self, request: RecordsRequest) -> Reply<RecordsPage>;

    /// Returns the runs of this session that need attention (S6.9); marks nothing.
    fn summary(&self) -> Reply<Summary>;

    /// Deletes what is beyond retention now, of all sessions (S2.8).
    fn prune(&self) -> Reply<Pruned>;

    /// Tells in one paragraph why a run is not running, or how it stands (S6.8); marks nothing.
    fn why(&self, run: RunId) -> Reply<String>;

    /// Searches the raw logs of this session (S6.6), and tells what it finds as it comes. What was printed in this very moment may not be in them yet.
    ///
    /// # Errors
    /// Of the outcome: [`Invalid`](crate::model::ErrorCode::Invalid) for a pattern that is none, [`Busy`](crate::model::ErrorCode::Busy) while too many
    /// searches and exports are under way.
    fn search(&self, request: SearchRequest) -> Searching;

    /// Makes something of a run that can be taken elsewhere (S10.8).
    fn export(&self, run: RunId, format: ExportFormat) -> Export;

    /// As [`ExportFormat::Lines`], from the first line of a stream on that begins at or behind a place of it, and everything that ended later. What cannot
    /// begin there, such as a server of an older version, begins with the log.
    fn export_lines(&self, run: RunId, from: LinePlace) -> Export {
        let _ = from;
        self.export(run, ExportFormat::Lines)
    }

    /// As [`ExportFormat::Cast`], with what was printed so long after the beginning of the log, and later. What cannot begin there, such as a server
    /// of an older version, begins with the log.
    fn export_since(&self, run: RunId, since: Duration) -> Export {
        let _ = since;
        self.export(run, ExportFormat::Cast)
    }

    /// Returns a client of the same session whose changes are made only while the guard holds (S7.5); it holds nothing back from being read.
    ///
    /// # Errors
    /// Of each change: [`Stale`](crate::model::ErrorCode::Stale) when it does not hold; nothing was changed then.
    fn guarded(&self, guard: Guard) -> Arc<dyn Client>;

    /// Sets the fence of this session, or removes it. From then on every change has to carry it, this one too. It outlives the server.
    fn set_fence(&self, fence: Option<Fence>) -> Reply<()>;

    /// Begins to close this session (S7.1): nothing starts in it from now on, starts that were admitted fail, and its runs are ended. That
    /// may be done more than once at the same time: it is open again when all are rolled back. A close outlives the server; one whose client is
    /// gone is rolled back after a minute, unless it was committed by then, by whoever has its lease.
    fn close_session(&self) -> Closing;

    /// Keeps this session closed until it is resumed. Only for a close whose runs have all ended.
    fn commit_close(&self, lease: LeaseId) -> Reply<()>;

    /// Takes a close back. The runs that it has ended stay ended.
    fn roll_back_close(&self, lease: LeaseId) -> Reply<()>;

    /// Opens this session after a committed close; answers whether it was closed.
    fn resume_session(&self) -> Reply<bool>;

    /// Subscribes to the changes of all runs (S6.5).
    fn subscribe(&self) -> Feed;

    /// Ends all runs with cause `shutdown`, and refuses new ones from then on. A second call joins the first.
    fn shutdown(&self, request: ShutdownRequest) -> Reply<ShutdownReport>;
}
