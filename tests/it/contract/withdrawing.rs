//! Stops that are withdrawn (S4.5, S4.6).

use std::sync::Arc;

use shtask::api::StopRequest;
use shtask::model::{ErrorCode, Limits, Status, WriteStdin};

use super::ground::{Ground, on_every_ground, within};

on_every_ground!(a_stop_withdrawn_before_its_cut_opens_control_again, a_stop_cannot_be_withdrawn_after_its_signal);

/// S4.5, S4.6: a terminal that is flooded makes its cut late, so that some withdrawals come in time.
async fn a_stop_withdrawn_before_its_cut_opens_control_again(ground: Arc<Ground>) {
    let mut withdrawn = 0;
    for _ in 0..30 {
        let run = ground.start(ground.pty("exec yes")).await;
        ground.until_shown(run, "y").await;
        // Cuts that wait before the stop's own.
        let before: Vec<_> = (0..20)
            .map(|_| ground.client.control(run, WriteStdin::text("x".repeat(Limits::MAX_INPUT_BYTES / 64))))
            .collect();
        let stopping = ground.client.stop(run, StopRequest { kill: false });
        let other = ground.client.stop(run, StopRequest { kill: false });
        let first = ground.client.withdraw_stop(run, stopping.id);
        let second = ground.client.withdraw_stop(run, other.id);
        let first = within("an answer", first).await.expect("an answer");
        let second = within("an answer", second).await.expect("an answer");
        drop(before);
        if first && second {
            withdrawn += 1;
            let failure = within("the stop", stopping.reply).await.expect_err("it was withdrawn");
            assert_eq!(failure.code, ErrorCode::Stale);
            ground.control(run, WriteStdin::text("z")).await.expect("control is open again");
            let view = ground.client.inspect(run).await.expect("a look").view;
            assert!(view.control_open && view.record.status == Status::Running);
            assert!(
                within("a stop", ground.client.stop(run, StopRequest { kill: true }).reply)
                    .await
                    .expect("stopped")
                    .applied
            );
        } else {
            assert!(!second, "what was too late for the first is too late for the second: {first} {second}");
            let outcome = within("a stop", other.reply).await.expect("stopped");
            assert_eq!(outcome.record.status, Status::Cancelled);
        }
    }
    assert!(withdrawn > 0, "no withdrawal of 30 came in time");
}

/// S4.6.
async fn a_stop_cannot_be_withdrawn_after_its_signal(ground: Arc<Ground>) {
    let run =
        ground.start(ground.sh("trap 'echo signalled' TERM; echo ready; while :; do sleep 1000 & wait $!; done")).await;
    ground.until_shown(run, "ready").await;
    let stopping = ground.client.stop(run, StopRequest { kill: false });
    ground.until_shown(run, "signalled").await;
    assert!(!ground.client.withdraw_stop(run, stopping.id).await.expect("an answer"));
    ground.kill(run).await;
    assert!(within("the stop", stopping.reply).await.expect("stopped").applied);
}
