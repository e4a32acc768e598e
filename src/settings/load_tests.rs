use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use super::*;
use crate::model::{CommandSpec, Mode, Size, StdinSpec};
use crate::settings::{KeyPreset, default_toml};

/// A home and a project in a folder of their own, and the variables.
struct Place {
    dir: tempfile::TempDir,
    variables: Vec<(String, OsString)>,
}

impl Place {
    fn new() -> Place {
        let dir = tempfile::tempdir().expect("tempdir");
        for folder in ["home/.config/shtask", "project/deep"] {
            std::fs::create_dir_all(dir.path().join(folder)).expect("folders");
        }
        let home = dir.path().join("home").into_os_string();
        Place { dir, variables: vec![("HOME".into(), home)] }
    }

    fn project(text: &str) -> Place {
        Place::new().with("project/shtask.toml", text)
    }

    fn with(self, path: &str, text: &str) -> Place {
        std::fs::write(self.path(path), text).expect("file");
        self
    }

    fn own(self, text: &str) -> Place {
        self.with("home/.config/shtask/config.toml", text)
    }

    fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Place {
        self.variables.push((name.into(), value.as_ref().into()));
        self
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn load_from(&self, start: &str, config: Option<&Path>) -> Result<Settings, SettingsError> {
        let env = |name: &str| self.variables.iter().rfind(|(key, _)| key == name).map(|(_, value)| value.clone());
        load(LoadRequest { start_dir: &self.path(start), env: &env, config })
    }

    fn load(&self) -> Settings {
        self.load_from("project/deep", None).expect("settings")
    }

    /// Loads and returns the problems as `LINE:COLUMN: MESSAGE [HINT]`, without the path of the project's file.
    fn problems(&self) -> Vec<String> {
        let error = self.load_from("project", None).expect_err("settings that are wrong");
        let prefix = format!("{}:", self.path("project/shtask.toml").display());
        let shown = |problem: &Problem| {
            let text = problem.to_string();
            let text = text.strip_prefix(&prefix).unwrap_or(&text);
            problem.hint.as_ref().map_or_else(|| text.to_owned(), |hint| format!("{text} [{hint}]"))
        };
        error.problems().map(shown).collect()
    }
}

fn one_problem(text: &str) -> String {
    let problems = Place::project(text).problems();
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems.into_iter().next().expect("one problem")
}

#[test]
fn without_any_file_the_defaults_are_in_force() {
    let settings = Place::new().load();
    assert_eq!((settings.limits, settings.defaults, settings.tui), Default::default());
    assert_eq!((settings.output, settings.store, settings.retention), Default::default());
    assert!(settings.tasks.is_empty() && settings.files.is_empty());
}

#[test]
fn a_task_has_all_that_its_table_says() {
    let place = Place::project(
        r#"
        [tasks.web]
        run = "npm run dev"
        cwd = "./web/../front"
        env = { PORT = 3000, MODE = "dev" }
        unset = ["NODE_OPTIONS"]
        env_file = [".env", "~/secret.env"]
        clean_env = true
        shell = "zsh"
        login = true
        size = "100x30"
        timeout = "1h 30m"
        idle_timeout = "500ms"
        stop = { signal = "int", grace = "10s" }
        daemonizes = true
        autostart = false

        [tasks."db/main"]
        argv = ["postgres", "-D", "data"]
        mode = "pipes"
        stdin = "x\n"
        stop = "SIGQUIT"
        "#,
    );
    let settings = place.load();
    let base = Arc::new(vec![(OsString::from("A"), OsString::from("1"))]);
    let [(name, web, autostart), (db_name, db, db_autostart)] =
        settings.task_specs(&base).try_into().expect("two tasks");
    assert_eq!((name.as_str(), autostart, db_name.as_str(), db_autostart), ("web", false, "db/main", true));
    assert_eq!(web.name, Some(name));
    assert_eq!(
        web.command,
        CommandSpec::Shell { line: "npm run dev".into(), shell: Some("zsh".into()), login: true, interactive: false }
    );
    assert_eq!((web.mode, web.cwd), (Mode::Pty, place.path("project/web/../front")));
    assert_eq!(web.env.set, [("PORT".into(), "3000".into()), ("MODE".into(), "dev".into())]);
    assert_eq!((web.env.unset, web.env.clean, web.env.base), (vec!["NODE_OPTIONS".into()], true, base));
    assert_eq!(web.env.files, [place.path("project/.env"), place.path("home/secret.env")]);
    assert_eq!(web.size, Size::new(100, 30).expect("size"));
    assert_eq!(web.timeouts.wall, Some(Duration::from_secs(5400)));
    assert_eq!(web.timeouts.idle, Some(Duration::from_millis(500)));
    assert_eq!((web.stop.signal, web.stop.grace, web.daemonizes), (Some(2), Duration::from_secs(10), true));
    assert_eq!(db.command, CommandSpec::Argv(vec!["postgres".into(), "-D".into(), "data".into()]));
    assert_eq!((db.mode, db.cwd, db.stop.signal), (Mode::Pipes, place.path("project"), Some(3)));
    assert_eq!(db.stdin, StdinSpec::Payload(b"x\n".to_vec()));
}

#[test]
fn tasks_keep_the_order_of_the_file() {
    let settings = Place::project("[tasks]\nz = { run = \"1\" }\na = { run = \"2\" }\nm.run = \"3\"\n").load();
    let names: Vec<_> = settings.tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["z", "a", "m"]);
}

#[test]
fn an_unknown_key_is_an_error_with_its_place_and_the_nearest_known_key() {
    assert_eq!(
        one_problem("[tasks.web]\nrun = \"x\"\nautstart = false\n"),
        "3:1: unknown key `autstart` in [tasks.web] [did you mean `autostart`?]"
    );
    assert_eq!(one_problem("[limts]\nruns = 1\n"), "1:2: unknown key `limts` [did you mean `limits`?]");
    assert_eq!(one_problem("[procs]\n"), "1:2: unknown key `procs` [did you mean `tasks`?]");
    assert_eq!(
        one_problem("[limits]\nfrobnicate = 1\n"),
        "2:1: unknown key `frobnicate` in [limits] [known keys: runs, pty_runs, scrollback_lines, output_drain, kept_runs]"
    );
    assert_eq!(
        one_problem("tasks.a = { run = \"x\", stop = { grase = \"1s\" } }"),
        "1:33: unknown key `grase` in [tasks.a.stop] [did you mean `grace`?]"
    );
}

#[test]
fn all_faults_of_a_file_are_reported_in_their_order() {
    let problems = Place::project(
        "[tasks.a]\nrun = 5\nmode = \"tty\"\ntimeout = \"25h\"\n[tasks.b]\n[limits]\nruns = 0\npty_runs = \"many\"\n",
    )
    .problems();
    assert_eq!(
        problems,
        [
            "2:7: `tasks.a.run` must be text in quotes, not 5",
            "3:8: `tasks.a.mode` must be \"pty\" or \"pipes\", not \"tty\"",
            "4:11: `tasks.a.timeout` must be from 1ms to 24h, not \"25h\"",
            "5:8: `tasks.b` has no command [give it `run = \"…\"`, a shell line, or `argv = [\"…\"]`]",
            "7:8: `limits.runs` must be a whole number from 1 to 10000, not 0",
            "8:12: `limits.pty_runs` must be a whole number from 1 to 10000, not \"many\"",
        ]
    );
}

#[test]
fn wrong_values_are_named_with_what_was_expected() {
    let task = |line: &str| one_problem(&format!("[tasks.t]\nrun = \"x\"\n{line}\n"));
    let cases = [
        ("autostart = 1", "3:13: `tasks.t.autostart` must be true or false, not 1"),
        ("timeout = 5", "3:11: `tasks.t.timeout` must be a duration such as \"500ms\", \"10s\" or \"1h 30m\", not 5"),
        ("timeout = \"soon\"", "3:11: `tasks.t.timeout` must be a duration such as 500ms, 10s or 1h 30m, not \"soon\""),
        ("size = \"1x1\"", "3:8: `tasks.t.size`: size 1x1 is out of range: columns must be 2 to 1000, rows 1 to 500"),
        ("size = \"big\"", "3:8: `tasks.t.size`: size \"big\" is not of the form COLSxROWS, as in 80x24"),
        (
            "stop = \"SIGIN\"",
            "3:8: `tasks.t.stop` must be the name or number of a signal, such as SIGINT, not \"SIGIN\"",
        ),
        ("stop = 9.5", "3:8: `tasks.t.stop` must be the name or number of a signal, or a table, not 9.5"),
        ("env = { A = [1] }", "3:13: `tasks.t.env.A` must be text in quotes, not a list"),
        ("unset = [\"A=B\"]", "3:9: `tasks.t.unset` must be a list of names of environment variables, not a list"),
        ("cwd = \"\"", "3:7: `tasks.t.cwd` must be a text that is not empty, not \"\""),
        (
            "argv = [\"x\"]",
            "3:1: `tasks.t.argv` cannot stand beside `run` [keep `run` for a shell line, or `argv` for a program without a shell]",
        ),
        ("stdin = \"x\"", "3:1: `tasks.t.stdin` needs `mode = \"pipes\"` [type into a PTY run once it runs]"),
        ("env = { A = \"\\u0000\" }", "1:8: task `t`: an environment variable holds a NUL byte: \"\\0\""),
    ];
    for (line, message) in cases {
        assert_eq!(task(line), message);
    }
    assert!(
        task("stop = \"SIGSTOP\"").contains("must be a signal that can stop a run"),
        "{}",
        task("stop = \"SIGSTOP\"")
    );
    assert!(task("env = { DEBUG = true }").contains("text in quotes (\"true\", \"1\")"));
    assert!(one_problem("[tasks.'a b']\nrun = 'x'\n").starts_with("1:8: \"a b\" is no task name"));
    assert!(one_problem("tasks = 3").starts_with("1:9: `tasks` must be a table"));
    assert!(one_problem("[tasks.t]\nargv = []\n").contains("a list that starts with a program"));
    assert!(one_problem("[tasks.t]\nargv = ['x']\nlogin = true\n").starts_with("3:1: `tasks.t.login` has no meaning"));
}

#[test]
fn wrong_syntax_is_reported_by_line_and_column() {
    assert_eq!(
        Place::project("a = \"x\n\n[tasks.b]\nrun = yes\n").problems(),
        [
            "1:7: invalid basic string, expected `\"`",
            "4:7: string values must be quoted, expected literal string [put quotes around the text]"
        ]
    );
    assert_eq!(one_problem("[limits]\nruns = 1\nruns = 2\n"), "3:1: duplicate key");
}

#[test]
fn the_project_lies_over_the_users_file_and_variables_over_both() {
    let place = Place::project("[limits]\nruns = 5\npty_runs = 6\n[defaults]\ngrace = \"3s\"\n")
        .own("[limits]\nruns = 1\nkept_runs = 7\npty_runs = 1\n[tui]\nattach_key = \"C-b\"\n")
        .variable("SHTASK_LIMITS_PTY_RUNS", "9")
        .variable("SHTASK_DEFAULTS_MODE", "pipes");
    let settings = place.load();
    let Limits { runs, pty_runs, kept_runs, .. } = settings.limits;
    assert_eq!((runs, pty_runs, kept_runs), (5, 9, 7));
    assert_eq!((settings.defaults.mode, settings.defaults.grace), (Mode::Pipes, Duration::from_secs(3)));
    assert_eq!(settings.tui.attach_key.to_string(), "C-b");
    assert_eq!(settings.files, [place.path("project/shtask.toml"), place.path("home/.config/shtask/config.toml")]);
    assert_eq!(settings.project_dir, place.path("project"));
}

#[test]
fn a_wrong_variable_is_reported_by_its_name() {
    let place = Place::new()
        .variable("SHTASK_LIMITS_RUNS", "lots")
        .variable("SHTASK_STATE_DIR", "state")
        .variable("SHTASK_TUI_ATTACH_KEY", OsStr::from_bytes(b"\xff\""));
    assert_eq!(
        place.problems(),
        [
            "SHTASK_STATE_DIR: must be an absolute path [such as /home/you/.local/state/shtask; unset, it is found from HOME]",
            "SHTASK_LIMITS_RUNS: `limits.runs` must be a whole number from 1 to 10000, not \"lots\"",
            "SHTASK_TUI_ATTACH_KEY: `tui.attach_key`: \"\u{fffd}\\\"\" is no key; keys look like enter, f5, C-c, M-x, S-tab or ctrl+shift+left",
        ]
    );
}

#[test]
fn how_the_user_is_told_is_read_with_its_faults() {
    use crate::settings::Notify;
    let place = Place::new().own("[tui]\nusage = true\nnotify = ['bell', { command = ['notify-send', '-u'] }]\n");
    let tui = place.load().tui;
    let command = Notify::Command(vec!["notify-send".into(), "-u".into()]);
    assert_eq!((tui.usage, tui.notify), (true, vec![Notify::Bell, command]));
    let place = Place::new().own("[tui]\nnotify = ['shout']\nlayout = 'right'\n");
    let problems = place.problems();
    assert!(
        problems[0].contains("`tui.notify` must be \"bell\"") && problems[1].contains("\"hidden\""),
        "{problems:?}"
    );
}

#[test]
fn a_project_cannot_rebind_keys() {
    let problem = one_problem("[tui]\nattach_key = \"C-b\"\n");
    assert!(problem.starts_with("1:2: `tui` may not be set by a project [keys belong to you"), "{problem}");
}

#[test]
fn a_key_that_would_be_typed_cannot_leave_a_run() {
    let place = Place::new().own("[tui]\nattach_key = \"q\"\n");
    assert!(place.problems()[0].contains("a key with Ctrl or Alt"), "{:?}", place.problems());
    assert_eq!(Place::new().own("[tui]\nattach_key = \"f12\"\n").load().tui.attach_key.to_string(), "f12");
}

#[test]
fn a_key_that_not_every_terminal_can_send_is_none_of_ours() {
    for (text, fault) in [
        (
            "[tui]\nattach_key = \"C-!\"\n",
            "2:14: `tui.attach_key`: \"C-!\" is no key that every terminal can send [Ctrl goes",
        ),
        (
            "[tui]\nattach_key = \"C-i\"\n",
            "2:14: `tui.attach_key`: \"C-i\" cannot be told from \"tab\" in a terminal, which",
        ),
        (
            "[tui]\nattach_key = \"C-A\"\n",
            "2:14: `tui.attach_key`: \"C-A\" cannot be told from \"C-a\" in a terminal [write \"C-a\"]",
        ),
        (
            "[keys.list]\nstop = \"C-!\"\n",
            "2:8: `keys.list.stop`: \"C-!\" is no key that every terminal can send [Ctrl goes",
        ),
        (
            "[keys.list]\nstop = \"C-S-k\"\n",
            "2:8: `keys.list.stop`: \"C-S-k\" cannot be told from \"C-k\" in a terminal [write \"C-k\"]",
        ),
    ] {
        let problems = Place::new().own(text).problems();
        assert!(problems.len() == 1 && problems[0].contains(fault), "{text}: {problems:?}");
    }
}

#[test]
fn tasks_of_the_users_file_run_where_the_project_is_and_wait_to_be_started() {
    let place = Place::project("[tasks.a]\nrun = \"1\"\n")
        .own("[tasks.a]\nrun = \"2\"\n[tasks.top]\nrun = \"top\"\nenv_file = \"top.env\"\n");
    let [a, top] = place.load().tasks.try_into().expect("two tasks");
    assert_eq!(a.spec.command, CommandSpec::line("1"), "the project's task wins");
    assert_eq!((top.autostart, top.spec.cwd), (false, place.path("project")));
    assert_eq!(top.spec.env.files, [place.path("home/.config/shtask/top.env")]);
}

#[test]
fn a_file_that_is_named_goes_before_the_search() {
    let place = Place::project("[tasks.a]\nrun = \"1\"\n").with("project/deep/other.toml", "[tasks.b]\nrun = \"2\"\n");
    let settings = place.load_from("project/deep", Some(Path::new("other.toml"))).expect("settings");
    assert_eq!((settings.tasks[0].name.as_str(), settings.project_dir), ("b", place.path("project/deep")));
    let place = place.variable("SHTASK_CONFIG", "deep/other.toml");
    assert_eq!(place.load_from("project", None).expect("settings").tasks[0].name.as_str(), "b");
    let error = place.load_from("project", Some(Path::new("no.toml"))).expect_err("no file").to_string();
    assert_eq!(error, format!("{}: does not exist", place.path("project/no.toml").display()));
    let error = place.load_from("project", Some(Path::new("deep"))).expect_err("a folder").to_string();
    assert!(error.ends_with("deep: is a folder, not a file"), "{error}");
}

#[test]
fn the_error_is_one_line_with_the_first_fault_and_the_count() {
    let place = Place::project("[limits]\nruns = 0\npty_runs = 0\nx = 1\n");
    let failure = crate::model::Failure::from(place.load_from("project", None).expect_err("wrong"));
    assert!(failure.message.ends_with("1 to 10000, not 0 (and 2 more problems)"), "{failure}");
    assert_eq!(failure.code, crate::model::ErrorCode::Invalid);
}

#[test]
fn the_default_file_states_the_defaults_that_are_in_force() {
    let uncommented = |text: &str| -> String {
        let is_key =
            |line: &str| line.starts_with('[') || line.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '));
        let bare = |line: &str| line.strip_prefix("# ").filter(|rest| is_key(rest)).unwrap_or(line).to_owned();
        text.lines().map(|line| bare(line) + "\n").collect()
    };
    let text = default_toml();
    let (globals, _) = text.split_once("\n# A task.").expect("tasks come last");
    // What has no default has an example.
    let globals = uncommented(globals).replace("shell = \"/bin/bash\"\n", "");
    let globals: String = globals
        .lines()
        .filter(|line| !line.starts_with("clipboard = "))
        .fold(String::new(), |all, line| all + line + "\n");
    let settings = Place::new().own(&globals).load();
    assert_eq!((settings.limits, settings.defaults, settings.tui), Default::default());
    assert_eq!(settings.keys.preset, KeyPreset::Default);
    assert!(globals.contains("\nruns = 64\n") && globals.contains("\nmouse = true\n"), "{globals}");
    assert_eq!(Place::new().own(&text).load().tasks, []);
}

#[test]
fn every_example_of_the_default_file_is_valid() {
    for section in crate::settings::sections() {
        for entry in section.entries {
            let heading = section.heading.replace("NAME", "t").replace("PART", "list");
            let mut text = format!("{heading}.{} = {}\n", entry.name, entry.value);
            if heading.starts_with("tasks") && !matches!((&*heading, entry.name), ("tasks.t", "run" | "argv")) {
                text.push_str("tasks.t.run = \"x\"\n");
            }
            if entry.name == "stdin" {
                text.push_str("tasks.t.mode = \"pipes\"\n");
            }
            let loaded = Place::new().own(&text).load_from("project", None);
            assert!(loaded.is_ok(), "{text}: {}", loaded.expect_err("wrong"));
        }
    }
}

mod any_text {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn no_text_makes_reading_panic(
            lines in proptest::collection::vec(("(tasks\\.)?[a-z_.\"]{1,12}", "[\"\\[\\]{}a-z0-9=, .é-]{0,20}"), 0..8),
        ) {
            let text: String = lines.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
            let _ = Place::project(&text).load_from("project", None);
        }
    }
}

#[test]
fn patterns_of_both_files_count_and_a_bad_one_is_told_with_its_place_and_a_hint() {
    let place = Place::project("[redact]\npatterns = ['EMP-\\d+']\n[output]\nredact_logs = true\n");
    let settings = place.own("[redact]\npatterns = ['own']\n").load();
    assert_eq!(settings.redact.patterns, ["own", r"EMP-\d+"]);
    assert!(settings.output.redact_logs);
    let settings = Place::new().variable("SHTASK_REDACT_PATTERNS", "a+b").load();
    assert_eq!(settings.redact.patterns, ["a+b"]);
    let problems = Place::project("[redact]\npatterns = [\n  'good',\n  '(a', 'b*',\n]\n").problems();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(
        problems[0].starts_with("4:3: `redact.patterns`: pattern 2 `(a`: unclosed group [write it in single"),
        "{problems:?}"
    );
    assert!(
        problems[1].starts_with("4:9: `redact.patterns`: pattern 3 `b*` matches the empty text [it would"),
        "{problems:?}"
    );
    let many = vec!["'a'"; 65].join(", ");
    let problem = one_problem(&format!("[redact]\npatterns = [{many}]\n"));
    assert!(problem.contains("more than 64 patterns"), "{problem}");
    assert!(one_problem("[redact]\npatterns = 5\n").contains("list of texts"));
}
