//! The list over the death, the upgrade and the restart of the server.

use serde_json::Value;

use super::lost::kill_server;
use super::real::Served;

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
