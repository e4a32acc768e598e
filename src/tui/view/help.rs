//! All keys, made from the keymap.

use ratatui::buffer::Buffer;

use super::super::keys::{Part, TABLES, label, table_of};
use super::super::model::{Model, fit, overlay_area};
use super::super::theme::Theme;
use super::draw::{put, window, wrap};

const COLS: u16 = 64;
/// How wide the keys are, with the blank before what they do.
const KEY_COLS: usize = 15;
/// The same in narrow terminals.
const NARROW_KEY_COLS: usize = 10;

/// What stands before names in the list, and in its columns.
const MARKS: [(&str, &str); 5] = [
    ("*", "output that you have not seen"),
    ("?", "waits for input or a password"),
    ("!", "the bell rang"),
    ("+", "you have marked it"),
    ("0:42", "left until the deadline or the kill"),
];

enum Line {
    Title(String),
    Key(String, String),
    Blank,
}

/// The lines of the help for a window that is so wide inside.
fn lines(model: &Model, cols: u16) -> Vec<Line> {
    let attach = label(model.setup.attach_key);
    let mut lines = vec![Line::Title("Attached".into())];
    let add = |lines: &mut Vec<Line>, keys: String, help: &str| {
        let room = usize::from(cols).saturating_sub(key_cols(cols) + 1);
        let mut keys = Some(keys);
        lines.extend(wrap(help, room).into_iter().map(|part| Line::Key(keys.take().unwrap_or_default(), part)));
    };
    add(&mut lines, attach.clone(), "back to the list");
    add(&mut lines, format!("{attach} {attach}"), &format!("sends {attach} itself"));
    add(&mut lines, "any other".into(), "goes to the run");
    for table in TABLES {
        lines.push(Line::Blank);
        lines.push(Line::Title(table.title.to_owned()));
        for (binding, keys) in model.setup.keys.bindings(table.part) {
            // Blanks stand between keys in a row.
            let apart = if keys.iter().any(|keys| keys.contains(' ')) { ", " } else { " " };
            add(&mut lines, keys.join(apart), binding.help);
        }
        if table.part == Part::List {
            lines.push(Line::Blank);
            lines.push(Line::Title("Marks in the list".into()));
            MARKS.iter().for_each(|(mark, meaning)| add(&mut lines, (*mark).into(), meaning));
        }
    }
    lines
}

/// Where the help begins for somebody who asks now: at the keys of the part that has the keys.
pub(crate) fn help_start(model: &Model) -> usize {
    let title = model.part().map(|part| table_of(part).title);
    let is_title = |line: &Line| matches!(line, Line::Title(text) if Some(text.as_str()) == title);
    let start = lines(model, inside_cols(model.size)).iter().position(is_title).unwrap_or(0);
    start.min(help_end(model))
}

fn key_cols(cols: u16) -> usize {
    if cols + 2 < COLS { NARROW_KEY_COLS } else { KEY_COLS }
}

fn inside_cols(size: (u16, u16)) -> u16 {
    COLS.min(size.0).saturating_sub(2)
}

/// How far the help can be scrolled.
pub(crate) fn help_end(model: &Model) -> usize {
    let size = model.size;
    let count = lines(model, inside_cols(size)).len();
    let size = (size.0, size.1.saturating_sub(1));
    let shown = usize::from(overlay_area(size, COLS, rows(count)).height.saturating_sub(2));
    count.saturating_sub(shown)
}

fn rows(count: usize) -> u16 {
    u16::try_from(count + 2).unwrap_or(u16::MAX)
}

pub(super) fn draw(model: &Model, scroll: usize, theme: Theme, buf: &mut Buffer) {
    let lines = lines(model, inside_cols(model.size));
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
                let keys = format!(" {} ", fit(keys, key_cols(inside.width) - 1));
                let x = put(buf, inside.x, y, inside.width, &keys, theme.key());
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
