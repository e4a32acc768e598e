//! Every state has its sentence.

use super::*;
use crate::api::{Activity, DeadlineView};
use crate::launch::{Resolved, RunIdentity};
use crate::model::{
    CommandSpec, Degraded, EndedTree, ErrorCode, Mode, Moment, ProcessIdentity, RunId, RunSpec, StillAlive,
};

fn second(second: i64) -> Timestamp {
    Timestamp::from_second(1_000_000_000 + second).expect("a time")
}

/// A hundred seconds after the start of the run below.
fn at() -> At {
    At { now: moment(1000), wall: second(100) }
}

fn moment(seconds: u64) -> Moment {
    Moment::from_boot(Duration::from_secs(seconds))
}

fn starting(name: Option<&str>) -> Record {
    let identity = RunIdentity {
        id: RunId::from_bits([0; 10]),
        session: "test".parse().expect("a name"),
        name: name.map(|name| name.parse().expect("a name")),
        generation: 3,
    };
    let spec = RunSpec::new(CommandSpec::Argv(vec!["true".into()]), Mode::Pipes, "/");
    let resolved = Resolved {
        program: "/bin/true".into(),
        argv: vec!["true".into()],
        env: vec![],
        cwd: "/".into(),
        shell: None,
        command_line: "true".into(),
    };
    (*super::super::records::starting(&identity, &spec, &resolved, second(0))).clone()
}

fn running() -> Record {
    let process = Some(ProcessIdentity { pid: 77, start_ticks: 1, boot_id: "b".into() });
    Record { status: Status::Running, process, started_at: Some(second(0)), ..starting(Some("web")) }
}

/// A run that ended ten seconds ago, after 90, and was read.
fn ended(status: Status, exit_code: Option<i32>) -> Record {
    Record { status, exit_code, completed_at: Some(second(90)), observed_at: Some(second(95)), ..running() }
}

fn view(record: Record) -> RunView {
    RunView {
        record: record.into(),
        deadline: None,
        termination: Termination::None,
        control_open: false,
        started: None,
        ended: None,
        activity: Activity::default(),
        attention: None,
        notification: None,
        keyboard: None,
    }
}

fn told(record: Record) -> String {
    why(&view(record), None, at())
}

fn failure(message: &str) -> Failure {
    Failure::new(ErrorCode::Broken, message)
}

#[test]
fn every_status_is_told() {
    let orphaned = Record { failure: Some(failure("its holder is gone")), ..ended(Status::Orphaned, None) };
    let shut_down = Record { cause: Some(Cause::Shutdown), ..ended(Status::Cancelled, Some(130)) };
    for (record, expected) in [
        (Record { status: Status::Queued, ..starting(None) }, "Run 000000 waits in the queue for a free slot."),
        (starting(None), "Run 000000 is being started: it is on record and has no process yet."),
        (
            Record { status: Status::Starting, ..running() },
            "Run 000000, web:3, is being started: its process exists, and that is being recorded.",
        ),
        (running(), "Run 000000, web:3, runs since 1 min 40 s, as process 77."),
        (
            ended(Status::Completed, Some(0)),
            "Run 000000, web:3, ended by itself with exit code 0 after 1 min 30 s, 10 s ago.",
        ),
        (
            ended(Status::Cancelled, Some(130)),
            "Run 000000, web:3, was ended after 1 min 30 s, 10 s ago because somebody stopped it.",
        ),
        (
            shut_down,
            "Run 000000, web:3, was ended after 1 min 30 s, 10 s ago with everything else, when shtask was shut down.",
        ),
        (orphaned, "Run 000000, web:3, was lost sight of after 1 min 30 s, 10 s ago: its holder is gone."),
    ] {
        assert_eq!(told(record), expected);
    }
}

#[test]
fn every_kind_of_failure_is_told() {
    let failed = || ended(Status::Failed, Some(3));
    let prefix = "Run 000000, web:3, failed after 1 min 30 s, 10 s ago";
    assert_eq!(told(failed()), format!("{prefix}: its process ended with exit code 3, and not at shtask's request."));
    let by_signal = Record { signal: Some(11), ..ended(Status::Failed, Some(139)) };
    assert_eq!(
        told(by_signal),
        format!("{prefix}: its process was ended by signal 11 (SIGSEGV), and not at shtask's request.")
    );
    let ours = Record { failure: Some(failure("the pipe was still held")), ..failed() };
    assert_eq!(
        told(ours),
        format!("{prefix}: the pipe was still held. Before that its process ended with exit code 3.")
    );
    let unkillable = Record { failure: Some(failure("it would not die")), ..ended(Status::Failed, None) };
    assert_eq!(told(unkillable), format!("{prefix}: it would not die."));
    let never = Record {
        failure: Some(failure("no such program").with_hint("install it")),
        completed_at: Some(second(90)),
        status: Status::Failed,
        ..starting(None)
    };
    let never = told(never);
    assert!(never.starts_with("Run 000000 could not be started, 10 s ago: no such program; install it."), "{never}");
}

#[test]
fn every_timeout_is_told() {
    for (by, expected) in [
        (None, "because its timeout was over."),
        (Some(TimeoutKind::Wall), "because its timeout was over."),
        (Some(TimeoutKind::Idle), "because it printed nothing for as long as its idle timeout allows."),
        (Some(TimeoutKind::Ready), "because it was not ready in time."),
    ] {
        let text = told(Record { timed_out_by: by, ..ended(Status::TimedOut, Some(124)) });
        assert!(text.ends_with(expected), "{text}");
    }
    let known = Record { timeout: Some(Duration::from_secs(90)), ..ended(Status::TimedOut, Some(124)) };
    assert!(told(known).ends_with("because its timeout of 1 min 30 s was over."));
    for (kind, word) in
        [(TimeoutKind::Wall, "timeout"), (TimeoutKind::Idle, "idle timeout"), (TimeoutKind::Ready, "ready timeout")]
    {
        let view = RunView { deadline: Some(DeadlineView { kind, at: moment(1005) }), ..view(running()) };
        let text = why(&view, None, at());
        assert!(text.ends_with(&format!("Its {word} ends it in 5 s.")), "{text}");
    }
}

#[test]
fn every_step_of_a_stop_is_told() {
    for (termination, expected) in [
        (Termination::Preparing, "A stop was asked for; no signal has been sent yet."),
        (Termination::Grace { until: moment(1002) }, "It was told to end; what is left of it in 2 s is killed."),
        (
            Termination::Grace { until: moment(999) },
            "It was told to end; its grace is over, and what is left of it is being killed.",
        ),
        (Termination::Draining, "It is ending: its last output is taken in, and what it has left behind is ended."),
    ] {
        let text = why(&RunView { termination, ..view(running()) }, None, at());
        assert!(text.ends_with(expected), "{text}");
    }
    let tree = |signalled, killed, left| {
        told(Record { ended: Some(EndedTree { signalled, killed, left }), ..ended(Status::Cancelled, Some(130)) })
    };
    assert!(tree(1, 0, vec![]).ends_with("Of its tree 1 process got the stop signal and none had to be killed."));
    let left = vec![StillAlive { pid: 9, why: "uninterruptible".into() }];
    assert!(tree(3, 1, left).ends_with(
        "Of its tree 3 processes got the stop signal and 1 had to be killed. Still there: 9 (uninterruptible)."
    ));
}

#[test]
fn what_could_not_be_stored_was_not_read_or_was_refused_is_told() {
    let degraded = |until| Some(Degraded { since: second(40), why: "the disk is full".into(), until });
    let text = told(Record { degraded: degraded(None), ..running() });
    assert!(text.ends_with("For 1 min 0 s it could not be stored: the disk is full."), "{text}");
    let text = told(Record { degraded: degraded(Some(second(43))), ..running() });
    assert!(text.ends_with("For 3 s something of it could not be stored: the disk is full."), "{text}");
    let text = told(Record { observed_at: None, ..ended(Status::Completed, Some(0)) });
    assert!(text.ends_with("Nobody has read its output since it ended."), "{text}");
    let full = Failure::new(ErrorCode::CapacityFull, "capacity is full").with_hint("stop one");
    let text = why(&view(ended(Status::Completed, Some(0))), Some(&(second(99), full)), at());
    assert!(text.ends_with("The last start of its name was refused 1 s ago: capacity is full; stop one."), "{text}");
}

#[test]
fn times_are_shown_in_their_two_largest_units() {
    for (seconds, expected) in [(0, "0 ms"), (59, "59 s"), (60, "1 min 0 s"), (3661, "1 h 1 min"), (90_000, "1 d 1 h")]
    {
        assert_eq!(shown(Duration::from_secs(seconds)), expected);
    }
    assert_eq!(span(second(5), second(0)), "0 ms", "of a clock that was set back");
}
