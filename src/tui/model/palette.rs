//! The palette: every action and every run, found by a few letters.

use tui_input::Input;

use crate::tui::keys::{Intent, Part, table_of};

use super::{Match, Model, RowKey, fuzzy, is_motion};

/// What an action loses in the ranking that makes no sense at the moment.
const NO_SENSE: i32 = -15;

/// What is typed so far.
#[derive(Debug, Clone)]
pub(crate) struct Palette {
    /// The part whose actions it offers.
    pub(crate) part: Part,
    pub(crate) words: Input,
    /// The number of the selected entry among those that are shown.
    pub(crate) selected: usize,
}

/// What an entry does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// It does what the key of an action does.
    Intent(Intent),
    /// It selects a row of the list.
    Row(RowKey),
}

/// An entry of the palette.
#[derive(Debug, Clone)]
pub(crate) struct PaletteEntry {
    pub(crate) target: Target,
    /// The name, then two blanks, then what it does or is.
    pub(crate) text: String,
    /// How many characters of it are the name.
    pub(crate) name: usize,
    /// The keys of the action, as they are shown.
    pub(crate) keys: String,
    /// Why it can do nothing at the moment; none when it can.
    pub(crate) why_not: Option<String>,
    /// The letters that were found.
    pub(crate) at: Vec<usize>,
}

impl Palette {
    pub(crate) fn new(part: Part) -> Palette {
        Palette { part, words: Input::default(), selected: 0 }
    }

    /// The entries that fit what is typed, the best first.
    pub(crate) fn entries(&self, model: &Model) -> Vec<PaletteEntry> {
        let words = self.words.value();
        let mut found: Vec<(Called, i32, PaletteEntry)> = self
            .all(model)
            .filter_map(|entry| {
                let Match { score, at } = fuzzy(words, &entry.text)?;
                let in_name = at.iter().filter(|at| **at < entry.name).count();
                let rank = score
                    + i32::try_from(in_name * 2).unwrap_or(0)
                    + if entry.why_not.is_none() { 0 } else { NO_SENSE }
                    - i32::from(matches!(entry.target, Target::Intent(intent) if is_motion(intent)));
                Some((Called::of(&entry, words), rank, PaletteEntry { at, ..entry }))
            })
            .collect();
        // Stable: equal ones keep the order of the keymap and of the list.
        found.sort_by_key(|(called, rank, _)| (*called, -rank));
        found.into_iter().map(|(.., entry)| entry).collect()
    }

    fn all<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = PaletteEntry> + 'a {
        let actions = table_of(self.part).bindings.iter().filter(|binding| binding.intent != Intent::Palette);
        let actions = actions.map(|binding| {
            let name = binding.intent.name();
            PaletteEntry {
                target: Target::Intent(binding.intent),
                text: format!("{name}  {}", binding.help),
                name: name.chars().count(),
                keys: model.setup.keys.labels(self.part, binding.intent).join(", "),
                why_not: model.why_not(binding.intent),
                at: Vec::new(),
            }
        });
        let rows = model.list.rows.iter().map(|row| {
            let name = crate::model::plain_line(&model.row_name(&row.key), 64);
            let state = match model.list.view_of(row) {
                Some(view) => format!("{} · {}", view.record.ending(), view.record.command),
                None => "task, not run yet".to_owned(),
            };
            PaletteEntry {
                target: Target::Row(row.key.clone()),
                text: crate::model::plain_line(&format!("{name}  go to it: {state}"), 200),
                name: name.chars().count(),
                keys: String::new(),
                why_not: None,
                at: Vec::new(),
            }
        });
        actions.chain(rows)
    }
}

/// How what is typed fits a name: before all other ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Called {
    Exactly,
    Begins,
    Otherwise,
}

impl Called {
    fn of(entry: &PaletteEntry, words: &str) -> Called {
        // A blank is as good as the hyphen of `new-run`.
        let plain = |text: &str| text.trim().to_lowercase().replace(' ', "-");
        let (words, name) = (plain(words), plain(&entry.text.chars().take(entry.name).collect::<String>()));
        match name.strip_prefix(&words).filter(|_| !words.is_empty()) {
            Some("") => Called::Exactly,
            Some(_) => Called::Begins,
            None => Called::Otherwise,
        }
    }
}
