//! Reading and looking (S6.1, S6.2).

use std::sync::Arc;

use shtask::api::{PartName, Update};
use shtask::model::{ErrorCode, Limits, Status};

use super::ground::{Ground, on_every_ground};

on_every_ground!(
    a_read_returns_the_tail_of_each_stream_within_its_limit_and_says_what_was_cut,
    a_read_of_a_terminal_has_the_screen_first_and_then_the_newest_scrollback,
    a_read_marks_a_final_run_observed_once_and_a_look_never_does,
    a_read_sees_what_was_written_before_it_was_asked_for,
    a_look_has_the_tree_and_the_bytes,
    the_list_has_the_newest_runs_and_forgets_on_request,
);

/// S6.1.
async fn a_read_returns_the_tail_of_each_stream_within_its_limit_and_says_what_was_cut(ground: Arc<Ground>) {
    let record = ground.outcome(ground.sh("seq 1 10000; echo small >&2; printf '[cut here]\\n' >&2")).await;
    let reading = ground.client.read(record.id, 1000).await.expect("a reading");
    let [out, err] = &reading.parts[..] else { panic!("two parts: {reading:?}") };
    assert_eq!((out.name, out.cut, err.name, err.cut), (PartName::Stdout, true, PartName::Stderr, false));
    assert!(out.text.len() <= 1000 && out.text.ends_with("9999\n10000\n"), "{}", out.text);
    assert_eq!(out.text.lines().next().expect("a line").len(), 4, "from a line start on");
    assert_eq!(err.text, "small\n[cut here]\n", "no output can forge a mark: it is no text");
    for limit in [0, Limits::MAX_READ_BYTES + 1] {
        let failure = ground.client.read(record.id, limit).await.expect_err("out of range");
        assert_eq!(failure.code, ErrorCode::Invalid);
    }
    let reading = ground.client.read(record.id, Limits::MAX_READ_BYTES).await.expect("a reading");
    assert_eq!((reading.parts[0].cut, reading.parts[0].text.lines().count()), (false, 10_000));
}

/// S6.1.
async fn a_read_of_a_terminal_has_the_screen_first_and_then_the_newest_scrollback(ground: Arc<Ground>) {
    let line = r"seq 1 500; printf '\033[?1049h\033[Hin the other'; sleep 0.1; printf '\033[?1049lafter'";
    let record = ground.outcome(ground.pty(line)).await;
    let reading = ground.client.read(record.id, 200).await.expect("a reading");
    let names: Vec<PartName> = reading.parts.iter().map(|part| part.name).collect();
    assert_eq!(names, [PartName::Screen, PartName::Alternate, PartName::Scrollback]);
    let [screen, alternate, scrollback] = &reading.parts[..] else { panic!("three") };
    assert!(screen.text.ends_with("500\nafter") && !screen.cut, "{screen:?}");
    assert!(alternate.text.contains("in the other"), "{alternate:?}");
    assert!(scrollback.cut && scrollback.text.len() <= 200, "{scrollback:?}");
    assert!(scrollback.text.trim_end().ends_with("477"), "the newest: {scrollback:?}");
}

/// S6.1, S6.2.
async fn a_read_marks_a_final_run_observed_once_and_a_look_never_does(ground: Arc<Ground>) {
    let run = ground.start(ground.sh("echo x; until [ -e go ]; do sleep 0.01; done")).await;
    ground.until_shown(run, "x").await;
    let reading = ground.client.read(run, 100).await.expect("a reading");
    assert_eq!(reading.record.observed_at, None, "a live run is not observed");
    std::fs::write(ground.dir.path().join("go"), "").expect("a file");
    let record = ground.ended(run).await;
    let look = async || ground.client.inspect(run).await.expect("a look").view.record;
    assert_eq!((look().await.observed_at, look().await.revision), (None, record.revision));
    let first = ground.client.read(run, 100).await.expect("a reading").record;
    assert!(first.observed_at.is_some() && first.revision == record.revision + 1);
    let second = ground.client.read(run, 100).await.expect("a reading").record;
    assert_eq!(second, first, "it is set once");
    assert_eq!(look().await, first);
}

/// S6.1: the snapshot is taken at a cut.
async fn a_read_sees_what_was_written_before_it_was_asked_for(ground: Arc<Ground>) {
    let file = ground.dir.path().join("written");
    for spec in [
        ground.sh("echo the text; touch written; exec sleep 100"),
        ground.pty("echo the text; touch written; exec sleep 100"),
    ] {
        let run = ground.start(spec).await;
        super::ground::until("written", || file.exists()).await;
        let reading = ground.client.read(run, 1000).await.expect("a reading");
        assert_eq!(reading.parts[0].text.trim_end(), "the text");
        ground.kill(run).await;
        std::fs::remove_file(&file).expect("removed");
    }
}

/// S6.2.
async fn a_look_has_the_tree_and_the_bytes(ground: Arc<Ground>) {
    let run = ground.start(ground.pty("stty -echo; echo 12345678; sleep 100 & exec sleep 100")).await;
    ground.until_shown(run, "12345678").await;
    ground.type_text(run, "abc").await;
    let mut look = None;
    let end = std::time::Instant::now() + super::ground::DEADLINE;
    while look.is_none() {
        assert!(std::time::Instant::now() < end, "two sleeps");
        let found = ground.client.inspect(run).await.expect("a look");
        look = Some(found).filter(|look| look.processes.iter().filter(|process| process.name == "sleep").count() == 2);
    }
    let look = look.expect("found");
    let root = look.view.record.process.as_ref().expect("a process").pid;
    assert_eq!(look.processes[0].pid, root, "parents come first");
    assert_eq!(Some(look.processes[0].parent), look.holder_pid);
    assert_eq!((look.bytes.input, look.bytes.output, look.bytes.error), (3, 10, 0));
    assert_eq!(look.cuts, 1);
    ground.kill(run).await;
    let look = ground.client.inspect(run).await.expect("a look");
    assert_eq!((look.processes.len(), look.holder_pid, look.bytes.output), (0, None, 10));
}

/// The table of runs.
async fn the_list_has_the_newest_runs_and_forgets_on_request(ground: Arc<Ground>) {
    let live = ground.start(ground.sh("exec sleep 100")).await;
    let failure = ground.client.forget(live).await.expect_err("it is live");
    assert_eq!(failure.code, ErrorCode::Conflict);
    assert_eq!(ground.stop(live).await.status, Status::Cancelled);
    ground.client.forget(live).await.expect("forgotten");
    let failure = ground.client.forget(live).await.expect_err("it is in no list any more");
    assert_eq!(failure.code, ErrorCode::NotFound);
    let few = ground.another(Limits { kept_runs: 2, ..Limits::default() });
    let mut runs = Vec::new();
    for _ in 0..4 {
        runs.push(few.outcome(few.sh("echo x")).await.id);
    }
    let Some(Update::Resync(listed)) = few.client.subscribe().next().await else { panic!("the table comes first") };
    let listed: Vec<_> = listed.iter().map(|view| view.id()).collect();
    assert_eq!(listed, runs[2..], "the oldest go first");
    few.end().await;
}
