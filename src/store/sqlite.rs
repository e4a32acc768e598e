//! Records in an SQLite database (S2.7).

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::JoinHandle;

use jiff::Timestamp;

use super::prune::Retention;
use super::query::Records;
use super::recovery::{Recovered, recover};
use super::writer::{Job, Writer};
use super::{Done, OpenError, PruneDone, StateFolder, Store, StoreError, database};
use crate::model::{ProcessIdentity, Record, RunId, SessionState};

/// The folder of the raw logs in the state directory.
pub(super) const LOGS: &str = "logs";

/// How a store keeps what it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoreOptions {
    /// Which final records are kept.
    pub retention: Retention,
    /// How large the logs of all runs may be together, in bytes; 0 for no bound.
    pub max_total_log_bytes: u64,
}

/// What was found when a store was opened.
#[derive(Debug, Default)]
pub struct Found {
    /// Messages for the user: what was damaged and set aside.
    pub notices: Vec<String>,
    /// Runs that were active when the program before this one died, now final.
    pub recovered: Vec<Recovered>,
    /// Runs that were active and have a holder: their records are as they were, in the order of their starts.
    pub held: Vec<Record>,
}

/// Keeps records in the state directory. One thread writes; it commits whatever waits in one transaction.
pub struct SqliteStore {
    jobs_tx: mpsc::Sender<Job>,
    thread: Option<JoinHandle<()>>,
    path: PathBuf,
    logs: PathBuf,
    retention: Retention,
    /// Given back last.
    _folder: Arc<StateFolder>,
}

impl SqliteStore {
    /// Opens the store in a state directory, sets aside what is damaged, and makes records final whose runs have nobody any more (S7.3).
    /// `is_alive` tells whether a process is still the one that was started.
    ///
    /// # Errors
    /// [`OpenError`]; what is there is left as it is then.
    pub fn open(
        folder: Arc<StateFolder>,
        options: StoreOptions,
        is_alive: &dyn Fn(RunId, &ProcessIdentity) -> bool,
    ) -> Result<(SqliteStore, Found), OpenError> {
        SqliteStore::open_held(folder, options, &HashSet::new(), is_alive)
    }

    /// Does the same, but leaves the records of these runs active: their holders wait for this program (S7.4).
    ///
    /// # Errors
    /// As [`SqliteStore::open`].
    pub fn open_held(
        folder: Arc<StateFolder>,
        options: StoreOptions,
        held: &HashSet<RunId>,
        is_alive: &dyn Fn(RunId, &ProcessIdentity) -> bool,
    ) -> Result<(SqliteStore, Found), OpenError> {
        let mut found = Found::default();
        let logs = folder.path().join(LOGS);
        super::folder::private_folder(&logs)?;
        let mut connection = database::open(&folder, &mut found.notices)?;
        let path = database::path(&folder);
        recover(&mut connection, Timestamp::now(), held, is_alive, &mut found)
            .map_err(|error| OpenError::Database { path: path.clone(), what: error.to_string() })?;
        // Unbounded, but each run has one write in it at a time, and one more when it is read first.
        let (jobs_tx, jobs_rx) = mpsc::channel();
        let writer = Writer::new(connection, path.clone(), logs.clone(), options);
        let thread = std::thread::Builder::new()
            .name("shtask-records".to_owned())
            .spawn(move || writer.run(&jobs_rx))
            .map_err(|source| OpenError::File { path: path.clone(), source })?;
        let store =
            SqliteStore { jobs_tx, thread: Some(thread), path, logs, retention: options.retention, _folder: folder };
        Ok((store, found))
    }

    /// Returns what reads the records.
    pub fn records(&self) -> Records {
        Records::new(self.path.clone())
    }

    /// Returns the folder of the raw logs.
    pub fn logs(&self) -> &std::path::Path {
        &self.logs
    }

    /// Applies another retention now, and calls `done` with what was deleted.
    pub fn prune_to(&self, retention: Retention, done: PruneDone) {
        self.send(Job::Prune(retention, done));
    }

    /// Returns what is to be called when all logs have grown ([`Logs::telling`](super::log::Logs::telling)): their bound is seen to then.
    pub fn log_bounder(&self) -> impl Fn() + Send + Sync + 'static {
        let jobs_tx = self.jobs_tx.clone();
        move || {
            // Without a writer there is nobody left to see to anything.
            let _ = jobs_tx.send(Job::BoundLogs);
        }
    }

    fn send(&self, job: Job) {
        if let Err(mpsc::SendError(job)) = self.jobs_tx.send(job) {
            job.refuse(&StoreError::medium("the writer of the records has failed"));
        }
    }
}

impl Store for SqliteStore {
    fn put(&mut self, record: Arc<Record>, done: Done) {
        self.send(Job::Put(record, done));
    }

    fn put_session(&mut self, state: SessionState, done: Done) {
        self.send(Job::PutSession(state, done));
    }

    fn prune(&mut self, done: PruneDone) {
        self.send(Job::Prune(self.retention, done));
    }

    fn left_the_list(&mut self, run: RunId, done: Done) {
        self.send(Job::Unlist(run, done));
    }
}

impl Drop for SqliteStore {
    /// Waits until everything that was asked for is durable.
    fn drop(&mut self) {
        self.send(Job::Close);
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the writer of the records has failed");
        }
    }
}
