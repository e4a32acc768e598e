//! The road of record changes (S6.5).

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::join_all;
use shtask::api::{RunView, Update};
use shtask::model::{RunId, Status};

use super::ground::{Ground, on_every_ground, within};

on_every_ground!(
    a_subscriber_sees_every_revision_of_every_run_in_order,
    a_slow_subscriber_gets_the_newest_table_and_slows_nobody,
    a_quiet_run_causes_no_update,
);

/// S6.5.
async fn a_subscriber_sees_every_revision_of_every_run_in_order(ground: Arc<Ground>) {
    let mut feed = ground.client.subscribe();
    assert!(matches!(within("the table", feed.next()).await, Some(Update::Resync(runs)) if runs.is_empty()));
    let runs = join_all((0..10).map(|at| ground.start(ground.sh(format!("exit {at}"))))).await;
    let mut seen: HashMap<RunId, Vec<(u64, Status)>> = HashMap::new();
    let mut left = runs.len();
    while left > 0 {
        let Some(Update::Run(view)) = within("an update", feed.next()).await else { continue };
        let record = &view.record;
        let revisions = seen.entry(record.id).or_default();
        if revisions.last().is_none_or(|(last, _)| *last != record.revision) {
            revisions.push((record.revision, record.status));
            left -= usize::from(record.status.is_final());
        }
    }
    for run in runs {
        let revisions: Vec<u64> = seen[&run].iter().map(|(revision, _)| *revision).collect();
        assert_eq!(revisions, [1, 2, 3], "{:?}", seen[&run]);
        assert!(seen[&run].windows(2).all(|pair| pair[0].1.may_become(pair[1].1)), "{:?}", seen[&run]);
    }
}

fn apply(table: &mut HashMap<RunId, Arc<RunView>>, update: Update) {
    match update {
        Update::Run(view) => drop(table.insert(view.id(), view)),
        Update::Removed(run) => drop(table.remove(&run)),
        Update::Resync(views) => *table = views.into_iter().map(|view| (view.id(), view)).collect(),
    }
}

/// S6.5.
async fn a_slow_subscriber_gets_the_newest_table_and_slows_nobody(ground: Arc<Ground>) {
    let mut slow = ground.client.subscribe();
    for _ in 0..10 {
        join_all((0..8).map(|_| ground.outcome(ground.sh("echo x")))).await;
    }
    let mut table = HashMap::new();
    let mut updates = 0;
    while let Some(update) = slow.try_next() {
        updates += 1;
        apply(&mut table, update);
    }
    assert!(slow.was_resynced() && updates <= 257, "{updates} updates waited");
    assert_eq!(table.len(), 80);
    assert!(table.values().all(|view| view.record.status == Status::Completed), "nothing is missing");
}

/// PERFORMANCE: idle runs cost nothing.
async fn a_quiet_run_causes_no_update(ground: Arc<Ground>) {
    let run = ground.start(ground.pty("echo x; exec sleep 100")).await;
    ground.until_shown(run, "x").await;
    let mut feed = ground.client.subscribe();
    within("the table", feed.next()).await;
    // The look of a watcher, a read, an inspection and a resize to the same size change nothing of the record.
    ground.client.read(run, 100).await.expect("a reading");
    ground.client.inspect(run).await.expect("a look");
    let mut updates = 0;
    let quiet = tokio::time::timeout(std::time::Duration::from_millis(1500), async {
        while let Some(update) = feed.next().await {
            // What it printed first may be told once more, a second later.
            assert!(matches!(update, Update::Run(view) if view.id() == run));
            updates += 1;
        }
    });
    quiet.await.expect_err("the feed goes on");
    assert!(updates <= 1, "{updates} updates of a quiet run");
}
