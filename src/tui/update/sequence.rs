//! From keys to what they mean: one key, or several in a row.

use crate::model::{Key, KeyChord, Modifiers, NamedKey};

use super::super::keymap::Found;
use super::super::keys::{Intent, Part, sequence_label};
use super::super::model::Model;

const ESCAPE: KeyChord =
    KeyChord { key: Key::Named(NamedKey::Escape), modifiers: Modifiers { ctrl: false, alt: false, shift: false } };

/// What has come of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pressed {
    /// It means this, alone or after those before.
    Intent(Intent),
    /// It means nothing by itself: text, where text is taken.
    Key,
    /// It was taken as a part of something, or has ended that.
    Swallowed,
}

/// Takes a key in a part of the interface, after those that wait for it.
pub(super) fn press(model: &mut Model, part: Part, chord: KeyChord) -> Pressed {
    let mut keys = match model.pending.take() {
        Some((at, keys)) if at == part => keys,
        Some(_) | None => Vec::new(),
    };
    let begun = !keys.is_empty();
    if begun && chord == ESCAPE {
        return Pressed::Swallowed;
    }
    keys.push(chord);
    match model.setup.keys.find(part, &keys) {
        Found::Intent(intent) => Pressed::Intent(intent),
        Found::Prefix => {
            model.pending = Some((part, keys));
            Pressed::Swallowed
        }
        // The attach key may have been meant by itself: it has led back here.
        Found::Nothing if begun && keys.first() == Some(&model.setup.attach_key) => press(model, part, chord),
        Found::Nothing if begun => {
            model.inform(format!("{} means nothing here", sequence_label(&keys)));
            Pressed::Swallowed
        }
        Found::Nothing => Pressed::Key,
    }
}

/// Returns whether the attach key begins something in this part, so that what follows decides what it means.
pub(super) fn attach_key_begins(model: &Model, part: Part) -> bool {
    model.setup.keys.find(part, &[model.setup.attach_key]) == Found::Prefix
}
