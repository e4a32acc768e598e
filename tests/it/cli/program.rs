//! The verbs of the real program over a server that the first of them starts (S11).

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::real::{Served, ended, text};
use crate::harness::{DEADLINE, Marker, wait_gone};

#[test]
fn a_run_outlives_the_verb_that_started_it_and_is_found_by_the_next() {
    let served = Served::new();
    let run = served.start(&["--name", "web", "--", "sleep", "60"]);
    let listed = served.done(&["ls"]);
    assert!(listed.contains("web:1") && listed.contains("running"), "{listed}");
    assert_eq!(served.done(&["ls", "--quiet"]).trim_end(), run);
    assert_eq!(served.done(&["stop", "web"]), "web:1 cancelled\n");
    let waited = served.verb(&["wait", "web"]);
    assert_eq!(waited.status.code(), Some(130), "{waited:?}");
}

/// S11.1, S11.2.
#[test]
fn exit_codes_and_messages_are_those_of_the_rule() {
    let served = Served::new();
    for (words, code, part) in [
        (&["show", "nobody"][..], 3, "error: "),
        (&["show"], 2, "hint: usage: shtask show"),
        (&["show", "\u{1b}[2J"], 2, "error: "),
        (&["run", "--", "no-such-program"], 1, "error: program no-such-program was not found"),
        (&["run", "-f", "--", "no-such-program"], 127, "error: program no-such-program was not found"),
    ] {
        let output = served.verb(words);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(code), String::new()), "{words:?}: {output:?}");
        let err = text(&output.stderr);
        assert!(err.contains(part) && !err.contains('\u{1b}'), "{words:?}: {err}");
    }
}

/// S3.3: what a client sees is what its run sees, whoever has started the server.
#[test]
fn the_environment_of_the_server_does_not_leak_into_a_run() {
    let served = Served::new();
    served.command(&["run", "--", "true"]).env("ONLY_SERVER", "x").output().expect("a server");
    let inner = served.0.work().join("inner");
    std::fs::create_dir(&inner).expect("a folder");
    let mut command = served.command(&["run", "-f", "echo $ONLY_CLIENT[$ONLY_SERVER][$SHTASK_SOCKET]; pwd"]);
    let output = command.env("ONLY_CLIENT", "y").current_dir(&inner).output().expect("an output");
    assert_eq!(text(&output.stdout), format!("y[][]\n{}\n", inner.canonicalize().expect("a path").display()));
}

#[test]
fn arguments_that_are_no_text_reach_the_command_as_they_are() {
    let served = Served::new();
    let mut command = served.command(&["run", "-f", "--", "printf", "%s"]);
    let output = command.arg(OsStr::from_bytes(b"a\xffb")).output().expect("an output");
    assert_eq!(output.stdout, b"a\xffb");
    let output = served.command(&["show"]).arg(OsStr::from_bytes(b"a\xff")).output().expect("an output");
    assert_eq!(output.status.code(), Some(2));
    let huge = "x".repeat(100_000);
    assert_eq!(served.verb(&["show", &huge]).status.code(), Some(2));
}

/// S3.5: ^C cancels, and the wrapper stays until the run is gone.
#[test]
fn an_interrupt_ends_a_foreground_run_and_passes_its_last_words_on() {
    let served = Served::new();
    let marker = Marker::new();
    let line = format!("trap 'echo bye; exit 0' TERM; echo ready; sleep {marker} & wait; wait");
    let mut command = served.command(&["run", "--foreground", &line]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a child");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut first = String::new();
    out.read_line(&mut first).expect("a line");
    assert_eq!(first, "ready\n");
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).expect("a signal");
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("the rest");
    let (code, _, err) = ended(child);
    assert_eq!((code, rest.as_str()), (Some(130), "bye\n"), "{err}");
    wait_gone(&marker, DEADLINE);
}

/// S3.5.
#[test]
fn a_foreground_run_whose_output_nobody_reads_is_cancelled() {
    let served = Served::new();
    let marker = Marker::new();
    let line = format!("sleep {marker} & while echo line; do sleep 0.01; done");
    let mut child = served.command(&["run", "--foreground", &line]).stdout(Stdio::piped()).spawn().expect("a child");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut first = String::new();
    out.read_line(&mut first).expect("a line");
    drop(out);
    assert_eq!(ended(child).0, Some(130));
    wait_gone(&marker, DEADLINE);
}

/// S11.1: whoever reads the beginning only is no error.
#[test]
fn a_reader_who_leaves_early_is_no_error() {
    let served = Served::new();
    let run = served.start(&["--wait", "i=0; while [ $i -lt 30000 ]; do echo line $i; i=$((i+1)); done"]);
    let mut command = served.command(&["logs", &run]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a child");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut first = String::new();
    out.read_line(&mut first).expect("a line");
    drop(out);
    let (code, _, err) = ended(child);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let full = served
        .command(&["logs", &run])
        .stdout(std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device"))
        .output();
    let full = full.expect("an output");
    assert_eq!(full.status.code(), Some(1));
    assert!(text(&full.stderr).starts_with("error: the output could not be written"), "{full:?}");
}

#[test]
fn two_projects_have_a_session_each_and_session_names_another() {
    let served = Served::new();
    let other = served.0.folder("tmp");
    served.start(&["--name", "web", "--", "sleep", "60"]);
    let elsewhere = served.command(&["show", "web"]).current_dir(&other).output().expect("an output");
    assert_eq!(elsewhere.status.code(), Some(3), "{elsewhere:?}");
    served.start(&["--session", "agent-7", "--name", "job", "--", "sleep", "60"]);
    assert!(served.done(&["ls", "--session", "agent-7"]).contains("job:1"));
    assert!(!served.done(&["ls"]).contains("job:1"));
}

#[test]
fn without_a_server_its_status_is_an_error_and_nothing_is_started() {
    let served = Served::new();
    let status = served.verb(&["server", "status"]);
    assert_eq!(status.status.code(), Some(6), "{status:?}");
    served.start(&["--", "true"]);
    let status: serde_json::Value = serde_json::from_str(&served.done(&["server", "status", "--json"])).expect("json");
    assert!(status["pid"].as_i64().is_some_and(|pid| pid > 1) && status["uptime_ms"].is_u64(), "{status}");
    let stopped = served.done(&["server", "stop"]);
    assert!(stopped.starts_with("the server has ended"), "{stopped}");
    assert_eq!(served.verb(&["server", "status"]).status.code(), Some(6));
}

#[test]
fn the_example_of_the_docs_does_what_it_says() {
    let served = Served::new();
    let path = std::env::var("PATH").expect("a path");
    let bin = std::path::Path::new(super::real::PROGRAM).parent().expect("a folder");
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/example.sh");
    let mut command = std::process::Command::new("sh");
    command.arg(script).env_clear().envs(served.0.environment()).current_dir(served.0.work());
    command.env("PATH", format!("{}:{path}", bin.display())).stdin(Stdio::null());
    let output = command.output().expect("a shell");
    let out = text(&output.stdout);
    assert!(output.status.success(), "{out}\n{}", text(&output.stderr));
    for line in [
        "tick 3",
        "greeter:1 completed with exit code 0",
        "hello, world",
        "checked",
        "exit code 3",
        "counter ended with 130",
    ] {
        assert!(out.lines().any(|shown| shown == line || shown.ends_with(line)), "{line}: {out}");
    }
}

#[test]
fn completions_are_scripts_that_a_shell_reads() {
    let served = Served::new();
    let script = served.done(&["completions", "bash"]);
    let path = served.0.write("completions.bash", &script);
    let checked = std::process::Command::new("bash").arg("-n").arg(path).output().expect("bash");
    assert!(checked.status.success(), "{checked:?}");
    for shell in ["zsh", "fish"] {
        assert!(served.done(&["completions", shell]).contains("foreground"), "{shell}");
    }
    served.done(&["man", "--output-dir", "pages"]);
    assert!(
        served
            .0
            .read("pages/shtask-run.1")
            .is_some_and(|page| page.contains("--foreground") || page.contains("foreground"))
    );
}

/// S7.1.
#[test]
fn a_closed_session_starts_nothing_until_it_is_resumed() {
    let served = Served::new();
    let marker = Marker::new();
    served.start(&["--session", "agent-7", "--", "sleep", &marker.to_string()]);
    assert_eq!(served.done(&["session", "close", "agent-7"]), "agent-7 is closed; 1 run ended\n");
    wait_gone(&marker, DEADLINE);
    let refused = served.verb(&["run", "--session", "agent-7", "--", "true"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    served.start(&["--wait", "--", "true"]);
    assert_eq!(served.done(&["session", "resume", "agent-7"]), "agent-7 is open again\n");
    served.start(&["--wait", "--session", "agent-7", "--", "true"]);
    assert!(served.done(&["session", "ls"]).contains("agent-7"));
}

/// S10.8.
#[test]
fn an_export_draws_the_last_screen_as_a_picture_or_a_page() {
    let served = Served::new();
    let line = r"printf '\033[2J\033[3;5H\033[1;32mgreen & bold\033[0m'; exec sleep 1000";
    let run = served.start(&["--pty", "--size", "40x10", line]);
    served.done(&["wait", &run, "--for", "match:green"]);
    let svg = served.done(&["export", &run, "--svg"]);
    assert!(svg.starts_with("<svg") && svg.contains("green &amp; bold") && !svg.contains("u001b"), "{svg}");
    assert_eq!(served.done(&["export", &run, "--format", "svg"]), svg);
    let html = served.done(&["export", &run, "--html"]);
    assert!(html.contains("<html") && html.contains("green &amp; bold"), "{html}");
    assert!(served.done(&["export", &run, "--text"]).contains("green & bold"));
    // What is over is drawn, too.
    served.done(&["stop", &run]);
    assert!(served.done(&["export", &run, "--svg"]).contains("green &amp; bold"));

    let path = served.0.work().join("screen.png");
    let png = served.verb(&["export", &run, "--png", "-o", "screen.png"]);
    if crate::harness::have("rsvg-convert") {
        assert!(png.status.success(), "{png:?}");
        assert!(std::fs::read(&path).expect("a file").starts_with(b"\x89PNG"));
    } else {
        assert!(text(&png.stderr).contains("librsvg2-bin"), "{png:?}");
        assert!(!path.exists(), "a failure leaves what was there");
    }
    for forms in [&["export", "job"][..], &["export", "job", "--svg", "--png"]] {
        assert_eq!(served.verb(forms).status.code(), Some(2), "{forms:?}");
    }
}
