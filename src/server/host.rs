//! What a server serves.

use std::sync::Arc;

use crate::api::{Client, Server, Sessions};
use crate::model::{Failure, SessionName};

/// Who does the work behind a server.
pub trait Host: Send + Sync {
    /// Returns a client for the runs of a session.
    ///
    /// # Errors
    /// Why this session cannot be served.
    fn client(&self, session: &SessionName) -> Result<Arc<dyn Client>, Failure>;

    /// Returns who knows all sessions.
    fn sessions(&self) -> &dyn Sessions;

    /// Returns who answers requests to the server itself. How many clients are connected is filled in by the server.
    fn server(&self) -> &dyn Server;
}
