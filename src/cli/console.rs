//! Where a verb prints: results on standard output, all the rest on standard error.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::exit::{Exit, Fault};
use super::hints::hint;
use super::table::Table;
use crate::model::Failure;

/// How much is collected before it is written.
const BUFFER_BYTES: usize = 64 * 1024;

/// How the output looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    /// Whether results are JSON.
    pub json: bool,
    /// Whether standard output is a terminal.
    pub is_terminal: bool,
    /// Whether standard error is a terminal.
    pub errors_are_terminal: bool,
    /// Whether standard output is coloured.
    pub colored: bool,
    /// Whether standard error is.
    pub errors_colored: bool,
    /// The columns of the terminal: longer lines of tables are cut. None where nobody looks.
    pub cols: Option<u16>,
}

impl Look {
    /// Finds out how the output of this process looks.
    pub fn of_process(json: bool) -> Look {
        let is_terminal = io::stdout().is_terminal();
        let env = |name: &str| std::env::var_os(name);
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok();
        Look {
            json,
            is_terminal,
            errors_are_terminal: io::stderr().is_terminal(),
            colored: wants_color(is_terminal, env),
            errors_colored: wants_color(io::stderr().is_terminal(), env),
            cols: size.filter(|_| is_terminal).map(|size| size.ws_col).filter(|cols| *cols > 0),
        }
    }
}

/// Decides about colours: `NO_COLOR` forbids them, `CLICOLOR_FORCE` wants them everywhere, a dumb terminal has none.
fn wants_color(is_terminal: bool, env: impl Fn(&str) -> Option<OsString>) -> bool {
    let is_set = |name: &str| env(name).is_some_and(|value| !value.is_empty());
    if is_set("NO_COLOR") {
        return false;
    }
    let forced = env("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0");
    forced || is_terminal && env("TERM").is_none_or(|term| term != "dumb")
}

/// Where bytes go. Clones go to the same place.
#[derive(Clone)]
pub(super) struct Shared(Arc<Mutex<dyn Write + Send>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }
}

/// Standard output and standard error of a verb.
pub struct Console {
    /// How it looks.
    pub look: Look,
    out: BufWriter<Shared>,
    err: Shared,
}

impl Console {
    /// Makes the console of this process.
    pub fn of_process(json: bool) -> Console {
        // Not the streams of the standard library: those keep what has no line end, and hide some errors.
        let out = io::stdout().as_fd().try_clone_to_owned().map(File::from);
        let err = io::stderr().as_fd().try_clone_to_owned().map(File::from);
        match (out, err) {
            (Ok(out), Ok(err)) => Console::new(Look::of_process(json), out, err),
            // Out of descriptors.
            _ => Console::new(Look::of_process(json), io::stdout(), io::stderr()),
        }
    }

    /// Makes a console of any two writers.
    pub fn new(look: Look, out: impl Write + Send + 'static, err: impl Write + Send + 'static) -> Console {
        let out = Shared(Arc::new(Mutex::new(out)));
        Console { look, out: BufWriter::with_capacity(BUFFER_BYTES, out), err: Shared(Arc::new(Mutex::new(err))) }
    }

    /// Returns both streams for bytes that are passed on as they are.
    pub(super) fn raw_streams(&self) -> [Shared; 2] {
        [self.out.get_ref().clone(), self.err.clone()]
    }

    /// Prints bytes as they are.
    ///
    /// # Errors
    /// When they cannot be written, here and below.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.out.write_all(bytes).map_err(|error| Fault::of_output(&error))
    }

    /// Prints a line.
    ///
    /// # Errors
    /// As [`Console::bytes`].
    pub fn line(&mut self, text: &str) -> Result<(), Fault> {
        self.bytes(text.as_bytes())?;
        self.bytes(b"\n")
    }

    /// Prints a table.
    pub(super) fn table(&mut self, table: &Table) -> Result<(), Fault> {
        let text = table.text(self.look.cols, self.look.colored);
        self.bytes(text.as_bytes())
    }

    /// Prints a JSON document on a line of its own.
    ///
    /// # Errors
    /// As [`Console::bytes`].
    pub fn json(&mut self, document: &Value) -> Result<(), Fault> {
        self.line(&document.to_string())
    }

    /// Passes on what was printed so far.
    ///
    /// # Errors
    /// As [`Console::bytes`].
    pub fn flush(&mut self) -> Result<(), Fault> {
        // Where nothing waits, nothing is waited for: a stream may be held up by whoever writes to it meanwhile.
        if self.out.buffer().is_empty() {
            return Ok(());
        }
        self.out.flush().map_err(|error| {
            // It is told once.
            let empty = BufWriter::with_capacity(BUFFER_BYTES, self.out.get_ref().clone());
            let _ = std::mem::replace(&mut self.out, empty).into_parts();
            Fault::of_output(&error)
        })
    }

    /// Tells a failure on standard error: in one line, and its hint; or as an object (S7.6).
    pub fn fail(&mut self, failure: &Failure) {
        // What was printed before comes before it.
        let _ = self.flush();
        let text = if self.look.json {
            format!("{}\n", json!({ "error": failure_json(failure) }))
        } else {
            let mut text = format!("{} {}\n", self.label("error:", "1;31"), failure.message);
            if let Some(hint) = hint(failure) {
                text.push_str(&format!("{} {hint}\n", self.label("hint:", "36")));
            }
            text
        };
        // When nobody reads that any more, the exit code still tells.
        let _ = self.err.write_all(text.as_bytes());
    }

    /// Tells something on standard error that is no failure.
    pub fn note(&mut self, text: &str) {
        let _ = self.flush();
        let _ = self.err.write_all(format!("{text}\n").as_bytes());
    }

    /// Tells on standard error where a part of the output begins. On a terminal it is shown reversed, which no output can be: its own colours
    /// are taken out where marks are.
    pub(super) fn mark(&mut self, text: &str) {
        let text = format!("── {text} ──");
        if self.look.errors_are_terminal { self.note(&format!("\x1b[7m{text}\x1b[0m")) } else { self.note(&text) }
    }

    /// Prints bytes on standard error, as they are.
    ///
    /// # Errors
    /// As [`Console::bytes`].
    pub(super) fn error_bytes(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.flush()?;
        self.err.write_all(bytes).map_err(|error| Fault::of_output(&error))
    }

    /// Ends a verb: tells what went wrong, and returns the exit code.
    pub fn end(mut self, outcome: Result<Exit, Fault>) -> Exit {
        let outcome = outcome.and_then(|exit| match self.flush() {
            // What it has done it has done, whoever reads that.
            Ok(()) | Err(Fault::ReaderGone) => Ok(exit),
            Err(failed) => Err(failed),
        });
        match outcome {
            Ok(exit) => exit,
            Err(Fault::ReaderGone) => Exit::DONE,
            Err(Fault::Failed(failure)) => {
                self.fail(&failure);
                Exit::of(failure.code)
            }
        }
    }

    /// Passes on what was printed by a verb whose exit code is that of a run: `exit`, or that of shtask's own failure to do so.
    pub(super) fn end_of_run(&mut self, exit: Exit) -> Exit {
        match self.flush() {
            Ok(()) | Err(Fault::ReaderGone) => exit,
            Err(Fault::Failed(failure)) => {
                self.fail(&failure);
                Exit::BROKEN
            }
        }
    }

    fn label(&self, word: &str, sgr: &str) -> String {
        if self.look.errors_colored { format!("\x1b[{sgr}m{word}\x1b[0m") } else { word.to_owned() }
    }
}

/// Returns a failure as programs see it (S7.6).
pub(super) fn failure_json(failure: &Failure) -> Value {
    let mut object = json!({
        "code": failure.code,
        "message": failure.message,
        "retryable": failure.retryable,
        "effects": failure.effects,
    });
    if let Some(hint) = hint(failure) {
        object["hint"] = hint.into();
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals_unless_somebody_says_otherwise() {
        let with = |vars: &'static [(&str, &str)], is_terminal| {
            wants_color(is_terminal, |name| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()))
        };
        assert!(with(&[("TERM", "xterm")], true) && !with(&[("TERM", "xterm")], false));
        assert!(!with(&[("NO_COLOR", "1")], true) && with(&[("NO_COLOR", "")], true));
        assert!(!with(&[("TERM", "dumb")], true));
        assert!(with(&[("CLICOLOR_FORCE", "1")], false) && !with(&[("CLICOLOR_FORCE", "0")], false));
        assert!(!with(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], true));
    }
}
