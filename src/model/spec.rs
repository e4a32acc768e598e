//! What to run, and how (S3).

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{ErrorCode, Failure, Limits, Mode, RunName, Size, os_text, show_span};

/// The command of a run (S3.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandSpec {
    /// A line for a shell.
    Shell {
        /// The line, not empty.
        #[serde(with = "os_text")]
        line: OsString,
        /// The shell's program; `$SHELL` of the run's environment, else `/bin/sh`, when it is not given.
        #[serde(default, with = "os_text")]
        shell: Option<PathBuf>,
        /// Whether the shell is a login shell (`-l`).
        #[serde(default)]
        login: bool,
        /// Whether the shell is interactive (`-i`).
        #[serde(default)]
        interactive: bool,
    },
    /// A program and its arguments, without a shell. The program comes first, so it is not empty.
    Argv(#[serde(with = "os_text")] Vec<OsString>),
}

impl CommandSpec {
    /// Makes the command of a shell line with the default shell.
    pub fn line(line: impl Into<OsString>) -> CommandSpec {
        CommandSpec::Shell { line: line.into(), shell: None, login: false, interactive: false }
    }
}

/// The environment of a run (S3.3), in the order of application: base, `files`, `set`, `unset`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EnvSpec {
    /// The environment to start from: the client's own, shared by all that it starts. Values may be any bytes but NUL.
    #[serde(default, with = "os_text")]
    pub base: Arc<Vec<(OsString, OsString)>>,
    /// Whether only an allow-list of `base` is taken.
    #[serde(default)]
    pub clean: bool,
    /// Files of variables (dotenv), read in order.
    #[serde(default, with = "os_text")]
    pub files: Vec<PathBuf>,
    /// Variables to set.
    #[serde(default, with = "os_text")]
    pub set: Vec<(OsString, OsString)>,
    /// Variables to remove.
    #[serde(default, with = "os_text")]
    pub unset: Vec<OsString>,
}

/// What a pipes run gets on its standard input (S3.4).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StdinSpec {
    /// The null device: reads end at once.
    #[default]
    Null,
    /// At most 1 MiB, written, then closed.
    Payload(Vec<u8>),
}

/// The three timeouts of a run (S3.6), each 1 ms to 24 h, none unless given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Timeouts {
    /// From the spawn on.
    #[serde(default)]
    pub wall: Option<Duration>,
    /// Without any output.
    #[serde(default)]
    pub idle: Option<Duration>,
    /// Until the run is ready.
    #[serde(default)]
    pub ready: Option<Duration>,
}

/// How a run is asked to end (S4.7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopSpec {
    /// The first signal, by number; SIGTERM (for a PTY SIGHUP too) when it is not given.
    #[serde(default)]
    pub signal: Option<i32>,
    /// A shell line that asks the run to end, run in place of the first signal.
    #[serde(default, with = "os_text")]
    pub command: Option<OsString>,
    /// How long it may take before SIGKILL; at most an hour.
    pub grace: Duration,
}

impl Default for StopSpec {
    fn default() -> StopSpec {
        StopSpec { signal: None, command: None, grace: Limits::GRACE }
    }
}

/// All that is needed to start a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSpec {
    /// The task's name; none for an ad hoc run.
    #[serde(default)]
    pub name: Option<RunName>,
    /// The command.
    pub command: CommandSpec,
    /// Pipes or a PTY.
    pub mode: Mode,
    /// The working directory, absolute.
    #[serde(with = "os_text")]
    pub cwd: PathBuf,
    /// The environment.
    #[serde(default)]
    pub env: EnvSpec,
    /// Standard input, for pipes.
    #[serde(default)]
    pub stdin: StdinSpec,
    /// The terminal's size at the start, for a PTY.
    pub size: Size,
    /// The timeouts.
    #[serde(default)]
    pub timeouts: Timeouts,
    /// How it is stopped.
    #[serde(default)]
    pub stop: StopSpec,
    /// Whether descendants that are left after the root's own exit are let live, and a held pipe is no failure (S4.10).
    #[serde(default)]
    pub daemonizes: bool,
    /// Whether somebody waits for it in the foreground (S3.5): pipes only, with a timeout.
    #[serde(default)]
    pub foreground: bool,
}

/// Why a [`RunSpec`] was refused before anything was done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// There is nothing to run.
    #[error("the command is empty")]
    EmptyCommand,
    /// A text that the kernel takes holds a NUL byte.
    #[error("{what} holds a NUL byte: {text:?}")]
    Nul {
        /// What holds it.
        what: &'static str,
        /// The text, with the byte shown escaped.
        text: OsString,
    },
    /// A variable's name is empty or holds `=`.
    #[error("{name:?} is no name of an environment variable")]
    EnvName {
        /// The name that was given.
        name: OsString,
    },
    /// A duration lies outside its limits.
    #[error("{what} of {} is out of range: it must be {} to {}", show_span(*given), show_span(*min), show_span(*max))]
    Duration {
        /// Which duration.
        what: &'static str,
        /// What was given.
        given: Duration,
        /// The shortest that is allowed.
        min: Duration,
        /// The longest that is allowed.
        max: Duration,
    },
    /// The working directory is relative.
    #[error("the working directory {path:?} is not absolute")]
    RelativeCwd {
        /// The path that was given.
        path: PathBuf,
    },
    /// The payload is too long.
    #[error("standard input of {bytes} bytes is too long: at most {} bytes", Limits::MAX_PAYLOAD_BYTES)]
    Payload {
        /// Its length.
        bytes: usize,
    },
    /// A payload was given to a PTY run.
    #[error("a PTY run takes no standard input payload; write to it once it runs")]
    PtyPayload,
    /// A foreground run asked for a PTY.
    #[error("a foreground run uses pipes, not a PTY")]
    ForegroundPty,
    /// The stop signal is none.
    #[error("{number} is no signal that can stop a run: use 1 to 64 other than SIGSTOP (19) and SIGCONT (18)")]
    Signal {
        /// The number that was given.
        number: i32,
    },
}

impl From<SpecError> for Failure {
    fn from(error: SpecError) -> Failure {
        let failure = Failure::new(ErrorCode::Invalid, error.to_string());
        match error.hint() {
            Some(hint) => failure.with_hint(hint),
            None => failure,
        }
    }
}

impl SpecError {
    fn hint(&self) -> Option<&'static str> {
        match self {
            SpecError::EmptyCommand => Some("name a program, or a line for the shell"),
            SpecError::EnvName { .. } => Some("a name is not empty and has no `=`"),
            SpecError::Duration { max, .. } if *max == Limits::MAX_FOREGROUND_TIMEOUT => {
                Some("a run in the background may take up to 24h")
            }
            SpecError::Payload { .. } => Some("let the command read the file itself"),
            SpecError::ForegroundPty => Some("start it with a PTY in the background and attach to it"),
            SpecError::Duration { .. }
            | SpecError::Nul { .. }
            | SpecError::RelativeCwd { .. }
            | SpecError::PtyPayload
            | SpecError::Signal { .. } => None,
        }
    }
}

impl RunSpec {
    /// Makes a spec with every optional part at its default.
    pub fn new(command: CommandSpec, mode: Mode, cwd: impl Into<PathBuf>) -> RunSpec {
        RunSpec {
            name: None,
            command,
            mode,
            cwd: cwd.into(),
            env: EnvSpec::default(),
            stdin: StdinSpec::Null,
            size: Size::DEFAULT,
            timeouts: Timeouts::default(),
            stop: StopSpec::default(),
            daemonizes: false,
            foreground: false,
        }
    }

    /// Returns the wall timeout in force: a foreground run that names none gets two minutes (S3.5).
    pub fn wall_timeout(&self) -> Option<Duration> {
        self.timeouts.wall.or(self.foreground.then_some(Limits::FOREGROUND_TIMEOUT))
    }

    /// Checks everything that can be checked without looking at the machine (S3.2, S3.4, S3.6).
    ///
    /// # Errors
    /// The first fault that is found, by name.
    pub fn validate(&self) -> Result<(), SpecError> {
        match &self.command {
            CommandSpec::Shell { line, shell, .. } => {
                if line.as_bytes().iter().all(u8::is_ascii_whitespace) {
                    return Err(SpecError::EmptyCommand);
                }
                no_nul("the command line", line)?;
                shell.iter().try_for_each(|path| no_nul("the shell's path", path.as_os_str()))?;
            }
            CommandSpec::Argv(argv) => {
                if argv.first().is_none_or(|program| program.is_empty()) {
                    return Err(SpecError::EmptyCommand);
                }
                argv.iter().try_for_each(|word| no_nul("an argument", word))?;
            }
        }
        no_nul("the working directory", self.cwd.as_os_str())?;
        if !self.cwd.is_absolute() {
            return Err(SpecError::RelativeCwd { path: self.cwd.clone() });
        }
        for (name, value) in self.env.set.iter().chain(self.env.base.iter()) {
            no_nul("an environment variable", name)?;
            no_nul("an environment variable", value)?;
        }
        if let Some((name, _)) =
            self.env.set.iter().find(|(name, _)| name.is_empty() || name.as_bytes().contains(&b'='))
        {
            return Err(SpecError::EnvName { name: name.clone() });
        }
        self.validate_times()?;
        match (&self.stdin, self.mode) {
            (StdinSpec::Payload(_), Mode::Pty) => return Err(SpecError::PtyPayload),
            (StdinSpec::Payload(bytes), Mode::Pipes) if bytes.len() > Limits::MAX_PAYLOAD_BYTES => {
                return Err(SpecError::Payload { bytes: bytes.len() });
            }
            (StdinSpec::Payload(_) | StdinSpec::Null, _) => {}
        }
        if self.foreground && self.mode == Mode::Pty {
            return Err(SpecError::ForegroundPty);
        }
        match self.stop.signal {
            Some(number) if !(1..=64).contains(&number) || matches!(number, 18 | 19) => {
                Err(SpecError::Signal { number })
            }
            _ => Ok(()),
        }
    }

    fn validate_times(&self) -> Result<(), SpecError> {
        let wall_max = if self.foreground { Limits::MAX_FOREGROUND_TIMEOUT } else { Limits::MAX_TIMEOUT };
        let Timeouts { wall, idle, ready } = self.timeouts;
        let spans = [
            ("timeout", wall, wall_max),
            ("idle_timeout", idle, Limits::MAX_TIMEOUT),
            ("ready_timeout", ready, Limits::MAX_TIMEOUT),
        ];
        for (what, given, max) in spans {
            if let Some(given) = given.filter(|span| *span < Limits::MIN_TIMEOUT || *span > max) {
                return Err(SpecError::Duration { what, given, min: Limits::MIN_TIMEOUT, max });
            }
        }
        if self.stop.grace > Limits::MAX_GRACE {
            let (given, max) = (self.stop.grace, Limits::MAX_GRACE);
            return Err(SpecError::Duration { what: "the grace", given, min: Duration::ZERO, max });
        }
        Ok(())
    }
}

fn no_nul(what: &'static str, text: &OsStr) -> Result<(), SpecError> {
    if text.as_bytes().contains(&0) {
        // The whole text may be megabytes: the start is enough to find it by.
        let start = OsStr::from_bytes(&text.as_bytes()[..text.len().min(80)]).to_owned();
        return Err(SpecError::Nul { what, text: start });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> RunSpec {
        RunSpec::new(CommandSpec::line("true"), Mode::Pipes, "/")
    }

    fn refused(change: impl FnOnce(&mut RunSpec)) -> String {
        let mut spec = spec();
        change(&mut spec);
        spec.validate().expect_err("a spec that is wrong").to_string()
    }

    #[test]
    fn a_command_with_a_nul_byte_is_refused_and_shown_escaped() {
        let message = refused(|s| s.command = CommandSpec::Argv(vec!["echo".into(), "a\0b".into()]));
        assert!(message.contains("NUL") && message.contains("a\\0b"), "{message}");
    }

    #[test]
    fn empty_commands_are_refused() {
        for command in [CommandSpec::line(" \t\n"), CommandSpec::Argv(vec![]), CommandSpec::Argv(vec!["".into()])] {
            assert!(refused(|s| s.command = command.clone()).contains("empty"));
        }
    }

    #[test]
    fn timeouts_outside_their_range_are_refused_by_name() {
        let hours = |h: u64| Some(Duration::from_secs(h * 3600));
        let long = refused(|s| s.timeouts.wall = hours(25));
        assert_eq!(long, "timeout of 25h is out of range: it must be 1ms to 24h");
        assert!(refused(|s| s.timeouts.idle = Some(Duration::ZERO)).starts_with("idle_timeout of 0s"));
        assert!(refused(|s| s.timeouts.ready = hours(100)).starts_with("ready_timeout"));
        let foreground = refused(|s| (s.foreground, s.timeouts.wall) = (true, Some(Duration::from_secs(601))));
        assert!(foreground.contains("10m 1s") && foreground.ends_with("1ms to 10m"), "{foreground}");
        let grace = refused(|s| s.stop.grace = Duration::from_secs(3601));
        assert_eq!(grace, "the grace of 1h 1s is out of range: it must be 0s to 1h");
    }

    #[test]
    fn a_payload_of_a_mebibyte_and_one_byte_is_refused() {
        assert!(refused(|s| s.stdin = StdinSpec::Payload(vec![0; 1024 * 1024 + 1])).contains("1048577"));
        assert!(refused(|s| (s.mode, s.stdin) = (Mode::Pty, StdinSpec::Payload(vec![1]))).contains("PTY"));
    }

    #[test]
    fn bytes_that_are_no_utf8_pass_through_the_environment() {
        let mut spec = spec();
        spec.env.set = vec![(OsStr::from_bytes(b"K\xa3").into(), OsStr::from_bytes(b"\xff").into())];
        assert_eq!(spec.validate(), Ok(()));
    }

    #[test]
    fn a_foreground_run_has_two_minutes_unless_it_says_otherwise() {
        let mut spec = spec();
        spec.foreground = true;
        assert_eq!(spec.wall_timeout(), Some(Duration::from_secs(120)));
        spec.timeouts.wall = Some(Duration::from_secs(5));
        assert_eq!(spec.wall_timeout(), Some(Duration::from_secs(5)));
    }

    #[test]
    fn signals_that_cannot_stop_are_refused() {
        for number in [0, -1, 65, 18, 19] {
            assert!(refused(|s| s.stop.signal = Some(number)).contains("signal"), "{number}");
        }
    }
}
