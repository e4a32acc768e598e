//! The panes beside that of the selected run.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::cells::paint;
use super::super::model::{Areas, Model, fit, width};
use super::super::theme::Theme;
use super::draw::{draw_separator, put, put_line};
use super::list;

pub(super) fn draw(model: &Model, places: &Areas, theme: Theme, buf: &mut Buffer) {
    let panes = places.panes.iter().enumerate().filter_map(|(index, place)| Some((index, (*place)?)));
    let left = panes.clone().map(|(_, place)| place.header.x).min().unwrap_or(0);
    let focused = model.focused_pane();
    for (index, place) in panes {
        if place.header.x > left {
            let whole = place.header.union(place.body);
            draw_separator(Rect { x: whole.x - 1, width: 1, ..whole }, theme, buf);
        }
        if index != focused {
            draw_header(model, index, theme, place.header, buf);
            draw_body(model, index, theme, place.body, buf);
        }
    }
}

fn draw_header(model: &Model, index: usize, theme: Theme, area: Rect, buf: &mut Buffer) {
    let text = match model.row_at(index) {
        Some(row) => {
            let cols = usize::from(area.width).saturating_sub(1);
            list::title(model, row, theme, cols) + " "
        }
        None => String::new(),
    };
    // A rule tells it from the rows of a terminal above.
    let rule = "─".repeat(usize::from(area.width).saturating_sub(width(&text)));
    put_line(buf, area, area.y, &format!("{text}{rule}"), theme.head(false));
}

fn draw_body(model: &Model, index: usize, theme: Theme, area: Rect, buf: &mut Buffer) {
    let Some(row) = model.row_at(index) else {
        let hint = fit(" select a run to see it here", area.width.into());
        put(buf, area.x, area.y, area.width, &hint, theme.dim());
        return;
    };
    let Some(pane) = model.pane_at(index) else { return };
    if model.list.view_of(row).is_some() && pane.frame.is_some() {
        let top = pane.top(area.height);
        for line in 0..area.height {
            if let Some(row) = pane.row(top + u64::from(line)) {
                paint(buf, area, area.y + line, row, model.setup.colors);
            }
        }
    } else if let Some(failure) = &pane.failure {
        put(buf, area.x, area.y, area.width, &fit(&format!(" {}", failure.message), area.width.into()), theme.label());
    }
}
