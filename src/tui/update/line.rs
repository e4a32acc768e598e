//! Typing a search or a filter: what it finds is shown while it is typed.

use tui_input::Input;

use crate::model::KeyChord;

use super::super::keys::Intent;
use super::super::model::{Before, Filter, Focus, LineKind, LinePrompt, Model, Overlay, Search};
use super::{beyond, prompt, reading, scroll};

/// The longest pattern, in bytes.
const MAX_BYTES: usize = 1024;

/// Opens the line, and stops the view.
pub(super) fn open(model: &mut Model, kind: LineKind) {
    let was_in_list = model.focus != Focus::Scroll;
    if was_in_list {
        scroll::enter(model);
    }
    if model.focus != Focus::Scroll {
        return;
    }
    let pane = &model.pane;
    let before = Before {
        search: pane.reading.search.clone(),
        filter: pane.reading.filter.clone(),
        scroll: pane.scroll,
        cursor: pane.reading.cursor,
        was_in_list,
    };
    let (typed, pattern) = match kind {
        LineKind::Search => (String::new(), pane.reading.search.as_ref().map(|search| search.pattern.clone())),
        LineKind::Filter => match &pane.reading.filter {
            Some(filter) => (filter.typed(), Some(filter.pattern.clone())),
            None => (String::new(), None),
        },
    };
    let pattern = pattern.unwrap_or_default();
    model.overlay = Some(Overlay::Line(Box::new(LinePrompt {
        kind,
        input: Input::new(typed),
        is_regex: pattern.is_regex,
        exact_case: pattern.exact_case,
        error: None,
        before,
    })));
}

pub(super) fn press(model: &mut Model, mut line: Box<LinePrompt>, intent: Option<Intent>, chord: KeyChord) {
    match intent {
        Some(Intent::Back) => return give_up(model, line.before),
        Some(Intent::Accept) => return accept(model, *line),
        Some(Intent::ToggleRegex) => line.is_regex = !line.is_regex,
        Some(Intent::ToggleCase) => line.exact_case = !line.exact_case,
        Some(intent @ (Intent::NextHit | Intent::PreviousHit)) => {
            if model.pane.reading.search.is_some() {
                reading::around(model, intent == Intent::NextHit);
            }
            model.overlay = Some(Overlay::Line(line));
            return;
        }
        Some(_) | None => {
            let before = line.input.value().to_owned();
            prompt::edit_line(&mut line.input, chord, MAX_BYTES);
            if line.input.value() == before {
                model.overlay = Some(Overlay::Line(line));
                return;
            }
        }
    }
    apply(model, &mut line);
    model.overlay = Some(Overlay::Line(line));
}

/// Takes a paste into the line.
pub(super) fn paste(model: &mut Model, text: &str) {
    if let Some(Overlay::Line(mut line)) = model.overlay.take() {
        prompt::paste_line(&mut line.input, text, MAX_BYTES);
        apply(model, &mut line);
        model.overlay = Some(Overlay::Line(line));
    }
}

/// Shows what the line finds.
fn apply(model: &mut Model, line: &mut LinePrompt) {
    let height = scroll::height(model);
    let pattern = line.pattern();
    line.error = None;
    let pane = &mut model.pane;
    match line.kind {
        LineKind::Search => {
            // Every key begins where the search was begun.
            pane.scroll = line.before.scroll;
            let bottom = pane.shown_rows(height).last().copied();
            let mut search = Search::new(pattern.clone());
            search.wanted = bottom;
            line.error = search.error.clone();
            pane.reading.search = (!pattern.text.is_empty()).then_some(search);
        }
        LineKind::Filter => match Filter::new(pattern) {
            Ok(filter) => {
                pane.reading.filter = filter;
                if let Some(search) = &mut pane.reading.search {
                    search.again();
                }
            }
            Err(why) => line.error = Some(why),
        },
    }
    pane.update_reading(false);
    reading::settle(model);
}

fn accept(model: &mut Model, mut line: LinePrompt) {
    if line.error.is_some() {
        model.overlay = Some(Overlay::Line(Box::new(line)));
        return;
    }
    let is_empty = line.input.value().is_empty();
    let is_led = line.before.was_in_list || (line.before.search.is_some() && model.pane.reading.led_here);
    if line.kind == LineKind::Search {
        model.pane.reading.led_here = is_led;
    }
    match (line.kind, is_empty, line.before.search.take()) {
        // Nothing typed: what was looked for last goes on.
        (LineKind::Search, true, Some(search)) => model.pane.reading.search = Some(search),
        (LineKind::Search, true, None) => give_up(model, line.before),
        (LineKind::Search, false, _) => {
            let reading = &model.pane.reading;
            let found = reading.search.as_ref().is_some_and(|search| search.count() > 0);
            if !found && !beyond::begin(model, false, true) && model.pane.reading.text.is_whole() {
                model.inform(format!("{} is not in the output", line.input.value()));
            }
        }
        (LineKind::Filter, ..) => {}
    }
}

fn give_up(model: &mut Model, before: Before) {
    let pane = &mut model.pane;
    (pane.reading.search, pane.reading.filter) = (before.search, before.filter);
    (pane.reading.cursor, pane.scroll) = (before.cursor, before.scroll);
    if before.was_in_list {
        scroll::leave(model);
    }
}
