//! Keys and mouse events as data (S4.3).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The modifiers held with a key or a mouse button.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Modifiers {
    /// Ctrl.
    #[serde(default)]
    pub ctrl: bool,
    /// Alt (Meta).
    #[serde(default)]
    pub alt: bool,
    /// Shift.
    #[serde(default)]
    pub shift: bool,
}

/// A key that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedKey {
    /// Enter (Return).
    Enter,
    /// Escape.
    Escape,
    /// Tab; with Shift it is the back tab.
    Tab,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Cursor up.
    Up,
    /// Cursor down.
    Down,
    /// Cursor left.
    Left,
    /// Cursor right.
    Right,
    /// Home.
    Home,
    /// End.
    End,
    /// Insert.
    Insert,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Function key 1–12.
    F(u8),
}

/// A key: a named one or one character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    /// A named key.
    Named(NamedKey),
    /// The key that types this character.
    Char(char),
}

/// A mouse button, or the wheel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MouseButton {
    /// The left button.
    Left,
    /// The middle button.
    Middle,
    /// The right button.
    Right,
    /// One notch of the wheel, upwards.
    WheelUp,
    /// One notch of the wheel, downwards.
    WheelDown,
    /// One notch of the wheel, to the left.
    WheelLeft,
    /// One notch of the wheel, to the right.
    WheelRight,
    /// No button: only for [`MouseKind::Move`].
    None,
}

/// What the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MouseKind {
    /// Press and release.
    Click,
    /// Press.
    Press,
    /// Release.
    Release,
    /// Motion, with the button held or none.
    Move,
    /// The wheel.
    Scroll,
}

/// A mouse event at a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Mouse {
    /// What happened.
    pub kind: MouseKind,
    /// With which button.
    pub button: MouseButton,
    /// The column, from 0.
    pub x: u16,
    /// The row, from 0.
    pub y: u16,
    /// The modifiers held.
    #[serde(default)]
    pub modifiers: Modifiers,
}

/// One step of typed input (S4.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Text as it is, not framed as a paste.
    Text(String),
    /// A paste: framed when the program asked for bracketed paste, with frame markers removed from inside.
    Paste(String),
    /// A key press with modifiers.
    Key(Key, Modifiers),
    /// A mouse event. Refused when the program did not ask for a mouse.
    Mouse(Mouse),
    /// The end of a paste of which the rest was lost; sent only to a program that asked for bracketed paste.
    EndPaste,
    /// The focus came (true) or went (false); sent only to a program that asked for it.
    Focus(bool),
}

impl Action {
    /// Returns how long its text is, in bytes; a key has none.
    pub fn text_bytes(&self) -> usize {
        match self {
            Action::Text(text) | Action::Paste(text) => text.len(),
            Action::Key(..) | Action::EndPaste | Action::Mouse(_) | Action::Focus(_) => 0,
        }
    }

    /// Returns whether it is typed: text, which every program takes.
    pub fn is_typed(&self) -> bool {
        match self {
            Action::Text(_) | Action::Paste(_) | Action::EndPaste | Action::Key(..) => true,
            Action::Mouse(_) | Action::Focus(_) => false,
        }
    }
}

/// A text that names no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no key; keys look like enter, f5, C-c, M-x, S-tab or ctrl+shift+left")]
pub struct KeyParseError {
    /// The text that was given.
    pub text: String,
}

const NAMES: [(&str, NamedKey); 18] = [
    ("enter", NamedKey::Enter),
    ("escape", NamedKey::Escape),
    ("tab", NamedKey::Tab),
    ("backspace", NamedKey::Backspace),
    ("delete", NamedKey::Delete),
    ("up", NamedKey::Up),
    ("down", NamedKey::Down),
    ("left", NamedKey::Left),
    ("right", NamedKey::Right),
    ("home", NamedKey::Home),
    ("end", NamedKey::End),
    ("insert", NamedKey::Insert),
    ("page_up", NamedKey::PageUp),
    ("page_down", NamedKey::PageDown),
    // Other common spellings; the first of a key is the one that is printed.
    ("return", NamedKey::Enter),
    ("esc", NamedKey::Escape),
    ("pageup", NamedKey::PageUp),
    ("pagedown", NamedKey::PageDown),
];

/// A key with its modifiers, as people write it: `C-a`, `M-S-left`, `ctrl+x`, `f5`, `?`.
impl FromStr for KeyChord {
    type Err = KeyParseError;

    fn from_str(text: &str) -> Result<KeyChord, KeyParseError> {
        let mut rest = text;
        let mut modifiers = Modifiers::default();
        // The second half of the test keeps a lone `-` or `+` a key of its own.
        while let Some(end) = rest.find(['-', '+']).filter(|&at| at > 0 && at + 1 < rest.len()) {
            match rest[..end].to_ascii_lowercase().as_str() {
                "c" | "ctrl" | "control" => modifiers.ctrl = true,
                "m" | "a" | "alt" | "meta" => modifiers.alt = true,
                "s" | "shift" => modifiers.shift = true,
                _ => return Err(KeyParseError { text: text.to_owned() }),
            }
            rest = &rest[end + 1..];
        }
        let key = named(rest).or_else(|| one_char(rest)).ok_or_else(|| KeyParseError { text: text.to_owned() })?;
        Ok(KeyChord { key, modifiers })
    }
}

/// A key together with its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyChord {
    /// The key.
    pub key: Key,
    /// The modifiers held with it.
    pub modifiers: Modifiers,
}

impl fmt::Display for KeyChord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (held, prefix) in [(self.modifiers.ctrl, "C-"), (self.modifiers.alt, "M-"), (self.modifiers.shift, "S-")] {
            if held {
                f.write_str(prefix)?;
            }
        }
        match self.key {
            Key::Char(' ') => f.write_str("space"),
            Key::Char(c) => write!(f, "{c}"),
            Key::Named(NamedKey::F(n)) => write!(f, "f{n}"),
            Key::Named(named) => {
                let name = NAMES.iter().find(|(_, key)| *key == named).map_or("?", |(name, _)| name);
                f.write_str(name)
            }
        }
    }
}

/// Keys pressed one after the other that mean one thing: `g g`, `C-b c`. Has at least one, at most [`KeySequence::MAX`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeySequence(Vec<KeyChord>);

impl KeySequence {
    /// The most keys of a sequence: more is nothing that fingers remember.
    pub const MAX: usize = 4;

    /// Returns the keys in their order.
    pub fn chords(&self) -> &[KeyChord] {
        &self.0
    }
}

impl From<KeyChord> for KeySequence {
    fn from(chord: KeyChord) -> KeySequence {
        KeySequence(vec![chord])
    }
}

impl FromStr for KeySequence {
    type Err = KeyParseError;

    fn from_str(text: &str) -> Result<KeySequence, KeyParseError> {
        let chords = text.split_whitespace().map(str::parse).collect::<Result<Vec<KeyChord>, _>>()?;
        if chords.is_empty() || chords.len() > KeySequence::MAX {
            return Err(KeyParseError { text: text.to_owned() });
        }
        Ok(KeySequence(chords))
    }
}

impl fmt::Display for KeySequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, chord) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{chord}")?;
        }
        Ok(())
    }
}

/// Returns the names of keys that have one, as [`KeyChord`] reads them.
pub fn key_names() -> impl Iterator<Item = &'static str> {
    const FUNCTION_KEYS: [&str; 12] = ["f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12"];
    NAMES.iter().map(|(name, _)| *name).chain(["space"]).chain(FUNCTION_KEYS)
}

fn named(text: &str) -> Option<Key> {
    let lower = text.to_ascii_lowercase();
    if lower == "space" {
        return Some(Key::Char(' '));
    }
    if let Some(number) = lower.strip_prefix('f').and_then(|n| n.parse::<u8>().ok()) {
        return (1..=12).contains(&number).then_some(Key::Named(NamedKey::F(number)));
    }
    NAMES.iter().find(|(name, _)| *name == lower).map(|(_, key)| Key::Named(*key))
}

fn one_char(text: &str) -> Option<Key> {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) if !c.is_control() => Some(Key::Char(c)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_print_as_they_are_read() {
        for text in ["C-a", "M-x", "C-M-S-left", "f12", "enter", "space", "-", "+", "C--", "C-+", "?", "é", "page_up"]
        {
            let chord: KeyChord = text.parse().expect(text);
            assert_eq!(chord.to_string(), text);
        }
        assert_eq!("ctrl+shift+pageup".parse::<KeyChord>().expect("key").to_string(), "C-S-page_up");
    }

    #[test]
    fn text_that_is_no_key_is_refused() {
        for text in ["", "C-", "f0", "f13", "X-a", "ab", "\u{7}"] {
            assert!(text.parse::<KeyChord>().is_err(), "{text:?}");
        }
    }
}
