//! What a test of the contract stands on: a client with runs of its own, and waiting by condition.

use std::any::Any;
use std::ffi::OsString;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use shtask::api::{Client, Feed, Sessions, ShutdownReport, ShutdownRequest, StartRequest, StopRequest, Update, View};
use shtask::holder::OnLost;
use shtask::model::{
    Applied, CommandSpec, Cut, EnvSpec, Failure, Frame, Limits, Mode, Record, RecordOutput, RunId, RunSpec,
    SessionName, Size, Typist, TypistKind, WriteStdin,
};
use shtask::redact::Redactor;
use shtask::store::log::{LogOptions, Logs};
use shtask::store::{Redaction, SqliteStore, StateFolder, StoreOptions};
use shtask::supervisor::{Clients, Storage, Supervisor, SupervisorSetup};
use tempfile::TempDir;

use crate::server::Served;

/// How long anything may take on a loaded machine.
pub(super) const DEADLINE: Duration = Duration::from_secs(60);

/// What is taken out of everything that is stored or shown.
pub(super) const SECRET: &str = "hunter2";

/// How long a whole test may take.
const WHOLE_TEST: Duration = Duration::from_secs(240);

/// Makes a ground of one kind.
pub(super) type Make = fn(Limits) -> Ground;

/// Instantiates the tests that are named, once for each kind of client.
macro_rules! on_every_ground {
    ($($test:ident),* $(,)?) => {
        mod local {
            $(#[test] fn $test() { crate::contract::ground::stand(crate::contract::ground::local, super::$test); })*
        }
        mod remote {
            $(#[test] fn $test() { crate::contract::ground::stand(crate::contract::ground::remote, super::$test); })*
        }
    };
}
pub(super) use on_every_ground;

/// Runs one test on a ground, which is empty afterwards.
pub(super) fn stand<F: Future<Output = ()>>(make: Make, test: impl FnOnce(Arc<Ground>) -> F) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    runtime.block_on(async {
        let ground = Arc::new(make(Limits::default()));
        tokio::time::timeout(WHOLE_TEST, test(Arc::clone(&ground))).await.expect("the test ends in time");
        ground.end().await;
    });
}

/// Makes a client of somebody for a session.
type MakeClient = Box<dyn Fn(SessionName, Typist) -> Arc<dyn Client> + Send + Sync>;

/// A client, and what keeps its other side alive.
pub(super) struct Ground {
    pub(super) client: Arc<dyn Client>,
    pub(super) dir: TempDir,
    /// The state directory of the supervisor.
    pub(super) state: PathBuf,
    make: Make,
    pub(super) session: SessionName,
    clients: MakeClient,
    pub(super) sessions: Arc<dyn Sessions>,
    _other_side: Box<dyn Any + Send + Sync>,
}

/// Records and logs in a state directory, as the program has them; redacts one word, and flushes nothing before the end of a run.
pub(super) fn storage(state: &Path) -> Storage {
    let folder = Arc::new(StateFolder::open(state).expect("a state directory"));
    let (store, _) = SqliteStore::open(folder, StoreOptions::default(), &|_, _| false).expect("a store");
    let logs = Logs::start(store.logs(), LogOptions::default()).expect("a thread");
    Storage {
        records: Some(store.records()),
        logs: Some(Arc::new(logs)),
        store: Box::new(store),
        redaction: Redaction::new(Redactor::new(&[SECRET.to_owned()]).expect("a pattern")),
        ..Storage::in_memory()
    }
}

/// A supervisor in this process.
pub(super) fn local(limits: Limits) -> Ground {
    let (clients, other_side) = supervised(limits);
    let state = other_side.1.path().to_owned();
    let sessions = Arc::new(clients.clone());
    let clients = Box::new(move |session, who| -> Arc<dyn Client> { Arc::new(clients.client_of(session, who)) });
    Ground::new(local, state, clients, sessions, Box::new(other_side))
}

/// The same behind a socket.
pub(super) fn remote(limits: Limits) -> Ground {
    let (clients, other_side) = supervised(limits);
    let state = other_side.1.path().to_owned();
    let served = Arc::new(Served::new(clients));
    let connecting = Arc::clone(&served);
    let connect = move |session, who| {
        let connecting = connecting.connect_as(session, who);
        let connect = || tokio::runtime::Handle::current().block_on(connecting);
        Arc::new(tokio::task::block_in_place(connect).expect("connected"))
    };
    let sessions = connect("sessions".parse().expect("a name"), Typist::default());
    let clients = Box::new(move |session, who| -> Arc<dyn Client> { connect(session, who) });
    Ground::new(remote, state, clients, sessions, Box::new((served, other_side)))
}

fn supervised(limits: Limits) -> (Clients, (tokio::task::JoinHandle<()>, TempDir)) {
    let state = tempfile::tempdir().expect("a folder");
    let setup = SupervisorSetup {
        limits,
        storage: storage(state.path()),
        holder_exe: Path::new(env!("CARGO_BIN_EXE_shtask")),
        on_lost: OnLost::End { grace: Duration::ZERO },
    };
    let (supervisor, clients) = Supervisor::new(setup).expect("a supervisor");
    (clients, (tokio::spawn(supervisor.run()), state))
}

fn new_session() -> SessionName {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("contract-{}-{next}", std::process::id()).parse().expect("a name")
}

/// Waits for something, but not for ever.
pub(super) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(DEADLINE, future).await {
        Ok(value) => value,
        Err(_) => panic!("not in time: {what}"),
    }
}

/// Waits until a condition of the machine holds, which nothing announces.
pub(super) async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + DEADLINE;
    while !condition() {
        assert!(Instant::now() < end, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

impl Ground {
    fn new(
        make: Make,
        state: PathBuf,
        clients: MakeClient,
        sessions: Arc<dyn Sessions>,
        other_side: Box<dyn Any + Send + Sync>,
    ) -> Ground {
        let session = new_session();
        let client = clients(session.clone(), Typist::default());
        let dir = tempfile::tempdir().expect("a folder");
        Ground { client, dir, state, make, session, clients, sessions, _other_side: other_side }
    }

    /// Makes a client of the same supervisor for another session.
    pub(super) fn client_of(&self, session: &str) -> Arc<dyn Client> {
        (self.clients)(session.parse().expect("a name"), Typist::default())
    }

    /// Makes one more client of the same session.
    pub(super) fn client_as(&self, kind: TypistKind, name: &str) -> Arc<dyn Client> {
        (self.clients)(self.session.clone(), Typist::new(kind, name))
    }

    /// Makes another ground of the same kind.
    pub(super) fn another(&self, limits: Limits) -> Ground {
        (self.make)(limits)
    }

    /// Ends all runs and checks that no process of theirs is left.
    pub(super) async fn end(&self) -> ShutdownReport {
        let hurry = ShutdownRequest { hurry: true };
        let report = within("the end of everything", self.client.shutdown(hurry)).await.expect("a report");
        assert_eq!(report.left, [], "everything can be ended");
        let mark = OsString::from(format!("SHTASK_SESSION={}", self.session));
        let left = || {
            let all = crate::harness::Process::all().into_iter();
            all.filter(|process| process.has_environment_entry(&mark)).collect::<Vec<_>>()
        };
        until("no process of the session", || left().is_empty()).await;
        report
    }

    /// Makes the spec of a `sh` line with pipes.
    pub(super) fn sh(&self, line: impl AsRef<str>) -> RunSpec {
        self.argv(&["/bin/sh", "-c", line.as_ref()])
    }

    /// Makes the spec of a `sh` line in a terminal.
    pub(super) fn pty(&self, line: impl AsRef<str>) -> RunSpec {
        RunSpec { mode: Mode::Pty, ..self.sh(line) }
    }

    /// Makes the spec of a command with pipes.
    pub(super) fn argv(&self, argv: &[&str]) -> RunSpec {
        let mut spec = RunSpec::new(
            CommandSpec::Argv(argv.iter().map(OsString::from).collect()),
            Mode::Pipes,
            self.dir.path().canonicalize().expect("a folder"),
        );
        let base = ["PATH", "HOME"].map(|name| (name.into(), std::env::var_os(name).unwrap_or_default()));
        spec.env = EnvSpec { base: Arc::new(base.into()), ..EnvSpec::default() };
        spec
    }

    /// Asks for a start.
    pub(super) async fn try_start(&self, spec: RunSpec) -> Result<Arc<Record>, Failure> {
        within("a start", self.client.start(StartRequest { spec, replace: false })).await
    }

    /// Starts a run.
    pub(super) async fn start(&self, spec: RunSpec) -> RunId {
        self.try_start(spec).await.expect("started").id
    }

    /// Runs something to its end.
    pub(super) async fn outcome(&self, spec: RunSpec) -> Arc<Record> {
        let run = self.start(spec).await;
        self.ended(run).await
    }

    /// Waits for the final record of a run.
    pub(super) async fn ended(&self, run: RunId) -> Arc<Record> {
        let mut feed = self.client.subscribe();
        let table = within("the table", feed.next()).await;
        let Some(Update::Resync(listed)) = table else { panic!("the first update is the table: {table:?}") };
        let record = match listed.iter().find(|view| view.id() == run) {
            Some(view) if view.record.status.is_final() => Arc::clone(&view.record),
            Some(_) => within("the end of a run", final_record(&mut feed, run)).await,
            // It has ended and left the list already.
            None => self.client.inspect(run).await.expect("it is on record").view.record,
        };
        // The table may show the final record while it is being stored; a stop is answered once the run is closed and its slot free.
        let stopping = self.client.stop(run, StopRequest { kill: false });
        let outcome = within("the close of a run", stopping.reply).await.expect("the final record");
        assert!(!outcome.applied, "it had ended");
        record
    }

    /// Stops a run.
    pub(super) async fn stop(&self, run: RunId) -> Arc<Record> {
        let stopping = self.client.stop(run, StopRequest { kill: false });
        within("a stop", stopping.reply).await.expect("stopped").record
    }

    /// Kills a run.
    pub(super) async fn kill(&self, run: RunId) -> Arc<Record> {
        let stopping = self.client.stop(run, StopRequest { kill: true });
        within("a kill", stopping.reply).await.expect("killed").record
    }

    /// Waits until the screen of a run is as wanted.
    pub(super) async fn until_frame(&self, run: RunId, what: &str, wanted: impl Fn(&Frame) -> bool) -> Arc<Frame> {
        let mut watch = self.client.watch(run, View { size: Size::DEFAULT }).await.expect("a watch");
        let looking = async {
            loop {
                let frame = watch.newest();
                if wanted(&frame) {
                    return Ok(frame);
                }
                if !watch.changed().await {
                    return Err(frame.text());
                }
            }
        };
        let end = tokio::time::timeout(DEADLINE, looking).await;
        match end {
            Ok(Ok(frame)) => frame,
            Ok(Err(last)) => panic!("the run ended before {what}:\n{last}"),
            Err(_) => panic!("not in time: {what}:\n{}", watch.newest().text()),
        }
    }

    /// Waits until a run shows a text.
    pub(super) async fn until_shown(&self, run: RunId, text: &str) -> Arc<Frame> {
        self.until_frame(run, text, |frame| frame.text().contains(text)).await
    }

    /// Applies a control operation.
    pub(super) async fn control(&self, run: RunId, control: WriteStdin) -> Result<Cut, Failure> {
        within("a cut", self.client.control(run, control)).await
    }

    /// Types a text into a live run.
    pub(super) async fn type_text(&self, run: RunId, text: &str) -> Cut {
        self.control(run, WriteStdin::text(text)).await.expect("a cut")
    }
}

/// Follows a feed until a run is final.
pub(super) async fn final_record(feed: &mut Feed, run: RunId) -> Arc<Record> {
    loop {
        let views = match feed.next().await.expect("the other side lives") {
            Update::Run(view) => vec![view],
            Update::Resync(views) => views,
            Update::Removed(removed) => {
                assert_ne!(removed, run, "the run was removed");
                continue;
            }
        };
        if let Some(view) = views.iter().find(|view| view.id() == run && view.record.status.is_final()) {
            return Arc::clone(&view.record);
        }
    }
}

/// Returns what a pipes run wrote to standard output and standard error.
pub(super) fn streams(record: &Record) -> (&str, &str) {
    match &record.output {
        Some(RecordOutput::Pipes(pipes)) => (&pipes.stdout, &pipes.stderr),
        other => panic!("no output of pipes: {other:?}"),
    }
}

/// Returns the screen and the scrollback of a PTY run.
pub(super) fn screen(record: &Record) -> (&str, &str) {
    match &record.output {
        Some(RecordOutput::Pty(pty)) => (&pty.screen, &pty.scrollback),
        other => panic!("no output of a terminal: {other:?}"),
    }
}

/// Returns the frame of a cut.
pub(super) fn live_frame(cut: &Cut) -> &Frame {
    match &cut.view {
        Applied::Live(frame) => frame,
        Applied::Final(record) => panic!("the run has ended: {record:?}"),
    }
}
