//! What clients put into the supervisor's mailbox.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::keyboard::Presence;

use crate::api::{
    Answer, Deadline, ExportFormat, FeedSender, FoundSender, HistoryRows, Inspection, LinePlace, LiveOutput,
    LogReading, LogRequest, Pruned, Reading, Reaped, RecordsPage, RecordsRequest, RunUsage, SearchRequest,
    SearchResults, SessionCounts, ShutdownReport, ShutdownRequest, SignalTarget, StartRequest, StopId, StopOutcome,
    StopRequest, Summary, Surroundings, View, Watch,
};
use crate::model::{
    Cut, Failure, Fence, Guard, KeyboardOwner, LeaseId, Record, RunId, RunName, RunRef, RunSpec, SessionName,
    TimeoutKind, WriteStdin,
};

/// The road to who waits for a foreground run.
pub(super) struct LiveRoad {
    /// Where its output goes.
    pub(super) output_tx: mpsc::UnboundedSender<LiveOutput>,
    /// Ends when nobody waits any more.
    pub(super) left_rx: oneshot::Receiver<()>,
}

/// Where an export begins.
#[derive(Debug, Clone, Copy)]
pub(super) enum ExportStart {
    /// With the log.
    Beginning,
    /// With the line of this place, where it is of lines.
    Line(LinePlace),
    /// So long after the beginning of the log, where it is a recording.
    Time(Duration),
}

/// Whose request it is.
pub(super) struct Caller {
    /// The session whose runs there are for it.
    pub(super) session: SessionName,
    /// What has to hold for its changes.
    pub(super) guard: Guard,
    /// Who it is.
    pub(super) presence: Arc<Presence>,
}

/// One request of a client, with the way back.
pub(super) enum Request {
    Start(Box<StartRequest>, Answer<Arc<Record>>),
    StartForeground(Option<RunId>, Box<RunSpec>, LiveRoad, Answer<Arc<Record>>),
    RejoinForeground(RunId, oneshot::Receiver<()>, Answer<Arc<Record>>),
    Control(RunId, WriteStdin, Answer<Cut>),
    TakeKeyboard(RunId, Answer<KeyboardOwner>),
    HandBackKeyboard(RunId, Answer<bool>),
    Stop(RunId, StopId, StopRequest, Answer<StopOutcome>),
    WithdrawStop(RunId, StopId, Answer<bool>),
    Restart(RunId, StopRequest, Answer<Arc<Record>>),
    Signal(RunId, i32, SignalTarget, Answer<u32>),
    SetDeadline(RunId, TimeoutKind, Deadline, Answer<()>),
    MarkReady(RunId, Answer<()>),
    Rename(RunId, RunName, Answer<Arc<Record>>),
    Read(RunId, usize, Answer<Reading>),
    ReadLog(RunId, LogRequest, Answer<LogReading>),
    Reap(Option<RunId>, Answer<Vec<Reaped>>),
    Inspect(RunId, Answer<Inspection>),
    Usage(Answer<Vec<RunUsage>>),
    Surroundings(RunId, Answer<Surroundings>),
    History { run: RunId, first: u64, count: usize, answer: Answer<HistoryRows> },
    Watch(RunId, View, Answer<Watch>),
    Forget(RunId, Answer<()>),
    Resolve(RunRef, Answer<Arc<Record>>),
    ListRecords(RecordsRequest, Answer<RecordsPage>),
    Summary(Answer<Summary>),
    Prune(Answer<Pruned>),
    Why(RunId, Answer<String>),
    Search(SearchRequest, FoundSender, Answer<SearchResults>),
    Export(RunId, ExportFormat, ExportStart, mpsc::Sender<Vec<u8>>, Answer<()>),
    SetFence(Option<Fence>, Answer<()>),
    CloseSession(Answer<LeaseId>, Answer<ShutdownReport>),
    CommitClose(LeaseId, Answer<()>),
    RollBackClose(LeaseId, Answer<()>),
    ResumeSession(Answer<bool>),
    ListSessions(Answer<Vec<SessionCounts>>),
    Subscribe(FeedSender),
    Shutdown(ShutdownRequest, Answer<ShutdownReport>),
    LeaveRuns(Answer<()>),
}

impl Request {
    /// Answers with a failure.
    pub(super) fn refuse(self, failure: Failure) {
        match self {
            Request::Start(_, answer) => answer.send(Err(failure)),
            Request::StartForeground(.., answer) => answer.send(Err(failure)),
            Request::RejoinForeground(_, _, answer) => answer.send(Err(failure)),
            Request::Control(_, _, answer) => answer.send(Err(failure)),
            Request::TakeKeyboard(_, answer) => answer.send(Err(failure)),
            Request::HandBackKeyboard(_, answer) => answer.send(Err(failure)),
            Request::Stop(_, _, _, answer) => answer.send(Err(failure)),
            Request::WithdrawStop(_, _, answer) => answer.send(Err(failure)),
            Request::Restart(_, _, answer) => answer.send(Err(failure)),
            Request::Signal(_, _, _, answer) => answer.send(Err(failure)),
            Request::SetDeadline(_, _, _, answer) => answer.send(Err(failure)),
            Request::MarkReady(_, answer) => answer.send(Err(failure)),
            Request::Rename(_, _, answer) => answer.send(Err(failure)),
            Request::Read(_, _, answer) => answer.send(Err(failure)),
            Request::ReadLog(_, _, answer) => answer.send(Err(failure)),
            Request::Reap(_, answer) => answer.send(Err(failure)),
            Request::Inspect(_, answer) => answer.send(Err(failure)),
            Request::Usage(answer) => answer.send(Err(failure)),
            Request::Surroundings(_, answer) => answer.send(Err(failure)),
            Request::History { answer, .. } => answer.send(Err(failure)),
            Request::Watch(_, _, answer) => answer.send(Err(failure)),
            Request::Forget(_, answer) => answer.send(Err(failure)),
            Request::Resolve(_, answer) => answer.send(Err(failure)),
            Request::ListRecords(_, answer) => answer.send(Err(failure)),
            Request::Summary(answer) => answer.send(Err(failure)),
            Request::Prune(answer) => answer.send(Err(failure)),
            Request::Why(_, answer) => answer.send(Err(failure)),
            Request::Search(_, _, answer) => answer.send(Err(failure)),
            Request::Export(_, _, _, _, answer) => answer.send(Err(failure)),
            Request::SetFence(_, answer) => answer.send(Err(failure)),
            Request::CloseSession(leased, answer) => {
                leased.send(Err(failure.clone()));
                answer.send(Err(failure));
            }
            Request::CommitClose(_, answer) => answer.send(Err(failure)),
            Request::RollBackClose(_, answer) => answer.send(Err(failure)),
            Request::ResumeSession(answer) => answer.send(Err(failure)),
            Request::ListSessions(answer) => answer.send(Err(failure)),
            // Its feed ends, which is the answer.
            Request::Subscribe(_) => {}
            Request::Shutdown(_, answer) => answer.send(Err(failure)),
            Request::LeaveRuns(answer) => answer.send(Err(failure)),
        }
    }
}
