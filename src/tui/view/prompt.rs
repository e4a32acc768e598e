//! The new-run prompt.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use tui_input::Input;

use crate::model::Mode;

use super::super::model::{Field, Model, Prompt, fit, overlay_area};
use super::super::theme::Theme;
use super::draw::{put, window, wrap};

const COLS: u16 = 68;
const TITLE_COLS: u16 = 11;
/// The most lines of choices.
const CHOICE_LINES: usize = 4;

/// Draws the prompt. Returns where the text cursor is.
pub(super) fn draw(model: &Model, form: &Prompt, theme: Theme, buf: &mut Buffer) -> Option<Position> {
    let size = (model.size.0, model.size.1 - 1);
    let cols = COLS.min(size.0);
    let error = form.error.as_ref().map(|(field, why)| (*field, wrap(why, usize::from(cols.saturating_sub(4)))));
    let choices = choices(form, usize::from(cols.saturating_sub(4)));
    let error_lines = choices.len() + error.as_ref().map_or(0, |(_, lines)| lines.len());
    let rows = u16::try_from(Field::ALL.len() + error_lines + 2).unwrap_or(u16::MAX);
    let title = if form.pending { "New run: starting…" } else { "New run" };
    let inside = window(buf, overlay_area(size, cols, rows), title, theme.head(true));
    let mut cursor = None;
    let mut y = inside.y;
    // Where not all fits, the field that is edited comes first.
    let all_fit = inside.height >= rows.saturating_sub(2);
    for field in Field::ALL.into_iter().skip_while(|field| !all_fit && *field != form.field) {
        if y >= inside.bottom() {
            break;
        }
        let at = draw_field(form, field, theme, Rect { y, height: 1, ..inside }, buf);
        cursor = cursor.or(at);
        y += 1;
        for line in choices.iter().filter(|_| field == form.field) {
            if y < inside.bottom() {
                put(buf, inside.x + 1, y, inside.width.saturating_sub(1), line, theme.dim());
                y += 1;
            }
        }
        for line in error.iter().filter(|(wrong, _)| *wrong == field).flat_map(|(_, lines)| lines) {
            if y < inside.bottom() {
                put(buf, inside.x + 1, y, inside.width.saturating_sub(1), line, theme.error());
                y += 1;
            }
        }
    }
    cursor
}

/// The lines of what the text could become.
fn choices(form: &Prompt, cols: usize) -> Vec<String> {
    // Only what comes after the last blank or slash of the text: the rest is there already.
    let last = |text: &str| {
        let text = text.trim_end();
        let start = text.trim_end_matches('/').rfind(['/', ' ']).map_or(0, |at| at + 1);
        text[start..].to_owned()
    };
    let words: Vec<String> = form.choices.iter().map(|choice| last(choice)).collect();
    let mut lines = wrap(&words.join("  "), cols);
    if lines.len() > CHOICE_LINES {
        lines.truncate(CHOICE_LINES);
        lines.push("…".to_owned());
    }
    lines
}

fn draw_field(form: &Prompt, field: Field, theme: Theme, line: Rect, buf: &mut Buffer) -> Option<Position> {
    let is_edited = form.field == field;
    let title_cols = TITLE_COLS.min(line.width / 2);
    let style = if is_edited { theme.key() } else { theme.label() };
    let title = format!("{}{}", if is_edited { "▌" } else { " " }, field.title());
    put(buf, line.x, line.y, title_cols, &title, style);
    let place = Rect { x: line.x + title_cols, width: line.width.saturating_sub(title_cols + 1), ..line };
    let (input, hint) = match field {
        Field::Mode => {
            draw_mode(form.mode, is_edited, theme, place, buf);
            return None;
        }
        Field::Command => (&form.command, "a line for the shell"),
        Field::Cwd => (&form.cwd, "where shtask was started"),
        Field::Timeout => (&form.timeout, "none; 30s, 5m, 1h 30m"),
        Field::Name => (&form.name, "none"),
    };
    draw_input(input, hint, is_edited, theme, place, buf)
}

fn draw_mode(mode: Mode, is_edited: bool, theme: Theme, place: Rect, buf: &mut Buffer) {
    let mut x = place.x;
    for (choice, text) in [(Mode::Pty, " pty "), (Mode::Pipes, " pipes ")] {
        let style = match (choice == mode, is_edited) {
            (true, true) => theme.selected(true),
            (true, false) => theme.selected(false),
            (false, _) => theme.dim(),
        };
        let text = if choice == mode { format!("[{}]", text.trim()) } else { text.to_owned() };
        x = put(buf, x, place.y, place.right().saturating_sub(x), &text, style);
    }
    if is_edited {
        put(buf, x + 1, place.y, place.right().saturating_sub(x + 1), "Space changes", theme.dim());
    }
}

/// Draws a line that is edited, or in its place what it is for. Returns where the text cursor is.
pub(super) fn draw_input(
    input: &Input,
    hint: &str,
    is_edited: bool,
    theme: Theme,
    place: Rect,
    buf: &mut Buffer,
) -> Option<Position> {
    let cols = usize::from(place.width);
    if input.value().is_empty() {
        put(buf, place.x, place.y, place.width, &fit(hint, cols), theme.dim());
    } else {
        let skipped = if is_edited { input.visual_scroll(cols.max(1)) } else { 0 };
        put(buf, place.x, place.y, place.width, &shown(input.value(), skipped), Style::new());
    }
    let scroll = input.visual_scroll(cols.max(1));
    let x = u16::try_from(input.visual_cursor().saturating_sub(scroll)).unwrap_or(u16::MAX);
    (is_edited && x < place.width).then(|| Position::new(place.x + x, place.y))
}

/// A text without its first columns.
fn shown(text: &str, skipped: usize) -> String {
    let mut passed = 0;
    let kept = text.chars().skip_while(|c| {
        let before = passed;
        passed += unicode_width::UnicodeWidthChar::width(*c).unwrap_or(0);
        before < skipped
    });
    kept.collect()
}
