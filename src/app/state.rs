//! The state directory: records and raw logs of all runs.

use std::sync::Arc;
use std::time::Duration;

use crate::model::{ErrorCode, Failure, SessionName};
use crate::redact::Redactor;
use crate::settings::Settings;
use crate::store::log::{LogOptions, Logs};
use crate::store::{Redaction, Retention, SqliteStore, StateFolder, StoreOptions};
use crate::supervisor::{Storage, is_alive};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Opens the state directory for this program alone. What was found damaged, and what an earlier program left behind, is told on standard error:
/// it is read once the TUI is left.
///
/// # Errors
/// [`ErrorCode::Conflict`] when another shtask works there; [`ErrorCode::StoreFailed`] when it cannot be used.
pub(super) fn open(settings: &Settings, session: &SessionName) -> Result<Storage, Failure> {
    let Some(path) = &settings.directories.state else {
        let message = "there is no place for records: neither SHTASK_STATE_DIR nor HOME is set";
        return Err(Failure::new(ErrorCode::StoreFailed, message).with_hint("set SHTASK_STATE_DIR"));
    };
    let retention = Retention {
        runs: settings.retention.runs,
        age: DAY * u32::try_from(settings.retention.days).unwrap_or(u32::MAX),
    };
    let max_total_log_bytes = settings.retention.log_bytes;
    let redactor = Redactor::new(&settings.redact.patterns)
        .map_err(|error| Failure::new(ErrorCode::Invalid, format!("redact.patterns: {error}")))?;
    // One program at a time works in a folder, and two projects are open at once every day: each has its own.
    let path = path.join("projects").join(session.as_str());
    let folder = Arc::new(StateFolder::open(&path)?);
    let options = StoreOptions { retention, max_total_log_bytes };
    let (store, found) = SqliteStore::open(folder, options, &|_, process| is_alive(process))?;
    for notice in &found.notices {
        eprintln!("warning: {notice}");
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
    Ok(Storage {
        generations: records.generations()?,
        store: Box::new(store),
        records: Some(records),
        logs: Some(Arc::new(logs)),
        flush_interval: Some(settings.output.flush_interval),
        redaction: Redaction::new(redactor),
        strict: settings.store.strict,
    })
}
