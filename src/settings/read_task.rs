//! Reading one `[tasks.NAME]` table.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::keys::{STOP, TASK};
use super::reader::{Table, Value};
use super::{Defaults, TaskSettings};
use crate::model::{
    CommandSpec, EnvSpec, Limits, Mode, RunSpec, SpecError, StdinSpec, StopSpec, Timeouts, nearest, signal_names,
    signal_number,
};

/// What a task's table is read against.
pub(super) struct TaskContext<'c> {
    /// Where tasks run that do not say otherwise, and what their `cwd` is relative to.
    pub(super) run_dir: &'c Path,
    /// What `env_file` and a `shell` with slashes are relative to.
    pub(super) file_dir: &'c Path,
    pub(super) home: Option<&'c Path>,
    pub(super) defaults: &'c Defaults,
    pub(super) autostart: bool,
}

/// Reads a mode.
pub(super) fn read_mode(value: &Value<'_, '_>) -> Option<Mode> {
    match value.text()? {
        "pty" => Some(Mode::Pty),
        "pipes" => Some(Mode::Pipes),
        _ => {
            value.wrong("\"pty\" or \"pipes\"");
            None
        }
    }
}

/// Reads the path of a shell: a name to be searched in `PATH`, or a path.
pub(super) fn read_shell(value: &Value<'_, '_>, folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let text = value.filled_text()?;
    if text.contains('/') { read_path(value, text, folder, home) } else { Some(text.into()) }
}

/// Reads a duration between a signal and SIGKILL.
pub(super) fn read_grace(value: &Value<'_, '_>) -> Option<Duration> {
    value.span(Duration::ZERO..=Limits::MAX_GRACE)
}

fn read_path(value: &Value<'_, '_>, text: &str, folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let joined = match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => match home {
            Some(home) => home.join(rest.trim_start_matches('/')),
            None => {
                value.wrong("a path without ~, as HOME is not set");
                return None;
            }
        },
        _ => folder.join(text),
    };
    // Takes `.` and doubled slashes out; `..` stays, for what it means depends on links.
    Some(joined.components().collect())
}

/// Reads a task. Every fault is noted; none means that there was one.
pub(super) fn read_task(name: &str, value: &Value<'_, '_>, context: &TaskContext<'_>) -> Option<TaskSettings> {
    let table = value.table()?.only(&TASK);
    let name = match name.parse() {
        Ok(name) => Some(name),
        Err(error) => {
            table.source.note(&value.key_span(), format!("{error}"), None);
            None
        }
    };
    let reader = TaskReader { table, context };
    let mode = reader.table.get("mode").map_or(Some(context.defaults.mode), |value| read_mode(&value));
    // All parts are read before any of them is asked for, so that all faults are noted.
    let (command, cwd, env) = (reader.command(value), reader.cwd(), reader.env());
    let (stdin, size) = (reader.stdin(mode), reader.size(mode));
    let (timeouts, stop) = (reader.timeouts(), reader.stop());
    let (daemonizes, autostart) = (reader.flag("daemonizes", false), reader.flag("autostart", context.autostart));
    let mut spec = RunSpec::new(command?, mode?, cwd?);
    let name: crate::model::RunName = name?;
    spec.name = Some(name.clone());
    (spec.env, spec.stdin, spec.size) = (env?, stdin?, size?);
    (spec.timeouts, spec.stop, spec.daemonizes) = (timeouts?, stop?, daemonizes?);
    if let Err(error) = spec.validate() {
        reader.table.source.note(&value.key_span(), format!("task `{name}`: {error}"), None);
        return None;
    }
    Some(TaskSettings { name, spec, autostart: autostart?, place: reader.table.source.place(&value.key_span()) })
}

struct TaskReader<'t, 's, 'a> {
    table: Table<'s, 'a>,
    context: &'t TaskContext<'t>,
}

impl TaskReader<'_, '_, '_> {
    fn command(&self, task: &Value<'_, '_>) -> Option<CommandSpec> {
        match (self.table.get("run"), self.table.get("argv")) {
            (Some(_), Some(argv)) => {
                argv.misplaced(
                    "cannot stand beside `run`",
                    "keep `run` for a shell line, or `argv` for a program without a shell",
                );
                None
            }
            (None, None) => {
                task.misplaced("has no command", "give it `run = \"…\"`, a shell line, or `argv = [\"…\"]`");
                None
            }
            (Some(run), None) => {
                let line = run.filled_text();
                let shell = self.table.get("shell").map_or(Some(self.context.defaults.shell.clone()), |value| {
                    read_shell(&value, self.context.file_dir, self.context.home).map(Some)
                });
                let (login, interactive) = (self.flag("login", false), self.flag("interactive", false));
                Some(CommandSpec::Shell { line: line?.into(), shell: shell?, login: login?, interactive: interactive? })
            }
            (None, Some(argv)) => {
                for key in ["shell", "login", "interactive"] {
                    if let Some(value) = self.table.get(key) {
                        value.misplaced(
                            "has no meaning beside `argv`",
                            "`argv` starts the program without a shell; use `run` for a shell line",
                        );
                    }
                }
                let words = argv.texts()?;
                if words.first().is_none_or(|program| program.trim().is_empty()) {
                    argv.wrong("a list that starts with a program");
                    return None;
                }
                Some(CommandSpec::Argv(words.into_iter().map(OsString::from).collect()))
            }
        }
    }

    fn cwd(&self) -> Option<PathBuf> {
        match self.table.get("cwd") {
            None => Some(self.context.run_dir.to_owned()),
            Some(value) => read_path(&value, value.filled_text()?, self.context.run_dir, self.context.home),
        }
    }

    fn env(&self) -> Option<EnvSpec> {
        let set = self.table.get("env").map_or(Some(vec![]), |value| {
            let entries: Vec<_> = value.table()?.entries().collect();
            let count = entries.len();
            let mut set = Vec::with_capacity(count);
            for (name, value) in entries {
                if is_variable_name(name) {
                    set.extend(value.text_or_number().map(|text| (OsString::from(name), OsString::from(text))));
                } else {
                    value.misplaced("is no name of an environment variable", "a name is not empty and has no `=`");
                }
            }
            (set.len() == count).then_some(set)
        });
        let unset = self.table.get("unset").map_or(Some(vec![]), |value| {
            let names = value.texts()?;
            if names.iter().all(|name| is_variable_name(name)) {
                return Some(names.into_iter().map(OsString::from).collect());
            }
            value.wrong("a list of names of environment variables");
            None
        });
        let files = self.table.get("env_file").map_or(Some(vec![]), |value| {
            let paths = value.text_or_texts()?;
            if paths.iter().any(|path| path.is_empty()) {
                value.wrong("the path of a file");
                return None;
            }
            paths.into_iter().map(|path| read_path(&value, path, self.context.file_dir, self.context.home)).collect()
        });
        let clean = self.flag("clean_env", false);
        Some(EnvSpec { base: Arc::default(), clean: clean?, files: files?, set: set?, unset: unset? })
    }

    fn stdin(&self, mode: Option<Mode>) -> Option<StdinSpec> {
        let Some(value) = self.table.get("stdin") else { return Some(StdinSpec::Null) };
        let text = value.text()?;
        if mode == Some(Mode::Pty) {
            value.misplaced("needs `mode = \"pipes\"`", "type into a PTY run once it runs");
            return None;
        }
        Some(StdinSpec::Payload(text.as_bytes().to_vec()))
    }

    fn size(&self, mode: Option<Mode>) -> Option<crate::model::Size> {
        let Some(value) = self.table.get("size") else { return Some(self.context.defaults.size) };
        let size = value.parsed();
        if mode == Some(Mode::Pipes) {
            value.misplaced("needs `mode = \"pty\"`", "a run over pipes has no terminal that could have a size");
            return None;
        }
        size
    }

    fn timeouts(&self) -> Option<Timeouts> {
        let range = || Limits::MIN_TIMEOUT..=Limits::MAX_TIMEOUT;
        let read = |name: &str| self.table.get(name).map_or(Some(None), |value| value.span(range()).map(Some));
        let (wall, idle) = (read("timeout"), read("idle_timeout"));
        Some(Timeouts { wall: wall?, idle: idle?, ready: None })
    }

    fn stop(&self) -> Option<StopSpec> {
        let unset = StopSpec { grace: self.context.defaults.grace, ..StopSpec::default() };
        let Some(value) = self.table.get("stop") else { return Some(unset) };
        if !value.is_table() {
            return Some(StopSpec { signal: Some(read_signal(&value)?), ..unset });
        }
        let table = value.table()?.only(&STOP);
        let signal = table.get("signal").map_or(Some(None), |value| read_signal(&value).map(Some));
        let grace = table.get("grace").map_or(Some(unset.grace), |value| read_grace(&value));
        let command =
            table.get("command").map_or(Some(None), |value| value.filled_text().map(|line| Some(line.into())));
        if let (Some(_), Some(value)) = (table.get("signal"), table.get("command")) {
            value.misplaced("stands in place of a signal", "give either `signal` or `command`");
            return None;
        }
        Some(StopSpec { signal: signal?, command: command?, grace: grace? })
    }

    fn flag(&self, name: &str, unset: bool) -> Option<bool> {
        self.table.get(name).map_or(Some(unset), |value| value.flag())
    }
}

fn is_variable_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

fn read_signal(value: &Value<'_, '_>) -> Option<i32> {
    let number = match value.integer() {
        Some(number) => i32::try_from(number).unwrap_or(i32::MAX),
        None if value.is_text() => {
            let name = value.text()?;
            match signal_number(name) {
                Some(number) => number,
                None => {
                    let near = nearest(name, signal_names()).unwrap_or("SIGINT");
                    value.wrong(format_args!("the name or number of a signal, such as {near}"));
                    return None;
                }
            }
        }
        None => {
            value.wrong("the name or number of a signal, or a table");
            return None;
        }
    };
    if !(1..=64).contains(&number) || [libc::SIGSTOP, libc::SIGCONT].contains(&number) {
        value.wrong(SpecError::Signal { number }.to_string().replacen(&format!("{number} is no"), "a", 1));
        return None;
    }
    Some(number)
}
