//! Keys as the TUI shows them.

use crate::model::{Key, KeyChord, Modifiers, NamedKey};

/// Returns keys in a row as the TUI shows them.
pub(crate) fn sequence_label(keys: &[KeyChord]) -> String {
    keys.iter().map(|key| label(*key)).collect::<Vec<_>>().join(" ")
}

/// Returns a key as the TUI shows it.
pub(crate) fn label(chord: KeyChord) -> String {
    let name = match chord.key {
        Key::Named(NamedKey::Enter) => "Enter",
        Key::Named(NamedKey::Escape) => "Esc",
        Key::Named(NamedKey::Tab) => "Tab",
        Key::Named(NamedKey::Up) => "↑",
        Key::Named(NamedKey::Down) => "↓",
        Key::Named(NamedKey::Left) => "←",
        Key::Named(NamedKey::Right) => "→",
        Key::Named(NamedKey::PageUp) => "PgUp",
        Key::Named(NamedKey::PageDown) => "PgDn",
        Key::Named(NamedKey::Home) => "Home",
        Key::Named(NamedKey::End) => "End",
        Key::Named(NamedKey::F(n)) => return format!("{}F{n}", prefix(chord.modifiers)),
        Key::Char(' ') => "Space",
        Key::Named(NamedKey::Backspace | NamedKey::Delete | NamedKey::Insert) | Key::Char(_) => {
            return chord.to_string();
        }
    };
    format!("{}{name}", prefix(chord.modifiers))
}

fn prefix(modifiers: Modifiers) -> String {
    [(modifiers.ctrl, "C-"), (modifiers.alt, "M-"), (modifiers.shift, "S-")]
        .into_iter()
        .filter_map(|(held, text)| held.then_some(text))
        .collect()
}
