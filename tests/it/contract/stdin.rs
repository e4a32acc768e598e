//! Standard input of pipes runs (S3.4), BUGS B42.

use std::sync::Arc;

use shtask::model::{ErrorCode, Limits, RunSpec, Status, StdinSpec, WriteStdin};

use super::ground::{Ground, on_every_ground, streams};

on_every_ground!(
    a_run_without_input_reads_its_end_at_once,
    a_payload_of_1_mib_is_delivered_whole_and_then_closed,
    an_empty_payload_ends_at_once,
    a_payload_that_is_not_taken_fails_the_run_unless_it_exits_with_0,
    a_payload_over_the_limit_is_refused,
    a_payload_and_a_flood_of_output_move_at_the_same_time,
    a_pty_reads_the_end_of_its_input_on_request,
);

fn with_payload(spec: RunSpec, bytes: Vec<u8>) -> RunSpec {
    RunSpec { stdin: StdinSpec::Payload(bytes), ..spec }
}

/// S3.4, BUGS B42: from the null device, not from a closed descriptor.
async fn a_run_without_input_reads_its_end_at_once(ground: Arc<Ground>) {
    let record = ground.outcome(ground.sh("cat; read x; echo $?; readlink /proc/self/fd/0")).await;
    assert_eq!(streams(&record).0, "1\n/dev/null\n");
}

/// S3.4.
async fn a_payload_of_1_mib_is_delivered_whole_and_then_closed(ground: Arc<Ground>) {
    let bytes: Vec<u8> = (0..Limits::MAX_PAYLOAD_BYTES).map(|at| (at % 251) as u8).collect();
    let file = ground.dir.path().join("got");
    let record = ground.outcome(with_payload(ground.sh("cat > got; echo done"), bytes.clone())).await;
    assert_eq!((record.status, streams(&record).0), (Status::Completed, "done\n"));
    assert!(std::fs::read(file).expect("a file") == bytes, "byte for byte");
}

/// S3.4.
async fn an_empty_payload_ends_at_once(ground: Arc<Ground>) {
    let record = ground.outcome(with_payload(ground.sh("cat; echo done"), Vec::new())).await;
    assert_eq!(streams(&record).0, "done\n");
}

/// S3.4.
async fn a_payload_that_is_not_taken_fails_the_run_unless_it_exits_with_0(ground: Arc<Ground>) {
    let payload = || vec![b'x'; Limits::MAX_PAYLOAD_BYTES];
    let record = ground.outcome(with_payload(ground.sh("exit 3"), payload())).await;
    assert_eq!((record.status, record.exit_code), (Status::Failed, Some(3)));
    assert_eq!(record.failure.as_ref().map(|f| f.code), Some(ErrorCode::PayloadUndelivered));
    let record = ground.outcome(with_payload(ground.sh("head -c 10 >&2; exit 0"), payload())).await;
    assert_eq!((record.status, record.failure.clone()), (Status::Completed, None));
}

/// S3.4.
async fn a_payload_over_the_limit_is_refused(ground: Arc<Ground>) {
    let bytes = vec![0; Limits::MAX_PAYLOAD_BYTES + 1];
    let failure = ground.try_start(with_payload(ground.sh("cat"), bytes)).await.expect_err("too long");
    assert_eq!(failure.code, ErrorCode::Invalid);
    let failure = ground.try_start(with_payload(ground.pty("cat"), vec![1])).await.expect_err("a PTY takes none");
    assert_eq!(failure.code, ErrorCode::Invalid);
}

/// BUGS B34 for pipes: neither waits for the other.
async fn a_payload_and_a_flood_of_output_move_at_the_same_time(ground: Arc<Ground>) {
    let bytes = b"0123456789abcde\n".repeat(Limits::MAX_PAYLOAD_BYTES / 16);
    let record = ground.outcome(with_payload(ground.sh("tee /dev/stderr"), bytes)).await;
    assert_eq!(record.status, Status::Completed);
    assert!(streams(&record).0.ends_with("0123456789abcde\n") && streams(&record).1.ends_with("0123456789abcde\n"));
}

/// BUGS B42: `^D` is what ends it.
async fn a_pty_reads_the_end_of_its_input_on_request(ground: Arc<Ground>) {
    let run = ground.start(ground.pty("cat; echo ended")).await;
    ground.type_text(run, "hello\r").await;
    ground.until_frame(run, "the echo and the copy", |frame| frame.text().matches("hello").count() == 2).await;
    ground.control(run, WriteStdin::text("\u{4}")).await.expect("a cut");
    let record = ground.ended(run).await;
    assert_eq!(record.status, Status::Completed);
    assert!(super::ground::screen(&record).0.ends_with("ended"));
}
