//! What a program says to its terminal beyond drawing: data for whoever runs it (S9.2).

use std::collections::VecDeque;

/// The most signals that wait to be taken; the oldest go first. They are news, not a log.
const MAX_SIGNALS: usize = 64;

/// The longest text of a signal, in characters.
const MAX_CHARACTERS: usize = 4096;

/// A signal of a program. Its texts have no control characters, but are otherwise the program's own: never to be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Signal {
    /// OSC 52: the program wants to set the clipboard.
    Clipboard {
        /// Which selections, such as `c` or `p`; empty for the default.
        selection: String,
        /// What to put there, in base64, at most 64 KiB.
        base64: String,
    },
    /// OSC 9, 777 or 99: a notification.
    Notification {
        /// Its title; empty when it has none.
        title: String,
        /// Its text; never empty.
        body: String,
    },
    /// OSC 7: the directory that the program is in, as it wrote it (a `file:` URL).
    Directory(String),
    /// OSC 133: a mark of the shell. `A` prompt, `B` command line, `C` output, `D` end of the command.
    Mark {
        /// The kind of mark.
        kind: char,
        /// The exit code that came with `D`.
        exit_code: Option<i32>,
    },
}

/// The signals that wait to be taken.
#[derive(Debug, Default)]
pub(super) struct Signals(VecDeque<Signal>);

impl Signals {
    pub(super) fn push(&mut self, signal: Signal) {
        if self.0.len() == MAX_SIGNALS {
            self.0.pop_front();
        }
        self.0.push_back(signal);
    }

    pub(super) fn extend(&mut self, signal: Option<Signal>) {
        signal.into_iter().for_each(|signal| self.push(signal));
    }

    pub(super) fn take(&mut self) -> Vec<Signal> {
        std::mem::take(&mut self.0).into()
    }
}

/// Returns text as it may be kept: valid, without controls, not too long.
pub(super) fn plain_text(bytes: &[u8], max_characters: usize) -> String {
    String::from_utf8_lossy(bytes)
        .chars()
        .filter(|c| !c.is_control())
        .take(max_characters.min(MAX_CHARACTERS))
        .collect()
}
