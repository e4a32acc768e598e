//! Looking at the machine: is the folder there, and the program?

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, accessat};

use super::LaunchError;

/// Where programs are searched when the run's environment has no `PATH`, as `execvp` does.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// Checks that `cwd` is a folder that can be entered. This comes before the program: a missing folder and a missing program are the same
/// error of the system, and the folder must get its own blame.
pub(super) fn check_cwd(cwd: &Path) -> Result<(), LaunchError> {
    let closed = |error: io::Error| LaunchError::CwdClosed { path: cwd.to_owned(), why: reason(&error) };
    match cwd.metadata() {
        Ok(found) if !found.is_dir() => return Err(LaunchError::CwdNotFolder(cwd.to_owned())),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(LaunchError::NoCwd(cwd.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return Err(LaunchError::CwdNotFolder(cwd.to_owned()));
        }
        Err(error) => return Err(closed(error)),
    }
    may_execute(cwd).map_err(closed)
}

/// Finds the program of a run: a name without a slash in `path`, the run's own `PATH`; anything else from `cwd` on. The result is
/// absolute.
pub(super) fn find_program(name: &OsStr, path: Option<&OsStr>, cwd: &Path) -> Result<PathBuf, LaunchError> {
    if name.as_bytes().contains(&b'/') {
        let program = cwd.join(name);
        check_program(&program)?;
        return Ok(program);
    }
    let mut first_fault = None;
    // An empty entry of PATH is the working directory; a relative one starts there.
    for folder in std::env::split_paths(path.unwrap_or(OsStr::new(DEFAULT_PATH))) {
        let program = cwd.join(folder).join(name);
        match check_program(&program) {
            Ok(()) => return Ok(program),
            // A folder of that name is none of the program's business, but a file that lacks its x bit is worth telling.
            Err(LaunchError::NoProgram(_) | LaunchError::ProgramIsFolder(_)) => {}
            Err(fault) => {
                first_fault.get_or_insert(fault);
            }
        }
    }
    Err(first_fault.unwrap_or_else(|| LaunchError::NotInPath { name: name.to_owned() }))
}

fn check_program(program: &Path) -> Result<(), LaunchError> {
    let not_executable =
        |error: io::Error| LaunchError::NotExecutable { path: program.to_owned(), why: reason(&error) };
    match program.metadata() {
        Ok(found) if found.is_dir() => Err(LaunchError::ProgramIsFolder(program.to_owned())),
        Ok(found) if !found.is_file() => {
            Err(LaunchError::NotExecutable { path: program.to_owned(), why: "it is no regular file".into() })
        }
        Ok(_) => may_execute(program).map_err(not_executable),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Err(LaunchError::NoProgram(program.to_owned()))
        }
        Err(error) => Err(not_executable(error)),
    }
}

/// Asks the system whether this process may execute a file or enter a folder.
fn may_execute(path: &Path) -> io::Result<()> {
    Ok(accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS)?)
}

/// Returns an error of the system in words, without its number.
pub(super) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}
