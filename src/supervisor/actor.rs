//! The loop around the core: mailbox, reports, store, timers in; drivers, writes, timers out.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::adopting::{Held, Word};
use super::core::{After, At, Core, Do};
use super::earlier::Earlier;
use super::kept::Kept;
use super::local::Clients;
use super::looking::look;
use super::request::{Caller, Request};
use super::sessions::only_for_now;
use super::storage::Storage;
use super::storing::outcome;
use super::timers::{Deadline, Timers};
use crate::api::{Answer, Pruned};
use crate::driver::{self, Keeping, Report, Setup};
use crate::holder::{HolderError, HolderServer, HolderSockets, OnLost};
use crate::launch::Resolved;
use crate::model::{ErrorCode, Failure, Limits, Moment, Record, RunId, TypistId};
use crate::store::{self, Store, StoreError};
use crate::sys::clock;

/// How many requests of clients may wait. A person's and an agent's requests come one by one; a program that floods the mailbox is told so.
const MAILBOX: usize = 1024;

/// How many reports of drivers may wait; a driver waits when there are more.
const REPORTS: usize = 1024;

/// How long requests wait until the runs of the program before this one answer again.
const TAKE_UP_TIMEOUT: Duration = Duration::from_secs(5);

/// What a supervisor is made from.
pub struct SupervisorSetup<'a> {
    /// The limits.
    pub limits: Limits,
    /// Where records and logs are kept.
    pub storage: Storage,
    /// The program whose `main` serves holders: `/proc/self/exe` but in tests.
    pub holder_exe: &'a Path,
    /// What becomes of a run when this process dies.
    pub on_lost: OnLost,
}

/// Why there is no supervisor.
#[derive(Debug, thiserror::Error)]
pub enum SupervisorError {
    /// No holders could be had.
    #[error("the holders of runs cannot be started")]
    Holders(#[from] HolderError),
    /// There is no timer.
    #[error("no timer could be made")]
    Timer(#[from] std::io::Error),
}

/// The actor. [`Supervisor::run`] is its loop.
pub struct Supervisor {
    core: Core,
    store: Box<dyn Store>,
    kept: Arc<Kept>,
    flush_interval: Option<Duration>,
    holders: Arc<HolderServer>,
    on_lost: OnLost,
    /// Where the holders of runs wait that outlive this program; none when none do.
    sockets: Option<Arc<HolderSockets>>,
    timers: Timers,
    requests_rx: mpsc::Receiver<(Arc<Caller>, Request)>,
    /// Who has left: each is told once.
    left_rx: mpsc::UnboundedReceiver<TypistId>,
    reports_tx: mpsc::Sender<(RunId, Report)>,
    reports_rx: mpsc::Receiver<(RunId, Report)>,
    stored_tx: mpsc::UnboundedSender<Stored>,
    stored_rx: mpsc::UnboundedReceiver<Stored>,
    /// Runs of the program before this one that do not answer yet; requests wait for them until then.
    taking_up: HashSet<RunId>,
    taken_up_by: Instant,
    jobs: JoinSet<Job>,
    job_runs: std::collections::HashMap<tokio::task::Id, RunId>,
}

/// The run, the revision, and whether it is durable.
type Stored = (RunId, u64, Result<(), Failure>);

/// What a job of the supervisor's came to.
enum Job {
    Resolved(RunId, Result<Resolved, Failure>),
    DriverEnded,
    StarterLeft(RunId),
    /// A request was answered beside the loop.
    Served,
    /// The same, and this remains to be done.
    Answered(After),
}

/// What woke the loop up.
enum Woken {
    Request(Option<(Arc<Caller>, Request)>),
    Left(TypistId),
    Report(RunId, Report),
    Stored(Stored),
    TimeOver,
    /// It was waited long enough for runs to be taken up.
    TakenUp,
    Job(Result<(tokio::task::Id, Job), tokio::task::JoinError>),
}

impl Supervisor {
    /// Makes a supervisor, and what makes clients for it.
    ///
    /// # Errors
    /// [`SupervisorError`] when the fork server for holders cannot be started, or a descriptor is missing.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn new(setup: SupervisorSetup<'_>) -> Result<(Supervisor, Clients), SupervisorError> {
        let (requests_tx, requests_rx) = mpsc::channel(MAILBOX);
        let (left_tx, left_rx) = mpsc::unbounded_channel();
        let (reports_tx, reports_rx) = mpsc::channel(REPORTS);
        // One answer for each write that was asked for, of which a run has at most two at a time.
        let (stored_tx, stored_rx) = mpsc::unbounded_channel();
        let Storage { store, records, logs, earlier, generations, sessions, flush_interval, redaction, strict } =
            setup.storage;
        let kept = Arc::new(Kept::new(records, logs));
        let mut core = Core::new(setup.limits, Box::new(random_id));
        core.generations = generations;
        core.earlier = Earlier::new(earlier);
        core.strict = strict;
        core.redaction = redaction;
        let mut todo = core.restore_sessions(now(), sessions);
        // There may have been room for more before.
        todo.extend(core.forget_oldest_of_all());
        let mut supervisor = Supervisor {
            core,
            store,
            kept,
            flush_interval,
            holders: Arc::new(HolderServer::start(setup.holder_exe)?),
            on_lost: setup.on_lost,
            sockets: None,
            timers: Timers::new()?,
            requests_rx,
            left_rx,
            reports_tx,
            reports_rx,
            stored_tx,
            stored_rx,
            taking_up: HashSet::new(),
            taken_up_by: Instant::now(),
            jobs: JoinSet::new(),
            job_runs: std::collections::HashMap::new(),
        };
        supervisor.perform(todo);
        Ok((supervisor, Clients::new(requests_tx, left_tx)))
    }

    /// Lets runs outlive this program, and goes on with those of the program before it: `records` are those that the store left active for it.
    /// A holder of which no record is active is let go when its run is final, and left alone when nothing is known of it.
    pub fn keep_runs(&mut self, held: Held, records: Vec<Record>) {
        self.taken_up_by = Instant::now() + TAKE_UP_TIMEOUT;
        let (sockets, mut taken_up) = held.into_parts();
        self.sockets = Some(Arc::clone(&sockets));
        for record in records {
            let (run, at) = (record.id, now());
            let Some(found) = taken_up.remove(&run) else { continue };
            match self.core.adopt(at, record, found) {
                Some(todo) => {
                    self.taking_up.insert(run);
                    self.perform(todo);
                }
                None => self.lose(run),
            }
        }
        for (run, found) in taken_up {
            let stored = self.kept.records.as_ref().and_then(|records| records.get(run).ok().flatten());
            match stored {
                Some(record) if record.status.is_final() => {
                    if let Err(failure) = found.let_go(&sockets, run) {
                        tracing::warn!(%run, %failure, "a holder that nobody needs is still there");
                    }
                }
                Some(_) | None => tracing::warn!(%run, "a holder waits whose run is not on record: it is left alone"),
            }
        }
    }

    /// Gives a run up of which it was not noted what it is, or in a form that this program does not know. Its holder is left alone.
    fn lose(&mut self, run: RunId) {
        tracing::error!(%run, "what was noted of a run cannot be read: it is orphaned");
        let stored = self.kept.records.as_ref().and_then(|records| records.get(run).ok().flatten());
        let Some(record) = stored.filter(|record| !record.status.is_final()) else { return };
        let is_alive = record.process.as_ref().is_some_and(super::is_alive);
        let lost = crate::store::lost(&record, is_alive, Timestamp::now());
        self.store.put(Arc::new(lost.clone()), Box::new(|_| ()));
        self.core.add_earlier(lost);
    }

    /// Takes note of which runs are taken up by now: they answer as before, or are ending.
    fn note_taken_up(&mut self) {
        let runs = &self.core.runs;
        let is_on_its_way = |run: &RunId| {
            runs.get(run).is_some_and(|entry| {
                !entry.machine.control_is_open() && !entry.machine.is_ending() && !entry.is_final()
            })
        };
        self.taking_up.retain(is_on_its_way);
    }

    /// Runs until every client is gone. Runs that are live then are lost to this process: their holders do what they were told for that case.
    pub async fn run(mut self) {
        loop {
            let woken = self.wait().await;
            let at = now();
            let todo = match woken {
                Woken::Request(None) => return,
                Woken::Request(Some((caller, request))) => self.core.serve(at, &caller, request),
                Woken::Left(who) => self.core.typist_left(at, who),
                Woken::Report(run, report) => self.core.reported(at, run, report),
                Woken::Stored((run, revision, result)) => self.core.stored(at, run, revision, result),
                Woken::TimeOver => self.time_is_over(at),
                Woken::TakenUp => {
                    self.taking_up.clear();
                    Vec::new()
                }
                Woken::Job(ended) => self.job_ended(at, ended),
            };
            self.perform(todo);
            if !self.taking_up.is_empty() {
                self.note_taken_up();
            }
        }
    }

    async fn wait(&mut self) -> Woken {
        tokio::select! {
            // What has happened comes before what is asked for: an answer then knows of it.
            biased;
            Some(stored) = self.stored_rx.recv() => Woken::Stored(stored),
            Some((run, report)) = self.reports_rx.recv() => Woken::Report(run, report),
            () = self.timers.over() => Woken::TimeOver,
            Some(ended) = self.jobs.join_next_with_id(), if !self.jobs.is_empty() => Woken::Job(ended),
            () = tokio::time::sleep_until(self.taken_up_by), if !self.taking_up.is_empty() => Woken::TakenUp,
            // Whoever asks for a run that is being taken up is to find it as it was.
            Some(who) = self.left_rx.recv() => Woken::Left(who),
            request = self.requests_rx.recv(), if self.taking_up.is_empty() => Woken::Request(request),
        }
    }

    fn time_is_over(&mut self, at: At) -> Vec<Do> {
        let mut todo = Vec::new();
        for (deadline, epoch) in self.timers.take_over(at.now) {
            match deadline {
                Deadline::Run(run, timer) => todo.extend(self.core.timer_fired(at, run, timer, epoch)),
                Deadline::Store(run) => todo.extend(self.core.store_again(at, run)),
                Deadline::Starter(run) => todo.extend(self.core.starter_left(at, run)),
                Deadline::Shutdown => self.core.shutdown_is_late(),
                Deadline::Close(lease) => self.core.close_is_late(lease),
                Deadline::Lease(lease) => todo.extend(self.core.lease_is_over(lease)),
            }
        }
        todo
    }

    fn job_ended(&mut self, at: At, ended: Result<(tokio::task::Id, Job), tokio::task::JoinError>) -> Vec<Do> {
        match ended {
            Ok((job, outcome)) => {
                self.job_runs.remove(&job);
                match outcome {
                    Job::Resolved(run, found) => self.core.resolved(at, run, found),
                    Job::StarterLeft(run) => self.core.starter_left(at, run),
                    Job::Answered(After::Observed(record)) => vec![self.core.mark_observed(&record, at.wall)],
                    Job::Answered(After::Gone(session, run)) => {
                        self.core.drop_earlier(&session, run);
                        Vec::new()
                    }
                    Job::DriverEnded | Job::Served | Job::Answered(After::Nothing) => Vec::new(),
                }
            }
            Err(error) => {
                let Some(run) = self.job_runs.remove(&error.id()) else {
                    tracing::error!(%error, "work beside the loop has failed");
                    return Vec::new();
                };
                tracing::error!(run = %run, %error, "a part of a run has failed");
                self.end_lost(run);
                let failure = Failure::new(ErrorCode::Broken, "shtask has failed on this run; it was ended");
                let mut todo = self.core.resolved(at, run, Err(failure.clone()));
                todo.extend(self.core.driver_failed(at, run, failure));
                todo
            }
        }
    }

    /// Ends what a run has left whose driver has failed: a holder that is to outlive this program waits for the next one.
    fn end_lost(&mut self, run: RunId) {
        let Some(sockets) = self.sockets.clone() else { return };
        self.jobs.spawn(async move {
            if let Err(failure) = driver::end_lost(&sockets, run).await {
                tracing::error!(%run, %failure, "a run that has failed may still be there");
            }
            Job::Served
        });
    }

    fn perform(&mut self, todo: Vec<Do>) {
        for what in todo {
            match what {
                Do::Resolve(identity, spec) => {
                    let run = identity.id;
                    let looking = look(spec, identity);
                    let job = self.jobs.spawn(async move { Job::Resolved(run, looking.await) });
                    self.job_runs.insert(job.id(), run);
                }
                Do::Store(record, revision) => {
                    let (run, stored_tx) = (record.id, self.stored_tx.clone());
                    let done = Box::new(move |result| {
                        // It can only be missing when the supervisor is gone.
                        let _ = stored_tx.send((run, revision, outcome(result)));
                    });
                    self.store.put(record, done);
                }
                Do::ArmStore(run, at) => self.timers.arm(Deadline::Store(run), 0, at),
                Do::ReadLog(session, run, request, progress, answer) => {
                    let kept = Arc::clone(&self.kept);
                    self.jobs.spawn(async move {
                        kept.read_log(&session, run, request, progress, answer).await;
                        Job::Served
                    });
                }
                Do::Reap(session, run, answer) => {
                    let kept = Arc::clone(&self.kept);
                    self.jobs.spawn_blocking(move || {
                        answer.send(kept.reap(&session, run));
                        Job::Served
                    });
                }
                Do::Prune(answer) => self.store.prune(Box::new(move |pruned| {
                    let counts = |pruned: store::Pruned| Pruned { runs: pruned.runs, log_bytes: pruned.log_bytes };
                    answer.send(pruned.map(counts).map_err(Failure::from));
                })),
                Do::Beside(work) => {
                    let kept = Arc::clone(&self.kept);
                    self.jobs.spawn_blocking(move || Job::Answered(work(&kept)));
                }
                Do::Unlist(run, answer) => {
                    self.store.left_the_list(run, Box::new(move |left| told_unlisted(run, left, answer)))
                }
                Do::LookBack(record, orders) => {
                    let kept = Arc::clone(&self.kept);
                    let looking = kept.look_back(record, self.core.limits.scrollback_lines, orders);
                    self.jobs.spawn(async move {
                        looking.await;
                        Job::Served
                    });
                }
                Do::Drive(run) => self.start_driver(run),
                Do::WatchStarter(run, left_rx) => {
                    let job = self.jobs.spawn(async move {
                        // It ends without a word when who waits has left.
                        let _ = left_rx.await;
                        Job::StarterLeft(run)
                    });
                    self.job_runs.insert(job.id(), run);
                }
                Do::ArmStarter(run, at) => self.timers.arm(Deadline::Starter(run), 0, at),
                Do::DisarmStarter(run) => self.timers.disarm(Deadline::Starter(run)),
                Do::Arm(run, timer, epoch, at) => self.timers.arm(Deadline::Run(run, timer), epoch, at),
                Do::Disarm(run, timer) => self.timers.disarm(Deadline::Run(run, timer)),
                Do::ArmClose(lease, at) => self.timers.arm(Deadline::Close(lease), 0, at),
                Do::ArmLease(lease, at) => self.timers.arm(Deadline::Lease(lease), 0, at),
                Do::StoreSession(state, told) => {
                    self.store.put_session(state, Box::new(move |stored| told(stored.map_err(Failure::from))));
                }
                Do::ArmShutdown(at) => self.timers.arm(Deadline::Shutdown, 0, at),
            }
        }
    }

    fn start_driver(&mut self, run: RunId) {
        let scrollback_lines = self.core.limits.scrollback_lines;
        let Some(entry) = self.core.runs.get_mut(&run) else { return };
        let Some((resolved, live)) = entry.resolved.take() else { return };
        let (port, orders) = driver::port();
        entry.port = Some(port);
        let spec = entry.spec.clone();
        let taken_up = entry.adoption.as_mut().and_then(|adoption| adoption.taken_up.take());
        let log = self.kept.logs.as_ref().and_then(|logs| match taken_up {
            None => Some(logs.begin(run, spec.mode, spec.size)),
            // Without it the driver says that the run's promise cannot be kept.
            Some(_) => logs
                .resume(run, spec.mode)
                .inspect_err(|error| tracing::error!(%run, %error, "the log of a run cannot be gone on with"))
                .ok(),
        });
        // Without a log there is nothing that a later program could go on with.
        let is_kept = log.is_some() || taken_up.is_some();
        // Nor is one kept of which the next program could not know what it is.
        let keeping = self.sockets.as_ref().filter(|_| is_kept).and_then(|sockets| {
            let word = Word::Begun { spec: Box::new(spec.clone()), resolved: Box::new(resolved.clone()) }.bytes()?;
            Some(Keeping { sockets: Arc::clone(sockets), word })
        });
        entry.log = log.as_ref().map(|log| log.progress());
        let setup = Setup {
            log,
            flush_interval: self.flush_interval,
            redaction: self.core.redaction.clone(),
            id: run,
            resolved,
            mode: spec.mode,
            size: spec.size,
            stdin: spec.stdin,
            stop: spec.stop,
            on_lost: if keeping.is_some() { OnLost::Keep } else { self.on_lost },
            scrollback_lines,
            live,
            holders: Arc::clone(&self.holders),
            keeping,
            taken_up: taken_up.map(Box::new),
        };
        let driving = driver::drive(setup, orders, self.reports_tx.clone());
        let job = self.jobs.spawn(async move {
            driving.await;
            Job::DriverEnded
        });
        self.job_runs.insert(job.id(), run);
    }
}

/// Tells who asked for it that a run has left its list, and the log when nobody did and the disk does not have it.
fn told_unlisted(run: RunId, left: Result<(), StoreError>, answer: Option<Answer<()>>) {
    let left = left.map_err(|error| only_for_now(error.into()));
    match (answer, left) {
        (Some(answer), left) => answer.send(left),
        (None, Err(failure)) => tracing::warn!(%run, %failure, "a run has left its list"),
        (None, Ok(())) => {}
    }
}

fn now() -> At {
    At { now: Moment::from_boot(clock::boot_now()), wall: Timestamp::now() }
}

/// Makes the id of a run, of random bits.
///
/// # Panics
/// Where the kernel has no random bytes.
pub fn random_id() -> RunId {
    let mut bits = [0; 10];
    let filled = rustix::rand::getrandom(&mut bits, rustix::rand::GetRandomFlags::empty());
    // Ten bytes come whole and without waiting once the machine has booted.
    assert_eq!(filled, Ok(bits.len()), "the kernel gives random bytes");
    RunId::from_bits(bits)
}
