//! Groups: the heads of their members in the list, and what they do, at a glance.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::model::Status;

use super::super::model::{Focus, Model, Row, Sort, fit, width};
use super::super::theme::{Theme, glyph};
use super::draw::{put, put_line};
use super::list;

/// What decides which rows there are and in which order, for the head of the list.
pub(super) fn arranged(model: &Model) -> String {
    let list = &model.list;
    let mut text = String::new();
    if !list.filter().is_empty() {
        let shown = list.shown_rows();
        text.push_str(&format!("  {shown} of {}: {}", list.rows.len(), crate::model::plain_line(list.filter(), 64)));
    }
    if list.sort() != Sort::Config {
        text.push_str(&format!("  ↓ {}", list.sort().words()));
    }
    text
}

/// How many members are in which state, those that matter most first.
fn counts(model: &Model, members: &[&Row], theme: Theme) -> Vec<(&'static str, usize, Style)> {
    const ORDER: [Status; 8] = [
        Status::Failed,
        Status::TimedOut,
        Status::Orphaned,
        Status::Running,
        Status::Starting,
        Status::Queued,
        Status::Cancelled,
        Status::Completed,
    ];
    let of = |row: &&Row| model.list.view_of(row).map(|view| view.record.status);
    let count = |status: Status| members.iter().filter(|row| of(row) == Some(status)).count();
    let mut counts: Vec<_> =
        ORDER.into_iter().map(|status| (glyph(status), count(status), theme.status(status))).collect();
    counts.push(("○", members.iter().filter(|row| of(row).is_none()).count(), theme.dim()));
    counts.retain(|(_, count, _)| *count > 0);
    counts
}

pub(super) fn draw_head(model: &Model, group: &str, is_selected: bool, theme: Theme, area: Rect, buf: &mut Buffer) {
    let members = model.list.members(group);
    let base = if is_selected { theme.selected(model.focus == Focus::List) } else { Style::new() };
    put_line(buf, area, area.y, "", base);
    let counts = counts(model, &members, theme);
    let needed: usize = counts.iter().map(|(sign, count, _)| width(sign) + count.to_string().len() + 1).sum();
    let name_cols = usize::from(area.width).saturating_sub(3 + needed);
    let sign = if model.list.is_folded(group) { "▸" } else { "▾" };
    let marked = members.iter().filter_map(|row| model.list.known(row.run?));
    let mark = match marked.map(|known| (known.bell, known.unseen)).max() {
        Some((true, _)) => "!",
        Some((false, true)) if model.list.is_folded(group) => "*",
        Some(_) | None => " ",
    };
    let mut x = put(buf, area.x, area.y, 1, if is_selected { "▌" } else { " " }, base);
    x = put(buf, x, area.y, area.right() - x, sign, base.patch(theme.label()));
    x = put(buf, x, area.y, area.right().saturating_sub(x), mark, base.patch(theme.mark()));
    let name = fit(&format!("{}/", crate::model::plain_line(group, 128)), name_cols);
    x = put(buf, x, area.y, area.right().saturating_sub(x), &name, base);
    for (sign, count, style) in counts {
        x = put(buf, x, area.y, area.right().saturating_sub(x), &format!(" {sign}{count}"), base.patch(style));
    }
}

/// The head of the pane while a group is selected.
pub(super) fn title(model: &Model, group: &str) -> String {
    let members = model.list.members(group).len();
    format!(" {group}/ · {members} runs")
}

/// The members of the selected group in place of a terminal.
pub(super) fn draw_members(model: &Model, group: &str, theme: Theme, area: Rect, buf: &mut Buffer) {
    for (y, row) in (area.y..area.bottom()).zip(model.list.members(group)) {
        let view = model.list.view_of(row).map(AsRef::as_ref);
        let (sign, word, style) = list::state(row, view, theme);
        let cols = usize::from(area.width);
        let name_cols = (cols / 3).clamp(8, 32);
        let x = put(buf, area.x + 1, y, area.width.saturating_sub(1), &format!("{sign} "), style);
        let x =
            put(buf, x, y, area.right().saturating_sub(x), &fit(&model.row_name(&row.key), name_cols), Style::new());
        let x = put(buf, x, y, area.right().saturating_sub(x), &format!(" {}", fit(&word, 10)), style);
        let command = match (view, &row.spec) {
            (Some(view), _) => crate::model::plain_line(&view.record.command, 200),
            (None, Some(spec)) => super::pane::command_line(&spec.command),
            (None, None) => String::new(),
        };
        let room = area.right().saturating_sub(x);
        put(buf, x, y, room, &fit(&format!(" {command}"), room.into()), theme.dim());
    }
}

/// The line in which the filter is typed. Returns where the text cursor is.
pub(super) fn draw_filter(
    model: &Model,
    theme: Theme,
    area: Rect,
    buf: &mut Buffer,
) -> Option<ratatui::layout::Position> {
    let input = &model.filter.input;
    put_line(buf, area, area.y, "", Style::new());
    let x = put(buf, area.x, area.y, area.width, " filter: ", theme.key());
    let room = usize::from(area.right().saturating_sub(x + 1)).max(1);
    let scroll = input.visual_scroll(room);
    let shown: String = input.value().chars().skip(scroll).collect();
    let end = put(buf, x, area.y, area.right().saturating_sub(x), &shown, Style::new());
    let hint = format!("   {}  Enter keep  Esc clear", arranged(model).trim());
    put(buf, end, area.y, area.right().saturating_sub(end), &hint, theme.dim());
    let cursor = x + u16::try_from(input.visual_cursor().saturating_sub(scroll)).unwrap_or(0);
    (cursor < area.right()).then(|| ratatui::layout::Position::new(cursor, area.y))
}
