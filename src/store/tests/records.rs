//! Records: transitions, revisions, order, looking them up.

use std::sync::{Arc, mpsc};
use std::time::Instant;

use jiff::Timestamp;

use super::make::{end, id, next, open_in, printed, put, session, starting, store};
use crate::model::{Record, Status};
use crate::store::{MemoryStore, Store, StoreError};

#[test]
fn every_transition_is_taken_or_refused_as_s2_1_says_it() {
    let (_folder, mut store) = store();
    let mut number = 0;
    for from in Status::ALL {
        for to in Status::ALL {
            number += 1;
            let mut record = starting(number);
            if from == Status::Queued {
                record.status = Status::Queued;
            }
            put(&mut store, &record).expect("a beginning");
            let path: &[Status] = match from {
                Status::Queued | Status::Starting => &[],
                Status::Running => &[Status::Running],
                Status::Completed | Status::Failed | Status::TimedOut | Status::Cancelled | Status::Orphaned => {
                    &[Status::Running, from]
                }
            };
            for step in path {
                record = next(&record, *step);
                put(&mut store, &record).expect("a step of the way");
            }
            let result = put(&mut store, &next(&record, to));
            let allowed = from.may_become(to) || (from == to && !from.is_final());
            assert_eq!(result.is_ok(), allowed, "{from:?} → {to:?}: {result:?}");
        }
    }
}

#[test]
fn a_record_begins_as_queued_or_starting_with_revision_1() {
    let (_folder, mut store) = store();
    let running = next(&starting(1), Status::Running);
    assert!(matches!(put(&mut store, &running), Err(StoreError::Transition { from: None, .. })));
    let late = Record { revision: 2, ..starting(1) };
    assert_eq!(put(&mut store, &late), Err(StoreError::Revision { run: id(1), kept: 0, offered: 2 }));
}

#[test]
fn a_revision_that_comes_twice_or_is_left_out_is_refused() {
    let (_folder, mut store) = store();
    let first = starting(1);
    put(&mut store, &first).expect("a beginning");
    assert!(put(&mut store, &first).is_err());
    let running = next(&first, Status::Running);
    let skipped = Record { revision: 5, ..running.clone() };
    assert_eq!(put(&mut store, &skipped), Err(StoreError::Revision { run: id(1), kept: 1, offered: 5 }));
    put(&mut store, &running).expect("it follows");
}

#[test]
fn a_final_record_changes_once_when_it_is_observed_and_never_again() {
    let (_folder, mut store) = store();
    let last = end(&mut store, 1, Status::Completed);
    let changed = Record { command: "other".into(), ..next(&last, Status::Completed) };
    assert!(put(&mut store, &changed).is_err(), "not without being observed");
    let at = Some(Timestamp::now());
    let both = Record { observed_at: at, ..changed };
    assert!(put(&mut store, &both).is_err(), "the database lets nothing else change with it");
    let observed = Record { observed_at: at, revision: last.revision + 1, ..last.clone() };
    put(&mut store, &observed).expect("once");
    let again = Record { revision: observed.revision + 1, ..observed.clone() };
    assert!(put(&mut store, &again).is_err());
    assert_eq!(store.records().get(id(1)).expect("read"), Some(observed));
}

#[test]
fn what_a_final_status_implies_is_enforced_by_the_database() {
    let (_folder, mut store) = store();
    type Spoil = fn(&mut Record);
    let wrong: [(Status, Spoil); 6] = [
        (Status::Completed, |r| r.exit_code = Some(1)),
        (Status::Failed, |r| r.exit_code = Some(0)),
        (Status::Failed, |r| r.exit_code = None),
        (Status::TimedOut, |r| r.exit_code = Some(130)),
        (Status::Cancelled, |r| r.exit_code = None),
        (Status::Orphaned, |r| r.failure = None),
    ];
    for (number, (status, spoil)) in (1..).zip(wrong) {
        let first = starting(number);
        let running = next(&first, Status::Running);
        put(&mut store, &first).expect("a beginning");
        put(&mut store, &running).expect("a step");
        let mut record = next(&running, status);
        spoil(&mut record);
        assert!(matches!(put(&mut store, &record), Err(StoreError::Medium { .. })), "{status:?}");
        put(&mut store, &next(&running, status)).expect("without the fault it is taken");
    }
}

#[test]
fn writes_are_applied_in_order_and_answered_once_each() {
    let (_folder, mut store) = store();
    let (done_tx, done_rx) = mpsc::channel();
    let mut put = |record: Record| {
        let done_tx = done_tx.clone();
        let key = (record.id, record.revision);
        store.put(Arc::new(record), Box::new(move |result| done_tx.send((key, result)).expect("it waits")));
    };
    let mut expected = Vec::new();
    for number in 0..200 {
        let mut record = starting(number);
        put(record.clone());
        record = next(&record, Status::Running);
        put(record.clone());
        record = printed(&record, "a line\n");
        put(record.clone());
        record = next(&record, Status::Completed);
        put(record);
        expected.extend((1..=4).map(|revision| (id(number), revision)));
    }
    let answers: Vec<_> = (0..expected.len()).map(|_| done_rx.recv().expect("an answer")).collect();
    assert!(answers.iter().all(|(_, result)| result.is_ok()));
    assert_eq!(answers.into_iter().map(|(key, _)| key).collect::<Vec<_>>(), expected);
}

#[test]
fn a_refused_write_spoils_no_other_of_its_transaction() {
    let (_folder, mut store) = store();
    let (done_tx, done_rx) = mpsc::channel();
    for record in [starting(1), starting(1), next(&starting(1), Status::Running), starting(2)] {
        let done_tx = done_tx.clone();
        store.put(Arc::new(record), Box::new(move |result| done_tx.send(result.is_ok()).expect("it waits")));
    }
    let answers: Vec<bool> = (0..4).map(|_| done_rx.recv().expect("an answer")).collect();
    assert_eq!(answers, [true, false, true, true]);
}

#[test]
fn records_come_back_whole_newest_first_and_page_by_page() {
    let (folder, mut store) = store();
    for number in 0..10 {
        let running = next(&starting(number), Status::Running);
        put(&mut store, &starting(number)).expect("stored");
        put(&mut store, &running).expect("stored");
        put(&mut store, &printed(&next(&running, Status::Completed), "hello\n").clone())
            .expect_err("a revision is left out");
        let last = Record { output: printed(&running, "hello\n").output, ..next(&running, Status::Completed) };
        put(&mut store, &last).expect("stored");
        assert_eq!(store.records().get(id(number)).expect("read"), Some(last));
    }
    drop(store);
    let (store, _) = open_in(folder.path()).expect("it opens again");
    let records = store.records();
    let page = records.newest(&session(), None, 4).expect("a page");
    assert_eq!(page.iter().map(|listed| listed.record.id).collect::<Vec<_>>(), [9, 8, 7, 6].map(id));
    assert!(page.iter().all(|listed| listed.record.output.is_none()));
    let page = records.newest(&session(), Some(page[3].place), 100).expect("a page");
    assert_eq!(page.len(), 6);
    assert!(records.newest(&"other".parse().expect("a name"), None, 9).expect("a page").is_empty());
    let names = records.generations().expect("names");
    assert_eq!(names.newest(&session(), &"web".parse().expect("a name")), 10);
}

#[test]
fn the_summary_names_what_needs_attention_oldest_first_and_counts_the_rest() {
    let (_folder, mut store) = store();
    for number in 0..12 {
        let mut last = end(&mut store, number, Status::Completed);
        if number < 2 {
            last.observed_at = Some(Timestamp::now());
            last.revision += 1;
            put(&mut store, &last).expect("observed");
        }
    }
    let summary = store.records().summary(&session()).expect("a summary");
    assert_eq!(summary.runs.iter().map(|record| record.id).collect::<Vec<_>>(), (2..10).map(id).collect::<Vec<_>>());
    assert_eq!(summary.rest, 2);
}

#[test]
fn the_store_in_memory_refuses_the_same() {
    let mut store = MemoryStore::default();
    let (done_tx, done_rx) = mpsc::channel();
    let first = starting(1);
    for record in [first.clone(), first.clone(), next(&first, Status::Completed), next(&first, Status::Running)] {
        let done_tx = done_tx.clone();
        store.put(Arc::new(record), Box::new(move |result| done_tx.send(result.is_ok()).expect("it waits")));
    }
    assert_eq!(done_rx.try_iter().collect::<Vec<_>>(), [true, false, false, true]);
}

#[test]
fn fifty_thousand_records_open_and_list_quickly() {
    let (folder, mut first) = store();
    end(&mut first, 1, Status::Completed);
    drop(first);
    let connection = rusqlite::Connection::open(folder.path().join("records.db")).expect("a database");
    let copies = "DROP TRIGGER runs_begin; CREATE TEMP TABLE one AS SELECT * FROM runs;
        WITH RECURSIVE n (i) AS (SELECT 100001 UNION ALL SELECT i + 1 FROM n WHERE i < 150000)
        INSERT INTO runs (id, session, name, generation, status, revision, exit_code, created_at, completed_at, record)
        SELECT printf('%016d', i), session, name, i, status, revision, exit_code, i, i,
            json_set(record, '$.id', printf('%016d', i)) FROM one, n;
        INSERT INTO outputs SELECT id, json_object('stdout', printf('%.2000c', 'x')) FROM runs;";
    connection.execute_batch(copies).expect("copies");
    drop(connection);
    // Retention would leave 500 of them.
    let options = crate::store::StoreOptions {
        retention: crate::store::Retention { runs: usize::MAX >> 1, age: std::time::Duration::MAX },
        ..Default::default()
    };
    let start = Instant::now();
    let state = Arc::new(crate::store::StateFolder::open(folder.path()).expect("the folder"));
    let (store, _) = crate::store::SqliteStore::open(state, options, &|_, _| false).expect("a store");
    let opened = start.elapsed();
    let records = store.records();
    assert_eq!(records.newest(&session(), None, 1).expect("a list").len(), 1);
    let start = Instant::now();
    let page = records.newest(&session(), None, 100).expect("a list");
    let listed = start.elapsed();
    println!("50,000 records: opened in {opened:?}, newest 100 listed in {listed:?}");
    assert_eq!(page.len(), 100);
}

/// S7.5.
#[test]
fn a_live_record_may_get_another_name_a_final_one_not_and_its_generation_is_counted() {
    let (folder, mut store) = store();
    let first = starting(1);
    put(&mut store, &first).expect("a beginning");
    let api = Some("api".parse().expect("a name"));
    let renamed = Record { name: api.clone(), generation: 7, ..next(&first, Status::Running) };
    put(&mut store, &renamed).expect("another name");
    let last = next(&renamed, Status::Completed);
    put(&mut store, &last).expect("the end");
    let late = Record { name: None, observed_at: Some(Timestamp::now()), revision: last.revision + 1, ..last.clone() };
    assert!(put(&mut store, &late).is_err(), "a final record does not change");
    drop(store);
    let (store, _) = open_in(folder.path()).expect("a store");
    let records = store.records();
    assert_eq!(records.get(id(1)).expect("read"), Some(last));
    let page = records.page(&session(), api.as_ref(), None, 10, &|_| None, &|_| true).expect("a page");
    assert_eq!(page.0.len(), 1, "it is found by its name");
    let names = records.generations().expect("names");
    assert_eq!(names.newest(&session(), &"api".parse().expect("a name")), 7);
    assert_eq!(names.newest(&session(), &"web".parse().expect("a name")), 2);
}

#[test]
fn what_has_ended_stays_listed_until_it_leaves_the_list_or_is_deleted() {
    let (folder, mut store) = store();
    let ended: Vec<_> = (1..=4).map(|number| end(&mut store, number, Status::Completed)).collect();
    put(&mut store, &starting(5)).expect("stored");
    let (done_tx, done_rx) = std::sync::mpsc::channel();
    store.left_the_list(id(2), Box::new(move |left| done_tx.send(left).expect("it waits")));
    done_rx.recv().expect("an answer").expect("it has left");
    let listed = |store: &crate::store::SqliteStore| -> Vec<_> {
        let records = store.records().still_listed().expect("records").into_iter();
        records.map(|record| record.id).collect()
    };
    assert_eq!(listed(&store), [ended[0].id, ended[2].id, ended[3].id]);
    drop(store);
    let (store, found) = open_in(folder.path()).expect("a store");
    assert_eq!(found.recovered.len(), 1);
    assert_eq!(listed(&store), [ended[0].id, ended[2].id, ended[3].id, id(5)]);
    let connection = rusqlite::Connection::open(folder.path().join("records.db")).expect("a database");
    connection.pragma_update(None, "foreign_keys", true).expect("set");
    connection.execute("DELETE FROM runs WHERE id = ?1", [ended[0].id.as_str()]).expect("deleted");
    assert_eq!(listed(&store), [ended[2].id, ended[3].id, id(5)]);
    let plan: String = connection
        .query_row(
            "EXPLAIN QUERY PLAN SELECT seq, record FROM listed CROSS JOIN runs ON runs.id = listed.run
             WHERE completed_at IS NOT NULL ORDER BY seq",
            [],
            |row| row.get(3),
        )
        .expect("a plan");
    assert!(plan.contains("SCAN listed"), "{plan}");
}

#[test]
fn what_had_ended_before_an_update_is_in_no_list_and_what_is_live_is() {
    let (folder, mut store) = store();
    end(&mut store, 1, Status::Failed);
    put(&mut store, &starting(2)).expect("stored");
    drop(store);
    let connection = rusqlite::Connection::open(folder.path().join("records.db")).expect("a database");
    connection.execute_batch("DROP TRIGGER runs_list; DROP TABLE listed; PRAGMA user_version = 3").expect("as before");
    drop(connection);
    let (store, _) = open_in(folder.path()).expect("a store");
    let listed: Vec<_> = store.records().still_listed().expect("records").into_iter().map(|record| record.id).collect();
    assert_eq!(listed, [id(2)], "it was lost sight of just now");
}
