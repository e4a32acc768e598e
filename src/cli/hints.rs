//! What somebody at a command line can do about a failure that does not say so itself.

use crate::model::{ErrorCode, Failure};

/// Returns the hint of a failure: its own, or what usually helps.
pub(super) fn hint(failure: &Failure) -> Option<&str> {
    failure.hint.as_deref().or_else(|| usual(failure.code))
}

fn usual(code: ErrorCode) -> Option<&'static str> {
    match code {
        ErrorCode::ControlClosed => {
            Some("`shtask restart` starts a run that has ended again, `shtask read` shows what it printed last")
        }
        ErrorCode::SpawnFailed | ErrorCode::StoreFailed => Some("`shtask doctor` looks for what may be wrong"),
        ErrorCode::Unavailable => Some("`shtask server status` tells how the server stands"),
        ErrorCode::Busy => Some("try again in a moment"),
        ErrorCode::Invalid
        | ErrorCode::NotFound
        | ErrorCode::Ambiguous
        | ErrorCode::CapacityFull
        | ErrorCode::Conflict
        | ErrorCode::Held
        | ErrorCode::Unsupported
        | ErrorCode::Stale
        | ErrorCode::Closing
        | ErrorCode::ProgramNotFound
        | ErrorCode::NotExecutable
        | ErrorCode::NotRunnable
        | ErrorCode::ExecFailed
        | ErrorCode::Undrained
        | ErrorCode::Unkillable
        | ErrorCode::PayloadUndelivered
        | ErrorCode::Broken
        | ErrorCode::HolderLost
        | ErrorCode::TimedOut => None,
    }
}
