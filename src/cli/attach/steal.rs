//! The one key that does not reach the run: all forms in which terminals send it.

use crate::model::{Key, KeyChord, NamedKey};

/// Returns every form in which a terminal sends a key; none when it has no form of its own that could be told from other input.
///
/// Besides the usual one these are the form of the kitty keyboard protocol and that of xterm's modifyOtherKeys: a run may have asked for them.
pub(super) fn forms(chord: KeyChord) -> Vec<Vec<u8>> {
    let KeyChord { key, modifiers } = chord;
    let number = 1 + u32::from(modifiers.shift) + 2 * u32::from(modifiers.alt) + 4 * u32::from(modifiers.ctrl);
    let mut forms: Vec<Vec<u8>> = Vec::new();
    match key {
        Key::Char(c) if modifiers.ctrl || modifiers.alt => {
            let escape = if modifiers.alt { "\x1b" } else { "" };
            if modifiers.ctrl {
                forms.extend(control(c).map(|byte| [escape.as_bytes(), &[byte]].concat()));
            } else {
                forms.push(format!("{escape}{c}").into_bytes());
            }
            let code = u32::from(c.to_ascii_lowercase());
            for form in [format!("{code};{number}u"), format!("{code};{number}:1u"), format!("27;{number};{code}~")] {
                forms.push(format!("\x1b[{form}").into_bytes());
            }
        }
        Key::Named(NamedKey::F(n)) => {
            let (letter, code) = match n {
                1..=4 => (Some(char::from(b'O' + n)), 10 + n),
                5 => (None, 15),
                6..=10 => (None, 11 + n),
                _ => (None, 12 + n),
            };
            match (number, letter) {
                (1, Some(letter)) => {
                    forms.extend([format!("\x1bO{letter}"), format!("\x1b[{letter}")].map(String::into_bytes))
                }
                (_, Some(letter)) => forms.push(format!("\x1b[1;{number}{letter}").into_bytes()),
                (_, None) => {}
            }
            let plain = if number == 1 { format!("\x1b[{code}~") } else { format!("\x1b[{code};{number}~") };
            forms.push(plain.into_bytes());
        }
        Key::Char(_)
        | Key::Named(
            NamedKey::Enter
            | NamedKey::Escape
            | NamedKey::Tab
            | NamedKey::Backspace
            | NamedKey::Delete
            | NamedKey::Up
            | NamedKey::Down
            | NamedKey::Left
            | NamedKey::Right
            | NamedKey::Home
            | NamedKey::End
            | NamedKey::Insert
            | NamedKey::PageUp
            | NamedKey::PageDown,
        ) => {}
    }
    forms
}

/// Returns the control character of Ctrl with a key; none for Enter's and Tab's, which could not be told from those.
fn control(c: char) -> Option<u8> {
    match c.to_ascii_lowercase() {
        'i' | 'm' | '[' => None,
        c @ 'a'..='z' => Some(c as u8 - b'a' + 1),
        '\\' => Some(0x1c),
        ']' => Some(0x1d),
        '^' => Some(0x1e),
        '_' => Some(0x1f),
        ' ' | '@' => Some(0),
        _ => None,
    }
}

/// Caps Lock and Num Lock are told with every key, and are no part of any.
const LOCKS: u32 = 64 | 128;

/// The event that says that a key was let go.
const RELEASE: u32 = 3;

/// Shift, Ctrl and the like by themselves.
const MODIFIER_KEYS: std::ops::RangeInclusive<u32> = 57_441..=57_454;

/// The longest sequence that tells a key, in bytes: its numbers are short.
const MAX_REPORT: usize = 48;

/// What a sequence with numbers tells of a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// So many bytes are a key that is pressed: in its plainest form, without locks and alternatives.
    Press(usize, Vec<u8>),
    /// So many bytes are a key that is let go, or a modifier by itself.
    Aside(usize),
    /// It may become one.
    Partial,
    Nothing,
}

/// Reads `CSI code:… ; modifiers:event ; … u`, or `~`, or a letter, at the start of some bytes.
pub(super) fn report(bytes: &[u8]) -> Report {
    let Some(body) = bytes.strip_prefix(b"\x1b[").filter(|body| body.first().is_some_and(u8::is_ascii_digit)) else {
        return Report::Nothing;
    };
    let Some(end) = body.iter().position(|byte| !matches!(byte, b'0'..=b';')) else {
        return if bytes.len() < MAX_REPORT { Report::Partial } else { Report::Nothing };
    };
    let (last, length) = (body[end], end + 3);
    if !matches!(last, b'u' | b'~' | b'A'..=b'H' | b'P'..=b'S') {
        return Report::Nothing;
    }
    let mut fields = body[..end].split(|&byte| byte == b';').map(|field| {
        let mut numbers =
            field.split(|&byte| byte == b':').map(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
        (numbers.next().flatten(), numbers.next().flatten())
    });
    let code: u32 = fields.next().and_then(|(code, _)| code).unwrap_or(1);
    let (held, event) = fields.next().unwrap_or_default();
    if event == Some(RELEASE) || last == b'u' && MODIFIER_KEYS.contains(&code) {
        return Report::Aside(length);
    }
    let number = 1 + (held.unwrap_or(1).saturating_sub(1) & !LOCKS);
    let last = char::from(last);
    let form = match (number, last) {
        (1, 'u' | '~') => format!("\x1b[{code}{last}"),
        (1, _) => format!("\x1b[{last}"),
        _ if code == 27 && last == '~' => return Report::Nothing,
        _ => format!("\x1b[{code};{number}{last}"),
    };
    Report::Press(length, form.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(key: &str) -> Vec<String> {
        let forms = forms(key.parse().expect(key));
        forms.into_iter().map(|form| String::from_utf8(form).expect("text")).collect()
    }

    #[test]
    fn a_key_is_known_in_all_its_forms() {
        assert_eq!(of("C-a"), ["\x01", "\x1b[97;5u", "\x1b[97;5:1u", "\x1b[27;5;97~"]);
        assert_eq!(of("C-]")[0], "\x1d");
        assert_eq!(of("M-x")[0], "\x1bx");
        assert_eq!(of("C-M-a")[0], "\x1b\x01");
        assert_eq!(of("f1"), ["\x1bOP", "\x1b[P", "\x1b[11~"]);
        assert_eq!(
            (of("f5"), of("f6"), of("f10"), of("f12")),
            (vec!["\x1b[15~".into()], vec!["\x1b[17~".into()], vec!["\x1b[21~".into()], vec!["\x1b[24~".into()])
        );
        assert_eq!(of("C-f12"), ["\x1b[24;5~"]);
    }

    #[test]
    fn keys_that_are_other_keys_as_well_have_no_form_of_one_byte() {
        for key in ["C-i", "C-m"] {
            assert!(of(key).iter().all(|form| form.starts_with("\x1b[")), "{key}");
        }
        assert!(of("a").is_empty() && of("enter").is_empty());
    }
}
