//! What control sequences mean: xterm's keys with modifiers, SGR mouse reports, changes of the focus and of the colours.

use crate::model::{Key, KeyChord, Modifiers, Mouse, MouseButton, MouseKind, NamedKey};

use super::super::event::Input;
use super::super::ground::Ground;
use super::kitty;

/// Understands the parameters and the final byte of a control sequence.
pub(super) fn csi(parameters: &[u8], last: u8, alt: bool) -> Option<Input> {
    if let Some(report) = parameters.strip_prefix(b"<") {
        return mouse(&numbers(report)?, last);
    }
    if parameters.is_empty() && matches!(last, b'I' | b'O') {
        return Some(Input::Focus(last == b'I'));
    }
    if last == b'n' {
        return Ground::of_report(parameters).map(Input::GroundChanged);
    }
    if last == b'u' {
        return if parameters.starts_with(b"?") { Some(Input::HasKeyboardFlags) } else { kitty::key(parameters, alt) };
    }
    // A key that is let go.
    if parameters.ends_with(b":3") {
        return None;
    }
    let numbers = numbers(parameters)?;
    let first = numbers.first().copied().unwrap_or(1);
    let modifiers = modifiers(numbers.get(1).copied().unwrap_or(1), alt);
    let key = match last {
        b'~' => Key::Named(numbered(first)?),
        b'Z' => return key(NamedKey::Tab, Modifiers { shift: true, ..modifiers }),
        letter => Key::Named(lettered(letter)?),
    };
    Some(Input::Key(KeyChord { key, modifiers }))
}

/// Understands the byte after `SS3`.
pub(super) fn ss3(last: u8, alt: bool) -> Option<Input> {
    let named = if last == b'M' { NamedKey::Enter } else { lettered(last)? };
    key(named, modifiers(1, alt))
}

fn key(named: NamedKey, modifiers: Modifiers) -> Option<Input> {
    Some(Input::Key(KeyChord { key: Key::Named(named), modifiers }))
}

/// Decimal parameters; none where there is something else. Of sub-parameters the first counts.
fn numbers(parameters: &[u8]) -> Option<Vec<u16>> {
    if parameters.is_empty() {
        return Some(Vec::new());
    }
    let text = std::str::from_utf8(parameters).ok()?;
    let number = |field: &str| match field.split(':').next() {
        Some("") | None => Some(1),
        Some(digits) => digits.parse().ok(),
    };
    text.split(';').map(number).collect()
}

/// xterm's sum: one more than Shift 1, Alt 2, Ctrl 4, Meta 8.
fn modifiers(code: u16, alt: bool) -> Modifiers {
    let bits = code.saturating_sub(1);
    Modifiers { shift: bits & 1 != 0, alt: alt || bits & (2 | 8) != 0, ctrl: bits & 4 != 0 }
}

fn lettered(letter: u8) -> Option<NamedKey> {
    Some(match letter {
        b'A' => NamedKey::Up,
        b'B' => NamedKey::Down,
        b'C' => NamedKey::Right,
        b'D' => NamedKey::Left,
        b'H' => NamedKey::Home,
        b'F' => NamedKey::End,
        b'P' => NamedKey::F(1),
        b'Q' => NamedKey::F(2),
        b'R' => NamedKey::F(3),
        b'S' => NamedKey::F(4),
        _ => return None,
    })
}

fn numbered(number: u16) -> Option<NamedKey> {
    Some(match number {
        1 | 7 => NamedKey::Home,
        2 => NamedKey::Insert,
        3 => NamedKey::Delete,
        4 | 8 => NamedKey::End,
        5 => NamedKey::PageUp,
        6 => NamedKey::PageDown,
        11 => NamedKey::F(1),
        12 => NamedKey::F(2),
        13 => NamedKey::F(3),
        14 => NamedKey::F(4),
        15 => NamedKey::F(5),
        17 => NamedKey::F(6),
        18 => NamedKey::F(7),
        19 => NamedKey::F(8),
        20 => NamedKey::F(9),
        21 => NamedKey::F(10),
        23 => NamedKey::F(11),
        24 => NamedKey::F(12),
        _ => return None,
    })
}

fn mouse(numbers: &[u16], last: u8) -> Option<Input> {
    let [code, x, y] = numbers else { return None };
    let held = Modifiers { shift: code & 4 != 0, alt: code & 8 != 0, ctrl: code & 16 != 0 };
    let button = match code & (64 | 128 | 3) {
        0 => MouseButton::Left,
        1 => MouseButton::Middle,
        2 => MouseButton::Right,
        3 => MouseButton::None,
        64 => MouseButton::WheelUp,
        65 => MouseButton::WheelDown,
        66 => MouseButton::WheelLeft,
        67 => MouseButton::WheelRight,
        _ => return None,
    };
    let kind = match (button, last) {
        (MouseButton::WheelUp | MouseButton::WheelDown | MouseButton::WheelLeft | MouseButton::WheelRight, _) => {
            MouseKind::Scroll
        }
        (_, b'M' | b'm') if code & 32 != 0 => MouseKind::Move,
        (MouseButton::None, _) => return None,
        (_, b'M') => MouseKind::Press,
        (_, b'm') => MouseKind::Release,
        _ => return None,
    };
    let place = |number: u16| number.saturating_sub(1);
    Some(Input::Mouse(Mouse { kind, button, x: place(*x), y: place(*y), modifiers: held }))
}
