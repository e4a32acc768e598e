//! What stands in the way of a verb: arguments that are no text, no home, a file in the place of a folder, an output that takes nothing (S11.1, S11.2).

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::os::unix::ffi::OsStrExt;
use std::process::{Output, Stdio};

use super::real::{Served, text};

#[test]
fn an_argument_that_is_no_text_is_named() {
    let served = Served::new();
    for words in [&["man"][..], &["show"], &["--session"], &["write", "web", "--text"], &["history"]] {
        let output = served.command(words).arg(OsStr::from_bytes(b"a\xff")).output().expect("the program starts");
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {err}");
        assert!(err.starts_with("error: \"a\\xFF\" is no UTF-8 text\nhint: "), "{words:?}: {err}");
    }
}

#[test]
fn a_configuration_that_cannot_be_found_says_where_to_look() {
    let served = Served::new();
    let path = served.verb(&["config", "path"]);
    assert_eq!((path.status.code(), text(&path.stdout)), (Some(0), String::new()));
    assert_eq!(text(&path.stderr), "no file was read: the defaults are in force\n");
    assert_eq!(served.done(&["config", "path", "--json"]).matches(r#""files":[]"#).count(), 1);
    for (variable, value, hint) in [
        ("SHTASK_STATE_DIR", "relative", "hint: such as /home/you/.local/state/shtask; unset, it is found from HOME"),
        ("SHTASK_CONFIG", "none.toml", "hint: look at its path and at its rights"),
    ] {
        let output = served.command(&["config", "check"]).env(variable, value).output().expect("the program starts");
        let err = text(&output.stderr);
        assert!(output.status.code() == Some(2) && err.contains(hint), "{err}");
    }
}

#[test]
fn a_file_in_the_place_of_the_state_directory_is_called_one_by_the_doctor() {
    let served = Served::new();
    let file = served.0.write("file", "");
    let look = |dir: &OsStr| {
        let output = served.command(&["doctor"]).env("SHTASK_STATE_DIR", dir).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        text(&output.stdout)
    };
    for dir in [file.clone(), file.join("state")] {
        let found = look(dir.as_os_str());
        assert!(found.contains(&format!("{} is not a folder", file.display())), "{found}");
    }
    let found = look(OsStr::new("relative"));
    assert!(found.contains("SHTASK_STATE_DIR: must be an absolute path"), "{found}");
}

fn full(served: &Served, words: &[&str]) -> Output {
    let full = OpenOptions::new().write(true).open("/dev/full").expect("a device");
    served.command(words).stdout(full).stderr(Stdio::piped()).output().expect("the program starts")
}

/// A verb whose output is a pipe that nobody reads any more.
fn unread(served: &Served, words: &[&str]) -> Output {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    served.command(words).stdout(writer).stderr(Stdio::piped()).output().expect("the program starts")
}

/// S11.2: the code is the run's, whoever reads what is printed beside it.
#[test]
fn the_exit_code_of_a_run_does_not_depend_on_a_reader() {
    let served = Served::new();
    served.verb(&["run", "--wait", "--name", "job", "exit 3"]);
    for words in [
        &["run", "--wait", "exit 3"][..],
        &["run", "--wait", "--json", "exit 3"],
        &["run", "--foreground", "--json", "exit 3"],
        &["wait", "job"],
        &["wait", "job", "--json"],
    ] {
        let output = unread(&served, words);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(3), String::new()), "{words:?}");
        let output = full(&served, words);
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(125), "{words:?}: {err}");
        assert!(err.contains("the output could not be written: No space left on device"), "{words:?}: {err}");
    }
}

/// S7.6: a run that was started is not lost with its ref.
#[test]
fn a_run_whose_ref_could_not_be_printed_is_named_by_the_error() {
    let served = Served::new();
    let output = full(&served, &["run", "--name", "web", "--", "sleep", "60"]);
    let err = text(&output.stderr);
    let run = served.done(&["ls", "--quiet"]);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.ends_with(&format!("hint: the run was started all the same: {run}")), "{err}");
    let output = full(&served, &["run", "--json", "--", "sleep", "60"]);
    assert!(text(&output.stderr).contains(r#""effects":"pending""#), "{output:?}");
}
