//! The new-run prompt.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tui_input::Input;

use crate::model::{Failure, Limits, Mode, Size};
use crate::tui::NewRun;

/// A field of the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Command,
    Mode,
    Cwd,
    Timeout,
}

impl Field {
    pub(crate) const ALL: [Field; 4] = [Field::Command, Field::Mode, Field::Cwd, Field::Timeout];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Field::Command => "Command",
            Field::Mode => "Mode",
            Field::Cwd => "Directory",
            Field::Timeout => "Timeout",
        }
    }
}

/// What is typed so far, and what is wrong with it.
#[derive(Debug, Clone)]
pub(crate) struct Prompt {
    pub(crate) field: Field,
    pub(crate) command: Input,
    pub(crate) mode: Mode,
    pub(crate) cwd: Input,
    pub(crate) timeout: Input,
    /// The field that is wrong and why.
    pub(crate) error: Option<(Field, String)>,
    /// Whether the start was asked for: the prompt stays until it is answered.
    pub(crate) pending: bool,
}

impl Prompt {
    pub(crate) fn new(cwd: &Path, mode: Mode) -> Prompt {
        Prompt {
            field: Field::Command,
            command: Input::default(),
            mode,
            cwd: Input::new(cwd.to_string_lossy().into_owned()),
            timeout: Input::default(),
            error: None,
            pending: false,
        }
    }

    /// The text of the field that is edited; none for the mode.
    pub(crate) fn input(&mut self) -> Option<&mut Input> {
        match self.field {
            Field::Command => Some(&mut self.command),
            Field::Mode => None,
            Field::Cwd => Some(&mut self.cwd),
            Field::Timeout => Some(&mut self.timeout),
        }
    }

    pub(crate) fn step(&mut self, by: usize) {
        let at = Field::ALL.iter().position(|field| *field == self.field).unwrap_or(0);
        self.field = Field::ALL[(at + by) % Field::ALL.len()];
    }

    pub(crate) fn toggle_mode(&mut self) {
        self.mode = match self.mode {
            Mode::Pty => Mode::Pipes,
            Mode::Pipes => Mode::Pty,
        };
    }

    /// Checks the fields and makes the request.
    ///
    /// # Errors
    /// The first field that is wrong, and why.
    pub(crate) fn request(&self, base: &Path, home: Option<&Path>, size: Size) -> Result<NewRun, (Field, String)> {
        let line = self.command.value();
        if line.trim().is_empty() {
            return Err((Field::Command, "type a command line, for example: make watch".into()));
        }
        let cwd = directory(self.cwd.value().trim(), base, home).map_err(|why| (Field::Cwd, why))?;
        let timeout = timeout(self.timeout.value().trim()).map_err(|why| (Field::Timeout, why))?;
        Ok(NewRun { line: line.to_owned(), mode: self.mode, cwd, timeout, size })
    }

    /// Shows why the start failed, at the field that it is about.
    pub(crate) fn refuse(&mut self, failure: &Failure) {
        let cwd = self.cwd.value().trim();
        let about_cwd = failure.message.contains("directory") || (!cwd.is_empty() && failure.message.contains(cwd));
        let field = if about_cwd { Field::Cwd } else { Field::Command };
        let hint = failure.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        self.error = Some((field, format!("{}{hint}", failure.message)));
        self.pending = false;
    }
}

fn directory(text: &str, base: &Path, home: Option<&Path>) -> Result<PathBuf, String> {
    if text.is_empty() {
        return Ok(base.to_owned());
    }
    if let Some(rest) = text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        let home = home.ok_or("there is no home directory for ~")?;
        return Ok(home.join(rest.trim_start_matches('/')));
    }
    Ok(base.join(text))
}

fn timeout(text: &str) -> Result<Option<Duration>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("{text} of what? write a unit: {text}s, {text}m or {text}h"));
    }
    let span = text
        .parse::<jiff::SignedDuration>()
        .ok()
        .and_then(|span| Duration::try_from(span).ok())
        .ok_or_else(|| format!("{text:?} is no time: write 30s, 5m or 1h 30m, or nothing"))?;
    if span < Limits::MIN_TIMEOUT || span > Limits::MAX_TIMEOUT {
        return Err(format!("{text} is out of range: 1ms to 24h"));
    }
    Ok(Some(span))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_read_as_people_write_them() {
        assert_eq!(timeout(""), Ok(None));
        assert_eq!(timeout("30s"), Ok(Some(Duration::from_secs(30))));
        assert_eq!(timeout("1h 30m"), Ok(Some(Duration::from_secs(5400))));
        assert!(timeout("30").is_err_and(|why| why.contains("30s")));
        assert!(timeout("soon").is_err_and(|why| why.contains("soon")));
        assert!(timeout("25h").is_err_and(|why| why.contains("24h")));
        assert!(timeout("0s").is_err());
        assert!(timeout("-5m").is_err());
    }

    #[test]
    fn directories_start_from_where_shtask_was_started() {
        let base = Path::new("/work/project");
        assert_eq!(directory("", base, None), Ok(base.to_owned()));
        assert_eq!(directory("sub", base, None), Ok(base.join("sub")));
        assert_eq!(directory("/tmp", base, None), Ok("/tmp".into()));
        assert_eq!(directory("~/x", base, Some(Path::new("/home/u"))), Ok("/home/u/x".into()));
        assert!(directory("~", base, None).is_err());
    }
}
