//! The way to the server: to the one that runs, or to one that is started for it.

use std::fs::{DirBuilder, File, TryLockError};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use tokio::net::UnixStream;

use super::embedded::OWN_PROGRAM;
use super::place::ServerPlace;
use crate::model::{ErrorCode, Failure, SessionName, Typist};
use crate::remote::{Dial, Patience, RemoteClient, connect_to};
use crate::server::{Privacy, check_folder};
use crate::settings::{Settings, process_env};

/// How long a server may take to listen: one that takes up hundreds of runs on a loaded machine.
const START_TIMEOUT: Duration = Duration::from_secs(20);

/// How long the server before may take to let go of what it holds, and how often that is tried.
const CONFLICT_TIMEOUT: Duration = Duration::from_secs(3);
const CONFLICT_INTERVAL: Duration = Duration::from_millis(50);

/// The pause between two looks at a lock, or at a socket that is being made.
const LOOK_INTERVAL: Duration = Duration::from_millis(5);

/// What tells that a process belongs to a run: it must not be told of the server, which outlives the run.
const RUN_MARKS: [&str; 5] = ["SHTASK", "SHTASK_RUN_ID", "SHTASK_SESSION", "SHTASK_TASK", "SHTASK_GENERATION"];

/// To whom somebody wants to talk.
pub(super) struct ConnectRequest<'a> {
    /// The configuration, for the directories.
    pub(super) settings: &'a Settings,
    /// The session whose runs it is about.
    pub(super) session: SessionName,
    /// The socket, when it is named outright.
    pub(super) socket: Option<&'a Path>,
    /// Who wants to.
    pub(super) who: Typist,
    /// Whether a server is started when there is none.
    pub(super) start: bool,
    /// Is set when one was started.
    pub(super) started: Arc<AtomicBool>,
}

/// Connects to the server. A connection that is lost later is made anew, with a new server where `start` asks for one, unless the old one was
/// ended by request.
///
/// # Errors
/// [`ErrorCode::Unavailable`] when there is no server and none could be started; [`ErrorCode::Unsupported`] when one of another version runs.
pub(super) async fn connect(request: ConnectRequest<'_>) -> Result<RemoteClient, Failure> {
    let variable = process_env("SHTASK_SOCKET");
    let place = ServerPlace::find(request.socket, variable.as_deref(), &request.settings.directories)?;
    let (start, started) = (request.start, request.started);
    let dial: Dial = Box::new(move || {
        let (place, started) = (place.clone(), Arc::clone(&started));
        Box::pin(async move { if start { reach(&place, &started).await } else { look(&place).await } })
    });
    RemoteClient::connect_as(dial, request.session, request.who, Patience::default()).await
}

/// Connects to a server that runs.
async fn look(place: &ServerPlace) -> Result<UnixStream, Failure> {
    check_folder(&place.socket, place.privacy)?;
    connect_to(&place.socket)
        .await
        .map_err(|failure| failure.with_hint("`shtask serve` starts one; the first verb that needs a server does, too"))
}

/// Connects to a server, started if there is none, which is noted in `started`. Of many that find none, one starts it.
pub(super) async fn reach(place: &ServerPlace, started: &AtomicBool) -> Result<UnixStream, Failure> {
    let end = Instant::now() + START_TIMEOUT;
    let conflict_end = Instant::now() + CONFLICT_TIMEOUT;
    if let Ok(stream) = connect_to(&place.socket).await {
        return Ok(stream);
    }
    check_folder(&place.socket, place.privacy)?;
    let lock = start_lock(place)?;
    loop {
        let has_lock = match lock.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => false,
            Err(TryLockError::Error(error)) => return Err(cannot_start(place, &error.to_string())),
        };
        // Who had the lock before may have started it.
        match connect_to(&place.socket).await {
            Ok(stream) => return Ok(stream),
            Err(failure) if Instant::now() >= end => return Err(failure.with_hint(hint(place))),
            Err(_) => {}
        }
        if has_lock {
            match start(place).await {
                Ok(()) => {
                    started.store(true, Ordering::Relaxed);
                    return connect_to(&place.socket).await;
                }
                // One is there, or comes, or leaves: a lock is held. One of another socket that has the state directory stays.
                Err(failure) if failure.code == ErrorCode::Conflict && Instant::now() < conflict_end => {
                    tokio::time::sleep(CONFLICT_INTERVAL).await;
                }
                Err(failure) => {
                    return Err(
                        cannot_start(place, &failure.message).with_hint(failure.hint.unwrap_or_else(|| hint(place)))
                    );
                }
            }
        }
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
}

fn cannot_start(place: &ServerPlace, why: &str) -> Failure {
    let message = format!("no server answers on {} and none could be started: {why}", place.socket.display());
    Failure::new(ErrorCode::Unavailable, message).with_hint(hint(place))
}

fn hint(place: &ServerPlace) -> String {
    format!("`shtask serve --foreground --socket {}` shows what is wrong", place.socket.display())
}

/// Opens the lock of those who start a server. The folder is checked by the server.
fn start_lock(place: &ServerPlace) -> Result<File, Failure> {
    let path = place.start_lock();
    let failed = |error: std::io::Error| cannot_start(place, &format!("{}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
        // The server would refuse it as well; nothing is put there before.
        if place.privacy == Privacy::Own && folder.symlink_metadata().map_err(failed)?.is_symlink() {
            return Err(cannot_start(place, &format!("{} is a link", folder.display())));
        }
    }
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR).map_err(|errno| failed(errno.into()))?;
    let file = File::from(file);
    let owner = file.metadata().map_err(failed)?.uid();
    if owner != rustix::process::geteuid().as_raw() {
        return Err(cannot_start(place, &format!("{} belongs to user {owner}", path.display())));
    }
    Ok(file)
}

/// Starts a server and waits until it listens.
///
/// # Errors
/// What the server says, or that it says nothing.
pub(super) async fn start(place: &ServerPlace) -> Result<(), Failure> {
    let failed = |error: std::io::Error| cannot_start(place, &error.to_string());
    if std::env::var_os("SHTASK").is_some() {
        // It cannot leave the tree of its run: the holder is the parent of all orphans in it, by structure.
        eprintln!("warning: this is inside a run of shtask, and the server that is started here ends with it");
        eprintln!("hint: run `shtask serve` in a terminal of its own first");
    }
    let (told, tell) = std::io::pipe().map_err(failed)?;
    let mut command = Command::new(OWN_PROGRAM);
    // Not by the link that it is started by, as whoever looks at what runs here could not tell what that is.
    command.arg0("shtask").arg("serve").arg("--detached");
    if place.privacy == Privacy::Chosen {
        command.arg("--socket").arg(&place.socket);
    }
    command.stdin(Stdio::null()).stdout(tell).stderr(Stdio::null()).current_dir("/");
    for mark in RUN_MARKS {
        command.env_remove(mark);
    }
    let child = command.spawn().map_err(failed)?;
    // The last one that has the writing end must be the server.
    drop(command);
    let waiting = tokio::task::spawn_blocking(move || {
        let mut child = child;
        let mut word = String::new();
        // A line, or the end when the server has ended without a word.
        let read = BufReader::new(told.take(MAX_WORD_BYTES)).read_line(&mut word);
        // It leaves a copy of itself behind and ends at once.
        let ended = child.wait();
        read.and(ended).map(|_| word)
    });
    let word = match tokio::time::timeout(START_TIMEOUT, waiting).await {
        Ok(Ok(word)) => word.map_err(failed)?,
        Ok(Err(error)) => return Err(cannot_start(place, &error.to_string())),
        Err(_) => return Err(cannot_start(place, "it does not get ready")),
    };
    if word == READY {
        return Ok(());
    }
    Err(serde_json::from_str(&word).unwrap_or_else(|_| cannot_start(place, "it has ended without a word")))
}

/// The line that a server says once it listens; otherwise it says a [`Failure`] in JSON.
pub(super) const READY: &str = "ready\n";

/// The most that a server says.
const MAX_WORD_BYTES: u64 = 64 * 1024;
