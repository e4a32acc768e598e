//! What `update` asks for: the only way out of the pure part.

use std::path::PathBuf;

use crate::api::{Deadline, SearchRequest, SignalTarget};
use crate::model::{RunId, RunName, RunSpec, Size, TimeoutKind, WriteStdin};

use super::NewRun;
use super::complete::Completing;
use super::exporting::{Form, LogFile, Shower};
use super::shows::{Order, What};

/// Where the wish to start a run came from, so that its answer goes there too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A task of the list.
    Task(RunName),
    /// The new-run prompt.
    Prompt,
}

/// Something to be done in the world. Commands are carried out in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cmd {
    /// Start a task.
    Start { name: RunName, spec: Box<RunSpec> },
    /// Write an export of a run into a new file.
    Export { run: RunId, form: Form, folder: PathBuf, name: String },
    /// Write the log of a run into a private file, to be shown by a program.
    FetchLog { run: RunId, shower: Shower },
    /// Lend the terminal to a program that shows a file.
    Visit { shower: Shower, file: LogFile },
    /// Find what the text of the new-run prompt could become.
    Complete(Completing),
    /// Keep a command line for later sessions.
    Remember(String),
    /// Start what the new-run prompt describes.
    StartNew(NewRun),
    /// Stop a run.
    Stop { run: RunId, kill: bool },
    /// End what an orphaned run has left.
    Reap(RunId),
    /// Stop a run and start it again.
    Restart { run: RunId, kill: bool },
    /// Send a signal.
    Signal { run: RunId, signal: i32, target: SignalTarget },
    /// Move or remove a deadline.
    SetDeadline { run: RunId, kind: TimeoutKind, deadline: Deadline },
    /// Give a run another name.
    Rename { run: RunId, name: RunName },
    /// Ask for the record and live facts.
    Inspect(RunId),
    /// Ask what live runs use.
    Usage,
    /// Ask for ports, environment and limits.
    Surroundings(RunId),
    /// Ask why a run stands as it does.
    Why(RunId),
    /// Ask for what ran under the name of a run.
    Generations { run: RunId, name: RunName },
    /// Tell the user, who does not look: about which run, and what.
    Notify { name: String, what: String },
    /// Remove a final run.
    Forget(RunId),
    /// Ask for rows of the scrollback.
    History { run: RunId, first: u64, count: usize },
    /// Ask for rows of the scrollback to be read as text.
    Gather { run: RunId, first: u64, count: usize },
    /// Search the logs of all runs, in place of the search before.
    Find { number: u64, request: Box<SearchRequest> },
    /// Search no longer.
    StopFinding,
    /// Ask for a page of records.
    Records { before: Option<u64> },
    /// Begin a show in place of the one before.
    Show { id: u64, what: What, size: Size },
    /// Ask the show for something.
    ShowOrder(Order),
    /// Give a text to the clipboard.
    Copy(String),
    /// Watch this run, or at another size than before.
    Watch { run: RunId, size: Size },
    /// Watch this run no longer.
    Unwatch(RunId),
    /// Type into a run.
    Control { run: RunId, control: WriteStdin },
    /// Take the keyboard of a run.
    TakeKeyboard(RunId),
    /// Hand it back.
    HandBackKeyboard(RunId),
    /// Give a run's terminal the size of its pane.
    Resize { run: RunId, size: Size },
    /// Stop everything.
    Shutdown { hurry: bool },
    /// Stop these runs, which are all that there are.
    StopAll { runs: Vec<RunId>, kill: bool },
    /// Suspend the TUI.
    Suspend,
    /// Draw everything anew.
    Redraw,
    /// Leave.
    Quit,
}
