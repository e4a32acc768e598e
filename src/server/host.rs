//! What a server serves.

use std::sync::Arc;

use crate::api::{Client, Server, Sessions};
use crate::model::{Failure, SessionName, Typist};

/// Who does the work behind a server.
pub trait Host: Send + Sync {
    /// Returns a client of somebody for the runs of a session. What it holds is handed back when it is dropped.
    ///
    /// # Errors
    /// Why this session cannot be served.
    fn client(&self, session: &SessionName, who: &Typist) -> Result<Arc<dyn Client>, Failure>;

    /// Returns who knows all sessions.
    fn sessions(&self) -> &dyn Sessions;

    /// Returns who answers requests to the server itself. How many clients are connected is filled in by the server.
    fn server(&self) -> &dyn Server;
}
