//! The timers of a run: the three timeouts, and the drain.

use std::time::Duration;

use super::{Armed, Effect, Phase, Reason, Run, RunTimer};
use crate::model::{ErrorCode, Failure, Mode, Moment, TimeoutKind};

impl Run {
    fn armed(&mut self, timer: RunTimer) -> &mut Option<Armed> {
        match timer {
            RunTimer::Timeout(TimeoutKind::Wall) => &mut self.wall,
            RunTimer::Timeout(TimeoutKind::Idle) => &mut self.idle,
            RunTimer::Timeout(TimeoutKind::Ready) => &mut self.ready,
            RunTimer::Drain => &mut self.drain,
        }
    }

    pub(super) fn arm(&mut self, timer: RunTimer, at: Moment, effects: &mut Vec<Effect>) {
        self.next_epoch += 1;
        let epoch = self.next_epoch;
        *self.armed(timer) = Some(Armed { epoch, at });
        effects.push(Effect::Arm(timer, epoch, at));
    }

    pub(super) fn disarm(&mut self, timer: RunTimer, effects: &mut Vec<Effect>) {
        if self.armed(timer).take().is_some() {
            effects.push(Effect::Disarm(timer));
        }
    }

    pub(super) fn disarm_timeouts(&mut self, effects: &mut Vec<Effect>) {
        for kind in [TimeoutKind::Wall, TimeoutKind::Idle, TimeoutKind::Ready] {
            self.disarm(RunTimer::Timeout(kind), effects);
        }
    }

    pub(super) fn timer_fired(&mut self, _now: Moment, timer: RunTimer, epoch: u64, effects: &mut Vec<Effect>) {
        if self.armed(timer).is_none_or(|armed| armed.epoch != epoch) {
            return;
        }
        match timer {
            // Output does not report itself; when the time is over, its last moment is asked for.
            RunTimer::Timeout(TimeoutKind::Idle) => effects.push(Effect::AskLastOutput(epoch)),
            RunTimer::Timeout(kind) => self.time_is_over(kind, effects),
            RunTimer::Drain => {
                self.drain = None;
                self.drain_over = true;
                if !self.output_ended {
                    self.hold_undrained();
                }
                self.settle(effects);
            }
        }
    }

    /// Takes note that a descendant still held the output when the drain was over (S4.10). A PTY is merely closed: its
    /// shell's background jobs hold it, which is no fault of the run.
    fn hold_undrained(&mut self) {
        self.undrained = true;
        let ends_by_itself = self.stops.latched().is_none() && !self.traits.daemonizes;
        if self.traits.mode == Mode::Pipes && ends_by_itself && self.exit.is_some() {
            let message = "a descendant still held the output when the process had exited and the drain was over";
            let hint = "let it close its output, or set daemonizes = true for a command that leaves a daemon behind";
            self.failure.get_or_insert(Failure::new(ErrorCode::Undrained, message).with_hint(hint));
        }
    }

    fn time_is_over(&mut self, kind: TimeoutKind, effects: &mut Vec<Effect>) {
        self.disarm(RunTimer::Timeout(kind), effects);
        self.end(Reason::Timeout(kind), false, effects);
    }

    pub(super) fn last_output(&mut self, now: Moment, epoch: u64, at: Moment, effects: &mut Vec<Effect>) {
        let Some(span) = self.traits.timeouts.idle else { return };
        if self.idle.is_none_or(|armed| armed.epoch != epoch) {
            return;
        }
        if at.plus(span) > now {
            self.arm(RunTimer::Timeout(TimeoutKind::Idle), at.plus(span), effects);
            effects.push(Effect::Changed);
        } else {
            self.time_is_over(TimeoutKind::Idle, effects);
        }
    }

    pub(super) fn move_deadline(
        &mut self,
        now: Moment,
        kind: TimeoutKind,
        later: Option<Duration>,
        effects: &mut Vec<Effect>,
    ) {
        if !matches!(self.phase, Phase::Confirming | Phase::Live) {
            return;
        }
        let timer = RunTimer::Timeout(kind);
        match later {
            None => {
                if kind == TimeoutKind::Idle {
                    // One that is asked for later starts anew.
                    self.traits.timeouts.idle = None;
                }
                self.disarm(timer, effects);
            }
            Some(span) => {
                let from = self.armed(timer).map_or(now, |armed| armed.at);
                if kind == TimeoutKind::Idle {
                    let idle = &mut self.traits.timeouts.idle;
                    *idle = Some(idle.map_or(span, |idle| idle.saturating_add(span)));
                }
                self.arm(timer, from.plus(span), effects);
            }
        }
        effects.push(Effect::Changed);
    }
}
