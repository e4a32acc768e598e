//! All keys, made from the keymap.

use ratatui::buffer::Buffer;

use super::super::keys::{TABLES, label};
use super::super::model::{Model, fit, overlay_area};
use super::super::theme::Theme;
use super::draw::{put, window};

const COLS: u16 = 64;
const KEY_COLS: usize = 14;

enum Line {
    Title(String),
    Key(String, String),
    Blank,
}

fn lines(attach: &str) -> Vec<Line> {
    let mut lines = vec![
        Line::Title("Attached".into()),
        Line::Key(attach.to_owned(), "back to the list".into()),
        Line::Key(format!("{attach} {attach}"), format!("sends {attach} itself")),
        Line::Key("any other".into(), "goes to the run".into()),
    ];
    for (title, table) in TABLES {
        lines.push(Line::Blank);
        lines.push(Line::Title((*title).to_owned()));
        for binding in *table {
            let keys: Vec<String> = binding.keys.iter().map(|key| label(*key)).collect();
            lines.push(Line::Key(keys.join(" "), binding.help.to_owned()));
        }
    }
    lines.push(Line::Blank);
    lines.push(Line::Title("Marks in the list".into()));
    for (mark, meaning) in [
        ("*", "output that you have not seen"),
        ("!", "the bell rang"),
        ("0:42", "counts down to the deadline, or to the kill"),
    ] {
        lines.push(Line::Key(mark.into(), meaning.into()));
    }
    lines
}

/// How far the help can be scrolled in a terminal of this size.
pub(crate) fn help_end(size: (u16, u16)) -> usize {
    let count = lines("").len();
    let size = (size.0, size.1.saturating_sub(1));
    let shown = usize::from(overlay_area(size, COLS, rows(count)).height.saturating_sub(2));
    count.saturating_sub(shown)
}

fn rows(count: usize) -> u16 {
    u16::try_from(count + 2).unwrap_or(u16::MAX)
}

pub(super) fn draw(model: &Model, scroll: usize, theme: Theme, buf: &mut Buffer) {
    let lines = lines(&label(model.setup.attach_key));
    // The status line stays in sight where there is room.
    let size = (model.size.0, model.size.1 - 1);
    let area = overlay_area(size, COLS, rows(lines.len()));
    let inside = window(buf, area, "Keys", theme.head(true));
    let end = lines.len().saturating_sub(inside.height.into());
    for (y, line) in (inside.y..inside.bottom()).zip(lines.iter().skip(scroll.min(end))) {
        match line {
            Line::Title(title) => {
                put(buf, inside.x, y, inside.width, title, theme.head(true));
            }
            Line::Key(keys, help) => {
                let cols = KEY_COLS.min(usize::from(inside.width / 2));
                let x = put(buf, inside.x, y, inside.width, &format!(" {}", fit(keys, cols)), theme.key());
                put(buf, x, y, inside.right().saturating_sub(x), help, ratatui::style::Style::new());
            }
            Line::Blank => {}
        }
    }
    if end > 0 {
        let more = if scroll < end { " more below " } else { " end " };
        let x = area.right().saturating_sub(u16::try_from(more.len()).unwrap_or(0) + 1);
        put(buf, x, area.bottom().saturating_sub(1), area.right().saturating_sub(x), more, theme.label());
    }
}
