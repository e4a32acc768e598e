//! The palette: every action and every run, found by a few letters.

use tui_input::Input;

use crate::model::Mode;
use crate::tui::keys::{Intent, Part, table_of};

use super::{Match, Model, RowKey, fuzzy};

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
    /// Whether it makes sense at the moment.
    pub(crate) applies: bool,
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
        let mut found: Vec<(i32, PaletteEntry)> = self
            .all(model)
            .filter_map(|entry| {
                let Match { score, at } = fuzzy(words, &entry.text)?;
                let in_name = at.iter().filter(|at| **at < entry.name).count();
                let rank = score + i32::try_from(in_name * 2).unwrap_or(0) + if entry.applies { 0 } else { NO_SENSE }
                    - i32::from(is_motion(&entry.target));
                Some((rank, PaletteEntry { at, ..entry }))
            })
            .collect();
        // Stable: equal ones keep the order of the keymap and of the list.
        found.sort_by_key(|(rank, _)| -rank);
        found.into_iter().map(|(_, entry)| entry).collect()
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
                applies: applies(model, binding.intent),
                at: Vec::new(),
            }
        });
        let rows = model.list.rows.iter().map(|row| {
            let name = crate::model::plain_line(&model.row_name(&row.key), 64);
            let state = match model.list.view_of(row) {
                Some(view) => format!("{} · {}", view.record.status.word(), view.record.command),
                None => "task, not run yet".to_owned(),
            };
            PaletteEntry {
                target: Target::Row(row.key.clone()),
                text: crate::model::plain_line(&format!("{name}  go to it: {state}"), 200),
                name: name.chars().count(),
                keys: String::new(),
                applies: true,
                at: Vec::new(),
            }
        });
        actions.chain(rows)
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

/// Whether an action of the list can do something at the moment, as far as that is known.
pub(crate) fn applies(model: &Model, intent: Intent) -> bool {
    let row = model.list.selected();
    let is_on_group = model.list.selected_group().is_some();
    let view = model.selected_view();
    let is_live = view.is_some_and(|view| !view.record.status.is_final());
    let is_pending = row.is_some_and(|row| row.pending);
    // On the head of a group, what is for all its members is told when it is tried.
    if is_on_group
        && matches!(intent, Intent::Start | Intent::Stop | Intent::Kill | Intent::Restart | Intent::KillRestart)
    {
        return true;
    }
    match intent {
        Intent::Attach => is_pending || view.is_some_and(|view| is_live && view.record.mode == Mode::Pty),
        Intent::Stop => is_live || view.is_some_and(|view| view.record.status == crate::model::Status::Orphaned),
        Intent::Kill | Intent::Signal | Intent::Extend => is_live,
        Intent::Rename => is_live || is_on_group,
        Intent::Group => is_on_group || view.is_some_and(|view| is_live && view.record.name.is_some()),
        Intent::Keyboard => view.is_some_and(|view| is_live && view.record.mode == Mode::Pty),
        Intent::Start => row.is_some() && !is_live && !is_pending,
        Intent::Clear => row.is_some() && !is_live,
        Intent::Restart | Intent::KillRestart | Intent::Inspect | Intent::Duplicate => row.is_some(),
        Intent::Pager | Intent::Editor | Intent::Export => view.is_some(),
        Intent::Scrollback | Intent::PageUp | Intent::HalfUp => view.is_some() || model.inspect.is_some(),
        Intent::PageDown | Intent::HalfDown => model.inspect.is_some() || model.pane.scroll.is_some(),
        Intent::Down | Intent::Up | Intent::First | Intent::Last => row.is_some(),
        Intent::Detach => model.setup.has_server,
        Intent::Back => model.inspect.is_some() || model.zoom || model.pane.scroll.is_some(),
        Intent::NewRun
        | Intent::Zoom
        | Intent::Split
        | Intent::NextPane
        | Intent::PreviousPane
        | Intent::MoveList
        | Intent::Help
        | Intent::Leave
        | Intent::Suspend
        | Intent::Redraw
        | Intent::Palette
        | Intent::Accept
        | Intent::Complete
        | Intent::Older
        | Intent::Newer
        | Intent::NextField
        | Intent::PreviousField
        | Intent::Yes
        | Intent::No
        | Intent::Search
        | Intent::NextHit
        | Intent::PreviousHit
        | Intent::ToggleRegex
        | Intent::ToggleCase
        | Intent::Filter
        | Intent::Follow
        | Intent::Select
        | Intent::SelectLines
        | Intent::SelectBlock
        | Intent::OtherEnd
        | Intent::Copy
        | Intent::CopyAsShown
        | Intent::Left
        | Intent::Right
        | Intent::WordForward
        | Intent::WordBack
        | Intent::WordEnd
        | Intent::LineStart
        | Intent::FirstText
        | Intent::LineEnd
        | Intent::ParagraphBack
        | Intent::ParagraphForward
        | Intent::FindAll
        | Intent::HistoryBrowser
        | Intent::Mark
        | Intent::MergedLog
        | Intent::OpenLog
        | Intent::Replay
        | Intent::PlayPause
        | Intent::Faster
        | Intent::Slower
        | Intent::Sort
        | Intent::Attention
        | Intent::Hurry => true,
        Intent::Fold => is_on_group || row.is_some(),
    }
}
