//! The palette.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::super::model::{Model, Overlay, Palette, PaletteEntry, Target, cut, overlay_area, width};
use super::super::theme::Theme;
use super::draw::{put, put_line, window};
use super::prompt::draw_input;

const COLS: u16 = 78;
const ROWS: u16 = 24;

/// Where the palette stands: the line that is typed into, the entries, and the first that is shown.
struct Place {
    area: Rect,
    input: Rect,
    entries: Rect,
    first: usize,
}

fn place(model: &Model, selected: usize) -> Place {
    let size = (model.size.0, model.size.1.saturating_sub(1));
    // It does not change its size while it is typed into.
    let area = overlay_area(size, COLS, ROWS.min(size.1));
    let inside = Rect {
        x: area.x + 1,
        y: area.y + 1,
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(2),
    };
    let entries = Rect { y: inside.y + 1, height: inside.height.saturating_sub(1), ..inside };
    let first = (selected + 1).saturating_sub(usize::from(entries.height).max(1));
    Place { area, input: Rect { height: 1, ..inside }, entries, first }
}

/// Draws the palette. Returns where the text cursor is.
pub(super) fn draw(model: &Model, palette: &Palette, theme: Theme, buf: &mut Buffer) -> Option<Position> {
    let entries = palette.entries(model);
    let selected = palette.selected.min(entries.len().saturating_sub(1));
    let place = place(model, selected);
    window(buf, place.area, "Palette", theme.head(true));
    let mark = put(buf, place.input.x, place.input.y, place.input.width, "> ", theme.key());
    let input = Rect { x: mark, width: place.input.right().saturating_sub(mark + 1), ..place.input };
    let cursor = draw_input(&palette.words, "an action, a run, a task", true, theme, input, buf);
    let shown = entries.iter().enumerate().skip(place.first);
    for (y, (index, entry)) in (place.entries.y..place.entries.bottom()).zip(shown) {
        let line = Rect { y, height: 1, ..place.entries };
        draw_entry(entry, index == selected, theme, line, buf);
    }
    if entries.is_empty() {
        put(buf, place.entries.x + 1, place.entries.y, place.entries.width, "nothing is called so", theme.dim());
    }
    cursor
}

fn draw_entry(entry: &PaletteEntry, is_selected: bool, theme: Theme, line: Rect, buf: &mut Buffer) {
    let base = if is_selected { theme.selected(true) } else { Style::new() };
    put_line(buf, line, line.y, if is_selected { "▌" } else { "" }, base);
    // Why it cannot be done comes before what it would do.
    let end = match &entry.why_not {
        Some(why) => format!("{why}  {}", entry.keys).trim_end().to_owned(),
        None => entry.keys.clone(),
    };
    let keys = u16::try_from(width(&end)).unwrap_or(0);
    let right = line.right().saturating_sub(keys + 1);
    let mut x = line.x + 1;
    let text = cut(&entry.text, "", usize::from(right.saturating_sub(x + 1)));
    for (number, c) in text.chars().enumerate() {
        let style = match () {
            () if entry.at.contains(&number) => theme.over(base, theme.found()),
            () if entry.why_not.is_some() || number >= entry.name => theme.over(base, theme.dim()),
            () if matches!(entry.target, Target::Row(_)) => theme.over(base, theme.key()),
            () => base,
        };
        x = put(buf, x, line.y, right.saturating_sub(x + 1), c.encode_utf8(&mut [0; 4]), style);
    }
    let style = if entry.why_not.is_none() { theme.key() } else { theme.dim() };
    put(buf, right, line.y, keys, &end, theme.over(base, style));
}

/// The entry of the open palette at a cell.
pub(crate) fn palette_entry_at(model: &Model, at: Position) -> Option<usize> {
    let Some(Overlay::Palette(palette)) = &model.overlay else { return None };
    let count = palette.entries(model).len();
    let place = place(model, palette.selected.min(count.saturating_sub(1)));
    let index = place.first + usize::from(at.y.checked_sub(place.entries.y)?);
    (place.entries.contains(at) && index < count).then_some(index)
}
