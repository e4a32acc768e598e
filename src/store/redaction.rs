//! The place where secrets leave what is stored (S9.4). What a secret is, is decided by [`Redactor`].

use crate::model::{Failure, Recipe, Record};
use crate::redact::Redactor;

/// Takes secrets out of everything of a run that is stored or shown, but for the raw log.
#[derive(Debug, Clone)]
pub struct Redaction(Option<Redactor>);

impl Redaction {
    /// Leaves everything as it is.
    pub fn none() -> Redaction {
        Redaction(None)
    }

    /// Takes out what this redactor finds.
    pub fn new(redactor: Redactor) -> Redaction {
        Redaction(Some(redactor))
    }

    /// Returns what finds secrets; none when everything is left as it is.
    pub fn redactor(&self) -> Option<&Redactor> {
        self.0.as_ref()
    }

    /// Redacts a text in its place; returns whether there was something. `goes_on` says whether the text may be about to go on.
    pub fn text(&self, text: &mut String, goes_on: bool) -> bool {
        let Some(redactor) = &self.0 else { return false };
        let redacted = if goes_on { redactor.redact_unfinished(text) } else { redactor.redact(text) };
        if redacted.found {
            *text = redacted.text.into_owned();
            return true;
        }
        false
    }

    /// Redacts a line of output.
    pub fn line(&self, text: &str) -> String {
        let mut line = text.to_owned();
        self.text(&mut line, false);
        line
    }

    /// Redacts the value of a variable.
    pub fn variable(&self, name: &str, value: &str) -> String {
        match &self.0 {
            Some(redactor) => redactor.redact_env(name, value).text.into_owned(),
            None => value.to_owned(),
        }
    }

    /// Redacts the command and the messages of a record. Its output is redacted where it is taken.
    pub fn record(&self, record: &mut Record) {
        let Some(redactor) = &self.0 else { return };
        let command = redactor.redact_command(&record.command);
        if command.found {
            record.command = command.text.into_owned();
        }
        let (argv, found) = redactor.redact_argv(&record.argv);
        if found {
            record.argv = argv;
        }
        if let Some(recipe) = &mut record.recipe {
            self.recipe(recipe);
        }
        if let Some(failure) = &mut record.failure {
            self.failure(failure);
        }
        if let Some(degraded) = &mut record.degraded {
            self.text(&mut degraded.why, false);
        }
    }

    /// Redacts the values of variables, and the command that stops the run.
    fn recipe(&self, recipe: &mut Recipe) {
        let Some(redactor) = &self.0 else { return };
        for (name, value) in &mut recipe.env {
            let text = value.to_string_lossy().into_owned();
            let redacted = redactor.redact_env(&name.to_string_lossy(), &text);
            if redacted.found {
                *value = redacted.text.into_owned().into();
            }
        }
        if let Some(command) = recipe.stop.as_mut().and_then(|stop| stop.command.as_mut()) {
            let text = command.to_string_lossy().into_owned();
            let redacted = redactor.redact_command(&text);
            if redacted.found {
                *command = redacted.text.into_owned().into();
            }
        }
    }

    /// Redacts a message.
    pub fn failure(&self, failure: &mut Failure) {
        self.text(&mut failure.message, false);
        if let Some(hint) = &mut failure.hint {
            self.text(hint, false);
        }
    }
}
