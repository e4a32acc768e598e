//! Failures of a connection.

use std::time::Duration;

use crate::model::{Effects, ErrorCode, Failure};

/// Who waited when the connection was lost: nobody knows what the request has done.
pub(super) fn lost(why: &Failure) -> Failure {
    let hint = why.hint.as_deref().unwrap_or("look at what has been done before trying again");
    Failure::new(ErrorCode::Unavailable, format!("the connection to the server was lost: {why}"))
        .with_hint(hint)
        .with_effects(Effects::Unknown)
}

/// Who asks while there is no connection: the request was not sent.
pub(super) fn down(why: &Failure) -> Failure {
    let failure = Failure::new(ErrorCode::Unavailable, format!("there is no connection to the server: {why}"));
    Failure { hint: why.hint.clone(), ..failure }
}

/// Who waits for the answer of a server that says nothing: nobody knows what the request will do.
pub(super) fn unanswered(why: &Failure) -> Failure {
    why.clone().with_effects(Effects::Unknown)
}

/// The server says nothing, though it is there.
pub(super) fn silent(pid: i32, waited: Duration) -> Failure {
    let secs = waited.as_secs_f32().round();
    let message = format!("the server (process {pid}) has given no sign of life for {secs} s");
    Failure::new(ErrorCode::Unavailable, message).with_hint(format!(
        "`kill -CONT {pid}` wakes one that was stopped; after `kill -KILL {pid}` the next one goes on with its runs"
    ))
}

/// What went wrong with the socket.
pub(super) fn broken(error: impl std::fmt::Display) -> Failure {
    Failure::new(ErrorCode::Unavailable, error.to_string())
}
