//! The end of everything (S7.2).

use std::sync::Arc;
use std::time::Duration;

use shtask::api::{ShutdownRequest, StartRequest, StopRequest, Termination};
use shtask::model::{Cause, ErrorCode, Limits, RunSpec, Status, StopSpec};

use super::ground::{Ground, on_every_ground, streams, within};
use crate::harness::{Marker, survivors};

on_every_ground!(
    a_shutdown_ends_runs_of_every_kind_in_parallel_and_refuses_new_ones,
    a_second_request_skips_the_rest_of_every_grace,
    each_process_gets_the_request_to_end_once,
    a_shutdown_in_the_middle_of_starts_leaves_nothing,
    a_shutdown_of_nothing_is_over_at_once,
);

const SHUT_DOWN: ShutdownRequest = ShutdownRequest { hurry: false };

/// S7.2.
async fn a_shutdown_ends_runs_of_every_kind_in_parallel_and_refuses_new_ones(ground: Arc<Ground>) {
    let other = ground.another(Limits::default());
    let marker = Marker::new();
    // Each ends only when all have got their request: one after the other they would never end.
    let stop = StopSpec { grace: Duration::from_secs(600), ..StopSpec::default() };
    let mut runs = Vec::new();
    for number in 0..4 {
        let all_got = "until [ -e got.0 ] && [ -e got.1 ] && [ -e got.2 ] && [ -e got.3 ]; do sleep 0.01; done";
        let line = format!(
            "trap 'touch got.{number}; {all_got}; exit' TERM; echo ready; sleep {marker} & while :; do wait; done"
        );
        runs.push(other.start(RunSpec { stop: stop.clone(), ..other.sh(line) }).await);
    }
    for run in &runs {
        other.until_shown(*run, "ready").await;
    }
    runs.push(other.start(other.pty(format!("sleep {marker} & exec sleep {marker}"))).await);
    runs.push(other.start(other.sh(format!("exec sleep {marker}"))).await);
    let done = other.outcome(other.sh("exit 3")).await;
    let mut first = other.client.shutdown(SHUT_DOWN);
    let refused = other.try_start(other.sh(":")).await.expect_err("nothing starts any more");
    assert_eq!(refused.code, ErrorCode::Closing, "{refused}");
    let joined = other.client.shutdown(SHUT_DOWN);
    let report = within("the end", &mut first).await.expect("a report");
    assert_eq!((report.ended, report.left.len()), (6, 0));
    assert_eq!(within("the end", joined).await.expect("a report"), report, "a second request joins the first");
    assert_eq!(survivors(&marker), []);
    for run in runs {
        let record = other.client.inspect(run).await.expect("a look").view.record;
        assert_eq!((record.status, record.exit_code), (Status::Cancelled, Some(130)));
        assert_eq!(record.cause, Some(Cause::Shutdown));
    }
    assert_eq!(other.client.inspect(done.id).await.expect("a look").view.record, done, "what was over stays");
    let failure = within("an answer", other.client.restart(done.id, StopRequest { kill: false })).await;
    assert_eq!(failure.expect_err("nothing starts any more").code, ErrorCode::Closing);
    other.end().await;
}

/// BUGS B20.
async fn a_second_request_skips_the_rest_of_every_grace(ground: Arc<Ground>) {
    let other = ground.another(Limits::default());
    let stop = StopSpec { grace: Duration::from_secs(600), ..StopSpec::default() };
    let line = "trap 'echo no' TERM; echo ready; while :; do sleep 1000 & wait $!; done";
    let run = other.start(RunSpec { stop, ..other.sh(line) }).await;
    other.until_shown(run, "ready").await;
    let first = other.client.shutdown(SHUT_DOWN);
    other.until_shown(run, "no").await;
    let view = other.client.inspect(run).await.expect("a look").view;
    let Termination::Grace { .. } = view.termination else { panic!("it says on what it waits: {view:?}") };
    assert!(view.record.process.is_some());
    let second = within("the end", other.client.shutdown(ShutdownRequest { hurry: true })).await.expect("a report");
    let first = within("the end", first).await.expect("a report");
    assert_eq!((first.ended, &first), (1, &second));
    let record = other.client.inspect(run).await.expect("a look").view.record;
    assert_eq!((record.cause, record.signal), (Some(Cause::Shutdown), Some(9)));
}

/// BUGS B16, the second half.
async fn each_process_gets_the_request_to_end_once(ground: Arc<Ground>) {
    let other = ground.another(Limits::default());
    let line = "trap 'echo T; over=1' TERM; echo ready; while [ -z \"$over\" ]; do sleep 0.01; done; sleep 0.3; :";
    let mut runs = Vec::new();
    for _ in 0..5 {
        let run = other.start(other.sh(line)).await;
        other.until_shown(run, "ready").await;
        runs.push(run);
    }
    within("the end", other.client.shutdown(SHUT_DOWN)).await.expect("a report");
    for run in runs {
        let record = other.client.inspect(run).await.expect("a look").view.record;
        assert_eq!(streams(&record).0, "ready\nT\n");
    }
}

/// S7.2: whatever a start has come to, it is ended or was refused.
async fn a_shutdown_in_the_middle_of_starts_leaves_nothing(ground: Arc<Ground>) {
    let marker = Marker::new();
    for round in 0..15 {
        let other = ground.another(Limits::default());
        let starts: Vec<_> = (0..20)
            .map(|at| {
                let line = format!("exec sleep {marker}");
                let spec = if at % 2 == 0 { other.sh(line) } else { other.pty(line) };
                other.client.start(StartRequest { spec, replace: false })
            })
            .collect();
        for _ in 0..round * 10 {
            tokio::task::yield_now().await;
        }
        let report = within("the end", other.client.shutdown(SHUT_DOWN)).await.expect("a report");
        assert_eq!(report.left, []);
        assert_eq!(survivors(&marker), []);
        for start in starts {
            match within("a start", start).await {
                Ok(record) => {
                    let last = other.client.inspect(record.id).await.expect("a look").view.record;
                    assert_eq!((last.status, last.cause), (Status::Cancelled, Some(Cause::Shutdown)), "{last:?}");
                }
                Err(failure) => {
                    assert!(matches!(failure.code, ErrorCode::Closing | ErrorCode::ControlClosed), "{failure}");
                }
            }
        }
    }
}

/// S7.2.
async fn a_shutdown_of_nothing_is_over_at_once(ground: Arc<Ground>) {
    let other = ground.another(Limits::default());
    let report = within("the end", other.client.shutdown(SHUT_DOWN)).await.expect("a report");
    assert_eq!((report.ended, report.left.len()), (0, 0));
}
