//! The clients of a supervisor in this process.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

use super::keyboard::Presence;
use super::request::{Caller, ExportStart, LiveRoad, Request};
use crate::api::{
    Answer, Client, Closing, Deadline, Export, ExportFormat, Feed, Foreground, HistoryRows, Inspection, LinePlace,
    LogReading, LogRequest, Pruned, Reading, Reaped, RecordsPage, RecordsRequest, Reply, RunUsage, SearchRequest,
    Searching, SessionCounts, Sessions, ShutdownReport, ShutdownRequest, SignalTarget, StartRequest, StopId,
    StopRequest, Stopping, Summary, Surroundings, View, Watch, empty_feed, reply, searching,
};
use crate::model::{
    Cut, ErrorCode, Failure, Fence, Guard, KeyboardOwner, LeaseId, Record, RunId, RunName, RunRef, RunSpec,
    SessionName, TimeoutKind, Typist, TypistId, WriteStdin,
};
use crate::sys::clock;

/// Whose requests those are that belong to no session.
const NO_SESSION: &str = "-";

/// Makes clients for a supervisor in this process, each for one session. When the last client is dropped and this too, the supervisor ends.
#[derive(Clone)]
pub struct Clients {
    requests_tx: mpsc::Sender<(Arc<Caller>, Request)>,
    /// Of all clients: two of them may stop the same run.
    next_stop: Arc<AtomicU64>,
    /// Who has left.
    left_tx: mpsc::UnboundedSender<TypistId>,
    next_typist: Arc<AtomicU64>,
}

/// Talks to a supervisor in this process, for one session: runs of others do not exist for it.
#[derive(Clone)]
pub struct LocalClient {
    clients: Clients,
    caller: Arc<Caller>,
}

impl Clients {
    pub(super) fn new(
        requests_tx: mpsc::Sender<(Arc<Caller>, Request)>,
        left_tx: mpsc::UnboundedSender<TypistId>,
    ) -> Clients {
        Clients {
            requests_tx,
            next_stop: Arc::default(),
            left_tx,
            next_typist: Arc::new(AtomicU64::new(first_typist())),
        }
    }

    fn send(&self, caller: &Arc<Caller>, request: Request) {
        match self.requests_tx.try_send((Arc::clone(caller), request)) {
            Ok(()) => {}
            Err(TrySendError::Full((_, request))) => {
                request.refuse(Failure::new(ErrorCode::Busy, "too many requests wait already"));
            }
            Err(TrySendError::Closed((_, request))) => {
                request.refuse(Failure::new(ErrorCode::Unavailable, "the supervisor has ended"));
            }
        }
    }

    /// Makes a client for the runs of a session: a person whose name nobody knows.
    pub fn client(&self, session: SessionName) -> LocalClient {
        self.client_of(session, Typist::default())
    }

    /// Makes a client for the runs of a session. What it holds is handed back when it and all that it has asked for are gone.
    pub fn client_of(&self, session: SessionName, who: Typist) -> LocalClient {
        let presence = self.presence(who);
        LocalClient { clients: self.clone(), caller: Arc::new(Caller { session, guard: Guard::default(), presence }) }
    }

    /// Lets all runs go on without this program: from now on nobody's leaving ends one (S7.4).
    pub fn leave_runs(&self) -> Reply<()> {
        let (answer, reply) = reply();
        self.send(&self.nobody(), Request::LeaveRuns(answer));
        reply
    }

    /// Whose requests those are that are no session's.
    fn nobody(&self) -> Arc<Caller> {
        let session = NO_SESSION.parse().expect("the constant is a session name");
        Arc::new(Caller { session, guard: Guard::default(), presence: self.presence(Typist::default()) })
    }

    fn presence(&self, who: Typist) -> Arc<Presence> {
        let id = TypistId(self.next_typist.fetch_add(1, Ordering::Relaxed));
        Arc::new(Presence::new(id, who.checked(), self.left_tx.clone()))
    }
}

/// Returns the first number for a client: one that no server before has given to one of its own.
fn first_typist() -> u64 {
    u64::try_from(clock::boot_now().as_nanos()).unwrap_or_default()
}

impl Sessions for Clients {
    fn sessions(&self) -> Reply<Vec<SessionCounts>> {
        let (answer, reply) = reply();
        self.send(&self.nobody(), Request::ListSessions(answer));
        reply
    }
}

impl LocalClient {
    fn ask<T>(&self, request: impl FnOnce(Answer<T>) -> Request) -> Reply<T> {
        let (answer, reply) = reply();
        self.send(request(answer));
        reply
    }

    fn send(&self, request: Request) {
        self.clients.send(&self.caller, request);
    }
}

impl Client for LocalClient {
    fn start(&self, request: StartRequest) -> Reply<Arc<Record>> {
        self.ask(|answer| Request::Start(Box::new(request), answer))
    }

    fn start_foreground(&self, run: Option<RunId>, spec: RunSpec) -> Foreground {
        let (output_tx, output_rx) = mpsc::unbounded_channel();
        let (presence, left_rx) = oneshot::channel();
        let live = LiveRoad { output_tx, left_rx };
        let outcome = self.ask(|answer| Request::StartForeground(run, Box::new(spec), live, answer));
        Foreground::new(output_rx, outcome, presence)
    }

    fn rejoin_foreground(&self, run: RunId) -> Foreground {
        let (_, output_rx) = mpsc::unbounded_channel();
        let (presence, left_rx) = oneshot::channel();
        let outcome = self.ask(|answer| Request::RejoinForeground(run, left_rx, answer));
        Foreground::new(output_rx, outcome, presence)
    }

    fn control(&self, run: RunId, control: WriteStdin) -> Reply<Cut> {
        self.ask(|answer| Request::Control(run, control, answer))
    }

    fn take_keyboard(&self, run: RunId) -> Reply<KeyboardOwner> {
        self.ask(|answer| Request::TakeKeyboard(run, answer))
    }

    fn hand_back_keyboard(&self, run: RunId) -> Reply<bool> {
        self.ask(|answer| Request::HandBackKeyboard(run, answer))
    }

    fn stop(&self, run: RunId, request: StopRequest) -> Stopping {
        let id = StopId(self.clients.next_stop.fetch_add(1, Ordering::Relaxed));
        Stopping { id, reply: self.ask(|answer| Request::Stop(run, id, request, answer)) }
    }

    fn withdraw_stop(&self, run: RunId, stop: StopId) -> Reply<bool> {
        self.ask(|answer| Request::WithdrawStop(run, stop, answer))
    }

    fn restart(&self, run: RunId, request: StopRequest) -> Reply<Arc<Record>> {
        self.ask(|answer| Request::Restart(run, request, answer))
    }

    fn signal(&self, run: RunId, signal: i32, target: SignalTarget) -> Reply<u32> {
        self.ask(|answer| Request::Signal(run, signal, target, answer))
    }

    fn set_deadline(&self, run: RunId, kind: TimeoutKind, deadline: Deadline) -> Reply<()> {
        self.ask(|answer| Request::SetDeadline(run, kind, deadline, answer))
    }

    fn mark_ready(&self, run: RunId) -> Reply<()> {
        self.ask(|answer| Request::MarkReady(run, answer))
    }

    fn rename(&self, run: RunId, name: RunName) -> Reply<Arc<Record>> {
        self.ask(|answer| Request::Rename(run, name, answer))
    }

    fn read(&self, run: RunId, limit_bytes: usize) -> Reply<Reading> {
        self.ask(|answer| Request::Read(run, limit_bytes, answer))
    }

    fn read_log(&self, run: RunId, request: LogRequest) -> Reply<LogReading> {
        self.ask(|answer| Request::ReadLog(run, request, answer))
    }

    fn reap(&self, run: Option<RunId>) -> Reply<Vec<Reaped>> {
        self.ask(|answer| Request::Reap(run, answer))
    }

    fn inspect(&self, run: RunId) -> Reply<Inspection> {
        self.ask(|answer| Request::Inspect(run, answer))
    }

    fn usage(&self) -> Reply<Vec<RunUsage>> {
        self.ask(Request::Usage)
    }

    fn surroundings(&self, run: RunId) -> Reply<Surroundings> {
        self.ask(|answer| Request::Surroundings(run, answer))
    }

    fn history(&self, run: RunId, first: u64, count: usize) -> Reply<HistoryRows> {
        self.ask(|answer| Request::History { run, first, count, answer })
    }

    fn watch(&self, run: RunId, view: View) -> Reply<Watch> {
        self.ask(|answer| Request::Watch(run, view, answer))
    }

    fn forget(&self, run: RunId) -> Reply<()> {
        self.ask(|answer| Request::Forget(run, answer))
    }

    fn resolve(&self, wanted: RunRef) -> Reply<Arc<Record>> {
        self.ask(|answer| Request::Resolve(wanted, answer))
    }

    fn list_records(&self, request: RecordsRequest) -> Reply<RecordsPage> {
        self.ask(|answer| Request::ListRecords(request, answer))
    }

    fn summary(&self) -> Reply<Summary> {
        self.ask(Request::Summary)
    }

    fn why(&self, run: RunId) -> Reply<String> {
        self.ask(|answer| Request::Why(run, answer))
    }

    fn search(&self, request: SearchRequest) -> Searching {
        let (found, answer, search) = searching();
        self.send(Request::Search(request, found, answer));
        search
    }

    fn export(&self, run: RunId, format: ExportFormat) -> Export {
        let (chunks_tx, chunks_rx) = mpsc::channel(Export::MAX_WAITING);
        Export {
            chunks_rx,
            outcome: self.ask(|answer| Request::Export(run, format, ExportStart::Beginning, chunks_tx, answer)),
        }
    }

    fn export_lines(&self, run: RunId, from: LinePlace) -> Export {
        let (chunks_tx, chunks_rx) = mpsc::channel(Export::MAX_WAITING);
        let request = |answer| Request::Export(run, ExportFormat::Lines, ExportStart::Line(from), chunks_tx, answer);
        Export { chunks_rx, outcome: self.ask(request) }
    }

    fn export_since(&self, run: RunId, since: Duration) -> Export {
        let (chunks_tx, chunks_rx) = mpsc::channel(Export::MAX_WAITING);
        let request = |answer| Request::Export(run, ExportFormat::Cast, ExportStart::Time(since), chunks_tx, answer);
        Export { chunks_rx, outcome: self.ask(request) }
    }

    fn prune(&self) -> Reply<Pruned> {
        self.ask(Request::Prune)
    }

    fn guarded(&self, guard: Guard) -> Arc<dyn Client> {
        let (session, presence) = (self.caller.session.clone(), Arc::clone(&self.caller.presence));
        let caller = Arc::new(Caller { session, guard, presence });
        Arc::new(LocalClient { clients: self.clients.clone(), caller })
    }

    fn set_fence(&self, fence: Option<Fence>) -> Reply<()> {
        self.ask(|answer| Request::SetFence(fence, answer))
    }

    fn close_session(&self) -> Closing {
        let (leased, lease) = reply();
        Closing { lease, ended: self.ask(|answer| Request::CloseSession(leased, answer)) }
    }

    fn commit_close(&self, lease: LeaseId) -> Reply<()> {
        self.ask(|answer| Request::CommitClose(lease, answer))
    }

    fn roll_back_close(&self, lease: LeaseId) -> Reply<()> {
        self.ask(|answer| Request::RollBackClose(lease, answer))
    }

    fn resume_session(&self) -> Reply<bool> {
        self.ask(Request::ResumeSession)
    }

    fn subscribe(&self) -> Feed {
        let (sender, feed) = empty_feed();
        self.send(Request::Subscribe(sender));
        feed
    }

    fn shutdown(&self, request: ShutdownRequest) -> Reply<ShutdownReport> {
        self.ask(|answer| Request::Shutdown(request, answer))
    }
}
