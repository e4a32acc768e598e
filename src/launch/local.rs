//! The launcher for this machine.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::LaunchError;
use super::check::{check_cwd, find_program};
use super::environment::{EnvVar, RunIdentity, environment};
use crate::model::{CommandSpec, Failure, RunSpec, os_text, shown};

const FALLBACK_SHELL: &str = "/bin/sh";

/// What is really executed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolved {
    /// The program: absolute, found in the run's own `PATH`.
    #[serde(with = "os_text")]
    pub program: PathBuf,
    /// The arguments, the program's name as it was given first. At least one.
    #[serde(with = "os_text")]
    pub argv: Vec<OsString>,
    /// The whole environment; every name once.
    #[serde(with = "os_text")]
    pub env: Vec<EnvVar>,
    /// The working directory.
    #[serde(with = "os_text")]
    pub cwd: PathBuf,
    /// The shell, when a shell line is run.
    #[serde(with = "os_text")]
    pub shell: Option<PathBuf>,
    /// The command as people read it: the shell line, or the arguments quoted as a shell would need them; on one line, escaped.
    pub command_line: String,
}

impl Resolved {
    fn variable(&self, name: &str) -> Option<&OsStr> {
        variable(&self.env, name)
    }
}

/// Turns a request into what is executed on this machine. Looks at files, but starts and changes nothing.
///
/// # Errors
/// [`ErrorCode::Invalid`](crate::model::ErrorCode::Invalid) for a request that is wrong in itself, and
/// [`ErrorCode::NotRunnable`](crate::model::ErrorCode::NotRunnable), naming the path, for a working directory, program, shell or file
/// of variables that cannot be used. The folder is looked at first.
pub fn local(spec: &RunSpec, identity: &RunIdentity) -> Result<Resolved, Failure> {
    Ok(resolve(spec, identity)?)
}

fn resolve(spec: &RunSpec, identity: &RunIdentity) -> Result<Resolved, LaunchError> {
    spec.validate()?;
    check_cwd(&spec.cwd)?;
    let cwd = without_parent_parts(&spec.cwd);
    let env = environment(&spec.env, spec.mode, &cwd, identity)?;
    match &spec.command {
        CommandSpec::Argv(words) => {
            let program = find_program(&words[0], variable(&env, "PATH"), &cwd)?;
            let command_line = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
            Ok(Resolved { program, argv: words.clone(), env, cwd, shell: None, command_line })
        }
        CommandSpec::Shell { line, shell, login, interactive } => {
            let program = match shell {
                Some(shell) => find_program(shell.as_os_str(), variable(&env, "PATH"), &cwd)?,
                None => user_shell(variable(&env, "SHELL"), &cwd)?,
            };
            let flags = [(*login, "-l"), (*interactive, "-i")];
            let flags: Vec<&str> = flags.iter().filter(|(asked, _)| *asked).map(|(_, flag)| *flag).collect();
            let argv = shell_argv(&program, &flags, line);
            Ok(Resolved { shell: Some(program.clone()), program, argv, env, cwd, command_line: shown(line) })
        }
    }
}

/// Returns the path of the same folder without `..` in it, which would stand in every prompt of the run and in its record. A path without
/// any is left as it is, links and all: so does a shell's `cd`.
fn without_parent_parts(cwd: &Path) -> PathBuf {
    let has_any = cwd.components().any(|part| part == Component::ParentDir);
    // What cannot be found out is used as it was given: it is a folder that can be entered.
    if has_any { cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned()) } else { cwd.to_owned() }
}

/// Turns the shell line that stops a run (`stop.command`) into what is executed: in the run's environment, folder and shell, with
/// `SHTASK_PID` set to the run's root process.
///
/// # Errors
/// [`ErrorCode::NotRunnable`](crate::model::ErrorCode::NotRunnable) when the folder is gone or there is no shell.
pub fn stop_command(line: &OsStr, run: &Resolved, root_pid: i32) -> Result<Resolved, Failure> {
    check_cwd(&run.cwd)?;
    let program = match &run.shell {
        Some(shell) => find_program(shell.as_os_str(), run.variable("PATH"), &run.cwd)?,
        None => user_shell(run.variable("SHELL"), &run.cwd)?,
    };
    let mut env = run.env.clone();
    env.retain(|(name, _)| name != "SHTASK_PID");
    env.push(("SHTASK_PID".into(), root_pid.to_string().into()));
    let (argv, cwd) = (shell_argv(&program, &[], line), run.cwd.clone());
    Ok(Resolved { shell: Some(program.clone()), program, argv, env, cwd, command_line: shown(line) })
}

/// Returns the shell that `SHELL` names, or `/bin/sh` when it names none that can run a line: unset, not there (a container), or one
/// that only turns people away.
fn user_shell(variable: Option<&OsStr>, cwd: &Path) -> Result<PathBuf, LaunchError> {
    let named = variable.map(Path::new).filter(|shell| {
        let turns_away = shell.file_name().is_some_and(|name| name == "nologin" || name == "false");
        shell.is_absolute() && !turns_away
    });
    match named.map(|shell| find_program(shell.as_os_str(), None, cwd)) {
        Some(Ok(shell)) => Ok(shell),
        Some(Err(_)) | None => find_program(OsStr::new(FALLBACK_SHELL), None, cwd),
    }
}

fn shell_argv(shell: &Path, flags: &[&str], line: &OsStr) -> Vec<OsString> {
    let mut command = line.to_owned();
    if matches!(line.as_bytes().first(), Some(b'-' | b'+')) {
        // Some shells would take the line for a flag; none minds a blank.
        command = OsString::from(" ");
        command.push(line);
    }
    let mut argv = vec![shell.as_os_str().to_owned()];
    argv.extend(flags.iter().map(OsString::from));
    argv.extend(["-c".into(), command]);
    argv
}

fn variable<'e>(env: &'e [EnvVar], name: &str) -> Option<&'e OsStr> {
    env.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_os_str())
}

fn quoted(word: &OsStr) -> String {
    match word.to_str() {
        Some(text) => shown(&*shell_words::quote(text)),
        // There is no quoting that every shell knows for such bytes: people get to see which they are.
        None => format!("'{}'", shown(word)),
    }
}

#[cfg(test)]
#[path = "local_tests.rs"]
mod tests;
