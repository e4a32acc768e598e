//! What a live run wants of somebody (S6.7). It is of the moment: records know nothing of it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// An interactive shell is at its prompt: it can be used, and nobody is asked anything.
    Prompt,
    /// A program waits for something to be typed.
    Input,
    /// The same, and the terminal does not echo it: a password.
    Password,
    /// The bell rang.
    Bell,
}

impl Need {
    /// Returns whether somebody is asked for something: all but a shell at its prompt.
    pub fn is_urgent(self) -> bool {
        self != Need::Prompt
    }

    /// Returns it in words: `waits for a password`.
    pub fn words(self) -> &'static str {
        match self {
            Need::Prompt => "at a prompt",
            Need::Input => "waits for input",
            Need::Password => "waits for a password",
            Need::Bell => "rang its bell",
        }
    }
}

/// That a run wants something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attention {
    /// What.
    pub need: Need,
    /// Since when.
    pub since: Timestamp,
}
