//! What the tests of the store are made with.

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};

use jiff::Timestamp;
use tempfile::TempDir;

use crate::model::{
    ErrorCode, Failure, Mode, PipesOutput, ProcessIdentity, Record, RecordOutput, RunId, SessionName, Status,
};
use crate::store::{Found, OpenError, SqliteStore, StateFolder, Store, StoreError, StoreOptions};

pub(super) fn session() -> SessionName {
    "test".parse().expect("a name")
}

pub(super) fn id(number: u32) -> RunId {
    let mut bits = [0; 10];
    bits[6..].copy_from_slice(&number.to_be_bytes());
    RunId::from_bits(bits)
}

/// The first record of a run.
pub(super) fn starting(number: u32) -> Record {
    let id = id(number);
    Record {
        schema: 1,
        reference: format!("shtask://test/{id}"),
        id,
        session: session(),
        name: Some("web".parse().expect("a name")),
        generation: u64::from(number) + 1,
        mode: Mode::Pipes,
        status: Status::Starting,
        command: "true".into(),
        argv: vec!["true".into()],
        shell: None,
        cwd: PathBuf::from("/"),
        process: None,
        size: None,
        started_at: None,
        updated_at: Timestamp::UNIX_EPOCH,
        completed_at: None,
        observed_at: None,
        timeout: None,
        timed_out_by: None,
        exit_code: None,
        signal: None,
        cause: None,
        failure: None,
        ended: None,
        degraded: None,
        log: None,
        recipe: None,
        revision: 1,
        output: None,
    }
}

/// The record after a change of status.
pub(super) fn next(record: &Record, status: Status) -> Record {
    let mut next = Record { status, revision: record.revision + 1, ..record.clone() };
    if status == Status::Running {
        next.process = Some(ProcessIdentity { pid: 1, start_ticks: 7, boot_id: "boot".into() });
    }
    if status.is_final() {
        next.completed_at = Some(Timestamp::now());
        next.exit_code = match status {
            Status::Completed => Some(0),
            Status::Failed => Some(3),
            Status::TimedOut => Some(124),
            Status::Cancelled => Some(130),
            Status::Queued | Status::Starting | Status::Running | Status::Orphaned => None,
        };
        if status == Status::Orphaned {
            next.failure = Some(Failure::new(ErrorCode::HolderLost, "lost"));
        }
    }
    next
}

/// The record with this standard output.
pub(super) fn printed(record: &Record, text: &str) -> Record {
    let output = PipesOutput { stdout: text.into(), ..PipesOutput::default() };
    Record { output: Some(RecordOutput::Pipes(output)), revision: record.revision + 1, ..record.clone() }
}

pub(super) fn open_in(path: &Path) -> Result<(SqliteStore, Found), OpenError> {
    let folder = Arc::new(StateFolder::open(path)?);
    SqliteStore::open(folder, StoreOptions::default(), &|_, _| false)
}

/// A store in a folder of its own.
pub(super) fn store() -> (TempDir, SqliteStore) {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, found) = open_in(folder.path()).expect("a store");
    assert!(found.notices.is_empty() && found.recovered.is_empty());
    (folder, store)
}

/// Writes a record and waits for the answer.
pub(super) fn put(store: &mut SqliteStore, record: &Record) -> Result<(), StoreError> {
    let (done_tx, done_rx) = mpsc::channel();
    store.put(Arc::new(record.clone()), Box::new(move |result| done_tx.send(result).expect("it waits")));
    done_rx.recv().expect("each write is answered")
}

/// Takes a run to that final status.
pub(super) fn end(store: &mut SqliteStore, number: u32, status: Status) -> Record {
    let first = starting(number);
    let running = next(&first, Status::Running);
    let last = next(&running, status);
    for record in [&first, &running, &last] {
        put(store, record).expect("it may be stored");
    }
    last
}
