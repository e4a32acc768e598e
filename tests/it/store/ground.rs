//! A supervisor of this process over a state directory, and waiting by condition.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use shtask::api::{Client, LogReading, LogRequest, Sessions, ShutdownRequest, StartRequest, StopRequest, Stream};
use shtask::holder::OnLost;
use shtask::model::{
    Applied, CommandSpec, Cut, EnvSpec, Failure, Frame, Limits, Mode, Record, RunId, RunSpec, SessionName, Size,
    WriteStdin,
};
use shtask::redact::Redactor;
use shtask::store::log::{LogOptions, Logs};
use shtask::store::{Found, OpenError, Records, Redaction, SqliteStore, StateFolder, StoreOptions};
use shtask::supervisor::{Clients, Storage, Supervisor, SupervisorSetup, is_alive, listed_runs};
use tokio::task::JoinHandle;

/// How long anything may take on a loaded machine.
pub(super) const DEADLINE: Duration = Duration::from_secs(60);

/// What a program is set up with.
#[derive(Clone, Copy)]
pub(super) struct Setup {
    pub(super) logs: LogOptions,
    pub(super) flush_interval: Duration,
    pub(super) strict: bool,
    /// Whether secrets are taken out; the word `hunter2` is one, too.
    pub(super) redacts: bool,
    /// Whether they are taken out of the raw log as well.
    pub(super) redacts_logs: bool,
    /// How many ended runs stay in a list.
    pub(super) kept_runs: usize,
}

fn redactor() -> Redactor {
    Redactor::new(&["hunter2".to_owned()]).expect("a pattern")
}

impl Setup {
    fn redaction(self) -> Redaction {
        if self.redacts { Redaction::new(redactor()) } else { Redaction::none() }
    }
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            logs: LogOptions::default(),
            flush_interval: Duration::from_millis(200),
            strict: false,
            redacts: false,
            redacts_logs: false,
            kept_runs: Limits::default().kept_runs,
        }
    }
}

/// A supervisor over a state directory.
pub(super) struct Program {
    pub(super) client: Arc<dyn Client>,
    pub(super) records: Records,
    pub(super) found: Found,
    pub(super) logs: PathBuf,
    clients: Clients,
    supervising: JoinHandle<()>,
}

pub(super) fn session() -> SessionName {
    "store-test".parse().expect("a name")
}

/// Runs async code to its end.
pub(super) fn run<F: Future>(test: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(test)
}

/// Waits for something, but not for ever.
pub(super) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, future).await.unwrap_or_else(|_| panic!("not in time: {what}"))
}

/// Waits until a condition holds that nothing announces.
pub(super) async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + DEADLINE;
    while !condition() {
        assert!(Instant::now() < end, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

impl Program {
    /// Starts one over a state directory.
    pub(super) fn start(state: &Path, setup: Setup) -> Result<Program, OpenError> {
        let folder = Arc::new(StateFolder::open(state)?);
        let options = StoreOptions { max_total_log_bytes: setup.logs.max_total_log_bytes, ..StoreOptions::default() };
        let (store, found) = SqliteStore::open(folder, options, &|_, process| is_alive(process))?;
        let records = store.records();
        let logs = store.logs().to_owned();
        let raw_logs = Logs::start(&logs, setup.logs).expect("a thread");
        let storage = Storage {
            earlier: listed_runs(&records, &found).expect("records"),
            generations: records.generations().expect("names"),
            sessions: records.sessions().expect("sessions"),
            records: Some(records.clone()),
            logs: Some(Arc::new(raw_logs.telling(store.log_bounder()).redacted_by(setup.redacts_logs.then(redactor)))),
            store: Box::new(store),
            flush_interval: Some(setup.flush_interval),
            redaction: setup.redaction(),
            strict: setup.strict,
        };
        let supervised = SupervisorSetup {
            limits: Limits { kept_runs: setup.kept_runs, ..Limits::default() },
            storage,
            holder_exe: Path::new(env!("CARGO_BIN_EXE_shtask")),
            on_lost: OnLost::End { grace: Duration::ZERO },
        };
        let (supervisor, clients) = Supervisor::new(supervised).expect("a supervisor");
        let supervising = tokio::spawn(supervisor.run());
        Ok(Program { client: Arc::new(clients.client(session())), records, found, logs, clients, supervising })
    }

    /// Makes a client of a session.
    pub(super) fn client_of(&self, session: &str) -> Arc<dyn Client> {
        Arc::new(self.clients.client(session.parse().expect("a name")))
    }

    /// Returns how many runs each session has in its list.
    pub(super) async fn sessions(&self) -> BTreeMap<String, usize> {
        let counts = self.clients.sessions().await.expect("counts");
        counts.into_iter().map(|counts| (counts.session.to_string(), counts.runs)).collect()
    }

    /// Ends the program as if it was killed, but for what is being written.
    pub(super) async fn die(self) {
        self.supervising.abort();
        // It was ended, which is what its handle says.
        let _ = self.supervising.await;
    }

    /// Ends all runs and then the program.
    pub(super) async fn leave(self) {
        within("the end of everything", self.client.shutdown(ShutdownRequest { hurry: true })).await.expect("a report");
        drop((self.client, self.clients));
        within("the end of the supervisor", self.supervising).await.expect("no panic");
    }

    pub(super) async fn try_start_run(&self, spec: RunSpec) -> Result<Arc<Record>, Failure> {
        within("a start", self.client.start(StartRequest { spec, replace: false })).await
    }

    pub(super) async fn start_run(&self, spec: RunSpec) -> RunId {
        self.try_start_run(spec).await.expect("started").id
    }

    pub(super) async fn control(&self, run: RunId, control: WriteStdin) -> Cut {
        within("a cut", self.client.control(run, control)).await.expect("a cut")
    }

    pub(super) async fn read_log(&self, run: RunId, offset: u64, wait: Option<Duration>) -> LogReading {
        let request = LogRequest { stream: Stream::Stdout, offset, limit_bytes: 1 << 20, wait };
        within("a log", self.client.read_log(run, request)).await.expect("a log")
    }

    /// Stops a run at once and returns its final record.
    pub(super) async fn kill_run(&self, run: RunId) -> Arc<Record> {
        let stopping = self.client.stop(run, StopRequest { kill: true });
        within("a stop", stopping.reply).await.expect("stopped").record
    }

    /// Waits for the end of a run by itself and returns its record from the disk.
    pub(super) async fn ended(&self, run: RunId) -> Record {
        until("the end of the run", || self.stored(run).is_some_and(|record| record.status.is_final())).await;
        self.stored(run).expect("a record")
    }

    /// Returns the record of a run as it is on the disk.
    pub(super) fn stored(&self, run: RunId) -> Option<Record> {
        self.records.get(run).expect("it can be read")
    }
}

/// The frame of a cut that was made while the run was live.
pub(super) fn frame_of(cut: Cut) -> Arc<Frame> {
    match cut.view {
        Applied::Live(frame) => frame,
        Applied::Final(record) => panic!("the run has ended: {record:?}"),
    }
}

/// The spec of a `sh` line with pipes.
pub(super) fn sh(line: &str) -> RunSpec {
    let argv = ["/bin/sh", "-c", line].map(OsString::from);
    let mut spec = RunSpec::new(CommandSpec::Argv(argv.into()), Mode::Pipes, PathBuf::from("/"));
    let base = ["PATH", "HOME"].map(|name| (name.into(), std::env::var_os(name).unwrap_or_default()));
    spec.env = EnvSpec { base: Arc::new(base.into()), ..EnvSpec::default() };
    spec
}

/// The spec of a `sh` line in a terminal.
pub(super) fn pty(line: &str) -> RunSpec {
    RunSpec { mode: Mode::Pty, size: Size::clamped(80, 24), ..sh(line) }
}
