//! Runs that have left the list: they are on record (S6.1, S6.2, S4.6).

use std::sync::Arc;

use shtask::api::{LogRequest, PartName, StopRequest, Stream};
use shtask::model::{ErrorCode, Limits, Status, WriteStdin};

use super::ground::{Ground, on_every_ground, within};

on_every_ground!(
    what_has_left_the_list_is_read_and_looked_at_as_before,
    a_stop_of_what_has_left_the_list_answers_with_the_final_record,
    what_has_left_the_list_takes_no_input,
);

fn no_list(ground: &Ground) -> Ground {
    ground.another(Limits { kept_runs: 0, ..Limits::default() })
}

/// S6.1, S6.2.
async fn what_has_left_the_list_is_read_and_looked_at_as_before(ground: Arc<Ground>) {
    let ground = no_list(&ground);
    let run = ground.outcome(ground.sh("seq 1 1000; echo small >&2; exit 3")).await.id;
    let look = ground.client.inspect(run).await.expect("a look").view;
    assert_eq!((look.record.status, look.record.observed_at, look.control_open), (Status::Failed, None, false));
    let reading = ground.client.read(run, 100).await.expect("a reading");
    let [out, err] = &reading.parts[..] else { panic!("two parts: {reading:?}") };
    assert_eq!((out.name, out.cut, err.name, err.cut), (PartName::Stdout, true, PartName::Stderr, false));
    assert!(out.text.len() <= 100 && out.text.ends_with("999\n1000\n"), "{}", out.text);
    assert_eq!(err.text, "small\n");
    let end = std::time::Instant::now() + super::ground::DEADLINE;
    while ground.client.inspect(run).await.expect("a look").view.record.observed_at.is_none() {
        assert!(std::time::Instant::now() < end, "it is marked as read");
    }
    let record = ground.client.inspect(run).await.expect("a look").view.record;
    assert_eq!(record.revision, look.record.revision + 1);
    ground.client.read(run, 100).await.expect("a reading");
    assert_eq!(ground.client.read(run, 0).await.expect_err("out of range").code, ErrorCode::Invalid);
    let log = LogRequest { stream: Stream::Stderr, offset: 0, limit_bytes: 100, wait: None };
    assert_eq!(ground.client.read_log(run, log).await.expect("a log").bytes, b"small\n");
    assert_eq!(ground.client.inspect(run).await.expect("a look").view.record, record, "it is set once");
    let screen = ground.outcome(ground.pty("seq 1 100; printf end")).await.id;
    let reading = ground.client.read(screen, 1000).await.expect("a reading");
    let names: Vec<PartName> = reading.parts.iter().map(|part| part.name).collect();
    assert_eq!(names, [PartName::Screen, PartName::Scrollback]);
    assert!(reading.parts[0].text.ends_with("100\nend"), "{reading:?}");
    ground.end().await;
}

/// S4.6.
async fn a_stop_of_what_has_left_the_list_answers_with_the_final_record(ground: Arc<Ground>) {
    let ground = no_list(&ground);
    let record = ground.outcome(ground.sh("exit 3")).await;
    let stop = ground.client.stop(record.id, StopRequest { kill: false });
    assert!(!within("an answer", ground.client.withdraw_stop(record.id, stop.id)).await.expect("an answer"));
    let outcome = within("a stop", stop.reply).await.expect("the final record");
    assert_eq!((outcome.applied, outcome.record.id, outcome.record.exit_code), (false, record.id, Some(3)));
    ground.end().await;
}

/// S4.5.
async fn what_has_left_the_list_takes_no_input(ground: Arc<Ground>) {
    let ground = no_list(&ground);
    let run = ground.outcome(ground.pty(":")).await.id;
    let failure = ground.control(run, WriteStdin::text("x")).await.expect_err("it has ended");
    assert_eq!(failure.code, ErrorCode::ControlClosed);
    let pipes = ground.outcome(ground.sh(":")).await.id;
    let failure = ground.control(pipes, WriteStdin::text("x")).await.expect_err("it has pipes");
    assert_eq!(failure.code, ErrorCode::Unsupported, "as when it was listed");
    let restart = ground.client.restart(run, StopRequest { kill: false });
    let failure = within("an answer", restart).await.expect_err("what to start is known no more");
    assert_eq!(failure.code, ErrorCode::ControlClosed);
    ground.end().await;
}
