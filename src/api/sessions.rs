//! Sessions as a whole: what there is, and closing one (S7.1).

use serde::{Deserialize, Serialize};

use super::{Reply, ShutdownReport};
use crate::model::{LeaseId, SessionName};

/// What is common to all sessions.
pub trait Sessions: Send + Sync {
    /// Lists the sessions that have runs in their lists, a fence or a close, by name.
    fn sessions(&self) -> Reply<Vec<SessionCounts>>;
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionCounts {
    /// Its name.
    pub session: SessionName,
    /// How many of its runs are live, those that are being started among them.
    pub live_runs: usize,
    /// How many runs are in its list.
    pub runs: usize,
    /// Whether it is closed until it is resumed.
    pub is_closed: bool,
    /// The closes of it that are under way.
    pub leases: Vec<LeaseId>,
}

/// A close that is under way: nothing starts in the session until it is rolled back.
#[derive(Debug)]
pub struct Closing {
    /// Its lease; none when it was refused.
    pub lease: Reply<LeaseId>,
    /// What became of the runs, once all have ended and no start is pending: then it may be committed.
    pub ended: Reply<ShutdownReport>,
}
