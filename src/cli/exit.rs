//! Exit codes, and what ends a verb early (S11.2).

use std::io;

use crate::model::{ErrorCode, Failure, Record, Status};

/// How the program ends: its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit(pub u8);

impl Exit {
    /// Done.
    pub const DONE: Exit = Exit(0);
    /// Failed.
    pub const FAILED: Exit = Exit(1);
    /// A usage that is wrong.
    pub const USAGE: Exit = Exit(2);
    /// The time is over.
    pub const TIME_OVER: Exit = Exit(124);
    /// shtask itself failed, where other codes are those of a run.
    pub const BROKEN: Exit = Exit(125);

    /// Returns the exit code that tells of a failure.
    pub fn of(code: ErrorCode) -> Exit {
        match code {
            ErrorCode::Invalid | ErrorCode::Ambiguous => Exit::USAGE,
            ErrorCode::NotFound => Exit(3),
            ErrorCode::CapacityFull => Exit(4),
            ErrorCode::ControlClosed | ErrorCode::Held | ErrorCode::Stale => Exit(5),
            ErrorCode::Unavailable => Exit(6),
            ErrorCode::TimedOut => Exit::TIME_OVER,
            ErrorCode::Conflict
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
            | ErrorCode::Busy => Exit::FAILED,
        }
    }

    /// Returns the exit code of a verb that stands for a run which could not be started: as a shell would answer (S11.2).
    pub fn of_start(code: ErrorCode) -> Exit {
        match code {
            // The same mistakes as without a run, and the same code.
            ErrorCode::Invalid | ErrorCode::NotRunnable => Exit::USAGE,
            ErrorCode::ProgramNotFound => Exit(127),
            ErrorCode::NotExecutable | ErrorCode::ExecFailed => Exit(126),
            ErrorCode::NotFound
            | ErrorCode::Ambiguous
            | ErrorCode::CapacityFull
            | ErrorCode::Conflict
            | ErrorCode::ControlClosed
            | ErrorCode::Held
            | ErrorCode::Unsupported
            | ErrorCode::Stale
            | ErrorCode::Closing
            | ErrorCode::SpawnFailed
            | ErrorCode::StoreFailed
            | ErrorCode::Undrained
            | ErrorCode::Unkillable
            | ErrorCode::PayloadUndelivered
            | ErrorCode::Broken
            | ErrorCode::HolderLost
            | ErrorCode::Busy
            | ErrorCode::Unavailable
            | ErrorCode::TimedOut => Exit::BROKEN,
        }
    }

    /// Returns the exit code of a run that has ended: its own, 128+n for a signal (S2.2).
    pub fn of_run(record: &Record) -> Exit {
        let own = record.exit_code.and_then(|code| u8::try_from(code).ok());
        match (record.status, own) {
            (Status::Completed, _) => Exit::DONE,
            // A run that shtask failed at although its command ended well did not do what was asked.
            (Status::Failed, Some(0)) | (_, None) => Exit::BROKEN,
            (_, Some(code)) => Exit(code),
        }
    }
}

/// What ends a verb early.
#[derive(Debug)]
pub enum Fault {
    /// It failed; not told yet.
    Failed(Failure),
    /// Whoever read the output has left, as `head` does: no error, nothing to be told.
    ReaderGone,
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Fault {
        Fault::Failed(failure)
    }
}

impl Fault {
    /// Makes the fault of an output that could not be written.
    pub fn of_output(error: &io::Error) -> Fault {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Fault::ReaderGone,
            _ => Fault::Failed(Failure::new(ErrorCode::Broken, format!("the output could not be written: {error}"))),
        }
    }
}
