//! shtask's own log: to a file, when `SHTASK_LOG` asks for it, and never to the terminal.

use std::fs::{DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Mutex;

use tracing_subscriber::EnvFilter;

use crate::model::{ErrorCode, Failure};

/// Starts logging into `shtask.log` of the state directory, at the level of `SHTASK_LOG` (`info`, `debug`, `shtask::driver=trace` …).
///
/// # Errors
/// [`ErrorCode::Invalid`] for a level that is none; [`ErrorCode::Broken`] when the file cannot be opened.
pub(super) fn start(state_dir: Option<&Path>) -> Result<(), Failure> {
    let Some(level) = std::env::var_os("SHTASK_LOG").filter(|level| !level.is_empty()) else { return Ok(()) };
    let invalid = |error: String| Failure::new(ErrorCode::Invalid, format!("SHTASK_LOG={level:?}: {error}"));
    let level_text = level.to_str().ok_or_else(|| invalid("not UTF-8".to_owned()))?;
    let filter = EnvFilter::try_new(level_text)
        .map_err(|error| invalid(error.to_string()).with_hint("use error, warn, info, debug or trace"))?;
    let state_dir = state_dir.ok_or_else(|| {
        Failure::new(ErrorCode::Invalid, "there is no place for the log: neither SHTASK_STATE_DIR nor HOME is set")
    })?;
    let path = state_dir.join("shtask.log");
    let opened = DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(state_dir)
        .and_then(|()| OpenOptions::new().create(true).append(true).mode(0o600).open(&path));
    let file = opened.map_err(|error| {
        Failure::new(ErrorCode::Broken, format!("the log {} cannot be opened: {error}", path.display()))
    })?;
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(Mutex::new(file)).init();
    Ok(())
}
