//! The ladder of a stop: ask, wait, kill in rounds, say what is left.
//!
//! It climbs by *is anything left*, never by *has the root left*. It knows no process itself: a [`Grip`] finds and
//! signals them, so that every step can be tested without any.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::sys::pidfd::ProcessId;

use super::event::{Left, WhyLeft};

/// How often the set of members is renewed while they have their grace.
pub(super) const RENEW_EVERY: Duration = Duration::from_millis(50);

/// How long the rounds of killing go on before the rest is given up.
pub(super) const KILL_FOR: Duration = Duration::from_secs(5);

/// The pause between rounds in which nothing new turned up: an ended process needs a moment to be gone.
const ROUND_PAUSE: Duration = Duration::from_millis(5);

/// How many rounds are done in a row while new members turn up, before the link is served again.
const ROUNDS_AT_ONCE: u32 = 64;

/// How often members are stopped and counted again until no new one turns up, before they are killed.
const STOP_PASSES: u32 = 16;

/// The most that is told of what is left.
const MAX_LEFT: usize = 256;

/// A member as the ladder sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Subject {
    pub(super) id: ProcessId,
    /// The state's letter of `/proc`.
    pub(super) state: u8,
}

/// What the ladder needs of a tree.
pub(super) trait Grip {
    /// Finds the living members; looks for marked ones anywhere on the machine when asked to.
    fn members(&mut self, search_marked: bool) -> Vec<Subject>;
    /// Signals one member.
    fn signal(&mut self, id: ProcessId, signo: i32) -> Result<(), i32>;
    /// Tells whether a member handles a signal itself.
    fn catches(&mut self, id: ProcessId, signo: i32) -> bool;
    /// Kills all that a cgroup holds in one step; false when there is none.
    fn kill_together(&mut self) -> bool;
    /// Counts a stop command as a member from here on.
    fn spare_nobody(&mut self);
    /// Tells whether a stop command runs that is no member.
    fn stop_command_runs(&self) -> bool;
}

/// What comes after a step.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Come again at this instant, or when children ended.
    Wait(Duration),
    /// It is over.
    Over(Report),
}

/// What a stop did.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Report {
    pub(super) signalled: u32,
    pub(super) killed: u32,
    pub(super) left: Vec<Left>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Asked {
    #[default]
    No,
    /// It handles the first signal: the others come later.
    First,
    All,
}

#[derive(Debug, Default, Clone, Copy)]
struct Treated {
    asked: Asked,
    counted: bool,
    stopped: bool,
    killed: bool,
    refused: bool,
}

#[derive(Debug, Clone, Copy)]
enum Stage {
    Asking,
    Killing { until: Duration, rounds: u32, quiet: u32, all_refused: u32 },
}

/// A stop that is under way.
#[derive(Debug)]
pub(super) struct Ladder {
    stage: Stage,
    signals: Vec<i32>,
    half: Duration,
    grace_end: Duration,
    begun: bool,
    searched: bool,
    treated: BTreeMap<ProcessId, Treated>,
    signalled: u32,
    killed: u32,
}

impl Ladder {
    /// Begins a stop at `now`: with these signals, or with none while a stop command does the work.
    pub(super) fn new(signals: Vec<i32>, now: Duration, grace: Duration) -> Self {
        Self {
            stage: Stage::Asking,
            signals,
            half: now.saturating_add(grace / 2),
            grace_end: now.saturating_add(grace),
            begun: false,
            searched: false,
            treated: BTreeMap::new(),
            signalled: 0,
            killed: 0,
        }
    }

    /// Ends the grace now.
    pub(super) fn hurry(&mut self) {
        self.grace_end = Duration::ZERO;
    }

    /// Uses signals after all, since the stop command failed.
    pub(super) fn fall_back(&mut self, signals: Vec<i32>) {
        if self.signals.is_empty() {
            self.signals = signals;
        }
    }

    /// Returns how many members got their first signal in the very first step; once.
    pub(super) fn take_beginning(&mut self) -> Option<u32> {
        (!std::mem::replace(&mut self.begun, true)).then_some(self.signalled)
    }

    /// Does what is due.
    pub(super) fn step(&mut self, now: Duration, grip: &mut impl Grip) -> Step {
        match self.stage {
            Stage::Asking => self.ask(now, grip),
            Stage::Killing { .. } => self.kill(now, grip),
        }
    }

    fn ask(&mut self, now: Duration, grip: &mut impl Grip) -> Step {
        let mut members = grip.members(!std::mem::replace(&mut self.searched, true));
        if members.is_empty() && !grip.stop_command_runs() {
            // Nothing found may mean that all were between two places: look again, and everywhere.
            members = grip.members(true);
            if members.is_empty() {
                return self.over(&[]);
            }
        }
        for member in &members {
            self.ask_member(now, *member, grip);
        }
        if now >= self.grace_end {
            grip.spare_nobody();
            self.stage = Stage::Killing { until: now.saturating_add(KILL_FOR), rounds: 0, quiet: 0, all_refused: 0 };
            return self.kill(now, grip);
        }
        Step::Wait(now.saturating_add(RENEW_EVERY).min(self.grace_end))
    }

    fn ask_member(&mut self, now: Duration, member: Subject, grip: &mut impl Grip) {
        let Some((&first, others)) = self.signals.split_first() else {
            return;
        };
        let treated = self.treated.entry(member.id).or_default();
        let due: Vec<i32> = match treated.asked {
            Asked::No => {
                let later = !others.is_empty() && grip.catches(member.id, first);
                if let Err(errno) = grip.signal(member.id, first) {
                    // Refused now is not refused for ever: it may give its rights up, so it is asked again.
                    treated.refused = errno == libc::EPERM;
                    return;
                }
                treated.refused = false;
                if !std::mem::replace(&mut treated.counted, true) {
                    self.signalled = self.signalled.saturating_add(1);
                }
                treated.asked = if later { Asked::First } else { Asked::All };
                if later { Vec::new() } else { others.to_vec() }
            }
            Asked::First if now >= self.half => {
                treated.asked = Asked::All;
                // What it does not handle would only end it before its grace is over.
                let handled = others.iter().copied();
                handled.filter(|signo| grip.catches(member.id, *signo)).collect()
            }
            Asked::First | Asked::All if matches!(member.state, b'T' | b't') => Vec::new(),
            Asked::First | Asked::All => return,
        };
        // It may end by one of these: then the rest has nobody to go to.
        for signo in due {
            let _ = grip.signal(member.id, signo);
        }
        let _ = grip.signal(member.id, libc::SIGCONT);
    }

    fn kill(&mut self, now: Duration, grip: &mut impl Grip) -> Step {
        let Stage::Killing { until, mut rounds, mut quiet, mut all_refused } = self.stage else {
            return Step::Wait(now);
        };
        let mut at_once = 0;
        let step = loop {
            let members = grip.members(rounds == 0 || quiet > 0);
            rounds += 1;
            if members.is_empty() {
                quiet += 1;
                if quiet >= 2 {
                    break self.over(&[]);
                }
                continue;
            }
            quiet = 0;
            let (members, any_new) = self.kill_round(members, grip);
            let refused = members.iter().all(|member| self.is_refused(member.id));
            all_refused = if refused { all_refused + 1 } else { 0 };
            // Waiting changes nothing about rights that are missing.
            if now >= until || all_refused >= 2 {
                break self.over(&members);
            }
            at_once += 1;
            if !any_new || at_once >= ROUNDS_AT_ONCE {
                break Step::Wait(now.saturating_add(ROUND_PAUSE).min(until));
            }
        };
        self.stage = Stage::Killing { until, rounds, quiet, all_refused };
        step
    }

    /// Stops all members until no new ones turn up, then kills each; returns them, and whether any was new.
    fn kill_round(&mut self, mut members: Vec<Subject>, grip: &mut impl Grip) -> (Vec<Subject>, bool) {
        let mut any_new = false;
        let together = grip.kill_together();
        for _ in 0..STOP_PASSES {
            let mut any_new_now = false;
            for member in &members {
                let treated = self.treated.entry(member.id).or_default();
                if !std::mem::replace(&mut treated.stopped, true) {
                    any_new_now = true;
                    // What a cgroup has killed needs no stop.
                    if !together {
                        let _ = grip.signal(member.id, libc::SIGSTOP);
                    }
                }
            }
            any_new |= any_new_now;
            if together || !any_new_now {
                break;
            }
            // Those that are gone by now are killed below all the same, which does nothing.
            for member in grip.members(false) {
                if !members.iter().any(|known| known.id == member.id) {
                    members.push(member);
                }
            }
        }
        for member in &members {
            let treated = self.treated.entry(member.id).or_default();
            let gone = match grip.signal(member.id, libc::SIGKILL) {
                Ok(()) => true,
                Err(errno) => {
                    treated.refused = errno == libc::EPERM;
                    together && errno == libc::ESRCH
                }
            };
            if gone {
                treated.refused = false;
                if !std::mem::replace(&mut treated.killed, true) {
                    self.killed = self.killed.saturating_add(1);
                }
            }
        }
        (members, any_new)
    }

    fn is_refused(&self, id: ProcessId) -> bool {
        self.treated.get(&id).is_some_and(|treated| treated.refused)
    }

    fn over(&self, left: &[Subject]) -> Step {
        let why = |member: &Subject| {
            if self.is_refused(member.id) {
                WhyLeft::NotPermitted
            } else if member.state == b'D' {
                WhyLeft::Uninterruptible
            } else {
                WhyLeft::StillThere
            }
        };
        Step::Over(Report {
            signalled: self.signalled,
            killed: self.killed,
            left: left
                .iter()
                .take(MAX_LEFT)
                .map(|member| Left { pid: member.id.pid, start_ticks: member.id.start_ticks, why: why(member) })
                .collect(),
        })
    }
}

#[cfg(test)]
#[path = "ladder_tests.rs"]
mod tests;
