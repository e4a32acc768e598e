//! Failures of a connection.

use crate::model::{Effects, ErrorCode, Failure};

/// Who waited when the connection was lost: nobody knows what the request has done.
pub(super) fn lost(why: &Failure) -> Failure {
    Failure::new(ErrorCode::Unavailable, format!("the connection to the server was lost: {why}"))
        .with_hint("look at what has been done before trying again")
        .with_effects(Effects::Unknown)
}

/// Who asks while there is no connection: the request was not sent.
pub(super) fn down(why: &Failure) -> Failure {
    Failure::new(ErrorCode::Unavailable, format!("there is no connection to the server: {why}"))
}

/// What went wrong with the socket.
pub(super) fn broken(error: impl std::fmt::Display) -> Failure {
    Failure::new(ErrorCode::Unavailable, error.to_string())
}
