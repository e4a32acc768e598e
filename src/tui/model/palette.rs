//! The palette: every action and every run, found by a few letters.

use tui_input::Input;

use crate::model::{Mode, Status};
use crate::tui::keys::{Intent, Part, table_of};

use super::{Match, Model, RowKey, cut, fuzzy};

/// What an action loses in the ranking that makes no sense at the moment.
const NO_SENSE: i32 = -15;
/// How wide the name of a run is where it is told why something cannot be done.
const MAX_NAME_COLS: usize = 16;
const NO_RUN: &str = "no run is selected";

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
                    - i32::from(is_motion(&entry.target));
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
                why_not: why_not(model, binding.intent),
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

/// Whether it only moves about: nobody opens the palette for that, so it comes last of what is equal.
fn is_motion(target: &Target) -> bool {
    matches!(
        target,
        Target::Intent(
            Intent::Down | Intent::Up | Intent::First | Intent::Last | Intent::PageUp | Intent::PageDown | Intent::Back
        )
    )
}

/// Why an action of the list can do nothing at the moment, in few words, as far as that is known; none when it can.
fn why_not(model: &Model, intent: Intent) -> Option<String> {
    let list = &model.list;
    let on_group = list.selected_group().is_some();
    let view = model.selected_view();
    let is_live = view.is_some_and(|view| !view.record.status.is_final());
    let is_pty = view.is_some_and(|view| view.record.mode == Mode::Pty);
    let is_pending = list.selected().is_some_and(|row| row.pending);
    let is_lost = view.is_some_and(|view| view.record.status == Status::Orphaned);
    let name = cut(&crate::model::plain_line(&model.selected_name(), 64), "", MAX_NAME_COLS);
    let unless = |can: bool, words: &str| {
        (!can).then(|| if name.is_empty() { NO_RUN.to_owned() } else { format!("{name} {words}") })
    };
    match intent {
        // For all members of a group: what there is to do is told when it is tried.
        Intent::Start
        | Intent::Stop
        | Intent::Kill
        | Intent::Restart
        | Intent::KillRestart
        | Intent::Clear
        | Intent::Signal
            if on_group || !model.marked.is_empty() =>
        {
            None
        }
        Intent::Attach if is_live => unless(is_pty, "has pipes"),
        Intent::Attach => unless(is_pending, "is not running"),
        Intent::Stop => unless(is_live || is_lost, "is not running"),
        Intent::Rename | Intent::Group if on_group => None,
        Intent::Group if is_live => unless(view.is_some_and(|view| view.record.name.is_some()), "has no name"),
        Intent::Kill | Intent::Signal | Intent::Extend | Intent::Rename | Intent::Group => {
            unless(is_live, "is not running")
        }
        Intent::Keyboard if is_live => unless(is_pty, "has pipes"),
        Intent::Keyboard => unless(false, "is not running"),
        Intent::StopOthers => (list.live().len() <= usize::from(is_live)).then(|| "nothing else is running".to_owned()),
        Intent::Start => unless(!name.is_empty() && !is_live && !is_pending, "is running"),
        Intent::Clear => unless(!name.is_empty() && !is_live, "is running"),
        Intent::Restart | Intent::KillRestart | Intent::Inspect | Intent::Duplicate => unless(!name.is_empty(), ""),
        Intent::Pager | Intent::Editor | Intent::Export => unless(view.is_some(), "was not started"),
        Intent::Scrollback | Intent::PageUp | Intent::HalfUp if model.inspect.is_none() => {
            unless(view.is_some(), "was not started")
        }
        Intent::PageDown | Intent::HalfDown if model.inspect.is_none() && model.pane.scroll.is_none() => {
            Some("at the end".into())
        }
        Intent::Detach if !model.setup.has_server => Some("--embedded".into()),
        Intent::Back
            if model.inspect.is_none() && !model.zoom && model.pane.scroll.is_none() && list.filter().is_empty() =>
        {
            Some("nothing is open".into())
        }
        _ => None,
    }
}
