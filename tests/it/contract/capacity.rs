//! Slots (S5.1).

use std::sync::Arc;

use shtask::model::{ErrorCode, Limits, Status};

use super::ground::{Ground, on_every_ground};

on_every_ground!(each_limit_is_checked_on_its_own_and_named, a_slot_is_free_once_the_final_record_is_known);

/// S5.1.
async fn each_limit_is_checked_on_its_own_and_named(ground: Arc<Ground>) {
    let small = ground.another(Limits { runs: 3, pty_runs: 1, ..Limits::default() });
    let pty = small.start(small.pty("exec sleep 100")).await;
    let full = small.try_start(small.pty(":")).await.expect_err("one PTY run only");
    assert_eq!(full.code, ErrorCode::CapacityFull);
    assert!(full.retryable && full.message.contains("1 of 1 PTY runs"), "{full}");
    assert!(full.hint.as_ref().is_some_and(|hint| hint.contains("limits.pty_runs")), "{full:?}");
    small.start(small.sh("exec sleep 100")).await;
    let third = small.start(small.sh("exec sleep 100")).await;
    let full = small.try_start(small.sh(":")).await.expect_err("three runs only");
    assert!(full.message.contains("3 of 3 runs"), "{full}");
    assert!(full.hint.as_ref().is_some_and(|hint| hint.contains("limits.runs")), "{full:?}");
    small.stop(third).await;
    let full = small.try_start(small.pty(":")).await.expect_err("still one PTY run");
    assert!(full.message.contains("PTY"), "{full}");
    small.stop(pty).await;
    small.start(small.pty("exec sleep 100")).await;
    small.end().await;
}

/// S4.11: listeners are told, then the slot is released; who was told can start at once.
async fn a_slot_is_free_once_the_final_record_is_known(ground: Arc<Ground>) {
    let small = ground.another(Limits { runs: 1, pty_runs: 1, ..Limits::default() });
    for round in 0..50 {
        let run =
            small.start(if round % 2 == 0 { small.pty("exec sleep 100") } else { small.sh("exec sleep 100") }).await;
        let record = if round % 3 == 0 { small.kill(run).await } else { small.stop(run).await };
        assert_eq!(record.status, Status::Cancelled);
    }
    small.end().await;
}
