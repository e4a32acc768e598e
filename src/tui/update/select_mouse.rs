//! Selecting with the mouse.

use std::time::Duration;

use ratatui::layout::Rect;

use crate::model::{Mouse, MouseButton, MouseKind, MouseTracking};

use super::super::cmd::Cmd;
use super::super::model::{Focus, Kind, Model, Point, Press, Selection, word_at};
use super::{attached, reading};

/// Pressed again within this at the same cell, it is a double click.
const AGAIN_WITHIN: Duration = Duration::from_millis(400);

/// Takes the press of the left button in the pane. Returns false when it belongs to the program.
pub(super) fn press(model: &mut Model, mouse: Mouse, area: Rect) -> bool {
    let wants_mouse = model.pane.frame.as_ref().is_some_and(|frame| frame.modes.mouse_tracking != MouseTracking::Off);
    let is_for_program = model.focus == Focus::Attached && wants_mouse && model.pane.scroll.is_none();
    if (is_for_program && !mouse.modifiers.shift) || model.pane.frame.is_none() {
        model.pane.reading.press = None;
        return false;
    }
    let at = model.pane.point_at(mouse.x - area.x, mouse.y - area.y, area.height);
    let now = model.now;
    let pane = &mut model.pane;
    let before = pane.reading.press.take();
    let is_again = before.filter(|press| press.at == at && now.since(press.when) < AGAIN_WITHIN);
    let clicks = is_again.map_or(1, |press| press.clicks % 3 + 1);
    pane.reading.press = Some(Press { at, when: now, clicks, is_held: true, is_drag: false, scroll: pane.scroll });
    pane.reading.selection = None;
    if clicks > 1 {
        // The text is needed to know where the word ends.
        pane.reading.selection = Some(Selection { kind: Kind::Lines, anchor: at, head: at });
        pane.update_reading(false);
        if clicks == 2 {
            let (anchor, head) = word_at(&pane.reading.text, at);
            pane.reading.selection = Some(Selection { kind: Kind::Chars, anchor, head });
        }
        pane.stop_view(area.height);
    }
    true
}

/// Whether the button is held that selects.
pub(super) fn is_held(model: &Model) -> bool {
    model.pane.reading.press.is_some_and(|press| press.is_held)
}

/// Takes what happens until the button is let go, also outside the pane.
pub(super) fn drag(model: &mut Model, mouse: Mouse, area: Rect, cmds: &mut Vec<Cmd>) {
    let Some(press) = model.pane.reading.press else { return };
    match mouse.kind {
        MouseKind::Move if mouse.button == MouseButton::Left => stretch(model, press, mouse, area),
        MouseKind::Release => release(model, press, cmds),
        MouseKind::Press | MouseKind::Move | MouseKind::Click | MouseKind::Scroll => {}
    }
}

fn stretch(model: &mut Model, press: Press, mouse: Mouse, area: Rect) {
    let pane = &mut model.pane;
    // Beyond an edge the rows come towards the mouse.
    let beyond = match mouse.y {
        y if y < area.y => -1,
        y if y >= area.bottom() => 1,
        _ => 0,
    };
    let x = mouse.x.clamp(area.x, area.right().saturating_sub(1)) - area.x;
    let line = mouse.y.clamp(area.y, area.bottom().saturating_sub(1)) - area.y;
    let at = pane.point_at(x, line, area.height);
    if at == press.at && beyond == 0 && !press.is_drag {
        return;
    }
    pane.stop_view(area.height);
    if beyond != 0 {
        pane.scroll_shown(beyond, area.height);
        pane.stop_view(area.height);
    }
    let at = if beyond == 0 { at } else { pane.point_at(x, line, area.height) };
    pane.reading.press = Some(Press { is_drag: true, ..press });
    let selection = match (press.clicks, mouse.modifiers.alt) {
        (_, true) => Selection { kind: Kind::Block, anchor: press.at, head: at },
        (3, _) => Selection { kind: Kind::Lines, anchor: press.at, head: at },
        (2, _) => by_words(model, press.at, at),
        (_, false) => Selection { kind: Kind::Chars, anchor: press.at, head: at },
    };
    model.pane.reading.selection = Some(selection);
    model.pane.update_reading(false);
    model.dirty = true;
}

fn by_words(model: &Model, from: Point, to: Point) -> Selection {
    let text = &model.pane.reading.text;
    let (first, last) = (word_at(text, from.min(to)), word_at(text, from.max(to)));
    let (anchor, head) = if from <= to { (first.0, last.1) } else { (last.1, first.0) };
    Selection { kind: Kind::Chars, anchor, head }
}

fn release(model: &mut Model, press: Press, cmds: &mut Vec<Cmd>) {
    let pane = &mut model.pane;
    pane.reading.press = Some(Press { is_held: false, ..press });
    model.dirty = true;
    let Some(selection) = pane.reading.selection else {
        // A click.
        if model.focus == Focus::List {
            attached::attach(model, cmds);
        }
        return;
    };
    if model.setup.copy_on_release {
        reading::copy_selection(model, selection, true, cmds);
        if model.focus != Focus::Scroll && press.scroll.is_none() {
            // What was selected stays marked until the next key, and output goes on.
            (model.pane.scroll, model.pane.reading.news) = (None, 0);
        }
    }
    if model.focus == Focus::Scroll || !model.setup.copy_on_release {
        model.focus = Focus::Scroll;
        model.pane.reading.cursor = Some(selection.head);
    }
}
