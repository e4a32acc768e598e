//! The place where secrets leave what is stored (S9.4). What a secret is, is decided elsewhere.

use std::fmt;
use std::sync::Arc;

use crate::model::{Failure, Record, RecordOutput};

type Find = dyn Fn(&str, bool) -> Option<String> + Send + Sync;

/// Takes secrets out of everything of a run that is stored or shown, but for the raw log.
#[derive(Clone)]
pub struct Redaction(Option<Arc<Find>>);

impl Redaction {
    /// Leaves everything as it is.
    pub fn none() -> Redaction {
        Redaction(None)
    }

    /// Redacts by a function that returns the text without secrets, or nothing when there is none in it. It is told whether the text may be about
    /// to go on.
    pub fn new(find: impl Fn(&str, bool) -> Option<String> + Send + Sync + 'static) -> Redaction {
        Redaction(Some(Arc::new(find)))
    }

    /// Redacts a text in its place; returns whether there was something.
    fn text(&self, text: &mut String, goes_on: bool) -> bool {
        match self.0.as_ref().and_then(|find| find(text, goes_on)) {
            Some(redacted) => {
                *text = redacted;
                true
            }
            None => false,
        }
    }

    /// Redacts a line of output.
    pub fn line(&self, text: &str) -> String {
        let mut line = text.to_owned();
        self.text(&mut line, false);
        line
    }

    /// Redacts the command and the messages of a record. Its output is redacted where it is taken.
    pub fn record(&self, record: &mut Record) {
        self.text(&mut record.command, false);
        for word in &mut record.argv {
            self.text(word, false);
        }
        if let Some(failure) = &mut record.failure {
            self.failure(failure);
        }
        if let Some(degraded) = &mut record.degraded {
            self.text(&mut degraded.why, false);
        }
    }

    /// Redacts a message.
    pub fn failure(&self, failure: &mut Failure) {
        self.text(&mut failure.message, false);
        if let Some(hint) = &mut failure.hint {
            self.text(hint, false);
        }
    }

    /// Redacts a snapshot of output, of a live run or the last one, and notes that in it.
    pub fn output(&self, output: &mut RecordOutput, is_live: bool) {
        match output {
            RecordOutput::Pipes(pipes) => {
                pipes.redacted |= self.text(&mut pipes.stdout, is_live) | self.text(&mut pipes.stderr, is_live);
            }
            RecordOutput::Pty(pty) => {
                pty.redacted |= self.text(&mut pty.screen, is_live)
                    | self.text(&mut pty.scrollback, false)
                    | self.text(&mut pty.title, false);
                if let Some(alternate) = &mut pty.last_alternate_screen {
                    pty.redacted |= self.text(alternate, false);
                }
            }
        }
    }
}

impl fmt::Debug for Redaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Redaction" } else { "Redaction(none)" })
    }
}
