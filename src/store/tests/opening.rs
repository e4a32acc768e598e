//! The state directory: private, ours, one program at a time, and what happens to damage.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;

use super::make::{end, id, next, open_in, put, starting, store};
use crate::model::{ErrorCode, Failure, Status};
use crate::store::{OpenError, SqliteStore, StateFolder, StoreOptions};

#[test]
fn everything_in_the_state_directory_is_readable_by_its_owner_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("deep/state");
    let (mut store, _) = open_in(&state).expect("a store");
    end(&mut store, 1, Status::Completed);
    let mut seen = 0;
    for entry in fs::read_dir(&state).expect("entries") {
        let entry = entry.expect("an entry");
        let facts = entry.metadata().expect("facts");
        let mode = facts.permissions().mode() & 0o777;
        assert_eq!(mode, if facts.is_dir() { 0o700 } else { 0o600 }, "{entry:?}");
        seen += 1;
    }
    assert!(seen >= 4, "database, its log and index, lock, logs");
    for folder in [&state, &folder.path().join("deep")] {
        assert_eq!(fs::metadata(folder).expect("facts").permissions().mode() & 0o777, 0o700);
    }
}

#[test]
fn a_state_directory_that_others_can_read_is_made_private() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("it is ours");
    let _store = open_in(folder.path()).expect("a store");
    assert_eq!(fs::metadata(folder.path()).expect("facts").permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_link_in_place_of_the_directory_or_a_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let (target, link) = (folder.path().join("target"), folder.path().join("link"));
    fs::create_dir(&target).expect("a folder");
    symlink(&target, &link).expect("a link");
    assert!(matches!(open_in(&link), Err(OpenError::Untrusted { .. })));
    for name in ["lock", "records.db"] {
        let state = folder.path().join(format!("state-{name}"));
        fs::create_dir(&state).expect("a folder");
        let victim = folder.path().join(format!("victim-{name}"));
        fs::write(&victim, "precious").expect("a file");
        symlink(&victim, state.join(name)).expect("a link");
        assert!(matches!(open_in(&state), Err(OpenError::Untrusted { .. })), "{name}");
        assert_eq!(fs::read_to_string(&victim).expect("a file"), "precious");
    }
}

#[test]
fn the_second_program_is_told_who_holds_the_directory_and_since_when() {
    let (folder, store) = store();
    let error = open_in(folder.path()).err().expect("it is in use");
    let failure = Failure::from(error);
    assert_eq!(failure.code, ErrorCode::Conflict);
    assert!(failure.message.contains(&format!("process {}, since 2", std::process::id())), "{failure}");
    assert!(failure.hint.expect("a hint").contains("SHTASK_STATE_DIR"));
    drop(store);
    open_in(folder.path()).expect("it is free again");
}

#[test]
fn of_two_that_race_for_a_directory_one_wins() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().expect("a folder");
        let race = || open_in(folder.path());
        let (one, other) = std::thread::scope(|scope| {
            let (one, other) = (scope.spawn(race), scope.spawn(race));
            (one.join().expect("no panic"), other.join().expect("no panic"))
        });
        assert!(one.is_ok() != other.is_ok());
        let lost = one.err().or(other.err()).expect("one lost");
        assert!(matches!(lost, OpenError::InUse { .. }), "{lost}");
    }
}

#[test]
fn a_damaged_database_is_set_aside_with_a_message_and_the_rest_goes_on() {
    for damage in
        [&b"no database at all, but a text that is long enough to be taken for a head of one ......... "[..], b"x"]
    {
        let (folder, mut store) = store();
        end(&mut store, 1, Status::Completed);
        drop(store);
        let path = folder.path().join("records.db");
        fs::write(&path, damage.repeat(200)).expect("it is ours");
        let (mut store, found) = open_in(folder.path()).expect("a new one is begun");
        assert_eq!(found.notices.len(), 1, "{found:?}");
        assert!(found.notices[0].contains("records.db.damaged-"), "{found:?}");
        let aside = fs::read_dir(folder.path()).expect("entries").flatten();
        let aside = aside.filter(|entry| entry.file_name().to_string_lossy().starts_with("records.db.damaged-"));
        assert_eq!(aside.map(|entry| fs::read(entry.path()).expect("kept")).collect::<Vec<_>>(), [damage.repeat(200)]);
        end(&mut store, 1, Status::Completed);
    }
}

#[test]
fn a_page_that_was_overwritten_is_found_after_a_crash() {
    let (folder, mut store) = store();
    for number in 0..200 {
        end(&mut store, number, Status::Completed);
    }
    drop(store);
    let path = folder.path().join("records.db");
    let mut bytes = fs::read(&path).expect("a database");
    let middle = bytes.len() / 4096 / 2 * 4096;
    bytes[middle..middle + 4096].fill(0x5a);
    fs::write(&path, bytes).expect("it is ours");
    // As a program leaves it that was killed.
    fs::write(folder.path().join("lock"), "process 1, since then").expect("it is ours");
    let (_store, found) = open_in(folder.path()).expect("a new one is begun");
    assert_eq!(found.notices.len(), 1, "{found:?}");
}

#[test]
fn records_of_an_unknown_version_are_refused_and_left_as_they_are() {
    let (folder, mut store) = store();
    end(&mut store, 1, Status::Completed);
    drop(store);
    let path = folder.path().join("records.db");
    for (pragma, value) in [("user_version", 99), ("user_version", -1), ("application_id", 5)] {
        let set = |value: i64| {
            let connection = rusqlite::Connection::open(&path).expect("a database");
            let before: i64 = connection.pragma_query_value(None, pragma, |row| row.get(0)).expect("a number");
            connection.pragma_update(None, pragma, value).expect("it is set");
            before
        };
        let before = set(value);
        let bytes = fs::read(&path).expect("a database");
        let failure = Failure::from(open_in(folder.path()).err().expect("it is refused"));
        assert!(failure.message.contains("records.db"), "{failure}");
        assert!(failure.hint.is_some());
        assert_eq!(fs::read(&path).expect("a database"), bytes, "nothing was changed");
        set(before);
    }
    let (store, _) = open_in(folder.path()).expect("it is sound");
    assert!(store.records().get(id(1)).expect("read").is_some());
}

#[test]
fn a_database_of_another_program_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = rusqlite::Connection::open(folder.path().join("records.db")).expect("a database");
    other.execute_batch("CREATE TABLE mine (x); INSERT INTO mine VALUES (1);").expect("a table");
    drop(other);
    assert!(matches!(open_in(folder.path()), Err(OpenError::UnknownSchema { .. })));
}

#[test]
fn active_records_of_a_dead_program_become_final_and_say_what_is_still_alive() {
    let (folder, mut store) = store();
    for number in 0..3 {
        put(&mut store, &starting(number)).expect("stored");
    }
    for number in [1, 2] {
        let mut running = next(&starting(number), Status::Running);
        running.process.as_mut().expect("a process").pid = i32::try_from(number).expect("small");
        put(&mut store, &running).expect("stored");
    }
    let mut queued = starting(9);
    queued.status = Status::Queued;
    put(&mut store, &queued).expect("stored");
    drop(store);
    let state = Arc::new(StateFolder::open(folder.path()).expect("the folder"));
    let (store, found) = SqliteStore::open(Arc::clone(&state), StoreOptions::default(), &|_, process| process.pid == 2)
        .expect("a store");
    let seen: Vec<_> = found.recovered.iter().map(|r| (r.record.id, r.record.status, r.is_alive)).collect();
    assert_eq!(
        seen,
        [
            (id(0), Status::Orphaned, false),
            (id(1), Status::Orphaned, false),
            (id(2), Status::Orphaned, true),
            (id(9), Status::Failed, false),
        ]
    );
    let message = |place: usize| found.recovered[place].record.failure.as_ref().expect("a message").message.clone();
    assert!(message(0).contains("not known") && message(1).contains("gone") && message(2).contains("still alive"));
    assert_eq!(store.records().orphaned(Some(&super::make::session()), 10).expect("a list").len(), 3);
    drop(store);
    let (_, found) = SqliteStore::open(state, StoreOptions::default(), &|_, _| true).expect("a store");
    assert!(found.recovered.is_empty(), "there is one final record");
}

#[test]
fn a_full_database_refuses_writes_keeps_what_it_has_and_goes_on_when_there_is_room() {
    let (folder, mut store) = store();
    end(&mut store, 1, Status::Completed);
    drop(store);
    // A limit of pages stands in for a full disk; it belongs to a connection, so a second one stands in for the writer.
    let path = folder.path().join("records.db");
    let connection = rusqlite::Connection::open(&path).expect("a database");
    let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0)).expect("a number");
    connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).expect("it is set");
    let mut record = starting(2);
    record.command = "x".repeat(100_000);
    assert!(matches!(crate::store::rows::put(&connection, &record), Err(crate::store::StoreError::Medium { .. })));
    connection.pragma_update_and_check(None, "max_page_count", 1_000_000, |_| Ok(())).expect("it is set");
    crate::store::rows::put(&connection, &record).expect("there is room again");
    drop(connection);
    let (store, found) = open_in(folder.path()).expect("it is sound");
    assert!(found.notices.is_empty());
    assert!(store.records().get(id(1)).expect("read").is_some());
}

/// Changes a row behind the store's back.
fn meddle(path: &std::path::Path, sql: &str) {
    let connection = rusqlite::Connection::open(path.join("records.db")).expect("a database");
    connection.execute_batch("DROP TRIGGER runs_change; PRAGMA foreign_keys = off;").expect("it is ours");
    connection.execute_batch(sql).expect("it is ours");
    let trigger = "CREATE TRIGGER runs_change BEFORE UPDATE ON runs WHEN 0 BEGIN SELECT 1; END;";
    connection.execute_batch(trigger).expect("it is ours");
}

#[test]
fn a_record_of_an_unknown_schema_is_refused_with_a_hint_and_left_as_it_is() {
    let (folder, mut store) = store();
    put(&mut store, &starting(1)).expect("stored");
    end(&mut store, 2, Status::Completed);
    drop(store);
    meddle(folder.path(), "UPDATE runs SET record = json_set(record, '$.schema', 99)");
    let (store, found) = open_in(folder.path()).expect("the rest can be used");
    assert!(found.recovered.is_empty(), "what is not understood is not changed");
    assert!(found.notices[0].contains("schema 99") && found.notices[0].contains("newer shtask"), "{found:?}");
    let error = store.records().get(id(2)).expect_err("it is not understood").to_string();
    assert!(error.contains("schema 99"), "{error}");
    let connection = rusqlite::Connection::open(folder.path().join("records.db")).expect("a database");
    let kept = "SELECT count(*) FROM runs WHERE json_extract(record, '$.schema') = 99";
    assert_eq!(connection.query_row(kept, [], |row| row.get::<_, i64>(0)).expect("a count"), 2);
}

#[test]
fn a_record_that_names_a_path_in_place_of_a_run_reaches_nothing_outside_its_folder() {
    let (folder, mut store) = store();
    end(&mut store, 1, Status::Completed);
    drop(store);
    let outside = folder.path().join("precious");
    fs::create_dir(&outside).expect("a folder");
    fs::write(outside.join("000001.pty"), "precious").expect("a file");
    fs::create_dir(folder.path().join("logs/not a run")).expect("a folder");
    meddle(folder.path(), "UPDATE runs SET id = '../precious'; DELETE FROM outputs");
    let (store, _) = open_in(folder.path()).expect("it is sound");
    let (done_tx, done_rx) = std::sync::mpsc::channel();
    let nothing = crate::store::Retention { runs: 0, age: std::time::Duration::ZERO };
    store.prune_to(nothing, Box::new(move |pruned| done_tx.send(pruned).expect("it waits")));
    done_rx.recv().expect("an answer").expect("pruned");
    assert_eq!(fs::read_to_string(outside.join("000001.pty")).expect("it is there"), "precious");
    assert!(folder.path().join("logs/not a run").is_dir(), "what is not called like a run is left alone");
}
