//! The record of a run (S2.1–S2.4).

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Failure, Recipe, RunId, RunName, SessionName, Size};

/// Whether a run has pipes or a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Standard output and standard error captured apart.
    Pipes,
    /// A terminal of its own.
    Pty,
}

/// The status of a run (S2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It waits for a slot.
    Queued,
    /// Its record exists; its process does not yet, or is not confirmed.
    Starting,
    /// Its process lives.
    Running,
    /// It ended with exit code 0.
    Completed,
    /// It ended with another exit code, or could not be run.
    Failed,
    /// A timeout ended it: exit code 124.
    TimedOut,
    /// A stop or a shutdown ended it: exit code 130.
    Cancelled,
    /// Its process was lost sight of.
    Orphaned,
}

impl Status {
    /// All of them.
    pub const ALL: [Status; 8] = [
        Status::Queued,
        Status::Starting,
        Status::Running,
        Status::Completed,
        Status::Failed,
        Status::TimedOut,
        Status::Cancelled,
        Status::Orphaned,
    ];

    /// Returns whether the run is over: a final record never changes again.
    pub fn is_final(self) -> bool {
        match self {
            Status::Queued | Status::Starting | Status::Running => false,
            Status::Completed | Status::Failed | Status::TimedOut | Status::Cancelled | Status::Orphaned => true,
        }
    }

    /// Returns whether the status may change to `next` (S2.1). No other transition exists.
    pub fn may_become(self, next: Status) -> bool {
        use Status::{Cancelled, Completed, Failed, Orphaned, Queued, Running, Starting, TimedOut};
        match self {
            Queued => matches!(next, Starting | Cancelled | Failed),
            Starting => matches!(next, Running | Failed | Orphaned),
            Running => matches!(next, Completed | Failed | TimedOut | Cancelled | Orphaned),
            Completed | Failed | TimedOut | Cancelled | Orphaned => false,
        }
    }

    /// Returns the word that people and JSON see.
    pub fn word(self) -> &'static str {
        match self {
            Status::Queued => "queued",
            Status::Starting => "starting",
            Status::Running => "running",
            Status::Completed => "completed",
            Status::Failed => "failed",
            Status::TimedOut => "timed_out",
            Status::Cancelled => "cancelled",
            Status::Orphaned => "orphaned",
        }
    }
}

/// Why a run was ended from outside; latched by the first one committed (S4.9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A timeout.
    Timeout,
    /// A stop.
    Cancel,
    /// A shutdown of everything.
    Shutdown,
}

impl Cause {
    /// Returns the exit code that goes with it (S2.2).
    pub fn exit_code(self) -> i32 {
        match self {
            Cause::Timeout => 124,
            Cause::Cancel | Cause::Shutdown => 130,
        }
    }

    /// Returns the final status that goes with it.
    pub fn status(self) -> Status {
        match self {
            Cause::Timeout => Status::TimedOut,
            Cause::Cancel | Cause::Shutdown => Status::Cancelled,
        }
    }
}

/// Which of the three timeouts ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeoutKind {
    /// The wall timeout.
    Wall,
    /// The idle timeout.
    Idle,
    /// The ready timeout.
    Ready,
}

/// Where the cursor of a screen is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ScreenPoint {
    /// The column, from 0.
    pub x: u16,
    /// The row, from 0.
    pub y: u16,
    /// Whether the cursor is shown.
    pub visible: bool,
}

/// A process of a run's tree that could not be ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StillAlive {
    /// Its process id.
    pub pid: i32,
    /// Why it is still there.
    pub why: String,
}

/// What the end of a run's tree took.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EndedTree {
    /// How many processes got the first signal.
    pub signalled: u32,
    /// How many had to be killed.
    pub killed: u32,
    /// What is left, in spite of everything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<StillAlive>,
}

/// The output of a pipes run (S2.4).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PipesOutput {
    /// The tail of standard output, cut at a line start; bytes that are no UTF-8 become U+FFFD.
    pub stdout: String,
    /// The tail of standard error, likewise.
    pub stderr: String,
    /// The stream that wrote last: `stdout` or `stderr`.
    pub latest_stream: Option<String>,
    /// Whether standard output had more than is here.
    pub stdout_truncated: bool,
    /// Whether standard error had more than is here.
    pub stderr_truncated: bool,
    /// Whether something was redacted.
    pub redacted: bool,
}

/// The output of a PTY run (S2.4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PtyOutput {
    /// The screen, a line a row, without trailing blank rows.
    pub screen: String,
    /// What scrolled off, as logical lines: soft-wrapped rows are joined.
    pub scrollback: String,
    /// The alternate screen as it was when it was left last.
    pub last_alternate_screen: Option<String>,
    /// The columns.
    pub cols: u16,
    /// The rows.
    pub rows: u16,
    /// The cursor.
    pub cursor: ScreenPoint,
    /// Whether the alternate screen is shown.
    pub alternate_screen: bool,
    /// The window title.
    pub title: String,
    /// Whether something was really lost, not merely cleared.
    pub truncated: bool,
    /// Whether something was redacted.
    pub redacted: bool,
}

/// The output of a run, by its mode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RecordOutput {
    /// Of pipes.
    Pipes(PipesOutput),
    /// Of a terminal.
    Pty(Box<PtyOutput>),
}

/// What proves that a process is the one that was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessIdentity {
    /// The process id.
    pub pid: i32,
    /// When it started, in clock ticks since boot (`/proc/PID/stat`, field 22).
    pub start_ticks: u64,
    /// The boot it belongs to (`/proc/sys/kernel/random/boot_id`).
    pub boot_id: String,
}

/// That something of a run could not be stored (S2.7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Degraded {
    /// Since when.
    pub since: Timestamp,
    /// Why, in one line.
    pub why: String,
    /// When storing worked again; none while it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// What the raw log of a run has (S2.5), in bytes of all its streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LogFacts {
    /// What was written to it.
    pub bytes: u64,
    /// What of that was dropped again because the log was full: the oldest.
    pub dropped_bytes: u64,
    /// What could not be written.
    pub lost_bytes: u64,
}

/// Paths in records: as they are where they are UTF-8, else with `\xA3` for each byte that is not, as they are shown everywhere.
mod shown_path {
    use std::fmt::Write as _;
    use std::os::unix::ffi::OsStrExt;
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    fn shown(path: &Path) -> String {
        let mut text = String::new();
        for chunk in path.as_os_str().as_bytes().utf8_chunks() {
            text.push_str(chunk.valid());
            for byte in chunk.invalid() {
                write!(text, "\\x{byte:02X}").expect("writing to a string does not fail");
            }
        }
        text
    }

    pub(super) fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&shown(path))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
        String::deserialize(from).map(PathBuf::from)
    }

    pub(super) mod optional {
        use super::{Deserialize, Deserializer, PathBuf, Serialize, Serializer, shown};

        pub(in super::super) fn serialize<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
            path.as_deref().map(shown).serialize(to)
        }

        pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<PathBuf>, D::Error> {
            Ok(Option::<String>::deserialize(from)?.map(PathBuf::from))
        }
    }
}

/// The durable record of a run (S2.3).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The version of this shape: 1.
    pub schema: u32,
    /// The full form of its ref, `shtask://SESSION/RUN-ID`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The run's id.
    pub id: RunId,
    /// The session that owns it.
    pub session: SessionName,
    /// The task's name.
    pub name: Option<RunName>,
    /// 1 for the first run of that name in its session, 2 for the next; 1 for an ad hoc run.
    pub generation: u64,
    /// Pipes or a PTY.
    pub mode: Mode,
    /// Where it stands.
    pub status: Status,
    /// The command in one line, for people.
    pub command: String,
    /// The argv that is executed; bytes that are no UTF-8 become U+FFFD.
    pub argv: Vec<String>,
    /// The shell's program, when a shell runs the command.
    #[serde(with = "shown_path::optional")]
    pub shell: Option<PathBuf>,
    /// The working directory; in JSON, bytes that are no UTF-8 are shown as `\xA3`.
    #[serde(with = "shown_path")]
    pub cwd: PathBuf,
    /// The process, once there is one.
    pub process: Option<ProcessIdentity>,
    /// The terminal's size, for a PTY.
    pub size: Option<Size>,
    /// When the process was started; none before that.
    pub started_at: Option<Timestamp>,
    /// When the record changed last.
    pub updated_at: Timestamp,
    /// When it became final.
    pub completed_at: Option<Timestamp>,
    /// When its final state was first read by a client.
    pub observed_at: Option<Timestamp>,
    /// The wall timeout.
    pub timeout: Option<Duration>,
    /// Which timeout ended it.
    pub timed_out_by: Option<TimeoutKind>,
    /// Its exit code (S2.2).
    pub exit_code: Option<i32>,
    /// The signal that ended the root process, by number.
    pub signal: Option<i32>,
    /// Why it was ended from outside.
    pub cause: Option<Cause>,
    /// What went wrong, first cause first.
    pub failure: Option<Failure>,
    /// What the end of its tree took, when something had to be ended.
    pub ended: Option<EndedTree>,
    /// That something of it could not be stored, since when and why; with an end when storing works again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degraded: Option<Degraded>,
    /// What its raw log has; none when it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<LogFacts>,
    /// How it was asked for, as far as that is needed to start it again; none in the records of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<Box<Recipe>>,
    /// Grows by one with each durable change, from 1.
    pub revision: u64,
    /// The last snapshot of its output.
    pub output: Option<RecordOutput>,
}

impl Record {
    /// Says in few words how the run stands or has ended, the same wherever people see it: `running`, `cancelled`, `failed 2`.
    ///
    /// The status, and behind `failed` the exit code: those of the others go with them (S2.2).
    pub fn ending(&self) -> String {
        match (self.status, self.exit_code) {
            (Status::Failed, Some(code)) => format!("{} {code}", self.status.word()),
            (status, _) => status.word().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_transition_leaves_a_final_status_and_only_the_named_ones_exist() {
        let mut allowed = Vec::new();
        for from in Status::ALL {
            for to in Status::ALL {
                if from.may_become(to) {
                    assert!(!from.is_final(), "{from:?} is final");
                    allowed.push((from.word(), to.word()));
                }
            }
        }
        assert_eq!(allowed.len(), 11);
        assert!(!Status::Running.may_become(Status::Running) && !Status::Starting.may_become(Status::Completed));
    }

    #[test]
    fn a_path_that_is_no_utf8_is_shown_escaped_in_a_record() {
        use std::os::unix::ffi::OsStringExt;

        #[derive(Serialize)]
        struct Shown {
            #[serde(with = "shown_path")]
            path: PathBuf,
        }

        let path = PathBuf::from(std::ffi::OsString::from_vec(b"/tmp/\xff\xc3\xa4".to_vec()));
        let json = serde_json::to_string(&Shown { path }).expect("json");
        assert_eq!(json, r#"{"path":"/tmp/\\xFFä"}"#);
    }

    #[test]
    fn every_status_word_is_its_json() {
        for status in Status::ALL {
            assert_eq!(serde_json::to_string(&status).expect("json"), format!("\"{}\"", status.word()));
        }
    }
}
