//! What needs somebody: marks, the next run to look at, and what is told when nobody looks.

use std::collections::HashMap;
use std::time::Duration;

use crate::api::RunView;
use crate::model::{Moment, Need, RunId, Status};

use super::{Known, Line, List};

/// The least time between two notifications.
const BETWEEN: Duration = Duration::from_secs(2);
/// The least time between two notifications of one run.
const BETWEEN_OF_RUN: Duration = Duration::from_secs(10);

/// Which notifications were sent, so that they do not become a flood.
#[derive(Debug, Default)]
pub(crate) struct Notified {
    last: Option<Moment>,
    runs: HashMap<RunId, Moment>,
}

impl Notified {
    /// Returns whether another one may be sent now, and takes note of it.
    pub(crate) fn may(&mut self, run: RunId, now: Moment) -> bool {
        self.runs.retain(|_, at| now.since(*at) < BETWEEN_OF_RUN);
        let is_flood = self.last.is_some_and(|last| now.since(last) < BETWEEN) || self.runs.contains_key(&run);
        if !is_flood {
            self.last = Some(now);
            self.runs.insert(run, now);
        }
        !is_flood
    }
}

/// What is worth a notification in a change of a run; none when nothing is.
pub(crate) fn worth_telling(before: Option<&Known>, after: &RunView) -> Option<String> {
    let before = &before?.view;
    let (was, is) = (before.record.status, after.record.status);
    if was != is && !was.is_final() {
        match is {
            Status::Failed => return Some("has failed".to_owned()),
            Status::TimedOut => return Some("has timed out".to_owned()),
            Status::Orphaned => return Some("was lost".to_owned()),
            Status::Queued | Status::Starting | Status::Running | Status::Completed | Status::Cancelled => {}
        }
    }
    let number = |view: &RunView| view.notification.as_ref().map(|said| said.number);
    if let Some(said) = after.notification.as_ref().filter(|_| number(after) != number(before)) {
        return Some(format!("says: {}", said.words()));
    }
    let asks = |view: &RunView| {
        view.attention.map(|attention| attention.need).filter(|need| need.is_urgent() && *need != Need::Bell)
    };
    if let Some(need) = asks(after).filter(|need| asks(before) != Some(*need)) {
        return Some(need.words().to_owned());
    }
    (after.activity.bells > before.activity.bells).then(|| "rings its bell".to_owned())
}

impl Known {
    /// What the run asks of somebody who is to type; none for a shell at its prompt, and for the bell, which has a mark of its own.
    pub(crate) fn asks(&self) -> Option<Need> {
        let need = self.view.attention?.need;
        matches!(need, Need::Input | Need::Password).then_some(need)
    }

    /// How much it needs somebody: the more, the higher; 0 when it does not.
    pub(crate) fn attention(&self) -> u8 {
        let status = self.view.record.status;
        if self.asks().is_some() {
            return 4;
        }
        match (self.bell, self.unseen) {
            (true, _) => 3,
            (false, true) if matches!(status, Status::Failed | Status::TimedOut | Status::Orphaned) => 2,
            (false, true) => 1,
            (false, false) => 0,
        }
    }
}

impl List {
    /// How many runs ask for somebody who types.
    pub(crate) fn asking(&self) -> usize {
        self.runs.values().filter(|known| known.asks().is_some()).count()
    }

    /// Selects the next run that needs somebody, those first that need it most. Returns whether there is one.
    pub(crate) fn select_attention(&mut self) -> bool {
        let needs = |key: &super::RowKey| -> u8 {
            let row = self.rows.iter().find(|row| row.key == *key);
            row.and_then(|row| self.known(row.run?)).map_or(0, Known::attention)
        };
        // Also those that are folded away; the selected one comes last.
        let mut keys: Vec<super::RowKey> = self.rows.iter().map(|row| row.key.clone()).collect();
        let shown = |key: &super::RowKey| {
            self.lines()
                .iter()
                .position(|line| matches!(line, Line::Row(other, _) if other == key))
                .unwrap_or(usize::MAX)
        };
        keys.sort_by_cached_key(shown);
        let at = self.selected_key().and_then(|key| keys.iter().position(|other| other == key)).map_or(0, |at| at + 1);
        let turn = at.min(keys.len());
        keys.rotate_left(turn);
        let most = keys.iter().map(needs).max().unwrap_or(0);
        let next = keys.iter().find(|key| most > 0 && needs(key) == most).cloned();
        if let Some(key) = &next {
            self.select_key(key);
        }
        next.is_some()
    }
}
