//! The server as a program: started by who needs it, one per user, on its own (S9.1, S11.5).

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Home, Marker, Process, survivors};

const DEADLINE: Duration = Duration::from_secs(60);

fn program(home: &Home, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shtask"));
    command.args(args).env_clear().envs(home.environment()).current_dir(home.work()).stdin(Stdio::null());
    command
}

fn shtask(home: &Home, args: &[&str]) -> Output {
    program(home, args).output().expect("the program can be run")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a verb that must do its work; returns what it prints.
fn done(home: &Home, args: &[&str]) -> String {
    let output = shtask(home, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    text(&output.stdout)
}

fn socket(home: &Home) -> PathBuf {
    home.folder("run").join("shtask/server.sock")
}

fn servers(home: &Home) -> Vec<Process> {
    let mut all = home.processes();
    all.retain(|process| !process.is_zombie() && process.arguments.iter().any(|argument| argument == "--detached"));
    all
}

/// The server's own answer.
fn status(home: &Home) -> Value {
    serde_json::from_str(&done(home, &["server", "status", "--json"])).expect("json")
}

fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + DEADLINE;
    while !condition() {
        assert!(Instant::now() < end, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn kill(process: &Process, signal: rustix::process::Signal) {
    let handle = process.handle().expect("it lives");
    rustix::process::pidfd_send_signal(&handle, signal).expect("signalled");
}

/// S9.1, S11.2: a slip in the path of the socket starts nothing.
#[test]
fn a_socket_in_a_folder_that_is_not_there_is_an_error_that_names_the_folder() {
    let home = Home::new();
    let missing = home.work().join("missing");
    let socket = missing.join("server.sock");
    let path = socket.to_str().expect("text");
    for words in [&["ls"][..], &["server", "status"], &["serve"], &["serve", "--foreground"]] {
        for by_variable in [false, true] {
            let mut command = program(&home, words);
            if by_variable {
                command.env("SHTASK_SOCKET", path)
            } else {
                command.args(["--socket", path])
            };
            let output = command.output().expect("the program can be run");
            let error = format!(
                "error: the folder {} of the server's socket does not exist\nhint: make it, or correct --socket or SHTASK_SOCKET\n",
                missing.display()
            );
            assert_eq!((output.status.code(), text(&output.stderr)), (Some(6), error), "{words:?}");
        }
    }
    assert!(!missing.exists() && servers(&home).is_empty());
    let found = shtask(&home, &["doctor", "--socket", path]);
    assert!(found.status.code() == Some(1) && text(&found.stdout).contains("does not exist"), "{found:?}");
}

/// S11.5.
#[test]
fn sixteen_first_calls_at_once_give_one_server() {
    let home = Arc::new(Home::new());
    let calls: Vec<_> = (0..16)
        .map(|_| {
            let home = Arc::clone(&home);
            std::thread::spawn(move || done(&home, &["serve"]))
        })
        .collect();
    for call in calls {
        assert_eq!(call.join().expect("called").trim_end(), socket(&home).to_str().expect("text"));
    }
    let all = servers(&home);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(status(&home)["pid"], all[0].pid);
}

/// S3.3, S9.1: it is nobody's child, sees no terminal, and knows nothing of a run that it was started from.
#[test]
fn the_server_stands_on_its_own() {
    let home = Home::new();
    let marks = ["SHTASK", "SHTASK_RUN_ID", "SHTASK_SESSION", "SHTASK_TASK", "SHTASK_GENERATION"];
    let output = program(&home, &["serve"]).envs(marks.map(|mark| (mark, "1"))).output().expect("run");
    assert!(output.status.success(), "{output:?}");
    assert!(text(&output.stderr).contains("inside a run"), "who starts it is warned: {output:?}");
    let server = servers(&home).pop().expect("a server");
    for mark in marks {
        assert!(!server.has_environment_entry(OsStr::new(&format!("{mark}=1"))), "{mark}");
    }
    let look = |name: &str| std::fs::read_link(format!("/proc/{}/{name}", server.pid)).expect("a link");
    assert_eq!(look("cwd"), PathBuf::from("/"));
    assert_eq!((look("fd/0"), look("fd/1")), ("/dev/null".into(), "/dev/null".into()));
    let log = home.folder("state").join("shtask/server.log");
    assert_eq!(look("fd/2"), log);
    assert_eq!(log.metadata().expect("a log").permissions().mode() & 0o777, 0o600);
    // `nix`, because `rustix` panics at a session that is outside of our pid namespace: it is 0 here.
    let session = nix::unistd::getsid(Some(nix::unistd::Pid::from_raw(server.pid))).expect("a session");
    assert_ne!(session, nix::unistd::getsid(None).expect("a session"));
    assert_ne!(server.parent, std::process::id().cast_signed());
}

/// S3.3: a run sees the environment and the folder of who asked for it.
#[test]
fn a_run_has_the_environment_and_folder_of_its_client_and_nothing_of_the_server() {
    let home = Home::new();
    let started = program(&home, &["serve"]).env("OF_SERVER", "x").output().expect("run");
    assert!(started.status.success(), "{started:?}");
    let folder = home.work().join("elsewhere");
    std::fs::create_dir(&folder).expect("a folder");
    let mut call = program(&home, &["run", "--foreground", "--", "sh", "-c", "pwd; env"]);
    let output = call.current_dir(&folder).env("OF_CLIENT", "y").output().expect("run");
    let shown = text(&output.stdout);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.first(), folder.to_str().as_ref(), "{output:?}");
    assert!(lines.contains(&"OF_CLIENT=y") && !shown.contains("OF_SERVER"), "{shown}");
    assert!(!shown.contains("SHTASK_SOCKET"), "{shown}");
}

/// S11.5: what a killed server left behind is no obstacle.
#[test]
fn a_killed_server_is_followed_by_another() {
    let home = Home::new();
    done(&home, &["serve"]);
    let first = servers(&home).pop().expect("a server");
    kill(&first, rustix::process::Signal::KILL);
    until("its end", || servers(&home).is_empty());
    assert!(socket(&home).exists(), "its socket is still there");
    let none = shtask(&home, &["server", "status"]);
    assert_eq!(none.status.code(), Some(6), "asking starts none: {none:?}");
    assert!(text(&none.stderr).contains("hint: "), "{none:?}");
    done(&home, &["serve"]);
    let second = servers(&home).pop().expect("a server");
    assert_ne!(first.pid, second.pid);
    assert_eq!(status(&home)["pid"], second.pid);
}

/// Issue 4, item 2.
#[test]
fn a_socket_that_is_deleted_comes_back_with_the_same_server() {
    let home = Home::new();
    done(&home, &["serve"]);
    let server = servers(&home).pop().expect("a server");
    let folder = socket(&home).parent().expect("a folder").to_owned();
    let takes: [&dyn Fn(); 2] = [&|| std::fs::remove_file(socket(&home)).expect("removed"), &|| {
        // The server makes its socket anew at once, also in the middle of this.
        while std::fs::remove_dir_all(&folder).is_err_and(|error| error.kind() != std::io::ErrorKind::NotFound) {}
    }];
    for take in takes {
        take();
        // Somebody who comes just then starts none: the state directory has its server.
        done(&home, &["serve"]);
        assert_eq!(servers(&home).iter().map(|one| one.pid).collect::<Vec<_>>(), [server.pid]);
        assert_eq!(status(&home)["pid"], server.pid);
    }
}

/// S11.2, S11.5.
#[test]
fn a_server_that_cannot_be_started_is_explained() {
    let home = Home::new();
    let state = home.folder("state").join("shtask");
    std::fs::write(&state, "in the way").expect("a file");
    let output = shtask(&home, &["ls"]);
    assert_eq!(output.status.code(), Some(6), "{output:?}");
    let told = text(&output.stderr);
    assert!(told.contains(state.to_str().expect("text")) && told.contains("hint: "), "{told}");
    assert_eq!(servers(&home).len(), 0);
}

/// S7.2: the server ends its runs, then itself, and leaves nothing.
#[test]
fn stopping_the_server_ends_runs_and_server() {
    for by_signal in [false, true] {
        let home = Home::new();
        let marker = Marker::new();
        done(&home, &["run", "--", "sleep", &marker.to_string()]);
        assert_eq!(survivors(&marker).len(), 1);
        assert_eq!(status(&home)["live_runs"], 1);
        if by_signal {
            kill(&servers(&home).pop().expect("a server"), rustix::process::Signal::TERM);
        } else {
            done(&home, &["server", "stop"]);
        }
        until("the end of everything", || home.processes().iter().all(Process::is_zombie));
        assert_eq!(survivors(&marker), []);
        assert!(!socket(&home).exists());
    }
}

/// S9.1.
#[test]
fn a_path_too_long_for_a_socket_is_moved_to_a_short_private_one() {
    let home = Home::new();
    let long = home.folder("run").join("long".repeat(30));
    std::fs::create_dir(&long).expect("a folder");
    let call = |args: &[&str]| {
        let output = program(&home, args).env("XDG_RUNTIME_DIR", &long).output().expect("run");
        assert!(output.status.success(), "{output:?}");
        text(&output.stdout)
    };
    let socket = PathBuf::from(call(&["serve"]).trim_end());
    assert!(socket.as_os_str().len() < 60, "{socket:?}");
    let folder = socket.parent().expect("a folder").metadata().expect("a folder");
    assert_eq!(folder.permissions().mode() & 0o777, 0o700);
    let status: Value = serde_json::from_str(&call(&["server", "status", "--json"])).expect("json");
    assert_eq!(status["socket"], socket.to_str().expect("text"));
    call(&["server", "stop"]);
    until("its end", || !socket.exists());
    for ending in [".lock", ".lock.start"] {
        let mut path = OsString::from(&socket);
        path.push(ending);
        std::fs::remove_file(path).expect("removed");
    }
}

/// S9.1: a folder of shtask's own is not taken by way of a link, whoever starts the server.
#[test]
fn a_link_in_place_of_the_folder_of_the_socket_is_refused() {
    let home = Home::new();
    let elsewhere = home.work().join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("a folder");
    std::os::unix::fs::symlink(&elsewhere, socket(&home).parent().expect("a folder")).expect("a link");
    assert_eq!(shtask(&home, &["run", "--", "true"]).status.code(), Some(6));
    assert_eq!(std::fs::read_dir(&elsewhere).expect("a folder").count(), 0, "nothing was put there");
}
