//! What the supervisor needs of a store.

use std::sync::Arc;

use super::{Pruned, StoreError};
use crate::model::{Record, RunId, SessionState};

/// What is called when a write is durable or has failed; from any thread, exactly once.
pub type Done = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// What is called when a prune is over; from any thread, exactly once.
pub type PruneDone = Box<dyn FnOnce(Result<Pruned, StoreError>) + Send>;

/// Keeps the records of runs. Writes of one run are applied in the order in which they were asked for.
pub trait Store: Send {
    /// Writes a record and calls `done` when it is durable. Never waits.
    ///
    /// # Errors
    /// To `done`: a transition that S2.1 does not know, a revision that does not follow, or a failure of the medium. Nothing is changed
    /// then.
    fn put(&mut self, record: Arc<Record>, done: Done);

    /// Keeps what of a session outlives the program, or forgets it when nothing of it matters, and calls `done` when that is durable. Never waits.
    ///
    /// # Errors
    /// To `done`: a failure of the medium.
    fn put_session(&mut self, state: SessionState, done: Done);

    /// Deletes what is beyond retention and calls `done` with what that was. Never waits.
    ///
    /// # Errors
    /// To `done`: a failure of the medium.
    fn prune(&mut self, done: PruneDone);

    /// Takes note that a final run is no longer listed, and calls `done` when that is durable. Its record stays (S2.8); the next program does not
    /// list it. Never waits.
    ///
    /// # Errors
    /// To `done`: a failure of the medium.
    fn left_the_list(&mut self, run: RunId, done: Done);
}
