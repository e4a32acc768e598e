//! The configuration in force.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{Directories, KeySettings, Place, ThemeSettings, TuiSettings};
use crate::model::{Limits, Mode, RunName, RunSpec, Size};

/// What a run gets that does not say otherwise (`[defaults]`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defaults {
    /// Pipes or a PTY.
    pub mode: Mode,
    /// The shell for shell lines; none for `$SHELL` of the run's environment, else `/bin/sh`.
    pub shell: Option<PathBuf>,
    /// The size of a PTY that nobody looks at.
    pub size: Size,
    /// The time between the stop signal and SIGKILL.
    pub grace: Duration,
}

impl Default for Defaults {
    fn default() -> Defaults {
        Defaults { mode: Mode::Pty, shell: None, size: Size::DEFAULT, grace: Limits::GRACE }
    }
}

/// What is kept of the output of runs (`[output]`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputSettings {
    /// How large the raw log of one run may become, in bytes.
    pub max_log_bytes: u64,
    /// How often the newest output goes to the record at most.
    pub flush_interval: Duration,
    /// Whether secrets are taken out of the raw logs, too.
    pub redact_logs: bool,
}

impl Default for OutputSettings {
    fn default() -> OutputSettings {
        OutputSettings { max_log_bytes: 64 * 1024 * 1024, flush_interval: Duration::from_secs(1), redact_logs: false }
    }
}

/// What counts as a secret besides the usual ones (`[redact]`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RedactSettings {
    /// Regular expressions: those of the user's file, then the project's. Each is sound by itself.
    pub patterns: Vec<String>,
}

/// How records are kept (`[store]`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoreSettings {
    /// Whether a run is ended that cannot be kept.
    pub strict: bool,
}

/// How long ended runs stay on record (`[retention]`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionSettings {
    /// How many of each session.
    pub runs: usize,
    /// For how many days.
    pub days: usize,
    /// How large all logs may be together, in bytes.
    pub log_bytes: u64,
}

impl Default for RetentionSettings {
    fn default() -> RetentionSettings {
        RetentionSettings { runs: 500, days: 30, log_bytes: 2 * 1024 * 1024 * 1024 }
    }
}

/// A task of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskSettings {
    /// Its name.
    pub name: RunName,
    /// How to start it: valid, but with an empty environment to start from.
    pub spec: RunSpec,
    /// Whether it starts with shtask.
    pub autostart: bool,
    /// Where it is defined.
    pub place: Place,
}

/// The configuration in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `[limits]`.
    pub limits: Limits,
    /// `[defaults]`; they are in the tasks' specs already.
    pub defaults: Defaults,
    /// `[output]`.
    pub output: OutputSettings,
    /// `[redact]`.
    pub redact: RedactSettings,
    /// `[store]`.
    pub store: StoreSettings,
    /// `[retention]`.
    pub retention: RetentionSettings,
    /// `[tui]`.
    pub tui: TuiSettings,
    /// `[keys]`.
    pub keys: KeySettings,
    /// `[theme]`.
    pub theme: ThemeSettings,
    /// The tasks: the project's in the order of its file, then those of the user's file.
    pub tasks: Vec<TaskSettings>,
    /// The files that were read, the one that wins first.
    pub files: Vec<PathBuf>,
    /// The folder of the project's file; the folder where the search began when there is none.
    pub project_dir: PathBuf,
    /// The user's directories.
    pub directories: Directories,
}

impl Settings {
    /// Returns the tasks as they can be started, each with whether it starts with shtask. `base` is the environment that they start
    /// from: that of whoever asks (S3.3).
    pub fn task_specs(&self, base: &Arc<Vec<(OsString, OsString)>>) -> Vec<(RunName, RunSpec, bool)> {
        let with_base = |task: &TaskSettings| {
            let mut spec = task.spec.clone();
            spec.env.base = Arc::clone(base);
            (task.name.clone(), spec, task.autostart)
        };
        self.tasks.iter().map(with_base).collect()
    }
}
