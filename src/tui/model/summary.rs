//! The few lines that stay on the user's screen.

use crate::model::{Status, plain_line};

use super::Model;

/// The most lines about single runs.
const MAX_LINES: usize = 8;

/// Says how the runs ended: one line for all, then those that did not end well or are not gone.
pub(crate) fn summary(model: &Model) -> Vec<String> {
    // What a restart has replaced is over and done with.
    let mut views: Vec<_> = model.list.rows.iter().filter_map(|row| model.list.view_of(row)).collect();
    if views.is_empty() {
        return Vec::new();
    }
    views.sort_by_key(|view| (view.record.started_at, view.id()));
    let counts = Status::ALL.into_iter().filter_map(|status| {
        let count = views.iter().filter(|view| view.record.status == status).count();
        (count > 0).then(|| format!("{count} {}", status.word()))
    });
    let runs = if views.len() == 1 { "1 run".to_owned() } else { format!("{} runs", views.len()) };
    let mut lines = vec![format!("shtask: {runs}: {}", counts.collect::<Vec<_>>().join(", "))];
    let mut notable: Vec<String> = views
        .iter()
        .filter(|view| matches!(view.record.status, Status::Failed | Status::TimedOut | Status::Orphaned))
        .map(|view| {
            let record = &view.record;
            let why = record.failure.as_ref().map(|failure| format!(": {}", failure.message)).unwrap_or_default();
            format!("  {} {}{why}", model.run_name(view.id()), record.ending())
        })
        .collect();
    let left = model.ending.as_ref().and_then(|ending| ending.report.as_ref()).map(|report| &report.left);
    for (run, alive) in left.into_iter().flatten() {
        notable.push(format!("  {} left behind: process {} ({})", model.run_name(*run), alive.pid, alive.why));
    }
    for view in views.iter().filter(|view| !view.record.status.is_final()) {
        let pid = view.record.process.as_ref().map(|process| format!(", process {}", process.pid)).unwrap_or_default();
        notable.push(format!("  {} was still {}{pid}", model.run_name(view.id()), view.record.status.word()));
    }
    let more = notable.len().saturating_sub(MAX_LINES);
    lines.extend(notable.into_iter().take(MAX_LINES).map(|line| plain_line(&line, 200)));
    if more > 0 {
        lines.push(format!("  and {more} more"));
    }
    lines
}

/// Says what goes on after the TUI was left.
pub(crate) fn detached(model: &Model) -> Vec<String> {
    let live = model.list.live();
    if model.parted.is_some() {
        return vec!["shtask: left without a connection to the server".to_owned()];
    }
    let (again, is_ours) = (&model.setup.again, model.setup.started_server);
    let stops = |what: &str| format!("shtask: the server {what}; `shtask server stop` stops");
    let lines = match live.as_slice() {
        [] if is_ours => [summary(model), vec![format!("{} it", stops("goes on"))]].concat(),
        [] => return summary(model),
        [_] if is_ours => vec![format!("{} both", stops("keeps 1 run")), format!("  {again} shows it again")],
        [only] => vec![format!("shtask: {} goes on; {again} shows it again", model.run_name(only.id()))],
        many if is_ours => {
            let keeps = format!("keeps {} runs", many.len());
            vec![format!("{} it and them", stops(&keeps)), format!("  {again} shows them again")]
        }
        many => vec![format!("shtask: {} runs go on; {again} shows them again", many.len())],
    };
    lines.into_iter().map(|line| plain_line(&line, 300)).collect()
}
