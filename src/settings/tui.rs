//! The user's wishes for the terminal interface.

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
}

impl Default for TuiSettings {
    fn default() -> TuiSettings {
        let modifiers = Modifiers { ctrl: true, ..Modifiers::default() };
        let attach_key = KeyChord { key: Key::Char('a'), modifiers };
        TuiSettings { attach_key, mouse: true, clipboard: None, copy_on_release: true, layout: ListPlace::default() }
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
