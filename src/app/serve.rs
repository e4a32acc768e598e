//! The verb `serve`: being the server, or starting one.

use std::io::Write;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use super::connect::{READY, reach};
use super::embedded::OWN_PROGRAM;
use super::host::ServerHost;
use super::place::ServerPlace;
use super::tui::workers;
use super::{log, state};
use crate::api::ShutdownRequest;
use crate::cli::{Console, Exit, Fault, Global, ServeArgs};
use crate::holder::OnLost;
use crate::model::{ErrorCode, Failure, Limits, with_sources};
use crate::server::{Patience, Place, Serving};
use crate::settings::{self, Directories, LoadRequest, Settings};
use crate::supervisor::{Supervisor, SupervisorSetup};
use crate::sys::fd;
use crate::sys::fork::{self, Side, SingleThreaded};

/// How long blocking work may hold up the end of the server: a look at a file system that hangs.
const LEAVE_TIMEOUT: Duration = Duration::from_millis(500);

/// Is the server, or starts one.
///
/// # Errors
/// Why there is no server.
pub(super) fn serve(args: ServeArgs, global: &Global, console: &mut Console) -> Result<Exit, Fault> {
    let place = find_place(global)?;
    if args.foreground {
        run(&place, &mut || {
            // Whoever reads this may be gone.
            let _ = console.line(&format!("listening on {}", place.socket.display()));
        })?;
        return Ok(Exit::DONE);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(ErrorCode::SpawnFailed, format!("the program could not be set up: {error}")))?;
    let reached = runtime.block_on(reach(&place, &AtomicBool::default()));
    // A server that hangs while it starts is not waited for.
    runtime.shutdown_background();
    reached?;
    console.line(&place.socket.display().to_string())?;
    Ok(Exit::DONE)
}

fn find_place(global: &Global) -> Result<ServerPlace, Failure> {
    let variable = settings::process_env("SHTASK_SOCKET");
    let directories = Directories::find(&settings::process_env);
    ServerPlace::find(global.socket.as_deref(), variable.as_deref(), &directories)
}

/// Is the server of who has started this program: a copy of it, on its own, which tells by standard output when it listens or why it does not.
/// Called before this program has any thread.
pub(super) fn detached(global: &Global) -> Exit {
    let place = match find_place(global) {
        Ok(place) => place,
        Err(failure) => {
            tell(&failure);
            return Exit::FAILED;
        }
    };
    let begun = SingleThreaded::claim().and_then(|alone| alone.fork());
    match begun {
        Ok(Side::Parent(_)) => return Exit::DONE,
        Ok(Side::Child) => {}
        Err(error) => {
            tell(&Failure::new(ErrorCode::SpawnFailed, format!("the server could not be forked: {error}")));
            return Exit::FAILED;
        }
    }
    let mut has_listened = false;
    let ran =
        fork::new_session().map_err(|error| Failure::new(ErrorCode::SpawnFailed, error.to_string())).and_then(|()| {
            run(&place, &mut || {
                has_listened = true;
                let mut out = std::io::stdout();
                // Whoever has started it may be gone; it serves the next one then.
                let _ = out.write_all(READY.as_bytes()).and_then(|()| out.flush());
                if let Ok(null) = fd::null() {
                    let _ = fd::make_standard(null.as_fd(), 1);
                }
            })
        });
    match ran {
        Ok(()) => Exit::DONE,
        Err(failure) if has_listened => {
            tracing::error!(%failure, "the server has failed");
            Exit::FAILED
        }
        Err(failure) => {
            tell(&failure);
            Exit::FAILED
        }
    }
}

/// Tells who has started this why there is no server.
fn tell(failure: &Failure) {
    let mut out = std::io::stdout();
    let word = serde_json::to_string(failure).expect("a failure has a form in JSON") + "\n";
    // Nobody may read it; the exit code says as much.
    let _ = out.write_all(word.as_bytes()).and_then(|()| out.flush());
}

/// Serves until the server is stopped, by request or by a signal. `listening` is called once clients can connect.
fn run(place: &ServerPlace, listening: &mut dyn FnMut()) -> Result<(), Failure> {
    // Without it the name would be that of the link that the program was started by.
    fork::set_name(c"shtask-server").map_err(|error| Failure::new(ErrorCode::SpawnFailed, error.to_string()))?;
    // The lock first: who has it may look at the state directory.
    let claimed = Place::claim(&place.socket, place.privacy)?;
    let settings = server_settings()?;
    let Some(state_dir) = settings.directories.state.clone() else {
        let message = "there is no place for records: neither SHTASK_STATE_DIR nor HOME is set";
        return Err(Failure::new(ErrorCode::StoreFailed, message).with_hint("set SHTASK_STATE_DIR"));
    };
    let log = log::start_server(&state_dir)?;
    // What a panic says goes there as well.
    fd::make_standard(log.as_fd(), 2)
        .and_then(|()| std::env::set_current_dir("/"))
        .map_err(|error| Failure::new(ErrorCode::SpawnFailed, error.to_string()))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers())
        .thread_name("shtask-server")
        .enable_all()
        .build()
        .map_err(|error| Failure::new(ErrorCode::SpawnFailed, format!("no threads could be started: {error}")))?;
    let served = runtime.block_on(serve_at(claimed, &settings, state_dir, listening));
    runtime.shutdown_timeout(LEAVE_TIMEOUT);
    served
}

async fn serve_at(
    place: Place,
    settings: &Settings,
    state_dir: PathBuf,
    listening: &mut dyn FnMut(),
) -> Result<(), Failure> {
    let (storage, held, records) = state::open_held(settings).await?;
    let setup = SupervisorSetup {
        limits: settings.limits.clone(),
        storage,
        holder_exe: Path::new(OWN_PROGRAM),
        // For a run that cannot be kept, as it has no log.
        on_lost: OnLost::End { grace: Limits::GRACE },
    };
    let (mut supervisor, clients) =
        Supervisor::new(setup).map_err(|error| Failure::new(ErrorCode::SpawnFailed, with_sources(&error)))?;
    supervisor.keep_runs(held, records);
    let mut supervising = tokio::spawn(supervisor.run());
    let host = ServerHost::new(clients, place.socket().to_owned(), state_dir);
    let signals =
        end_by_signal(host.clone()).map_err(|error| Failure::new(ErrorCode::SpawnFailed, error.to_string()))?;
    let serving = Serving::new(place, Arc::new(host.clone()), Patience::default())?;
    listening();
    tracing::info!("the server listens");
    let ended = host.ended();
    let mut failed = None;
    serving
        .run(async {
            tokio::select! {
                reason = ended => reason,
                // It ends before the host only when it has failed. The next server takes its runs up.
                error = &mut supervising => {
                    failed = error.err();
                    Failure::new(ErrorCode::Unavailable, "the server has failed; another one takes its place")
                }
            }
        })
        .await;
    if let Some(error) = failed {
        return Err(Failure::new(ErrorCode::Broken, format!("the supervisor failed: {error}")));
    }
    signals.abort();
    // Aborted, it lets go of its host; with the last client the supervisor ends.
    let _ = signals.await;
    drop(host);
    supervising.await.map_err(|error| Failure::new(ErrorCode::Broken, format!("the supervisor failed: {error}")))
}

/// SIGTERM and SIGINT end all runs and the server; a second one skips what is left of every grace.
fn end_by_signal(host: ServerHost) -> std::io::Result<tokio::task::JoinHandle<()>> {
    let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    // The terminal that it was started from is no business of a server's.
    let mut hup = signal(SignalKind::hangup())?;
    Ok(tokio::spawn(async move {
        let mut hurry = false;
        let mut ending = tokio::task::JoinSet::new();
        loop {
            tokio::select! {
                _ = term.recv() => {}
                _ = int.recv() => {}
                _ = hup.recv() => continue,
            }
            let (host, request) = (host.clone(), ShutdownRequest { hurry });
            hurry = true;
            ending.spawn(async move {
                match host.shut_down(request).await {
                    Ok(_) => host.end(false),
                    Err(failure) => tracing::error!(%failure, "the end of all runs was not confirmed"),
                }
            });
        }
    }))
}

/// The configuration of the server: the user's own. That of a project is no business of all others.
fn server_settings() -> Result<Settings, Failure> {
    let env = |name: &str| if name == "SHTASK_CONFIG" { None } else { settings::process_env(name) };
    let request = LoadRequest { start_dir: Path::new("/"), env: &env, config: None };
    settings::load(request).map_err(|error| {
        let first = error.problems().next().map(Failure::from);
        first.unwrap_or_else(|| Failure::new(ErrorCode::Invalid, "the configuration cannot be used"))
    })
}
