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
