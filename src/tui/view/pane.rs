//! The terminal of the selected run.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::model::{CommandSpec, plain_line};

use super::super::cells::paint;
use super::super::keys::{Intent, Part, label};
use super::super::model::{Focus, Model, Row, areas, cut, fit, width};
use super::super::theme::Theme;
use super::draw::{put, put_line, wrap};
use super::{groups, list, reading, show};

/// The most columns of the name of an attached run in the status line, and what it has before the last hint gives way to it.
const MAX_NAME_COLS: usize = 24;
const MIN_NAME_COLS: usize = 8;

/// With fewer columns what is not about the run stands at the right, where it is not cut.
const ROOMY_COLS: u16 = 60;

/// The least columns that are left for name and state.
const MIN_TITLE_COLS: usize = 20;

pub(super) fn draw_header(model: &Model, theme: Theme, area: Rect, buf: &mut Buffer) {
    if let Some(show) = &model.show {
        return show::draw_header(model, show, theme, area, buf);
    }
    let is_over = model.over_words().is_some();
    let style = match model.focus {
        _ if model.inspect.is_some() => theme.head(true),
        Focus::Attached if model.pane.scroll.is_some() => theme.scrolled(),
        Focus::Attached if is_over => theme.head(true),
        Focus::Attached => theme.attached(),
        Focus::Scroll => theme.scrolled(),
        Focus::List => theme.head(model.split.count() > 1),
    };
    let Some(row) = model.list.selected() else {
        let text =
            model.list.selected_group().map_or_else(|| " no run".to_owned(), |group| groups::title(model, group));
        return put_line(buf, area, area.y, &text, style);
    };
    let view = model.list.view_of(row).map(AsRef::as_ref);
    let mut text = String::new();
    let is_narrow = area.width < ROOMY_COLS;
    let asking = match areas(model) {
        Some(areas) if areas.list.is_none() || areas.list_header.is_none() => list::asking(model),
        Some(_) | None => String::new(),
    };
    if !is_narrow {
        text.push_str(&asking);
    }
    let title = model.pane.frame.as_ref().map(|frame| plain_line(&frame.title, 128)).unwrap_or_default();
    // What a person must know while it lasts: what happens now will not be on record.
    let unstored = view.and_then(|view| view.record.degraded.as_ref()).filter(|degraded| degraded.until.is_none());
    if let Some(degraded) = unstored {
        let since = degraded.since.strftime("%H:%M");
        text.push_str(&format!(" · not stored since {since} UTC: {}", plain_line(&degraded.why, 200)));
    }
    let failure = view.and_then(|view| view.record.failure.as_ref()).or(row.failure.as_ref());
    if let Some(failure) = failure {
        text.push_str(&format!(" · {}", failure.message));
    } else if !title.trim().is_empty() {
        text.push_str(&format!(" · {}", title.trim()));
    }
    // The state is always there: the name is cut for it, then what is said at the right; of the rest there is what fits.
    let cols = usize::from(area.width);
    let least = width(&list::title(model, row, theme, cols)).min(MIN_TITLE_COLS);
    let room = reading::room(area, least);
    let right = match (&model.inspect, model.focus) {
        (Some(_), _) => "inspect ".to_owned(),
        (None, Focus::Scroll | Focus::Attached)
            if model.pane.scroll.is_some() || model.pane.reading.filter.is_some() =>
        {
            reading::place(model, area, room)
        }
        (None, Focus::Scroll) => reading::place(model, area, room),
        (None, focus) => {
            let words = view.filter(|view| !view.record.status.is_final());
            match (words.and_then(|view| model.keyboards.words(view)), focus) {
                (Some(words), _) => format!("{words} "),
                (None, Focus::Attached) if !is_over => "attached ".to_owned(),
                (None, Focus::Attached | Focus::List | Focus::Scroll) => String::new(),
            }
        }
    };
    let apart = |text: String| if text.is_empty() || text.starts_with(' ') { text } else { format!(" {text}") };
    let right = apart(right);
    let both = apart(format!("{}{}", asking.trim_start(), if right.is_empty() { " " } else { &right }));
    // Who needs somebody is in the list as well.
    let has_room = right.is_empty() || width(&both) <= cols.saturating_sub(least);
    let right = if is_narrow && !asking.is_empty() && has_room { both } else { right };
    let right = cut(&right, "", cols.saturating_sub(least));
    let left = cols.saturating_sub(width(&right));
    let room = left.saturating_sub(width(&text).min(left / 3));
    let head = list::title(model, row, theme, room.max(least));
    let text = format!("{head}{}{right}", fit(&text, left.saturating_sub(width(&head))));
    put_line(buf, area, area.y, &text, style);
}

pub(super) fn draw(model: &Model, theme: Theme, area: Rect, buf: &mut Buffer) {
    if model.show.is_some() {
        draw_rows(model, theme, area, buf);
        return show::draw_failure(model, theme, area, buf);
    }
    if let Some(group) = model.list.selected_group() {
        return groups::draw_members(model, group, theme, area, buf);
    }
    let Some(row) = model.list.selected() else {
        return welcome(model, theme, area, buf);
    };
    let view = model.list.view_of(row);
    if let (Some(view), Some(frame)) = (view, &model.pane.frame) {
        draw_rows(model, theme, area, buf);
        if model.pane.is_outrun
            && model.pane.shown_rows(area.height).into_iter().all(|row| model.pane.drawn_row(row).is_none())
        {
            return say_outrun(model, theme, area, buf);
        }
        let is_blank = || frame.history.rows() == 0 && frame.text().is_empty();
        if let Some(failure) = view.record.failure.as_ref().filter(|_| view.record.status.is_final() && is_blank()) {
            say(&[&failure.message, failure.hint.as_deref().unwrap_or_default()], theme, area, buf);
        }
        return;
    }
    match (view, &model.pane.failure) {
        (Some(_), Some(failure)) => {
            say(&["The output cannot be shown:", &failure.message], theme, area, buf);
        }
        (Some(_), None) => {}
        (None, _) => not_started(model, row, theme, area, buf),
    }
}

fn draw_rows(model: &Model, theme: Theme, area: Rect, buf: &mut Buffer) {
    for (y, number) in (area.y..area.bottom()).zip(model.pane.shown_rows(area.height)) {
        if let Some(row) = model.pane.drawn_row(number) {
            paint(buf, area, y, &row, model.setup.colors);
            reading::mark(&model.pane, number, theme, Rect { y, height: 1, ..area }, buf);
        }
    }
}

/// The output pushes its lines out before they can be read.
fn say_outrun(model: &Model, theme: Theme, area: Rect, buf: &mut Buffer) {
    let back = model.setup.keys.label(Part::Scroll, Intent::Back).unwrap_or_else(|| Intent::Back.name());
    let lines = [
        "These lines are gone: the run prints faster than its scrollback can be read.",
        &format!("{back} leads back to the live screen; there {} opens the log.", model.key(Intent::Pager)),
    ];
    say(&lines, theme, area, buf);
}

fn welcome(model: &Model, theme: Theme, area: Rect, buf: &mut Buffer) {
    let lines = [
        "Nothing runs here yet.",
        &format!("Press {} to start a command, {} for all keys.", model.key(Intent::NewRun), model.key(Intent::Help)),
        "To have tasks listed, name them in shtask.toml:",
    ];
    let y = say(&lines, theme, area, buf);
    for (line, text) in ["[tasks.web]", "run = \"npm run dev\""].into_iter().enumerate() {
        let y = y + u16::try_from(line).unwrap_or(0);
        if y < area.bottom() {
            put(buf, area.x + 4, y, area.width.saturating_sub(4), text, theme.dim());
        }
    }
}

fn not_started(model: &Model, row: &Row, theme: Theme, area: Rect, buf: &mut Buffer) {
    let name = model.row_name(&row.key);
    let command = row.spec.as_ref().map(|spec| command_line(&spec.command)).unwrap_or_default();
    let start = model.key(Intent::Start);
    match (&row.failure, row.pending) {
        (_, true) => say(&[&format!("{name} is being started.")], theme, area, buf),
        (Some(failure), false) => {
            let head = format!("{name} was not started:");
            let hint = failure.hint.as_deref().unwrap_or_default();
            say(&[&head, &failure.message, hint, &format!("Press {start} to try again.")], theme, area, buf)
        }
        (None, false) => say(
            &[&format!("{name} was not started yet."), &command, &format!("Press {start} to start it.")],
            theme,
            area,
            buf,
        ),
    };
}

/// The command of a spec in one harmless line.
pub(super) fn command_line(command: &CommandSpec) -> String {
    let line = match command {
        CommandSpec::Shell { line, .. } => line.to_string_lossy().into_owned(),
        CommandSpec::Argv(argv) => shell_words::join(argv.iter().map(|word| word.to_string_lossy())),
    };
    plain_line(&line, 400)
}

/// Writes paragraphs. Returns the line after them.
fn say(paragraphs: &[&str], theme: Theme, area: Rect, buf: &mut Buffer) -> u16 {
    let indent = if area.width > 30 { 2 } else { 1 };
    let cols = area.width.saturating_sub(indent * 2);
    let roomy = area.height > 10;
    let mut y = area.y + u16::from(roomy);
    for (index, paragraph) in paragraphs.iter().filter(|text| !text.is_empty()).enumerate() {
        for line in wrap(paragraph, cols.into()) {
            if y >= area.bottom() {
                return y;
            }
            let style = if index == 0 { ratatui::style::Style::new() } else { theme.label() };
            put(buf, area.x + indent, y, cols, &line, style);
            y += 1;
        }
        y += u16::from(roomy);
    }
    y
}

/// Where the text cursor of the attached run is to be shown.
pub(crate) fn cursor(model: &Model, area: Rect) -> Option<Position> {
    if model.focus != Focus::Attached {
        return reading::cursor(model, area);
    }
    let view = model.selected_view().filter(|view| !view.record.status.is_final());
    let frame = model.pane.frame.as_ref().filter(|frame| frame.cursor.visible && view.is_some())?;
    let line = (frame.history.end + u64::from(frame.cursor.y)).checked_sub(model.pane.top(area.height))?;
    let line = u16::try_from(line).ok().filter(|line| *line < area.height)?;
    (frame.cursor.x < area.width).then(|| Position::new(area.x + frame.cursor.x, area.y + line))
}

/// The words of the status line for an attached run, in so many columns: what leads back is always among them.
pub(super) fn attached_words(model: &Model, cols: usize) -> String {
    let key = label(model.setup.attach_key);
    if model.pane.scroll.is_some() {
        let words = format!("any key or the wheel leads to the end · {key} list");
        let more = " scrolled back: ";
        let is_room = width(&words) + width(more) <= cols;
        return if is_room { format!("{more}{words}") } else { format!(" any key leads to the end · {key} list") };
    }
    let is_over = model.over_words().is_some();
    let (before, after, back, more) = match (is_over, model.selected_view()) {
        (false, _) => ("keys go to ", "", key.as_str(), format!(" · {key} {key} sends {key}")),
        // How it has ended is in the line over the pane.
        (true, Some(_)) => ("", " has ended", "Enter", format!(", then {}", over_hints(model))),
        (true, None) => ("", " was not started", "Enter", format!(", then {}", over_hints(model))),
    };
    let back = format!("{back} back to the list");
    let name = plain_line(&model.selected_name(), 64);
    for (end, least) in [(more.as_str(), MIN_NAME_COLS), ("", 1)] {
        let room = cols.saturating_sub(width(&format!(" {before}{after} · {back}{end}"))).min(MAX_NAME_COLS);
        if room >= width(&name).min(least) {
            return format!(" {before}{}{after} · {back}{end}", cut(&name, "", room));
        }
    }
    format!(" {back}")
}

/// What can be done with a run that takes no keys any more, from the list.
fn over_hints(model: &Model) -> String {
    let looks = [(Intent::Scrollback, "scroll"), (Intent::Search, "search")].into_iter();
    let looks =
        looks.filter(|_| model.pane.run.is_some()).map(|(intent, what)| format!("{} {what}, ", model.key(intent)));
    looks.chain([format!("{} start", model.again_key())]).collect()
}
