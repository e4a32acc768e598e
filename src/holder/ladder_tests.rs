use std::collections::BTreeMap;

use super::*;

/// How a process of the model takes signals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nature {
    /// It ends by the first signal.
    Meek,
    /// It ends by a kill only.
    Stubborn,
    /// It handles TERM and HUP, and ends by HUP.
    Handles,
    /// It handles TERM and has not come to its end when the grace is over; HUP would end it.
    Busy,
    /// It may not be signalled.
    Foreign,
    /// Not even a kill ends it.
    Stuck,
    /// It is replaced by a successor whenever it is looked at, until it is caught in one look.
    Chain(u32),
}

#[derive(Debug, Default)]
struct Model {
    living: BTreeMap<i32, Nature>,
    sent: Vec<(i32, i32)>,
    searches: u32,
    command: bool,
}

impl Model {
    fn of(natures: &[Nature]) -> Self {
        Self { living: (100..).zip(natures.iter().copied()).collect(), ..Self::default() }
    }

    fn signals_of(&self, pid: i32) -> Vec<i32> {
        self.sent.iter().filter(|sent| sent.0 == pid).map(|sent| sent.1).collect()
    }
}

impl Grip for Model {
    fn members(&mut self, search_marked: bool) -> Vec<Subject> {
        self.searches += u32::from(search_marked);
        let chains: Vec<(i32, u32)> = self
            .living
            .iter()
            .filter_map(|(pid, nature)| match nature {
                Nature::Chain(lives) if *lives > 0 => Some((*pid, *lives)),
                _ => None,
            })
            .collect();
        let found = self.living.iter().map(|(pid, nature)| Subject {
            id: ProcessId { pid: *pid, start_ticks: 1 },
            state: if *nature == Nature::Stuck { b'D' } else { b'S' },
        });
        let found = found.collect();
        for (pid, lives) in chains {
            self.living.remove(&pid);
            self.living.insert(pid + 1000, Nature::Chain(lives - 1));
        }
        found
    }

    fn signal(&mut self, id: ProcessId, signo: i32) -> Result<(), i32> {
        let nature = *self.living.get(&id.pid).ok_or(libc::ESRCH)?;
        if nature == Nature::Foreign {
            return Err(libc::EPERM);
        }
        self.sent.push((id.pid, signo));
        let ends = match signo {
            libc::SIGKILL => nature != Nature::Stuck,
            libc::SIGTERM => nature == Nature::Meek,
            libc::SIGHUP => matches!(nature, Nature::Meek | Nature::Handles | Nature::Busy),
            _ => false,
        };
        if ends {
            self.living.remove(&id.pid);
        }
        Ok(())
    }

    fn catches(&mut self, id: ProcessId, signo: i32) -> bool {
        match self.living.get(&id.pid) {
            Some(Nature::Handles) => true,
            Some(Nature::Busy) => signo == libc::SIGTERM,
            _ => false,
        }
    }

    fn kill_together(&mut self) -> bool {
        false
    }

    fn spare_nobody(&mut self) {
        self.command = false;
    }

    fn stop_command_runs(&self) -> bool {
        self.command
    }
}

const GRACE: Duration = Duration::from_secs(2);

fn ladder(signals: &[i32]) -> Ladder {
    Ladder::new(signals.to_vec(), Duration::ZERO, GRACE)
}

/// Climbs to the end by the clock; returns when that was, and the report.
fn climb(ladder: &mut Ladder, model: &mut Model) -> (Duration, Report) {
    let mut now = Duration::ZERO;
    loop {
        match ladder.step(now, model) {
            Step::Over(report) => return (now, report),
            Step::Wait(due) => {
                assert!(due > now, "a step that waits for the past would spin");
                now = due;
            }
        }
        assert!(now < Duration::from_secs(60), "no end");
    }
}

#[test]
fn nothing_to_end_is_over_at_once_after_a_search_everywhere() {
    let mut model = Model::default();
    let (at, report) = climb(&mut ladder(&[libc::SIGTERM]), &mut model);
    assert_eq!((at, report.signalled, report.killed), (Duration::ZERO, 0, 0));
    assert!(model.searches >= 1);
}

#[test]
fn each_member_gets_each_request_once() {
    let mut model = Model::of(&[Nature::Stubborn, Nature::Stubborn]);
    let (_, report) = climb(&mut ladder(&[libc::SIGTERM, libc::SIGHUP]), &mut model);
    assert_eq!((report.signalled, report.killed), (2, 2));
    for pid in [100, 101] {
        let sent = model.signals_of(pid);
        assert_eq!(sent, [libc::SIGTERM, libc::SIGHUP, libc::SIGCONT, libc::SIGSTOP, libc::SIGKILL]);
    }
}

#[test]
fn the_grace_is_given_in_full_to_who_needs_it() {
    let mut model = Model::of(&[Nature::Meek, Nature::Stubborn]);
    let (at, report) = climb(&mut ladder(&[libc::SIGTERM]), &mut model);
    assert!(at >= GRACE);
    assert_eq!((report.signalled, report.killed, report.left), (2, 1, vec![]));
}

#[test]
fn who_handles_the_first_signal_gets_the_second_at_half_of_the_grace() {
    let mut model = Model::of(&[Nature::Handles]);
    let (at, report) = climb(&mut ladder(&[libc::SIGTERM, libc::SIGHUP]), &mut model);
    assert!(at >= GRACE / 2 && at < GRACE, "{at:?}");
    assert_eq!((report.signalled, report.killed), (1, 0));
}

#[test]
fn a_member_that_may_not_be_signalled_is_told_and_does_not_hold_the_stop() {
    let mut model = Model::of(&[Nature::Foreign, Nature::Stubborn]);
    let (at, report) = climb(&mut ladder(&[libc::SIGTERM]), &mut model);
    assert!(at < GRACE + Duration::from_secs(1), "{at:?}");
    assert_eq!((report.signalled, report.killed), (1, 1));
    let left: Vec<_> = report.left.iter().map(|left| (left.pid, left.why)).collect();
    assert_eq!(left, [(100, WhyLeft::NotPermitted)]);
}

#[test]
fn a_member_that_cannot_be_interrupted_is_given_up_after_five_seconds() {
    let mut model = Model::of(&[Nature::Stuck]);
    let (at, report) = climb(&mut ladder(&[libc::SIGTERM]), &mut model);
    assert!(at >= GRACE + KILL_FOR && at < GRACE + KILL_FOR * 2, "{at:?}");
    assert_eq!(report.left[0].why, WhyLeft::Uninterruptible);
}

#[test]
fn a_chain_that_forks_between_looks_is_followed_to_its_end() {
    let mut model = Model::of(&[Nature::Chain(500)]);
    let (at, report) = climb(&mut ladder(&[libc::SIGTERM]), &mut model);
    assert!(at < GRACE + KILL_FOR);
    assert_eq!((report.killed, report.left), (1, vec![]));
}

#[test]
fn a_hurried_stop_kills_in_its_next_step() {
    let mut model = Model::of(&[Nature::Stubborn]);
    let mut ladder = ladder(&[libc::SIGTERM]);
    assert!(matches!(ladder.step(Duration::ZERO, &mut model), Step::Wait(_)));
    ladder.hurry();
    let now = Duration::from_millis(1);
    let mut step = ladder.step(now, &mut model);
    if let Step::Wait(due) = step {
        step = ladder.step(due, &mut model);
    }
    let Step::Over(report) = step else {
        panic!("{step:?}");
    };
    assert_eq!(report.killed, 1);
}

#[test]
fn the_beginning_is_told_once_with_what_the_first_step_reached() {
    let mut model = Model::of(&[Nature::Meek, Nature::Foreign]);
    let mut ladder = ladder(&[libc::SIGTERM]);
    let _ = ladder.step(Duration::ZERO, &mut model);
    assert_eq!(ladder.take_beginning(), Some(1));
    assert_eq!(ladder.take_beginning(), None);
}

#[test]
fn a_stop_command_keeps_an_empty_tree_from_being_over_until_it_has_ended() {
    let mut model = Model { command: true, ..Model::default() };
    let mut ladder = ladder(&[]);
    assert!(matches!(ladder.step(Duration::ZERO, &mut model), Step::Wait(_)));
    model.command = false;
    assert!(matches!(ladder.step(Duration::ZERO, &mut model), Step::Over(_)));
}

#[test]
fn a_failed_stop_command_is_followed_by_signals() {
    let mut model = Model::of(&[Nature::Meek]);
    let mut ladder = ladder(&[]);
    assert!(matches!(ladder.step(Duration::ZERO, &mut model), Step::Wait(_)));
    assert_eq!(model.sent, []);
    ladder.fall_back(vec![libc::SIGTERM]);
    let _ = ladder.step(Duration::from_millis(10), &mut model);
    assert!(model.living.is_empty());
}

#[test]
fn who_handles_only_the_first_signal_has_all_of_the_grace() {
    let mut model = Model::of(&[Nature::Busy]);
    let (at, report) = climb(&mut ladder(&[libc::SIGTERM, libc::SIGHUP]), &mut model);
    assert!(at >= GRACE);
    assert_eq!((report.signalled, report.killed), (1, 1));
    assert!(!model.signals_of(100).contains(&libc::SIGHUP));
}
