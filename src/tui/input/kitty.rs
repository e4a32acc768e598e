//! Keys by their code points (`CSI code:shifted:base ; modifiers:event ; text u`), as the kitty keyboard protocol has them.

use crate::model::{Key, KeyChord, Modifiers, NamedKey};

use super::super::event::Input;

const SHIFT: u16 = 1;
const ALT: u16 = 2;
const CTRL: u16 = 4;
const SUPER: u16 = 8;
const HYPER: u16 = 16;
const META: u16 = 32;

/// The event that says that a key was let go.
const RELEASE: u32 = 3;

/// Understands the parameters; none for a release, for keys that runs do not know, and with modifiers that they do not know.
pub(super) fn key(parameters: &[u8], alt: bool) -> Option<Input> {
    let text = std::str::from_utf8(parameters).ok()?;
    let mut fields = text.split(';').map(numbers);
    let [code, shifted, base] = fields.next()??;
    let [held, event, _] = fields.next().unwrap_or(Some([None; 3]))?;
    if event == Some(RELEASE) {
        return None;
    }
    // Caps Lock (64) and Num Lock (128) are no part of a key.
    let held = u16::try_from(held.unwrap_or(1)).ok()?.saturating_sub(1);
    if held & (SUPER | HYPER) != 0 {
        return None;
    }
    let is = |bits| held & bits != 0;
    let modifiers = Modifiers { shift: is(SHIFT), alt: alt || is(ALT | META), ctrl: is(CTRL) };
    let code = code?;
    let (key, modifiers) = match named(code) {
        Some(named) => (Key::Named(named), modifiers),
        None => character(code, shifted, base, modifiers)?,
    };
    Some(Input::Key(KeyChord { key, modifiers }))
}

/// A field's first three numbers; none where there is something else.
fn numbers(field: &str) -> Option<[Option<u32>; 3]> {
    let mut numbers = [None; 3];
    for (number, digits) in numbers.iter_mut().zip(field.split(':')) {
        if !digits.is_empty() {
            *number = Some(digits.parse().ok()?);
        }
    }
    Some(numbers)
}

/// A character with what Shift makes of it, as the bytes of the usual encoding would say it: `é`, not Shift and `e` in the place of `2`.
fn character(code: u32, shifted: Option<u32>, base: Option<u32>, held: Modifiers) -> Option<(Key, Modifiers)> {
    let typed =
        |code: u32| keypad(code).or_else(|| char::from_u32(code)).filter(|c| !c.is_control() && !is_private(*c));
    let plain = typed(code)?;
    // Ctrl and a letter that is not Latin is Ctrl and the Latin letter on the same key.
    if let Some(base) = base.and_then(typed).filter(|_| held.ctrl && !plain.is_ascii()) {
        return Some((Key::Char(base), held));
    }
    if !held.shift || held.ctrl && plain.is_alphabetic() {
        return Some((Key::Char(plain), held));
    }
    let upper = || plain.to_uppercase().next().filter(|upper| *upper != plain);
    Some(match shifted.and_then(typed).or_else(upper) {
        Some(shifted) => (Key::Char(shifted), Modifiers { shift: false, ..held }),
        None => (Key::Char(plain), held),
    })
}

/// Keys that have a number of their own but no character lie in here.
fn is_private(character: char) -> bool {
    ('\u{e000}'..='\u{f8ff}').contains(&character)
}

fn named(code: u32) -> Option<NamedKey> {
    Some(match code {
        9 => NamedKey::Tab,
        13 | 57_414 => NamedKey::Enter,
        27 => NamedKey::Escape,
        127 => NamedKey::Backspace,
        57_417 => NamedKey::Left,
        57_418 => NamedKey::Right,
        57_419 => NamedKey::Up,
        57_420 => NamedKey::Down,
        57_421 => NamedKey::PageUp,
        57_422 => NamedKey::PageDown,
        57_423 => NamedKey::Home,
        57_424 => NamedKey::End,
        57_425 => NamedKey::Insert,
        57_426 => NamedKey::Delete,
        _ => return None,
    })
}

/// What the other keys of the keypad type.
fn keypad(code: u32) -> Option<char> {
    Some(match code {
        57_399..=57_408 => char::from_digit(code - 57_399, 10)?,
        57_409 => '.',
        57_410 => '/',
        57_411 => '*',
        57_412 => '-',
        57_413 => '+',
        57_415 => '=',
        57_416 => ',',
        _ => return None,
    })
}
