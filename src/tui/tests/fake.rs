//! A client that is played: it notes what is asked, and answers as the test wants.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::{mpsc, watch};

use crate::api::{
    Answer, Client, Closing, Deadline, Export, ExportFormat, Feed, FeedSender, Foreground, FoundSender, HistoryRows,
    Inspection, LogReading, LogRequest, Pruned, Reading, Reaped, RecordsPage, RecordsRequest, Reply, RunView,
    SearchRequest, SearchResults, Searching, ShutdownReport, ShutdownRequest, SignalTarget, StartRequest, StopId,
    StopOutcome, StopRequest, Stopping, Summary, Update, View, Watch, feed, reply, searching,
};
use crate::model::{
    Cut, ErrorCode, Failure, Fence, Frame, Guard, KeyboardOwner, LeaseId, Record, RunId, RunName, RunRef, RunSpec,
    TimeoutKind, WriteStdin,
};

/// What was asked, in words.
#[derive(Default)]
pub(super) struct Said(Mutex<Vec<String>>);

impl Said {
    fn say(&self, words: String) {
        self.0.lock().expect("said").push(words);
    }

    pub(super) fn all(&self) -> Vec<String> {
        self.0.lock().expect("said").clone()
    }
}

pub(super) struct Fake {
    pub(super) said: Said,
    feed: Mutex<Option<(FeedSender, Feed)>>,
    sender: Mutex<Option<FeedSender>>,
    frames: watch::Sender<Arc<Frame>>,
    /// What exports of runs give.
    pub(super) exports: Mutex<HashMap<RunId, Vec<u8>>>,
    /// Searches that go on, with what tells of them and what ends them.
    pub(super) searches: Mutex<Vec<(SearchRequest, FoundSender, Answer<SearchResults>)>>,
    /// Shutdowns that wait for the test to answer them.
    pub(super) shutdowns: Mutex<Vec<Answer<ShutdownReport>>>,
}

impl Fake {
    pub(super) fn new(runs: Vec<RunView>, frame: Frame) -> Arc<Fake> {
        Arc::new(Fake {
            said: Said::default(),
            feed: Mutex::new(Some(feed(runs.into_iter().map(Arc::new).collect()))),
            sender: Mutex::new(None),
            frames: watch::Sender::new(Arc::new(frame)),
            exports: Mutex::new(HashMap::new()),
            searches: Mutex::new(Vec::new()),
            shutdowns: Mutex::new(Vec::new()),
        })
    }

    pub(super) fn show(&self, frame: Frame) {
        self.frames.send_replace(Arc::new(frame));
    }

    pub(super) fn publish(&self, run: RunView) {
        let sender = self.sender.lock().expect("sender");
        sender.as_ref().expect("subscribed").send(Update::Run(Arc::new(run)), Vec::new);
    }
}

fn unavailable<T>() -> Reply<T> {
    Reply::ready(Err(Failure::new(ErrorCode::Unavailable, "not played")))
}

impl Client for Fake {
    fn start(&self, request: StartRequest) -> Reply<Arc<Record>> {
        self.said.say(format!("start {:?} at {}", request.spec.name, request.spec.size));
        Reply::ready(Err(Failure::new(ErrorCode::CapacityFull, "64 runs are live: limits.runs is 64")))
    }

    fn start_foreground(&self, _: Option<RunId>, _: RunSpec) -> Foreground {
        unreachable!("the TUI has no foreground runs")
    }

    fn rejoin_foreground(&self, _: RunId) -> Foreground {
        unreachable!("the TUI has no foreground runs")
    }

    fn mark_ready(&self, _: RunId) -> Reply<()> {
        unreachable!("the TUI marks nothing as ready")
    }

    fn control(&self, run: RunId, control: WriteStdin) -> Reply<Cut> {
        self.said.say(format!("control {} {control:?}", run.short()));
        unavailable()
    }

    fn take_keyboard(&self, run: RunId) -> Reply<KeyboardOwner> {
        self.said.say(format!("take {}", run.short()));
        unavailable()
    }

    fn hand_back_keyboard(&self, run: RunId) -> Reply<bool> {
        self.said.say(format!("hand back {}", run.short()));
        unavailable()
    }

    fn stop(&self, run: RunId, request: StopRequest) -> Stopping {
        self.said.say(format!("stop {} {}", run.short(), request.kill));
        Stopping { id: StopId(1), reply: unavailable::<StopOutcome>() }
    }

    fn withdraw_stop(&self, _: RunId, _: StopId) -> Reply<bool> {
        unavailable()
    }

    fn restart(&self, run: RunId, _: StopRequest) -> Reply<Arc<Record>> {
        self.said.say(format!("restart {}", run.short()));
        unavailable()
    }

    fn signal(&self, _: RunId, _: i32, _: SignalTarget) -> Reply<u32> {
        unavailable()
    }

    fn set_deadline(&self, _: RunId, _: TimeoutKind, _: Deadline) -> Reply<()> {
        unavailable()
    }

    fn rename(&self, run: RunId, name: RunName) -> Reply<Arc<Record>> {
        self.said.say(format!("rename {} {name}", run.short()));
        unavailable()
    }

    fn read(&self, _: RunId, _: usize) -> Reply<Reading> {
        unavailable()
    }

    fn read_log(&self, _: RunId, _: LogRequest) -> Reply<LogReading> {
        unavailable()
    }

    fn reap(&self, _: Option<RunId>) -> Reply<Vec<Reaped>> {
        unavailable()
    }

    fn inspect(&self, run: RunId) -> Reply<Inspection> {
        self.said.say(format!("inspect {}", run.short()));
        unavailable()
    }

    fn usage(&self) -> Reply<Vec<crate::api::RunUsage>> {
        self.said.say("usage".into());
        unavailable()
    }

    fn surroundings(&self, run: RunId) -> Reply<crate::api::Surroundings> {
        self.said.say(format!("surroundings {}", run.short()));
        unavailable()
    }

    fn history(&self, _: RunId, _: u64, _: usize) -> Reply<HistoryRows> {
        unavailable()
    }

    fn watch(&self, run: RunId, view: View) -> Reply<Watch> {
        self.said.say(format!("watch {} {}", run.short(), view.size));
        Reply::ready(Ok(Watch::new(self.frames.subscribe())))
    }

    fn forget(&self, _: RunId) -> Reply<()> {
        unavailable()
    }

    fn resolve(&self, _: RunRef) -> Reply<Arc<Record>> {
        unavailable()
    }

    fn list_records(&self, _: RecordsRequest) -> Reply<RecordsPage> {
        unavailable()
    }

    fn summary(&self) -> Reply<Summary> {
        unavailable()
    }

    fn prune(&self) -> Reply<Pruned> {
        unavailable()
    }

    fn why(&self, _: RunId) -> Reply<String> {
        unavailable()
    }

    fn search(&self, request: SearchRequest) -> Searching {
        let (sender, answer, search) = searching();
        self.searches.lock().expect("searches").push((request, sender, answer));
        search
    }

    fn export(&self, run: RunId, _: ExportFormat) -> Export {
        let (chunks_tx, chunks_rx) = mpsc::channel(1);
        let exported = self.exports.lock().expect("exports").get(&run).cloned();
        let outcome = match exported {
            Some(exported) => chunks_tx.try_send(exported).map_err(|_| Failure::new(ErrorCode::Broken, "no room")),
            None => Err(Failure::new(ErrorCode::NotFound, "there is no log")),
        };
        Export { chunks_rx, outcome: Reply::ready(outcome) }
    }

    fn guarded(&self, _: Guard) -> Arc<dyn Client> {
        unreachable!("the TUI guards nothing")
    }

    fn set_fence(&self, _: Option<Fence>) -> Reply<()> {
        unavailable()
    }

    fn close_session(&self) -> Closing {
        Closing { lease: unavailable(), ended: unavailable() }
    }

    fn commit_close(&self, _: LeaseId) -> Reply<()> {
        unavailable()
    }

    fn roll_back_close(&self, _: LeaseId) -> Reply<()> {
        unavailable()
    }

    fn resume_session(&self) -> Reply<bool> {
        unavailable()
    }

    fn subscribe(&self) -> Feed {
        self.said.say("subscribe".into());
        let (sender, feed) = self.feed.lock().expect("feed").take().expect("one subscription");
        *self.sender.lock().expect("sender") = Some(sender);
        feed
    }

    fn shutdown(&self, request: ShutdownRequest) -> Reply<ShutdownReport> {
        self.said.say(format!("shutdown hurry={}", request.hurry));
        let (answer, reply) = reply();
        self.shutdowns.lock().expect("shutdowns").push(answer);
        reply
    }
}
