//! The filter and the order of the list.

use tui_input::Input;

use crate::model::KeyChord;

use super::super::cmd::Cmd;
use super::super::keys::Intent;
use super::super::model::Model;
use super::{intents, prompt};

/// The longest filter, in bytes.
const MAX_BYTES: usize = 256;

/// Gives the keys to the filter.
pub(super) fn begin(model: &mut Model) {
    model.filter.editing = true;
    model.inspect = None;
}

/// A key in the filter: what is typed counts at once.
pub(super) fn press(model: &mut Model, intent: Option<Intent>, chord: KeyChord, cmds: &mut Vec<Cmd>) {
    match intent {
        Some(Intent::Accept) => model.filter.editing = false,
        Some(Intent::Back) => {
            clear(model);
        }
        Some(intent @ (Intent::Down | Intent::Up)) => intents::act(model, intent, cmds),
        Some(_) => {}
        None => {
            if let Some(request) = prompt::request(chord) {
                let is_full = model.filter.input.value().len() >= MAX_BYTES;
                if !is_full || !matches!(request, tui_input::InputRequest::InsertChar(_)) {
                    model.filter.input.handle(request);
                }
            }
            apply(model);
        }
    }
}

/// Pastes into the filter: as one line.
pub(super) fn paste(model: &mut Model, text: &str) {
    let value = model.filter.input.value();
    let line =
        crate::model::plain_line(text.trim_end_matches(['\r', '\n']), MAX_BYTES.saturating_sub(value.len()).max(1));
    model.filter.input = Input::new(format!("{value}{line}"));
    apply(model);
}

fn apply(model: &mut Model) {
    let text = model.filter.input.value().to_owned();
    model.list.filter_by(&text);
    model.dirty = true;
}

/// Shows all rows again. Returns whether there was a filter.
pub(super) fn clear(model: &mut Model) -> bool {
    let was_filtered = !model.list.filter().is_empty();
    model.filter = super::super::model::ListFilter::default();
    apply(model);
    was_filtered
}

/// Sorts the list by the next order.
pub(super) fn sort(model: &mut Model) {
    let next = model.list.sort().next();
    model.list.sort_by(next);
    model.inform(format!("sorted: {}", next.words()));
}
