//! The line at the bottom: the keys that matter here, and what the user is told.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use crate::model::Mode;

use super::super::keymap::pending_words;
use super::super::keys::{Intent, Part, table_of};
use super::super::model::{Field, Focus, Level, Model, Notice, Overlay, width};
use super::super::theme::Theme;
use super::draw::{put, put_line, wrap};
use super::pane::attached_words;

/// The most lines of a notice.
const NOTICE_LINES: usize = 4;

/// A key of the status line.
struct Hint {
    key: String,
    text: &'static str,
    intent: Intent,
}

impl Hint {
    fn cols(&self) -> usize {
        width(&self.key) + 1 + width(self.text)
    }
}

pub(super) fn draw(model: &Model, theme: Theme, area: Rect, buf: &mut Buffer) {
    let is_attached = model.focus == Focus::Attached && model.overlay.is_none() && model.ending.is_none();
    if is_attached {
        let style = if model.over_words().is_some() { theme.head(true) } else { theme.attached() };
        return put_line(buf, area, area.y, &attached_words(model, area.width.into()), style);
    }
    if let Some((part, keys)) = &model.pending
        && model.part() == Some(*part)
    {
        return put_line(buf, area, area.y, &pending_words(keys), theme.key());
    }
    for (x, hint) in hints(model, area) {
        let x = put(buf, x, area.y, area.right() - x, &hint.key, theme.key());
        put(buf, x + 1, area.y, area.right().saturating_sub(x + 1), hint.text, theme.label());
    }
}

/// The action of the key that is shown in this column of the status line, and the part that it is of.
pub(crate) fn hint_at(model: &Model, x: u16) -> Option<(Part, Intent)> {
    let area = super::super::model::areas(model)?.status;
    let is_typed_over = matches!(model.part()?, Part::Filter | Part::Line);
    if is_typed_over || model.notice.is_some() || model.parted.is_some() || model.pending.is_some() {
        return None;
    }
    let part = wanted(model).0;
    let mut hints = hints(model, area).into_iter();
    let hint = hints.find(|(from, hint)| (*from..*from + hint.cols() as u16).contains(&x));
    hint.map(|(_, hint)| (part, hint.intent))
}

/// The keys that are shown and where each starts. The last two, the ways to help and out, always have room.
fn hints(model: &Model, area: Rect) -> Vec<(u16, Hint)> {
    let (part, wanted) = wanted(model);
    let mut hints: Vec<Hint> = wanted.iter().filter_map(|intent| hint(model, part, *intent)).collect();
    let room = usize::from(area.width).saturating_sub(1);
    let gap = if room >= 60 { 2 } else { 1 };
    let total = |hints: &[Hint]| hints.iter().map(|hint| hint.cols() + gap).sum::<usize>().saturating_sub(gap);
    while total(&hints) > room && hints.len() > 1 {
        // The least important stands before the last two; the most important one stays with the way out, or gives way to it.
        let at = match hints.len() {
            4.. => hints.len() - 3,
            2 if hints[0].cols() > room => 0,
            _ => 1,
        };
        hints.remove(at);
    }
    let mut x = area.x + 1;
    hints
        .into_iter()
        .map(|hint| {
            let at = x;
            x = x.saturating_add(u16::try_from(hint.cols() + gap).unwrap_or(u16::MAX));
            (at, hint)
        })
        .filter(|(at, _)| *at < area.right())
        .collect()
}

fn hint(model: &Model, part: Part, intent: Intent) -> Option<Hint> {
    if (part, intent) == (Part::Scroll, Intent::Left) {
        return moves(model);
    }
    let binding = table_of(part).bindings.iter().find(|binding| binding.intent == intent)?;
    Some(Hint { key: model.setup.keys.label(part, intent)?, text: binding.short, intent })
}

/// The four ways of the cursor as one entry.
fn moves(model: &Model) -> Option<Hint> {
    let ways = [Intent::Left, Intent::Down, Intent::Up, Intent::Right];
    let keys: Vec<String> =
        ways.into_iter().map(|way| model.setup.keys.label(Part::Scroll, way)).collect::<Option<_>>()?;
    let apart = if keys.iter().all(|key| width(key) == 1) { "" } else { " " };
    Some(Hint { key: keys.join(apart), text: "move", intent: Intent::Down })
}

/// What matters here, the most important first, the ways to help and out last.
fn wanted(model: &Model) -> (Part, &'static [Intent]) {
    use Intent::{
        Accept, Attach, Back, Clear, Complete, Copy, CopyAsShown, Detach, Down, Extend, Faster, Filter, First, Fold,
        Follow, Help, Hurry, Inspect, Kill, Last, Leave, Left, Mark, MergedLog, NewRun, Newer, NextField, NextHit, No,
        Older, OpenLog, OtherEnd, PageDown, PageUp, Palette, PlayPause, PreviousHit, Replay, Restart, Right,
        Scrollback, Search, Select, SelectBlock, SelectLines, Signal, Slower, Start, Stop, StopOthers, ToggleCase,
        ToggleRegex, Up, Yes, Zoom,
    };
    if model.ending.is_some() {
        return (Part::Waiting, &[Hurry]);
    }
    match &model.overlay {
        Some(Overlay::Help { .. }) => return (Part::Help, &[Down, Up, PageDown, Back]),
        Some(Overlay::Find(_)) => return (Part::Find, &[Accept, Down, Up, ToggleRegex, ToggleCase, Back]),
        Some(Overlay::History(browser)) if browser.is_typing => {
            return (Part::HistoryFilter, &[Accept, Down, Up, Back]);
        }
        Some(Overlay::History(_)) => {
            return (Part::History, &[Accept, OpenLog, Replay, Search, Inspect, Restart, Down, Up, Back]);
        }
        Some(Overlay::Line(_)) => return (Part::Line, &[Accept, Back]),
        Some(Overlay::Prompt(form)) => {
            let wanted: &[Intent] = match form.field {
                Field::Command => &[Complete, Newer, Older, Accept, Back],
                Field::Cwd => &[Complete, Newer, Accept, Back],
                Field::Mode | Field::Timeout | Field::Name => &[Newer, Accept, Back],
            };
            return (Part::NewRun, wanted);
        }
        Some(Overlay::Palette(_)) => return (Part::Palette, &[Down, Up, Accept, Back]),
        Some(Overlay::Signal(_)) => return (Part::Menu, &[Down, Up, NextField, Accept, Back]),
        Some(Overlay::Extend(_) | Overlay::Export(_)) => return (Part::Menu, &[Down, Up, Accept, Back]),
        Some(Overlay::Leave(_)) if model.setup.has_server => return (Part::Leave, &[Detach, Yes, No]),
        Some(Overlay::Leave(_)) => return (Part::Leave, &[Yes, No]),
        Some(Overlay::Ask(_)) => return (Part::Ask, &[Yes, No]),
        Some(Overlay::Rename(_)) => return (Part::Rename, &[Accept, Back]),
        None => {}
    }
    if model.is_replay() {
        return (Part::Replay, &[PlayPause, Faster, Slower, Left, Right, First, Last, Help, Back]);
    }
    if model.focus == Focus::Scroll {
        let reading = &model.pane.reading;
        return match () {
            () if reading.selection.is_some() => {
                (Part::Scroll, &[Copy, Left, SelectLines, SelectBlock, OtherEnd, CopyAsShown, Help, Back])
            }
            () if reading.search.is_some() => {
                (Part::Scroll, &[NextHit, Select, PreviousHit, Search, Filter, Help, Back])
            }
            () if reading.cursor.is_some() => {
                (Part::Scroll, &[Select, Left, SelectLines, SelectBlock, Copy, Help, Back])
            }
            () => (Part::Scroll, &[PageUp, Search, Select, PageDown, Filter, Follow, First, Last, Zoom, Help, Back]),
        };
    }
    if model.inspect.is_some() {
        let ended = model.selected_view().is_none_or(|view| view.record.status.is_final());
        let wanted: &[Intent] = match ended {
            true => &[Back, PageDown, Palette, Start, Clear, Help, Leave],
            false => &[Back, PageDown, Stop, Restart, Palette, Signal, Extend, Help, Leave],
        };
        return (Part::List, wanted);
    }
    if model.list.selected_group().is_some() {
        return (Part::List, &[Fold, Stop, Restart, Palette, Start, Clear, Filter, Help, Leave]);
    }
    if !model.marked.is_empty() {
        return (Part::List, &[Stop, Restart, Start, StopOthers, MergedLog, Mark, Clear, Signal, Palette, Help, Back]);
    }
    let Some(row) = model.list.selected() else { return (Part::List, &[NewRun, Palette, Help, Leave]) };
    let wanted: &[Intent] = match model.list.view_of(row) {
        None => &[Start, NewRun, Inspect, Palette, Help, Leave],
        Some(view) if view.record.status.is_final() => {
            &[Start, Search, NewRun, Scrollback, Clear, Palette, Inspect, Zoom, Help, Leave]
        }
        Some(view) if !view.control_open => &[Kill, NewRun, Palette, Inspect, Scrollback, Zoom, Help, Leave],
        Some(view) => match view.record.mode {
            Mode::Pty => {
                &[Attach, Stop, Restart, NewRun, Palette, Zoom, Inspect, Scrollback, Signal, Extend, Help, Leave]
            }
            Mode::Pipes => {
                &[Scrollback, Search, Stop, Restart, NewRun, Palette, Inspect, Zoom, Signal, Extend, Help, Leave]
            }
        },
    };
    (Part::List, wanted)
}

/// Draws what the user is told: over the bottom lines, until the next key, or until the server is there again.
pub(super) fn draw_notice(model: &Model, theme: Theme, status: Rect, buf: &mut Buffer) {
    let (text, style) = match (&model.notice, &model.parted) {
        (Some(Notice { level: Level::Info, text, .. }), _) => (text.clone(), theme.info()),
        (Some(Notice { level: Level::Error, text, .. }), _) => (text.clone(), theme.alarm()),
        (None, Some(why)) => (format!("no connection to the server, trying again: {why}"), theme.alarm()),
        (None, None) => return,
    };
    let text = crate::model::plain_line(&text, 1000);
    let cols = usize::from(status.width).saturating_sub(2);
    let mut lines = wrap(&text, cols);
    let room = NOTICE_LINES.min(usize::from(status.bottom()).saturating_sub(1)).max(1);
    if lines.len() > room {
        lines.truncate(room);
        if let Some(last) = lines.last_mut() {
            *last = super::super::model::fit(&format!("{last}…"), cols);
        }
    }
    let top = status.bottom().saturating_sub(u16::try_from(lines.len()).unwrap_or(1));
    for (line, text) in (top..).zip(&lines) {
        // The colours of the keys below it are not its own.
        Clear.render(Rect { y: line, height: 1, ..status }, buf);
        put_line(buf, status, line, &format!(" {text}"), style);
    }
}
