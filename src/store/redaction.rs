//! The place where secrets leave what is stored (S9.4). What a secret is, is decided elsewhere.

use std::fmt;
use std::sync::Arc;

use crate::model::{Failure, Record, RecordOutput};

type Find = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Takes secrets out of everything of a run that is stored or shown, but for the raw log.
#[derive(Clone)]
pub struct Redaction(Option<Arc<Find>>);

impl Redaction {
    /// Leaves everything as it is.
    pub fn none() -> Redaction {
        Redaction(None)
    }

    /// Redacts by a function that returns the text without secrets, or nothing when there is none in it.
    pub fn new(find: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Redaction {
        Redaction(Some(Arc::new(find)))
    }

    /// Redacts a text in its place; returns whether there was something.
    fn text(&self, text: &mut String) -> bool {
        match self.0.as_ref().and_then(|find| find(text)) {
            Some(redacted) => {
                *text = redacted;
                true
            }
            None => false,
        }
    }

    /// Redacts the command and the messages of a record. Its output is redacted where it is taken.
    pub fn record(&self, record: &mut Record) {
        self.text(&mut record.command);
        for word in &mut record.argv {
            self.text(word);
        }
        if let Some(failure) = &mut record.failure {
            self.failure(failure);
        }
        if let Some(degraded) = &mut record.degraded {
            self.text(&mut degraded.why);
        }
    }

    /// Redacts a message.
    pub fn failure(&self, failure: &mut Failure) {
        self.text(&mut failure.message);
        if let Some(hint) = &mut failure.hint {
            self.text(hint);
        }
    }

    /// Redacts a snapshot of output, and notes that in it.
    pub fn output(&self, output: &mut RecordOutput) {
        match output {
            RecordOutput::Pipes(pipes) => {
                pipes.redacted |= self.text(&mut pipes.stdout) | self.text(&mut pipes.stderr);
            }
            RecordOutput::Pty(pty) => {
                pty.redacted |= self.text(&mut pty.screen) | self.text(&mut pty.scrollback) | self.text(&mut pty.title);
                if let Some(alternate) = &mut pty.last_alternate_screen {
                    pty.redacted |= self.text(alternate);
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
