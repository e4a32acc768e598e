//! The history browser.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::model::{Record, plain_line};

use super::super::model::{Browser, Model, fit, span, when};
use super::super::theme::{Theme, glyph};
use super::super::update::record_name;
use super::draw::{put, window, wrap};
use super::find::{lines_area, top};
use super::inspect::ended_by;
use super::prompt::draw_input;

/// From this width on a run has its command.
const COMMAND_COLS: u16 = 76;
/// The columns of the name.
const NAME_COLS: usize = 16;

pub(super) fn draw(model: &Model, browser: &Browser, theme: Theme, buf: &mut Buffer) -> Option<Position> {
    let area = Rect::new(0, 0, model.size.0, model.size.1.saturating_sub(1));
    let inside = window(buf, area, "History", theme.head(true));
    let visible = browser.visible(&model.time_zone);
    let more = if browser.next.is_some() { "+" } else { "" };
    let count = match (&browser.failure, browser.is_asked) {
        (Some(why), _) => why.clone(),
        (None, true) if browser.records.is_empty() => "reading…".to_owned(),
        (None, _) => format!(" {} of {}{more}", visible.len(), browser.records.len()),
    };
    let cols = u16::try_from(count.chars().count()).unwrap_or(0).min(inside.width / 2);
    put(buf, inside.right() - cols, inside.y, cols, &count, theme.label());
    let place = Rect { width: inside.width.saturating_sub(cols + 1), height: 1, ..inside };
    let cursor =
        draw_input(&browser.filter, "/ filters by name, command, status, date", browser.is_typing, theme, place, buf);
    let lines = lines_area(model, 1);
    let first = top(browser.selected, lines.height);
    for (y, (index, record)) in (lines.y..lines.bottom()).zip(visible.iter().enumerate().skip(first)) {
        draw_record(model, record, index == browser.selected, theme, Rect { y, height: 1, ..lines }, buf);
    }
    if visible.is_empty() && !browser.is_asked {
        let text = if browser.records.is_empty() { "no run has ended yet" } else { "no run matches" };
        put(buf, lines.x, lines.y, lines.width, text, theme.dim());
    }
    if let Some(record) = visible.get(browser.selected).filter(|_| browser.is_open) {
        draw_facts(model, record, theme, lines, buf);
    }
    cursor
}

fn draw_record(model: &Model, record: &Record, is_selected: bool, theme: Theme, line: Rect, buf: &mut Buffer) {
    let base = if is_selected { theme.selected(true) } else { Style::new() };
    put(buf, line.x, line.y, line.width, &" ".repeat(line.width.into()), base);
    let date = when(record, &model.time_zone);
    // In narrow terminals the year goes without saying.
    let date = if line.width < 60 { &date[5.min(date.len())..] } else { &date };
    let name_cols = NAME_COLS.min(usize::from(line.width) / 3);
    let has_command = line.width >= COMMAND_COLS;
    let parts = [
        (format!("{date} "), theme.dim()),
        (format!("{} ", glyph(record.status)), theme.status(record.status)),
        (format!("{} ", fit(&record_name(record), name_cols)), Style::new()),
        (format!("{} ", fit(&record.ending(), 10)), theme.status(record.status)),
        (format!("{:>6} ", duration(record)), theme.dim()),
        (if has_command { plain_line(&record.command, 200) } else { String::new() }, theme.label()),
    ];
    let mut x = line.x;
    for (text, style) in parts {
        x = put(buf, x, line.y, line.right().saturating_sub(x), &text, theme.over(base, style));
    }
}

fn duration(record: &Record) -> String {
    let times = record.started_at.zip(record.completed_at);
    times.map_or_else(String::new, |(from, to)| span(to.duration_since(from).unsigned_abs()))
}

/// The record in a box.
fn draw_facts(model: &Model, record: &Record, theme: Theme, area: Rect, buf: &mut Buffer) {
    let time = |at: jiff::Timestamp| {
        at.to_zoned_datetime(model.time_zone.clone()).strftime("%Y-%m-%d %H:%M:%S %Z").to_string()
    };
    let mut facts = vec![
        ("run", record.reference.clone()),
        ("command", plain_line(&record.command, 400)),
        ("folder", plain_line(&record.cwd.to_string_lossy(), 200)),
        ("status", record.ending()),
    ];
    facts.extend(record.started_at.map(|at| ("started", time(at))));
    facts.extend(record.completed_at.map(|at| ("ended", format!("{} after {}", time(at), duration(record)))));
    facts.extend(ended_by(record).map(|by| ("ended by", by)));
    facts.extend(record.failure.as_ref().map(|failure| ("failure", failure.message.clone())));
    let cols = usize::from(area.width).saturating_sub(14);
    let lines: Vec<(&str, String)> = facts
        .iter()
        .flat_map(|(title, text)| {
            wrap(text, cols).into_iter().enumerate().map(|(at, line)| (if at == 0 { *title } else { "" }, line))
        })
        .collect();
    let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).min(area.height);
    let place = Rect { y: area.bottom() - height, height, ..area };
    let inside = window(buf, place, "Record", theme.head(true));
    for (y, (title, text)) in (inside.y..inside.bottom()).zip(&lines) {
        put(buf, inside.x, y, 10, title, theme.label());
        put(buf, inside.x + 10, y, inside.width.saturating_sub(10), text, Style::new());
    }
}
