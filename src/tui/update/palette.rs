//! Keys of the palette.

use crate::model::KeyChord;

use super::super::cmd::Cmd;
use super::super::keys::Intent;
use super::super::model::{Model, Overlay, Palette, PaletteEntry, Target};
use super::{dispatch, prompt};

/// How far a page goes, in entries.
const PAGE: usize = 8;
/// The most that is typed, in bytes.
pub(super) const MAX_CHARS: usize = 200;

/// Opens the palette of the part that has the keys.
pub(super) fn open(model: &mut Model) {
    if let Some(part) = model.part() {
        model.overlay = Some(Overlay::Palette(Palette::new(part)));
    }
}

pub(super) fn press(
    model: &mut Model,
    mut palette: Palette,
    intent: Option<Intent>,
    chord: KeyChord,
    cmds: &mut Vec<Cmd>,
) {
    let entries = palette.entries(model);
    let last = entries.len().saturating_sub(1);
    let selected = palette.selected.min(last);
    match intent {
        Some(Intent::Back) => return,
        Some(Intent::Accept) => return choose(model, entries.get(selected), cmds),
        Some(Intent::Down) => palette.selected = if selected == last { 0 } else { selected + 1 },
        Some(Intent::Up) => palette.selected = selected.checked_sub(1).unwrap_or(last),
        Some(Intent::PageDown) => palette.selected = (selected + PAGE).min(last),
        Some(Intent::PageUp) => palette.selected = selected.saturating_sub(PAGE),
        Some(_) | None => {
            if prompt::edit_line(&mut palette.words, chord, MAX_CHARS) {
                palette.selected = 0;
            }
        }
    }
    model.overlay = Some(Overlay::Palette(palette));
}

/// Moves the selection by the wheel.
pub(super) fn wheel(model: &mut Model, mut palette: Palette, down: bool) {
    let last = palette.entries(model).len().saturating_sub(1);
    let selected = palette.selected.min(last);
    palette.selected = if down { (selected + 1).min(last) } else { selected.saturating_sub(1) };
    model.overlay = Some(Overlay::Palette(palette));
}

/// An entry was clicked.
pub(super) fn click(model: &mut Model, palette: &Palette, entry: usize, cmds: &mut Vec<Cmd>) {
    let entries = palette.entries(model);
    choose(model, entries.get(entry), cmds);
}

/// Does what an entry says, whether that makes sense or not: if not, it is told why.
fn choose(model: &mut Model, entry: Option<&PaletteEntry>, cmds: &mut Vec<Cmd>) {
    match entry.map(|entry| &entry.target) {
        Some(Target::Intent(intent)) => dispatch::act(model, *intent, cmds),
        Some(Target::Row(key)) => {
            model.list.select_key(key);
        }
        None => {}
    }
}
