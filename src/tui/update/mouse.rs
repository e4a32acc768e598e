//! The mouse.

use ratatui::layout::{Position, Rect};

use crate::model::{Action, Key, Mode, Modifiers, Mouse, MouseButton, MouseKind, MouseTracking, NamedKey, WriteStdin};

use super::super::cmd::Cmd;
use super::super::model::{Focus, Line, Model, Overlay, areas};
use super::super::view;
use super::{attached, dispatch, keyboard, menus, palette, panes, scroll, select_mouse};

/// How far one notch of the wheel goes, in rows.
const NOTCH: i64 = 3;

pub(super) fn take(model: &mut Model, mouse: Mouse, cmds: &mut Vec<Cmd>) {
    let Some(places) = areas(model) else { return };
    if places.status.contains(Position::new(mouse.x, mouse.y)) && pressed_left(mouse) {
        return on_status(model, mouse.x, cmds);
    }
    if model.ending.is_some() {
        return;
    }
    if model.overlay.is_some() {
        return on_overlay(model, mouse, cmds);
    }
    if pressed_left(mouse) {
        model.pending = None;
    }
    if select_mouse::is_held(model)
        && matches!(mouse.kind, MouseKind::Move | MouseKind::Release)
        && let Some(area) = model.terminal_area()
    {
        return select_mouse::drag(model, mouse, area, cmds);
    }
    let at = Position::new(mouse.x, mouse.y);
    let is_in = |area: Option<Rect>| area.filter(|area| area.contains(at));
    if let Some(area) = is_in(places.pane) {
        return on_pane(model, mouse, area, cmds);
    }
    let focused = model.focused_pane();
    let beside =
        places.panes.iter().position(|place| place.is_some_and(|place| place.header.union(place.body).contains(at)));
    if let Some(index) = beside.filter(|index| *index != focused) {
        return on_other_pane(model, mouse, index, cmds);
    }
    if let Some(area) = is_in(places.list) {
        return on_list(model, mouse, area, cmds);
    }
    if is_in(places.list_header).is_some() && pressed_left(mouse) {
        model.dirty = true;
        super::filter::sort(model);
    }
}

/// A click on the bottom line: what is told there goes, an attached run is left, and a key is pressed.
fn on_status(model: &mut Model, x: u16, cmds: &mut Vec<Cmd>) {
    model.dirty = true;
    let hint = view::hint_at(model, x);
    let was_told = model.notice.take().is_some() | model.pending.take().is_some();
    if let Some((part, intent)) = hint {
        dispatch::press_for(model, part, intent, cmds);
    } else if model.part().is_none() && !was_told {
        attached::detach(model, cmds);
        model.doubling = None;
    }
}

fn pressed_left(mouse: Mouse) -> bool {
    mouse.kind == MouseKind::Press && mouse.button == MouseButton::Left
}

/// The rows that the wheel moves by, down for positive ones.
fn wheel(mouse: Mouse) -> Option<i64> {
    match mouse.button {
        MouseButton::WheelUp => Some(-NOTCH),
        MouseButton::WheelDown => Some(NOTCH),
        MouseButton::WheelLeft
        | MouseButton::WheelRight
        | MouseButton::Left
        | MouseButton::Middle
        | MouseButton::Right
        | MouseButton::None => None,
    }
}

fn on_overlay(model: &mut Model, mouse: Mouse, cmds: &mut Vec<Cmd>) {
    let at = Position::new(mouse.x, mouse.y);
    if let (Some(Overlay::Help { scroll }), Some(rows)) = (&model.overlay, wheel(mouse)) {
        let to = scroll.saturating_add_signed(rows as isize).min(view::help_end(model));
        (model.overlay, model.dirty) = (Some(Overlay::Help { scroll: to }), true);
    } else if let (Some(rows), Some(Overlay::Find(find))) = (wheel(mouse), &mut model.overlay) {
        find.step(rows as isize);
        model.dirty = true;
    } else if let (Some(rows), Some(Overlay::History(browser))) = (wheel(mouse), &mut model.overlay) {
        let last = browser.visible(&model.time_zone).len().saturating_sub(1);
        browser.selected = browser.selected.saturating_add_signed(rows as isize).min(last);
        model.dirty = true;
    } else if let (Some(Overlay::Palette(open)), Some(rows)) = (model.overlay.clone(), wheel(mouse)) {
        palette::wheel(model, open, rows > 0);
        model.dirty = true;
    } else if pressed_left(mouse)
        && let Some(entry) = view::palette_entry_at(model, Position::new(mouse.x, mouse.y))
        && let Some(Overlay::Palette(open)) = model.overlay.take()
    {
        model.dirty = true;
        palette::click(model, &open, entry, cmds);
    } else if pressed_left(mouse)
        && let Some(entry) = view::entry_at(model, at).or_else(|| view::line_at(model, at))
    {
        model.dirty = true;
        menus::click(model, entry, cmds);
    }
}

fn on_list(model: &mut Model, mouse: Mouse, area: Rect, cmds: &mut Vec<Cmd>) {
    if let Some(rows) = wheel(mouse) {
        model.list.move_selection(if rows < 0 { -1 } else { 1 });
    } else if pressed_left(mouse) {
        let index = model.list_top(area.height) + usize::from(mouse.y - area.y);
        let Some(line) = model.list.lines().get(index).cloned() else { return };
        if model.focus == Focus::Attached {
            attached::detach(model, cmds);
            model.doubling = None;
        }
        scroll::leave(model);
        model.list.select(index);
        if let Line::Group(name) = line {
            model.list.fold(&name);
        }
    } else {
        return;
    }
    (model.notice, model.dirty) = (None, true);
    if model.focus == Focus::Attached {
        // The wheel over the list selects another run: nobody is attached to it yet.
        model.focus = Focus::List;
    }
}

/// A click selects another pane; who was attached is attached there.
fn on_other_pane(model: &mut Model, mouse: Mouse, index: usize, cmds: &mut Vec<Cmd>) {
    let Some(key) = model.row_at(index).map(|row| row.key.clone()).filter(|_| pressed_left(mouse)) else { return };
    let was_attached = model.focus == Focus::Attached;
    if was_attached {
        attached::detach(model, cmds);
        model.doubling = None;
    }
    scroll::leave(model);
    model.list.select_key(&key);
    (model.notice, model.dirty) = (None, true);
    let takes_keys = |view: &crate::api::RunView| view.record.mode == Mode::Pty && !view.record.status.is_final();
    if was_attached && model.selected_view().is_some_and(takes_keys) {
        panes::settle(model, cmds);
        attached::attach(model, cmds);
    }
}

fn on_pane(model: &mut Model, mouse: Mouse, area: Rect, cmds: &mut Vec<Cmd>) {
    if let Some(panel) = &mut model.inspect {
        if let Some(rows) = wheel(mouse) {
            panel.scroll = panel.scroll.saturating_add_signed(rows as isize);
            model.dirty = true;
        }
        return;
    }
    if pressed_left(mouse) && select_mouse::press(model, mouse, area) {
        (model.notice, model.dirty) = (None, true);
        return;
    }
    if model.focus == Focus::Attached {
        if pass_on(model, mouse, area, cmds) {
            return;
        }
    } else if pressed_left(mouse) {
        (model.notice, model.dirty) = (None, true);
        if model.focus == Focus::List {
            attached::attach(model, cmds);
        }
        return;
    }
    if let Some(rows) = wheel(mouse)
        && model.pane.frame.is_some()
    {
        model.dirty = true;
        if model.focus == Focus::List && rows < 0 {
            scroll::enter(model);
        }
        scroll::by(model, rows);
    }
}

/// Gives the event to the attached program if it wants it. Returns whether it was given.
fn pass_on(model: &mut Model, mouse: Mouse, area: Rect, cmds: &mut Vec<Cmd>) -> bool {
    let (Some(run), Some(frame)) = (attached::live_run(model), &model.pane.frame) else { return false };
    let modes = frame.modes;
    let wanted = match (modes.mouse_tracking, mouse.kind) {
        (MouseTracking::Off, _) => false,
        (MouseTracking::Press, kind) => kind == MouseKind::Press,
        (MouseTracking::Click, kind) => kind != MouseKind::Move,
        (MouseTracking::Drag, kind) => kind != MouseKind::Move || mouse.button != MouseButton::None,
        (MouseTracking::Motion, _) => true,
    };
    let x = mouse.x - area.x;
    let row = u64::from(mouse.y - area.y) + model.pane.top(area.height);
    if wanted && model.pane.scroll.is_none() {
        // A program hears only of cells that it has.
        let y = row.checked_sub(frame.history.end).and_then(|y| u16::try_from(y).ok());
        let Some(y) = y.filter(|y| *y < frame.size.rows() && x < frame.size.cols()) else { return true };
        let action = Action::Mouse(Mouse { x, y, ..mouse });
        // A mouse that only moves takes no keyboard.
        let may =
            if mouse.kind == MouseKind::Move { model.keyboards.is_held(run) } else { keyboard::press(model, cmds) };
        if may {
            cmds.push(Cmd::Control { run, control: WriteStdin::actions(vec![action]) });
        }
        return true;
    }
    // A full-screen program without a mouse has no scrollback to show: the wheel is its cursor keys, as elsewhere.
    if let (true, MouseTracking::Off, Some(rows)) = (modes.alternate_screen, modes.mouse_tracking, wheel(mouse)) {
        let key = Key::Named(if rows < 0 { NamedKey::Up } else { NamedKey::Down });
        let actions = vec![Action::Key(key, Modifiers::default()); NOTCH as usize];
        if !keyboard::press(model, cmds) {
            return true;
        }
        cmds.push(Cmd::Control { run, control: WriteStdin::actions(actions) });
        return true;
    }
    false
}
