//! What was found everywhere.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use regex::Regex;

use crate::api::SearchHit;

use super::super::model::{Find, Model, Overlay, fit, width};
use super::super::theme::Theme;
use super::super::update::run_name;
use super::draw::{put, window};
use super::prompt::draw_input;

/// The columns of the name of a run.
const NAME_COLS: usize = 14;
/// From this width on a hit has its time.
const TIME_COLS: u16 = 70;

/// The place of the lines of a window that takes all but the bottom line, below its head of so many lines.
pub(super) fn lines_area(model: &Model, head: u16) -> Rect {
    let (cols, rows) = (model.size.0, model.size.1.saturating_sub(1));
    let inside = Rect::new(1, 1, cols.saturating_sub(2), rows.saturating_sub(2));
    Rect { y: inside.y + head.min(inside.height), height: inside.height.saturating_sub(head), ..inside }
}

/// The first line that is shown so that the selected one is in sight.
pub(super) fn top(selected: usize, height: u16) -> usize {
    let height = usize::from(height).max(1);
    let half = (height / 2).max(1);
    if selected < height { 0 } else { (selected - height).div_euclid(half) * half + half }
}

pub(super) fn draw(model: &Model, find: &Find, theme: Theme, buf: &mut Buffer) -> Option<Position> {
    let area = Rect::new(0, 0, model.size.0, model.size.1.saturating_sub(1));
    let inside = window(buf, area, &title(find, area.width), theme.head(true));
    let x = put(buf, inside.x, inside.y, inside.width, "/", theme.key());
    let kind = format!(" {} ", find.pattern().kind());
    let cols = u16::try_from(width(&kind)).unwrap_or(0).min(inside.width / 2);
    put(buf, inside.right() - cols, inside.y, cols, &kind, theme.label());
    let place = Rect { x, y: inside.y, width: inside.right().saturating_sub(x + cols), height: 1 };
    let cursor = draw_input(&find.input, "in the logs of all runs of this session", true, theme, place, buf);
    let (text, style) = match (&find.failure, find.asked, find.is_current()) {
        (Some(why), ..) => (why.clone(), theme.error()),
        (None, Some(_), _) if find.hits.is_empty() => ("searching…".to_owned(), theme.label()),
        (None, Some(_), _) => ("searching…; Enter goes there".to_owned(), theme.label()),
        // A server of an older version cannot go on from there.
        (None, None, true) if find.has_more && find.next.is_none() => {
            (format!("{}: a longer word finds fewer", find.summary()), theme.label())
        }
        (None, None, true) if find.hits.is_empty() => (find.summary(), theme.label()),
        (None, None, true) => (format!("{}; Enter goes there", find.summary()), theme.label()),
        (None, None, false) => ("Enter searches".to_owned(), theme.label()),
    };
    put(buf, inside.x, inside.y + 1, inside.width, &fit(&text, inside.width.into()), style);
    let lines = lines_area(model, 2);
    let regex = find.searched.as_ref().and_then(|pattern| pattern.compile().ok().flatten());
    let top = top(find.selected, lines.height);
    for (y, (index, hit)) in (lines.y..lines.bottom()).zip(find.hits.iter().enumerate().skip(top)) {
        let line = Rect { y, height: 1, ..lines };
        draw_hit(model, find, hit, index == find.selected, regex.as_ref(), theme, line, buf);
    }
    draw_more(find, top, theme, lines, buf);
    cursor
}

/// The title: how far a search is while it goes on.
fn title(find: &Find, cols: u16) -> String {
    const NAME: &str = "Search everywhere";
    let Some(progress) = find.progress() else { return NAME.to_owned() };
    let whole = format!("{NAME} · {progress}");
    if width(&whole) + 4 <= usize::from(cols) { whole } else { progress }
}

/// The words behind the last hit when there is more to find.
fn draw_more(find: &Find, top: usize, theme: Theme, lines: Rect, buf: &mut Buffer) {
    let Some(y) = find.hits.len().checked_sub(top).and_then(|below| u16::try_from(below).ok()) else { return };
    if find.next.is_none() || y >= lines.height {
        return;
    }
    let text = if find.asked.is_some() { "searching for more…" } else { "there is more: go on to here" };
    let style = if find.selected == find.hits.len() { theme.selected(true) } else { theme.dim() };
    put(buf, lines.x, lines.y + y, lines.width, &fit(text, lines.width.into()), style);
}

#[expect(clippy::too_many_arguments, reason = "what a line is made of")]
fn draw_hit(
    model: &Model,
    find: &Find,
    hit: &SearchHit,
    is_selected: bool,
    regex: Option<&Regex>,
    theme: Theme,
    line: Rect,
    buf: &mut Buffer,
) {
    let base = if is_selected { theme.selected(true) } else { Style::new() };
    put(buf, line.x, line.y, line.width, &" ".repeat(line.width.into()), base);
    let name_cols = NAME_COLS.min(usize::from(line.width) / 3);
    let mut x = put(
        buf,
        line.x,
        line.y,
        line.width,
        &fit(&run_name(model, find, hit.run), name_cols),
        theme.over(base, theme.key()),
    );
    let time = hit.at.filter(|_| line.width >= TIME_COLS);
    if let Some(at) = time {
        let time = at.to_zoned_datetime(model.time_zone.clone()).strftime("%m-%d %H:%M:%S").to_string();
        x = put(buf, x + 1, line.y, line.right().saturating_sub(x + 1), &time, theme.over(base, theme.dim()));
    }
    let number = format!(" {:>5} ", hit.line);
    x = put(buf, x, line.y, line.right().saturating_sub(x), &number, theme.over(base, theme.dim()));
    let room = usize::from(line.right().saturating_sub(x));
    let text: String = hit.text.chars().map(|c| if c == '\t' { ' ' } else { c }).collect();
    let found = regex.and_then(|regex| regex.find(&text));
    // The hit is in sight, with something before it.
    let start = found.map_or(0, |found| width(&text[..found.start()]));
    let skipped = if start + 12 > room { start.saturating_sub(room / 3) } else { 0 };
    let mut passed = 0;
    let kept: String = text
        .chars()
        .skip_while(|c| {
            let before = passed;
            passed += unicode_width::UnicodeWidthChar::width(*c).unwrap_or(0);
            before < skipped
        })
        .collect();
    let from = x;
    put(buf, from, line.y, line.right().saturating_sub(from), &kept, base);
    if let Some(found) = found {
        let offset = u16::try_from(start - skipped.min(start)).unwrap_or(u16::MAX);
        let cols = u16::try_from(width(found.as_str())).unwrap_or(u16::MAX);
        let x = from.saturating_add(offset).min(line.right());
        let marked = Rect { x, width: cols.min(line.right() - x), ..line };
        buf.set_style(marked.intersection(buf.area), theme.hit());
    }
}

/// The line of the hits, or of the history, at a place of the screen: its number in the list.
pub(crate) fn line_at(model: &Model, at: Position) -> Option<usize> {
    let (head, selected) = match model.overlay.as_ref()? {
        Overlay::Find(find) => (2, find.selected),
        Overlay::History(browser) => (1, browser.selected),
        _ => return None,
    };
    let area = lines_area(model, head);
    area.contains(at).then(|| top(selected, area.height) + usize::from(at.y - area.y))
}
