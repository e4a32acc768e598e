//! What the keys do: the defaults, changed by a preset and by the user. Help, status line, palette and documentation are made from it.

use std::fmt;

use crate::model::{KeyChord, KeySequence, nearest};
use crate::settings::{KeyChoice, KeyPreset, KeySettings, KeyTable, Place, Problem, SchemaNames, Settings};

use super::keys::{Binding, Intent, Part, TABLES, Table, label, sequence_label, table_of};
use super::presets;

/// What keys do, in each part of the interface.
#[derive(Clone, PartialEq, Eq)]
pub struct Keymap {
    bound: Vec<Bound>,
}

/// Keys that mean something.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Bound {
    part: Part,
    intent: Intent,
    keys: KeySequence,
    /// Where the user has set them; none for keys of the defaults or a preset.
    place: Option<Place>,
}

/// What has come of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// The keys so far mean this.
    Intent(Intent),
    /// They begin something.
    Prefix,
    /// They mean nothing.
    Nothing,
}

impl Default for Keymap {
    fn default() -> Keymap {
        Keymap::preset(KeyPreset::Default)
    }
}

impl fmt::Debug for Keymap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keymap").field("keys", &self.bound.len()).finish()
    }
}

impl Keymap {
    /// Puts the keymap of a configuration together.
    ///
    /// # Errors
    /// Every fault of `[keys]`: unknown parts and actions, keys that mean two things in one part.
    pub fn of(settings: &Settings) -> Result<Keymap, Vec<Problem>> {
        Keymap::new(&settings.keys, settings.tui.attach_key)
    }

    /// Puts the keymap together from the user's wishes and the key that leaves an attached run.
    ///
    /// # Errors
    /// Every fault of `[keys]`.
    pub(crate) fn new(keys: &KeySettings, attach_key: KeyChord) -> Result<Keymap, Vec<Problem>> {
        let mut keymap = Keymap::preset(keys.preset);
        let mut problems = Vec::new();
        for table in &keys.tables {
            keymap.change(table, &mut problems);
        }
        keymap.check(attach_key, &mut problems);
        if problems.is_empty() { Ok(keymap) } else { Err(problems) }
    }

    /// Returns the keymap of a preset without any wishes of the user.
    pub(crate) fn preset(preset: KeyPreset) -> Keymap {
        let mut keymap = Keymap { bound: Vec::new() };
        for table in TABLES {
            for binding in table.bindings {
                let keys = binding.keys.iter().map(|key| KeySequence::from(*key));
                keymap.bind(table.part, binding.intent, keys.map(|keys| (keys, None)));
            }
        }
        for change in presets::changes(preset) {
            let keys: Vec<KeySequence> = change.keys.iter().filter_map(|keys| keys.parse().ok()).collect();
            // Taken from what has them by default, and with them what they begin.
            keymap.bound.retain(|bound| bound.part != change.part || !keys.iter().any(|keys| clash(keys, &bound.keys)));
            keymap.bound.retain(|bound| (bound.part, bound.intent) != (change.part, change.intent));
            keymap.bind(change.part, change.intent, keys.into_iter().map(|keys| (keys, None)));
        }
        keymap
    }

    fn bind(&mut self, part: Part, intent: Intent, keys: impl Iterator<Item = (KeySequence, Option<Place>)>) {
        self.bound.extend(keys.map(|(keys, place)| Bound { part, intent, keys, place }));
    }

    fn change(&mut self, wished: &KeyTable, problems: &mut Vec<Problem>) {
        let Some(table) = TABLES.iter().find(|table| table.part.name() == wished.name) else {
            let names: Vec<String> = TABLES.iter().map(|table| table.part.name()).collect();
            return problems.push(unknown("part of the interface", &wished.name, &wished.place, &names));
        };
        for choice in &wished.choices {
            let Some(binding) = table.bindings.iter().find(|binding| binding.intent.name() == choice.action) else {
                let names: Vec<String> = table.bindings.iter().map(|binding| binding.intent.name()).collect();
                problems.push(unknown(
                    &format!("action of [keys.{}]", wished.name),
                    &choice.action,
                    &choice.place,
                    &names,
                ));
                continue;
            };
            self.choose(table, binding.intent, choice, problems);
        }
    }

    fn choose(&mut self, table: &Table, intent: Intent, choice: &KeyChoice, problems: &mut Vec<Problem>) {
        self.bound.retain(|bound| (bound.part, bound.intent) != (table.part, intent));
        for (keys, place) in &choice.keys {
            if table.takes_text && is_text(keys) {
                problems.push(Problem {
                    place: place.clone(),
                    message: format!("\"{keys}\" cannot be `{}`: it is typed there", choice.action),
                    hint: Some("a key with Ctrl or Alt, or a named one such as \"f2\"".into()),
                });
            }
        }
        self.bind(table.part, intent, choice.keys.iter().cloned().map(|(keys, place)| (keys, Some(place))));
    }

    /// Looks for keys that mean two things in one part. Of two, the one that the user has set is to blame.
    fn check(&mut self, attach_key: KeyChord, problems: &mut Vec<Problem>) {
        for (index, bound) in self.bound.iter().enumerate() {
            let others = self.bound.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, other)| other);
            let clashing = others.filter(|other| other.part == bound.part && clash(&other.keys, &bound.keys));
            let Some(place) = &bound.place else { continue };
            // Of two that the user has set, only the later one is told.
            for other in clashing.filter(|other| other.place.as_ref().is_none_or(|first| is_before(first, place))) {
                problems.push(two_meanings(bound, other, place));
            }
            let is_open = matches!(bound.part, Part::List | Part::Scroll);
            if is_open && bound.keys.chords() == [attach_key] {
                problems.push(Problem {
                    place: place.clone(),
                    message: format!(
                        "\"{}\" cannot be `{}`: it is the `attach_key` of [tui]",
                        bound.keys,
                        bound.intent.name()
                    ),
                    hint: Some("give one of them another key".into()),
                });
            }
        }
        // A key of the defaults that the user gave to attaching means nothing else any more.
        let is_attach =
            |bound: &Bound| matches!(bound.part, Part::List | Part::Scroll) && bound.keys.chords() == [attach_key];
        self.bound.retain(|bound| bound.place.is_some() || !is_attach(bound));
    }

    /// Returns what keys pressed one after the other mean in a part.
    pub(crate) fn find(&self, part: Part, keys: &[KeyChord]) -> Found {
        let mut found = Found::Nothing;
        for bound in self.bound.iter().filter(|bound| bound.part == part) {
            if bound.keys.chords() == keys {
                return Found::Intent(bound.intent);
            }
            if bound.keys.chords().starts_with(keys) {
                found = Found::Prefix;
            }
        }
        found
    }

    /// Returns the first key of an action, or the first keys in a row.
    pub(crate) fn chords(&self, part: Part, intent: Intent) -> Option<&[KeyChord]> {
        let bound = self.bound.iter().find(|bound| (bound.part, bound.intent) == (part, intent))?;
        Some(bound.keys.chords())
    }

    /// Returns the keys of an action as they are shown, the most important first.
    pub(crate) fn labels(&self, part: Part, intent: Intent) -> Vec<String> {
        let keys = self.bound.iter().filter(|bound| (bound.part, bound.intent) == (part, intent));
        keys.map(|bound| sequence_label(bound.keys.chords())).collect()
    }

    /// Returns the first key of an action as it is shown.
    pub(crate) fn label(&self, part: Part, intent: Intent) -> Option<String> {
        self.labels(part, intent).into_iter().next()
    }

    /// Returns the actions of a part that have keys, with these.
    pub(crate) fn bindings(&self, part: Part) -> impl Iterator<Item = (&'static Binding, Vec<String>)> {
        let with_keys = move |binding: &'static Binding| (binding, self.labels(part, binding.intent));
        table_of(part).bindings.iter().map(with_keys).filter(|(_, keys)| !keys.is_empty())
    }
}

/// Returns the names that `[keys]` and `[theme.colors]` may have.
pub fn names() -> SchemaNames {
    let actions = |table: &Table| table.bindings.iter().map(|binding| binding.intent.name()).collect();
    SchemaNames {
        parts: TABLES.iter().map(|table| (table.part.name(), actions(table))).collect(),
        roles: super::theme::ROLES.iter().map(|(role, _)| role.name()).collect(),
    }
}

/// Whether one of two sequences hides the other: they are the same, or one begins with the other.
fn clash(one: &KeySequence, other: &KeySequence) -> bool {
    let (one, other) = (one.chords(), other.chords());
    one.starts_with(other) || other.starts_with(one)
}

/// Whether a sequence begins with what is typed where text is taken.
fn is_text(keys: &KeySequence) -> bool {
    keys.chords().first().is_some_and(|chord| {
        let held = chord.modifiers.ctrl || chord.modifiers.alt;
        matches!(chord.key, crate::model::Key::Char(_)) && !held
    })
}

fn is_before(one: &Place, other: &Place) -> bool {
    let point = |place: &Place| match place {
        Place::Point { line, column, .. } => (*line, *column),
        Place::File(_) | Place::Variable(_) => (0, 0),
    };
    point(one) < point(other)
}

fn two_meanings(bound: &Bound, other: &Bound, place: &Place) -> Problem {
    let (part, name, other_name) = (bound.part.name(), bound.intent.name(), other.intent.name());
    let message = if bound.keys == other.keys {
        format!("\"{}\" in [keys.{part}] is both `{name}` and `{other_name}`", bound.keys)
    } else {
        format!("\"{}\" (`{name}`) and \"{}\" (`{other_name}`) in [keys.{part}] begin alike", bound.keys, other.keys)
    };
    let hint = match &other.place {
        Some(place) => format!("the other one is at {place}"),
        None => format!("`{other_name}` has it by default: give it another key, or `{other_name} = false`"),
    };
    Problem { place: place.clone(), message, hint: Some(hint) }
}

fn unknown(what: &str, name: &str, place: &Place, known: &[String]) -> Problem {
    let name = crate::model::shown(name);
    let hint = match nearest(&name, known.iter().map(String::as_str)) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("there are {}", known.join(", ")),
    };
    Problem { place: place.clone(), message: format!("`{name}` is no {what}"), hint: Some(hint) }
}

/// Returns what is waited for after keys that begin something, for the status line.
pub(crate) fn pending_words(keys: &[KeyChord]) -> String {
    let esc = label(KeyChord {
        key: crate::model::Key::Named(crate::model::NamedKey::Escape),
        modifiers: crate::model::Modifiers::default(),
    });
    format!(" {} …  {esc} gives it up", sequence_label(keys))
}
