//! What the processes of live runs use and hold at a moment.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::RunId;

/// What the processes of a live run use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunUsage {
    /// The run.
    pub run: RunId,
    /// How many processes it has.
    pub processes: usize,
    /// The processor time of those that live.
    pub cpu: Duration,
    /// Their resident memory together, in bytes; what they share is counted for each.
    pub resident_bytes: u64,
}

/// A socket that a process of a run listens on (S10.5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortFacts {
    /// `tcp`, `tcp6`, `udp`, `udp6` or `unix`.
    pub protocol: String,
    /// Address and port, or the path, without control characters.
    pub address: String,
    /// A process that holds it.
    pub pid: i32,
}

/// A limit of the root process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitFacts {
    /// As the system calls it: `Max open files`.
    pub name: String,
    /// What is in force.
    pub soft: String,
    /// How far the process may raise it.
    pub hard: String,
}

/// What a run has around it: for the inspect panel.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Surroundings {
    /// The sockets that its processes listen on.
    pub ports: Vec<PortFacts>,
    /// The variables that it was given, by name, without secrets.
    pub environment: Vec<(String, String)>,
    /// The limits of its root process that are no `unlimited`.
    pub limits: Vec<LimitFacts>,
}
