//! Keys as bytes: xterm's encoding, modifyOtherKeys, and the kitty keyboard protocol.

use crate::model::{Key, Modifiers, NamedKey, TerminalModes};

/// Flags of the kitty keyboard protocol.
const DISAMBIGUATE: u8 = 1;
const ALTERNATE_KEYS: u8 = 4;
const ALL_AS_ESCAPES: u8 = 8;
const ASSOCIATED_TEXT: u8 = 16;

/// Writes a key press.
pub(super) fn encode_key(modes: &TerminalModes, key: Key, modifiers: Modifiers, out: &mut Vec<u8>) {
    if modes.kitty_keyboard & (DISAMBIGUATE | ALL_AS_ESCAPES) != 0 && kitty(modes.kitty_keyboard, key, modifiers, out) {
        return;
    }
    if modes.modify_other_keys > 0 && modify_other_keys(modes.modify_other_keys, key, modifiers, out) {
        return;
    }
    match key {
        Key::Char(character) => legacy_char(character, modifiers, out),
        Key::Named(named) => legacy_named(modes, named, modifiers, out),
    }
}

/// Returns the number that stands for the modifiers in a sequence; 1 is none.
fn modifier_number(modifiers: Modifiers) -> u8 {
    1 + u8::from(modifiers.shift) + 2 * u8::from(modifiers.alt) + 4 * u8::from(modifiers.ctrl)
}

/// How a key of its own is spelled: `CSI letter`, `SS3 letter` or `CSI number ~`.
enum Spelling {
    /// A cursor key: `SS3` in application mode.
    Cursor(u8),
    /// One of F1 to F4: always `SS3`.
    Function(u8),
    Number(u8),
    Control(u8),
}

fn spelling(key: NamedKey) -> Spelling {
    match key {
        NamedKey::Enter => Spelling::Control(b'\r'),
        NamedKey::Escape => Spelling::Control(0x1b),
        NamedKey::Tab => Spelling::Control(b'\t'),
        NamedKey::Backspace => Spelling::Control(0x7f),
        NamedKey::Up => Spelling::Cursor(b'A'),
        NamedKey::Down => Spelling::Cursor(b'B'),
        NamedKey::Right => Spelling::Cursor(b'C'),
        NamedKey::Left => Spelling::Cursor(b'D'),
        NamedKey::Home => Spelling::Cursor(b'H'),
        NamedKey::End => Spelling::Cursor(b'F'),
        NamedKey::Insert => Spelling::Number(2),
        NamedKey::Delete => Spelling::Number(3),
        NamedKey::PageUp => Spelling::Number(5),
        NamedKey::PageDown => Spelling::Number(6),
        NamedKey::F(number @ 1..=4) => Spelling::Function(b'P' + number - 1),
        NamedKey::F(number @ 5..=5) => Spelling::Number(number + 10),
        NamedKey::F(number @ 6..=10) => Spelling::Number(number + 11),
        NamedKey::F(number) => Spelling::Number(number.min(12) + 12),
    }
}

fn legacy_named(modes: &TerminalModes, key: NamedKey, modifiers: Modifiers, out: &mut Vec<u8>) {
    let number = modifier_number(modifiers);
    match spelling(key) {
        Spelling::Control(byte) => legacy_control(modes, byte, modifiers, out),
        Spelling::Cursor(letter) | Spelling::Function(letter) if number > 1 => {
            out.extend_from_slice(format!("\x1b[1;{number}{}", char::from(letter)).as_bytes());
        }
        Spelling::Cursor(letter) => {
            out.extend_from_slice(&[0x1b, if modes.application_cursor { b'O' } else { b'[' }, letter]);
        }
        Spelling::Function(letter) => out.extend_from_slice(&[0x1b, b'O', letter]),
        Spelling::Number(code) if number > 1 => out.extend_from_slice(format!("\x1b[{code};{number}~").as_bytes()),
        Spelling::Number(code) => out.extend_from_slice(format!("\x1b[{code}~").as_bytes()),
    }
}

/// Enter, Escape, Tab and Backspace.
fn legacy_control(modes: &TerminalModes, byte: u8, modifiers: Modifiers, out: &mut Vec<u8>) {
    if byte == b'\t' && modifiers.shift {
        if modifiers.alt {
            out.push(0x1b);
        }
        out.extend_from_slice(b"\x1b[Z");
        return;
    }
    if modifiers.alt {
        out.push(0x1b);
    }
    match byte {
        0x7f if modifiers.ctrl => out.push(0x08),
        b'\r' if modes.newline => out.extend_from_slice(b"\r\n"),
        _ => out.push(byte),
    }
}

fn legacy_char(character: char, modifiers: Modifiers, out: &mut Vec<u8>) {
    if modifiers.alt {
        out.push(0x1b);
    }
    let control = if modifiers.ctrl { control_byte(character) } else { None };
    match control {
        Some(byte) => out.push(byte),
        None => push_char(shifted(character, modifiers), out),
    }
}

/// Returns the control character that Ctrl makes of a character.
fn control_byte(character: char) -> Option<u8> {
    Some(match character {
        'a'..='z' | 'A'..='Z' => character as u8 & 0x1f,
        '@' | ' ' | '`' | '2' => 0x00,
        '[' | '{' | '3' => 0x1b,
        '\\' | '|' | '4' => 0x1c,
        ']' | '}' | '5' => 0x1d,
        '^' | '~' | '6' => 0x1e,
        '_' | '/' | '-' | '7' => 0x1f,
        '?' | '8' => 0x7f,
        _ => return None,
    })
}

fn shifted(character: char, modifiers: Modifiers) -> char {
    if modifiers.shift && character.is_lowercase() {
        let mut upper = character.to_uppercase();
        match (upper.next(), upper.next()) {
            (Some(one), None) => one,
            _ => character,
        }
    } else {
        character
    }
}

fn push_char(character: char, out: &mut Vec<u8>) {
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Writes the key as `CSI 27 ; modifiers ; code ~`, where the level asks for it.
fn modify_other_keys(level: u8, key: Key, modifiers: Modifiers, out: &mut Vec<u8>) -> bool {
    let number = modifier_number(modifiers);
    let code = match key {
        Key::Char(character) => {
            // What Shift types is told by the character itself.
            let has_own = !modifiers.ctrl && !modifiers.alt
                || level == 1 && (!modifiers.ctrl || control_byte(character).is_some());
            if has_own {
                return false;
            }
            u32::from(shifted(character, modifiers))
        }
        Key::Named(named) => match spelling(named) {
            Spelling::Control(byte) if number > 1 => {
                let has_own = match named {
                    NamedKey::Tab => level == 1 && !modifiers.ctrl,
                    NamedKey::Backspace | NamedKey::Escape => level == 1,
                    _ => level == 1 && !modifiers.ctrl && !modifiers.shift,
                };
                if has_own || named == NamedKey::Tab && number == 2 {
                    return false;
                }
                u32::from(byte)
            }
            Spelling::Control(_) | Spelling::Cursor(_) | Spelling::Function(_) | Spelling::Number(_) => return false,
        },
    };
    out.extend_from_slice(format!("\x1b[27;{number};{code}~").as_bytes());
    true
}

/// Writes the key as the kitty keyboard protocol has it, where its flags ask for that.
fn kitty(flags: u8, key: Key, modifiers: Modifiers, out: &mut Vec<u8>) -> bool {
    let number = modifier_number(modifiers);
    let all = flags & ALL_AS_ESCAPES != 0;
    match key {
        Key::Char(character) => {
            if !all && !modifiers.ctrl && !modifiers.alt {
                return false;
            }
            kitty_char(flags, character, modifiers, out);
        }
        Key::Named(named) => match spelling(named) {
            Spelling::Control(byte) => {
                let keeps_legacy = byte != 0x1b && number == 1 && !all;
                if keeps_legacy {
                    return false;
                }
                write_u(u32::from(byte), None, number, None, out);
            }
            // The protocol spells F3 with a number: its letter would look like a cursor report.
            Spelling::Function(b'R') if number > 1 => out.extend_from_slice(format!("\x1b[13;{number}~").as_bytes()),
            Spelling::Function(b'R') => out.extend_from_slice(b"\x1b[13~"),
            Spelling::Cursor(letter) | Spelling::Function(letter) if number > 1 => {
                out.extend_from_slice(format!("\x1b[1;{number}{}", char::from(letter)).as_bytes());
            }
            Spelling::Cursor(letter) | Spelling::Function(letter) => out.extend_from_slice(&[0x1b, b'[', letter]),
            Spelling::Number(_) => return false,
        },
    }
    true
}

fn kitty_char(flags: u8, character: char, modifiers: Modifiers, out: &mut Vec<u8>) {
    let text = shifted(character, modifiers);
    // The code is that of the key without Shift.
    let mut lower = character.to_lowercase();
    let base = match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => character,
    };
    let modifiers = Modifiers { shift: modifiers.shift || base != character, ..modifiers };
    let alternate = (flags & ALTERNATE_KEYS != 0 && modifiers.shift && text != base).then_some(text);
    let types_text = !modifiers.ctrl && !modifiers.alt;
    let associated = (flags & ASSOCIATED_TEXT != 0 && flags & ALL_AS_ESCAPES != 0 && types_text).then_some(text);
    write_u(u32::from(base), alternate, modifier_number(modifiers), associated, out);
}

/// Writes `CSI code:alternate ; modifiers ; text u`, leaving out what is not needed.
fn write_u(code: u32, alternate: Option<char>, number: u8, text: Option<char>, out: &mut Vec<u8>) {
    let mut sequence = format!("\x1b[{code}");
    if let Some(alternate) = alternate {
        sequence.push_str(&format!(":{}", u32::from(alternate)));
    }
    match (number, text) {
        (1, None) => {}
        (1, Some(text)) => sequence.push_str(&format!(";;{}", u32::from(text))),
        (_, None) => sequence.push_str(&format!(";{number}")),
        (_, Some(text)) => sequence.push_str(&format!(";{number};{}", u32::from(text))),
    }
    sequence.push('u');
    out.extend_from_slice(sequence.as_bytes());
}

#[cfg(test)]
#[path = "encode_key_tests.rs"]
mod tests;
