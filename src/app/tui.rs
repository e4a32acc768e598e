//! The TUI: over the server, or with the supervisor in the same process.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::connect::{ConnectRequest, connect};
use super::history::History;
use super::render::draw_recording;
use super::seen;
use super::session::session_of;
use super::surroundings::{Interface, interface, present_dir, settings, tell_misconfigured};
use super::who::who;
use super::{clipboard, embedded, farewell, log};
use crate::api::Client;
use crate::cli::{Console, Exit, Global, RenderFormat};
use crate::model::{
    CommandSpec, EnvSpec, ErrorCode, Failure, Moment, RunSpec, SessionName, StopSpec, Timeouts, Typist, plain_line,
};
use crate::settings::{self, Settings};
use crate::sys::clock;
use crate::tui::{self, Leaving, NewRun, Options, Picture, TaskEntry};

/// The most threads that serve runs.
const MAX_WORKERS: usize = 4;

/// How long blocking work may hold up the end of the program: a look at a file system that hangs.
const LEAVE_TIMEOUT: Duration = Duration::from_millis(200);

/// Opens the TUI.
///
/// # Errors
/// What is wrong with the configuration or the terminal.
pub(super) fn open(global: &Global, console: &mut Console) -> Result<Exit, Failure> {
    refuse_nesting(global.nested)?;
    let start_dir = present_dir()?;
    let settings = match settings(global, &start_dir) {
        Ok(settings) => settings,
        Err(error) => return Ok(tell_misconfigured(&error, console)),
    };
    let interface = match interface(&settings) {
        Ok(interface) => interface,
        Err(error) => return Ok(tell_misconfigured(&error, console)),
    };
    // Before a server is started for nothing.
    tui::check_terminal().map_err(|error| {
        let failure = Failure::new(ErrorCode::Broken, error.to_string());
        failure.with_hint("`shtask ls` and the other verbs need no terminal")
    })?;
    let session = global.session.clone().unwrap_or_else(|| session_of(&settings.project_dir));
    log::start(settings.directories.state.as_deref())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers())
        .thread_name("shtask")
        .enable_all()
        .build()
        .map_err(|error| Failure::new(ErrorCode::SpawnFailed, format!("no threads could be started: {error}")))?;
    // As a task of its own it runs on the threads that wait for the terminal and for the runs: a key goes from one to the other and its echo
    // back without waking another thread.
    // With a configuration that was named, the same words in another folder would show another session.
    let is_found_here = global.session.is_none() && global.config.is_none();
    let who = who(global, "shtask")?;
    let (is_embedded, socket) = (global.embedded, global.socket.clone());
    let shown = runtime.spawn(async move {
        let mut options = options(&settings, interface, &start_dir);
        if !is_found_here {
            options.again = format!("shtask --session {session}");
        }
        match is_embedded {
            true => embedded::show(&settings, session, options).await,
            false => show(&settings, session, socket.as_deref(), who, options).await,
        }
    });
    let outcome = runtime.block_on(shown);
    runtime.shutdown_timeout(LEAVE_TIMEOUT);
    outcome.unwrap_or_else(|error| Err(Failure::new(ErrorCode::Broken, format!("the interface failed: {error}"))))
}

/// Returns how many threads serve runs: half of the processors, as the other half is for what the runs do. On a small machine a second
/// thread would only take a processor away from the program whose echo is waited for.
pub(super) fn workers() -> usize {
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

/// Shows the runs of the server, started if there is none.
async fn show(
    settings: &Settings,
    session: SessionName,
    socket: Option<&Path>,
    who: Typist,
    options: Options,
) -> Result<Exit, Failure> {
    let started = Arc::new(AtomicBool::new(false));
    let request = ConnectRequest { settings, session, socket, who, start: true, started: Arc::clone(&started) };
    let remote = connect(request).await?;
    let server = Some(remote.link());
    let client: Arc<dyn Client> = Arc::new(remote);
    let started_server = started.load(Ordering::Relaxed);
    left(tui::run(client, Options { server, started_server, ..options }).await)
}

/// Says what stays on the user's screen, and what the exit code is.
pub(super) fn left(left: Result<Leaving, tui::TuiError>) -> Result<Exit, Failure> {
    match left {
        Ok(Leaving::Stopped { summary, signal } | Leaving::Detached { summary, signal }) => {
            farewell::summary(&summary);
            // Whoever sent the signal sees the exit code that it would have caused.
            Ok(signal.map_or(Exit::DONE, |number| Exit(128 + u8::try_from(number).unwrap_or(0))))
        }
        Ok(Leaving::TerminalLost) => Ok(Exit(129)),
        Err(error) => Err(Failure::new(ErrorCode::Broken, error.to_string())),
    }
}

fn options(settings: &Settings, interface: Interface, start_dir: &Path) -> Options {
    let base: Arc<Vec<(OsString, OsString)>> = Arc::new(std::env::vars_os().collect());
    let history = History::of(settings);
    let seen = seen::path(settings);
    let tasks = settings.task_specs(&base).into_iter();
    let defaults = settings.defaults.clone();
    let title = settings.project_dir.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Options {
        title: plain_line(&title, 64),
        tasks: tasks.map(|(name, spec, autostart)| TaskEntry { name, spec, autostart }).collect(),
        attach_key: settings.tui.attach_key,
        keys: interface.keys,
        theme: interface.theme,
        by_ground: interface.by_ground,
        mouse: settings.tui.mouse,
        list_place: settings.tui.layout,
        usage: settings.tui.usage,
        notify: settings.tui.notify.clone(),
        clock: || Moment::from_boot(clock::boot_now()),
        env: Arc::clone(&base),
        new_run: Box::new(move |new: NewRun| RunSpec {
            env: EnvSpec { base: Arc::clone(&base), ..EnvSpec::default() },
            name: new.name,
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
        draw: |recording, picture| {
            let format = match picture {
                Picture::Svg => RenderFormat::Svg,
                Picture::Html => RenderFormat::Html,
                Picture::Png => RenderFormat::Png,
            };
            draw_recording(recording, format)
        },
        history: history.as_ref().map(History::lines).unwrap_or_default(),
        remember: Arc::new(move |line| history.iter().for_each(|history| history.add(line))),
        cwd: start_dir.to_owned(),
        new_run_mode: settings.defaults.mode,
        home: settings.directories.home.clone(),
        clipboard: clipboard::program(settings.tui.clipboard.as_deref(), settings::process_env),
        copy_on_release: settings.tui.copy_on_release,
        colors: interface.colors,
        again: "shtask".to_owned(),
        server: None,
        started_server: false,
        seen: seen.as_deref().map(seen::read).unwrap_or_default(),
        keep_seen: Box::new(move |runs| seen.iter().for_each(|path| seen::keep(path, runs))),
        hold: settings.tui.hold,
    }
}
