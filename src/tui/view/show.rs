//! The header and the rows of what is shown in place of the selected run.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::model::plain_line;

use super::super::model::{Model, Shown, fit, width};
use super::super::shows::Playing;
use super::super::theme::Theme;
use super::draw::{put_line, wrap};
use super::reading;

/// So many columns of the title are left where there is little room.
const MIN_TITLE_COLS: usize = 12;

pub(super) fn draw_header(model: &Model, show: &Shown, theme: Theme, area: Rect, buf: &mut Buffer) {
    let right = match &show.playing {
        Some(playing) => played(playing),
        None if !show.is_whole && show.place.is_none() && model.pane.scroll.is_none() => "reading… ".to_owned(),
        None if show.is_reading() && show.anchor.is_none() && show.place.is_none() => "reading… ".to_owned(),
        None => reading::place(model, area, reading::room(area, MIN_TITLE_COLS)),
    };
    let left = usize::from(area.width).saturating_sub(width(&right));
    let line = show.line.as_ref().map(|line| format!(" · {line}")).unwrap_or_default();
    let text = format!("{}{right}", fit(&format!(" {}{line}", plain_line(&show.title, 200)), left));
    put_line(buf, area, area.y, &text, theme.scrolled());
}

/// Where a replay is: `▶ 2× 0:12/1:30`.
fn played(playing: &Playing) -> String {
    let sign = if playing.is_paused { "⏸" } else { "▶" };
    let speed = match playing.halves {
        1 => "0.5".to_owned(),
        halves => (halves / 2).to_string(),
    };
    let clock = |time: std::time::Duration| format!("{}:{:02}", time.as_secs() / 60, time.as_secs() % 60);
    format!("{sign} {speed}× {}/{} ", clock(playing.at), clock(playing.length))
}

pub(super) fn draw_failure(model: &Model, theme: Theme, area: Rect, buf: &mut Buffer) {
    let Some(failure) = &model.pane.failure else { return };
    let text = format!("It cannot be shown: {}", failure.message);
    for (y, line) in (area.y..area.bottom()).zip(wrap(&text, usize::from(area.width).saturating_sub(2))) {
        put_line(buf, area, y, &format!(" {line}"), theme.label());
    }
}
