//! What can be asked of the server itself, whatever the session.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Reply, ShutdownReport};
use crate::model::SessionName;

/// Requests to the server that serves all sessions of a user (S11.5).
pub trait Server: Send + Sync {
    /// Asks for a sign of life.
    fn ping(&self) -> Reply<()>;

    /// Asks how the server is.
    fn status(&self) -> Reply<ServerStatus>;

    /// Ends the server. The answer is the last that it sends on this connection.
    ///
    /// # Errors
    /// [`Conflict`](crate::model::ErrorCode::Conflict) when runs are live and the request refuses in that case.
    fn stop_server(&self, request: StopServer) -> Reply<ServerStopped>;
}

/// A session, as the server's status counts it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionStatus {
    /// Its name.
    pub session: SessionName,
    /// Its runs that are live.
    pub live_runs: usize,
    /// Its runs that are listed, the live ones among them.
    pub runs: usize,
}

/// How the server is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerStatus {
    /// Its process id.
    pub pid: i32,
    /// The version of its program.
    pub version: String,
    /// The version of the protocol that it speaks, `MAJOR.MINOR`.
    pub protocol: String,
    /// When it was started.
    pub started_at: Timestamp,
    /// For how long it has been running, time asleep included.
    pub uptime: Duration,
    /// The path of the socket on which it listens, as it is shown to people.
    pub socket: String,
    /// Where it keeps records and logs, likewise.
    pub state_dir: String,
    /// How many clients are connected.
    pub connections: usize,
    /// How many runs are live, of all sessions.
    pub live_runs: usize,
    /// Its sessions.
    pub sessions: Vec<SessionStatus>,
}

/// What becomes of live runs when the server ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunsAtStop {
    /// With a live run the server does not end.
    #[default]
    Refuse,
    /// They are ended first.
    End,
    /// They go on with their holders, for the next server to take up (S7.4).
    Leave,
}

/// Asks for the end of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StopServer {
    /// What becomes of live runs.
    #[serde(default)]
    pub runs: RunsAtStop,
}

/// What the end of the server did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ServerStopped {
    /// What became of the runs that were ended.
    pub report: ShutdownReport,
    /// How many runs go on.
    pub left_running: usize,
}
