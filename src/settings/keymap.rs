//! What the user wants of the keys of the terminal interface (`[keys]`). Which actions there are is known to who uses it.

use std::fmt;
use std::str::FromStr;

use super::Place;
use super::keys::KEYS;
use super::reader::{Table, Value};
use crate::model::{KeySequence, key_names, nearest};

/// A set of keys that somebody knows from elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum KeyPreset {
    /// shtask's own.
    #[default]
    Default,
    /// As in mprocs.
    Mprocs,
    /// With the prefix `C-b`, as in tmux.
    Tmux,
    /// As in vim.
    Vim,
}

impl KeyPreset {
    /// All of them.
    pub const ALL: [KeyPreset; 4] = [KeyPreset::Default, KeyPreset::Mprocs, KeyPreset::Tmux, KeyPreset::Vim];

    /// Returns its name in the configuration.
    pub fn word(self) -> &'static str {
        match self {
            KeyPreset::Default => "default",
            KeyPreset::Mprocs => "mprocs",
            KeyPreset::Tmux => "tmux",
            KeyPreset::Vim => "vim",
        }
    }
}

impl fmt::Display for KeyPreset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for KeyPreset {
    type Err = String;

    fn from_str(text: &str) -> Result<KeyPreset, String> {
        let known = KeyPreset::ALL.into_iter().find(|preset| preset.word() == text);
        known.ok_or_else(|| format!("there is no preset {text:?}; there are default, mprocs, tmux and vim"))
    }
}

/// The keys that the user gives to an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyChoice {
    /// The name of the action, as it stands in the file.
    pub action: String,
    /// Where it stands.
    pub place: Place,
    /// The keys, each with its place; none take the action's keys away.
    pub keys: Vec<(KeySequence, Place)>,
}

/// The keys that the user gives to the actions of one part of the interface (`[keys.list]`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyTable {
    /// The name of the part, as it stands in the file.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// The actions in the order of the file's names.
    pub choices: Vec<KeyChoice>,
}

/// The keys of the user (`[keys]`), sound but for the names of parts and actions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeySettings {
    /// What they start from.
    pub preset: KeyPreset,
    /// The user's own.
    pub tables: Vec<KeyTable>,
}

/// Reads `[keys]` over what is known.
pub(super) fn read_keys(value: &Value<'_, '_>, settings: &mut KeySettings) {
    let Some(keys) = value.table() else { return };
    for (name, value) in keys.entries() {
        if name == "preset" {
            settings.preset = value.parsed().unwrap_or(settings.preset);
        } else if value.is_table() {
            let Some(table) = value.table() else { continue };
            let choices = table.entries().filter_map(|(action, value)| read_choice(action, &value, &table)).collect();
            let place = table.source.place(&value.key_span());
            settings.tables.push(KeyTable { name: name.to_owned(), place, choices });
        } else {
            let hint = match KEYS.meant_by(name) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("keys are set per part of the interface: [keys.list], then `{name} = …`"),
            };
            value.misplaced("is no key of [keys]", hint);
        }
    }
}

fn read_choice(action: &str, value: &Value<'_, '_>, table: &Table<'_, '_>) -> Option<KeyChoice> {
    let place = table.source.place(&value.key_span());
    let choice = |keys| Some(KeyChoice { action: action.to_owned(), place: place.clone(), keys });
    if value.is_flag() {
        return match value.flag() {
            Some(false) => choice(Vec::new()),
            Some(true) | None => {
                value.wrong("a key, a list of keys, or false for none");
                None
            }
        };
    }
    let texts = value.placed_texts()?;
    let mut keys = Vec::with_capacity(texts.len());
    for (span, text) in texts {
        match text.parse::<KeySequence>() {
            Ok(sequence) => match sequence.chords().iter().find_map(|chord| chord.check_told().err()) {
                None => keys.push((sequence, table.source.place(&span))),
                Some(fault) => value.fault_at(&span, &fault, fault.hint()),
            },
            Err(error) => value.fault_at(&span, &error, hint(&error.text)),
        }
    }
    choice(keys)
}

/// Which key was probably meant.
fn hint(text: &str) -> String {
    let (modifiers, name) = match text.rfind(['-', '+']).filter(|at| at + 1 < text.len()) {
        Some(at) => text.split_at(at + 1),
        None => ("", text),
    };
    match nearest(name, key_names()) {
        Some(meant) => format!("did you mean \"{modifiers}{meant}\"?"),
        None => "keys in a row are written with blanks between them: \"g g\"".into(),
    }
}
