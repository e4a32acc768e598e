//! What no real store, clock or process does when it is asked to: failures of the store at every step, a shutdown that is late.

use std::time::Duration;

use super::*;
use crate::api::{Answer, Feed, Reply, ShutdownRequest, StartRequest, StopId, StopRequest, empty_feed, reply};
use crate::driver;
use crate::launch::Resolved;
use crate::model::run::Exit;
use crate::model::{CommandSpec, Effects, EndedTree, ErrorCode, Mode, ProcessIdentity, RecordOutput, Status};

/// A core whose store, driver and clock are played by the test.
struct Played {
    core: Core,
    feed: Feed,
    /// What was asked for and not done yet.
    todo: Vec<Do>,
    now: Duration,
    /// Kept so that drivers count as alive.
    orders: Vec<Box<dyn std::any::Any>>,
}

impl Played {
    fn new(limits: Limits) -> Played {
        let mut next = 0;
        let mint = move || {
            next += 1;
            RunId::from_bits([next; 10])
        };
        let mut core = Core::new(limits, Box::new(mint));
        let (sender, feed) = empty_feed();
        core.subscribe(&session(), sender);
        Played { core, feed, todo: Vec::new(), now: Duration::from_secs(100), orders: Vec::new() }
    }

    fn at(&self) -> At {
        let wall = Timestamp::from_second(1_000_000_000 + self.now.as_secs().cast_signed()).expect("a time");
        At { now: Moment::from_boot(self.now), wall }
    }

    fn with(&mut self, act: impl FnOnce(&mut Core, At) -> Vec<Do>) {
        let at = self.at();
        let more = act(&mut self.core, at);
        self.todo.extend(more);
    }

    fn ask<T>(&mut self, act: impl FnOnce(&mut Core, At, Answer<T>) -> Vec<Do>) -> Reply<T> {
        let (answer, reply) = reply();
        self.with(|core, at| act(core, at, answer));
        reply
    }

    /// Asks for a start and finds its program.
    fn start(&mut self, spec: RunSpec) -> (RunId, Reply<Arc<Record>>) {
        let reply =
            self.ask(|core, at, answer| core.start(at, &session(), StartRequest { spec, replace: false }, answer));
        let run = self.resolve();
        (run, reply)
    }

    fn resolve(&mut self) -> RunId {
        let found = self.todo.iter().position(|what| matches!(what, Do::Resolve(..))).expect("to be looked for");
        let Do::Resolve(identity, _) = self.todo.remove(found) else { unreachable!("just found") };
        let resolved = Resolved {
            program: "/bin/true".into(),
            argv: vec!["true".into()],
            env: vec![],
            cwd: "/".into(),
            shell: None,
            command_line: "true".into(),
        };
        self.with(|core, at| core.resolved(at, identity.id, Ok(resolved)));
        identity.id
    }

    /// Takes the one write out that was asked for, and answers it.
    fn store(&mut self, wanted: Write, result: Result<(), Failure>) -> Arc<Record> {
        let found = self.todo.iter().position(|what| matches!(what, Do::Store(..)));
        let Do::Store(record, revision) = self.todo.remove(found.expect("to be stored")) else {
            unreachable!("just found")
        };
        assert!(self.core.runs[&record.id].keeping.in_flight().contains(&wanted), "{wanted:?} is written");
        assert_eq!(record.revision, revision);
        self.with(|core, at| core.stored(at, record.id, revision, result));
        record
    }

    /// Has the disk take which runs have left their lists.
    fn note_the_left(&mut self) {
        for what in std::mem::take(&mut self.todo) {
            match what {
                Do::Unlist(_, answer) => answer.into_iter().for_each(|answer| answer.send(Ok(()))),
                other => self.todo.push(other),
            }
        }
    }

    /// Has the disk take what is known of sessions.
    fn keep_sessions(&mut self) {
        for what in std::mem::take(&mut self.todo) {
            match what {
                Do::StoreSession(_, told) => told(Ok(())),
                other => self.todo.push(other),
            }
        }
    }

    fn report(&mut self, run: RunId, report: Report) {
        self.with(|core, at| core.reported(at, run, report));
    }

    /// Takes a run to where its process exists.
    fn spawn(&mut self, run: RunId) {
        let found = self.todo.iter().position(|what| matches!(what, Do::Drive(driven) if *driven == run));
        self.todo.remove(found.expect("to be driven"));
        let (port, orders) = driver::port();
        self.core.runs.get_mut(&run).expect("a run").port = Some(port);
        self.orders.push(Box::new(orders));
        let process = ProcessIdentity { pid: 77, start_ticks: 1, boot_id: "b".into() };
        self.report(run, Report::Spawned(process));
    }

    fn live(&mut self) -> RunId {
        let (run, started) = self.start(spec());
        self.store(Write::Starting, Ok(()));
        self.spawn(run);
        self.store(Write::Running, Ok(()));
        assert_eq!(started.wait().expect("started").status, Status::Running);
        run
    }

    /// Lets the process exit, and all that follows but the store's answer.
    fn exit(&mut self, run: RunId, exit: Exit) {
        self.report(run, Report::Exited(exit));
        self.report(run, Report::TreeEmpty);
        self.report(run, Report::OutputEnded);
        self.finish(run);
    }

    fn finish(&mut self, run: RunId) {
        let output = Box::new(RecordOutput::Pipes(crate::model::PipesOutput::default()));
        let activity = crate::api::Activity::default();
        self.report(run, Report::Finished { output, payload_undelivered: false, activity, said: None, log: None });
    }

    fn updates(&mut self) -> Vec<Update> {
        std::iter::from_fn(|| self.feed.try_next()).collect()
    }
}

fn session() -> SessionName {
    "test".parse().expect("a name")
}

fn spec() -> RunSpec {
    RunSpec::new(CommandSpec::Argv(vec!["true".into()]), Mode::Pipes, "/")
}

fn one_slot() -> Limits {
    Limits { runs: 1, ..Limits::default() }
}

fn disk_full() -> Failure {
    Failure::new(ErrorCode::StoreFailed, "the disk is full")
}

/// S2.7, S3.1.
/// Somebody of whom nothing matters here.
fn nobody() -> super::super::keyboard::Presence {
    super::super::keyboard::Presence::new(
        crate::model::TypistId(0),
        crate::model::Typist::default(),
        tokio::sync::mpsc::unbounded_channel().0,
    )
}

#[test]
fn a_start_that_cannot_be_recorded_is_refused_as_if_it_had_never_been() {
    let mut played = Played::new(one_slot());
    let (run, started) = played.start(spec());
    played.store(Write::Starting, Err(disk_full()));
    assert_eq!(started.wait().expect_err("refused"), disk_full());
    assert!(played.todo.is_empty(), "nothing is spawned and nothing stored");
    assert!(matches!(played.updates().last(), Some(Update::Removed(removed)) if *removed == run));
    assert_eq!(played.core.slots.live(), (0, 0));
    played.live();
}

/// S3.1, S7.6: the process is ended, and the caller told that there was one.
#[test]
fn a_start_that_cannot_be_confirmed_ends_its_process() {
    let mut played = Played::new(one_slot());
    let (run, started) = played.start(spec());
    played.store(Write::Starting, Ok(()));
    played.spawn(run);
    played.store(Write::Running, Err(disk_full()));
    let failure = started.wait().expect_err("not confirmed");
    assert_eq!((failure.code, failure.effects), (ErrorCode::StoreFailed, Effects::Pending));
    assert_eq!(played.core.slots.live(), (1, 0), "its slot is taken as long as it lives");
    played.report(run, Report::StopCut(1));
    played.report(run, Report::Signalled);
    played.report(run, Report::Exited(Exit::Signal(9)));
    played.report(run, Report::OutputEnded);
    played.report(run, Report::TreeEnded(EndedTree { signalled: 1, killed: 1, left: vec![] }));
    played.finish(run);
    let record = played.store(Write::Final, Ok(()));
    assert_eq!(
        (record.status, record.failure.as_ref().map(|f| f.code)),
        (Status::Failed, Some(ErrorCode::StoreFailed))
    );
    assert_eq!(played.core.slots.live(), (0, 0));
}

/// S4.11: a final write that fails is reported to all who wait, and the slot is free all the same.
#[test]
fn a_final_record_that_cannot_be_stored_is_told_to_all_who_wait() {
    let mut played = Played::new(one_slot());
    let run = played.live();
    let stops: Vec<_> = (0..3)
        .map(|id| played.ask(|core, at, answer| core.stop(at, run, StopId(id), StopRequest { kill: false }, answer)))
        .collect();
    played.report(run, Report::StopCut(1));
    played.report(run, Report::Signalled);
    played.report(run, Report::Exited(Exit::Signal(15)));
    played.report(run, Report::OutputEnded);
    played.report(run, Report::TreeEnded(EndedTree { signalled: 1, killed: 0, left: vec![] }));
    played.finish(run);
    played.store(Write::Final, Err(disk_full()));
    for stop in stops {
        assert_eq!(stop.wait().expect_err("not stored"), disk_full());
    }
    assert_eq!(played.core.slots.live(), (0, 0));
    assert!(played.core.runs[&run].is_final());
}

#[test]
fn a_run_that_could_not_start_keeps_its_place_in_the_list_when_it_is_read() {
    let mut played = Played::new(Limits::default());
    let (failed, started) = played.start(spec());
    played.store(Write::Starting, Ok(()));
    played.report(failed, Report::SpawnFailed(disk_full(), None));
    played.finish(failed);
    played.store(Write::Final, Ok(()));
    started.wait().expect_err("it could not start");
    played.now += Duration::from_secs(1);
    let live = played.live();
    let ids = |played: &Played| played.core.table(&session()).iter().map(|view| view.id()).collect::<Vec<_>>();
    assert_eq!(ids(&played), [failed, live]);
    played.now += Duration::from_secs(1);
    drop(played.ask(|core, at, answer| core.read(at, failed, 100, &nobody(), answer)));
    assert_eq!(ids(&played), [failed, live]);
}

/// S2.1: set once, but tried until it is stored.
#[test]
fn a_mark_that_could_not_be_stored_is_stored_by_a_later_attempt() {
    let mut played = Played::new(one_slot());
    let run = played.live();
    played.exit(run, Exit::Code(0));
    played.store(Write::Final, Ok(()));
    drop(played.ask(|core, at, answer| core.read(at, run, 100, &nobody(), answer)));
    let first = played.store(Write::Observed, Err(disk_full()));
    played.with(|core, at| core.store_again(at, run));
    let second = played.store(Write::Again, Ok(()));
    assert_eq!((first.observed_at, first.revision), (second.observed_at, second.revision), "the same mark");
    drop(played.ask(|core, at, answer| core.read(at, run, 100, &nobody(), answer)));
    assert!(!played.todo.iter().any(|what| matches!(what, Do::Store(..))), "it is stored by now");
}

/// S3.1, S7.2: the fence between the look at the program and the record.
#[test]
fn a_start_that_a_shutdown_overtakes_leaves_no_record() {
    let mut played = Played::new(one_slot());
    let started = played
        .ask(|core, at, answer| core.start(at, &session(), StartRequest { spec: spec(), replace: false }, answer));
    let report = played.ask(|core, at, answer| core.shut_down(at, ShutdownRequest::default(), answer));
    played.resolve();
    assert_eq!(started.wait().expect_err("refused").code, ErrorCode::Closing);
    assert_eq!(report.wait().expect("a report").left, []);
    assert_eq!(played.core.slots.live(), (0, 0));
    assert!(!played.updates().iter().any(|update| matches!(update, Update::Run(_))));
}

/// S3.1, S7.1: the fence is the epoch, so it holds also when the close was taken back meanwhile.
#[test]
fn a_start_that_a_close_overtakes_fails_even_when_the_close_was_rolled_back() {
    let mut played = Played::new(one_slot());
    let started = played
        .ask(|core, at, answer| core.start(at, &session(), StartRequest { spec: spec(), replace: false }, answer));
    let (leased, lease) = reply();
    let ended = played.ask(|core, at, answer| core.close_session(at, &session(), &nobody(), leased, answer));
    played.keep_sessions();
    let lease = lease.wait().expect("a lease");
    let rolled_back = played.ask(|core, _, answer| core.roll_back_close(&session(), lease, answer));
    played.keep_sessions();
    rolled_back.wait().expect("rolled back");
    assert_eq!(ended.wait().expect_err("rolled back").code, ErrorCode::Stale);
    played.resolve();
    assert_eq!(started.wait().expect_err("refused").code, ErrorCode::Closing);
    assert_eq!(played.core.slots.live(), (0, 0));
    played.live();
}

/// S7.1: a close waits for starts that are pending, and there is a bound.
#[test]
fn a_close_is_over_when_no_run_and_no_start_is_left_or_its_time_is_over() {
    let mut played = Played::new(Limits::default());
    let run = played.live();
    let pending = played
        .ask(|core, at, answer| core.start(at, &session(), StartRequest { spec: spec(), replace: false }, answer));
    let (leased, lease) = reply();
    let mut ended = played.ask(|core, at, answer| core.close_session(at, &session(), &nobody(), leased, answer));
    played.keep_sessions();
    let lease = lease.wait().expect("a lease");
    let commit = played.ask(|core, _, answer| core.commit_close(&session(), lease, answer));
    assert_eq!(commit.wait().expect_err("not yet").code, ErrorCode::Busy);
    played.resolve();
    assert_eq!(pending.wait().expect_err("refused").code, ErrorCode::Closing);
    let waker = std::task::Waker::noop();
    let mut context = std::task::Context::from_waker(waker);
    assert!(std::future::Future::poll(std::pin::Pin::new(&mut ended), &mut context).is_pending(), "one run is live");
    assert!(played.todo.iter().any(|what| matches!(what, Do::ArmClose(armed, _) if *armed == lease)));
    played.core.close_is_late(lease);
    let report = ended.wait().expect("a report");
    assert_eq!((report.ended, report.left.len(), report.left[0].0), (0, 1, run));
}

/// S7.2, BUGS B20: there is a bound, and it says what is left.
#[test]
fn a_shutdown_that_is_late_reports_what_would_not_die() {
    let mut played = Played::new(one_slot());
    let run = played.live();
    let first = played.ask(|core, at, answer| core.shut_down(at, ShutdownRequest::default(), answer));
    let bound = played.todo.iter().find_map(|what| match what {
        Do::ArmShutdown(bound) => Some(*bound),
        _ => None,
    });
    let bound = bound.expect("a bound").since(Moment::from_boot(played.now));
    assert!(bound >= Limits::GRACE && bound <= Limits::GRACE + Duration::from_secs(8), "{bound:?}");
    let second = played.ask(|core, at, answer| core.shut_down(at, ShutdownRequest { hurry: true }, answer));
    played.core.shutdown_is_late();
    let report = first.wait().expect("a report");
    assert_eq!((report.ended, report.left.len(), report.left[0].0, report.left[0].1.pid), (0, 1, run, 77));
    assert_eq!(second.wait().expect("a report"), report);
}

/// S4.2: whoever waits is answered, whatever became of the run.
#[test]
fn a_late_control_of_a_forgotten_run_is_answered() {
    let mut played = Played::new(one_slot());
    let run = played.live();
    played.exit(run, Exit::Code(0));
    played.store(Write::Final, Ok(()));
    let forgotten = played.ask(|core, _, answer| core.forget(run, answer));
    played.note_the_left();
    forgotten.wait().expect("forgotten");
    let (answer, cut) = reply();
    played.report(run, Report::TooLate(crate::model::CutOutcome::default(), answer));
    assert_eq!(cut.wait().expect_err("it is gone").code, ErrorCode::NotFound);
}

/// A driver that failed takes its run with it and nothing else.
#[test]
fn a_driver_that_failed_ends_its_run_as_orphaned_and_frees_its_slot() {
    let mut played = Played::new(one_slot());
    let run = played.live();
    let stop = played.ask(|core, at, answer| core.stop(at, run, StopId(1), StopRequest { kill: false }, answer));
    played.with(|core, at| core.driver_failed(at, run, Failure::new(ErrorCode::Broken, "it failed")));
    let record = played.store(Write::Final, Ok(()));
    assert_eq!((record.status, record.exit_code), (Status::Orphaned, None));
    let outcome = stop.wait().expect("an answer");
    assert!(!outcome.applied);
    assert_eq!(played.core.slots.live(), (0, 0));
}

fn snapshot(text: &str) -> Report {
    let output = crate::model::PipesOutput { stdout: text.into(), ..Default::default() };
    Report::Snapshot { output: Box::new(RecordOutput::Pipes(output)), log: None }
}

/// S2.6: one write of a run at a time, in order, and the last one has everything.
#[test]
fn the_final_record_follows_a_flush_that_is_still_being_written() {
    let mut played = Played::new(one_slot());
    let run = played.live();
    played.report(run, snapshot("half"));
    played.exit(run, Exit::Code(0));
    let stores = |played: &Played| played.todo.iter().filter(|what| matches!(what, Do::Store(..))).count();
    assert_eq!(stores(&played), 1, "the final one waits");
    assert_eq!(played.store(Write::Flush, Ok(())).revision, 3);
    let last = played.store(Write::Final, Ok(()));
    assert_eq!((last.revision, last.status), (4, Status::Completed));
    assert!(played.core.runs[&run].is_final());
}

/// S2.7: the run goes on, the record says so, storing is tried again with longer and longer pauses and resumes by itself.
#[test]
fn a_flush_that_fails_marks_the_record_and_is_tried_again_until_it_works() {
    let mut played = Played::new(one_slot());
    let run = played.live();
    played.report(run, snapshot("one"));
    let mut write = Write::Flush;
    for pause in [1, 2, 4, 8, 16, 30, 30] {
        let failed = played.store(write, Err(disk_full()));
        assert_eq!(failed.revision, 3, "no revision is used up by a write that failed");
        let now = Moment::from_boot(played.now);
        let armed = played.todo.iter().position(|what| {
            matches!(what, Do::ArmStore(armed, at) if *armed == run && at.since(now) == Duration::from_secs(pause))
        });
        played.todo.remove(armed.unwrap_or_else(|| panic!("{pause} s later")));
        let entry = &played.core.runs[&run];
        let degraded = entry.record.degraded.clone().expect("marked");
        assert_eq!((degraded.why.as_str(), degraded.until), ("the disk is full", None));
        assert_eq!(entry.record.status, Status::Running);
        played.with(|core, at| core.store_again(at, run));
        write = Write::Again;
    }
    let stored = played.store(Write::Again, Ok(()));
    assert_eq!(stored.revision, 3);
    assert!(stored.degraded.as_ref().is_some_and(|degraded| degraded.until.is_some()), "it works again");
    played.report(run, snapshot("two"));
    assert_eq!(played.store(Write::Flush, Ok(())).revision, 4);
}

/// S2.8: else it would be tried again without end, and the run could never leave the list.
#[test]
fn a_mark_on_a_record_that_retention_has_deleted_is_no_failure() {
    use super::super::storing::outcome;
    use crate::store::StoreError;

    let run = RunId::from_bits([1; 10]);
    let refused = |from, to| outcome(Err(StoreError::Transition { run, from, to }));
    assert_eq!(refused(None, Status::Completed), Ok(()));
    refused(None, Status::Running).expect_err("a live run's record is never deleted");
    refused(Some(Status::Running), Status::Starting).expect_err("there is no such transition");
    outcome(Err(StoreError::Revision { run, kept: 1, offered: 3 })).expect_err("a change was lost");
}

/// S2.7, S4.11: who waits is told at once; the record is stored when that is possible again.
#[test]
fn a_final_record_that_could_not_be_stored_is_told_and_stored_later() {
    let mut played = Played::new(one_slot());
    let run = played.live();
    played.exit(run, Exit::Code(3));
    played.store(Write::Final, Err(disk_full()));
    assert!(played.core.runs[&run].is_final());
    let forgotten = played.ask(|core, _, answer| core.forget(run, answer));
    assert_eq!(forgotten.wait().expect_err("not yet").code, ErrorCode::Busy);
    played.with(|core, at| core.store_again(at, run));
    assert_eq!(played.store(Write::Again, Ok(())).status, Status::Failed);
    let forgotten = played.ask(|core, _, answer| core.forget(run, answer));
    played.note_the_left();
    forgotten.wait().expect("now it can be forgotten");
}

/// S2.7: with `store.strict`.
#[test]
fn with_a_strict_store_a_failed_flush_ends_the_run() {
    let mut played = Played::new(one_slot());
    played.core.strict = true;
    let run = played.live();
    played.report(run, snapshot("one"));
    played.store(Write::Flush, Err(disk_full()));
    played.report(run, Report::StopCut(1));
    played.report(run, Report::Signalled);
    played.report(run, Report::Exited(Exit::Signal(15)));
    played.report(run, Report::OutputEnded);
    played.report(run, Report::TreeEnded(EndedTree { signalled: 1, killed: 0, left: vec![] }));
    played.finish(run);
    played.with(|core, at| core.store_again(at, run));
    let last = played.store(Write::Final, Ok(()));
    assert_eq!((last.status, last.failure.as_ref().map(|f| f.code)), (Status::Failed, Some(ErrorCode::StoreFailed)));
}

/// S2.7, S7.5.
#[test]
fn a_name_that_cannot_be_stored_is_told_so_and_stored_when_the_disk_takes_it() {
    let mut played = Played::new(Limits::default());
    let run = played.live();
    let name: crate::model::RunName = "api".parse().expect("a name");
    let mut reply = played.ask(|core, at, answer| core.rename(at, run, name.clone(), answer));
    let second = played.ask(|core, at, answer| core.rename(at, run, "other".parse().expect("a name"), answer));
    assert_eq!(second.wait().expect_err("one at a time").code, ErrorCode::Busy);
    assert!(futures_util::FutureExt::now_or_never(&mut reply).is_none(), "not before it is durable");
    let written = played.store(Write::Renamed, Err(Failure::new(ErrorCode::StoreFailed, "the disk is full")));
    assert_eq!((written.name.as_ref(), written.generation), (Some(&name), 1));
    let failure = reply.wait().expect_err("it is not durable");
    assert!(failure.code == ErrorCode::StoreFailed && failure.message.contains("the disk is full"), "{failure}");
    assert_eq!(played.core.runs[&run].record.name.as_ref(), Some(&name));
    played.with(|core, at| core.store_again(at, run));
    let written = played.store(Write::Again, Ok(()));
    assert_eq!(written.name, Some(name));
    assert!(played.core.runs[&run].record.degraded.as_ref().is_some_and(|degraded| degraded.until.is_some()));
}
