//! The environment of a run (S3.3).

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use indexmap::IndexMap;

use super::LaunchError;
use super::check::reason;
use super::dotenv::parse_dotenv;
use crate::model::{EnvSpec, Mode, RunId, RunName, SessionName};

/// A variable: its name and its value, any bytes but NUL.
pub type EnvVar = (OsString, OsString);

/// The largest file of variables that is read, in bytes: the kernel takes about 2 MiB of arguments and environment in all.
const MAX_ENV_FILE_BYTES: u64 = 1024 * 1024;

/// What `clean_env` lets through, besides `LC_*` and `XDG_*`.
const CLEAN: [&str; 10] = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "COLORTERM", "TMPDIR", "TZ"];

/// What describes the terminal that shtask itself runs in. In a run's own terminal it would be a lie: its size, its make, the multiplexer
/// around it, the window it is in. `TERMCAP` (set by screen) would even win over `TERM`.
const OUTER_TERMINAL: [&str; 29] = [
    "LINES",
    "COLUMNS",
    "TERMCAP",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "TERM_SESSION_ID",
    "TMUX",
    "TMUX_PANE",
    "STY",
    "ZELLIJ",
    "ZELLIJ_PANE_ID",
    "ZELLIJ_SESSION_NAME",
    "WINDOWID",
    "VTE_VERSION",
    "KONSOLE_VERSION",
    "KITTY_WINDOW_ID",
    "KITTY_PID",
    "KITTY_LISTEN_ON",
    "KITTY_PUBLIC_KEY",
    "ALACRITTY_WINDOW_ID",
    "WEZTERM_PANE",
    "WEZTERM_UNIX_SOCKET",
    "GHOSTTY_RESOURCES_DIR",
    "GHOSTTY_BIN_DIR",
    "ITERM_SESSION_ID",
    "ITERM_PROFILE",
    "LC_TERMINAL",
    "LC_TERMINAL_VERSION",
    "WT_SESSION",
];

/// Which run it is, as its processes see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunIdentity {
    /// Its id; also the mark by which its processes are found.
    pub id: RunId,
    /// Its session.
    pub session: SessionName,
    /// The name of its task; none for an ad hoc run, which sees an empty `SHTASK_TASK`.
    pub name: Option<RunName>,
    /// Its generation, from 1.
    pub generation: u64,
}

/// Puts the environment of a run together: base (all, or an allow-list), the terminal's own variables, files, `set`, `unset`, the run's
/// identity; what comes later wins.
pub(super) fn environment(
    spec: &EnvSpec,
    mode: Mode,
    cwd: &Path,
    identity: &RunIdentity,
) -> Result<Vec<EnvVar>, LaunchError> {
    let mut given: IndexMap<OsString, OsString> = IndexMap::new();
    for file in &spec.files {
        given.extend(read_env_file(&cwd.join(file))?);
    }
    given.extend(spec.set.iter().cloned());

    let mut env: IndexMap<OsString, OsString> = IndexMap::new();
    for (name, value) in spec.base.iter() {
        let is_name = !name.is_empty() && !name.as_bytes().contains(&b'=');
        if is_name && passes(name, spec.clean, mode) {
            // Of a name that is there twice, programs see the first.
            env.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    if let Some(pwd) = env.get_mut(OsStr::new("PWD")) {
        // Programs that believe in PWD would think they were where shtask is.
        *pwd = cwd.into();
    }
    if mode == Mode::Pty {
        env.insert("TERM".into(), "xterm-256color".into());
        env.insert("COLORTERM".into(), "truecolor".into());
    }
    env.extend(given);
    for name in &spec.unset {
        env.shift_remove(name);
    }
    // The address of the server is no business of its runs (S3.3), whoever gave it.
    env.shift_remove(OsStr::new("SHTASK_SOCKET"));
    env.insert("SHTASK".into(), "1".into());
    env.insert("SHTASK_RUN_ID".into(), identity.id.as_str().into());
    env.insert("SHTASK_SESSION".into(), identity.session.as_str().into());
    env.insert("SHTASK_TASK".into(), identity.name.as_ref().map_or("", RunName::as_str).into());
    env.insert("SHTASK_GENERATION".into(), identity.generation.to_string().into());
    Ok(env.into_iter().collect())
}

/// Returns whether a variable of the base gets through.
fn passes(name: &OsStr, clean: bool, mode: Mode) -> bool {
    let starts_with = |prefix: &str| name.as_bytes().starts_with(prefix.as_bytes());
    let is_in = |names: &[&str]| names.iter().any(|listed| name == OsStr::new(listed));
    if mode == Mode::Pty && is_in(&OUTER_TERMINAL) {
        return false;
    }
    !clean || is_in(&CLEAN) || starts_with("LC_") || starts_with("XDG_")
}

fn read_env_file(path: &Path) -> Result<Vec<EnvVar>, LaunchError> {
    let unreadable = |why: String| LaunchError::EnvFile { path: path.to_owned(), why };
    let found = path.metadata().map_err(|error| unreadable(reason(&error)))?;
    if found.is_dir() {
        return Err(unreadable("it is a folder".into()));
    }
    // Opening a FIFO would wait for its writer, and everything else with it.
    if !found.is_file() {
        return Err(unreadable("it is no regular file".into()));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_ENV_FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| unreadable(reason(&error)))?;
    if bytes.len() as u64 > MAX_ENV_FILE_BYTES {
        return Err(unreadable("it is larger than 1 MiB".into()));
    }
    parse_dotenv(&bytes).map_err(|fault| LaunchError::EnvLine { path: path.to_owned(), fault })
}
