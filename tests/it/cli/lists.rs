//! The list over the death, the upgrade and the restart of the server.

use serde_json::Value;

use super::lost::kill_server;
use super::real::{Served, text};

/// What `ls` shows: names, statuses and exit codes.
fn listed(served: &Served) -> Vec<(String, String, Option<i64>)> {
    let list: Value = serde_json::from_str(&served.done(&["ls", "--json"])).expect("json");
    let runs = list["runs"].as_array().expect("runs").iter();
    let word = |run: &Value, key: &str| run[key].as_str().unwrap_or_default().to_owned();
    runs.map(|run| (word(run, "name"), word(run, "status"), run["exit_code"].as_i64())).collect()
}

#[test]
fn what_has_ended_is_listed_after_the_server_was_killed_upgraded_or_stopped() {
    let served = Served::new();
    served.start(&["--name", "good", "--", "true"]);
    served.start(&["--name", "bad", "--pty", "--", "sh", "-c", "echo why; exit 3"]);
    served.start(&["--name", "live", "--", "sleep", "1000"]);
    for (run, code) in [("good", 0), ("bad", 3)] {
        assert_eq!(served.verb(&["wait", run]).status.code(), Some(code));
    }
    let line = |name: &str, status: &str, code| (name.to_owned(), status.to_owned(), code);
    let ended = [line("good", "completed", Some(0)), line("bad", "failed", Some(3))];
    let with_live = [&ended[..], &[line("live", "running", None)]].concat();
    assert_eq!(listed(&served), with_live);
    kill_server(&served);
    assert_eq!(listed(&served), with_live);
    served.done(&["server", "upgrade"]);
    assert_eq!(listed(&served), with_live);
    served.done(&["server", "stop"]);
    assert_eq!(listed(&served), [&ended[..], &[line("live", "cancelled", Some(130))]].concat());
    // What was looked at is no news, and still there.
    assert!(served.done(&["read", "bad"]).contains("why"));
    kill_server(&served);
    assert_eq!(listed(&served), [ended[0].clone(), line("live", "cancelled", Some(130))]);
    assert!(served.done(&["ls", "--all"]).contains("bad"));
}

/// The one line that a run printed.
fn printed(served: &Served, run: &str) -> String {
    served.verb(&["wait", run]);
    served.done(&["logs", run])
}

#[test]
fn what_an_earlier_server_has_started_is_started_again_from_its_record() {
    let served = Served::new();
    std::fs::create_dir(served.0.work().join("folder")).expect("a folder");
    served.0.write("folder/here", "");
    let line = "ls; echo $PORT $SHTASK_GENERATION $MINE; exit 3";
    let mut first =
        served.command(&["run", "--name", "web", "--cwd", "folder", "--env", "PORT=3000", "--", "sh", "-c", line]);
    assert!(first.env("MINE", "first").output().expect("the program starts").status.success());
    assert_eq!(printed(&served, "web"), "here\n3000 1 first\n");
    kill_server(&served);
    served.done(&["ls"]);
    let again = served.command(&["restart", "web"]).env("MINE", "second").output().expect("the program starts");
    assert!(again.status.success(), "{again:?}");
    // What was asked for is as it was; the rest of the environment is that of who asks.
    assert_eq!(printed(&served, "web:2"), "here\n3000 2 second\n");
    served.start(&["--name", "fed", "--stdin", "folder/here", "--", "cat"]);
    served.start(&["--name", "secret", "--env", "API_TOKEN=hunter2hunter2", "--", "true"]);
    for name in ["fed", "secret"] {
        served.done(&["wait", name]);
    }
    kill_server(&served);
    for (name, why) in [("fed", "standard input"), ("secret", "secrets")] {
        let refused = served.verb(&["restart", name]);
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        assert!(text(&refused.stderr).contains(why), "{refused:?}");
    }
    let shown = served.done(&["show", "secret", "--json"]);
    assert!(!shown.contains("hunter2") && shown.contains("API_TOKEN"), "{shown}");
}
