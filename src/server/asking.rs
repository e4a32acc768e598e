//! From what a client asks to what goes on for it.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::event::{
    Answered, Event, Exporting, Going, Kind, Living, fed, json, leased, living, searched, waiting, with,
};
use super::host::Host;
use crate::api::{Client, ExportFormat, Reply, ServerStatus, StopId};
use crate::model::{ErrorCode, Failure, Guard, IdError};
use crate::wire::{Ask, Json};

/// Who answers what a connection asks.
pub(super) struct Asked<'a> {
    pub(super) client: &'a dyn Client,
    pub(super) host: &'a dyn Host,
    pub(super) connections: &'a std::sync::Arc<AtomicUsize>,
}

impl Asked<'_> {
    /// Passes a request on: it has its effect, or its place in the order of effects, when this returns. `stop_of` finds a stop of this connection.
    pub(super) fn ask(
        &self,
        id: u64,
        ask: Ask,
        guard: Option<Guard>,
        stop_of: impl FnOnce(u64) -> Option<StopId>,
    ) -> (Living, Going) {
        let guarded = guard.map(|guard| self.client.guarded(guard));
        let client = guarded.as_deref().unwrap_or(self.client);
        let plain = |going: Going| living(Kind::Plain, going);
        match ask {
            Ask::Start(start) => plain(Box::pin(json(id, client.start(start.into())))),
            Ask::StartForeground(start) => waiting(id, client.start_foreground(None, start.spec)),
            Ask::RunForeground { run, start } => waiting(id, client.start_foreground(Some(run), start.spec)),
            Ask::RejoinForeground { run } => waiting(id, client.rejoin_foreground(run)),
            Ask::Control { run, control } => {
                let reply = client.control(run, control);
                plain(Box::pin(with(id, reply, move |cut| Answered::Cut(run, cut))))
            }
            Ask::TakeKeyboard { run } => plain(Box::pin(json(id, client.take_keyboard(run)))),
            Ask::HandBackKeyboard { run } => plain(Box::pin(json(id, client.hand_back_keyboard(run)))),
            Ask::Stop { run, request } => {
                let stopping = client.stop(run, request);
                living(Kind::Stop(stopping.id), json(id, stopping.reply))
            }
            Ask::WithdrawStop { run, stop } => {
                // One that is not known here is over; the host says what there is to say about the run.
                let stop = stop_of(stop).unwrap_or(StopId(u64::MAX));
                plain(Box::pin(json(id, client.withdraw_stop(run, stop))))
            }
            Ask::Restart { run, request } => plain(Box::pin(json(id, client.restart(run, request)))),
            Ask::Signal { run, signal, target } => plain(Box::pin(json(id, client.signal(run, signal, target)))),
            Ask::SetDeadline { run, kind, deadline } => {
                plain(Box::pin(json(id, client.set_deadline(run, kind, deadline))))
            }
            Ask::MarkReady { run } => plain(Box::pin(json(id, client.mark_ready(run)))),
            Ask::Rename { run, name } => {
                let reply = match name.parse() {
                    Ok(name) => client.rename(run, name),
                    Err(error) => Reply::ready(Err(Failure::new(ErrorCode::Invalid, IdError::to_string(&error)))),
                };
                plain(Box::pin(json(id, reply)))
            }
            Ask::Read { run, limit_bytes } => plain(Box::pin(json(id, client.read(run, limit_bytes)))),
            Ask::ReadLog { run, request } => plain(Box::pin(with(id, client.read_log(run, request), Answered::Log))),
            Ask::Reap { run } => plain(Box::pin(json(id, client.reap(run)))),
            Ask::Inspect { run } => plain(Box::pin(json(id, client.inspect(run)))),
            Ask::Usage => plain(Box::pin(json(id, client.usage()))),
            Ask::Surroundings { run } => plain(Box::pin(json(id, client.surroundings(run)))),
            Ask::History { run, first, count } => {
                plain(Box::pin(with(id, client.history(run, first, count), Answered::History)))
            }
            Ask::Watch { run, view } => {
                let reply = client.watch(run, view);
                plain(Box::pin(with(id, reply, move |watch| Answered::Watch(run, watch))))
            }
            Ask::Resolve { wanted } => {
                let reply = match wanted.parse() {
                    Ok(wanted) => client.resolve(wanted),
                    Err(error) => Reply::ready(Err(Failure::new(ErrorCode::Invalid, IdError::to_string(&error)))),
                };
                plain(Box::pin(json(id, reply)))
            }
            Ask::ListRecords { request } => plain(Box::pin(json(id, client.list_records(request)))),
            Ask::Summary => plain(Box::pin(json(id, client.summary()))),
            Ask::Prune => plain(Box::pin(json(id, client.prune()))),
            Ask::Why { run } => plain(Box::pin(json(id, client.why(run)))),
            Ask::Search { request, as_found: true } => plain(Box::pin(searched(id, client.search(request)))),
            Ask::Search { request, as_found: false } => plain(Box::pin(json(id, client.search(request).whole()))),
            Ask::Export { run, format, from, since } => {
                let export = match (from, since) {
                    (Some(from), _) if format == ExportFormat::Lines => client.export_lines(run, from),
                    (_, Some(since)) if format == ExportFormat::Cast => client.export_since(run, since),
                    (Some(_) | None, Some(_) | None) => client.export(run, format),
                };
                let exporting = Exporting::new(export);
                living(Kind::Export(None), exporting.next(id))
            }
            Ask::SetFence { fence } => plain(Box::pin(json(id, client.set_fence(fence)))),
            Ask::CloseSession => plain(Box::pin(leased(id, client.close_session()))),
            Ask::CommitClose { lease } => plain(Box::pin(json(id, client.commit_close(lease)))),
            Ask::RollBackClose { lease } => plain(Box::pin(json(id, client.roll_back_close(lease)))),
            Ask::ResumeSession => plain(Box::pin(json(id, client.resume_session()))),
            Ask::Sessions => plain(Box::pin(json(id, self.host.sessions().sessions()))),
            Ask::Forget { run } => plain(Box::pin(json(id, client.forget(run)))),
            Ask::Subscribe => plain(Box::pin(fed(id, client.subscribe()))),
            Ask::Shutdown { request } => plain(Box::pin(json(id, client.shutdown(request)))),
            Ask::Ping => plain(Box::pin(json(id, self.host.server().ping()))),
            Ask::ServerStatus => {
                let (reply, connections) = (self.host.server().status(), std::sync::Arc::clone(self.connections));
                plain(Box::pin(async move {
                    let status = reply.await.map(|status| {
                        let connections = connections.load(Ordering::Relaxed);
                        Answered::Json(Json::of(&ServerStatus { connections, ..status }))
                    });
                    Event::Answered(id, status)
                }))
            }
            Ask::StopServer { request } => plain(Box::pin(json(id, self.host.server().stop_server(request)))),
        }
    }
}
