//! What a person has typed into a run while holding its keyboard, for the note to an agent (S4.4).

use crate::model::{Action, HeldNote, Input, Key, NamedKey};
use crate::store::Redaction;

/// How much is kept, the newest. A person who types more has done work that an agent sees on the screen.
const MAX_BYTES: usize = 4096;

/// What was typed since it was told last.
#[derive(Debug, Default)]
pub(super) struct Typed {
    text: String,
    is_cut: bool,
}

impl Typed {
    /// Takes note of input. Of what was not echoed nothing is kept.
    pub(super) fn note(&mut self, input: &Input, is_echoed: bool) {
        if !is_echoed {
            self.is_cut = true;
            return;
        }
        match input {
            Input::Text(text) => self.push(text),
            Input::Actions(actions) => actions.iter().for_each(|action| self.action(action)),
        }
        if self.text.len() > MAX_BYTES {
            let from = self.text.ceil_char_boundary(self.text.len() - MAX_BYTES);
            self.text.drain(..from);
            self.is_cut = true;
        }
    }

    fn action(&mut self, action: &Action) {
        match action {
            Action::Text(text) | Action::Paste(text) => self.push(text),
            Action::Key(Key::Char(c), modifiers) if !modifiers.ctrl && !modifiers.alt => self.text.push(*c),
            Action::Key(Key::Named(NamedKey::Enter), _) => self.text.push('\n'),
            Action::Key(key, modifiers) => {
                let chord = crate::model::KeyChord { key: *key, modifiers: *modifiers };
                self.text.push_str(&format!("<{chord}>"));
            }
            Action::EndPaste | Action::Mouse(_) | Action::Focus(_) => {}
        }
    }

    /// Keys that come as bytes are shown as terminals show them: `^C`.
    fn push(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '\r' | '\n' => self.text.push('\n'),
                '\t' => self.text.push('\t'),
                '\u{7f}' => self.text.push_str("^?"),
                c if (c as u32) < 0x20 => self.text.extend(['^', char::from(c as u8 + 0x40)]),
                c if c.is_control() => {}
                c => self.text.push(c),
            }
        }
    }

    /// Fills a note in. What is told is forgotten, unless more is to come.
    pub(super) fn tell(&mut self, note: &mut HeldNote, redaction: &Redaction) {
        let mut text = self.text.clone();
        redaction.text(&mut text, false);
        (note.typed, note.is_cut) = (text, self.is_cut);
        if !note.is_held {
            *self = Typed::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::model::Modifiers;

    fn told(typed: &mut Typed, is_held: bool) -> (String, bool) {
        let (by, held) = ("somebody".to_owned(), Duration::ZERO);
        let mut note = HeldNote { by, held, is_held, typed: String::new(), is_cut: false };
        typed.tell(&mut note, &Redaction::none());
        (note.typed, note.is_cut)
    }

    #[test]
    fn keys_are_told_so_that_they_can_be_read_and_once() {
        let mut typed = Typed::default();
        let ctrl = Modifiers { ctrl: true, ..Modifiers::default() };
        typed.note(&Input::Text("ls\r\u{3}\u{1b}[A".into()), true);
        let keys = vec![
            Action::Key(Key::Char('q'), Modifiers::default()),
            Action::Key(Key::Char('c'), ctrl),
            Action::Key(Key::Named(NamedKey::Enter), Modifiers::default()),
            Action::Focus(true),
        ];
        typed.note(&Input::Actions(keys), true);
        assert_eq!(told(&mut typed, true), ("ls\n^C^[[Aq<C-c>\n".to_owned(), false));
        assert_eq!(told(&mut typed, false), ("ls\n^C^[[Aq<C-c>\n".to_owned(), false));
        assert_eq!(told(&mut typed, false), (String::new(), false));
    }

    #[test]
    fn what_was_not_echoed_is_not_kept_and_of_the_rest_the_newest() {
        let mut typed = Typed::default();
        typed.note(&Input::Text("hunter2\r".into()), false);
        assert_eq!(told(&mut typed, false), (String::new(), true));
        typed.note(&Input::Text("ä".repeat(MAX_BYTES)), true);
        typed.note(&Input::Text("end".into()), true);
        let (text, is_cut) = told(&mut typed, false);
        assert!(text.len() <= MAX_BYTES && text.ends_with("end") && is_cut);
    }
}
