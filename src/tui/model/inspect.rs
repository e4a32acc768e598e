//! The inspect panel.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use crate::api::{Inspection, Surroundings};
use crate::model::{Failure, Moment, Record, RunId};

/// How often a live run is asked while the panel is open.
pub(crate) const INSPECT_EVERY: Duration = Duration::from_secs(1);

/// How many seconds of output rates are shown.
const RATES: usize = 60;

/// What the panel knows of the run it is open for.
#[derive(Debug, Default)]
pub(crate) struct InspectPanel {
    pub(crate) run: Option<RunId>,
    pub(crate) latest: Option<Box<Inspection>>,
    pub(crate) failure: Option<Failure>,
    /// Lines that are scrolled off at the top.
    pub(crate) scroll: usize,
    /// Whether a question is on its way.
    pub(crate) asked: bool,
    /// Whether something has happened that the latest answer does not know of.
    pub(crate) stale: bool,
    /// When the latest answer came.
    pub(crate) at: Moment,
    /// Processor shares in per cent, from the two latest answers.
    pub(crate) shares: HashMap<i32, u64>,
    pub(crate) surroundings: Surroundings,
    /// Why it stands as it does, in words.
    pub(crate) why: String,
    /// What ran under its name, the newest first.
    pub(crate) generations: Vec<Record>,
    /// Bytes that were printed in each second of the last minute, the newest last.
    pub(crate) rates: VecDeque<u64>,
}

impl InspectPanel {
    pub(crate) fn answered(&mut self, inspection: Box<Inspection>, now: Moment) {
        let passed = now.since(self.at);
        self.shares.clear();
        if let Some(before) = self.latest.take().filter(|_| !passed.is_zero()) {
            let printed = |inspection: &Inspection| inspection.bytes.output + inspection.bytes.error;
            let rate =
                u128::from(printed(&inspection).saturating_sub(printed(&before))) * 1000 / passed.as_millis().max(1);
            self.rates.push_back(u64::try_from(rate).unwrap_or(u64::MAX));
            if self.rates.len() > RATES {
                self.rates.pop_front();
            }
            let used: HashMap<i32, Duration> =
                before.processes.iter().map(|process| (process.pid, process.cpu)).collect();
            for process in &inspection.processes {
                if let Some(cpu) = used.get(&process.pid) {
                    let share = process.cpu.saturating_sub(*cpu).as_nanos() * 100 / passed.as_nanos();
                    self.shares.insert(process.pid, u64::try_from(share).unwrap_or(u64::MAX));
                }
            }
        }
        (self.latest, self.failure, self.asked, self.at) = (Some(inspection), None, false, now);
    }
}
