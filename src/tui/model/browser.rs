//! The history browser: finished runs of any day.

use std::sync::Arc;

use jiff::tz::TimeZone;
use tui_input::Input;

use crate::model::Record;

/// Finished runs from the records, newest first, as far as they were fetched.
#[derive(Debug, Clone, Default)]
pub(crate) struct Browser {
    pub(crate) records: Vec<Arc<Record>>,
    /// Where to go on.
    pub(crate) next: Option<u64>,
    pub(crate) is_asked: bool,
    pub(crate) filter: Input,
    /// Whether keys go to the filter.
    pub(crate) is_typing: bool,
    pub(crate) selected: usize,
    /// Whether the record of the selected run is shown.
    pub(crate) is_open: bool,
    pub(crate) failure: Option<String>,
}

impl Browser {
    /// The runs that the filter lets through: each of its words is in the name, the command, the status or the date.
    pub(crate) fn visible(&self, zone: &TimeZone) -> Vec<&Arc<Record>> {
        let filter = self.filter.value().to_lowercase();
        let words: Vec<&str> = filter.split_whitespace().collect();
        let takes = |record: &Record| {
            let name = record.name.as_ref().map(ToString::to_string).unwrap_or_default();
            let text =
                format!("{name} {} {} {}", record.command, record.status.word(), when(record, zone)).to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        self.records.iter().filter(|record| words.is_empty() || takes(record)).collect()
    }

    pub(crate) fn chosen(&self, zone: &TimeZone) -> Option<Arc<Record>> {
        self.visible(zone).get(self.selected).map(|record| Arc::clone(record))
    }
}

/// When a run was started, in the user's zone: `2026-11-30 14:02`.
pub(crate) fn when(record: &Record, zone: &TimeZone) -> String {
    let at = record.started_at.unwrap_or(record.updated_at);
    at.to_zoned_datetime(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
}
