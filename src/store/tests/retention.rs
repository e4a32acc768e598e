//! Retention: what goes and what never goes (S2.8).

use std::fs;
use std::sync::mpsc;
use std::time::Duration;

use jiff::Timestamp;

use super::make::{end, id, next, put, session, starting, store};
use crate::model::{Record, Status};
use crate::store::{Pruned, Retention, SqliteStore};

fn prune(store: &SqliteStore, retention: Retention) -> Pruned {
    let (done_tx, done_rx) = mpsc::channel();
    store.prune_to(retention, Box::new(move |pruned| done_tx.send(pruned).expect("it waits")));
    done_rx.recv().expect("an answer").expect("it works")
}

fn left(store: &SqliteStore) -> Vec<Record> {
    let listed = store.records().newest(&session(), None, 1000).expect("a list");
    listed.into_iter().map(|listed| listed.record).collect()
}

const FOREVER: Duration = Duration::from_secs(1 << 40);

#[test]
fn the_newest_final_runs_are_kept_and_the_logs_go_with_the_others() {
    let (folder, mut store) = store();
    for number in 0..250 {
        end(&mut store, number, Status::Completed);
        let log = folder.path().join("logs").join(id(number).as_str());
        fs::create_dir(&log).expect("a log");
        fs::write(log.join("000001.stdout"), "hello").expect("a file");
    }
    let pruned = prune(&store, Retention { runs: 20, age: FOREVER });
    assert_eq!(pruned, Pruned { runs: 230, log_bytes: 230 * 5 });
    let ids: Vec<_> = left(&store).iter().map(|record| record.id).collect();
    assert_eq!(ids, (230..250).rev().map(id).collect::<Vec<_>>());
    assert_eq!(fs::read_dir(folder.path().join("logs")).expect("logs").count(), 20);
    assert_eq!(store.records().generations().expect("names").newest(&session(), &"web".parse().expect("a name")), 250);
}

#[test]
fn live_and_unobserved_failed_runs_are_never_pruned() {
    let (_folder, mut store) = store();
    put(&mut store, &starting(0)).expect("stored");
    put(&mut store, &next(&starting(0), Status::Running)).expect("stored");
    end(&mut store, 1, Status::Failed);
    end(&mut store, 2, Status::TimedOut);
    end(&mut store, 3, Status::Orphaned);
    let mut seen = end(&mut store, 4, Status::Failed);
    seen.observed_at = Some(Timestamp::now());
    seen.revision += 1;
    put(&mut store, &seen).expect("observed");
    end(&mut store, 5, Status::Completed);
    assert_eq!(prune(&store, Retention { runs: 0, age: Duration::ZERO }).runs, 2);
    assert_eq!(left(&store).iter().map(|record| record.id).collect::<Vec<_>>(), [3, 2, 1, 0].map(id));
}

#[test]
fn runs_older_than_the_age_go_however_few_there_are() {
    let (_folder, mut store) = store();
    let first = starting(0);
    let running = next(&first, Status::Running);
    let old = Timestamp::now() - jiff::SignedDuration::from_hours(48);
    let last = Record { completed_at: Some(old), ..next(&running, Status::Completed) };
    for record in [&first, &running, &last] {
        put(&mut store, record).expect("stored");
    }
    end(&mut store, 1, Status::Completed);
    assert_eq!(prune(&store, Retention { runs: 500, age: Duration::from_secs(24 * 3600) }).runs, 1);
    assert_eq!(left(&store).len(), 1);
}
