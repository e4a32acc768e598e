//! The rules of a run's life, by name.

use super::*;
use crate::model::stop::StopKey;
use crate::model::{Mode, StillAlive};

pub(super) fn traits(mode: Mode) -> RunTraits {
    RunTraits {
        mode,
        timeouts: Timeouts { wall: Some(Duration::from_secs(60)), idle: Some(Duration::from_secs(5)), ready: None },
        output_drain: Duration::from_secs(2),
        daemonizes: false,
        grace: Duration::from_secs(2),
    }
}

pub(super) const NOW: Moment = Moment::from_boot(Duration::from_secs(100));

/// Steps a run through `inputs` and returns all effects.
fn drive(run: &mut Run, inputs: impl IntoIterator<Item = Input>) -> Vec<Effect> {
    inputs.into_iter().flat_map(|input| run.step(NOW, input)).collect()
}

fn live(traits: RunTraits) -> Run {
    let mut run = Run::new(traits);
    drive(&mut run, [Input::Recorded(Ok(())), Input::Spawned, Input::Confirmed(Ok(()))]);
    assert!(run.control_is_open());
    run
}

fn outcome(effects: &[Effect]) -> Outcome {
    let found = effects.iter().find_map(|effect| match effect {
        Effect::StoreFinal(outcome) => Some((**outcome).clone()),
        _ => None,
    });
    found.expect("a final record")
}

fn epoch_of(effects: &[Effect]) -> u64 {
    let found = effects.iter().find_map(|effect| match effect {
        Effect::TakeStopCut(epoch) => Some(*epoch),
        _ => None,
    });
    found.expect("a stop cut")
}

const DONE: Input = Input::Finished { payload_undelivered: false };

#[test]
fn a_start_goes_record_spawn_record_answer() {
    let mut run = Run::new(traits(Mode::Pty));
    assert_eq!(drive(&mut run, [Input::Recorded(Ok(()))]), [Effect::Spawn]);
    let effects = drive(&mut run, [Input::Spawned]);
    assert!(matches!(effects[..], [Effect::Arm(..), Effect::Arm(..), Effect::StoreRunning]), "{effects:?}");
    assert!(!run.control_is_open(), "nobody knows of the run yet");
    assert_eq!(drive(&mut run, [Input::Confirmed(Ok(()))]), [Effect::Started(Ok(())), Effect::Changed]);
}

#[test]
fn a_start_that_cannot_be_recorded_is_refused_and_spawns_nothing() {
    let mut run = Run::new(traits(Mode::Pty));
    let disk_full = Failure::new(ErrorCode::StoreFailed, "disk full");
    let effects = drive(&mut run, [Input::Recorded(Err(disk_full.clone()))]);
    assert_eq!(effects, [Effect::Started(Err(disk_full)), Effect::ReleaseSlot, Effect::Close(vec![])]);
}

#[test]
fn a_natural_exit_keeps_its_code_and_its_signal_is_named() {
    for (exit, status, code, signal) in [
        (Exit::Code(0), Status::Completed, 0, None),
        (Exit::Code(42), Status::Failed, 42, None),
        (Exit::Signal(11), Status::Failed, 139, Some(11)),
    ] {
        let mut run = live(traits(Mode::Pipes));
        let effects = drive(&mut run, [Input::Exited(exit), Input::TreeEmpty, Input::OutputEnded, DONE]);
        let outcome = outcome(&effects);
        assert_eq!((outcome.status, outcome.exit_code, outcome.signal), (status, Some(code), signal));
    }
}

#[test]
fn a_run_past_its_timeout_is_timed_out_by_name_with_124() {
    let mut run = live(traits(Mode::Pipes));
    let epoch = run.wall.expect("armed").epoch;
    let effects = drive(&mut run, [Input::TimerFired(RunTimer::Timeout(TimeoutKind::Wall), epoch)]);
    let cut = epoch_of(&effects);
    let end = [Input::StopCut(cut), Input::Signalled, Input::Exited(Exit::Signal(15))];
    drive(&mut run, end);
    let effects = drive(&mut run, [Input::TreeEnded(EndedTree::default()), Input::OutputEnded, DONE]);
    let outcome = outcome(&effects);
    assert_eq!((outcome.status, outcome.exit_code), (Status::TimedOut, Some(124)));
    assert_eq!(outcome.timed_out_by, Some(TimeoutKind::Wall));
}

#[test]
fn an_idle_timeout_moves_with_the_output() {
    let mut run = live(traits(Mode::Pipes));
    let epoch = run.idle.expect("armed").epoch;
    let idle = RunTimer::Timeout(TimeoutKind::Idle);
    assert_eq!(drive(&mut run, [Input::TimerFired(idle, epoch)]), [Effect::AskLastOutput(epoch)]);
    let effects = drive(&mut run, [Input::LastOutput(epoch, NOW)]);
    assert!(matches!(effects[0], Effect::Arm(t, _, at) if t == idle && at == NOW.plus(Duration::from_secs(5))));
    let epoch = run.idle.expect("armed").epoch;
    drive(&mut run, [Input::TimerFired(idle, epoch)]);
    let effects = drive(&mut run, [Input::LastOutput(epoch, Moment::from_boot(Duration::from_secs(90)))]);
    assert!(effects.iter().any(|e| matches!(e, Effect::TakeStopCut(_))), "{effects:?}");
}

#[test]
fn a_deadline_can_be_extended_and_removed_and_a_stale_timer_does_nothing() {
    let mut run = live(traits(Mode::Pipes));
    let wall = RunTimer::Timeout(TimeoutKind::Wall);
    let old = run.wall.expect("armed");
    drive(&mut run, [Input::Deadline(TimeoutKind::Wall, Some(Duration::from_secs(30)))]);
    assert_eq!(run.wall.expect("armed").at, old.at.plus(Duration::from_secs(30)));
    assert_eq!(drive(&mut run, [Input::TimerFired(wall, old.epoch)]), []);
    drive(&mut run, [Input::Deadline(TimeoutKind::Wall, None)]);
    assert_eq!(run.wall, None);
    assert!(run.control_is_open());
}

#[test]
fn a_descendant_that_holds_the_pipe_fails_the_run_unless_it_daemonizes() {
    for daemonizes in [false, true] {
        let mut run = live(RunTraits { daemonizes, ..traits(Mode::Pipes) });
        drive(&mut run, [Input::Exited(Exit::Code(0))]);
        let epoch = run.drain.expect("armed").epoch;
        let mut effects = drive(&mut run, [Input::TimerFired(RunTimer::Drain, epoch)]);
        if !daemonizes {
            assert!(effects.contains(&Effect::EndTree { kill: false }), "the rest of the tree is ended");
            effects.extend(drive(&mut run, [Input::TreeEnded(EndedTree { signalled: 1, ..EndedTree::default() })]));
            effects.extend(drive(&mut run, [Input::OutputEnded]));
        }
        effects.extend(drive(&mut run, [DONE]));
        let outcome = outcome(&effects);
        assert!(outcome.undrained);
        match daemonizes {
            true => assert_eq!((outcome.status, outcome.exit_code), (Status::Completed, Some(0))),
            false => assert_eq!(outcome.failure.expect("a failure").code, ErrorCode::Undrained),
        }
    }
}

#[test]
fn a_pty_whose_background_jobs_live_on_keeps_the_code_of_its_shell() {
    let mut run = live(traits(Mode::Pty));
    drive(&mut run, [Input::Exited(Exit::Code(0))]);
    let epoch = run.drain.expect("armed").epoch;
    drive(&mut run, [Input::TimerFired(RunTimer::Drain, epoch)]);
    let effects = drive(&mut run, [Input::TreeEnded(EndedTree { signalled: 1, ..EndedTree::default() }), DONE]);
    let outcome = outcome(&effects);
    assert_eq!((outcome.status, outcome.ended.map(|e| e.signalled)), (Status::Completed, Some(1)));
}

#[test]
fn a_process_that_cannot_be_ended_is_failed_with_that_reason_and_never_cancelled() {
    let mut run = live(traits(Mode::Pipes));
    let effects = drive(&mut run, [Input::End(Reason::Stop(StopKey(1)), false)]);
    let left = vec![StillAlive { pid: 77, why: "operation not permitted".into() }];
    drive(&mut run, [Input::StopCut(epoch_of(&effects)), Input::Signalled]);
    let ended = EndedTree { signalled: 1, killed: 0, left };
    let effects = drive(&mut run, [Input::TreeEnded(ended), Input::OutputEnded, DONE]);
    let outcome = outcome(&effects);
    assert_eq!(outcome.status, Status::Failed);
    let message = outcome.failure.expect("a failure").message;
    assert!(message.contains("did not acknowledge exit") && message.contains("77"), "{message}");
}

#[test]
fn a_stop_while_the_process_is_made_kills_it_and_owns_its_end() {
    let mut run = Run::new(traits(Mode::Pty));
    drive(&mut run, [Input::Recorded(Ok(()))]);
    let effects = drive(&mut run, [Input::End(Reason::Stop(StopKey(1)), false)]);
    assert!(effects.contains(&Effect::AbortSpawn));
    assert!(!run.stop_is_preparing(), "the kill is on its way: it cannot be withdrawn");
    drive(&mut run, [Input::Spawned, Input::Signalled, Input::Exited(Exit::Signal(9))]);
    let mut effects = drive(&mut run, [Input::TreeEnded(EndedTree::default()), Input::Confirmed(Ok(()))]);
    assert!(!run.control_is_open());
    effects.extend(drive(&mut run, [Input::OutputEnded, DONE, Input::FinalStored]));
    assert_eq!((outcome(&effects).status, outcome(&effects).exit_code), (Status::Cancelled, Some(130)));
    assert!(effects.contains(&Effect::Close(vec![(StopKey(1), true)])), "{effects:?}");
}

#[test]
fn a_stop_before_the_start_is_confirmed_takes_effect_once_the_run_is_live() {
    let mut run = Run::new(traits(Mode::Pty));
    drive(&mut run, [Input::Recorded(Ok(())), Input::Spawned, Input::End(Reason::Stop(StopKey(1)), false)]);
    let effects = drive(&mut run, [Input::Confirmed(Ok(()))]);
    assert!(effects.iter().any(|e| matches!(e, Effect::TakeStopCut(_))), "{effects:?}");
    assert!(!run.control_is_open());
}

#[test]
fn a_start_that_cannot_be_confirmed_ends_even_when_a_stop_waits_already() {
    let mut run = Run::new(traits(Mode::Pty));
    drive(&mut run, [Input::Recorded(Ok(())), Input::Spawned, Input::End(Reason::Stop(StopKey(1)), false)]);
    let disk_full = Failure::new(ErrorCode::StoreFailed, "disk full");
    let effects = drive(&mut run, [Input::Confirmed(Err(disk_full))]);
    let effects = drive(&mut run, [Input::StopCut(epoch_of(&effects))]);
    assert!(effects.contains(&Effect::EndTree { kill: true }), "{effects:?}");
}

#[test]
fn an_idle_deadline_that_was_removed_starts_anew() {
    let mut run = live(traits(Mode::Pipes));
    let second = Duration::from_secs(1);
    let removed = Input::Deadline(TimeoutKind::Idle, None);
    drive(&mut run, [removed, Input::Deadline(TimeoutKind::Idle, Some(second))]);
    let armed = run.idle.expect("armed");
    assert_eq!(armed.at, NOW.plus(second));
    let effects = drive(&mut run, [Input::LastOutput(armed.epoch, Moment::from_boot(Duration::from_secs(99)))]);
    assert!(effects.iter().any(|e| matches!(e, Effect::TakeStopCut(_))), "one second and not six: {effects:?}");
}

#[test]
fn a_run_that_is_ready_before_its_timers_are_armed_has_no_ready_timeout() {
    let timeouts = Timeouts { ready: Some(Duration::from_secs(1)), ..Timeouts::default() };
    let mut run = Run::new(RunTraits { timeouts, ..traits(Mode::Pipes) });
    drive(&mut run, [Input::Recorded(Ok(())), Input::Ready, Input::Spawned]);
    assert_eq!(run.deadline(), None);
}

#[test]
fn a_run_whose_holder_is_gone_is_orphaned_without_a_code() {
    let mut run = live(traits(Mode::Pty));
    let gone = Failure::new(ErrorCode::HolderLost, "the holder is gone");
    let effects = drive(&mut run, [Input::HolderLost(gone), DONE]);
    let outcome = outcome(&effects);
    assert_eq!((outcome.status, outcome.exit_code), (Status::Orphaned, None));
}

#[test]
fn a_kill_skips_the_grace_of_a_stop_that_is_on_its_way() {
    let mut run = live(traits(Mode::Pty));
    let effects = drive(&mut run, [Input::End(Reason::Stop(StopKey(1)), false)]);
    drive(&mut run, [Input::StopCut(epoch_of(&effects)), Input::Signalled]);
    let effects = drive(&mut run, [Input::End(Reason::Stop(StopKey(2)), true)]);
    assert!(effects.contains(&Effect::Hurry), "{effects:?}");
}
