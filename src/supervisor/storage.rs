//! Where a supervisor keeps what its runs leave behind.

use std::sync::Arc;
use std::time::Duration;

use crate::model::{Record, SessionState};
use crate::store::log::Logs;
use crate::store::{Generations, MemoryStore, Records, Redaction, Store};

/// How often the record of a live run is brought up to date, unless told otherwise (S2.6).
pub const FLUSH_INTERVAL: Duration = Duration::from_secs(1);

/// Where a supervisor keeps what its runs leave behind, and how.
pub struct Storage {
    /// Takes the records.
    pub store: Box<dyn Store>,
    /// Looks up those of runs that are no longer listed; none when only the memory has them.
    pub records: Option<Records>,
    /// Takes the raw logs; none when there are none.
    pub logs: Option<Arc<Logs>>,
    /// The ended runs of earlier programs that stay listed, see [`listed_runs`](super::listed_runs).
    pub earlier: Vec<Record>,
    /// The newest generation of each name of each session so far.
    pub generations: Generations,
    /// What is known of sessions that are closed, are being closed, or have a fence.
    pub sessions: Vec<SessionState>,
    /// How often the record of a live run is brought up to date at most; none for not before its end.
    pub flush_interval: Option<Duration>,
    /// Takes secrets out of what is stored and shown.
    pub redaction: Redaction,
    /// Whether a run ends whose record or log cannot be kept (S2.7).
    pub strict: bool,
}

impl Storage {
    /// Keeps records as long as the program runs, and no logs.
    pub fn in_memory() -> Storage {
        Storage {
            store: Box::new(MemoryStore::default()),
            records: None,
            logs: None,
            earlier: Vec::new(),
            generations: Generations::new(),
            sessions: Vec::new(),
            flush_interval: None,
            redaction: Redaction::none(),
            strict: false,
        }
    }
}
