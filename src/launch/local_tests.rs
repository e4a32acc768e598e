use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::*;
use crate::launch::exec_failure;
use crate::model::{ErrorCode, Mode, RunId, StdinSpec};

fn identity() -> RunIdentity {
    RunIdentity {
        id: RunId::from_bits([3; 10]),
        session: "project".parse().expect("session"),
        name: Some("web".parse().expect("name")),
        generation: 7,
    }
}

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().expect("tempdir"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>, mode: u32) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
        std::fs::write(&path, bytes).expect("file");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("mode");
        path
    }

    fn spec(&self, command: CommandSpec, mode: Mode) -> RunSpec {
        let mut spec = RunSpec::new(command, mode, self.0.path());
        spec.env.base = Arc::new(vec![("PATH".into(), "/usr/bin:/bin".into())]);
        spec
    }

    fn argv(&self, words: &[&str]) -> RunSpec {
        self.spec(CommandSpec::Argv(words.iter().map(OsString::from).collect()), Mode::Pipes)
    }
}

fn resolved(spec: &RunSpec) -> Resolved {
    local(spec, &identity()).expect("a run that can be started")
}

fn refused(spec: &RunSpec) -> String {
    let failure = local(spec, &identity()).expect_err("a run that cannot be started");
    let codes = [ErrorCode::NotRunnable, ErrorCode::ProgramNotFound, ErrorCode::NotExecutable];
    assert!(codes.contains(&failure.code), "{failure:?}");
    failure.message
}

fn variable_of<'r>(run: &'r Resolved, name: &str) -> Option<&'r str> {
    run.variable(name).map(|value| value.to_str().expect("text"))
}

fn with_base(mode: Mode, base: &[(&str, &str)]) -> RunSpec {
    let mut spec = RunSpec::new(CommandSpec::Argv(vec!["/bin/true".into()]), mode, "/");
    spec.env.base = Arc::new(base.iter().map(|(name, value)| (name.into(), value.into())).collect());
    spec
}

#[test]
fn a_missing_working_folder_is_blamed_before_the_command() {
    let place = Place::new();
    let mut spec = place.argv(&["no-such-program"]);
    spec.cwd = place.path("gone");
    assert_eq!(refused(&spec), format!("working directory {} does not exist", place.path("gone").display()));
    spec.cwd = place.file("file", "", 0o644);
    assert_eq!(refused(&spec), format!("working directory {} is not a folder", spec.cwd.display()));
    spec.cwd = place.path("file/below");
    assert_eq!(refused(&spec), format!("working directory {} is not a folder", spec.cwd.display()));
}

#[test]
fn a_working_folder_that_cannot_be_entered_is_named() {
    let place = Place::new();
    let folder = place.path("closed");
    std::fs::create_dir(&folder).expect("folder");
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o600)).expect("mode");
    let mut spec = place.argv(&["true"]);
    spec.cwd = folder.clone();
    // Root may enter every folder.
    if rustix::process::geteuid().is_root() {
        assert_eq!(resolved(&spec).cwd, folder);
    } else {
        let message = format!("working directory {} cannot be entered: permission denied", folder.display());
        assert_eq!(refused(&spec), message);
    }
}

#[test]
fn programs_that_cannot_be_run_are_refused_with_their_path_and_the_reason() {
    let place = Place::new();
    let plain = place.file("plain", "#!/bin/sh\n", 0o644);
    std::fs::create_dir(place.path("folder")).expect("folder");
    let here = place.0.path().display().to_string();
    let cases = [
        ("no-such-program", "program no-such-program was not found in PATH".into()),
        ("./none", format!("program {here}/./none does not exist")),
        ("plain/below", format!("program {here}/plain/below does not exist")),
        ("./folder", format!("program {here}/./folder is a folder")),
        ("/dev/null", "program /dev/null is not executable: it is no regular file".into()),
        ("./plain", format!("program {here}/./plain is not executable: permission denied")),
    ];
    for (program, message) in cases {
        assert_eq!(refused(&place.argv(&[program])), message);
    }
    let mut spec = place.argv(&["plain"]);
    spec.env.set = vec![("PATH".into(), place.0.path().into())];
    assert_eq!(refused(&spec), format!("program {} is not executable: permission denied", plain.display()));
}

#[test]
fn the_program_is_searched_in_the_path_of_the_run_and_from_its_folder() {
    let place = Place::new();
    let tool = place.file("bin/tool", "#!/bin/sh\n", 0o755);
    place.file("first/tool", "", 0o644);
    std::fs::create_dir_all(place.path("second/tool")).expect("folder");
    let mut spec = place.argv(&["tool", "two words", "it's", ""]);
    spec.env.set = vec![("PATH".into(), "first:second:bin:/usr/bin".into())];
    let run = resolved(&spec);
    assert_eq!((&run.program, &run.shell), (&tool, &None));
    assert_eq!(run.argv[0], "tool");
    assert_eq!(run.command_line, "tool 'two words' 'it'\\''s' ''");
    assert_eq!(resolved(&place.argv(&["bin/tool"])).program, tool);
    let mut spec = place.argv(&["true"]);
    spec.env.base = Arc::default();
    assert!(resolved(&spec).program.is_absolute(), "without PATH there is a default one");
}

#[test]
fn a_shell_line_runs_in_the_shell_of_the_run_s_environment() {
    let place = Place::new();
    let shell = place.file("mysh", "#!/bin/sh\n", 0o755);
    let line = |shell_variable: Option<&Path>| {
        let mut spec = place.spec(CommandSpec::line("echo $HOME | wc"), Mode::Pty);
        spec.env.set.extend(shell_variable.map(|path| ("SHELL".into(), path.into())));
        resolved(&spec)
    };
    let run = line(Some(&shell));
    assert_eq!((run.program.as_path(), run.shell.as_deref()), (shell.as_path(), Some(shell.as_path())));
    assert_eq!(run.argv, [shell.as_os_str(), "-c".as_ref(), "echo $HOME | wc".as_ref()]);
    assert_eq!(run.command_line, "echo $HOME | wc");
    for unusable in [None, Some("/no/such/shell"), Some("/usr/sbin/nologin"), Some("sh"), Some("/bin")] {
        assert_eq!(line(unusable.map(Path::new)).program, Path::new("/bin/sh"), "{unusable:?}");
    }
}

#[test]
fn a_shell_that_is_asked_for_gets_its_flags_and_must_be_there() {
    let place = Place::new();
    let with = |shell: &str, line: &str| {
        let shell = Some(shell.into());
        place.spec(CommandSpec::Shell { line: line.into(), shell, login: true, interactive: true }, Mode::Pty)
    };
    let run = resolved(&with("sh", "-x"));
    assert!(run.program.ends_with("sh") && run.program.is_absolute());
    assert_eq!(run.argv[1..], ["-l", "-i", "-c", " -x"], "a line is never taken for a flag");
    assert_eq!(refused(&with("/no/shell", "true")), "program /no/shell does not exist");
}

#[test]
fn every_run_knows_who_it_is_and_never_the_address_of_the_server() {
    let mut spec = with_base(Mode::Pipes, &[("SHTASK_SOCKET", "/s"), ("SHTASK_RUN_ID", "outer"), ("A", "1")]);
    spec.env.set = vec![("SHTASK_SOCKET".into(), "/t".into()), ("SHTASK_RUN_ID".into(), "forged".into())];
    spec.env.unset = vec!["SHTASK".into()];
    let run = resolved(&spec);
    let id = RunId::from_bits([3; 10]);
    let expected = [
        ("A", Some("1")),
        ("SHTASK", Some("1")),
        ("SHTASK_RUN_ID", Some(id.as_str())),
        ("SHTASK_SESSION", Some("project")),
        ("SHTASK_TASK", Some("web")),
        ("SHTASK_GENERATION", Some("7")),
        ("SHTASK_SOCKET", None),
    ];
    for (name, value) in expected {
        assert_eq!(variable_of(&run, name), value, "{name}");
    }
    let ad_hoc = RunIdentity { name: None, ..identity() };
    let run = local(&spec, &ad_hoc).expect("a run");
    assert_eq!(variable_of(&run, "SHTASK_TASK"), Some(""), "the outer run's name must not shine through");
}

#[test]
fn a_pty_run_sees_its_own_terminal_and_not_the_one_around_it() {
    let outer = [
        ("TERM", "dumb"),
        ("COLORTERM", "no"),
        ("LINES", "5"),
        ("COLUMNS", "5"),
        ("TMUX", "/t"),
        ("TERMCAP", "x"),
        ("TERM_PROGRAM", "vscode"),
        ("NO_COLOR", "1"),
        ("FORCE_COLOR", "0"),
    ];
    let mut spec = with_base(Mode::Pty, &outer);
    let run = resolved(&spec);
    let own = ["TERM", "COLORTERM", "LINES", "COLUMNS", "TMUX", "TERMCAP", "TERM_PROGRAM", "NO_COLOR", "FORCE_COLOR"]
        .map(|name| variable_of(&run, name));
    let truecolor = [Some("xterm-256color"), Some("truecolor")];
    assert_eq!(own, [truecolor[0], truecolor[1], None, None, None, None, None, Some("1"), Some("0")]);
    spec.env.set = vec![("TERM".into(), "vt100".into()), ("LINES".into(), "9".into())];
    spec.env.unset = vec!["COLORTERM".into()];
    let run = resolved(&spec);
    let given = ["TERM", "COLORTERM", "LINES"].map(|name| variable_of(&run, name));
    assert_eq!(given, [Some("vt100"), None, Some("9")], "what is given wins");
}

#[test]
fn a_pipes_run_sees_what_the_users_environment_says() {
    let base = [("TERM", "dumb"), ("COLUMNS", "5"), ("NO_COLOR", "1"), ("FORCE_COLOR", "0"), ("TMUX", "/t")];
    let run = resolved(&with_base(Mode::Pipes, &base));
    for (name, value) in base {
        assert_eq!(variable_of(&run, name), Some(value), "{name}");
    }
    assert_eq!(variable_of(&resolved(&with_base(Mode::Pipes, &[])), "TERM"), None);
}

#[test]
fn a_clean_environment_is_the_allow_list_and_what_is_given() {
    let base = [
        ("PATH", "/bin"),
        ("LC_ALL", "C"),
        ("XDG_DATA_HOME", "/x"),
        ("SECRET", "s"),
        ("LANGUAGE", "de"),
        ("TZ", "UTC"),
    ];
    let mut spec = with_base(Mode::Pipes, &base);
    spec.env.clean = true;
    spec.env.set = vec![("GIVEN".into(), "1".into())];
    let names: Vec<_> = resolved(&spec).env.into_iter().map(|(name, _)| name.into_string().expect("text")).collect();
    let own = names.iter().filter(|name| !name.starts_with("SHTASK")).collect::<Vec<_>>();
    assert_eq!(own, ["PATH", "LC_ALL", "XDG_DATA_HOME", "TZ", "GIVEN"]);
}

#[test]
fn files_are_read_in_order_and_what_is_set_wins_over_them() {
    let place = Place::new();
    place.file("a.env", "A=1\nB=1\nC=1\nD=1\n", 0o600);
    place.file("b.env", "B=2\nC=2\nD=2\n", 0o600);
    let mut spec = place.argv(&["true"]);
    spec.env.files = vec!["a.env".into(), place.path("b.env")];
    spec.env.set = vec![("C".into(), "3".into())];
    spec.env.unset = vec!["D".into()];
    let run = resolved(&spec);
    assert_eq!(["A", "B", "C", "D"].map(|name| variable_of(&run, name)), [Some("1"), Some("2"), Some("3"), None]);
}

#[test]
fn a_file_of_variables_that_cannot_be_read_is_named_with_its_line() {
    let place = Place::new();
    place.file("bad.env", "A=1\nB 2\n", 0o600);
    place.file("big.env", vec![b'#'; 1024 * 1024 + 1], 0o600);
    let here = place.0.path().display().to_string();
    let cases = [
        ("none.env", format!("env file {here}/none.env cannot be read: no such file or directory")),
        (".", format!("env file {here}/. cannot be read: it is a folder")),
        ("/dev/null", "env file /dev/null cannot be read: it is no regular file".into()),
        ("big.env", format!("env file {here}/big.env cannot be read: it is larger than 1 MiB")),
        ("bad.env", format!("env file {here}/bad.env:2: no `=` after B")),
    ];
    for (file, message) in cases {
        let mut spec = place.argv(&["true"]);
        spec.env.files = vec![file.into()];
        assert_eq!(refused(&spec), message);
    }
}

#[test]
fn bytes_that_are_no_utf8_pass_through_and_are_shown_escaped() {
    let place = Place::new();
    let folder = place.0.path().join(OsStr::from_bytes(b"\xff"));
    std::fs::create_dir(&folder).expect("folder");
    let odd = OsString::from_vec(b"a\xa3\x1b".to_vec());
    let mut spec = place.spec(CommandSpec::Argv(vec!["true".into(), odd.clone()]), Mode::Pipes);
    Arc::make_mut(&mut spec.env.base).push((OsString::from_vec(b"K\xa3".to_vec()), odd.clone()));
    spec.cwd = folder.clone();
    let run = resolved(&spec);
    assert!(run.env.contains(&(OsString::from_vec(b"K\xa3".to_vec()), odd.clone())));
    assert_eq!((&run.argv[1], &run.cwd), (&odd, &folder));
    assert_eq!(run.command_line, "true 'a\\xA3\\u{1b}'");
    spec.cwd.push("gone");
    assert!(refused(&spec).contains("/\\xFF/gone does not exist"), "{}", refused(&spec));
    let real = Command::new(&run.program).args(&run.argv[1..]).env_clear().envs(run.env).current_dir(&run.cwd).status();
    assert!(real.expect("the program starts").success());
}

#[test]
fn the_way_up_does_not_stand_in_the_folder_of_a_run() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("a/b")).expect("folders");
    let mut spec = place.argv(&["/bin/true"]);
    spec.env.base = Arc::new(vec![("PWD".into(), "/".into())]);
    spec.cwd = place.path("a/b/..");
    let run = resolved(&spec);
    let plain = place.path("a").canonicalize().expect("there");
    assert_eq!(run.cwd, plain);
    assert_eq!(variable_of(&run, "PWD"), plain.to_str());
}

#[test]
fn a_stale_pwd_is_put_right() {
    let mut spec = with_base(Mode::Pipes, &[("PWD", "/elsewhere")]);
    assert_eq!(variable_of(&resolved(&spec), "PWD"), Some("/"));
    spec.env.base = Arc::default();
    assert_eq!(variable_of(&resolved(&spec), "PWD"), None);
}

#[test]
fn a_request_that_is_wrong_in_itself_is_refused_as_such() {
    let mut spec = with_base(Mode::Pty, &[]);
    spec.stdin = StdinSpec::Payload(vec![1]);
    assert_eq!(local(&spec, &identity()).expect_err("wrong").code, ErrorCode::Invalid);
}

#[test]
fn the_stop_command_runs_where_the_run_does_and_knows_its_process() {
    let place = Place::new();
    let run = resolved(&place.argv(&["true"]));
    let stop = stop_command(OsStr::new("kill $SHTASK_PID"), &run, 42).expect("a stop command");
    assert_eq!((stop.program.as_path(), &stop.cwd), (Path::new("/bin/sh"), &run.cwd));
    assert_eq!(stop.argv[1..], ["-c", "kill $SHTASK_PID"]);
    assert_eq!((variable_of(&stop, "SHTASK_PID"), variable_of(&stop, "SHTASK_TASK")), (Some("42"), Some("web")));
    drop(place);
    assert!(stop_command(OsStr::new("x"), &run, 42).expect_err("gone").message.contains("does not exist"));
}

/// Executes for real and puts the failure into words.
fn exec_message(run: &Resolved) -> String {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let spawned = Command::new(&run.program).args(&run.argv[1..]).current_dir(&run.cwd).spawn();
        let errno = spawned.expect_err("no start").raw_os_error().expect("an error number");
        // A test that forks at this moment holds the file open for writing until it executes.
        if errno != libc::ETXTBSY || Instant::now() > deadline {
            return exec_failure(run, errno).message;
        }
    }
}

#[test]
fn a_start_that_the_system_refuses_is_put_into_words() {
    let place = Place::new();
    let text = |name: &str, bytes: &str| {
        let path = place.file(name, bytes, 0o755);
        (resolved(&place.argv(&[path.to_str().expect("text")])), path.display().to_string())
    };
    let (run, path) = text("script", "#! /no/interpreter -x\n");
    let expected = format!("program {path} cannot start: its interpreter /no/interpreter: no such file or directory");
    assert_eq!(exec_message(&run), expected);
    let (run, _) = text("dos", "#!/bin/sh\r\necho\r\n");
    assert!(exec_message(&run).contains("its interpreter /bin/sh\\r: no such file"), "{}", exec_message(&run));
    let (run, path) = text("data", "\u{1}\u{2}\u{3}");
    assert_eq!(exec_message(&run), format!("program {path} cannot start: it has no format that can be executed"));
    let long = "x".repeat(100_000);
    let run = resolved(&place.argv(&[["true"].as_slice(), &[long.as_str(); 100]].concat()));
    assert!(exec_message(&run).contains("arguments (10000105 bytes)"), "{}", exec_message(&run));
}
