//! The TUI with the supervisor in the same process: all runs end with it.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use super::{exit, log, state};
use crate::api::{Client, ShutdownRequest};
use crate::holder::OnLost;
use crate::model::{
    CommandSpec, EnvSpec, ErrorCode, Failure, Limits, Moment, RunSpec, SessionName, StopSpec, Timeouts, plain_line,
    with_sources,
};
use crate::settings::{self, LoadRequest, Settings};
use crate::supervisor::{Supervisor, SupervisorSetup};
use crate::sys::clock;
use crate::tui::{self, ColorChoice, Leaving, NewRun, Options, TaskEntry};

/// The program that serves holders: this one, even when its file has been replaced meanwhile (BUGS B25).
const OWN_PROGRAM: &str = "/proc/self/exe";

/// The most threads that serve runs.
const MAX_WORKERS: usize = 4;

/// How much of a directory's name goes into that of its session.
const MAX_SESSION_NAME: usize = 100;

/// How long blocking work may hold up the end of the program: a look at a file system that hangs.
const LEAVE_TIMEOUT: Duration = Duration::from_millis(200);

/// Opens the TUI.
///
/// # Errors
/// What is wrong with the configuration or the terminal.
pub(super) fn tui(config: Option<&Path>, nested: bool) -> Result<ExitCode, Failure> {
    refuse_nesting(nested)?;
    let start_dir = std::env::current_dir().map_err(|error| {
        Failure::new(ErrorCode::NotRunnable, format!("the present directory cannot be used: {error}"))
            .with_hint("go to a directory that exists")
    })?;
    let request = LoadRequest { start_dir: &start_dir, env: &settings::process_env, config };
    let settings = match settings::load(request) {
        Ok(settings) => settings,
        Err(error) => return Ok(exit::misconfigured(&error)),
    };
    log::start(settings.directories.state.as_deref())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers())
        .thread_name("shtask")
        .enable_all()
        .build()
        .map_err(|error| Failure::new(ErrorCode::SpawnFailed, format!("no threads could be started: {error}")))?;
    // As a task of its own it runs on the threads that wait for the terminal and for the runs: a key goes from one to the other and its echo
    // back without waking another thread.
    let shown = runtime.spawn(async move { show(&settings, &start_dir).await });
    let outcome = runtime.block_on(shown);
    runtime.shutdown_timeout(LEAVE_TIMEOUT);
    outcome.unwrap_or_else(|error| Err(Failure::new(ErrorCode::Broken, format!("the interface failed: {error}"))))
}

/// Returns how many threads serve runs: half of the processors, as the other half is for what the runs do. On a small machine a second
/// thread would only take a processor away from the program whose echo is waited for.
fn workers() -> usize {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    (processors / 2).clamp(1, MAX_WORKERS)
}

/// A TUI inside one of its own runs would show itself in itself, without end (S10.8).
fn refuse_nesting(nested: bool) -> Result<(), Failure> {
    if nested || std::env::var_os("SHTASK").is_none() {
        return Ok(());
    }
    let task = std::env::var("SHTASK_TASK").unwrap_or_default();
    let of = if task.is_empty() { String::new() } else { format!(" ({task})") };
    let message = format!("this terminal belongs to a run of shtask{of}");
    Err(Failure::new(ErrorCode::Invalid, message).with_hint("leave it first, or use --nested"))
}

async fn show(settings: &Settings, start_dir: &Path) -> Result<ExitCode, Failure> {
    let session = session_of(&settings.project_dir);
    let storage = state::open(settings, &session)?;
    let setup = SupervisorSetup {
        limits: settings.limits.clone(),
        storage,
        holder_exe: Path::new(OWN_PROGRAM),
        on_lost: OnLost::End { grace: Limits::GRACE },
    };
    let (supervisor, clients) =
        Supervisor::new(setup).map_err(|error| Failure::new(ErrorCode::SpawnFailed, with_sources(&error)))?;
    let supervising = tokio::spawn(supervisor.run());
    let client: Arc<dyn Client> = Arc::new(clients.client(session));
    drop(clients);
    let left = tui::run(Arc::clone(&client), options(settings, start_dir)).await;
    let outcome = match left {
        Ok(Leaving::Stopped { summary, signal }) => {
            exit::summary(&summary);
            // Whoever sent the signal sees the exit code that it would have caused.
            Ok(signal.map_or(ExitCode::SUCCESS, |number| ExitCode::from(128 + u8::try_from(number).unwrap_or(0))))
        }
        Ok(Leaving::TerminalLost) => Ok(ExitCode::from(129)),
        Err(error) => Err(Failure::new(ErrorCode::Broken, error.to_string())),
    };
    // Nothing that was started outlives this program, however it was left. After an orderly leave nothing is live any more.
    let ended = client.shutdown(ShutdownRequest::default()).await;
    drop(client);
    if let Err(failure) = ended {
        tracing::warn!(%failure, "the end of all runs was not confirmed");
    }
    supervising.await.map_err(|error| Failure::new(ErrorCode::Broken, format!("the supervisor failed: {error}")))?;
    outcome
}

fn options(settings: &Settings, start_dir: &Path) -> Options {
    let base: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    let tasks = settings.task_specs(&base).into_iter();
    let defaults = settings.defaults.clone();
    let title = settings.project_dir.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Options {
        title: plain_line(&title, 64),
        tasks: tasks.map(|(name, spec, autostart)| TaskEntry { name, spec, autostart }).collect(),
        attach_key: settings.tui.attach_key,
        mouse: settings.tui.mouse,
        clock: || Moment::from_boot(clock::boot_now()),
        new_run: Box::new(move |new: NewRun| RunSpec {
            env: EnvSpec { base: base.clone(), ..EnvSpec::default() },
            size: new.size,
            timeouts: Timeouts { wall: new.timeout, ..Timeouts::default() },
            stop: StopSpec { grace: defaults.grace, ..StopSpec::default() },
            ..RunSpec::new(
                CommandSpec::Shell {
                    line: new.line.into(),
                    shell: defaults.shell.clone(),
                    login: false,
                    interactive: false,
                },
                new.mode,
                new.cwd,
            )
        }),
        cwd: start_dir.to_owned(),
        home: settings.directories.home.clone(),
        colors: ColorChoice::from_env(settings::process_env),
    }
}

/// Names the session of a project: after its directory for people, and by its path, which tells projects and checkouts of the same name apart.
fn session_of(project_dir: &Path) -> SessionName {
    let path = project_dir.canonicalize().unwrap_or_else(|_| project_dir.to_owned());
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let allowed = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '-' };
    let name: String = name.chars().map(allowed).take(MAX_SESSION_NAME).collect();
    let name = if name.is_empty() { "root".to_owned() } else { name };
    let hash = fnv(path.as_os_str().as_bytes());
    format!("{name}-{hash:08x}").parse().expect("a name of allowed characters, not empty and not too long")
}

/// Hashes bytes (FNV-1a, 32 bits). The same bytes give the same hash in every version, as a folder is named by it.
fn fnv(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkouts_of_the_same_name_have_sessions_of_their_own() {
        let session = |path: &str| session_of(Path::new(path)).to_string();
        assert_ne!(session("/nowhere/a/web"), session("/nowhere/b/web"));
        assert_eq!(session("/nowhere/a/web"), session("/nowhere/a/web"));
        assert!(session("/nowhere/a/my web!").starts_with("my-web--"));
        assert!(session("/").starts_with("root-"));
        session(&format!("/nowhere/{}", "x".repeat(250)));
    }
}
