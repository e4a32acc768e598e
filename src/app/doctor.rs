//! `doctor`: what a user's trouble may come from, in plain words.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};

use super::surroundings::{present_dir, settings};
use crate::cli::{self, Console, Exit, Fault, Finding, Global};
use crate::model::{Failure, shown};
use crate::server::{Privacy, check_folder};
use crate::settings::{Directories, Settings, process_env};
use crate::sys::{pidfd, tty};

/// The longest path of a socket on Linux, in bytes.
const MAX_SOCKET_PATH: usize = 107;

/// With less room than this, records and logs are soon in trouble.
const LEAST_ROOM: u64 = 256 * 1024 * 1024;

/// How many descriptors a live run takes of the server, about.
const DESCRIPTORS_A_RUN: u64 = 8;

/// Looks at everything and tells what was found.
///
/// # Errors
/// When it cannot be written.
pub(super) fn perform(global: &Global, console: &mut Console) -> Result<Exit, Fault> {
    let mut found = vec![Finding::good("version", format!("shtask {}", env!("CARGO_PKG_VERSION")))];
    let configuration = present_dir().map(|dir| settings(global, &dir));
    let limits = match &configuration {
        Ok(Ok(settings)) => {
            found.push(configured(settings));
            settings.limits.clone()
        }
        Ok(Err(error)) => {
            found.push(Finding::bad("configuration", error.to_string(), "shtask config check tells every fault"));
            crate::model::Limits::default()
        }
        Err(failure) => {
            found.push(Finding::bad("folder", failure.to_string(), "go to a directory that exists"));
            crate::model::Limits::default()
        }
    };
    let directories = Directories::find(&process_env);
    found.push(match &directories.state {
        Some(path) => folder("state", path),
        None => Finding::bad("state", "neither SHTASK_STATE_DIR nor HOME is an absolute path", "set one of them"),
    });
    found.extend(directories.state.as_deref().and_then(room));
    found.push(match socket(global, &directories) {
        Some((path, privacy)) => socket_path(&path, privacy),
        None => Finding::bad("socket", "there is no place for it", "set HOME or XDG_RUNTIME_DIR"),
    });
    found.push(pidfds());
    found.push(terminals(limits.pty_runs));
    found.push(descriptors(limits.runs));
    found.push(cgroup());
    found.push(own_terminal());
    cli::tell(&found, console)
}

fn configured(settings: &Settings) -> Finding {
    let files: Vec<String> = settings.files.iter().map(shown).collect();
    let from = if files.is_empty() { "no file, the defaults".to_owned() } else { files.join(", ") };
    Finding::good("configuration", format!("{from}; tasks: {}", settings.tasks.len()))
}

/// Returns the folder or, when it is not there yet, the nearest above it.
fn nearest(path: &Path) -> &Path {
    path.ancestors().find(|path| path.exists()).unwrap_or(Path::new("/"))
}

fn folder(what: &'static str, path: &Path) -> Finding {
    let there = nearest(path);
    let name = shown(path);
    if !there.is_dir() {
        let text = format!("{} is not a folder", shown(there));
        return Finding::bad(what, text, "set SHTASK_STATE_DIR to a folder, or to one that can be made");
    }
    if let Err(error) = access(there, AccessFlags::W_OK | AccessFlags::X_OK) {
        let text = format!("{} cannot be written: {}", shown(there), error.desc());
        return Finding::bad(what, text, "give it to yourself, or set SHTASK_STATE_DIR to another folder");
    }
    if there != path {
        return Finding::good(what, format!("{name} (not there yet)"));
    }
    match fs::metadata(path) {
        Ok(facts) if facts.uid() != rustix::process::geteuid().as_raw() => Finding::bad(
            what,
            format!("{name} belongs to another user"),
            "set SHTASK_STATE_DIR to a folder of your own",
        ),
        Ok(facts) if facts.permissions().mode() & 0o077 != 0 => {
            let mode = facts.permissions().mode() & 0o777;
            Finding::doubtful(what, format!("{name} is open to others (mode {mode:o})"), format!("chmod 700 {name}"))
        }
        Ok(_) => Finding::good(what, name),
        Err(error) => Finding::bad(what, format!("{name}: {error}"), "look at its permissions"),
    }
}

fn room(state: &Path) -> Option<Finding> {
    let facts = rustix::fs::statvfs(nearest(state)).ok()?;
    let bytes = facts.f_bavail.saturating_mul(facts.f_frsize);
    let text = format!("{} MiB free where records and logs are kept", bytes / (1024 * 1024));
    Some(if bytes < LEAST_ROOM {
        Finding::doubtful("disk", text, "make room, or lower retention.log_bytes and output.max_log_bytes")
    } else {
        Finding::good("disk", text)
    })
}

fn socket(global: &Global, directories: &Directories) -> Option<(PathBuf, Privacy)> {
    let named = global.socket.clone().or_else(|| process_env("SHTASK_SOCKET").map(PathBuf::from));
    let named = named.filter(|path| !path.as_os_str().is_empty()).map(|path| (path, Privacy::Chosen));
    named.or_else(|| directories.runtime.as_ref().map(|dir| (dir.join("server.sock"), Privacy::Own)))
}

fn socket_path(path: &Path, privacy: Privacy) -> Finding {
    let name = shown(path);
    if let Err(error) = check_folder(path, privacy) {
        let Failure { message, hint, .. } = error.into();
        return Finding::bad("server", message, hint.unwrap_or_default());
    }
    let length = path.as_os_str().len();
    if length > MAX_SOCKET_PATH {
        let text = format!("{name} has {length} bytes, and a socket's path may have {MAX_SOCKET_PATH}");
        return Finding::doubtful("socket", text, "a short private path is used instead; or set SHTASK_SOCKET");
    }
    match std::os::unix::net::UnixStream::connect(path) {
        Ok(_) => Finding::good("server", format!("one answers at {name}")),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound) => {
            let there = nearest(path.parent().unwrap_or(path));
            match access(there, AccessFlags::W_OK | AccessFlags::X_OK) {
                Ok(()) => Finding::good("server", "none runs; the first verb that needs one starts it"),
                Err(error) => Finding::bad(
                    "server",
                    format!(
                        "none runs, and no socket can be made: {} cannot be written: {}",
                        shown(there),
                        error.desc()
                    ),
                    "give it to yourself, or choose another socket by SHTASK_SOCKET",
                ),
            }
        }
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            Finding::good("server", format!("none runs; {name} is left from one that was killed"))
        }
        Err(error) => Finding::bad("server", format!("{name}: {error}"), "look at who owns it; the server is your own"),
    }
}

fn pidfds() -> Finding {
    let own = i32::try_from(std::process::id()).unwrap_or(0);
    match pidfd::Pidfd::open(own) {
        Ok(_) => Finding::good("kernel", "process descriptors work"),
        Err(error) => Finding::bad(
            "kernel",
            format!("process descriptors (pidfd) do not work: {error}"),
            "Linux 5.3 or newer is needed, and a sandbox that lets pidfd_open through",
        ),
    }
}

fn number(path: &str) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

fn terminals(wanted: usize) -> Finding {
    if let Err(error) = tty::open_pair(80, 24) {
        let hint = "look at /dev/pts and at kernel.pty.max; programs that hang may hold terminals";
        return Finding::bad("terminals", format!("no PTY can be had: {error}"), hint);
    }
    match (number("/proc/sys/kernel/pty/max"), number("/proc/sys/kernel/pty/nr")) {
        (Some(max), Some(taken)) => {
            let left = max.saturating_sub(taken);
            let text = format!("{left} PTYs are left of {max}");
            if left < wanted as u64 {
                let hint = format!("limits.pty_runs is {wanted}; raise kernel.pty.max");
                Finding::doubtful("terminals", text, hint)
            } else {
                Finding::good("terminals", text)
            }
        }
        _ => Finding::good("terminals", "a PTY can be had"),
    }
}

fn descriptors(runs: usize) -> Finding {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let hard = limit.maximum.unwrap_or(u64::MAX);
    let wanted = runs as u64 * DESCRIPTORS_A_RUN + 64;
    let text = format!("at most {} open files (can be raised to {hard})", limit.current.unwrap_or(u64::MAX));
    if hard < wanted {
        Finding::doubtful("descriptors", text, format!("{runs} runs may need {wanted}: raise the limit (ulimit -Hn)"))
    } else {
        Finding::good("descriptors", text)
    }
}

fn cgroup() -> Finding {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let place = own.lines().find_map(|line| line.strip_prefix("0::/"));
    let Some(place) = place else {
        return Finding::good("cgroup", "no cgroup v2 here; trees of processes are found by their parents and marks");
    };
    let path = Path::new("/sys/fs/cgroup").join(place);
    match access(&path, AccessFlags::W_OK) {
        Ok(()) => Finding::good("cgroup", format!("{} can be used", shown(&path))),
        Err(_) => {
            Finding::good("cgroup", "none can be made here; trees of processes are found by their parents and marks")
        }
    }
}

fn own_terminal() -> Finding {
    let term = std::env::var_os("TERM").unwrap_or_default();
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| process_env(name)).unwrap_or_default();
    let is_utf8 = shown(&locale).to_ascii_lowercase().replace('-', "").contains("utf8");
    let size = tty::window_size(io::stdout())
        .map_or_else(|_| "no terminal here".to_owned(), |(cols, rows)| format!("{cols}x{rows}"));
    let text = format!("TERM={}, {size}", shown(&term));
    if term.is_empty() || term == "dumb" {
        Finding::doubtful("terminal", text, "the TUI and attach need a terminal with colours: set TERM")
    } else if !is_utf8 {
        Finding::doubtful(
            "terminal",
            text,
            "the locale is not UTF-8: box lines and wide characters may be wrong; set LANG=C.UTF-8",
        )
    } else {
        Finding::good("terminal", text)
    }
}
