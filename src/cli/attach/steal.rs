//! The one key that does not reach the run: all forms in which terminals send it.

use crate::model::{Key, KeyChord, NamedKey};

/// Returns every form in which a terminal sends a key that can leave a run ([`KeyChord::check_leaving`]).
///
/// Besides the usual one these are the form of the kitty keyboard protocol and that of xterm's modifyOtherKeys: a run may have asked for them.
pub(super) fn forms(chord: KeyChord) -> Vec<Vec<u8>> {
    let KeyChord { key, modifiers } = chord;
    let shift = modifiers.shift || matches!(key, Key::Char(c) if c.is_uppercase());
    let number = 1 + u32::from(shift) + 2 * u32::from(modifiers.alt) + 4 * u32::from(modifiers.ctrl);
    let after_alt = |c: char| if modifiers.alt { format!("\x1b{c}") } else { c.to_string() };
    let texts = match key {
        Key::Char(c) => {
            let code = u32::from(c.to_lowercase().next().unwrap_or(c));
            let plain = if modifiers.ctrl { control(c) } else { c };
            let modified = format!("\x1b[27;{number};{}~", u32::from(c));
            vec![after_alt(plain), format!("\x1b[{code};{number}u"), format!("\x1b[{code};{number}:1u"), modified]
        }
        Key::Named(named) => match spelling(named) {
            Spelling::Letter(letter, code) => {
                let mut forms = match number {
                    1 => vec![format!("\x1bO{letter}"), format!("\x1b[{letter}")],
                    _ => vec![format!("\x1b[1;{number}{letter}")],
                };
                forms.extend(code.map(|code| numbered(code, number)));
                forms
            }
            Spelling::Number(code) => vec![numbered(code, number)],
            Spelling::Control(c) => {
                let code = u32::from(c);
                vec![after_alt(c), format!("\x1b[{code};{number}u"), format!("\x1b[27;{number};{code}~")]
            }
        },
    };
    texts.into_iter().map(String::into_bytes).collect()
}

/// How a key with a name is spelled.
enum Spelling {
    /// With a letter; F1 to F4 by some terminals with a number.
    Letter(char, Option<u32>),
    Number(u32),
    Control(char),
}

fn spelling(named: NamedKey) -> Spelling {
    match named {
        NamedKey::Enter => Spelling::Control('\r'),
        NamedKey::Escape => Spelling::Control('\x1b'),
        NamedKey::Tab => Spelling::Control('\t'),
        NamedKey::Backspace => Spelling::Control('\x7f'),
        NamedKey::Up => Spelling::Letter('A', None),
        NamedKey::Down => Spelling::Letter('B', None),
        NamedKey::Right => Spelling::Letter('C', None),
        NamedKey::Left => Spelling::Letter('D', None),
        NamedKey::End => Spelling::Letter('F', None),
        NamedKey::Home => Spelling::Letter('H', None),
        NamedKey::Insert => Spelling::Number(2),
        NamedKey::Delete => Spelling::Number(3),
        NamedKey::PageUp => Spelling::Number(5),
        NamedKey::PageDown => Spelling::Number(6),
        NamedKey::F(n @ 1..=4) => Spelling::Letter(char::from(b'O' + n), Some(10 + u32::from(n))),
        NamedKey::F(5) => Spelling::Number(15),
        NamedKey::F(n @ 6..=10) => Spelling::Number(11 + u32::from(n)),
        NamedKey::F(n) => Spelling::Number(12 + u32::from(n)),
    }
}

fn numbered(code: u32, number: u32) -> String {
    if number == 1 { format!("\x1b[{code}~") } else { format!("\x1b[{code};{number}~") }
}

/// Returns the control character of Ctrl with a key.
fn control(c: char) -> char {
    // The keys that can leave a run are those whose character has one.
    char::from(u8::try_from(c.to_ascii_uppercase()).unwrap_or_default() & 0x1f)
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
        assert_eq!(of("M-X"), ["\x1bX", "\x1b[120;4u", "\x1b[120;4:1u", "\x1b[27;4;88~"]);
        assert_eq!(
            (&of("C-]")[0], &of("C-space")[0], &of("C-M-a")[0]),
            (&"\x1d".into(), &"\0".into(), &"\x1b\x01".into())
        );
        assert_eq!(of("f1"), ["\x1bOP", "\x1b[P", "\x1b[11~"]);
        assert_eq!(
            (of("f5"), of("f6"), of("f10"), of("f12")),
            (vec!["\x1b[15~".into()], vec!["\x1b[17~".into()], vec!["\x1b[21~".into()], vec!["\x1b[24~".into()])
        );
        assert_eq!(
            (of("C-f12"), of("C-up"), of("C-page_up")),
            (vec!["\x1b[24;5~".into()], vec!["\x1b[1;5A".into()], vec!["\x1b[5;5~".into()])
        );
        assert_eq!(of("C-f3"), ["\x1b[1;5R", "\x1b[13;5~"]);
        assert_eq!(of("M-enter"), ["\x1b\r", "\x1b[13;3u", "\x1b[27;3;13~"]);
    }
}
