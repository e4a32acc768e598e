//! The inspect panel: the record and what is true only now.

use std::collections::{HashMap, HashSet};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::api::{Inspection, ProcessFacts, RunView, Termination};
use crate::model::{Cause, Failure, Mode, Record, Status, TimeoutKind, plain_line};

use super::super::model::{InspectPanel, Model, bytes, countdown, fit, span};
use super::super::theme::Theme;
use super::draw::{put, wrap};
use super::inspect_more as more;
use super::list::{mode_word, times, word};
use super::pane::command_line;

const TITLE_COLS: usize = 11;

/// A line: its title and its text, or a text over the whole width.
struct Line {
    title: &'static str,
    text: String,
    style: Style,
    /// Whether the text stands below the others of its title.
    indented: bool,
}

pub(super) fn draw(model: &Model, panel: &InspectPanel, theme: Theme, area: Rect, buf: &mut Buffer) {
    let cols = usize::from(area.width).saturating_sub(1);
    let lines = lines(model, panel, theme, cols);
    let mut shown: Vec<(String, String, Style)> = Vec::new();
    for line in lines {
        if line.title.is_empty() && !line.indented {
            shown.push((String::new(), line.text, line.style));
            continue;
        }
        let room = cols.saturating_sub(TITLE_COLS);
        for (index, part) in wrap(&line.text, room).into_iter().enumerate() {
            let title = if index == 0 { line.title } else { "" };
            shown.push((fit(title, TITLE_COLS), part, line.style));
        }
    }
    let end = shown.len().saturating_sub(area.height.into());
    for (y, (title, text, style)) in (area.y..area.bottom()).zip(shown.into_iter().skip(panel.scroll.min(end))) {
        let x = put(buf, area.x + 1, y, area.width.saturating_sub(1), &title, theme.label());
        put(buf, x, y, area.right().saturating_sub(x), &text, style);
    }
}

fn lines(model: &Model, panel: &InspectPanel, theme: Theme, cols: usize) -> Vec<Line> {
    let Some(row) = model.list.selected() else { return Vec::new() };
    let mut lines = Lines { lines: Vec::new() };
    let view = panel.latest.as_ref().map(|latest| &latest.view).or(model.list.view_of(row).map(AsRef::as_ref));
    let Some(view) = view else {
        lines.add("name", model.row_name(&row.key));
        lines.add("state", "not started");
        if let Some(spec) = &row.spec {
            lines.add("mode", mode_word(spec.mode));
            lines.add("command", command_line(&spec.command));
            lines.add("directory", plain_line(&spec.cwd.to_string_lossy(), 400));
            lines.more("timeout", spec.timeouts.wall.map(span));
        }
        lines.fail(row.failure.as_ref(), theme);
        return lines.lines;
    };
    about_record(model, panel, view, theme, &mut lines);
    lines.fail(row.failure.as_ref().or(view.record.failure.as_ref()), theme);
    if let Some(latest) = &panel.latest {
        about_now(latest, &panel.shares, theme, &mut lines);
    }
    more::about_output(panel, cols, &mut lines);
    more::about_surroundings(panel, &mut lines);
    more::about_generations(model, panel, theme, &mut lines);
    more::about_environment(panel, &mut lines);
    if let Some(failure) = &panel.failure {
        lines.styled("now", failure.message.clone(), theme.error());
    }
    lines.lines
}

fn about_record(model: &Model, panel: &InspectPanel, view: &RunView, theme: Theme, lines: &mut Lines) {
    let record = &view.record;
    lines.more("name", record.name.as_ref().map(|name| format!("{name}:{}", record.generation)));
    lines.add("run", record.id.to_string());
    lines.styled("state", word(view), theme.status(record.status));
    lines.more("ended by", ended_by(record));
    lines.more("why", Some(panel.why.clone()).filter(|why| !why.is_empty()));
    lines.more("said", view.notification.as_ref().map(|said| plain_line(&said.words(), 400)));
    for (title, text) in times(model, view) {
        lines.add(title, text);
    }
    if let Some(deadline) = view.deadline.filter(|_| !record.status.is_final()) {
        let text = format!("{} left ({})", countdown(deadline.at.since(model.now)), kind_word(deadline.kind));
        lines.styled("deadline", text, theme.countdown());
    }
    lines.more("timeout", record.timeout.map(span));
    lines.more("ending", termination(model, view));
    if let Some(ended) = &record.ended {
        lines.add("tree", format!("{} signalled, {} killed, {} left", ended.signalled, ended.killed, ended.left.len()));
        for left in &ended.left {
            lines.styled("left", plain_line(&format!("process {}: {}", left.pid, left.why), 400), theme.error());
        }
    }
    let size = record.size.filter(|_| record.mode == Mode::Pty).map(|size| format!(", {size}")).unwrap_or_default();
    lines.add("mode", format!("{}{size}", mode_word(record.mode)));
    lines.add("command", plain_line(&record.command, 400));
    lines.add("directory", plain_line(&record.cwd.to_string_lossy(), 400));
    lines.more("shell", record.shell.as_ref().map(|shell| plain_line(&shell.to_string_lossy(), 400)));
    lines.more("pid", record.process.as_ref().map(|process| process.pid.to_string()));
    lines.add("revision", record.revision.to_string());
    if let Some(degraded) = &record.degraded {
        let since = degraded.since.strftime("%H:%M:%S UTC");
        let until =
            degraded.until.map_or_else(String::new, |until| format!(" until {}", until.strftime("%H:%M:%S UTC")));
        lines.styled("not stored", plain_line(&format!("since {since}{until}: {}", degraded.why), 400), theme.error());
    }
    if let Some(log) = record.log.filter(|log| log.dropped_bytes + log.lost_bytes > 0) {
        lines.add("log", format!("{} bytes, {} dropped, {} lost", log.bytes, log.dropped_bytes, log.lost_bytes));
    }
}

fn about_now(latest: &Inspection, shares: &HashMap<i32, u64>, theme: Theme, lines: &mut Lines) {
    lines.more("holder", latest.holder_pid.map(|pid| format!("process {pid}")));
    let counts = latest.bytes;
    let error = if counts.error > 0 { format!(", {} of errors", bytes(counts.error)) } else { String::new() };
    lines.add("bytes", format!("{} in, {} out{error}", bytes(counts.input), bytes(counts.output)));
    lines.more("cuts", (latest.cuts > 0).then(|| latest.cuts.to_string()));
    if latest.processes.is_empty() {
        return;
    }
    let total = latest.processes.iter().map(|process| process.resident_bytes).sum();
    let count = latest.processes.len();
    let noun = if count == 1 { "process" } else { "processes" };
    lines.add("tree", format!("{count} {noun}, {}", bytes(total)));
    for (process, branch) in drawn(&latest.processes) {
        let text = process_line(process, &branch, shares);
        lines.lines.push(Line { title: "", text, style: Style::new(), indented: false });
    }
    if latest.view.record.status.is_final() {
        lines.styled("", "  these are left of it".into(), theme.error());
    }
}

fn process_line(process: &ProcessFacts, branch: &str, shares: &HashMap<i32, u64>) -> String {
    let share = shares.get(&process.pid).map_or_else(|| "   -".to_owned(), |share| format!("{share:>3}%"));
    let name = plain_line(&process.name, 32);
    format!(
        "{:>7} {} {share} {:>6} {:>8}  {branch}{name}",
        process.pid,
        process.state,
        span(process.cpu),
        bytes(process.resident_bytes)
    )
}

/// The processes as a tree, each with the branch that leads to it.
fn drawn(processes: &[ProcessFacts]) -> Vec<(&ProcessFacts, String)> {
    let is_known: HashSet<i32> = processes.iter().map(|process| process.pid).collect();
    let mut drawn = Vec::with_capacity(processes.len());
    let mut waiting: Vec<(&ProcessFacts, String, String)> = Vec::new();
    let children = |of: Option<i32>| -> Vec<&ProcessFacts> {
        let is_child = |process: &&ProcessFacts| match of {
            Some(pid) => process.parent == pid && process.pid != pid,
            None => !is_known.contains(&process.parent),
        };
        processes.iter().filter(is_child).collect()
    };
    waiting.extend(children(None).into_iter().rev().map(|root| (root, String::new(), String::new())));
    while let Some((process, branch, below)) = waiting.pop() {
        let mut last = true;
        for child in children(Some(process.pid)).into_iter().rev() {
            let (turn, on) = if last { ("└─", "  ") } else { ("├─", "│ ") };
            // Deeper ones would leave no room for names.
            let below = if below.chars().count() < 16 { below.as_str() } else { "" };
            waiting.push((child, format!("{below}{turn}"), format!("{below}{on}")));
            last = false;
        }
        drawn.push((process, branch));
        if drawn.len() >= processes.len() {
            break;
        }
    }
    drawn
}

fn kind_word(kind: TimeoutKind) -> &'static str {
    match kind {
        TimeoutKind::Wall => "timeout",
        TimeoutKind::Idle => "idle timeout",
        TimeoutKind::Ready => "ready timeout",
    }
}

/// Who or what ended it, and what the system said of that.
pub(super) fn ended_by(record: &Record) -> Option<String> {
    let by = match (record.cause, record.timed_out_by) {
        (None, _) => "itself".to_owned(),
        (Some(Cause::Timeout), Some(kind)) => format!("its {}", kind_word(kind)),
        (Some(Cause::Timeout), None) => "a timeout".into(),
        (Some(Cause::Cancel), _) => "a stop".into(),
        (Some(Cause::Shutdown), _) => "the end of shtask".into(),
    };
    let code = record.exit_code.map(|code| format!("exit code {code}"));
    let signal = record.signal.map(|signal| format!("signal {signal}"));
    let facts: Vec<String> = code.into_iter().chain(signal).collect();
    match (record.cause, facts.is_empty()) {
        (None, true) => None,
        (Some(_), true) => Some(by),
        (_, false) => Some(format!("{by} ({})", facts.join(", "))),
    }
}

fn termination(model: &Model, view: &RunView) -> Option<String> {
    if view.record.status.is_final() || view.record.status == Status::Queued {
        return None;
    }
    match view.termination {
        Termination::None => None,
        Termination::Preparing => Some("the first signal is about to be sent".into()),
        Termination::Grace { until } => Some(format!("asked to end; killed in {}", countdown(until.since(model.now)))),
        Termination::Draining => Some("the root has exited; the rest is being ended".into()),
    }
}

pub(super) struct Lines {
    lines: Vec<Line>,
}

impl Lines {
    pub(super) fn add(&mut self, title: &'static str, text: impl Into<String>) {
        self.styled(title, text.into(), Style::new());
    }

    fn more(&mut self, title: &'static str, text: Option<String>) {
        if let Some(text) = text {
            self.add(title, text);
        }
    }

    fn styled(&mut self, title: &'static str, text: String, style: Style) {
        self.lines.push(Line { title, text, style, indented: false });
    }

    /// One of several texts of a title; those below the first have none.
    pub(super) fn item(&mut self, title: &'static str, text: String) {
        self.item_styled(title, text, Style::new());
    }

    pub(super) fn item_styled(&mut self, title: &'static str, text: String, style: Style) {
        self.lines.push(Line { title, text, style, indented: true });
    }

    fn fail(&mut self, failure: Option<&Failure>, theme: Theme) {
        if let Some(failure) = failure {
            self.styled("failure", failure.message.clone(), theme.error());
            self.more("hint", failure.hint.clone());
        }
    }
}
