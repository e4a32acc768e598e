//! Keys of the new-run prompt.

use tui_input::{Input, InputRequest};

use crate::model::{Key, KeyChord, Modifiers, NamedKey};

use super::super::cmd::Cmd;
use super::super::complete::Completing;
use super::super::keys::Intent;
use super::super::model::{Field, Model, Overlay, Prompt, RecallPlace};

/// The longest text of a field, in characters: more than any command line that a person types.
const MAX_CHARS: usize = 32 * 1024;

pub(super) fn press(
    model: &mut Model,
    mut prompt: Box<Prompt>,
    intent: Option<Intent>,
    chord: KeyChord,
    cmds: &mut Vec<Cmd>,
) {
    match intent {
        Some(Intent::Back) => return,
        Some(Intent::Accept) => accept(model, &mut prompt, cmds),
        Some(Intent::Complete) => complete(model, &mut prompt, cmds),
        Some(Intent::Older) => recall(model, &mut prompt, true),
        Some(Intent::Newer) => recall(model, &mut prompt, false),
        Some(Intent::NextField) => prompt.step(1),
        Some(Intent::PreviousField) => prompt.step(Field::ALL.len() - 1),
        Some(_) | None => edit(&mut prompt, chord),
    }
    model.overlay = Some(Overlay::Prompt(prompt));
}

/// Asks what the text could become; the next field is next where there is nothing to ask.
fn complete(model: &Model, prompt: &mut Prompt, cmds: &mut Vec<Cmd>) {
    match prompt.completing(&model.setup.cwd, model.setup.home.as_deref()) {
        Some(wanted) if prompt.choices.is_empty() => cmds.push(Cmd::Complete(wanted)),
        Some(_) | None => prompt.step(1),
    }
}

/// Takes in what a text could become, unless something else was typed meanwhile.
pub(super) fn completed(model: &mut Model, asked: &Completing, choices: Vec<String>) {
    let (cwd, home) = (model.setup.cwd.clone(), model.setup.home.clone());
    let Some(Overlay::Prompt(prompt)) = &mut model.overlay else { return };
    if prompt.completing(&cwd, home.as_deref()).as_ref() == Some(asked) {
        prompt.complete(choices);
    }
}

/// Walks through the lines of the command field; in others, through the fields.
fn recall(model: &Model, prompt: &mut Prompt, older: bool) {
    let now = prompt.command.value().to_owned();
    let line = match (prompt.field, older) {
        (Field::Command, true) => model.recall.older(&mut prompt.place, &now),
        (Field::Command, false) => model.recall.newer(&mut prompt.place),
        (_, true) => return prompt.step(Field::ALL.len() - 1),
        (_, false) => return prompt.step(1),
    };
    match line {
        Some(line) => {
            (prompt.command, prompt.error) = (Input::new(line), None);
            prompt.choices.clear();
        }
        None if older => {}
        None => prompt.step(1),
    }
}

fn accept(model: &mut Model, prompt: &mut Prompt, cmds: &mut Vec<Cmd>) {
    if prompt.pending {
        return;
    }
    match prompt.request(&model.setup.cwd, model.setup.home.as_deref(), model.pane_size()) {
        Ok(request) => {
            (prompt.error, prompt.pending) = (None, true);
            model.recall.add(request.line.clone());
            cmds.push(Cmd::Remember(request.line.clone()));
            cmds.push(Cmd::StartNew(request));
        }
        Err((field, why)) => {
            prompt.field = field;
            prompt.error = Some((field, why));
        }
    }
}

fn edit(prompt: &mut Prompt, chord: KeyChord) {
    if prompt.pending {
        return;
    }
    let field = prompt.field;
    match prompt.input() {
        Some(input) => {
            if edit_line(input, chord, MAX_CHARS) {
                (prompt.edited, prompt.place) = (true, RecallPlace::default());
            }
            prompt.choices.clear();
        }
        None => {
            let Some(request) = request(chord) else { return };
            let toggles = matches!(
                request,
                InputRequest::InsertChar(_) | InputRequest::GoToPrevChar | InputRequest::GoToNextChar
            );
            if toggles {
                prompt.toggle_mode();
            }
        }
    }
    if prompt.error.as_ref().is_some_and(|(wrong, _)| *wrong == field) {
        prompt.error = None;
    }
}

/// Edits a line as readline does, up to so many bytes; returns whether its text has changed.
pub(super) fn edit_line(input: &mut Input, chord: KeyChord, max: usize) -> bool {
    let Some(request) = request(chord) else { return false };
    if matches!(request, InputRequest::InsertChar(_)) && input.value().len() >= max {
        return false;
    }
    input.handle(request).is_some_and(|change| change.value)
}

/// The keys of a line editor, as readline has them.
pub(super) fn request(chord: KeyChord) -> Option<InputRequest> {
    let Modifiers { ctrl, alt, .. } = chord.modifiers;
    Some(match (chord.key, ctrl, alt) {
        (Key::Char(c), false, false) => InputRequest::InsertChar(c),
        (Key::Named(NamedKey::Left), false, false) | (Key::Char('b'), true, false) => InputRequest::GoToPrevChar,
        (Key::Named(NamedKey::Right), false, false) | (Key::Char('f'), true, false) => InputRequest::GoToNextChar,
        (Key::Named(NamedKey::Left), ..) | (Key::Char('b'), false, true) => InputRequest::GoToPrevWord,
        (Key::Named(NamedKey::Right), ..) | (Key::Char('f'), false, true) => InputRequest::GoToNextWord,
        (Key::Named(NamedKey::Home), ..) | (Key::Char('a'), true, false) => InputRequest::GoToStart,
        (Key::Named(NamedKey::End), ..) | (Key::Char('e'), true, false) => InputRequest::GoToEnd,
        (Key::Named(NamedKey::Backspace), false, false) | (Key::Char('h'), true, false) => InputRequest::DeletePrevChar,
        (Key::Named(NamedKey::Backspace), ..) | (Key::Char('w'), true, false) => InputRequest::DeletePrevWord,
        (Key::Named(NamedKey::Delete), ..) | (Key::Char('d'), true, false) => InputRequest::DeleteNextChar,
        (Key::Char('u'), true, false) => InputRequest::DeleteFromStart,
        (Key::Char('k'), true, false) => InputRequest::DeleteTillEnd,
        (Key::Char('y'), true, false) => InputRequest::Yank,
        (Key::Char(_), ..) | (Key::Named(_), ..) => return None,
    })
}

/// Takes a paste into the field: as one line.
pub(super) fn paste(prompt: &mut Prompt, text: &str) {
    if prompt.pending {
        return;
    }
    if let Some(input) = prompt.input() {
        paste_line(input, text, MAX_CHARS);
        prompt.edited = true;
        prompt.choices.clear();
    }
}

/// Takes a paste into a line that is typed.
pub(super) fn paste_line(input: &mut Input, text: &str, max: usize) {
    let room = max.saturating_sub(input.value().len());
    let (cursor, value) = (input.cursor(), input.value());
    let line = crate::model::plain_line(text.trim_end_matches(['\r', '\n']), room.max(1));
    let before: String = value.chars().take(cursor).collect();
    let after: String = value.chars().skip(cursor).collect();
    let cursor = cursor + line.chars().count();
    *input = Input::new(format!("{before}{line}{after}")).with_cursor(cursor);
}
