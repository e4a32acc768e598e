//! Exit codes and messages (S11.1, S11.2).

use std::fmt::Write as _;
use std::io::Write as _;
use std::os::fd::AsFd;
use std::process::ExitCode;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::model::{ErrorCode, Failure};
use crate::settings::SettingsError;

/// The most faults of a configuration that are printed: a screenful, with their hints.
const MAX_FAULTS: usize = 10;

/// Prints what clap has to say: help and version are no errors.
pub(super) fn usage(error: &clap::Error) -> ExitCode {
    // Nothing more can be done when standard output or error is closed.
    let _ = error.print();
    if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS }
}

/// Prints a failure in one line, and its hint, and returns the exit code that goes with it.
pub(super) fn failed(failure: &Failure) -> ExitCode {
    complain(&lines_of(failure));
    ExitCode::from(code(failure.code))
}

/// Prints what is wrong with a configuration, fault by fault, and returns the exit code that goes with it.
pub(super) fn misconfigured(error: &SettingsError) -> ExitCode {
    let count = error.problems().count();
    let mut text: String = error.problems().take(MAX_FAULTS).map(|problem| lines_of(&problem.into())).collect();
    if count > MAX_FAULTS {
        // Writing to memory cannot fail.
        let _ = writeln!(text, "error: and {} more", count - MAX_FAULTS);
    }
    complain(&text);
    ExitCode::from(code(ErrorCode::Invalid))
}

fn lines_of(failure: &Failure) -> String {
    let mut text = format!("error: {}\n", failure.message);
    if let Some(hint) = &failure.hint {
        let _ = writeln!(text, "hint: {hint}");
    }
    text
}

/// Writes to standard error. When nobody reads that any more, the exit code still tells.
fn complain(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Prints the few lines that stay on the user's screen.
pub(super) fn summary(lines: &[String]) {
    let out = std::io::stdout();
    let mut polled = [PollFd::new(out.as_fd(), PollFlags::POLLOUT)];
    if poll(&mut polled, PollTimeout::ZERO) == Ok(0) {
        // A terminal that takes nothing would be waited for without end.
        return;
    }
    let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
    // The terminal may have gone meanwhile; then nobody misses them.
    let _ = out.lock().write_all(text.as_bytes());
}

fn code(code: ErrorCode) -> u8 {
    match code {
        ErrorCode::Invalid | ErrorCode::Ambiguous => 2,
        ErrorCode::NotFound => 3,
        ErrorCode::CapacityFull => 4,
        ErrorCode::ControlClosed | ErrorCode::Stale => 5,
        ErrorCode::Unavailable => 6,
        ErrorCode::TimedOut => 124,
        ErrorCode::Conflict
        | ErrorCode::Held
        | ErrorCode::Unsupported
        | ErrorCode::Closing
        | ErrorCode::ProgramNotFound
        | ErrorCode::NotExecutable
        | ErrorCode::NotRunnable
        | ErrorCode::ExecFailed
        | ErrorCode::SpawnFailed
        | ErrorCode::StoreFailed
        | ErrorCode::Undrained
        | ErrorCode::Unkillable
        | ErrorCode::PayloadUndelivered
        | ErrorCode::Broken
        | ErrorCode::HolderLost
        | ErrorCode::Busy => 1,
    }
}
