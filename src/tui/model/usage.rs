//! What the processes of runs use: asked for while the columns are shown, and not otherwise.

use std::collections::HashMap;
use std::time::Duration;

use crate::api::RunUsage;
use crate::model::{Moment, RunId};

use super::{List, Model, Sort, areas};

/// How often it is asked.
pub(crate) const USAGE_EVERY: Duration = Duration::from_secs(2);
/// From this width of the list on the share of a processor has a column.
pub(crate) const CPU_COLS: u16 = 52;
/// From this width on the memory has one.
pub(crate) const MEMORY_COLS: u16 = 56;

/// What the processes of a run use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Of one processor, in per cent; none until it was asked twice.
    pub(crate) share: Option<u32>,
    pub(crate) resident_bytes: u64,
}

/// What was asked and answered.
#[derive(Debug, Default)]
pub(crate) struct Sampling {
    /// Whether the user wants the columns.
    pub(crate) wanted: bool,
    pub(crate) asked: bool,
    at: Option<Moment>,
    cpu: HashMap<RunId, Duration>,
}

impl Sampling {
    /// Takes an answer in. Returns whether the list looks different now.
    pub(crate) fn answered(&mut self, measured: Vec<RunUsage>, now: Moment, list: &mut List) -> bool {
        let passed = self.at.map(|at| now.since(at)).filter(|passed| !passed.is_zero());
        let mut cpu = HashMap::new();
        let mut usages = HashMap::new();
        for usage in measured {
            let used = self.cpu.get(&usage.run).map(|before| usage.cpu.saturating_sub(*before));
            let share = used.zip(passed).map(|(used, passed)| used.as_nanos() * 100 / passed.as_nanos());
            let share = share.map(|share| u32::try_from(share).unwrap_or(u32::MAX));
            usages.insert(usage.run, Usage { share, resident_bytes: usage.resident_bytes });
            cpu.insert(usage.run, usage.cpu);
        }
        (self.cpu, self.at, self.asked) = (cpu, Some(now), false);
        list.use_usages(&usages)
    }

    pub(crate) fn failed(&mut self, now: Moment) {
        (self.at, self.asked) = (Some(now), false);
    }

    fn next(&self) -> Option<Moment> {
        self.at.map(|at| at.plus(USAGE_EVERY))
    }
}

impl Model {
    /// Whether the columns are shown, or the list is sorted by one, and there is something to measure.
    fn usage_matters(&self) -> bool {
        let is_shown = || areas(self).and_then(|areas| areas.list).is_some_and(|list| list.width >= CPU_COLS);
        let is_there = self.ending.is_none() && self.parted.is_none() && !self.lost;
        let matters = is_there && (self.list.sort() == Sort::Cpu || (self.sampling.wanted && is_shown()));
        matters && !self.list.live().is_empty()
    }

    /// Whether it is time to ask.
    pub(crate) fn usage_is_due(&self) -> bool {
        let is_due = || self.sampling.next().is_none_or(|next| next.since(self.now).is_zero());
        !self.sampling.asked && self.usage_matters() && is_due()
    }

    /// How long until it is time to ask; none while nobody looks.
    pub(crate) fn usage_tick(&self) -> Option<Duration> {
        if self.sampling.asked || !self.usage_matters() {
            return None;
        }
        Some(self.sampling.next()?.since(self.now))
    }
}

/// Memory in at most five columns: `980K`, `1.2G`.
pub(crate) fn short_bytes(count: u64) -> String {
    let text = super::bytes(count);
    match text.split_once(' ') {
        Some((number, unit)) => format!("{number}{}", unit.chars().next().unwrap_or('B')),
        None => text,
    }
}
