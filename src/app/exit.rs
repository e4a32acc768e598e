//! Exit codes and messages (S11.1, S11.2).

use std::process::ExitCode;

use crate::model::{ErrorCode, Failure};

/// Prints what clap has to say: help and version are no errors.
pub(super) fn usage(error: &clap::Error) -> ExitCode {
    // Nothing more can be done when standard output or error is closed.
    let _ = error.print();
    if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS }
}

/// Prints a failure in one line, and its hint, and returns the exit code that goes with it.
pub(super) fn failed(failure: &Failure) -> ExitCode {
    eprintln!("error: {}", failure.message);
    if let Some(hint) = &failure.hint {
        eprintln!("hint: {hint}");
    }
    ExitCode::from(code(failure.code))
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
