//! The user's wishes for the terminal interface.

use std::time::Duration;

use super::reader::Value;
use crate::model::{Key, KeyChord, Modifiers};

/// Where the list of runs stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ListPlace {
    /// Beside the terminals; above them where that would be too narrow.
    #[default]
    Left,
    /// Above the terminals.
    Top,
    /// Nowhere: the terminals have all the room.
    Hidden,
}

impl ListPlace {
    /// All places, in the order in which a key goes through them.
    pub const ALL: [ListPlace; 3] = [ListPlace::Left, ListPlace::Top, ListPlace::Hidden];

    /// Returns its name in the configuration.
    pub fn word(self) -> &'static str {
        match self {
            ListPlace::Left => "left",
            ListPlace::Top => "top",
            ListPlace::Hidden => "hidden",
        }
    }
}

/// How the user is told of what happens where nobody looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notify {
    /// The bell of the terminal.
    Bell,
    /// A notification of the terminal, as iTerm2, WezTerm and Windows Terminal have it.
    Osc9,
    /// The same, as urxvt, foot and Ghostty have it.
    Osc777,
    /// The same, as kitty has it.
    Osc99,
    /// A program and its arguments; the run's name and what has happened follow them.
    Command(Vec<String>),
}

impl Notify {
    /// Returns its name in the configuration.
    pub fn word(&self) -> String {
        match self {
            Notify::Bell => "bell".into(),
            Notify::Osc9 => "osc9".into(),
            Notify::Osc777 => "osc777".into(),
            Notify::Osc99 => "osc99".into(),
            Notify::Command(argv) => format!("command: {}", argv.join(" ")),
        }
    }
}

/// The user's wishes for the terminal interface (`[tui]`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TuiSettings {
    /// The key that leaves an attached run; doubled it is sent to the run. Has Ctrl or Alt.
    pub attach_key: KeyChord,
    /// Whether the mouse is used.
    pub mouse: bool,
    /// The program that takes what is copied at its standard input, and its arguments; empty for none, unset for one that is found.
    pub clipboard: Option<Vec<String>>,
    /// Whether what was selected with the mouse is copied when the button is let go.
    pub copy_on_release: bool,
    /// Where the list of runs stands at first.
    pub layout: ListPlace,
    /// Whether the list shows what the processes of runs use.
    pub usage: bool,
    /// How the user is told of what happens where nobody looks.
    pub notify: Vec<Notify>,
    /// After how long without a key the keyboard of an attached run is handed back; none for not before it is detached.
    pub hold: Option<Duration>,
}

impl Default for TuiSettings {
    fn default() -> TuiSettings {
        let modifiers = Modifiers { ctrl: true, ..Modifiers::default() };
        let attach_key = KeyChord { key: Key::Char('a'), modifiers };
        TuiSettings {
            attach_key,
            mouse: true,
            clipboard: None,
            copy_on_release: true,
            layout: ListPlace::default(),
            usage: false,
            notify: Vec::new(),
            hold: None,
        }
    }
}

/// Reads a place of the list.
pub(super) fn read_layout(value: &Value<'_, '_>) -> Option<ListPlace> {
    let text = value.text()?;
    let place = ListPlace::ALL.into_iter().find(|place| place.word() == text);
    if place.is_none() {
        value.wrong("\"left\", \"top\" or \"hidden\"");
    }
    place
}

/// Reads how the user is told: a list of names, and of tables with a command.
pub(super) fn read_notify(value: &Value<'_, '_>) -> Option<Vec<Notify>> {
    value.items()?.iter().map(read_way).collect()
}

fn read_way(item: &Value<'_, '_>) -> Option<Notify> {
    let way = if item.is_text() {
        let named = [Notify::Bell, Notify::Osc9, Notify::Osc777, Notify::Osc99];
        named.into_iter().find(|way| item.text() == Some(&way.word()))
    } else if item.is_table() {
        let argv = item.table()?.get("command").and_then(|command| command.texts()).filter(|argv| !argv.is_empty());
        argv.map(|argv| Notify::Command(argv.into_iter().map(str::to_owned).collect()))
    } else {
        None
    };
    if way.is_none() {
        item.wrong("\"bell\", \"osc9\", \"osc777\", \"osc99\" or { command = [\"PROGRAM\", \"ARGUMENT\"] }");
    }
    way
}
