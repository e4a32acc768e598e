//! What can be known of a run: for lists, for the inspect panel, for readers.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::{
    Attention, HeldNote, KeyboardOwner, Moment, Notification, Progress, Record, RunId, StillAlive, TimeoutKind,
};

/// A deadline that is armed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadlineView {
    /// Which timeout it belongs to.
    pub kind: TimeoutKind,
    /// When it is over, on the boot clock of the machine of the run.
    pub at: Moment,
}

/// How far the end of a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Termination {
    /// Nobody asked for it.
    None,
    /// A stop was admitted; no signal was sent yet.
    Preparing,
    /// The first signal was sent; SIGKILL follows at the given moment.
    Grace {
        /// When the grace is over.
        until: Moment,
    },
    /// The root has exited; output is drained and the tree ended.
    Draining,
}

/// What a run did so far, so that a list can mark what nobody has looked at yet. It is published at most once a second and
/// only when it grew: a quiet run causes no update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Activity {
    /// The generation of its output.
    pub output: u64,
    /// How often its bell rang.
    pub bells: u64,
    /// Progress that it reports (OSC 9;4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
}

/// A run as lists show it: its record and what is true only now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunView {
    /// The record.
    pub record: Arc<Record>,
    /// The deadline that comes first, if any is armed.
    pub deadline: Option<DeadlineView>,
    /// How far the end of the run has come.
    pub termination: Termination,
    /// Whether control operations are taken (S4.5).
    pub control_open: bool,
    /// When the process was started, on the boot clock; none before that.
    pub started: Option<Moment>,
    /// When it became final, on the boot clock.
    pub ended: Option<Moment>,
    /// What it did so far.
    pub activity: Activity,
    /// What it wants of somebody (S6.7); none while it wants nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attention: Option<Attention>,
    /// What it wanted somebody to be told last; none while it said nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notification: Option<Notification>,
    /// Who holds its keyboard (S4.4); none when nobody does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyboard: Option<KeyboardOwner>,
}

impl RunView {
    /// Returns the run's id.
    pub fn id(&self) -> RunId {
        self.record.id
    }
}

/// A process of a run's tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessFacts {
    /// Its process id.
    pub pid: i32,
    /// Its parent's; for a process whose parent left, the holder's.
    pub parent: i32,
    /// The name of its program, control characters removed.
    pub name: String,
    /// The state letter of `/proc/PID/stat`: `R S D T Z …`.
    pub state: char,
    /// The processor time that it used.
    pub cpu: Duration,
    /// Its resident memory in bytes.
    pub resident_bytes: u64,
}

/// How many bytes went through a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ByteCounts {
    /// Written to it.
    pub input: u64,
    /// Of the terminal, or of standard output.
    pub output: u64,
    /// Of standard error (pipes).
    pub error: u64,
}

/// What `inspect` returns: the record and live facts. Looking at it marks nothing (S6.2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inspection {
    /// The run.
    pub view: RunView,
    /// Its processes, parents before children; empty when it has ended.
    pub processes: Vec<ProcessFacts>,
    /// What went through it.
    pub bytes: ByteCounts,
    /// The holder's process id.
    pub holder_pid: Option<i32>,
    /// Control cuts made so far.
    pub cuts: u64,
}

/// A stream of a pipes run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// A part of a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartName {
    /// The tail of standard output.
    Stdout,
    /// The tail of standard error.
    Stderr,
    /// The screen of a PTY run.
    Screen,
    /// Its alternate screen as it was left last.
    Alternate,
    /// Its newest scrollback.
    Scrollback,
}

/// One part of a reading. That it was cut is said apart from the text, so no output can forge it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Which part it is.
    pub name: PartName,
    /// The text, from a line start on.
    pub text: String,
    /// Whether there was more before it.
    pub cut: bool,
}

/// What a read returns (S6.1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The record, marked observed when the run is final.
    pub record: Arc<Record>,
    /// The parts in the order of the rule: of pipes both streams; of a PTY the screen, the last alternate screen, the newest scrollback.
    pub parts: Vec<Part>,
    /// For an agent: that a person held the keyboard since an agent read last (S4.4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<HeldNote>,
}

/// Asks for bytes of the raw log of a run (S6.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogRequest {
    /// Standard output, which for a PTY run is the terminal, or standard error.
    pub stream: Stream,
    /// From where on: the number of bytes of the stream before it.
    pub offset: u64,
    /// At most how many bytes: 1 to 1 MiB.
    pub limit_bytes: usize,
    /// For how long to wait when nothing is there yet.
    #[serde(default)]
    pub wait: Option<Duration>,
}

/// Bytes of the raw log of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LogReading {
    /// Where the bytes begin: later than what was asked for when that is not kept any more.
    pub offset: u64,
    /// The bytes as the run printed them; they may end within a character.
    pub bytes: Vec<u8>,
    /// Where to go on.
    pub next_offset: u64,
    /// How many bytes between what was asked for and `offset` were dropped or lost.
    pub skipped_bytes: u64,
    /// Whether nothing follows: the run has ended and this was its last output.
    pub is_end: bool,
    /// Whether secrets are taken out of logs (S9.4): then these bytes and offsets are not those that the run printed.
    #[serde(default)]
    pub is_redacted: bool,
}

/// What became of a process that outlived its shtask (S7.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reaped {
    /// The orphaned run.
    pub run: RunId,
    /// How many processes of its tree were ended.
    pub ended: usize,
    /// What would not die.
    pub left: Vec<StillAlive>,
}
