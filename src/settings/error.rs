//! What is wrong with a configuration, and where.

use std::fmt;
use std::path::PathBuf;

use crate::model::{ErrorCode, Failure, shown};

/// Where a problem is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A file as a whole: it cannot be read.
    File(PathBuf),
    /// A point in a file.
    Point {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1, in characters.
        column: usize,
    },
    /// An environment variable, by its name.
    Variable(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File(path) => f.write_str(&shown(path)),
            Place::Point { path, line, column } => write!(f, "{}:{line}:{column}", shown(path)),
            Place::Variable(name) => f.write_str(name),
        }
    }
}

/// One fault of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where it is.
    pub place: Place,
    /// What is wrong: one line.
    pub message: String,
    /// What to do about it, where that helps: one line.
    pub hint: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// A configuration that cannot be used: every fault that was found, in the order of files and lines.
///
/// Shown, it is one line: the first fault and how many more there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsError {
    first: Problem,
    more: Vec<Problem>,
}

impl SettingsError {
    /// Makes an error of the problems, if there are any.
    pub fn of(problems: Vec<Problem>) -> Option<SettingsError> {
        let mut problems = problems.into_iter();
        let first = problems.next()?;
        Some(SettingsError { first, more: problems.collect() })
    }

    /// Returns every fault, at least one.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        std::iter::once(&self.first).chain(&self.more)
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        match self.more.len() {
            0 => Ok(()),
            1 => f.write_str(" (and one more problem)"),
            more => write!(f, " (and {more} more problems)"),
        }
    }
}

impl std::error::Error for SettingsError {}

impl From<SettingsError> for Failure {
    fn from(error: SettingsError) -> Failure {
        failure(error.to_string(), error.first.hint.as_deref())
    }
}

impl From<&Problem> for Failure {
    fn from(problem: &Problem) -> Failure {
        failure(problem.to_string(), problem.hint.as_deref())
    }
}

fn failure(message: String, hint: Option<&str>) -> Failure {
    let failure = Failure::new(ErrorCode::Invalid, message);
    match hint {
        Some(hint) => failure.with_hint(hint),
        None => failure,
    }
}
