//! Putting the layers together.

use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::Spanned;
use toml::de::DeTable;

use super::error::{Place, Problem, SettingsError};
use super::files::{find_project_file, read_text, trusted_uids};
use super::keymap::read_keys;
use super::keys::{DEFAULTS, KEYS, LIMITS, OUTPUT, REDACT, RETENTION, ROOT, STORE, Section, THEME, TUI};
use super::read_patterns::read_patterns;
use super::read_task::{TaskContext, read_grace, read_mode, read_shell, read_task};
use super::reader::{Source, Table, Value};
use super::theme::read_theme;
use super::tui::{read_layout, read_notify};
use super::{
    Defaults, Directories, EnvLookup, KeySettings, OutputSettings, RedactSettings, RetentionSettings, Settings,
    StoreSettings, TaskSettings, ThemeSettings, TuiSettings,
};
use crate::model::{KeyChord, Limits};

/// Says what to load.
#[derive(Clone, Copy)]
pub struct LoadRequest<'a> {
    /// Where the search for `shtask.toml` begins; absolute.
    pub start_dir: &'a Path,
    /// The variables: `HOME`, `XDG_*`, `SHTASK_*`.
    pub env: EnvLookup<'a>,
    /// The project's file, when it is named outright; before `SHTASK_CONFIG` and the search.
    pub config: Option<&'a Path>,
}

/// Loads the configuration: the project's file over the user's file over the defaults, and `SHTASK_*` variables over all.
///
/// # Errors
/// Every fault that was found in the files and variables. The files are all that is touched.
pub fn load(request: LoadRequest<'_>) -> Result<Settings, SettingsError> {
    let directories = Directories::find(request.env);
    let mut problems = Vec::new();
    let mut read = |path: &Path, optional: bool| {
        read_text(path, optional).unwrap_or_else(|problem| {
            problems.push(problem);
            None
        })
    };
    let user_path = directories.user_file();
    let user_text = user_path.as_deref().and_then(|path| read(path, true));
    let project_path = project_path(&request, user_path.as_deref());
    let project_text = project_path.as_ref().ok().and_then(|path| read(path.as_deref()?, false));
    let project_path = project_path.unwrap_or_else(|problem| {
        problems.push(problem);
        None
    });
    let project_dir = project_path.as_deref().and_then(Path::parent).unwrap_or(request.start_dir).to_owned();

    let user = user_path.as_deref().zip(user_text.as_deref()).map(|(path, text)| Source::new(path, text));
    let project = project_path.as_deref().zip(project_text.as_deref()).map(|(path, text)| Source::new(path, text));
    let user_table = user.as_ref().and_then(Source::parse);
    let project_table = project.as_ref().and_then(Source::parse);

    let mut globals = Globals { home: directories.home.clone(), ..Globals::default() };
    if let Some((source, table)) = user.as_ref().zip(user_table.as_ref()) {
        globals.read(&Table::root(source, table.get_ref()).only(&ROOT), true);
    }
    if let Some((source, table)) = project.as_ref().zip(project_table.as_ref()) {
        globals.read(&Table::root(source, table.get_ref()).only(&ROOT), false);
    }
    problems.extend(globals.read_variables(request.env));

    let tasks = |source: Option<&Source<'_>>, table: Option<&Spanned<DeTable<'_>>>, autostart| {
        let Some((source, table)) = source.zip(table) else { return vec![] };
        globals.tasks(source, table.get_ref(), &project_dir, autostart)
    };
    let mut all_tasks = tasks(project.as_ref(), project_table.as_ref(), true);
    let mut own_tasks = tasks(user.as_ref(), user_table.as_ref(), false);
    own_tasks.retain(|own| all_tasks.iter().all(|task| task.name != own.name));
    all_tasks.append(&mut own_tasks);

    let files = [&project, &user].into_iter().flatten().map(|source| source.path().to_owned()).collect();
    problems.extend([user, project].into_iter().flatten().flat_map(Source::into_problems));
    let Globals { limits, defaults, output, redact, store, retention, tui, keys, theme, .. } = globals;
    match SettingsError::of(problems) {
        Some(error) => Err(error),
        None => Ok(Settings {
            limits,
            defaults,
            output,
            redact,
            store,
            retention,
            tui,
            keys,
            theme,
            tasks: all_tasks,
            files,
            project_dir,
            directories,
        }),
    }
}

/// Returns the path of the project's file, which exists or was named.
fn project_path(request: &LoadRequest<'_>, user_path: Option<&Path>) -> Result<Option<PathBuf>, Problem> {
    let variable = (request.env)("SHTASK_CONFIG").filter(|value| !value.is_empty()).map(PathBuf::from);
    let found = match request.config.map(Path::to_owned).or(variable) {
        Some(named) => Some(request.start_dir.join(named).components().collect()),
        None => {
            let sudo_uid = (request.env)("SUDO_UID").and_then(|uid| uid.to_str()?.parse().ok());
            find_project_file(request.start_dir, &trusted_uids(sudo_uid))?
        }
    };
    // Somebody who names their own file has nothing above it.
    Ok(found.filter(|path| Some(path.as_path()) != user_path))
}

/// What is read from every layer.
#[derive(Default)]
struct Globals {
    limits: Limits,
    defaults: Defaults,
    output: OutputSettings,
    redact: RedactSettings,
    store: StoreSettings,
    retention: RetentionSettings,
    tui: TuiSettings,
    keys: KeySettings,
    theme: ThemeSettings,
    home: Option<PathBuf>,
}

impl Globals {
    fn read(&mut self, root: &Table<'_, '_>, is_own: bool) {
        self.read_limits(root);
        self.read_defaults(root);
        self.read_output(root);
        match root.get("retention") {
            Some(value) if is_own => self.read_retention(&value),
            Some(value) => {
                value.misplaced(
                    "may not be set by a project",
                    "the records of all your projects are in one place: put [retention] into your own config.toml",
                );
            }
            None => {}
        }
        for name in ["tui", "keys", "theme"] {
            match root.get(name) {
                Some(value) if is_own && name == "tui" => self.read_tui(&value),
                Some(value) if is_own && name == "keys" => read_keys(&value, &mut self.keys),
                Some(value) if is_own => read_theme(&value, &mut self.theme),
                Some(value) => {
                    let what = if name == "theme" { "looks" } else { "keys" };
                    let hint = format!("{what} belong to you: put [{name}] into your own config.toml");
                    value.misplaced("may not be set by a project", hint);
                }
                None => {}
            }
        }
    }

    fn read_limits(&mut self, root: &Table<'_, '_>) {
        let Some(table) = root.get("limits").and_then(|value| value.table()) else { return };
        let table = table.only(&LIMITS);
        let limits = &mut self.limits;
        set(&mut limits.runs, table.get("runs").and_then(|value| value.count()));
        set(&mut limits.pty_runs, table.get("pty_runs").and_then(|value| value.count()));
        set(&mut limits.scrollback_lines, table.get("scrollback_lines").and_then(|value| value.count()));
        set(&mut limits.kept_runs, table.get("kept_runs").and_then(|value| value.count()));
        let drain = Duration::from_millis(1)..=Duration::from_secs(3600);
        set(&mut limits.output_drain, table.get("output_drain").and_then(|value| value.span(drain)));
    }

    fn read_defaults(&mut self, root: &Table<'_, '_>) {
        let Some(table) = root.get("defaults").and_then(|value| value.table()) else { return };
        let table = table.only(&DEFAULTS);
        set(&mut self.defaults.mode, table.get("mode").and_then(|value| read_mode(&value)));
        set(&mut self.defaults.size, table.get("size").and_then(|value| value.parsed()));
        set(&mut self.defaults.grace, table.get("grace").and_then(|value| read_grace(&value)));
        let (folder, home) = (table.source.folder(), self.home.as_deref());
        if let Some(shell) = table.get("shell").and_then(|value| read_shell(&value, &folder, home)) {
            self.defaults.shell = Some(shell);
        }
    }

    fn read_output(&mut self, root: &Table<'_, '_>) {
        if let Some(table) = root.get("output").and_then(|value| value.table()) {
            let table = table.only(&OUTPUT);
            let output = &mut self.output;
            set(
                &mut output.max_log_bytes,
                table.get("max_log_bytes").and_then(|value| value.bytes(64 << 10..=1 << 40)),
            );
            let interval = Duration::from_millis(100)..=Duration::from_secs(3600);
            set(&mut output.flush_interval, table.get("flush_interval").and_then(|value| value.span(interval)));
            set(&mut output.redact_logs, table.get("redact_logs").and_then(|value| value.flag()));
        }
        if let Some(table) = root.get("redact").and_then(|value| value.table())
            && let Some(value) = table.only(&REDACT).get("patterns")
        {
            read_patterns(&value, &mut self.redact.patterns);
        }
        if let Some(table) = root.get("store").and_then(|value| value.table()) {
            set(&mut self.store.strict, table.only(&STORE).get("strict").and_then(|value| value.flag()));
        }
    }

    fn read_retention(&mut self, value: &Value<'_, '_>) {
        let Some(table) = value.table() else { return };
        let table = table.only(&RETENTION);
        let retention = &mut self.retention;
        set(&mut retention.runs, table.get("runs").and_then(|value| value.count()));
        set(&mut retention.days, table.get("days").and_then(|value| value.count()));
        set(&mut retention.log_bytes, table.get("log_bytes").and_then(|value| value.bytes(1 << 20..=1 << 40)));
    }

    fn read_tui(&mut self, value: &Value<'_, '_>) {
        let Some(table) = value.table() else { return };
        let table = table.only(&TUI);
        if let Some(hold) = table.get("hold").and_then(|value| value.span(Duration::ZERO..=Limits::MAX_TIMEOUT)) {
            self.tui.hold = Some(hold).filter(|hold| !hold.is_zero());
        }
        set(&mut self.tui.mouse, table.get("mouse").and_then(|value| value.flag()));
        set(&mut self.tui.usage, table.get("usage").and_then(|value| value.flag()));
        set(&mut self.tui.notify, table.get("notify").and_then(|value| read_notify(&value)));
        set(&mut self.tui.layout, table.get("layout").and_then(|value| read_layout(&value)));
        set(&mut self.tui.copy_on_release, table.get("copy_on_release").and_then(|value| value.flag()));
        if let Some(words) = table.get("clipboard").and_then(|value| value.texts()) {
            self.tui.clipboard = Some(words.into_iter().map(str::to_owned).collect());
        }
        if let Some(value) = table.get("attach_key")
            && let Some(key) = value.parsed::<KeyChord>()
        {
            match key.check_leaving() {
                Ok(()) => self.tui.attach_key = key,
                Err(fault) => value.fault(&fault, fault.hint()),
            }
        }
    }

    /// Reads `SHTASK_LIMITS_RUNS` and the like: each variable is a file of one key.
    fn read_variables(&mut self, env: EnvLookup<'_>) -> Vec<Problem> {
        let mut problems = Vec::new();
        if env("SHTASK_STATE_DIR").is_some_and(|dir| !dir.is_empty() && !Path::new(&dir).is_absolute()) {
            let message = "must be an absolute path".into();
            let hint = "such as /home/you/.local/state/shtask; unset, it is found from HOME";
            let place = Place::Variable("SHTASK_STATE_DIR".into());
            problems.push(Problem { place, message, hint: Some(hint.into()) });
        }
        for (section, name) in [LIMITS, DEFAULTS, OUTPUT, REDACT, STORE, RETENTION, TUI, KEYS, THEME]
            .iter()
            .flat_map(|s| s.names().map(move |name| (s, name)))
        {
            let variable = variable_name(section, name);
            let Some(value) = env(&variable).filter(|value| !value.is_empty()) else { continue };
            let text = format!("[{}]\n{name} = {}", section.heading, as_toml(&value.to_string_lossy()));
            let source = Source::new(Path::new("/"), &text);
            if let Some(table) = source.parse() {
                self.read(&Table::root(&source, table.get_ref()), true);
            }
            let at_variable = |problem| Problem { place: Place::Variable(variable.clone()), ..problem };
            problems.extend(source.into_problems().into_iter().map(at_variable));
        }
        problems
    }

    fn tasks(&self, source: &Source<'_>, table: &DeTable<'_>, run_dir: &Path, autostart: bool) -> Vec<TaskSettings> {
        let root = Table::root(source, table);
        let Some(tasks) = root.get("tasks").and_then(|value| value.table()) else { return vec![] };
        let file_dir = source.folder();
        let (home, defaults) = (self.home.as_deref(), &self.defaults);
        let context = TaskContext { run_dir, file_dir: &file_dir, home, defaults, autostart };
        tasks.entries().filter_map(|(name, value)| read_task(name, &value, &context)).collect()
    }
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// Returns the variable that sets a key: `SHTASK_LIMITS_RUNS`.
fn variable_name(section: &Section, key: &str) -> String {
    format!("SHTASK_{}_{}", section.heading, key).to_ascii_uppercase()
}

/// Writes a variable's value as TOML: numbers and truth values as they are, everything else as text.
fn as_toml(value: &str) -> String {
    let is_bare = matches!(value, "true" | "false") || value.parse::<i64>().is_ok();
    if is_bare { value.to_owned() } else { toml::Value::String(value.to_owned()).to_string() }
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
