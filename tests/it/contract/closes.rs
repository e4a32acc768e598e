//! Closing a session (S7.1).

use std::sync::Arc;

use futures_util::future::join_all;
use shtask::api::{Client, Closing, StartRequest};
use shtask::model::{ErrorCode, Failure, LeaseId, Record, Status};

use super::ground::{Ground, on_every_ground, within};

on_every_ground!(
    a_close_ends_the_runs_of_its_session_and_of_no_other,
    nothing_starts_while_a_lease_is_held_and_closes_stack,
    a_committed_close_stays_until_it_is_resumed,
    a_close_takes_pending_starts_with_it,
    the_list_of_sessions_counts_their_runs_and_leases,
);

async fn begin(client: &dyn Client) -> (LeaseId, shtask::api::ShutdownReport) {
    let Closing { lease, ended } = client.close_session();
    let lease = within("a lease", lease).await.expect("a lease");
    (lease, within("the end of the runs", ended).await.expect("a report"))
}

async fn try_start(ground: &Ground, client: &dyn Client) -> Result<Arc<Record>, Failure> {
    let request = StartRequest { spec: ground.sh("exec sleep 100"), replace: false };
    within("a start", client.start(request)).await
}

async fn is_closed(ground: &Ground) -> bool {
    match try_start(ground, &*ground.client).await {
        Ok(_) => false,
        Err(failure) => {
            assert_eq!(failure.code, ErrorCode::Closing, "{failure}");
            true
        }
    }
}

/// S7.1.
async fn a_close_ends_the_runs_of_its_session_and_of_no_other(ground: Arc<Ground>) {
    let other = ground.client_of("other");
    let apart = try_start(&ground, &*other).await.expect("started").id;
    let runs = [ground.start(ground.sh("exec sleep 100")).await, ground.start(ground.pty("exec sleep 100")).await];
    let (_, report) = begin(&*ground.client).await;
    assert_eq!((report.ended, &report.left[..]), (2, &[][..]));
    for run in runs {
        let record = ground.client.inspect(run).await.expect("a look").view.record;
        assert_eq!(record.status, Status::Cancelled);
    }
    assert_eq!(other.inspect(apart).await.expect("a look").view.record.status, Status::Running);
    try_start(&ground, &*other).await.expect("the other one is open");
}

/// S7.1.
async fn nothing_starts_while_a_lease_is_held_and_closes_stack(ground: Arc<Ground>) {
    let (first, _) = begin(&*ground.client).await;
    let (second, _) = begin(&*ground.client).await;
    assert!(is_closed(&ground).await);
    ground.client.roll_back_close(first).await.expect("rolled back");
    assert!(is_closed(&ground).await, "the other lease is held");
    assert_eq!(ground.client.roll_back_close(first).await.expect_err("gone").code, ErrorCode::Stale);
    assert_eq!(ground.client.commit_close(first).await.expect_err("gone").code, ErrorCode::Stale);
    let other = ground.client_of("other");
    assert_eq!(other.roll_back_close(second).await.expect_err("not its own").code, ErrorCode::Stale);
    ground.client.roll_back_close(second).await.expect("rolled back");
    assert!(!is_closed(&ground).await);
}

/// S7.1.
async fn a_committed_close_stays_until_it_is_resumed(ground: Arc<Ground>) {
    let (first, _) = begin(&*ground.client).await;
    let (second, _) = begin(&*ground.client).await;
    ground.client.commit_close(first).await.expect("committed");
    ground.client.roll_back_close(second).await.expect("rolled back");
    assert!(is_closed(&ground).await);
    assert!(ground.client.resume_session().await.expect("an answer"));
    assert!(!is_closed(&ground).await);
    assert!(!ground.client.resume_session().await.expect("an answer"), "it is open already");
}

/// S7.1, S3.1.
async fn a_close_takes_pending_starts_with_it(ground: Arc<Ground>) {
    let starts: Vec<_> = (0..10)
        .map(|_| ground.client.start(StartRequest { spec: ground.sh("exec sleep 100"), replace: false }))
        .collect();
    let Closing { lease, ended } = ground.client.close_session();
    for failure in within("the starts", join_all(starts)).await.into_iter().filter_map(Result::err) {
        assert!(matches!(failure.code, ErrorCode::Closing | ErrorCode::ControlClosed), "{failure}");
    }
    within("the end of the runs", ended).await.expect("a report");
    ground.client.commit_close(lease.await.expect("a lease")).await.expect("all have ended");
    let sessions = ground.sessions.sessions().await.expect("a list");
    let own = sessions.iter().find(|counts| counts.session == ground.session).expect("listed");
    assert_eq!(own.live_runs, 0);
}

/// S7.1.
async fn the_list_of_sessions_counts_their_runs_and_leases(ground: Arc<Ground>) {
    let other = ground.client_of("other");
    try_start(&ground, &*other).await.expect("started");
    ground.outcome(ground.sh(":")).await;
    let (lease, _) = begin(&*ground.client).await;
    let list = async || {
        let sessions = within("a list", ground.sessions.sessions()).await.expect("a list");
        let told = sessions
            .into_iter()
            .map(|counts| (counts.session.to_string(), counts.live_runs, counts.runs, counts.is_closed, counts.leases));
        told.collect::<Vec<_>>()
    };
    let own = ground.session.to_string();
    assert_eq!(list().await, [(own.clone(), 0, 1, false, vec![lease]), ("other".into(), 1, 1, false, vec![])]);
    ground.client.commit_close(lease).await.expect("committed");
    assert_eq!(list().await[0], (own, 0, 1, true, vec![]));
}
