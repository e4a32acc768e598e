//! Whether the other side can be reached.

use crate::model::Failure;

/// The state of a connection to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// There is one.
    Up,
    /// The server says nothing, as one that is stopped; the connection is kept, and goes on with what follows.
    Silent(Failure),
    /// It was lost, for this reason; a new one is tried for, unless the server was stopped on purpose: then all feeds end.
    Lost(Failure),
}
