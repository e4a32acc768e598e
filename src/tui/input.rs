//! From what the terminal sends to what the TUI understands.

use std::io;

use crossterm::event::{
    Event, EventStream, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton as Button, MouseEvent,
    MouseEventKind,
};
use futures_util::{Stream, StreamExt};

use crate::model::{Key, KeyChord, Modifiers, Mouse, MouseButton, MouseKind, NamedKey};

use super::event::Input;

/// The user's input as it comes.
pub(super) fn inputs() -> impl Stream<Item = io::Result<Input>> + Unpin {
    EventStream::new().filter_map(|event| std::future::ready(event.map(understood).transpose()))
}

fn understood(event: Event) -> Option<Input> {
    match event {
        Event::Key(key) => chord(key).map(Input::Key),
        Event::Mouse(event) => Some(Input::Mouse(mouse(event))),
        Event::Paste(text) => Some(Input::Paste(text)),
        Event::FocusGained => Some(Input::Focus(true)),
        Event::FocusLost => Some(Input::Focus(false)),
        // A terminal that reports no size keeps the one it had.
        Event::Resize(cols, rows) => (cols > 0 && rows > 0).then_some(Input::Resize { cols, rows }),
    }
}

fn chord(event: KeyEvent) -> Option<KeyChord> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let named = Key::Named;
    let mut modifiers = modifiers(event.modifiers);
    let key = match event.code {
        KeyCode::Char(c) => {
            // The character says whether Shift was held.
            modifiers.shift = false;
            Key::Char(c)
        }
        KeyCode::BackTab => {
            modifiers.shift = true;
            named(NamedKey::Tab)
        }
        KeyCode::Enter => named(NamedKey::Enter),
        KeyCode::Esc => named(NamedKey::Escape),
        KeyCode::Tab => named(NamedKey::Tab),
        KeyCode::Backspace => named(NamedKey::Backspace),
        KeyCode::Delete => named(NamedKey::Delete),
        KeyCode::Up => named(NamedKey::Up),
        KeyCode::Down => named(NamedKey::Down),
        KeyCode::Left => named(NamedKey::Left),
        KeyCode::Right => named(NamedKey::Right),
        KeyCode::Home => named(NamedKey::Home),
        KeyCode::End => named(NamedKey::End),
        KeyCode::Insert => named(NamedKey::Insert),
        KeyCode::PageUp => named(NamedKey::PageUp),
        KeyCode::PageDown => named(NamedKey::PageDown),
        KeyCode::F(n @ 1..=12) => named(NamedKey::F(n)),
        KeyCode::Null => {
            modifiers.ctrl = true;
            Key::Char(' ')
        }
        KeyCode::F(_)
        | KeyCode::CapsLock
        | KeyCode::ScrollLock
        | KeyCode::NumLock
        | KeyCode::PrintScreen
        | KeyCode::Pause
        | KeyCode::Menu
        | KeyCode::KeypadBegin
        | KeyCode::Media(_)
        | KeyCode::Modifier(_) => return None,
    };
    Some(KeyChord { key, modifiers })
}

fn modifiers(held: KeyModifiers) -> Modifiers {
    Modifiers {
        ctrl: held.contains(KeyModifiers::CONTROL),
        alt: held.intersects(KeyModifiers::ALT | KeyModifiers::META),
        shift: held.contains(KeyModifiers::SHIFT),
    }
}

fn mouse(event: MouseEvent) -> Mouse {
    let button = |button| match button {
        Button::Left => MouseButton::Left,
        Button::Right => MouseButton::Right,
        Button::Middle => MouseButton::Middle,
    };
    let (kind, button) = match event.kind {
        MouseEventKind::Down(which) => (MouseKind::Press, button(which)),
        MouseEventKind::Up(which) => (MouseKind::Release, button(which)),
        MouseEventKind::Drag(which) => (MouseKind::Move, button(which)),
        MouseEventKind::Moved => (MouseKind::Move, MouseButton::None),
        MouseEventKind::ScrollUp => (MouseKind::Scroll, MouseButton::WheelUp),
        MouseEventKind::ScrollDown => (MouseKind::Scroll, MouseButton::WheelDown),
        MouseEventKind::ScrollLeft => (MouseKind::Scroll, MouseButton::WheelLeft),
        MouseEventKind::ScrollRight => (MouseKind::Scroll, MouseButton::WheelRight),
    };
    Mouse { kind, button, x: event.column, y: event.row, modifiers: modifiers(event.modifiers) }
}
