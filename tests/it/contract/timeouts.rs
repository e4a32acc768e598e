//! The three timeouts (S3.6).

use std::sync::Arc;
use std::time::{Duration, Instant};

use shtask::api::{Deadline, DeadlineView};
use shtask::model::{Cause, ErrorCode, RunId, RunSpec, Status, TimeoutKind, Timeouts};

use super::ground::{Ground, on_every_ground, within};
use crate::harness::{Marker, survivors};

on_every_ground!(
    a_timeout_ends_the_whole_tree_and_not_only_the_wrapper,
    silence_past_the_idle_timeout_ends_a_run_and_output_puts_it_off,
    a_run_that_is_not_ready_in_time_is_timed_out_and_one_that_is_lives_on,
    a_deadline_is_visible_and_can_be_extended_and_removed,
    a_timeout_out_of_range_is_refused,
);

const MS: Duration = Duration::from_millis(1);

fn limited(spec: RunSpec, kind: TimeoutKind, span: Duration) -> RunSpec {
    let mut timeouts = Timeouts::default();
    match kind {
        TimeoutKind::Wall => timeouts.wall = Some(span),
        TimeoutKind::Idle => timeouts.idle = Some(span),
        TimeoutKind::Ready => timeouts.ready = Some(span),
    }
    RunSpec { timeouts, ..spec }
}

async fn deadline(ground: &Ground, run: RunId) -> Option<DeadlineView> {
    ground.client.inspect(run).await.expect("a look").view.deadline
}

/// BUGS B11.
async fn a_timeout_ends_the_whole_tree_and_not_only_the_wrapper(ground: Arc<Ground>) {
    let marker = Marker::new();
    let line = format!("mkfifo f; (while :; do echo c; sleep 0.{marker}; done) > f & cat f; :");
    let record = ground.outcome(limited(ground.sh(line), TimeoutKind::Wall, 300 * MS)).await;
    assert_eq!((record.status, record.exit_code, record.cause), (Status::TimedOut, Some(124), Some(Cause::Timeout)));
    assert_eq!(survivors(&marker), []);
    assert!(super::ground::streams(&record).0.starts_with("c\n"));
}

/// S3.6.
async fn silence_past_the_idle_timeout_ends_a_run_and_output_puts_it_off(ground: Arc<Ground>) {
    let line = "for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.1; done; exec sleep 100";
    for spec in [ground.sh(line), ground.pty(line)] {
        let start = Instant::now();
        let record = ground.outcome(limited(spec, TimeoutKind::Idle, 500 * MS)).await;
        assert_eq!((record.status, record.timed_out_by), (Status::TimedOut, Some(TimeoutKind::Idle)));
        assert!(start.elapsed() >= 1200 * MS, "it counts from the last output: {:?}", start.elapsed());
    }
}

/// S3.6.
async fn a_run_that_is_not_ready_in_time_is_timed_out_and_one_that_is_lives_on(ground: Arc<Ground>) {
    let spec = || limited(ground.sh("exec sleep 100"), TimeoutKind::Ready, 150 * MS);
    let late = ground.start(spec()).await;
    let ready = ground.start(limited(ground.sh("exec sleep 100"), TimeoutKind::Ready, Duration::from_secs(10))).await;
    assert_eq!(deadline(&ground, ready).await.expect("armed").kind, TimeoutKind::Ready);
    ground.client.mark_ready(ready).await.expect("marked");
    assert_eq!(deadline(&ground, ready).await, None);
    let record = ground.ended(late).await;
    assert_eq!((record.status, record.timed_out_by), (Status::TimedOut, Some(TimeoutKind::Ready)));
    assert_eq!(ground.stop(ready).await.status, Status::Cancelled);
}

/// S3.6.
async fn a_deadline_is_visible_and_can_be_extended_and_removed(ground: Arc<Ground>) {
    let run = ground.start(limited(ground.sh("exec sleep 100"), TimeoutKind::Wall, 2000 * MS)).await;
    let first = deadline(&ground, run).await.expect("armed");
    assert_eq!(first.kind, TimeoutKind::Wall);
    let set = |deadline| ground.client.set_deadline(run, TimeoutKind::Wall, deadline);
    set(Deadline::Extend(Duration::from_secs(60))).await.expect("extended");
    let later = deadline(&ground, run).await.expect("armed");
    assert_eq!(later.at.since(first.at), Duration::from_secs(60));
    set(Deadline::Remove).await.expect("removed");
    assert_eq!(deadline(&ground, run).await, None);
    let failure = set(Deadline::Extend(Duration::from_secs(90_000))).await.expect_err("more than a day");
    assert_eq!(failure.code, ErrorCode::Invalid);
    // One that was not armed starts from now.
    set(Deadline::Extend(100 * MS)).await.expect("extended");
    let record = ground.ended(run).await;
    assert_eq!(record.timed_out_by, Some(TimeoutKind::Wall));
    let failure = set(Deadline::Remove).await.expect_err("it has ended");
    assert_eq!(failure.code, ErrorCode::ControlClosed);
}

/// S3.6: 1 ms to 24 h.
async fn a_timeout_out_of_range_is_refused(ground: Arc<Ground>) {
    for span in [Duration::from_micros(999), Duration::from_secs(24 * 3600) + MS] {
        for kind in [TimeoutKind::Wall, TimeoutKind::Idle, TimeoutKind::Ready] {
            let spec = limited(ground.sh(":"), kind, span);
            let failure = within("an answer", ground.try_start(spec)).await.expect_err("out of range");
            assert_eq!(failure.code, ErrorCode::Invalid, "{failure}");
            assert!(failure.message.contains("timeout"), "{failure}");
        }
    }
}
