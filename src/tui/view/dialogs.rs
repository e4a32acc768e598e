//! Menus and the question before leaving.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Clear, Widget};

use super::super::exporting::Form;
use super::super::model::{Model, Overlay, SIGNALS, overlay_area};
use super::super::theme::Theme;
use super::draw::{put, put_line, window, wrap};

/// What a menu says and offers.
struct Menu {
    title: String,
    /// Above the entries.
    text: String,
    entries: Vec<String>,
    selected: usize,
}

fn menu(model: &Model) -> Option<Menu> {
    Some(match model.overlay.as_ref()? {
        Overlay::Signal(menu) => Menu {
            title: format!("Signal to {}", menu.name),
            text: format!("to {} (Tab changes)", menu.target_words()),
            entries: SIGNALS.iter().map(|(number, name, what)| format!("{name:<6}{number:>3}  {what}")).collect(),
            selected: menu.selected,
        },
        Overlay::Extend(menu) => Menu {
            title: format!("Deadline of {}", menu.name),
            text: if menu.armed { String::new() } else { "no deadline is set".into() },
            entries: menu.entries().iter().map(|(words, _)| (*words).to_owned()).collect(),
            selected: menu.selected,
        },
        Overlay::Export(menu) => Menu {
            title: format!("Export {}", menu.name),
            text: "into a file of the folder where shtask was started".into(),
            entries: Form::ALL.map(|form| form.words().to_owned()).to_vec(),
            selected: menu.selected,
        },
        Overlay::Ask(question) => Menu {
            title: format!("{} {}?", question.deed.words(), question.about),
            text: question.text(),
            entries: question.entries(),
            selected: question.selected,
        },
        Overlay::Leave(question) => {
            let names: Vec<String> = model.list.live().into_iter().map(|view| model.run_name(view.id())).collect();
            let text = match names.len() {
                0 => "A run is being started.".to_owned(),
                1 => format!("{} is live.", names[0]),
                2..=5 => format!("{} runs are live: {}.", names.len(), names.join(", ")),
                more => format!("{more} runs are live: {} and {} more.", names[..4].join(", "), more - 4),
            };
            Menu {
                title: "Leave shtask?".into(),
                text,
                entries: question.answers.iter().map(|answer| answer.words().to_owned()).collect(),
                selected: question.selected,
            }
        }
        Overlay::Help { .. }
        | Overlay::Palette(_)
        | Overlay::Prompt(_)
        | Overlay::Line(_)
        | Overlay::Find(_)
        | Overlay::Rename(_)
        | Overlay::History(_) => {
            return None;
        }
    })
}

/// Where a menu stands: the box, its lines of text, the place of the entries and the first one that is shown.
struct Place {
    area: Rect,
    /// Whether there is room for a frame: the least terminals have none.
    framed: bool,
    text: Vec<String>,
    entries: Rect,
    first: usize,
}

/// So many entries are shown at least, where there are as many.
const MIN_ENTRIES: u16 = 3;

/// The least columns of a box, where the terminal has as many.
const MIN_COLS: u16 = 28;

fn place(model: &Model, menu: &Menu) -> Place {
    let longest =
        menu.entries.iter().chain([&menu.title, &menu.text]).map(|text| super::super::model::width(text)).max();
    let cols = u16::try_from(longest.unwrap_or(0) + 6).unwrap_or(u16::MAX).clamp(MIN_COLS, 60).min(model.size.0);
    let count = u16::try_from(menu.entries.len()).unwrap_or(u16::MAX);
    let rows = model.size.1.saturating_sub(1);
    let longest = menu.entries.iter().map(|text| super::super::model::width(text)).max().unwrap_or(0);
    let has_cols = usize::from(cols) >= longest + 4 || cols >= MIN_COLS;
    let framed = has_cols && rows >= 2 + count.min(MIN_ENTRIES) + u16::from(!menu.text.is_empty());
    // Without a frame there is the title, at least.
    let (head, edge) = if framed { (2, 1) } else { (1, 0) };
    let mut text = wrap(&menu.text, usize::from(cols.saturating_sub(2 + 2 * edge)));
    // Entries come first when there is little room.
    text.truncate(usize::from(rows.saturating_sub(head + count.min(MIN_ENTRIES))));
    let lines = u16::try_from(text.len()).unwrap_or(0);
    let area = overlay_area((model.size.0, rows), cols, count + lines + head);
    let inside = Rect {
        x: area.x + edge,
        y: area.y + 1,
        width: area.width.saturating_sub(2 * edge),
        height: area.height.saturating_sub(head),
    };
    let entries = Rect { y: inside.y + lines, height: inside.height.saturating_sub(lines), ..inside };
    let first = (menu.selected + 1).saturating_sub(usize::from(entries.height).max(1));
    Place { area, framed, text, entries, first }
}

pub(super) fn draw(model: &Model, theme: Theme, buf: &mut Buffer) {
    let Some(menu) = menu(model) else { return };
    let place = place(model, &menu);
    let title = crate::model::plain_line(&menu.title, 50);
    let inside = if place.framed {
        window(buf, place.area, &title, theme.head(true))
    } else {
        Clear.render(place.area.intersection(buf.area), buf);
        put_line(buf, place.area, place.area.y, &title, theme.head(true));
        Rect { y: place.area.y + 1, height: place.area.height.saturating_sub(1), ..place.area }
    };
    for (y, line) in (inside.y..inside.bottom()).zip(&place.text) {
        put(buf, inside.x + 1, y, inside.width.saturating_sub(1), line, theme.label());
    }
    let shown = menu.entries.iter().enumerate().skip(place.first);
    for (y, (index, entry)) in (place.entries.y..place.entries.bottom()).zip(shown) {
        let is_selected = index == menu.selected;
        let style = if is_selected { theme.selected(true) } else { ratatui::style::Style::new() };
        put_line(buf, place.entries, y, &format!("{} {entry}", if is_selected { "▌" } else { " " }), style);
    }
}

/// The entry of the open menu at a cell.
pub(crate) fn entry_at(model: &Model, at: Position) -> Option<usize> {
    let menu = menu(model)?;
    let place = place(model, &menu);
    let index = place.first + usize::from(at.y.checked_sub(place.entries.y)?);
    (place.entries.contains(at) && index < menu.entries.len()).then_some(index)
}
