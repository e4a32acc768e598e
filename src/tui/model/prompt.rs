//! The new-run prompt.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tui_input::Input;

use super::RecallPlace;
use crate::model::{CommandSpec, Failure, Limits, Mode, Record, RunSpec, Size, show_span};
use crate::tui::NewRun;
use crate::tui::complete::Completing;

/// A field of the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Command,
    Mode,
    Cwd,
    Timeout,
    Name,
}

impl Field {
    pub(crate) const ALL: [Field; 5] = [Field::Command, Field::Mode, Field::Cwd, Field::Timeout, Field::Name];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Field::Command => "Command",
            Field::Mode => "Mode",
            Field::Cwd => "Directory",
            Field::Timeout => "Timeout",
            Field::Name => "Name",
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
    pub(crate) name: Input,
    /// Whether the text of the field was changed since it was entered: only then Tab completes it.
    pub(crate) edited: bool,
    /// What the text could become, when that is not clear.
    pub(crate) choices: Vec<String>,
    /// Where in the earlier lines the command is.
    pub(crate) place: RecallPlace,
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
            name: Input::default(),
            edited: false,
            choices: Vec::new(),
            place: RecallPlace::default(),
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
            Field::Name => Some(&mut self.name),
        }
    }

    pub(crate) fn step(&mut self, by: usize) {
        let at = Field::ALL.iter().position(|field| *field == self.field).unwrap_or(0);
        self.field = Field::ALL[(at + by) % Field::ALL.len()];
        self.edited = false;
        self.choices.clear();
    }

    /// Fills the form with how a task is started.
    pub(crate) fn fill_from_spec(&mut self, spec: &RunSpec) {
        self.fill(
            match &spec.command {
                CommandSpec::Shell { line, .. } => line.to_string_lossy().into_owned(),
                CommandSpec::Argv(argv) => shell_words::join(argv.iter().map(|word| word.to_string_lossy())),
            },
            spec.mode,
            spec.cwd.to_string_lossy().into_owned(),
            spec.timeouts.wall,
        );
    }

    /// Fills the form with how a run was started, as far as its record says: secrets are not in it.
    pub(crate) fn fill_from_record(&mut self, record: &Record) {
        let line = match record.shell {
            Some(_) => record.command.clone(),
            None => shell_words::join(&record.argv),
        };
        self.fill(line, record.mode, record.cwd.to_string_lossy().into_owned(), record.timeout);
    }

    fn fill(&mut self, line: String, mode: Mode, cwd: String, timeout: Option<Duration>) {
        (self.command, self.mode, self.cwd) = (Input::new(line), mode, Input::new(cwd));
        self.timeout = timeout.map(|span| Input::new(show_span(span))).unwrap_or_default();
    }

    /// What can be completed: the edited command or directory, with the cursor at its end.
    pub(crate) fn completing(&self, base: &Path, home: Option<&Path>) -> Option<Completing> {
        let cwd = directory(self.cwd.value().trim(), base, home).unwrap_or_else(|_| base.to_owned());
        let (input, base) = match self.field {
            Field::Command => (&self.command, cwd),
            Field::Cwd => (&self.cwd, base.to_owned()),
            Field::Mode | Field::Timeout | Field::Name => return None,
        };
        let at_end = input.cursor() == input.value().chars().count();
        (self.edited && at_end && !input.value().is_empty()).then(|| Completing {
            text: input.value().to_owned(),
            is_command: self.field == Field::Command,
            base,
            home: home.map(Path::to_owned),
        })
    }

    /// Takes the only choice, or what all have in common; several that have nothing more in common are shown.
    pub(crate) fn complete(&mut self, choices: Vec<String>) {
        let Some(first) = choices.first() else { return self.step(1) };
        let common = choices.iter().skip(1).fold(first.as_str(), |common, choice| {
            let same = common.chars().zip(choice.chars()).take_while(|(one, other)| one == other);
            &common[..same.map(|(c, _)| c.len_utf8()).sum::<usize>()]
        });
        let common = common.to_owned();
        let Some(input) = self.input() else { return };
        let is_longer = common.len() > input.value().len();
        if is_longer {
            *input = Input::new(common);
        }
        if choices.len() > 1 && !is_longer {
            self.choices = choices;
        }
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
        let name = match self.name.value().trim() {
            "" => None,
            text => Some(text.parse().map_err(|why: crate::model::IdError| (Field::Name, why.to_string()))?),
        };
        Ok(NewRun { name, line: line.to_owned(), mode: self.mode, cwd, timeout, size })
    }

    /// Shows why the start failed, at the field that it is about.
    pub(crate) fn refuse(&mut self, failure: &Failure) {
        let cwd = self.cwd.value().trim();
        let about_cwd = failure.message.contains("directory") || (!cwd.is_empty() && failure.message.contains(cwd));
        let name = self.name.value().trim();
        let about_name = !name.is_empty() && failure.message.contains(name);
        let field = match () {
            () if about_cwd => Field::Cwd,
            () if about_name => Field::Name,
            () => Field::Command,
        };
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
