//! The prompt for another name.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::model::plain_line;

use super::super::model::{Model, RenamePrompt, cut, overlay_area};
use super::super::theme::Theme;
use super::draw::{put, window, wrap};
use super::prompt::draw_input;

const COLS: u16 = 60;

/// Draws the prompt. Returns where the text cursor is.
pub(super) fn draw(model: &Model, open: &RenamePrompt, theme: Theme, buf: &mut Buffer) -> Option<Position> {
    let size = (model.size.0, model.size.1 - 1);
    let cols = COLS.min(size.0);
    let lines = wrap(open.error.as_deref().unwrap_or_default(), usize::from(cols.saturating_sub(4)));
    let rows = u16::try_from(lines.len() + 3).unwrap_or(u16::MAX);
    let waiting = if open.pending.is_empty() { "" } else { ": waiting…" };
    let title = cut(&plain_line(&open.title(), 128), waiting, usize::from(cols.saturating_sub(4)));
    let inside = window(buf, overlay_area(size, cols, rows), &title, theme.head(true));
    let line = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), height: 1, ..inside };
    let cursor = draw_input(&open.input, open.hint(), true, theme, line, buf);
    for (y, text) in (inside.y + 1..inside.bottom()).zip(&lines) {
        put(buf, inside.x + 1, y, inside.width.saturating_sub(1), text, theme.error());
    }
    cursor
}
