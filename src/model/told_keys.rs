//! What a terminal tells of a key. The kitty keyboard protocol and xterm's modifyOtherKeys tell more, but only some terminals have them, and they are
//! on only while a run asks for them: a key of ours has to be told without.

use super::{Key, KeyChord, Modifiers, NamedKey};

/// Why a key cannot be one of ours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyFault {
    /// A terminal tells another key in its place.
    #[error("{:?} cannot be told from {:?} in a terminal", .key.to_string(), .same.to_string())]
    Same {
        /// The key.
        key: KeyChord,
        /// What is told.
        same: KeyChord,
    },
    /// A terminal tells it without what is held, or not at all.
    #[error("{:?} is no key that every terminal can send", .0.to_string())]
    Untold(KeyChord),
    /// Runs cannot do without it.
    #[error("{:?} cannot be the key that leaves: every run needs it", .0.to_string())]
    Needed(KeyChord),
    /// Runs cannot do without the key that is told in its place.
    #[error("{:?} cannot be told from {:?} in a terminal, which every run needs", .key.to_string(), .same.to_string())]
    SameAsNeeded {
        /// The key.
        key: KeyChord,
        /// What is told.
        same: KeyChord,
    },
    /// Other keys are told by what it begins.
    #[error("{:?} cannot be the key that leaves: the arrow keys begin with it", .0.to_string())]
    Begins(KeyChord),
}

impl KeyFault {
    /// Returns which key to take.
    pub fn hint(&self) -> String {
        match self {
            KeyFault::Same { same, .. } => format!("write {:?}", same.to_string()),
            KeyFault::Untold(KeyChord { modifiers: Modifiers { ctrl: true, .. }, .. }) => {
                r"Ctrl goes with letters, space and \ ] ^ _, and with keys that have a name such as left".into()
            }
            KeyFault::Untold(KeyChord { key: Key::Char(_), .. }) => {
                "write the character that it types with Shift".into()
            }
            KeyFault::Untold(_) => "take another key".into(),
            KeyFault::Needed(_) | KeyFault::SameAsNeeded { .. } | KeyFault::Begins(_) => {
                "take a key with Ctrl or Alt, such as C-a or C-], or a function key".into()
            }
        }
    }
}

impl KeyChord {
    /// Checks that every terminal tells this key, and as no other one.
    ///
    /// # Errors
    /// [`KeyFault::Same`] and [`KeyFault::Untold`].
    pub fn check_told(self) -> Result<(), KeyFault> {
        match self.told() {
            Some(same) if same == self => Ok(()),
            Some(same) => Err(KeyFault::Same { key: self, same }),
            None => Err(KeyFault::Untold(self)),
        }
    }

    /// Checks that this key can be the one that leaves an attached run: a terminal tells it, and runs can do without it.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn check_leaving(self) -> Result<(), KeyFault> {
        if !self.can_be_missed() {
            return Err(KeyFault::Needed(self));
        }
        match self.check_told() {
            Err(KeyFault::Same { key, same }) if !same.can_be_missed() => Err(KeyFault::SameAsNeeded { key, same }),
            Ok(()) if matches!(self.key, Key::Char('[' | 'O')) && !self.modifiers.ctrl => Err(KeyFault::Begins(self)),
            checked => checked,
        }
    }

    fn can_be_missed(self) -> bool {
        let is_function_key = matches!(self.key, Key::Named(NamedKey::F(_)));
        self.modifiers.ctrl || self.modifiers.alt || is_function_key
    }

    /// Returns the key that a terminal tells when this one is pressed; none when what it tells is no key of ours, or depends on the keyboard's layout.
    fn told(self) -> Option<KeyChord> {
        let KeyChord { key, modifiers } = self;
        let Modifiers { ctrl, alt, shift } = modifiers;
        let plain = |key| KeyChord { key, modifiers: Modifiers { alt, ..Modifiers::default() } };
        let with_ctrl = |c| KeyChord { key: Key::Char(c), modifiers: Modifiers { ctrl: true, shift: false, alt } };
        Some(match key {
            Key::Char(c) if ctrl => match c.to_ascii_lowercase() {
                'i' => plain(Key::Named(NamedKey::Tab)),
                'm' => plain(Key::Named(NamedKey::Enter)),
                '[' | '{' | '3' => return plain(Key::Named(NamedKey::Escape)).told(),
                '?' | '8' => plain(Key::Named(NamedKey::Backspace)),
                c @ 'a'..='z' => with_ctrl(c),
                ' ' | '@' | '`' | '2' => with_ctrl(' '),
                '\\' | '|' | '4' => with_ctrl('\\'),
                ']' | '}' | '5' => with_ctrl(']'),
                '^' | '~' | '6' => with_ctrl('^'),
                '_' | '/' | '-' | '7' => with_ctrl('_'),
                _ => return None,
            },
            Key::Char(' ') => plain(key),
            Key::Char(c) if shift => {
                let mut upper = c.to_uppercase();
                match (upper.next(), upper.next()) {
                    (Some(upper), None) if upper != c || c.is_uppercase() => plain(Key::Char(upper)),
                    _ => return None,
                }
            }
            // Alt is one Escape before it.
            Key::Named(NamedKey::Escape) if alt => return None,
            Key::Named(NamedKey::Backspace) if ctrl => with_ctrl('h'),
            Key::Named(NamedKey::Enter | NamedKey::Escape | NamedKey::Backspace) => plain(key),
            Key::Named(NamedKey::Tab) => KeyChord { key, modifiers: Modifiers { ctrl: false, ..modifiers } },
            Key::Char(_)
            | Key::Named(
                NamedKey::Delete
                | NamedKey::Up
                | NamedKey::Down
                | NamedKey::Left
                | NamedKey::Right
                | NamedKey::Home
                | NamedKey::End
                | NamedKey::Insert
                | NamedKey::PageUp
                | NamedKey::PageDown
                | NamedKey::F(_),
            ) => self,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(check: fn(KeyChord) -> Result<(), KeyFault>, key: &str) -> String {
        let fault = check(key.parse().expect(key)).expect_err(key);
        format!("{fault}; {}", fault.hint())
    }

    #[test]
    fn a_key_that_a_terminal_tells_as_another_one_names_that_one() {
        for (key, same) in [
            ("C-i", "tab"),
            ("C-A", "C-a"),
            ("C-S-a", "C-a"),
            ("C-M-m", "M-enter"),
            ("C-/", "C-_"),
            ("C-@", "C-space"),
            ("C-enter", "enter"),
            ("S-enter", "enter"),
            ("C-backspace", "C-h"),
            ("S-a", "A"),
            ("M-S-ä", "M-Ä"),
        ] {
            let said = fault(KeyChord::check_told, key);
            assert_eq!(said, format!("{key:?} cannot be told from {same:?} in a terminal; write {same:?}"));
        }
    }

    #[test]
    fn a_key_that_not_every_terminal_can_send_is_refused() {
        for key in ["C-!", "C-1", "C-.", "C-ä", "C-é"] {
            let said = fault(KeyChord::check_told, key);
            assert!(said.starts_with(&format!("{key:?} is no key that every terminal can send; Ctrl goes ")), "{said}");
        }
        assert!(fault(KeyChord::check_told, "S-1").ends_with("the character that it types with Shift"));
        for key in ["M-escape", "C-M-["] {
            assert!(fault(KeyChord::check_told, key).contains("no key that every terminal can send"), "{key}");
        }
        for key in ["C-a", "C-]", "C-M-x", "M-ä", "M-X", "M-enter", "S-tab", "C-S-up", "S-f3", "C-space", "a", "?"] {
            assert_eq!(key.parse::<KeyChord>().expect(key).check_told(), Ok(()), "{key}");
        }
    }

    #[test]
    fn the_key_that_leaves_is_none_that_runs_need() {
        for (key, why) in [
            ("q", "every run needs it"),
            ("enter", "every run needs it"),
            ("up", "every run needs it"),
            ("C-i", "from \"tab\" in a terminal, which every run needs"),
            ("C-[", "from \"escape\" in a terminal, which every run needs"),
            ("C-enter", "which every run needs"),
            ("M-[", "the arrow keys begin with it"),
            ("M-O", "the arrow keys begin with it"),
        ] {
            let said = fault(KeyChord::check_leaving, key);
            assert!(said.contains(why) && said.ends_with("or a function key"), "{said}");
        }
        assert!(fault(KeyChord::check_leaving, "C-A").ends_with("write \"C-a\""));
        assert!(fault(KeyChord::check_leaving, "C-!").contains("no key that every terminal can send"));
        for key in ["C-a", "C-]", "M-x", "f12", "C-up", "M-enter"] {
            assert_eq!(key.parse::<KeyChord>().expect(key).check_leaving(), Ok(()), "{key}");
        }
    }
}
