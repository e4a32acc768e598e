//! What a driver is made from.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::kept::Keeping;
use super::taking_up::TakenUp;
use crate::api::LiveOutput;
use crate::holder::{HolderServer, Io, OnLost, Spawn, StdinSource};
use crate::launch::Resolved;
use crate::model::{Mode, RunId, Size, StdinSpec, StopSpec};
use crate::store::Redaction;
use crate::store::log::LogSink;

/// All that a driver needs to know of its run.
#[derive(Debug)]
pub struct Setup {
    /// The run.
    pub id: RunId,
    /// What is executed.
    pub resolved: Resolved,
    /// Pipes or a PTY.
    pub mode: Mode,
    /// The terminal's size at the start.
    pub size: Size,
    /// Standard input (pipes).
    pub stdin: StdinSpec,
    /// How it is stopped.
    pub stop: StopSpec,
    /// What becomes of the run when the server is gone.
    pub on_lost: OnLost,
    /// How many lines of scrollback are kept.
    pub scrollback_lines: usize,
    /// Takes the raw output.
    pub log: Option<LogSink>,
    /// How often the newest output goes to the record at most; none for not before the end.
    pub flush_interval: Option<Duration>,
    /// Takes secrets out of the output for the record.
    pub redaction: Redaction,
    /// Where live output goes, for a foreground run. At most 1 MiB a stream is passed on, which bounds the queue.
    pub live: Option<mpsc::UnboundedSender<LiveOutput>>,
    /// Where holders come from.
    pub holders: Arc<HolderServer>,
    /// For a run that is to outlive this program; then [`Setup::on_lost`] is [`OnLost::Keep`] and there is a log.
    pub keeping: Option<Keeping>,
    /// A run of the program before this one, which is gone on with in place of a start.
    pub taken_up: Option<Box<TakenUp>>,
}

impl Setup {
    /// Lets the environment go once the command has it: the kernel keeps it, too, and there are many runs.
    pub(super) fn forget_environment(&mut self) {
        if self.stop.command.is_none() {
            self.resolved.env = Vec::new();
        }
    }

    /// Returns the request to the holder.
    pub(super) fn spawn_request(&self) -> Spawn {
        let stdin = match self.stdin {
            StdinSpec::Null => StdinSource::Null,
            StdinSpec::Payload(_) => StdinSource::Pipe,
        };
        Spawn {
            program: self.resolved.program.clone().into_os_string(),
            argv: self.resolved.argv.clone(),
            env: self.resolved.env.clone(),
            cwd: self.resolved.cwd.clone().into_os_string(),
            io: match self.mode {
                Mode::Pty => Io::Pty { cols: self.size.cols(), rows: self.size.rows() },
                Mode::Pipes => Io::Pipes { stdin },
            },
            marker: OsString::from(self.id.as_str()),
            on_lost: self.on_lost,
        }
    }
}
