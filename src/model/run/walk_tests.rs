//! Walks every order of what can happen to a run.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::tests::{NOW, traits};
use super::*;
use crate::model::stop::StopKey;
use crate::model::{Cause, Mode, StillAlive};

/// What the world around the machine can do next. Each flag is a thing that is on its way.
#[derive(Debug, Clone, Default)]
struct World {
    recording: bool,
    spawning: bool,
    confirming: bool,
    stop_cut: Option<u64>,
    alive: bool,
    exit_seen: bool,
    tree_reported: bool,
    output_open: bool,
    ending_tree: bool,
    aborted: bool,
    signalled: bool,
    finishing: bool,
    storing: bool,
    holder_lost: bool,
    holder_may_go: bool,
    timers: Vec<(RunTimer, u64)>,
    ask_idle: Option<u64>,
    output_came: bool,
    stops_left: u64,
    withdrawn: bool,
    shut_down: bool,
    broke: bool,
    slot_released: u32,
    closed: u32,
    answered: u32,
}

impl World {
    /// All that could happen next.
    fn possible(&self) -> Vec<Input> {
        let mut inputs = Vec::new();
        let failure = || Failure::new(ErrorCode::Broken, "broken");
        if self.recording {
            inputs.extend([Input::Recorded(Ok(())), Input::Recorded(Err(failure()))]);
        }
        if self.spawning {
            inputs.extend([Input::Spawned, Input::SpawnFailed(failure(), Some(127))]);
        }
        if self.confirming {
            inputs.extend([Input::Confirmed(Ok(())), Input::Confirmed(Err(failure()))]);
        }
        inputs.extend(self.stop_cut.map(Input::StopCut));
        if self.alive && !self.exit_seen {
            inputs.extend([Input::Exited(Exit::Code(0)), Input::Exited(Exit::Signal(15))]);
        }
        if self.exit_seen && !self.tree_reported {
            inputs.push(Input::TreeEmpty);
        }
        if self.alive && self.output_open {
            inputs.push(Input::OutputEnded);
        }
        if self.ending_tree {
            if !self.signalled && !self.exit_seen {
                inputs.push(Input::Signalled);
            }
            // The root that is not gone by the end of the ladder is one that cannot be ended.
            let left = if self.exit_seen { vec![] } else { vec![StillAlive { pid: 1, why: "EPERM".into() }] };
            inputs.push(Input::TreeEnded(EndedTree { signalled: 1, killed: 1, left }));
        }
        if self.finishing {
            inputs.extend([false, true].map(|payload_undelivered| Input::Finished { payload_undelivered }));
        }
        if self.storing {
            inputs.push(Input::FinalStored);
        }
        if (self.alive || self.spawning) && self.holder_may_go && !self.holder_lost && !self.finishing && !self.storing
        {
            inputs.push(Input::HolderLost(failure()));
        }
        inputs.extend(self.timers.iter().map(|(timer, epoch)| Input::TimerFired(*timer, *epoch)));
        if let Some(epoch) = self.ask_idle {
            inputs.push(Input::LastOutput(epoch, Moment::from_boot(Duration::ZERO)));
            if !self.output_came {
                inputs.push(Input::LastOutput(epoch, NOW));
            }
        }
        if self.stops_left > 0 {
            inputs.push(Input::End(Reason::Stop(StopKey(self.stops_left)), self.stops_left == 1));
        }
        if self.stops_left == 1 && !self.withdrawn {
            inputs.push(Input::Withdraw(StopKey(2)));
        }
        if !self.shut_down {
            inputs.push(Input::End(Reason::Shutdown, false));
        }
        if self.alive && !self.broke && !self.finishing {
            inputs.push(Input::Broke(failure()));
        }
        inputs
    }

    /// Takes note that `input` has happened.
    fn happened(&mut self, input: &Input) {
        match input {
            Input::Recorded(_) => self.recording = false,
            Input::Spawned => {
                (self.spawning, self.alive, self.output_open) = (false, true, true);
                self.ending_tree = self.aborted;
            }
            Input::SpawnFailed(..) => self.spawning = false,
            Input::Confirmed(_) => self.confirming = false,
            Input::StopCut(_) => self.stop_cut = None,
            Input::Exited(_) => self.exit_seen = true,
            // The end of the tree is told all the same when it was asked for.
            Input::TreeEmpty => self.tree_reported = true,
            Input::OutputEnded => self.output_open = false,
            Input::Signalled => self.signalled = true,
            Input::TreeEnded(_) => (self.ending_tree, self.tree_reported) = (false, true),
            Input::Finished { .. } => self.finishing = false,
            Input::FinalStored => self.storing = false,
            Input::HolderLost(_) => {
                (self.holder_lost, self.alive, self.spawning, self.output_open) = (true, false, false, false);
                (self.ending_tree, self.tree_reported) = (false, true);
            }
            Input::TimerFired(timer, epoch) => self.timers.retain(|t| t != &(*timer, *epoch)),
            Input::LastOutput(_, at) => {
                self.ask_idle = None;
                self.output_came |= *at == NOW;
            }
            Input::End(Reason::Stop(_), _) => self.stops_left -= 1,
            Input::End(Reason::Shutdown, _) => self.shut_down = true,
            Input::Broke(_) => self.broke = true,
            Input::Withdraw(_) => self.withdrawn = true,
            Input::End(..) | Input::Ready | Input::Deadline(..) => {}
        }
    }

    /// Does what the machine asks for, and checks that it may be asked for.
    fn perform(&mut self, effects: &[Effect], trail: &str) {
        for effect in effects {
            match effect {
                Effect::Spawn => self.spawning = true,
                Effect::StoreRunning => self.confirming = true,
                Effect::Started(_) => self.answered += 1,
                Effect::AbortSpawn => {
                    assert!(self.spawning && !self.aborted, "abort without a spawn, or twice: {trail}");
                    self.aborted = true;
                }
                Effect::TakeStopCut(epoch) => self.stop_cut = Some(*epoch),
                Effect::EndTree { .. } => {
                    assert!(!self.finishing && self.slot_released == 0, "a signal after the reap: {trail}");
                    assert!(!self.holder_lost, "nobody is there to end the tree: {trail}");
                    assert!(!self.aborted, "the tree is being ended already: {trail}");
                    self.ending_tree = true;
                }
                Effect::Hurry => assert!(!self.finishing, "hurry after the end: {trail}"),
                Effect::AskLastOutput(epoch) => self.ask_idle = Some(*epoch),
                Effect::Arm(timer, epoch, _) => {
                    self.timers.retain(|(t, _)| t != timer);
                    self.timers.push((*timer, *epoch));
                }
                Effect::Disarm(timer) => self.timers.retain(|(t, _)| t != timer),
                Effect::Finish => {
                    self.finishing = true;
                    (self.alive, self.stop_cut, self.ask_idle) = (false, None, None);
                }
                Effect::StoreFinal(outcome) => {
                    self.storing = true;
                    check_outcome(outcome, trail);
                }
                Effect::ReleaseSlot => self.slot_released += 1,
                Effect::Close(_) => self.closed += 1,
                Effect::Changed => {}
            }
        }
    }
}

/// S2.2: what a final status implies.
fn check_outcome(outcome: &Outcome, trail: &str) {
    let code = outcome.exit_code;
    let holds = match outcome.status {
        Status::Completed => code == Some(0) && outcome.failure.is_none(),
        Status::Failed => code.is_some_and(|c| c != 0) || (code.is_none() && outcome.failure.is_some()),
        Status::TimedOut => {
            code == Some(124) && outcome.cause == Some(Cause::Timeout) && outcome.timed_out_by.is_some()
        }
        Status::Cancelled => code == Some(130) && outcome.cause.is_some(),
        Status::Orphaned => code.is_none() && outcome.failure.is_some(),
        Status::Queued | Status::Starting | Status::Running => false,
    };
    assert!(holds, "{outcome:?} breaks S2.2: {trail}");
}

/// Tells states apart; the numbers of epochs make no difference as long as no stale one is on its way.
fn key(run: &Run, world: &World) -> u64 {
    let mut run = run.clone();
    let mut world = world.clone();
    run.next_epoch = 0;
    for armed in [&mut run.wall, &mut run.idle, &mut run.ready, &mut run.drain].into_iter().flatten() {
        armed.epoch = 0;
    }
    world.timers.iter_mut().for_each(|(_, epoch)| *epoch = 0);
    world.timers.sort_by_key(|(timer, _)| format!("{timer:?}"));
    world.ask_idle = world.ask_idle.map(|_| 0);
    let mut hasher = DefaultHasher::new();
    format!("{run:?}{world:?}").hash(&mut hasher);
    hasher.finish()
}

/// Walks all orders from a state; returns whether each leads to a closed run.
fn walk(run: &Run, world: &World, trail: &mut Vec<String>, seen: &mut HashSet<u64>, closed: &mut u64) {
    if !seen.insert(key(run, world)) {
        return;
    }
    let inputs = world.possible();
    let story = || trail.join(" → ");
    assert!(world.slot_released <= 1 && world.closed <= 1 && world.answered <= 1, "told twice: {}", story());
    if run.is_closed() {
        assert_eq!((world.slot_released, world.closed, world.answered), (1, 1, 1), "{}", story());
        *closed += 1;
    } else {
        let by_itself =
            |i: &Input| !matches!(i, Input::End(..) | Input::Withdraw(_) | Input::Broke(_) | Input::HolderLost(_));
        assert!(inputs.iter().any(by_itself), "stuck in {run:?}: {}", story());
    }
    for input in inputs {
        let (mut run, mut world) = (run.clone(), world.clone());
        let latched = run.stops.latched();
        trail.push(format!("{input:?}"));
        world.happened(&input);
        let effects = run.step(NOW, input);
        assert!(latched.is_none() || run.stops.latched() == latched, "the cause moved: {}", trail.join(" → "));
        world.perform(&effects, &trail.join(" → "));
        walk(&run, &world, trail, seen, closed);
        trail.pop();
    }
}

/// Walks all that can happen to a run with one set of disturbances: all of them at once are more orders than can be walked.
fn walk_all(traits: RunTraits, world: World) {
    let run = Run::new(traits);
    let world = World { recording: true, ..world };
    let (mut seen, mut closed) = (HashSet::new(), 0);
    // The trail is as deep as the longest life; give it room.
    let walker = std::thread::Builder::new().stack_size(256 << 20);
    let handle = walker.spawn(move || {
        walk(&run, &world, &mut Vec::new(), &mut seen, &mut closed);
        (seen.len(), closed)
    });
    let (states, closed) = handle.expect("a thread").join().expect("the walk finds nothing wrong");
    println!("{states} states, {closed} of them closed");
    assert!(states > 300 && closed > 10, "{states} states, {closed} of them closed: too few to be the whole machine");
}

/// A world in which nothing disturbs.
fn calm() -> World {
    World { stops_left: 0, withdrawn: true, shut_down: true, broke: true, ..World::default() }
}

fn without_timeouts(mode: Mode) -> RunTraits {
    RunTraits { timeouts: Timeouts::default(), ..traits(mode) }
}

#[test]
fn every_order_of_two_stops_a_withdrawal_and_an_exit_closes_a_run_once() {
    for mode in [Mode::Pipes, Mode::Pty] {
        walk_all(without_timeouts(mode), World { stops_left: 2, withdrawn: false, ..calm() });
    }
}

#[test]
fn every_order_of_timeouts_a_stop_and_an_exit_closes_a_run_once() {
    walk_all(traits(Mode::Pipes), World { stops_left: 1, ..calm() });
}

#[test]
fn every_order_of_a_shutdown_a_failure_and_a_lost_holder_closes_a_run_once() {
    walk_all(without_timeouts(Mode::Pty), World { shut_down: false, broke: false, holder_may_go: true, ..calm() });
}

#[test]
fn every_order_of_a_stop_and_an_exit_closes_a_daemonizing_run_once() {
    let traits = RunTraits { daemonizes: true, ..without_timeouts(Mode::Pipes) };
    walk_all(traits, World { stops_left: 1, shut_down: false, ..calm() });
}
