//! The verbs that talk to the server.

use std::sync::Arc;

use jiff::Timestamp;

use super::connect::{ConnectRequest, connect};
use super::session::session_of;
use super::surroundings;
use crate::api::{Client, Server};
use crate::cli::{self, Console, Exit, Fault, Global, Here, RunDefaults, ServerVerb, Verb, Verbs};
use crate::model::{ErrorCode, Failure, Moment, SessionName};
use crate::settings::Settings;
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
    let session = global.session.clone().unwrap_or_else(|| session_of(&settings.project_dir));
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

async fn talk(
    verb: &Verb,
    global: &Global,
    settings: &Settings,
    session: SessionName,
    cwd: std::path::PathBuf,
    console: &mut Console,
) -> Result<Exit, Fault> {
    let needs_one = !matches!(verb, Verb::Server(ServerVerb::Status | ServerVerb::Stop));
    let request =
        ConnectRequest { settings, session: session.clone(), socket: global.socket.as_deref(), start: needs_one };
    let remote = Arc::new(connect(request).await?);
    let (client, server): (Arc<dyn Client>, Arc<dyn Server>) = (Arc::clone(&remote) as _, remote);
    if let Verb::Server(asked) = verb {
        return match asked {
            ServerVerb::Status => cli::server_status(server.as_ref(), console).await,
            ServerVerb::Stop => cli::server_stop(server.as_ref(), console).await,
        };
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
        stdin: Box::new(std::io::stdin()),
        boot_now: || Moment::from_boot(clock::boot_now()),
        now: Timestamp::now,
    };
    let mut verbs = Verbs { client: Arc::clone(&client), console, here: &mut here };
    match verbs.perform(verb).await {
        Some(outcome) => outcome,
        None => Err(Failure::new(ErrorCode::Unsupported, "this verb is not there yet").into()),
    }
}
