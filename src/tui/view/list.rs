//! The list of runs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::api::{RunView, Termination};
use crate::model::{Mode, Need, Progress, Status};

use super::super::keys::Intent;
use super::super::model::{
    CPU_COLS, Focus, Known, Line, MEMORY_COLS, Model, Row, countdown, counts_to, cut, fit, short_bytes, span,
};
use super::super::theme::{Theme, glyph};
use super::draw::{put, put_line};
use super::groups;

/// From this width on it is told how often a task was started.
const GENERATION_COLS: u16 = 64;
/// From this width on the mode has a column.
const MODE_COLS: u16 = 38;
/// From this width on countdown and time are both shown.
const BOTH_COLS: u16 = 46;
/// From this width on the time has a column: with less room the name is what matters.
const TIME_COLS: u16 = 30;
/// From this width on the state has a word; its sign is always there.
const WORD_COLS: u16 = 24;

pub(super) fn draw_header(model: &Model, theme: Theme, area: Rect, buf: &mut Buffer) {
    let live = model.list.live().len();
    let runs = if live == 0 { String::new() } else { format!("  {live} live") };
    let marked = match model.marked.len() {
        0 => String::new(),
        marked => format!("  {marked} marked"),
    };
    let runs = runs + &marked;
    let title = crate::model::plain_line(&model.setup.title, 64);
    let text = if title.is_empty() || !marked.is_empty() {
        format!(" shtask{runs}")
    } else {
        format!(" shtask · {title}{runs}")
    };
    // What decides what is shown comes before how it is called.
    // That somebody is waited for comes before the name, too.
    let text = if model.list.asking() > 0 { format!(" shtask{runs}{}", asking(model)) } else { text };
    let text = if model.list.is_arranged() {
        format!(" shtask{}{marked}{}", asking(model), groups::arranged(model))
    } else {
        text
    };
    put_line(buf, area, area.y, &text, theme.head(model.focus == Focus::List && model.overlay.is_none()));
}

/// How many runs wait for somebody who types, and the key that leads there.
pub(super) fn asking(model: &Model) -> String {
    let key = match model.focus {
        Focus::List => format!(" ({})", model.key(Intent::Attention)),
        Focus::Attached | Focus::Scroll => String::new(),
    };
    match model.list.asking() {
        0 => String::new(),
        1 => format!("  1 needs you{key}"),
        count => format!("  {count} need you{key}"),
    }
}

pub(super) fn draw(model: &Model, theme: Theme, area: Rect, buf: &mut Buffer) {
    if model.list.lines().is_empty() && !model.list.rows.is_empty() {
        put(buf, area.x, area.y, area.width, " no run matches the filter", theme.dim());
        return;
    }
    if model.list.rows.is_empty() {
        let text = format!(" no runs yet: {} starts one", model.key(Intent::NewRun));
        put(buf, area.x, area.y, area.width, &text, theme.dim());
        return;
    }
    let top = model.list_top(area.height);
    let selected = model.list.selected_index();
    for (y, (index, line)) in (area.y..area.bottom()).zip(model.list.lines().iter().enumerate().skip(top)) {
        let place = Rect { y, height: 1, ..area };
        let is_selected = selected == Some(index);
        match line {
            Line::Group(name) => groups::draw_head(model, name, is_selected, theme, place, buf),
            Line::Row(_, in_group) => {
                if let Some(row) = model.list.row_in(line) {
                    draw_row(model, row, (is_selected, *in_group), theme, place, buf);
                }
            }
        }
    }
}

fn draw_row(
    model: &Model,
    row: &Row,
    (is_selected, in_group): (bool, bool),
    theme: Theme,
    area: Rect,
    buf: &mut Buffer,
) {
    let known = row.run.and_then(|run| model.list.known(run));
    let words = Words::of(model, row, known, area.width, theme);
    let tag = row.run.map(|run| model.list.tag(run)).unwrap_or_default();
    let name = crate::model::plain_line(model.row_name(&row.key).strip_suffix(&tag).unwrap_or_default(), 128);
    // The head of the group has the rest of the name.
    let name = match name.split_once('/') {
        Some((_, rest)) if in_group => format!("  {rest}"),
        Some(_) | None => name,
    };
    let fixed = 4 + words.columns.iter().map(|(_, cols, _)| 1 + cols).sum::<usize>();
    let name_cols = usize::from(area.width).saturating_sub(fixed);
    let base = if is_selected { theme.selected(model.focus == Focus::List) } else { Style::new() };
    put_line(buf, area, area.y, "", base);
    let right = area.right();
    // Where the place of the mark is taken by something that matters more, it is at the edge.
    let edge = match (is_selected, model.marked.contains(&row.key) && words.mark != Some("+")) {
        (true, _) => "▌",
        (false, true) => "+",
        (false, false) => " ",
    };
    let mut x = put(buf, area.x, area.y, 1, edge, base);
    x = put(buf, x, area.y, right - x, words.glyph, theme.over(base, words.style));
    let mark = words.mark.map_or(base, |_| theme.over(base, theme.mark()));
    x = put(buf, x, area.y, right.saturating_sub(x), words.mark.unwrap_or(" "), mark);
    x = put(buf, x, area.y, right.saturating_sub(x), &fit(&cut(&name, &tag, name_cols), name_cols), base);
    for (text, cols, style) in &words.columns {
        let text = format!(" {}", fit(text, *cols));
        x = put(buf, x, area.y, right.saturating_sub(x), &text, theme.over(base, *style));
    }
}

/// What the columns of a row say.
struct Words {
    glyph: &'static str,
    mark: Option<&'static str>,
    style: Style,
    /// Text, columns, look; from the left.
    columns: Vec<(String, usize, Style)>,
}

impl Words {
    fn of(model: &Model, row: &Row, known: Option<&Known>, cols: u16, theme: Theme) -> Words {
        let view = known.map(|known| known.view.as_ref());
        let (glyph, word, style) = state(row, view, theme);
        let mark = match known {
            Some(known) if known.asks().is_some() => Some("?"),
            _ if model.marked.contains(&row.key) => Some("+"),
            Some(known) if known.bell => Some("!"),
            Some(known) if known.unseen => Some("*"),
            Some(_) | None => None,
        };
        let mut columns = Vec::new();
        if cols >= MODE_COLS {
            let mode = view.map(|view| view.record.mode).or(row.spec.as_ref().map(|spec| spec.mode));
            columns.push((mode.map(mode_word).unwrap_or_default().to_owned(), 5, theme.dim()));
        }
        if cols >= WORD_COLS {
            let progress = view.filter(|view| !view.record.status.is_final()).and_then(|view| view.activity.progress);
            columns.push(match progress {
                Some(progress) => progress_words(progress, theme),
                None => match known.and_then(Known::asks) {
                    Some(Need::Password) => ("password?".into(), 10, theme.mark()),
                    Some(_) => ("input?".into(), 10, theme.mark()),
                    None => (word, 10, style),
                },
            });
        }
        let usage = known.and_then(|known| known.usage);
        if model.sampling.wanted && cols >= CPU_COLS {
            let share = usage.and_then(|usage| usage.share).map(|share| format!("{share:>3}%"));
            columns.push((share.unwrap_or_default(), 4, theme.dim()));
        }
        if model.sampling.wanted && cols >= MEMORY_COLS {
            let memory = usage.map(|usage| format!("{:>5}", short_bytes(usage.resident_bytes)));
            columns.push((memory.unwrap_or_default(), 5, theme.dim()));
        }
        if cols >= GENERATION_COLS {
            let generation = view.map_or(1, |view| view.record.generation);
            columns.push((if generation > 1 { format!("×{generation}") } else { String::new() }, 4, theme.dim()));
        }
        let left = view.and_then(counts_to).map(|at| countdown(at.since(model.now)));
        let time = view.and_then(|view| time(model, view)).unwrap_or_default();
        if cols >= BOTH_COLS {
            columns.push((left.unwrap_or_default(), 5, theme.countdown()));
            columns.push((time, 5, theme.dim()));
        } else if cols >= TIME_COLS {
            let (text, style) = left.map_or((time, theme.dim()), |left| (left, theme.countdown()));
            columns.push((text, 5, style));
        }
        Words { glyph, mark, style, columns }
    }
}

/// A bar of six columns and the share, in place of the state.
fn progress_words(progress: Progress, theme: Theme) -> (String, usize, Style) {
    const BAR: u16 = 6;
    let (share, style) = match progress {
        Progress::Normal(share) => (share, theme.countdown()),
        Progress::Error(share) => (share, theme.error()),
        Progress::Paused(share) => (share, theme.dim()),
        Progress::Busy => return ("busy …".into(), 10, theme.countdown()),
    };
    let eighths = u16::from(share.min(100)) * BAR * 8 / 100;
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let bar = format!("{}{}", "█".repeat((eighths / 8).into()), PARTS[usize::from(eighths % 8)]);
    (format!("{}{share:>3}%", fit(&bar, BAR.into())), 10, style)
}

/// The sign, the word and the look of a row's state.
pub(super) fn state(row: &Row, view: Option<&RunView>, theme: Theme) -> (&'static str, String, Style) {
    let is_final = view.is_none_or(|view| view.record.status.is_final());
    match view {
        _ if row.pending && is_final => (glyph(Status::Starting), "starting".into(), theme.status(Status::Starting)),
        _ if row.failure.is_some() && is_final => ("✗", "no start".into(), theme.error()),
        None => ("○", "not run".into(), theme.dim()),
        Some(view) => {
            let status = view.record.status;
            (glyph(status), word(view), theme.status(status))
        }
    }
}

/// How a run stands or has ended.
pub(super) fn word(view: &RunView) -> String {
    match (view.record.status, view.termination) {
        (Status::Running, Termination::Preparing | Termination::Grace { .. }) => "stopping".into(),
        (Status::Running, Termination::Draining) => "ending".into(),
        _ => view.record.ending(),
    }
}

pub(super) fn mode_word(mode: Mode) -> &'static str {
    match mode {
        Mode::Pty => "pty",
        Mode::Pipes => "pipes",
    }
}

/// The time of a row: when a live run was started, how long a final one took. Neither moves by itself.
fn time(model: &Model, view: &RunView) -> Option<String> {
    let record = &view.record;
    if !record.status.is_final() {
        let local = record.started_at?.to_zoned_datetime(model.time_zone.clone());
        return Some(local.strftime("%H:%M").to_string());
    }
    match (view.started, view.ended) {
        (Some(started), Some(ended)) => Some(span(ended.since(started))),
        _ => {
            let took = record.completed_at?.duration_since(record.started_at?);
            Some(span(took.unsigned_abs()))
        }
    }
}

/// How long a run took or when it was started, for the inspect panel.
pub(super) fn times(model: &Model, view: &RunView) -> Vec<(&'static str, String)> {
    let show =
        |at: jiff::Timestamp| at.to_zoned_datetime(model.time_zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string();
    let record = &view.record;
    let mut times = Vec::new();
    times.extend(record.started_at.map(|at| ("started", show(at))));
    times.extend(record.completed_at.map(|at| ("ended", show(at))));
    if record.status.is_final() {
        times.extend(time(model, view).map(|took| ("took", took)));
    }
    times
}

/// How a row is called in the head of a pane, a named run with its generation, and how it stands: in at most so many columns, of which the
/// name yields first.
pub(super) fn title(model: &Model, row: &Row, theme: Theme, cols: usize) -> String {
    let view = model.list.view_of(row).map(AsRef::as_ref);
    let (glyph, word, _) = state(row, view, theme);
    let name = model.row_name(&row.key);
    let tag = match view.filter(|view| view.record.name.is_some() && view.record.generation > 1) {
        Some(view) => format!(":{}", view.record.generation),
        None => row.run.map(|run| model.list.tag(run)).unwrap_or_default(),
    };
    let name = crate::model::plain_line(name.strip_suffix(&tag).unwrap_or(&name), 128);
    format!(" {}", cut(&name, &format!("{tag} {glyph} {word}"), cols.saturating_sub(1)))
}
