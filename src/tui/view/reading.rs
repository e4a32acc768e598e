//! What reading adds to a pane: marked cells, the cursor, the words of the header, and the line that is typed.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::super::model::{Focus, Kind, LineKind, LinePrompt, Model, Pane, Shown, selected_cols};
use super::super::shows::What;
use super::super::theme::Theme;
use super::draw::put;
use super::prompt::draw_input;

/// Marks what was found and what is selected on a line of the pane.
pub(super) fn mark(pane: &Pane, row: u64, theme: Theme, line: Rect, buf: &mut Buffer) {
    let reading = &pane.reading;
    let mut paint = |(from, to): (u16, u16), style: Style| {
        let (from, to) = (line.x.saturating_add(from), line.x.saturating_add(to).min(line.right()));
        if from < to {
            buf.set_style(Rect { x: from, width: to - from, ..line }.intersection(buf.area), style);
        }
    };
    if let Some(search) = &reading.search {
        for hit in search.on_row(row) {
            let is_current = search.current == Some(hit.start);
            if let Some(cols) = hit.cols(row) {
                paint(cols, if is_current { theme.current_hit() } else { theme.hit() });
            }
        }
    }
    if let Some(selection) = &reading.selection
        && let Some((from, to)) = selected_cols(&reading.text, selection, true, row)
    {
        // Only text is marked beyond the first cell: what is copied has no blanks at the end.
        let used = reading.text.row(row).map_or(0, |packed| packed.cols());
        let used = u16::try_from(used).unwrap_or(u16::MAX).max(from.saturating_add(1));
        let to = if selection.kind == Kind::Block { to } else { to.min(used) };
        paint((from, to), theme.selection());
    }
}

/// Where the cursor of copy mode is.
pub(super) fn cursor(model: &Model, area: Rect) -> Option<Position> {
    let at = model.pane.reading.cursor.filter(|_| model.focus == Focus::Scroll)?;
    let line = model.pane.shown_rows(area.height).iter().position(|row| *row == at.row)?;
    let line = u16::try_from(line).ok()?;
    (at.col < area.width).then(|| Position::new(area.x + at.col, area.y + line))
}

/// How many columns of a header are for that, beside so many of a title.
pub(super) fn room(area: Rect, title: usize) -> usize {
    /// From here on the title has a third at least.
    const ROOMY_COLS: u16 = 60;
    let (cols, rest) = (usize::from(area.width), usize::from(area.width).saturating_sub(title));
    if area.width < ROOMY_COLS { rest } else { rest.min(cols * 2 / 3) }
}

/// Where the view is, and what is done there: the right end of the header, in at most so many columns where that is possible. What is most important
/// stands last, and goes last where not all fits.
pub(super) fn place(model: &Model, area: Rect, room: usize) -> String {
    let pane = &model.pane;
    let reading = &pane.reading;
    let height = model.terminal_area().map_or(area.height, |area| area.height);
    let Some(frame) = &pane.frame else { return String::new() };
    let show = model.show.as_deref();
    let mut parts = Vec::new();
    match (pane.scroll, &reading.filter) {
        (Some(_), None) => match pane.top(height).saturating_sub(frame.history.first) {
            // Where rows are missing above, their number says little: the room is left to the title.
            _ if show.is_some_and(|show| show.before.is_some()) => {}
            0 => parts.push("the top".to_owned()),
            1 => parts.push("1 row above".to_owned()),
            above => parts.push(format!("{above} rows above")),
        },
        (None, _) => {
            let goes_on = show.is_none_or(|show| show.follows || matches!(show.what, What::Merged(_)));
            let is_cut = show.is_some_and(|show| show.cut.is_some());
            let end = if is_cut { "the end of this part" } else { "the end" };
            parts.push(if goes_on { "follows" } else { end }.to_owned());
        }
        (Some(_), Some(_)) => {}
    }
    if let Some(filter) = &reading.filter {
        parts.push(format!("&{}: {} rows", filter.typed(), filter.count()));
    }
    if let (Some(_), Some(news)) = (pane.scroll, reading.news_words(0)) {
        parts.push(news);
    }
    if let Some(selection) = &reading.selection {
        let kind = match selection.kind {
            Kind::Chars => "select",
            Kind::Lines => "select lines",
            Kind::Block => "select block",
        };
        parts.push(kind.to_owned());
    }
    // That a filter hides all hits is seen by its rows.
    if let Some(search) = reading.search.as_ref().filter(|search| reading.filter.is_none() || search.count() > 0) {
        let count = search.count();
        let more = if reading.text.is_whole() { "" } else { "…" };
        // What else the log has is not counted.
        let here = if show.is_some_and(Shown::is_part) { " loaded" } else { "" };
        parts.push(match search.number() {
            Some(number) => format!("{number}/{count}{more}{here}"),
            None => format!("{count}{more} hits{here}"),
        });
    }
    // Where not all fits, the place goes first.
    while parts.len() > 1 && super::super::model::width(&parts.join(" · ")) + 2 > room {
        parts.remove(0);
    }
    format!(" {} ", parts.join(" · "))
}

/// Draws the line that is typed in place of the status line. Returns where the text cursor is.
pub(super) fn draw_line(line: &LinePrompt, theme: Theme, area: Rect, buf: &mut Buffer) -> Option<Position> {
    for x in area.x..area.right() {
        put(buf, x, area.y, 1, " ", Style::new());
    }
    let sign = match line.kind {
        LineKind::Search => "/",
        LineKind::Filter => "&",
    };
    let x = put(buf, area.x, area.y, area.width, sign, theme.key());
    let (right, style) = match &line.error {
        Some(why) => (format!(" {why} "), theme.error()),
        None => (format!(" {} ", line.pattern().kind()), theme.label()),
    };
    let cols = u16::try_from(super::super::model::width(&right)).unwrap_or(u16::MAX).min(area.width / 2);
    put(buf, area.right() - cols, area.y, cols, &right, style);
    let hint = match line.kind {
        LineKind::Search => "search; C-r regex, C-t case",
        LineKind::Filter => "only lines that match; !… that do not",
    };
    let place = Rect { x, width: area.right().saturating_sub(x + cols), ..area };
    draw_input(&line.input, hint, true, theme, place, buf)
}
