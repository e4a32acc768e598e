//! Why a run cannot be started, found before a record of it exists.

use std::ffi::OsString;
use std::path::PathBuf;

use super::dotenv::DotenvError;
use crate::model::{ErrorCode, Failure, SpecError, shown};

/// Why a request cannot become a run. Paths and names are shown escaped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// The request itself is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The working directory is not there.
    #[error("working directory {} does not exist", shown(.0))]
    NoCwd(PathBuf),
    /// The working directory, or a part of its path, is a file.
    #[error("working directory {} is not a folder", shown(.0))]
    CwdNotFolder(PathBuf),
    /// The working directory cannot be entered.
    #[error("working directory {} cannot be entered: {why}", shown(path))]
    CwdClosed {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// No folder of `PATH` has the program.
    #[error("program {} was not found in PATH", shown(name))]
    NotInPath {
        /// The program as it was given.
        name: OsString,
    },
    /// The program's path leads nowhere.
    #[error("program {} does not exist", shown(.0))]
    NoProgram(PathBuf),
    /// The program is a folder.
    #[error("program {} is a folder", shown(.0))]
    ProgramIsFolder(PathBuf),
    /// The program may not be executed.
    #[error("program {} is not executable: {why}", shown(path))]
    NotExecutable {
        /// The program.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// A file of variables cannot be read.
    #[error("env file {} cannot be read: {why}", shown(path))]
    EnvFile {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// A line of a file of variables is wrong.
    #[error("env file {}:{fault}", shown(path))]
    EnvLine {
        /// The file.
        path: PathBuf,
        /// The line and what is wrong with it.
        fault: DotenvError,
    },
}

impl LaunchError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            LaunchError::NotInPath { .. } => {
                "check the name and the PATH of the run; a shell line (`run = \"…\"`) also knows the shell's own commands".into()
            }
            LaunchError::NoProgram(_) => "a path with a slash is taken from the working directory of the run".into(),
            LaunchError::NotExecutable { path, .. } => format!("chmod +x {}", shown(path)),
            LaunchError::EnvLine { .. } => "a line has the form NAME=VALUE, NAME=\"VALUE\" or NAME='VALUE'".into(),
            LaunchError::NoCwd(_) => "make it, or name another one (cwd)".into(),
            LaunchError::CwdNotFolder(_) => "name a folder (cwd)".into(),
            LaunchError::CwdClosed { .. } => "give yourself the right to enter it, or name another one (cwd)".into(),
            LaunchError::ProgramIsFolder(_) => "name a program that is in it".into(),
            LaunchError::EnvFile { .. } => "name a file that you can read, or leave it out".into(),
            LaunchError::Spec(_) => return None,
        };
        Some(hint)
    }
}

impl From<LaunchError> for Failure {
    fn from(error: LaunchError) -> Failure {
        let hint = error.hint();
        let failure = match error {
            LaunchError::Spec(fault) => Failure::from(fault),
            LaunchError::NotInPath { .. } | LaunchError::NoProgram(_) => {
                Failure::new(ErrorCode::ProgramNotFound, error.to_string())
            }
            LaunchError::ProgramIsFolder(_) | LaunchError::NotExecutable { .. } => {
                Failure::new(ErrorCode::NotExecutable, error.to_string())
            }
            LaunchError::NoCwd(_)
            | LaunchError::CwdNotFolder(_)
            | LaunchError::CwdClosed { .. }
            | LaunchError::EnvFile { .. }
            | LaunchError::EnvLine { .. } => Failure::new(ErrorCode::NotRunnable, error.to_string()),
        };
        match hint {
            Some(hint) => failure.with_hint(hint),
            None => failure,
        }
    }
}
