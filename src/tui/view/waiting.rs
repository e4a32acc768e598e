//! Waiting for the runs to end before leaving: who, which process, how long still.

use ratatui::buffer::Buffer;

use crate::api::{RunView, Termination};
use crate::model::Status;

use super::super::model::{Model, countdown, fit};
use super::super::theme::Theme;
use super::draw::put;

pub(super) fn draw(model: &Model, theme: Theme, buf: &mut Buffer) {
    let live = model.list.live();
    let hurried = model.ending.as_ref().is_some_and(|ending| ending.hurried.is_some());
    let head = match (live.len(), hurried) {
        (0, _) => "All runs have ended.".to_owned(),
        (1, false) => "Waiting for 1 run to end.".to_owned(),
        (count, false) => format!("Waiting for {count} runs to end."),
        (1, true) => "Killing 1 run.".to_owned(),
        (count, true) => format!("Killing {count} runs."),
    };
    let (cols, rows) = model.size;
    put(buf, 1, 0, cols.saturating_sub(1), &head, theme.head(true));
    let room = usize::from(rows.saturating_sub(3));
    let name_cols = usize::from(cols / 3).clamp(6, 24);
    for (y, view) in (2..).zip(live.iter().take(room)) {
        let name = crate::model::plain_line(&model.run_name(view.id()), 128);
        let pid = view.record.process.as_ref().map(|process| process.pid.to_string()).unwrap_or_default();
        let x = put(buf, 1, y, cols, &fit(&name, name_cols), ratatui::style::Style::new());
        let x = put(buf, x, y, cols.saturating_sub(x), &format!(" {pid:>7}  "), theme.label());
        put(buf, x, y, cols.saturating_sub(x), &words(model, view), theme.countdown());
    }
    if live.len() > room && rows > 3 {
        let more = format!("and {} more", live.len() - room);
        put(buf, 1, rows - 2, cols, &more, theme.label());
    }
}

/// What a run is doing, in few words where there is little room.
fn words(model: &Model, view: &RunView) -> String {
    let narrow = model.size.0 < 60;
    let choose = |short: &str, long: &str| (if narrow { short } else { long }).to_owned();
    match (view.record.status, view.termination) {
        (Status::Queued, _) => "queued".into(),
        (Status::Starting, _) => choose("starting", "is being started"),
        (_, Termination::Grace { until }) => {
            let left = until.since(model.now);
            let counted = countdown(left);
            match (left.is_zero(), narrow) {
                (true, _) => choose("killing", "is being killed"),
                (false, true) => format!("{counted} left"),
                (false, false) => format!("asked to end, {counted} left"),
            }
        }
        (_, Termination::Draining) => choose("last output", "its last output is read"),
        (_, Termination::None | Termination::Preparing) => choose("ending", "is asked to end"),
    }
}
