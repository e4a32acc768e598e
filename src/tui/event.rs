//! What can happen to the TUI.

use std::path::PathBuf;
use std::sync::Arc;

use jiff::tz::TimeZone;

use crate::api::{
    Found, HistoryRows, Inspection, Link, Reaped, RecordsPage, RunUsage, SearchResults, ShutdownReport, StopOutcome,
    Surroundings, Update,
};
use crate::model::{Cut, Failure, Frame, KeyChord, KeyboardOwner, Mouse, Record, RunId, Size};

use super::cmd::Origin;
use super::complete::Completing;
use super::exporting::{LogFile, Shower};
use super::ground::Ground;
use super::shows::Told;

/// What the user's terminal says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    /// A key was pressed.
    Key(KeyChord),
    /// The mouse did something at a cell of the whole terminal.
    Mouse(Mouse),
    /// Text was pasted.
    Paste(String),
    /// The terminal got or lost the focus.
    Focus(bool),
    /// The terminal has the kitty keyboard protocol: the answer to a question.
    HasKeyboardFlags,
    /// The terminal's background: the answer to a question.
    Ground(Ground),
    /// The terminal's background is another one, as it tells by itself.
    GroundChanged(Ground),
    /// The terminal has a new size.
    Resize { cols: u16, rows: u16 },
}

/// An answer to a command.
#[derive(Debug)]
pub(crate) enum Answer {
    Started {
        origin: Origin,
        result: Result<Arc<Record>, Failure>,
    },
    Stopped {
        run: RunId,
        result: Result<StopOutcome, Failure>,
    },
    Reaped {
        run: RunId,
        result: Result<Vec<Reaped>, Failure>,
    },
    Restarted {
        run: RunId,
        result: Result<Arc<Record>, Failure>,
    },
    Signalled {
        run: RunId,
        signal: i32,
        result: Result<u32, Failure>,
    },
    DeadlineSet {
        run: RunId,
        result: Result<(), Failure>,
    },
    Renamed {
        run: RunId,
        result: Result<Arc<Record>, Failure>,
    },
    Inspected {
        run: RunId,
        result: Result<Box<Inspection>, Failure>,
    },
    Forgotten {
        run: RunId,
        result: Result<(), Failure>,
    },
    History {
        run: RunId,
        result: Result<HistoryRows, Failure>,
    },
    /// Rows that were asked for to be read as text.
    Gathered {
        run: RunId,
        result: Result<HistoryRows, Failure>,
    },
    /// A search everywhere has ended.
    Found {
        number: u64,
        result: Result<SearchResults, Failure>,
    },
    Records {
        before: Option<u64>,
        result: Result<RecordsPage, Failure>,
    },
    /// The program of the system took a copy, or not, and why.
    Copied(Result<(), String>),
    Controlled {
        run: RunId,
        result: Result<Cut, Failure>,
    },
    Resized {
        run: RunId,
        size: Size,
        result: Result<Cut, Failure>,
    },
    /// An export is written.
    Exported {
        run: RunId,
        result: Result<PathBuf, Failure>,
    },
    /// A log can be shown.
    LogFetched {
        run: RunId,
        shower: Shower,
        result: Result<LogFile, Failure>,
    },
    /// What a text of the new-run prompt could become.
    Completed {
        asked: Completing,
        choices: Vec<String>,
    },
    Usage {
        result: Result<Vec<RunUsage>, Failure>,
    },
    Surroundings {
        run: RunId,
        result: Result<Surroundings, Failure>,
    },
    Why {
        run: RunId,
        result: Result<String, Failure>,
    },
    /// What ran under the same name before.
    Generations {
        run: RunId,
        result: Result<RecordsPage, Failure>,
    },
    KeyboardTaken {
        run: RunId,
        result: Result<KeyboardOwner, Failure>,
    },
    KeyboardHandedBack {
        run: RunId,
        result: Result<bool, Failure>,
    },
    ShutDown {
        result: Result<ShutdownReport, Failure>,
    },
    /// All runs that were to be stopped have their final records.
    AllStopped {
        result: Result<Vec<StopOutcome>, Failure>,
    },
}

/// Everything that `update` is told.
#[derive(Debug)]
pub(crate) enum Event {
    /// The first frame is drawn; times can be shown in the user's zone from now on.
    Ready { time_zone: TimeZone },
    /// From the user.
    Input(Input),
    /// The table of runs changed.
    Runs(Update),
    /// There will be no more changes: the supervisor is gone.
    RunsGone,
    /// The connection to the server was lost, or is there again.
    Link(Link),
    /// The watched run shows this.
    Frame { run: RunId, frame: Arc<Frame> },
    /// A run cannot be watched.
    WatchFailed { run: RunId, failure: Failure },
    /// A search everywhere has found something, or has come further.
    Found { number: u64, found: Found },
    /// A show tells something.
    Show { id: u64, told: Told },
    /// A command was answered.
    Answer(Answer),
    /// A signal asks the TUI to end.
    Terminate(i32),
    /// The program that had the terminal has ended, or could not be started.
    Visited(Result<(), String>),
    /// Something that was started for the user has ended; there is nothing to tell.
    Done,
    /// Something that counts on the screen has to move.
    Tick,
}
