//! A client that has no runs and does nothing.

use std::sync::{Arc, Mutex};

use shtask::api::{
    Client, Closing, Deadline, Export, ExportFormat, Feed, FeedSender, Foreground, HistoryRows, Inspection, LogReading,
    LogRequest, Pruned, Reading, Reaped, RecordsPage, RecordsRequest, Reply, SearchRequest, Searching, ShutdownReport,
    ShutdownRequest, SignalTarget, StartRequest, StopId, StopRequest, Stopping, Summary, View, Watch, feed, searching,
};
use shtask::model::{
    Cut, ErrorCode, Failure, Fence, Guard, KeyboardOwner, LeaseId, Record, RunId, RunName, RunRef, RunSpec,
    TimeoutKind, WriteStdin,
};

#[derive(Default)]
pub(super) struct Played(Mutex<Option<FeedSender>>);

fn refuse<T>() -> Reply<T> {
    Reply::ready(Err(Failure::new(ErrorCode::NotFound, "there are no runs")))
}

impl Client for Played {
    fn start(&self, _: StartRequest) -> Reply<Arc<Record>> {
        refuse()
    }

    fn start_foreground(&self, _: Option<RunId>, _: RunSpec) -> Foreground {
        unreachable!("the TUI has no foreground runs")
    }

    fn rejoin_foreground(&self, _: RunId) -> Foreground {
        unreachable!("the TUI has no foreground runs")
    }

    fn control(&self, _: RunId, _: WriteStdin) -> Reply<Cut> {
        refuse()
    }

    fn take_keyboard(&self, _: RunId) -> Reply<KeyboardOwner> {
        refuse()
    }

    fn hand_back_keyboard(&self, _: RunId) -> Reply<bool> {
        refuse()
    }

    fn stop(&self, _: RunId, _: StopRequest) -> Stopping {
        Stopping { id: StopId(0), reply: refuse() }
    }

    fn withdraw_stop(&self, _: RunId, _: StopId) -> Reply<bool> {
        refuse()
    }

    fn restart(&self, _: RunId, _: StopRequest) -> Reply<Arc<Record>> {
        refuse()
    }

    fn signal(&self, _: RunId, _: i32, _: SignalTarget) -> Reply<u32> {
        refuse()
    }

    fn set_deadline(&self, _: RunId, _: TimeoutKind, _: Deadline) -> Reply<()> {
        refuse()
    }

    fn mark_ready(&self, _: RunId) -> Reply<()> {
        refuse()
    }

    fn rename(&self, _: RunId, _: RunName) -> Reply<Arc<Record>> {
        refuse()
    }

    fn read(&self, _: RunId, _: usize) -> Reply<Reading> {
        refuse()
    }

    fn read_log(&self, _: RunId, _: LogRequest) -> Reply<LogReading> {
        refuse()
    }

    fn reap(&self, _: Option<RunId>) -> Reply<Vec<Reaped>> {
        refuse()
    }

    fn inspect(&self, _: RunId) -> Reply<Inspection> {
        refuse()
    }

    fn usage(&self) -> Reply<Vec<shtask::api::RunUsage>> {
        refuse()
    }

    fn surroundings(&self, _: RunId) -> Reply<shtask::api::Surroundings> {
        refuse()
    }

    fn history(&self, _: RunId, _: u64, _: usize) -> Reply<HistoryRows> {
        refuse()
    }

    fn watch(&self, _: RunId, _: View) -> Reply<Watch> {
        refuse()
    }

    fn forget(&self, _: RunId) -> Reply<()> {
        refuse()
    }

    fn resolve(&self, _: RunRef) -> Reply<Arc<Record>> {
        refuse()
    }

    fn list_records(&self, _: RecordsRequest) -> Reply<RecordsPage> {
        refuse()
    }

    fn summary(&self) -> Reply<Summary> {
        refuse()
    }

    fn prune(&self) -> Reply<Pruned> {
        refuse()
    }

    fn why(&self, _: RunId) -> Reply<String> {
        refuse()
    }

    fn search(&self, _: SearchRequest) -> Searching {
        // Both other ends are gone.
        searching().2
    }

    fn export(&self, _: RunId, _: ExportFormat) -> Export {
        unreachable!("the TUI exports nothing")
    }

    fn guarded(&self, _: Guard) -> Arc<dyn Client> {
        unreachable!("the TUI guards nothing")
    }

    fn set_fence(&self, _: Option<Fence>) -> Reply<()> {
        refuse()
    }

    fn close_session(&self) -> Closing {
        Closing { lease: refuse(), ended: refuse() }
    }

    fn commit_close(&self, _: LeaseId) -> Reply<()> {
        refuse()
    }

    fn roll_back_close(&self, _: LeaseId) -> Reply<()> {
        refuse()
    }

    fn resume_session(&self) -> Reply<bool> {
        refuse()
    }

    fn subscribe(&self) -> Feed {
        let (sender, feed) = feed(Vec::new());
        *self.0.lock().expect("no panic while it was held") = Some(sender);
        feed
    }

    fn shutdown(&self, _: ShutdownRequest) -> Reply<ShutdownReport> {
        Reply::ready(Ok(ShutdownReport::default()))
    }
}
