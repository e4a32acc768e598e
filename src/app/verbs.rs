//! The verbs that talk to the server.

use std::sync::Arc;

use jiff::Timestamp;
use tokio::sync::watch;

use super::connect::{ConnectRequest, connect};
use super::session::session_of;
use super::surroundings;
use super::who::who;
use crate::api::{Client, Link, RecordsRequest, Server, Sessions};
use crate::cli::{
    self, Console, Exit, Fault, Global, Here, Playback, RunDefaults, ServerVerb, SessionVerb, Verb, Verbs,
};
use crate::model::{ErrorCode, Failure, Frame, Moment, SessionName, Size, Typist};
use crate::remote::RemoteClient;
use crate::screen::Screen;
use crate::settings::Settings;
use crate::supervisor::random_id;
use crate::sys::clock;

/// Does what a verb says that needs a server.
///
/// # Errors
/// What is wrong with the configuration, that there is no server, or what the verb failed at.
pub(super) fn perform(verb: &Verb, global: &Global, console: &mut Console) -> Result<Exit, Fault> {
    let start_dir = surroundings::present_dir()?;
    let settings = match surroundings::settings(global, &start_dir) {
        Ok(settings) => settings,
        Err(error) => return Ok(surroundings::tell_misconfigured(&error, console)),
    };
    let named = if let Verb::Session(SessionVerb::Close(of) | SessionVerb::Resume(of)) = verb {
        of.name.as_ref()
    } else {
        None
    };
    let session = named.or(global.session.as_ref()).cloned().unwrap_or_else(|| session_of(&settings.project_dir));
    // One thread is the quickest for a verb.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(ErrorCode::SpawnFailed, format!("the program could not be set up: {error}")))?;
    let outcome = runtime.block_on(talk(verb, global, &settings, session, start_dir, console));
    // A thread that still writes to somebody who does not read is left alone.
    runtime.shutdown_background();
    outcome
}

/// Returns whether a verb asks for what there is of a session that was named: a start begins one, and a ref that is not there says so itself.
fn is_about_known(verb: &Verb, global: &Global) -> bool {
    match verb {
        Verb::Session(SessionVerb::Close(of) | SessionVerb::Resume(of)) => {
            of.name.is_some() || global.session.is_some()
        }
        Verb::Ls(args) => global.session.is_some() && !args.follow,
        Verb::History(_) | Verb::Summary | Verb::Search(_) => global.session.is_some(),
        _ => false,
    }
}

/// A session is known by its runs, listed or on record, by a close, or by a fence.
///
/// # Errors
/// [`ErrorCode::NotFound`] when it has nothing of that.
async fn check_known(remote: &RemoteClient, session: &SessionName) -> Result<(), Failure> {
    let known = remote.sessions().await?;
    let is_listed = known.iter().any(|counts| counts.session == *session);
    if is_listed || !remote.list_records(RecordsRequest::newest(1)).await?.records.is_empty() {
        return Ok(());
    }
    let failure = Failure::new(ErrorCode::NotFound, format!("there is no session {session}"));
    let meant: Vec<&str> =
        known.iter().map(|counts| counts.session.as_str()).filter(|name| name.starts_with(session.as_str())).collect();
    let meant = if meant.is_empty() { String::new() } else { format!("did you mean {}? ", meant.join(" or ")) };
    Err(failure.with_hint(format!("{meant}`shtask session ls` lists those that have runs")))
}

async fn talk(
    verb: &Verb,
    global: &Global,
    settings: &Settings,
    session: SessionName,
    cwd: std::path::PathBuf,
    console: &mut Console,
) -> Result<Exit, Fault> {
    let needs_one = !matches!(verb, Verb::Server(ServerVerb::Status | ServerVerb::Stop));
    if let Verb::Server(ServerVerb::Upgrade) = verb {
        // One that has to be started for it needs no upgrade.
        let request = ConnectRequest {
            settings,
            session: session.clone(),
            socket: global.socket.as_deref(),
            who: Typist::default(),
            start: false,
            started: Arc::default(),
        };
        drop(connect(request).await?);
    }
    let program = if matches!(verb, Verb::Attach(_)) { "attach" } else { "a verb" };
    let request = ConnectRequest {
        settings,
        session: session.clone(),
        socket: global.socket.as_deref(),
        who: who(global, program)?,
        start: needs_one,
        started: Arc::default(),
    };
    let remote = Arc::new(connect(request).await?);
    if !matches!(verb, Verb::Attach(_)) {
        // It ends with the verb.
        drop(tokio::spawn(tell_silence(remote.link())));
    }
    if is_about_known(verb, global) {
        check_known(&remote, &session).await?;
    }
    let (client, server): (Arc<dyn Client>, Arc<dyn Server>) = (Arc::clone(&remote) as _, remote);
    if let Verb::Server(asked) = verb {
        return match asked {
            ServerVerb::Status => cli::server_status(server.as_ref(), console).await,
            ServerVerb::Stop => cli::server_stop(server.as_ref(), console).await,
            ServerVerb::Upgrade => cli::server_upgrade(server.as_ref(), console).await,
        };
    }
    if let Verb::Session(SessionVerb::Ls) = verb {
        return cli::session_list(server.as_ref(), console).await;
    }
    let mut here = Here {
        session,
        cwd,
        env: std::env::vars_os().collect(),
        defaults: RunDefaults {
            shell: settings.defaults.shell.clone(),
            size: settings.defaults.size,
            grace: settings.defaults.grace,
        },
        nested: global.nested,
        attach_key: settings.tui.attach_key,
        hold: settings.tui.hold,
        stdin: Box::new(std::io::stdin()),
        playback: |size| Box::new(Played(Screen::new(size, 0))),
        draw: super::render::draw_recording,
        mint: random_id,
        boot_now: || Moment::from_boot(clock::boot_now()),
        now: Timestamp::now,
    };
    let mut verbs = Verbs { client: Arc::clone(&client), console, here: &mut here };
    match verbs.perform(verb).await {
        Some(outcome) => outcome,
        // Those that need no server are done elsewhere.
        None => Err(Failure::new(ErrorCode::Unsupported, "this verb asks for no run").into()),
    }
}

/// Says when the server says nothing any more, and when it does again: who waits for hours has to know for what. `attach` has the terminal for itself.
async fn tell_silence(mut link: watch::Receiver<Link>) {
    let mut is_silent = false;
    while link.changed().await.is_ok() {
        let state = link.borrow_and_update().clone();
        match state {
            Link::Silent(why) => {
                eprintln!("warning: {why}: waiting on");
                why.hint.iter().for_each(|hint| eprintln!("hint: {hint}"));
            }
            Link::Up if is_silent => eprintln!("the server is there again"),
            Link::Up | Link::Lost(_) => {}
        }
        is_silent = matches!(*link.borrow(), Link::Silent(_));
    }
}

/// A screen that a recording is played to.
struct Played(Screen);

impl Playback for Played {
    fn admit(&mut self, bytes: &[u8]) {
        self.0.admit(bytes);
        // Nobody is there to read what a terminal answers, or to hear its bell.
        let _ = self.0.take_replies();
        self.0.take_signals();
    }

    fn resize(&mut self, size: Size) {
        self.0.resize(size);
    }

    fn frame(&mut self) -> Arc<Frame> {
        self.0.frame()
    }
}
