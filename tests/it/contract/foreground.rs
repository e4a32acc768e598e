//! Runs that somebody waits for (S3.5).

use std::sync::Arc;
use std::time::Duration;

use shtask::api::{Foreground, LiveOutput, Stream, Update};
use shtask::model::{Cause, ErrorCode, Limits, Record, RunId, Status, Timeouts};

use super::ground::{Ground, on_every_ground, streams, within};
use crate::harness::{Marker, survivors};

on_every_ground!(
    a_foreground_run_passes_its_output_on_live,
    a_foreground_run_has_two_minutes_unless_it_asks_for_less_or_for_ten,
    leaving_a_foreground_run_cancels_it,
    a_foreground_run_that_is_cancelled_still_tells_its_last_words_and_its_record,
    leaving_a_foreground_run_before_it_started_leaves_nothing,
    live_output_is_suppressed_once_past_its_limit_and_the_record_has_the_tail,
    a_foreground_run_that_cannot_start_says_so,
    only_a_foreground_run_that_nobody_waits_for_is_waited_for_again,
);

async fn outcome(foreground: &mut Foreground) -> Result<Arc<Record>, shtask::model::Failure> {
    within("the outcome", &mut foreground.outcome).await
}

/// S3.5: the second half comes only once the first was seen.
async fn a_foreground_run_passes_its_output_on_live(ground: Arc<Ground>) {
    let go = ground.dir.path().join("go");
    let line = "echo first; until [ -e go ]; do sleep 0.01; done; echo second >&2";
    let mut foreground = ground.client.start_foreground(None, ground.sh(line));
    let first = within("the first line", foreground.output_rx.recv()).await;
    assert_eq!(first, Some(LiveOutput::Chunk(Stream::Stdout, b"first\n".to_vec())));
    std::fs::write(go, "").expect("a file");
    let second = within("the second line", foreground.output_rx.recv()).await;
    assert_eq!(second, Some(LiveOutput::Chunk(Stream::Stderr, b"second\n".to_vec())));
    let record = outcome(&mut foreground).await.expect("a record");
    assert_eq!((record.status, streams(&record)), (Status::Completed, ("first\n", "second\n")));
    assert_eq!(within("the end of the output", foreground.output_rx.recv()).await, None);
}

/// S3.5.
async fn a_foreground_run_has_two_minutes_unless_it_asks_for_less_or_for_ten(ground: Arc<Ground>) {
    let record = outcome(&mut ground.client.start_foreground(None, ground.sh(":"))).await.expect("a record");
    assert_eq!(record.timeout, Some(Duration::from_secs(120)));
    let mut spec = ground.sh(":");
    spec.timeouts =
        Timeouts { wall: Some(Limits::MAX_FOREGROUND_TIMEOUT + Duration::from_secs(1)), ..Timeouts::default() };
    let failure = outcome(&mut ground.client.start_foreground(None, spec)).await.expect_err("too long");
    assert_eq!(failure.code, ErrorCode::Invalid);
    let mut spec = ground.sh("exec sleep 100");
    spec.timeouts = Timeouts { wall: Some(Duration::from_millis(50)), ..Timeouts::default() };
    let record = outcome(&mut ground.client.start_foreground(None, spec)).await.expect("a record");
    assert_eq!(record.status, Status::TimedOut);
    let failure = outcome(&mut ground.client.start_foreground(None, ground.pty(":"))).await.expect_err("pipes only");
    assert_eq!(failure.code, ErrorCode::Invalid);
}

/// S3.5.
async fn leaving_a_foreground_run_cancels_it(ground: Arc<Ground>) {
    let marker = Marker::new();
    let mut feed = ground.client.subscribe();
    let mut foreground = ground.client.start_foreground(None, ground.sh(format!("echo on; sleep {marker}")));
    within("output", foreground.output_rx.recv()).await.expect("output");
    drop(foreground);
    let record = within("the end", async {
        loop {
            if let Some(Update::Run(view)) = feed.next().await
                && view.record.status.is_final()
            {
                return Arc::clone(&view.record);
            }
        }
    })
    .await;
    assert_eq!((record.status, record.cause), (Status::Cancelled, Some(Cause::Cancel)));
    assert_eq!(survivors(&marker), [], "gone before the record says so");
}

/// S3.5.
async fn a_foreground_run_that_is_cancelled_still_tells_its_last_words_and_its_record(ground: Arc<Ground>) {
    // A shell that waits in the foreground says "Terminated" of what it waits for, when that ends first.
    let line = "trap 'echo bye; exit 0' TERM; sleep 1000 & echo on; while :; do wait; done";
    let mut foreground = ground.client.start_foreground(None, ground.sh(line));
    within("output", foreground.output_rx.recv()).await.expect("output");
    foreground.cancel();
    let last = within("the last words", foreground.output_rx.recv()).await;
    assert_eq!(last, Some(LiveOutput::Chunk(Stream::Stdout, b"bye\n".to_vec())));
    let record = outcome(&mut foreground).await.expect("a record");
    assert_eq!((record.status, record.cause), (Status::Cancelled, Some(Cause::Cancel)));
}

/// S3.5, BUGS B06: cancelled in the middle of its start, at whatever point that is.
async fn leaving_a_foreground_run_before_it_started_leaves_nothing(ground: Arc<Ground>) {
    let marker = Marker::new();
    for round in 0..40 {
        let mut feed = ground.client.subscribe();
        within("the table", feed.next()).await;
        let foreground = ground.client.start_foreground(None, ground.sh(format!("exec sleep {marker}")));
        // Left at once, or after so many updates.
        for _ in 0..round % 3 {
            within("an update", feed.next()).await;
        }
        drop(foreground);
        within("the end", async {
            loop {
                if let Some(Update::Run(view)) = feed.next().await
                    && view.record.status.is_final()
                {
                    let record = &view.record;
                    assert!(matches!(record.status, Status::Cancelled | Status::Failed), "{record:?}");
                    let started = record.process.is_some();
                    assert_eq!(
                        started,
                        record.status == Status::Cancelled,
                        "what was started was cancelled: {record:?}"
                    );
                    return;
                }
            }
        })
        .await;
        assert_eq!(survivors(&marker), [], "round {round}");
    }
}

/// S3.5: capped at 1 MiB a stream; said once.
async fn live_output_is_suppressed_once_past_its_limit_and_the_record_has_the_tail(ground: Arc<Ground>) {
    let mut foreground = ground.client.start_foreground(None, ground.sh("seq 1 400000; echo small >&2"));
    let record = outcome(&mut foreground).await.expect("a record");
    let (mut out, mut err, mut suppressed) = (0, Vec::new(), Vec::new());
    while let Some(output) = within("the output", foreground.output_rx.recv()).await {
        match output {
            LiveOutput::Chunk(Stream::Stdout, bytes) => out += bytes.len(),
            LiveOutput::Chunk(Stream::Stderr, bytes) => err.extend(bytes),
            LiveOutput::Suppressed(stream) => suppressed.push(stream),
        }
    }
    assert_eq!((out, err.as_slice(), suppressed.as_slice()), (1 << 20, &b"small\n"[..], &[Stream::Stdout][..]));
    assert!(streams(&record).0.ends_with("399999\n400000\n"), "the record has the tail");
}

/// S3.5, S3.2.
async fn a_foreground_run_that_cannot_start_says_so(ground: Arc<Ground>) {
    let mut foreground = ground.client.start_foreground(None, ground.argv(&["no-such-program-7"]));
    let failure = outcome(&mut foreground).await.expect_err("no program");
    assert_eq!(failure.code, ErrorCode::ProgramNotFound);
    assert_eq!(foreground.output_rx.recv().await, None);
}

/// S7.4.
async fn only_a_foreground_run_that_nobody_waits_for_is_waited_for_again(ground: Arc<Ground>) {
    let again = |run| {
        let mut foreground = ground.client.rejoin_foreground(run);
        async move { outcome(&mut foreground).await }
    };
    let run = RunId::from_bits([77; 10]);
    assert_eq!(again(run).await.expect_err("there is none").code, ErrorCode::NotFound);
    let background = ground.start(ground.sh("exec sleep 100")).await;
    assert_eq!(again(background).await.expect_err("nobody waits for it").code, ErrorCode::Conflict);
    let line = "echo on; until [ -e go ]; do sleep 0.01; done; exit 3";
    let mut first = ground.client.start_foreground(Some(run), ground.sh(line));
    within("output", first.output_rx.recv()).await.expect("output");
    assert_eq!(again(run).await.expect_err("somebody waits for it").code, ErrorCode::Conflict);
    let mut second = ground.client.start_foreground(Some(run), ground.sh(":"));
    assert_eq!(outcome(&mut second).await.expect_err("the id is taken").code, ErrorCode::Conflict);
    std::fs::write(ground.dir.path().join("go"), "").expect("a file");
    let record = outcome(&mut first).await.expect("a record");
    assert_eq!((record.id, record.exit_code), (run, Some(3)));
    assert_eq!(again(run).await.expect("its record").exit_code, Some(3));
}
