//! Bad input: one clear line that names the thing, and nothing else disturbed.

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};

use crate::harness::{Exit, Home};

use super::product::{PROGRAM, home, launch, one, open};

/// Runs the program without a terminal.
fn without_a_terminal(home: &Home, arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).current_dir(home.work()).env_clear().envs(home.environment());
    command.stdin(Stdio::null()).output().expect("the program can be started")
}

#[track_caller]
fn one_line(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut lines = text.lines().filter(|line| !line.starts_with("hint: "));
    let first = lines.next().unwrap_or_default().to_owned();
    assert!(first.starts_with("error: ") && lines.next().is_none(), "{text}");
    first
}

#[test]
fn a_bad_configuration_is_one_line_with_its_place_and_code_2() {
    for (config, place, words) in [
        ("[tasks.a]\nrun = 'x'\nautstart = true\n", "shtask.toml:3:1", "autstart"),
        ("[tasks.a]\nrun = 5\n", "shtask.toml:2:7", "run"),
        ("[tasks.a\nrun = 'x'\n", "shtask.toml:1:", ""),
        ("[tasks.a]\nrun = 'x'\ntimeout = '25h'\n", "shtask.toml:3:11", "timeout"),
        ("[tasks.a]\nrun = 'x'\nsize = '0x0'\n", "shtask.toml:3:8", "size"),
        ("[tasks.a]\nargv = [\"x\\u0000y\"]\n", "shtask.toml:1:8", "NUL"),
    ] {
        let home = home(config);
        let mut terminal = launch(&home).start();
        assert_eq!(terminal.wait_exit(), Exit::Code(2), "{config}\n{}", terminal.picture());
        let output = without_a_terminal(&home, &["--embedded", "--config", "shtask.toml"]);
        assert_eq!(output.status.code(), Some(2), "{config}");
        let line = one_line(&output);
        assert!(line.contains(place) && line.contains(words), "{line}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn all_faults_of_a_configuration_are_told_each_with_its_place() {
    let home = home("[limits]\nruns = 0\n[tasks.a]\nrun = 5\nautstart = true\n");
    let output = without_a_terminal(&home, &["--embedded", "--config", "shtask.toml"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let faults: Vec<&str> = text.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(faults.len(), 3, "{text}");
    for (fault, place) in faults.iter().zip([":2:8: ", ":4:7: ", ":5:1: "]) {
        assert!(fault.contains(place), "{place} {text}");
    }
    assert!(text.contains("hint: did you mean `autostart`?"), "{text}");
}

#[test]
fn an_error_that_nobody_reads_is_an_exit_code_and_no_panic() {
    let (reader, writer) = std::io::pipe().expect("pipe");
    drop(reader);
    let home = Home::new();
    let mut command = Command::new(PROGRAM);
    command
        .args(["--embedded", "--config", "nowhere.toml"])
        .current_dir(home.work())
        .env_clear()
        .envs(home.environment());
    let status = command.stdin(Stdio::null()).stderr(writer).status().expect("the program can be started");
    assert_eq!(status.code(), Some(2));
}

#[test]
fn a_configuration_that_is_not_there_is_named() {
    let output = without_a_terminal(&Home::new(), &["--embedded", "--config", "nowhere.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(one_line(&output).contains("nowhere.toml"));
}

#[test]
fn a_configuration_that_is_not_utf8_is_an_error_not_a_panic() {
    let home = Home::new();
    home.write("shtask.toml", b"[tasks.a]\nrun = '\xff\xfe'\n");
    let output = without_a_terminal(&home, &["--embedded", "--config", "shtask.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(one_line(&output).contains("shtask.toml"));
}

#[test]
fn without_a_terminal_the_program_says_so() {
    let output = without_a_terminal(&home(&one("true", "")), &["--embedded", "--config", "shtask.toml"]);
    assert!(!output.status.success());
    assert!(one_line(&output).contains("not a terminal"));
}

#[test]
fn a_missing_working_folder_is_named_and_not_the_command() {
    let home = home(
        "[tasks.gone]\nrun = 'echo ran'\ncwd = 'no-such-folder'\n\
         [tasks.file]\nrun = 'echo ran'\ncwd = 'a-file'\nautostart = false\n",
    );
    home.write("a-file", "");
    let mut terminal = launch(&home).start();
    terminal.wait_for_text("no-such-folder");
    terminal.keys("js");
    terminal.wait_for_text("a-file");
    assert!(!terminal.screen().has("ran"), "{}", terminal.picture());
    assert_eq!(terminal.exit(), None);
}

#[test]
fn a_program_that_cannot_be_started_is_named_with_its_cause() {
    let home = home(
        "[tasks.missing]\nargv = ['no-such-program']\n\
         [tasks.folder]\nargv = ['/usr']\nautostart = false\n\
         [tasks.plain]\nargv = ['./plain']\nautostart = false\n\
         [tasks.bad]\nargv = ['./bad']\nautostart = false\n",
    );
    home.write("plain", "#!/bin/sh\n");
    let bad = home.write("bad", "#!/no/such/interpreter\n");
    std::fs::set_permissions(bad, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    let mut terminal = launch(&home).start();
    terminal.wait_for_text("no-such-program");
    for name in ["/usr", "./plain", "./bad"] {
        terminal.keys("js");
        terminal.wait_for("the program's name in a message", |screen| {
            screen.text().lines().any(|line| line.contains(name.trim_start_matches("./")) && line.contains("no"))
        });
    }
    assert_eq!(terminal.exit(), None);
}

#[test]
fn an_argument_too_long_for_the_kernel_is_an_error_of_that_run_alone() {
    let long = "x".repeat(200_000);
    let config = format!("[tasks.long]\nargv = ['echo', '{long}']\n[tasks.good]\nrun = 'exec sleep 1000'\n");
    let mut terminal = open(&config);
    terminal.wait_for("a failed run and a good one", |screen| {
        (screen.has("failed") || screen.has("no start")) && screen.has("running")
    });
    terminal.wait_for("the cause in words", |screen| screen.text().to_lowercase().contains("too long"));
}

#[test]
fn an_exit_code_is_shown_as_the_program_gave_it() {
    let mut terminal = open(&one("exit 42", ""));
    terminal.wait_for("failed with its code", |screen| screen.has("failed") && screen.has("42"));
}

#[test]
fn a_death_by_signal_is_shown_as_one() {
    let mut terminal = open(&one("kill -SEGV $$", ""));
    terminal.wait_for("failed with its code", |screen| screen.has("failed") && screen.has("139"));
}

#[test]
fn the_error_of_one_run_does_not_disturb_another() {
    let config =
        "[tasks.good]\nrun = 'echo still h\"ere\"; exec sleep 1000'\n[tasks.bad]\nargv = ['no-such-program']\n";
    let mut terminal = open(config);
    terminal.wait_for_text("still here");
    terminal.wait_for_text("running");
    assert_eq!(terminal.exit(), None);
}
