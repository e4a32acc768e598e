//! shtask's own log: to a file, when `SHTASK_LOG` asks for it, and never to the terminal.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Mutex;

use rustix::fs::OFlags;
use tracing_subscriber::EnvFilter;

use crate::model::{ErrorCode, Failure};

/// Starts logging into `shtask.log` of the state directory, at the level of `SHTASK_LOG` (`info`, `debug`, `shtask::driver=trace` …).
///
/// # Errors
/// [`ErrorCode::Invalid`] for a level that is none; [`ErrorCode::Broken`] when the file cannot be opened.
pub(super) fn start(state_dir: Option<&Path>) -> Result<(), Failure> {
    let Some(level) = std::env::var_os("SHTASK_LOG").filter(|level| !level.is_empty()) else { return Ok(()) };
    let invalid = |error: String| {
        let failure = Failure::new(ErrorCode::Invalid, format!("SHTASK_LOG={level:?}: {error}"));
        failure.with_hint("use error, warn, info, debug or trace")
    };
    let level_text = level.to_str().ok_or_else(|| invalid("not UTF-8".to_owned()))?;
    let filter = EnvFilter::try_new(level_text).map_err(|error| invalid(error.to_string()))?;
    let state_dir = state_dir.ok_or_else(|| {
        let message = "there is no place for the log: neither SHTASK_STATE_DIR nor HOME is set";
        Failure::new(ErrorCode::Invalid, message).with_hint("set SHTASK_STATE_DIR")
    })?;
    let file = open(state_dir, "shtask.log")?;
    write_to(file, filter);
    Ok(())
}

/// Starts logging into `server.log` of the state directory, at the level of `SHTASK_LOG`, else warnings; returns the file.
///
/// # Errors
/// [`ErrorCode::Broken`] when the file cannot be opened.
pub(super) fn start_server(state_dir: &Path) -> Result<File, Failure> {
    let level = std::env::var("SHTASK_LOG").ok().filter(|level| !level.is_empty());
    // A level that is none does not keep a server from starting.
    let filter = level.and_then(|level| EnvFilter::try_new(level).ok()).unwrap_or_else(|| EnvFilter::new("warn"));
    let file = open(state_dir, "server.log")?;
    let failed = |error: io::Error| Failure::new(ErrorCode::Broken, format!("the log cannot be used: {error}"));
    let copy = file.try_clone().map_err(failed)?;
    write_to(copy, filter);
    Ok(file)
}

/// A log that takes everything: what a full disk has no room for is left out. The log of a program must never be what ends it.
struct Forgiving(File);

impl Write for Forgiving {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.write_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write_to(file: File, filter: EnvFilter) {
    // Errors of its own would go to standard error, which is this very file.
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).log_internal_errors(false);
    log.with_writer(Mutex::new(Forgiving(file))).init();
}

fn open(state_dir: &Path, name: &str) -> Result<File, Failure> {
    let path = state_dir.join(name);
    let opened = DirBuilder::new().recursive(true).mode(0o700).create(state_dir).and_then(|()| {
        let flags = OFlags::NOFOLLOW.bits().cast_signed();
        OpenOptions::new().create(true).append(true).mode(0o600).custom_flags(flags).open(&path)
    });
    opened.map_err(|error| {
        let failure = Failure::new(ErrorCode::Broken, format!("the log {} cannot be opened: {error}", path.display()));
        failure.with_hint(
            "make room or give yourself the right to write there, or choose another place with SHTASK_STATE_DIR",
        )
    })
}
