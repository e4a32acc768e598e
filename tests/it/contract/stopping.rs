//! Stops: who owns the end, in which steps it comes, and what the cause is (S4.5–S4.9).

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use shtask::api::{StopRequest, Termination};
use shtask::model::{Cause, ErrorCode, RunSpec, Status, StopSpec, TimeoutKind, Timeouts, WriteStdin};

use super::ground::{Ground, on_every_ground, screen, streams, within};
use crate::harness::{Marker, survivors};

on_every_ground!(
    of_20_concurrent_stops_exactly_one_is_applied_and_all_get_the_final_record,
    control_closes_when_a_stop_is_admitted,
    what_a_program_prints_on_sigterm_is_kept,
    a_program_that_ignores_sigterm_is_killed_after_its_grace,
    a_shell_in_a_terminal_ends_within_its_grace,
    the_stop_signal_of_a_task_is_sent_in_place_of_sigterm,
    a_stop_command_asks_in_place_of_a_signal,
    a_stop_command_that_fails_is_no_reason_not_to_stop,
    a_kill_waits_for_no_grace,
    a_kill_skips_the_rest_of_a_grace_that_runs,
    a_stop_after_a_timeouts_signal_reports_the_timeout,
    a_natural_end_keeps_its_code_and_no_stop_is_applied,
    a_stop_of_a_final_run_answers_its_record,
    a_signal_is_no_stop,
    a_stop_in_the_middle_of_a_start_ends_it,
);

fn graced(spec: RunSpec, grace: Duration) -> RunSpec {
    RunSpec { stop: StopSpec { grace, ..StopSpec::default() }, ..spec }
}

/// S4.6.
async fn of_20_concurrent_stops_exactly_one_is_applied_and_all_get_the_final_record(ground: Arc<Ground>) {
    for spec in [ground.pty("exec sleep 100"), ground.sh("exec sleep 100")] {
        let run = ground.start(spec).await;
        let stops: Vec<_> = (0..20).map(|_| ground.client.stop(run, StopRequest { kill: false }).reply).collect();
        let outcomes = within("all answers", join_all(stops)).await;
        let outcomes: Vec<_> = outcomes.into_iter().map(|outcome| outcome.expect("an answer")).collect();
        assert_eq!(outcomes.iter().filter(|outcome| outcome.applied).count(), 1);
        for outcome in &outcomes {
            assert_eq!((outcome.record.status, outcome.record.exit_code), (Status::Cancelled, Some(130)));
            assert_eq!(outcome.record.revision, 3, "all have the same record");
        }
    }
}

/// S4.5.
async fn control_closes_when_a_stop_is_admitted(ground: Arc<Ground>) {
    let line = "trap 'echo leaving; until [ -e go ]; do sleep 0.01; done; exit' TERM HUP; echo ready; while :; do sleep 1000 & wait $!; done";
    let run = ground.start(graced(ground.pty(line), Duration::from_secs(60))).await;
    ground.until_shown(run, "ready").await;
    let stopping = ground.client.stop(run, StopRequest { kill: false });
    let reply = ground.client.control(run, WriteStdin::text("too late"));
    let failure = within("an answer", reply).await.expect_err("a stop was admitted before");
    assert_eq!(failure.code, ErrorCode::ControlClosed);
    ground.until_shown(run, "leaving").await;
    let view = ground.client.inspect(run).await.expect("a look").view;
    assert!(!view.control_open);
    assert!(matches!(view.termination, Termination::Grace { .. }), "{:?}", view.termination);
    assert_eq!(view.record.status, Status::Running);
    std::fs::write(ground.dir.path().join("go"), "").expect("a file");
    let outcome = within("the stop", stopping.reply).await.expect("stopped");
    assert!(outcome.applied && !screen(&outcome.record).0.contains("too late"));
}

/// S4.7.
async fn what_a_program_prints_on_sigterm_is_kept(ground: Arc<Ground>) {
    let line = "trap 'seq 1 2000; echo bye; exit 0' TERM; echo ready; while :; do sleep 1000 & wait $!; done";
    let run = ground.start(ground.sh(line)).await;
    ground.until_shown(run, "ready").await;
    let record = ground.stop(run).await;
    assert_eq!((record.status, record.exit_code), (Status::Cancelled, Some(130)));
    assert!(streams(&record).0.ends_with("1999\n2000\nbye\n"), "{}", streams(&record).0);
    let run = ground.start(ground.pty(line)).await;
    ground.until_shown(run, "ready").await;
    let record = ground.stop(run).await;
    assert!(screen(&record).0.ends_with("2000\nbye"), "{}", screen(&record).0);
}

/// S4.7.
async fn a_program_that_ignores_sigterm_is_killed_after_its_grace(ground: Arc<Ground>) {
    let line = "trap '' TERM HUP; echo ready; while :; do sleep 1000 & wait $!; done";
    for spec in [ground.sh(line), ground.pty(line)] {
        let grace = Duration::from_millis(300);
        let run = ground.start(graced(spec, grace)).await;
        ground.until_shown(run, "ready").await;
        let start = Instant::now();
        let record = ground.stop(run).await;
        assert!(start.elapsed() >= grace, "it had its grace: {:?}", start.elapsed());
        assert_eq!((record.status, record.signal), (Status::Cancelled, Some(9)));
        let ended = record.ended.clone().expect("counts");
        assert!(ended.killed >= 1 && ended.signalled >= 1 && ended.left.is_empty(), "{ended:?}");
    }
}

/// S4.7: interactive shells shrug off SIGTERM; SIGHUP is for them.
async fn a_shell_in_a_terminal_ends_within_its_grace(ground: Arc<Ground>) {
    if !crate::harness::have("bash") {
        return;
    }
    let spec = RunSpec { mode: shtask::model::Mode::Pty, ..ground.argv(&["bash", "--norc", "--noprofile", "-i"]) };
    let run = ground.start(graced(spec, Duration::from_secs(10))).await;
    ground.until_frame(run, "a prompt", |frame| frame.text().contains('$') || frame.text().contains('#')).await;
    let record = ground.stop(run).await;
    assert_eq!((record.status, record.ended.clone().map(|ended| ended.killed)), (Status::Cancelled, Some(0)));
}

/// S4.7.
async fn the_stop_signal_of_a_task_is_sent_in_place_of_sigterm(ground: Arc<Ground>) {
    let line = "trap 'echo int; exit 0' INT; trap 'echo term; exit 0' TERM; echo ready; while :; do sleep 1000 & wait $!; done";
    let mut spec = ground.sh(line);
    spec.stop = StopSpec { signal: Some(2), grace: Duration::from_secs(10), ..StopSpec::default() };
    let run = ground.start(spec).await;
    ground.until_shown(run, "ready").await;
    let record = ground.stop(run).await;
    assert_eq!((record.status, streams(&record).0), (Status::Cancelled, "ready\nint\n"));
}

/// S4.7.
async fn a_stop_command_asks_in_place_of_a_signal(ground: Arc<Ground>) {
    let line = "trap 'echo term' TERM; echo ready; until [ -e go ]; do sleep 0.01; done; echo left by itself";
    let mut spec = ground.sh(line);
    let command = Some("echo $SHTASK_PID $SHTASK_RUN_ID > asked; touch go".into());
    spec.stop = StopSpec { command, grace: Duration::from_secs(15), ..StopSpec::default() };
    let run = ground.start(spec).await;
    ground.until_shown(run, "ready").await;
    let record = ground.stop(run).await;
    assert_eq!((record.status, record.cause), (Status::Cancelled, Some(Cause::Cancel)));
    assert_eq!(streams(&record).0, "ready\nleft by itself\n");
    let asked = std::fs::read_to_string(ground.dir.path().join("asked")).expect("a file");
    let pid = record.process.as_ref().expect("a process").pid;
    assert_eq!(asked, format!("{pid} {}\n", record.id));
}

/// S4.7.
async fn a_stop_command_that_fails_is_no_reason_not_to_stop(ground: Arc<Ground>) {
    let mut spec = ground.sh("exec sleep 100");
    spec.stop = StopSpec { command: Some("exit 3".into()), grace: Duration::from_secs(15), ..StopSpec::default() };
    let run = ground.start(spec).await;
    let record = ground.stop(run).await;
    assert_eq!((record.status, record.signal), (Status::Cancelled, Some(15)));
}

/// S4.7.
async fn a_kill_waits_for_no_grace(ground: Arc<Ground>) {
    let marker = Marker::new();
    let line = format!("trap '' TERM HUP; sleep {marker} & echo ready; wait; sleep {marker}");
    for spec in [ground.sh(&line), ground.pty(&line)] {
        let run = ground.start(graced(spec, Duration::from_secs(600))).await;
        ground.until_shown(run, "ready").await;
        let record = ground.kill(run).await;
        assert_eq!((record.status, record.signal), (Status::Cancelled, Some(9)));
        assert_eq!(survivors(&marker), []);
    }
}

/// S4.7, BUGS B20.
async fn a_kill_skips_the_rest_of_a_grace_that_runs(ground: Arc<Ground>) {
    let line = "trap 'echo no' TERM; echo ready; while :; do sleep 1000 & wait $!; done";
    let run = ground.start(graced(ground.sh(line), Duration::from_secs(600))).await;
    ground.until_shown(run, "ready").await;
    let first = ground.client.stop(run, StopRequest { kill: false });
    ground.until_shown(run, "no").await;
    let second = within("the kill", ground.client.stop(run, StopRequest { kill: true }).reply).await.expect("killed");
    let first = within("the stop", first.reply).await.expect("stopped");
    assert!(first.applied && !second.applied, "the first one owns the end");
    assert_eq!(second.record.signal, Some(9));
}

/// S4.9.
async fn a_stop_after_a_timeouts_signal_reports_the_timeout(ground: Arc<Ground>) {
    let line = "trap 'echo signalled' TERM; while :; do sleep 1000 & wait $!; done";
    let mut spec = graced(ground.sh(line), Duration::from_secs(600));
    spec.timeouts = Timeouts { wall: Some(Duration::from_millis(100)), ..Timeouts::default() };
    let run = ground.start(spec).await;
    ground.until_shown(run, "signalled").await;
    let stop = within("the kill", ground.client.stop(run, StopRequest { kill: true }).reply).await.expect("killed");
    assert!(!stop.applied);
    assert_eq!((stop.record.status, stop.record.exit_code), (Status::TimedOut, Some(124)));
    assert_eq!((stop.record.cause, stop.record.timed_out_by), (Some(Cause::Timeout), Some(TimeoutKind::Wall)));
}

/// S4.9: a stop that meets an exit: whoever was first, the record and the answer agree.
async fn a_natural_end_keeps_its_code_and_no_stop_is_applied(ground: Arc<Ground>) {
    let mut natural = 0;
    for round in 0..80 {
        let run = ground.start(ground.pty("stty -echo; read x; exit 5")).await;
        let typed = ground.client.control(run, WriteStdin::text("\r"));
        for _ in 0..round {
            tokio::task::yield_now().await;
        }
        let stop = within("a stop", ground.client.stop(run, StopRequest { kill: false }).reply).await.expect("stopped");
        drop(typed);
        match stop.record.status {
            Status::Failed => {
                natural += 1;
                assert_eq!((stop.applied, stop.record.exit_code, stop.record.cause), (false, Some(5), None));
            }
            Status::Cancelled => {
                assert_eq!((stop.applied, stop.record.exit_code), (true, Some(130)));
                assert_eq!(stop.record.cause, Some(Cause::Cancel));
            }
            other => panic!("{other:?}"),
        }
    }
    println!("{natural} of 80 ended by themselves");
}

/// S4.6.
async fn a_stop_of_a_final_run_answers_its_record(ground: Arc<Ground>) {
    let record = ground.outcome(ground.sh("exit 4")).await;
    let stop = ground.client.stop(record.id, StopRequest { kill: true }).reply.await.expect("an answer");
    assert_eq!((stop.applied, stop.record.exit_code), (false, Some(4)));
    let unknown = shtask::model::RunId::from_bits([7; 10]);
    let failure = ground.client.stop(unknown, StopRequest { kill: false }).reply.await.expect_err("there is none");
    assert_eq!(failure.code, ErrorCode::NotFound);
}

/// The API: a signal has no cause and nothing follows it.
async fn a_signal_is_no_stop(ground: Arc<Ground>) {
    use shtask::api::SignalTarget;
    let run = ground.start(ground.sh("trap 'echo usr' USR1; echo ready; while :; do sleep 1000 & wait $!; done")).await;
    ground.until_shown(run, "ready").await;
    let signal = |signo, target| ground.client.signal(run, signo, target);
    assert_eq!(within("a signal", signal(10, SignalTarget::Root)).await.expect("sent"), 1);
    ground.until_shown(run, "usr").await;
    let view = ground.client.inspect(run).await.expect("a look").view;
    assert_eq!((view.termination, view.control_open), (Termination::None, true));
    let failure = signal(65, SignalTarget::Tree).await.expect_err("no signal");
    assert_eq!(failure.code, ErrorCode::Invalid);
    assert!(within("a signal", signal(9, SignalTarget::Tree)).await.expect("sent") >= 1);
    let record = ground.ended(run).await;
    assert_eq!((record.status, record.exit_code, record.cause), (Status::Failed, Some(137), None));
    let failure = signal(15, SignalTarget::Root).await.expect_err("it has ended");
    assert_eq!(failure.code, ErrorCode::ControlClosed);
}

/// S4.6, BUGS B06: every asked signal is answered, and a run that is stopped while it starts was cancelled.
async fn a_stop_in_the_middle_of_a_start_ends_it(ground: Arc<Ground>) {
    use shtask::api::{StartRequest, Update};
    let marker = Marker::new();
    for round in 0..40 {
        let mut feed = ground.client.subscribe();
        within("the table", feed.next()).await;
        let spec = match round % 2 {
            0 => ground.sh(format!("exec sleep {marker}")),
            _ => ground.pty(format!("exec sleep {marker}")),
        };
        let start = ground.client.start(StartRequest { spec, replace: false });
        let run = within("the first sight of it", async {
            loop {
                if let Some(Update::Run(view)) = feed.next().await {
                    return view.id();
                }
            }
        })
        .await;
        for _ in 0..round * 2 {
            tokio::task::yield_now().await;
        }
        let stop = within("a stop", ground.client.stop(run, StopRequest { kill: false }).reply).await.expect("stopped");
        let started = within("the start", start).await;
        let record = &stop.record;
        match record.process {
            Some(_) => {
                assert_eq!((record.status, record.cause), (Status::Cancelled, Some(Cause::Cancel)), "{record:?}");
                assert!(stop.applied && started.is_ok());
            }
            None => assert!(record.status == Status::Failed && started.is_err(), "{record:?}"),
        }
        assert_eq!(survivors(&marker), [], "round {round}");
    }
}
