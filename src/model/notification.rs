//! What a program wants somebody to be told (OSC 9, 777, 99). It is of the moment: records know nothing of it.

use serde::{Deserialize, Serialize};

use super::plain_line;

/// The longest title and the longest text, in characters.
const MAX_TITLE: usize = 80;
const MAX_TEXT: usize = 240;

/// The last notification of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notification {
    /// Which one it is, of those of this run: another number is another notification. They begin again at 1 with another server.
    pub number: u64,
    /// Its title, at most 80 characters; empty when it has none.
    #[serde(default)]
    pub title: String,
    /// Its text, at most 240 characters.
    pub text: String,
}

impl Notification {
    /// Makes one of what a program has written: each part is one harmless line.
    pub fn new(number: u64, title: &str, text: &str) -> Notification {
        Notification { number, title: plain_line(title, MAX_TITLE), text: plain_line(text, MAX_TEXT) }
    }

    /// Returns it in one line: `TITLE: TEXT`.
    pub fn words(&self) -> String {
        if self.title.is_empty() { self.text.clone() } else { format!("{}: {}", self.title, self.text) }
    }
}
