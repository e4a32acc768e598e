//! `search` while it goes on (S6.6).

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::real::{Served, ended};

/// Makes the log of a finished run one that nobody has read to its end by the end of the day.
fn make_endless(served: &Served, reference: &str) {
    let run = reference.rsplit('/').next().expect("an id");
    let log = served.0.folder("state").join("shtask/logs").join(run).join("000001.stdout");
    let file = std::fs::File::options().write(true).open(&log).expect("the log");
    file.set_len(1 << 40).expect("a file with a hole");
}

#[test]
fn hits_are_printed_as_they_are_found() {
    let served = Served::new();
    let old = served.start(&["--wait", "echo old"]);
    served.start(&["--wait", "echo needle one; echo needle two"]);
    make_endless(&served, &old);
    let mut searching = served.command(&["search", "--all", "needle"]).stdout(Stdio::piped()).spawn().expect("started");
    let mut lines = BufReader::new(searching.stdout.take().expect("its output")).lines();
    for wanted in [":1: needle one", ":2: needle two"] {
        let line = lines.next().expect("a line").expect("text");
        assert!(line.ends_with(wanted), "{line}");
    }
    assert!(searching.try_wait().expect("its state").is_none(), "it goes on");
    searching.kill().expect("it is there");
    ended(searching);
}
