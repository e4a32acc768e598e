//! What a list shows is what the next program's shows: an ended run leaves it by being cleared, or for newer ones.

use std::collections::BTreeMap;

use shtask::api::{HistoryRows, SearchRequest, SearchScope, Update, View};
use shtask::model::{ErrorCode, Frame, Guard, RunId, Size, Status};

use super::ground::{Program, Setup, pty, run, sh, until, within};

/// What is in the list, in its order.
async fn listed(program: &Program) -> Vec<(RunId, Status)> {
    match within("a table", program.client.subscribe().next()).await {
        Some(Update::Resync(views)) => views.into_iter().map(|view| (view.id(), view.record.status)).collect(),
        other => panic!("a table was expected, not {other:?}"),
    }
}

/// Starts a run, and waits until its end is on record.
async fn ended(program: &Program, spec: shtask::model::RunSpec) -> RunId {
    let run = program.start_run(spec).await;
    program.ended(run).await;
    run
}

fn text(frame: &Frame) -> String {
    frame.rows.iter().map(|row| row.text() + "\n").collect()
}

#[test]
fn the_list_of_the_next_program_has_what_had_ended_and_was_not_cleared() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let good = ended(&program, sh("echo fine")).await;
        let bad = ended(&program, pty("exit 3")).await;
        let cleared = ended(&program, sh("exit 4")).await;
        within("an answer", program.client.forget(cleared)).await.expect("cleared");
        // As by SIGKILL: what was answered is true.
        program.die().await;
        for _ in 0..2 {
            let program = Program::start(state.path(), Setup::default()).expect("a program");
            assert_eq!(listed(&program).await, [(good, Status::Completed), (bad, Status::Failed)]);
            assert_eq!(
                within("a look", program.client.inspect(bad)).await.expect("a look").view.record.exit_code,
                Some(3)
            );
            program.leave().await;
        }
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let mut feed = program.client.subscribe();
        assert!(matches!(within("a table", feed.next()).await, Some(Update::Resync(_))));
        let stale = program.client.guarded(Guard { generation: Some(7), ..Guard::default() });
        assert_eq!(within("an answer", stale.forget(bad)).await.expect_err("another one").code, ErrorCode::Stale);
        within("an answer", program.client.forget(bad)).await.expect("cleared");
        assert!(matches!(within("a word", feed.next()).await, Some(Update::Removed(run)) if run == bad));
        let again = within("an answer", program.client.forget(bad)).await.expect_err("it is in no list");
        assert_eq!(again.code, ErrorCode::NotFound);
        program.die().await;
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        assert_eq!(listed(&program).await, [(good, Status::Completed)]);
        program.leave().await;
    });
}

#[test]
fn no_more_than_kept_runs_of_a_session_are_listed_by_this_program_and_the_next_and_the_newest_are() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let program = Program::start(state.path(), Setup { kept_runs: 3, ..Setup::default() }).expect("a program");
        let mut runs = Vec::new();
        for _ in 0..4 {
            runs.push(ended(&program, sh("true")).await);
        }
        let names = |list: Vec<(RunId, Status)>| list.into_iter().map(|(run, _)| run).collect::<Vec<_>>();
        assert_eq!(names(listed(&program).await), runs[1..]);
        program.leave().await;
        let program = Program::start(state.path(), Setup { kept_runs: 3, ..Setup::default() }).expect("a program");
        assert_eq!(names(listed(&program).await), runs[1..]);
        runs.push(ended(&program, sh("true")).await);
        assert_eq!(names(listed(&program).await), runs[2..], "those of the program before leave first");
        program.leave().await;
        let program = Program::start(state.path(), Setup { kept_runs: 2, ..Setup::default() }).expect("a program");
        assert_eq!(names(listed(&program).await), runs[3..]);
        program.leave().await;
        // What has left comes back by no larger bound.
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        assert_eq!(names(listed(&program).await), runs[3..]);
        program.leave().await;
    });
}

#[test]
fn what_an_earlier_program_had_in_its_list_is_read_searched_counted_and_marked_as_before() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let named =
            shtask::model::RunSpec { name: Some("web".parse().expect("a name")), ..sh("echo a needle; exit 3") };
        let bad = ended(&program, named).await;
        program.die().await;
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let found = within("a ref", program.client.resolve("web".parse().expect("a ref"))).await.expect("found");
        assert_eq!((found.id, found.observed_at), (bad, None));
        let request = SearchRequest {
            pattern: "needle".to_owned(),
            is_regex: false,
            ignore_case: false,
            scope: SearchScope::Run(bad),
            limit: 10,
            after: None,
            newest: None,
        };
        let results = within("a search", program.client.search(request).whole()).await.expect("results");
        assert_eq!(results.hits.len(), 1);
        assert_eq!(program.read_log(bad, 0, None).await.bytes, b"a needle\n");
        let reading = within("a reading", program.client.read(bad, 1000)).await.expect("a reading");
        assert_eq!(reading.parts[0].text, "a needle\n");
        until("it is marked as read", || program.stored(bad).is_some_and(|record| record.observed_at.is_some())).await;
        let counts: BTreeMap<String, usize> = within("counts", program.sessions()).await;
        assert_eq!(counts, [("store-test".to_owned(), 1)].into());
        program.leave().await;
    });
}

#[test]
fn the_last_screen_of_an_earlier_programs_run_is_shown_with_its_colours_and_scrollback() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let terminal = ended(&program, pty("seq 1 100; printf '\\033[31mred\\033[m end'")).await;
        let pipes = ended(&program, sh("seq 1 100; echo bad >&2")).await;
        let view = View { size: Size::clamped(80, 24) };
        let watch = async |program: &Program, run| {
            let mut watch = within("a watch", program.client.watch(run, view)).await.expect("it can be looked at");
            let frame = watch.newest();
            assert!(!within("the end", watch.changed()).await, "nothing follows");
            let HistoryRows { span, rows, .. } =
                within("rows", program.client.history(run, 0, 1000)).await.expect("rows");
            (text(&frame), frame.rows.clone(), span, rows)
        };
        let before = [watch(&program, terminal).await, watch(&program, pipes).await];
        program.die().await;
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let after = [watch(&program, terminal).await, watch(&program, pipes).await];
        assert!(before[0].0.contains("red end") && before[1].0.contains("bad"), "{before:?}");
        assert_eq!(after, before);
        // More than are kept at hand are looked at as well.
        let more: Vec<RunId> = {
            let mut more = Vec::new();
            for number in 0..9 {
                more.push(ended(&program, sh(&format!("echo number {number}"))).await);
            }
            more
        };
        program.die().await;
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        for _ in 0..2 {
            for (number, run) in more.iter().enumerate() {
                let shown = watch(&program, *run).await.0;
                assert!(shown.contains(&format!("number {number}")), "{shown}");
            }
        }
        // Without its log the record stands in.
        std::fs::remove_dir_all(program.logs.join(more[0].as_str())).expect("removed");
        std::fs::remove_dir_all(program.logs.join(terminal.as_str())).expect("removed");
        program.die().await;
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        assert!(watch(&program, more[0]).await.0.contains("number 0"));
        let (shown, _, span, _) = watch(&program, terminal).await;
        assert!(shown.contains("red end") && span.end > span.first, "{shown}");
        let other = program.client_of("other");
        assert_eq!(within("an answer", other.forget(terminal)).await.expect_err("not its").code, ErrorCode::NotFound);
        assert!(within("an answer", other.watch(terminal, view)).await.is_err());
        assert!(within("an answer", other.inspect(terminal)).await.is_err());
        drop(other);
        assert_eq!(listed(&program).await.len(), 11, "nobody else takes it out of the list");
        program.leave().await;
    });
}

#[test]
fn a_run_that_was_pruned_leaves_the_list_when_somebody_looks_at_it() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let run = ended(&program, sh("true")).await;
        program.die().await;
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        assert_eq!(listed(&program).await.len(), 1);
        let connection = rusqlite::Connection::open(state.path().join("records.db")).expect("a database");
        connection.pragma_update(None, "foreign_keys", true).expect("set");
        assert_eq!(connection.execute("DELETE FROM runs", []).expect("deleted"), 1);
        let gone = within("an answer", program.client.inspect(run)).await.expect_err("it is gone");
        assert_eq!(gone.code, ErrorCode::NotFound);
        let mut left = listed(&program).await;
        while !left.is_empty() {
            left = listed(&program).await;
        }
        program.leave().await;
    });
}
