//! From commands to calls of the client.

use std::ffi::OsString;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::api::{Client, RecordsRequest, ShutdownRequest, StartRequest, StopRequest, restarted};
use crate::model::{ErrorCode, RunId, RunSpec, WriteStdin};

use super::DrawPicture;
use super::NewRun;
use super::cmd::{Cmd, Origin};
use super::complete::complete;
use super::event::{Answer, Event};
use super::exporting::{export, log_file};

/// How many records are asked for at once.
const RECORDS: usize = 500;

/// How many earlier runs of a name are shown.
const MAX_GENERATIONS: usize = 20;

/// An answer that is on its way.
pub(super) type Awaited = Pin<Box<dyn Future<Output = Event> + Send>>;

/// Makes the spec of a run from what the prompt asked for.
pub(super) type MakeSpec = dyn Fn(NewRun) -> RunSpec + Send;

/// Calls the client: the request is on its way when this returns, so the order of commands is the order of effects. Commands that are not
/// about the client are given back.
pub(super) fn perform(
    shared: &Arc<dyn Client>,
    make_spec: &MakeSpec,
    env: &Arc<Vec<(OsString, OsString)>>,
    draw: DrawPicture,
    cmd: Cmd,
) -> Result<Awaited, Cmd> {
    let client = shared.as_ref();
    Ok(match cmd {
        Cmd::Start { name, spec } => start(client, Origin::Task(name), *spec),
        Cmd::StartNew(request) => start(client, Origin::Prompt, make_spec(request)),
        Cmd::Export { run, form, folder, name } => {
            let written = export(client, run, form, folder, name, draw);
            answer(async move { Answer::Exported { run, result: written.await } })
        }
        Cmd::FetchLog { run, shower } => {
            let fetched = log_file(client, run);
            answer(async move { Answer::LogFetched { run, shower, result: fetched.await } })
        }
        Cmd::Complete(asked) => {
            let search_path = std::env::var_os("PATH");
            let wanted = asked.clone();
            let found = tokio::task::spawn_blocking(move || complete(&wanted, search_path.as_deref()));
            answer(async move { Answer::Completed { asked, choices: found.await.unwrap_or_default() } })
        }
        Cmd::Stop { run, kill } => {
            let stopping = client.stop(run, StopRequest { kill });
            answer(async move { Answer::Stopped { run, result: stopping.reply.await } })
        }
        Cmd::Reap(run) => {
            let reply = client.reap(Some(run));
            answer(async move { Answer::Reaped { run, result: reply.await } })
        }
        Cmd::Restart { run, kill } => {
            let (reply, client, env) = (client.restart(run, StopRequest { kill }), Arc::clone(shared), Arc::clone(env));
            answer(async move { Answer::Restarted { run, result: restarted(client.as_ref(), run, reply, env).await } })
        }
        Cmd::Signal { run, signal, target } => {
            let reply = client.signal(run, signal, target);
            answer(async move { Answer::Signalled { run, signal, result: reply.await } })
        }
        Cmd::SetDeadline { run, kind, deadline } => {
            let reply = client.set_deadline(run, kind, deadline);
            answer(async move { Answer::DeadlineSet { run, result: reply.await } })
        }
        Cmd::Rename { run, name } => {
            let reply = client.rename(run, name);
            answer(async move { Answer::Renamed { run, result: reply.await } })
        }
        Cmd::Inspect(run) => {
            let reply = client.inspect(run);
            answer(async move { Answer::Inspected { run, result: reply.await.map(Box::new) } })
        }
        Cmd::Usage => {
            let reply = client.usage();
            answer(async move { Answer::Usage { result: reply.await } })
        }
        Cmd::Surroundings(run) => {
            let reply = client.surroundings(run);
            answer(async move { Answer::Surroundings { run, result: reply.await } })
        }
        Cmd::Why(run) => {
            let reply = client.why(run);
            answer(async move { Answer::Why { run, result: reply.await } })
        }
        Cmd::Generations { run, name } => {
            let request = RecordsRequest { name: Some(name), ..RecordsRequest::newest(MAX_GENERATIONS) };
            let reply = client.list_records(request);
            answer(async move { Answer::Generations { run, result: reply.await } })
        }
        Cmd::Forget(run) => {
            let reply = client.forget(run);
            answer(async move { Answer::Forgotten { run, result: reply.await } })
        }
        Cmd::History { run, first, count } => {
            let reply = client.history(run, first, count);
            answer(async move { Answer::History { run, result: reply.await } })
        }
        Cmd::Gather { run, first, count } => {
            let reply = client.history(run, first, count);
            answer(async move { Answer::Gathered { run, result: reply.await } })
        }
        Cmd::Records { before } => {
            let reply = client.list_records(RecordsRequest { before, ..RecordsRequest::newest(RECORDS) });
            answer(async move { Answer::Records { before, result: reply.await } })
        }
        Cmd::TakeKeyboard(run) => {
            let reply = client.take_keyboard(run);
            answer(async move { Answer::KeyboardTaken { run, result: reply.await } })
        }
        Cmd::HandBackKeyboard(run) => {
            let reply = client.hand_back_keyboard(run);
            answer(async move { Answer::KeyboardHandedBack { run, result: reply.await } })
        }
        Cmd::Resize { run, size } => {
            let reply = client.control(run, WriteStdin::resize(size));
            answer(async move { Answer::Resized { run, size, result: reply.await } })
        }
        Cmd::Shutdown { hurry } => {
            let reply = client.shutdown(ShutdownRequest { hurry });
            answer(async move { Answer::ShutDown { result: reply.await } })
        }
        Cmd::StopAll { runs, kill } => stop_all(client, runs, kill),
        Cmd::Control { .. }
        | Cmd::Watch { .. }
        | Cmd::Unwatch(_)
        | Cmd::Find { .. }
        | Cmd::StopFinding
        | Cmd::Copy(_)
        | Cmd::Show { .. }
        | Cmd::ShowOrder(_)
        | Cmd::Remember(_)
        | Cmd::Visit { .. }
        | Cmd::Notify { .. }
        | Cmd::Suspend
        | Cmd::Redraw
        | Cmd::Quit => return Err(cmd),
    })
}

fn stop_all(client: &dyn Client, runs: Vec<RunId>, kill: bool) -> Awaited {
    let stopping: Vec<_> = runs.into_iter().map(|run| client.stop(run, StopRequest { kill }).reply).collect();
    answer(async move {
        let mut outcomes = Vec::with_capacity(stopping.len());
        for reply in stopping {
            match reply.await {
                Ok(outcome) => outcomes.push(outcome),
                // It ended by itself in between, or was cleared.
                Err(failure) if matches!(failure.code, ErrorCode::ControlClosed | ErrorCode::NotFound) => {}
                Err(failure) => return Answer::AllStopped { result: Err(failure) },
            }
        }
        Answer::AllStopped { result: Ok(outcomes) }
    })
}

fn start(client: &dyn Client, origin: Origin, spec: RunSpec) -> Awaited {
    let reply = client.start(StartRequest { spec, replace: false });
    answer(async move { Answer::Started { origin, result: reply.await } })
}

fn answer(answer: impl Future<Output = Answer> + Send + 'static) -> Awaited {
    Box::pin(async move { Event::Answer(answer.await) })
}
