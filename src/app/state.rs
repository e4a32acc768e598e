//! The state directory: records and raw logs of all runs.

use std::collections::HashSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::holder::HolderSockets;
use crate::model::{ErrorCode, Failure, Record, RunId, SessionName};
use crate::redact::Redactor;
use crate::settings::Settings;
use crate::store::log::{LogOptions, Logs};
use crate::store::{Found, Records, Redaction, Retention, SqliteStore, StateFolder, StoreError, StoreOptions};
use crate::supervisor::{Held, Storage, is_alive, listed_runs, lost_runs};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Opens the folder of a project for this program alone. What was found damaged, and what an earlier program left behind, is told on standard
/// error: it is read once the TUI is left.
///
/// # Errors
/// [`ErrorCode::Conflict`] when another shtask works there; [`ErrorCode::StoreFailed`] when it cannot be used.
pub(super) fn open(settings: &Settings, project: &SessionName) -> Result<Storage, Failure> {
    // One program at a time works in a folder. The server has the whole; of programs without one, two are open at once every day.
    let path = directory(settings)?.join("projects").join(project.as_str());
    // All of its runs have ended with the program before, so it begins with an empty list.
    let (storage, _) = fill(settings, StateFolder::open(&path)?, &HashSet::new(), lost_runs)?;
    Ok(storage)
}

/// Opens the state directory for this server alone, and finds the runs whose holders wait for it, with their records (S7.4).
///
/// # Errors
/// As [`open`].
pub(super) async fn open_held(settings: &Settings) -> Result<(Storage, Held, Vec<Record>), Failure> {
    let path = directory(settings)?;
    let folder = StateFolder::open(&path)?;
    let failed = |error: std::io::Error| {
        let message = format!("the holders of runs cannot be looked for in {}: {error}", path.display());
        Failure::new(ErrorCode::StoreFailed, message)
    };
    // Only now: who has the folder's lock is the only one who asks.
    let sockets = Arc::new(HolderSockets::open(&path.join("holders")).map_err(failed)?);
    let held = Held::find(sockets, &path.join("logs")).await.map_err(failed)?;
    let (storage, records) = fill(settings, folder, &held.runs(), listed_runs)?;
    Ok((storage, held, records))
}

fn directory(settings: &Settings) -> Result<PathBuf, Failure> {
    settings.directories.state.clone().ok_or_else(|| {
        let message = "there is no place for records: neither SHTASK_STATE_DIR nor HOME is set";
        Failure::new(ErrorCode::StoreFailed, message).with_hint("set SHTASK_STATE_DIR")
    })
}

/// Fills the storage; `earlier` finds the runs that its lists begin with.
fn fill(
    settings: &Settings,
    folder: StateFolder,
    held: &HashSet<RunId>,
    earlier: fn(&Records, &Found) -> Result<Vec<Record>, StoreError>,
) -> Result<(Storage, Vec<Record>), Failure> {
    let retention = Retention {
        runs: settings.retention.runs,
        age: DAY * u32::try_from(settings.retention.days).unwrap_or(u32::MAX),
    };
    let max_total_log_bytes = settings.retention.log_bytes;
    let redactor = Redactor::new(&settings.redact.patterns)
        .map_err(|error| Failure::new(ErrorCode::Invalid, format!("redact.patterns: {error}")))?;
    let options = StoreOptions { retention, max_total_log_bytes };
    let (store, found) = SqliteStore::open_held(Arc::new(folder), options, held, &|_, process| is_alive(process))?;
    for notice in &found.notices {
        // Of a server this is its log, which may have no room.
        let _ = writeln!(std::io::stderr(), "warning: {notice}");
        tracing::warn!("{notice}");
    }
    for lost in &found.recovered {
        tracing::info!(run = %lost.record.id, is_alive = lost.is_alive, "a run was lost sight of");
    }
    let logs = LogOptions { max_log_bytes: settings.output.max_log_bytes, max_total_log_bytes };
    let logs = Logs::start(store.logs(), logs).map_err(|error| {
        Failure::new(ErrorCode::SpawnFailed, format!("the writer of the logs could not be started: {error}"))
    })?;
    let logs = logs.telling(store.log_bounder()).redacted_by(settings.output.redact_logs.then(|| redactor.clone()));
    let records = store.records();
    let storage = Storage {
        earlier: earlier(&records, &found)?,
        generations: records.generations()?,
        sessions: records.sessions()?,
        store: Box::new(store),
        records: Some(records),
        logs: Some(Arc::new(logs)),
        flush_interval: Some(settings.output.flush_interval),
        redaction: Redaction::new(redactor),
        strict: settings.store.strict,
    };
    Ok((storage, found.held))
}
