//! The lower part of the inspect panel: what a run has around it, and what was before.

use crate::model::{Record, plain_line};

use super::super::model::{InspectPanel, Model, bytes, span};
use super::super::theme::Theme;
use super::inspect::Lines;

/// The bars of a sparkline, from nothing to the most.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// How much was printed in each of the last seconds: a bar for each, the newest last.
pub(super) fn sparkline(rates: impl Iterator<Item = u64> + Clone) -> String {
    let most = rates.clone().max().unwrap_or(0).max(1);
    let bar = |rate: u64| {
        // What is not nothing is seen.
        let step = (u128::from(rate) * 7).div_ceil(u128::from(most));
        BARS[usize::try_from(step).unwrap_or(0).min(BARS.len() - 1)]
    };
    rates.map(bar).collect()
}

pub(super) fn about_output(panel: &InspectPanel, cols: usize, lines: &mut Lines) {
    let Some(newest) = panel.rates.back() else { return };
    let room = cols.saturating_sub(12).max(8);
    let skipped = panel.rates.len().saturating_sub(room);
    let line = sparkline(panel.rates.iter().skip(skipped).copied());
    lines.add("output", format!("{line} {}/s", bytes(*newest)));
}

pub(super) fn about_surroundings(panel: &InspectPanel, lines: &mut Lines) {
    let found = &panel.surroundings;
    for (index, port) in found.ports.iter().enumerate() {
        let title = if index == 0 { "listens" } else { "" };
        lines.item(title, format!("{} {} (process {})", port.protocol, port.address, port.pid));
    }
    for (index, limit) in found.limits.iter().enumerate() {
        let title = if index == 0 { "limits" } else { "" };
        let hard = if limit.hard == limit.soft { String::new() } else { format!(", at most {}", limit.hard) };
        lines.item(title, format!("{}: {}{hard}", limit.name.trim_start_matches("Max "), limit.soft));
    }
}

pub(super) fn about_environment(panel: &InspectPanel, lines: &mut Lines) {
    for (index, (name, value)) in panel.surroundings.environment.iter().enumerate() {
        let title = if index == 0 { "variables" } else { "" };
        lines.item(title, plain_line(&format!("{name}={value}"), 400));
    }
}

pub(super) fn about_generations(model: &Model, panel: &InspectPanel, theme: Theme, lines: &mut Lines) {
    let others = panel.generations.iter().filter(|record| Some(record.id) != panel.run);
    for (index, record) in others.enumerate() {
        let title = if index == 0 { "before" } else { "" };
        lines.item_styled(title, generation(model, record), theme.status(record.status));
    }
}

/// A run of the same name in a line: which one, when, how long, how it ended.
fn generation(model: &Model, record: &Record) -> String {
    let at =
        record.started_at.map(|at| at.to_zoned_datetime(model.time_zone.clone()).strftime("%m-%d %H:%M").to_string());
    let took =
        record.started_at.zip(record.completed_at).map(|(from, to)| span(to.duration_since(from).unsigned_abs()));
    let took = took.map(|took| format!(", {took}")).unwrap_or_default();
    format!("{} {}{took}, {}", record.generation, at.unwrap_or_else(|| "not started".into()), record.ending())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_shows_shares_of_the_most() {
        assert_eq!(sparkline([0, 1, 500, 1000].into_iter()), "▁▂▅█");
        assert_eq!(sparkline([0, 0].into_iter()), "▁▁");
        assert_eq!(sparkline(std::iter::empty()), "");
    }
}
