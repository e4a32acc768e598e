//! The client.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot, watch};

use super::dial::{self, Dial, Patience};
use super::error::broken;
use super::link::Task;
use super::waiting::{Command, ExportWaiter, ForegroundWaiter, Told, Waiter, json, once};
use crate::api::{
    Answer, Client, Closing, Deadline, Export, ExportFormat, Feed, Foreground, Found, HistoryRows, Inspection,
    LinePlace, Link, LogReading, LogRequest, Pruned, Reading, Reaped, RecordsPage, RecordsRequest, Reply, RunUsage,
    SearchRequest, SearchResults, Searching, Server, ServerStatus, ServerStopped, SessionCounts, Sessions,
    ShutdownReport, ShutdownRequest, SignalTarget, StartRequest, StopId, StopRequest, StopServer, Stopping, Summary,
    Surroundings, View, Watch, empty_feed, reply, searching,
};
use crate::model::{
    Applied, Cut, ErrorCode, Failure, Fence, Guard, KeyboardOwner, LeaseId, Record, RunId, RunName, RunRef, RunSpec,
    SessionName, TimeoutKind, Typist, WriteStdin,
};
use crate::wire::screen::read_rows;
use crate::wire::{Ask, CutAnswer, CutView, Hello, HistoryAnswer, LogAnswer, StartAsk, WireError};

/// How many requests may wait to be sent. They wait only while there is no connection, or while the server takes nothing.
const MAX_WAITING: usize = 1024;

/// Talks to a server, for one session. Clones share the connection, which ends when the last is gone and nobody waits for anything.
///
/// A lost connection is made anew: feeds go on with a fresh table, watches with the screen of that moment. An answer that was waited for is
/// [`ErrorCode::Unavailable`] then, with [`Effects::Unknown`](crate::model::Effects::Unknown); a request that could not be sent in time
/// likewise, without effects.
#[derive(Clone)]
pub struct RemoteClient {
    commands_tx: mpsc::Sender<Command>,
    next_id: Arc<AtomicU64>,
    link_rx: watch::Receiver<Link>,
    guard: Option<Guard>,
}

impl RemoteClient {
    /// Connects.
    ///
    /// # Errors
    /// Why there is no connection: what `dial` says, or the server's refusal, by name when it speaks another version.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn connect(dial: Dial, session: SessionName, patience: Patience) -> Result<RemoteClient, Failure> {
        RemoteClient::connect_as(dial, session, Typist::default(), patience).await
    }

    /// Connects, and says for whom.
    ///
    /// # Errors
    /// As [`RemoteClient::connect`].
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn connect_as(
        dial: Dial,
        session: SessionName,
        who: Typist,
        patience: Patience,
    ) -> Result<RemoteClient, Failure> {
        let hello = Hello::new(session, who);
        let connected = dial::connect(&dial, &hello, patience).await?;
        let (commands_tx, commands_rx) = mpsc::channel(MAX_WAITING);
        let (link_tx, link_rx) = watch::channel(Link::Up);
        let next_id = Arc::new(AtomicU64::new(1));
        let task = Task::new(dial, hello, patience, commands_rx, link_tx, Arc::clone(&next_id));
        // It ends by itself, when the clients and all who wait are gone.
        drop(tokio::spawn(task.run(connected)));
        Ok(RemoteClient { commands_tx, next_id, link_rx, guard: None })
    }

    /// Tells whether there is a connection, and when that changes.
    pub fn link(&self) -> watch::Receiver<Link> {
        self.link_rx.clone()
    }

    fn id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Puts a request into the order of those that are sent.
    fn send(&self, command: Command) {
        let (command, failure) = match self.commands_tx.try_send(command) {
            Ok(()) => return,
            Err(TrySendError::Full(command)) => {
                (command, Failure::new(ErrorCode::Busy, "too many requests wait already"))
            }
            Err(TrySendError::Closed(command)) => (command, broken("the connection has failed")),
        };
        command.waiter.refuse(failure);
    }

    fn ask_export(&self, ask: Ask) -> Export {
        let (chunks_tx, chunks_rx) = mpsc::channel(Export::MAX_WAITING);
        let (answer, outcome) = reply();
        let waiter = Waiter::Export(ExportWaiter { chunks_tx, answer });
        self.send(Command { id: self.id(), ask, guard: self.guard.clone(), waiter });
        Export { chunks_rx, outcome }
    }

    fn ask_for<T: Send + 'static>(
        &self,
        id: u64,
        ask: Ask,
        make: impl FnOnce(Told) -> Result<T, WireError> + Send + 'static,
    ) -> Reply<T> {
        let (answer, reply) = reply();
        let (told_tx, attention) = once(id, answer, make);
        self.send(Command { id, ask, guard: self.guard.clone(), waiter: Waiter::Once(told_tx, attention) });
        reply
    }

    fn ask<T: serde::de::DeserializeOwned + Send + 'static>(&self, ask: Ask) -> Reply<T> {
        self.ask_for(self.id(), ask, json)
    }

    fn wait_for(&self, ask: Ask) -> Foreground {
        let (output_tx, output_rx) = mpsc::unbounded_channel();
        let (presence, left_rx) = oneshot::channel();
        let (answer, outcome): (Answer<Arc<Record>>, _) = reply();
        let waiter = Waiter::Foreground(ForegroundWaiter { output_tx, answer }, left_rx);
        self.send(Command { id: self.id(), ask, guard: self.guard.clone(), waiter });
        Foreground::new(output_rx, outcome, presence)
    }
}

impl Waiter {
    /// Answers with a failure. A feed ends, which is its answer.
    pub(super) fn refuse(self, failure: Failure) {
        match self {
            Waiter::Once(told_tx, attention) => {
                // Who waits is told by the attention's last turn.
                let _ = told_tx.send(Err(failure));
                let _ = futures_util::FutureExt::now_or_never(attention);
            }
            Waiter::Watch(_, _, answer) => answer.send(Err(failure)),
            Waiter::Feed(_) => {}
            Waiter::Closing(lease, told_tx, attention) => {
                lease.send(Err(failure.clone()));
                Waiter::Once(told_tx, attention).refuse(failure);
            }
            Waiter::Search(_, told_tx, attention) => Waiter::Once(told_tx, attention).refuse(failure),
            Waiter::Export(waiter) => waiter.answer.send(Err(failure)),
            Waiter::Foreground(waiter, _) => waiter.answer.send(Err(failure)),
        }
    }
}

fn cut(told: Told) -> Result<Cut, WireError> {
    let CutAnswer { outcome, view } = told.answer.read()?;
    let view = match (view, told.frame) {
        (CutView::Final(record), _) => Applied::Final(record),
        (CutView::Live { .. }, Some(frame)) => Applied::Live(frame),
        (CutView::Live { .. }, None) => return Err(WireError::Screen { what: "it is missing" }),
    };
    Ok(Cut { outcome, view })
}

fn log(told: Told) -> Result<LogReading, WireError> {
    let LogAnswer { offset, next_offset, skipped_bytes, is_end, is_redacted } = told.answer.read()?;
    Ok(LogReading { offset, bytes: told.bulk, next_offset, skipped_bytes, is_end, is_redacted })
}

fn history(told: Told) -> Result<HistoryRows, WireError> {
    let HistoryAnswer { span, first, gap } = told.answer.read()?;
    Ok(HistoryRows { span, first, rows: read_rows(&told.bulk)?, gap })
}

impl Client for RemoteClient {
    fn start(&self, request: StartRequest) -> Reply<Arc<Record>> {
        self.ask(Ask::Start(request.into()))
    }

    fn start_foreground(&self, run: Option<RunId>, spec: RunSpec) -> Foreground {
        let start = StartAsk { spec, replace: false };
        self.wait_for(match run {
            Some(run) => Ask::RunForeground { run, start },
            None => Ask::StartForeground(start),
        })
    }

    fn rejoin_foreground(&self, run: RunId) -> Foreground {
        self.wait_for(Ask::RejoinForeground { run })
    }

    fn control(&self, run: RunId, control: WriteStdin) -> Reply<Cut> {
        self.ask_for(self.id(), Ask::Control { run, control }, cut)
    }

    fn take_keyboard(&self, run: RunId) -> Reply<KeyboardOwner> {
        self.ask(Ask::TakeKeyboard { run })
    }

    fn hand_back_keyboard(&self, run: RunId) -> Reply<bool> {
        self.ask(Ask::HandBackKeyboard { run })
    }

    fn stop(&self, run: RunId, request: StopRequest) -> Stopping {
        let id = self.id();
        Stopping { id: StopId(id), reply: self.ask_for(id, Ask::Stop { run, request }, json) }
    }

    fn withdraw_stop(&self, run: RunId, stop: StopId) -> Reply<bool> {
        self.ask(Ask::WithdrawStop { run, stop: stop.0 })
    }

    fn restart(&self, run: RunId, request: StopRequest) -> Reply<Arc<Record>> {
        self.ask(Ask::Restart { run, request })
    }

    fn signal(&self, run: RunId, signal: i32, target: SignalTarget) -> Reply<u32> {
        self.ask(Ask::Signal { run, signal, target })
    }

    fn set_deadline(&self, run: RunId, kind: TimeoutKind, deadline: Deadline) -> Reply<()> {
        self.ask(Ask::SetDeadline { run, kind, deadline })
    }

    fn mark_ready(&self, run: RunId) -> Reply<()> {
        self.ask(Ask::MarkReady { run })
    }

    fn rename(&self, run: RunId, name: RunName) -> Reply<Arc<Record>> {
        self.ask(Ask::Rename { run, name: name.to_string() })
    }

    fn read(&self, run: RunId, limit_bytes: usize) -> Reply<Reading> {
        self.ask(Ask::Read { run, limit_bytes })
    }

    fn read_log(&self, run: RunId, request: LogRequest) -> Reply<LogReading> {
        self.ask_for(self.id(), Ask::ReadLog { run, request }, log)
    }

    fn reap(&self, run: Option<RunId>) -> Reply<Vec<Reaped>> {
        self.ask(Ask::Reap { run })
    }

    fn inspect(&self, run: RunId) -> Reply<Inspection> {
        self.ask(Ask::Inspect { run })
    }

    fn usage(&self) -> Reply<Vec<RunUsage>> {
        self.ask(Ask::Usage)
    }

    fn surroundings(&self, run: RunId) -> Reply<Surroundings> {
        self.ask(Ask::Surroundings { run })
    }

    fn history(&self, run: RunId, first: u64, count: usize) -> Reply<HistoryRows> {
        self.ask_for(self.id(), Ask::History { run, first, count }, history)
    }

    fn watch(&self, run: RunId, view: View) -> Reply<Watch> {
        let (answer, reply) = reply();
        let waiter = Waiter::Watch(run, view, answer);
        self.send(Command { id: self.id(), ask: Ask::Watch { run, view }, guard: self.guard.clone(), waiter });
        reply
    }

    fn resolve(&self, wanted: RunRef) -> Reply<Arc<Record>> {
        self.ask(Ask::Resolve { wanted: wanted.to_string() })
    }

    fn list_records(&self, request: RecordsRequest) -> Reply<RecordsPage> {
        self.ask(Ask::ListRecords { request })
    }

    fn summary(&self) -> Reply<Summary> {
        self.ask(Ask::Summary)
    }

    fn prune(&self) -> Reply<Pruned> {
        self.ask(Ask::Prune)
    }

    fn why(&self, run: RunId) -> Reply<String> {
        self.ask(Ask::Why { run })
    }

    fn search(&self, request: SearchRequest) -> Searching {
        let (id, (found, answer, search)) = (self.id(), searching());
        let found = Arc::new(found);
        let rest = Arc::clone(&found);
        let make = move |told: Told| {
            // An older server tells all of it at once.
            let mut results: SearchResults = told.answer.read()?;
            let hits = std::mem::take(&mut results.hits);
            if !hits.is_empty() {
                rest.tell(Found { hits, runs: results.runs, of: results.runs });
            }
            Ok(results)
        };
        let (told_tx, attention) = once(id, answer, make);
        let waiter = Waiter::Search(found, told_tx, attention);
        self.send(Command { id, ask: Ask::Search { request, as_found: true }, guard: self.guard.clone(), waiter });
        search
    }

    fn export(&self, run: RunId, format: ExportFormat) -> Export {
        self.ask_export(Ask::Export { run, format, from: None, since: None })
    }

    fn export_lines(&self, run: RunId, from: LinePlace) -> Export {
        self.ask_export(Ask::Export { run, format: ExportFormat::Lines, from: Some(from), since: None })
    }

    fn export_since(&self, run: RunId, since: Duration) -> Export {
        self.ask_export(Ask::Export { run, format: ExportFormat::Cast, from: None, since: Some(since) })
    }

    fn guarded(&self, guard: Guard) -> Arc<dyn Client> {
        Arc::new(RemoteClient { guard: Some(guard), ..self.clone() })
    }

    fn set_fence(&self, fence: Option<Fence>) -> Reply<()> {
        self.ask(Ask::SetFence { fence })
    }

    fn close_session(&self) -> Closing {
        let (id, (leased, lease), (answer, ended)) = (self.id(), reply(), reply());
        let (told_tx, attention) = once(id, answer, json);
        let waiter = Waiter::Closing(leased, told_tx, attention);
        self.send(Command { id, ask: Ask::CloseSession, guard: self.guard.clone(), waiter });
        Closing { lease, ended }
    }

    fn commit_close(&self, lease: LeaseId) -> Reply<()> {
        self.ask(Ask::CommitClose { lease })
    }

    fn roll_back_close(&self, lease: LeaseId) -> Reply<()> {
        self.ask(Ask::RollBackClose { lease })
    }

    fn resume_session(&self) -> Reply<bool> {
        self.ask(Ask::ResumeSession)
    }

    fn forget(&self, run: RunId) -> Reply<()> {
        self.ask(Ask::Forget { run })
    }

    fn subscribe(&self) -> Feed {
        let (sender, feed) = empty_feed();
        self.send(Command {
            id: self.id(),
            ask: Ask::Subscribe,
            guard: self.guard.clone(),
            waiter: Waiter::Feed(sender),
        });
        feed
    }

    fn shutdown(&self, request: ShutdownRequest) -> Reply<ShutdownReport> {
        self.ask(Ask::Shutdown { request })
    }
}

impl Sessions for RemoteClient {
    fn sessions(&self) -> Reply<Vec<SessionCounts>> {
        self.ask(Ask::Sessions)
    }
}

impl Server for RemoteClient {
    fn ping(&self) -> Reply<()> {
        self.ask(Ask::Ping)
    }

    fn status(&self) -> Reply<ServerStatus> {
        self.ask(Ask::ServerStatus)
    }

    fn stop_server(&self, request: StopServer) -> Reply<ServerStopped> {
        self.ask(Ask::StopServer { request })
    }
}
