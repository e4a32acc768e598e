//! Keys that people know from elsewhere: what each preset changes of the defaults. A key that a preset gives to an action is taken from the
//! action that has it by default.

use super::keys::{Intent, Part};
use crate::settings::KeyPreset;

/// The keys of an action in a preset, in place of its default ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    pub(super) part: Part,
    pub(super) intent: Intent,
    pub(super) keys: &'static [&'static str],
}

const fn list(intent: Intent, keys: &'static [&'static str]) -> Change {
    Change { part: Part::List, intent, keys }
}

const fn scroll(intent: Intent, keys: &'static [&'static str]) -> Change {
    Change { part: Part::Scroll, intent, keys }
}

/// `a` adds, `d` removes, `e` renames, `v` looks back; what they take has another key.
const MPROCS: &[Change] = &[
    list(Intent::NewRun, &["a", "n"]),
    list(Intent::Duplicate, &["C", "D"]),
    list(Intent::Clear, &["d", "c"]),
    list(Intent::Rename, &["e", "M"]),
    list(Intent::Extend, &["T"]),
    list(Intent::Detach, &["Q"]),
    list(Intent::Scrollback, &["v", "["]),
    list(Intent::Split, &["|"]),
    list(Intent::PageUp, &["page_up", "C-u"]),
    scroll(Intent::Up, &["k", "up", "C-y"]),
    scroll(Intent::Down, &["j", "down", "C-e"]),
    scroll(Intent::Back, &["escape", "q", "v"]),
];

/// The keys of tmux behind its prefix, beside the default ones.
const TMUX: &[Change] = &[
    list(Intent::NewRun, &["n", "C-b c"]),
    list(Intent::Down, &["j", "down", "C-b n"]),
    list(Intent::Up, &["k", "up", "C-b p"]),
    list(Intent::Zoom, &["z", "C-b z"]),
    list(Intent::Split, &["v", "C-b %"]),
    list(Intent::NextPane, &["tab", "C-b o"]),
    list(Intent::Scrollback, &["[", "C-b [", "C-b page_up"]),
    list(Intent::Stop, &["x", "C-b x"]),
    list(Intent::Kill, &["X", "C-b &"]),
    list(Intent::Inspect, &["i", "C-b i"]),
    list(Intent::Help, &["?", "f1", "C-b ?"]),
    list(Intent::Palette, &["p", ":", "C-b :"]),
    list(Intent::Detach, &["d", "C-b d"]),
    list(Intent::Redraw, &["C-l", "C-b r"]),
    list(Intent::Rename, &["M", "C-b ,"]),
    list(Intent::Suspend, &["C-z", "C-b C-z"]),
];

/// Sequences and half pages as in vim; `i` goes in, `o` opens.
const VIM: &[Change] = &[
    list(Intent::First, &["g g", "home"]),
    list(Intent::Attach, &["enter", "i"]),
    list(Intent::Inspect, &["K"]),
    list(Intent::NewRun, &["o", "n"]),
    list(Intent::Export, &["O"]),
    list(Intent::Clear, &["d d"]),
    list(Intent::Rename, &["M", "c w"]),
    list(Intent::Detach, &["Z D"]),
    list(Intent::Leave, &["q", "Z Z", "C-c"]),
    list(Intent::PageUp, &["page_up", "C-u", "C-b"]),
    list(Intent::PageDown, &["page_down", "C-f"]),
    list(Intent::Zoom, &["z", "C-w o"]),
    list(Intent::Split, &["v", "C-w v"]),
    list(Intent::NextPane, &["tab", "C-w w"]),
    scroll(Intent::First, &["g g", "home"]),
    scroll(Intent::Up, &["k", "up", "C-y"]),
    scroll(Intent::Down, &["j", "down", "C-e"]),
    scroll(Intent::HalfUp, &["C-u"]),
    scroll(Intent::Back, &["escape", "q", "i"]),
];

/// Returns what a preset changes.
pub(super) fn changes(preset: KeyPreset) -> &'static [Change] {
    match preset {
        KeyPreset::Default => &[],
        KeyPreset::Mprocs => MPROCS,
        KeyPreset::Tmux => TMUX,
        KeyPreset::Vim => VIM,
    }
}
