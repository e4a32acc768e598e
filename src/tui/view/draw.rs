//! The whole picture, and the few strokes that all parts use.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::{Block, Clear, Widget};

use crate::model::CursorShape;

use super::super::keys::Part;
use super::super::model::{Focus, MIN_COLS, MIN_ROWS, Model, Overlay, areas, cut, fit};
use super::super::theme::Theme;
use super::{
    browser, dialogs, find, groups, help, inspect, list, palette, pane, prompt, reading, rename, split, status, waiting,
};

/// Draws the model into blank cells. Returns where the text cursor is to be shown.
pub(crate) fn view(model: &Model, buf: &mut Buffer) -> Option<Position> {
    let theme = model.setup.theme;
    let Some(places) = areas(model).filter(|_| buf.area.width >= model.size.0 && buf.area.height >= model.size.1)
    else {
        too_small(buf);
        return None;
    };
    if model.ending.is_some() {
        waiting::draw(model, theme, buf);
        status::draw(model, theme, places.status, buf);
        return None;
    }
    if let Some(area) = places.list_header {
        list::draw_header(model, theme, area, buf);
    }
    if let Some(area) = places.list {
        list::draw(model, theme, area, buf);
    }
    if let Some(area) = places.separator {
        draw_separator(area, theme, buf);
    }
    split::draw(model, &places, theme, buf);
    if let Some(area) = places.pane_header {
        pane::draw_header(model, theme, area, buf);
    }
    let mut cursor = None;
    if let Some(area) = places.pane {
        match &model.inspect {
            Some(panel) => inspect::draw(model, panel, theme, area, buf),
            None => {
                pane::draw(model, theme, area, buf);
                cursor = pane::cursor(model, area);
            }
        }
    }
    status::draw(model, theme, places.status, buf);
    if model.part() == Some(Part::Filter) {
        cursor = groups::draw_filter(model, theme, places.status, buf);
    }
    match &model.overlay {
        Some(Overlay::Help { scroll }) => help::draw(model, *scroll, theme, buf),
        Some(Overlay::Find(find)) => cursor = find::draw(model, find, theme, buf),
        Some(Overlay::History(history)) => cursor = browser::draw(model, history, theme, buf),
        Some(Overlay::Line(line)) => cursor = reading::draw_line(line, theme, places.status, buf),
        Some(Overlay::Palette(open)) => cursor = palette::draw(model, open, theme, buf),
        Some(Overlay::Rename(open)) => cursor = rename::draw(model, open, theme, buf),
        Some(Overlay::Prompt(form)) => cursor = prompt::draw(model, form, theme, buf),
        Some(Overlay::Signal(_) | Overlay::Extend(_) | Overlay::Export(_) | Overlay::Leave(_) | Overlay::Ask(_)) => {
            dialogs::draw(model, theme, buf)
        }
        None => {}
    }
    status::draw_notice(model, theme, places.status, buf);
    let is_free = model.overlay.is_none()
        || matches!(
            model.overlay,
            Some(
                Overlay::Palette(_)
                    | Overlay::Prompt(_)
                    | Overlay::Line(_)
                    | Overlay::Find(_)
                    | Overlay::History(_)
                    | Overlay::Rename(_)
            )
        );
    cursor.filter(|_| is_free)
}

/// Draws the line between what is side by side.
pub(super) fn draw_separator(area: Rect, theme: Theme, buf: &mut Buffer) {
    for y in area.y..area.bottom() {
        put(buf, area.x, y, 1, "│", theme.border());
    }
}

/// The shape that the cursor is to have: that of the attached run.
pub(crate) fn cursor_shape(model: &Model) -> CursorShape {
    let attached = model.focus == Focus::Attached && model.overlay.is_none() && model.ending.is_none();
    model.pane.frame.as_ref().filter(|_| attached).map_or(CursorShape::Default, |frame| frame.cursor.shape)
}

fn too_small(buf: &mut Buffer) {
    let text = format!("needs {MIN_COLS}x{MIN_ROWS}");
    put(buf, 0, 0, buf.area.width, &text, Style::new());
}

/// Writes a text, clipped to `cols` and to the picture. Returns where it ends.
pub(super) fn put(buf: &mut Buffer, x: u16, y: u16, cols: u16, text: &str, style: Style) -> u16 {
    let area = buf.area;
    if cols == 0 || y < area.y || y >= area.bottom() || x < area.x || x >= area.right() {
        return x;
    }
    buf.set_stringn(x, y, text, usize::from(cols), style).0
}

/// Writes a text over a whole line: padded, or cut with `…`.
pub(super) fn put_line(buf: &mut Buffer, area: Rect, y: u16, text: &str, style: Style) {
    put(buf, area.x, y, area.width, &fit(text, usize::from(area.width)), style);
}

/// Draws an empty box over what is there. Returns the place inside it.
pub(super) fn window(buf: &mut Buffer, area: Rect, title: &str, style: Style) -> Rect {
    let area = area.intersection(buf.area);
    Clear.render(area, buf);
    let title = cut(title, "", usize::from(area.width.saturating_sub(4)));
    let block = Block::bordered().border_style(style).title(format!(" {title} "));
    let inside = block.inner(area);
    block.render(area, buf);
    inside
}

/// Cuts a text into lines of so many columns, at blanks where there are some.
pub(super) fn wrap(text: &str, cols: usize) -> Vec<String> {
    use super::super::model::width;
    use unicode_segmentation::UnicodeSegmentation;
    let cols = cols.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_inclusive(' ') {
        // A blank at the end of a line needs no room.
        if width(&line) + width(word.trim_end()) <= cols {
            line.push_str(word);
            continue;
        }
        if !line.trim().is_empty() {
            lines.push(line.trim_end().to_owned());
        }
        line.clear();
        for cluster in word.trim_start().graphemes(true) {
            if width(&line) + width(cluster) > cols && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            line.push_str(cluster);
        }
    }
    if !line.trim().is_empty() {
        lines.push(line.trim_end().to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_at_blanks_and_long_words_where_they_must() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
        assert_eq!(wrap("is (it, or so)", 6), ["is", "(it,", "or so)"]);
        assert_eq!(wrap("", 4), [""; 0]);
    }
}
