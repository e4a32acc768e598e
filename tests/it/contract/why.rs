//! Why a run is not running (S6.8); every state has a test of its own beside the code.

use std::sync::Arc;
use std::time::Duration;

use shtask::model::{ErrorCode, Limits, RunSpec, Timeouts};

use super::ground::{Ground, on_every_ground, within};

on_every_ground!(
    how_a_run_ended_and_what_is_to_come_is_told_in_one_paragraph,
    a_start_that_was_refused_for_a_limit_is_told_of_the_run_before,
    to_ask_why_marks_nothing,
);

async fn why(ground: &Ground, run: shtask::model::RunId) -> String {
    let text = within("an answer", ground.client.why(run)).await.expect("a paragraph");
    assert!(!text.contains('\n'), "{text}");
    text
}

/// S6.8.
async fn how_a_run_ended_and_what_is_to_come_is_told_in_one_paragraph(ground: Arc<Ground>) {
    let timeouts = Timeouts { wall: Some(Duration::from_secs(3000)), ..Timeouts::default() };
    let live = ground.start(RunSpec { timeouts, ..ground.sh("exec sleep 100") }).await;
    let text = why(&ground, live).await;
    assert!(text.contains("runs since") && text.contains("Its timeout ends it in 49 min"), "{text}");
    ground.kill(live).await;
    assert!(why(&ground, live).await.contains("because somebody stopped it"));
    let failed = ground.outcome(ground.sh("kill -SEGV $$")).await.id;
    assert!(why(&ground, failed).await.contains("signal 11 (SIGSEGV)"));
    let short = Timeouts { idle: Some(Duration::from_millis(50)), ..Timeouts::default() };
    let idle = ground.outcome(RunSpec { timeouts: short, ..ground.sh("exec sleep 100") }).await.id;
    assert!(why(&ground, idle).await.contains("idle timeout"));
    ground.client.forget(idle).await.expect("forgotten");
    assert!(why(&ground, idle).await.contains("idle timeout"), "what has left the list is on record");
}

/// S6.8, S5.1.
async fn a_start_that_was_refused_for_a_limit_is_told_of_the_run_before(ground: Arc<Ground>) {
    let ground = ground.another(Limits { runs: 1, ..Limits::default() });
    let named = |spec: RunSpec| RunSpec { name: Some("web".parse().expect("a name")), ..spec };
    let web = ground.outcome(named(ground.sh(":"))).await.id;
    ground.start(ground.sh("exec sleep 100")).await;
    let failure = ground.try_start(named(ground.sh(":"))).await.expect_err("full");
    assert_eq!(failure.code, ErrorCode::CapacityFull);
    let text = why(&ground, web).await;
    assert!(text.contains("was refused") && text.contains(&failure.message), "{text}");
    ground.end().await;
}

/// S6.8.
async fn to_ask_why_marks_nothing(ground: Arc<Ground>) {
    let run = ground.outcome(ground.sh(":")).await;
    assert!(why(&ground, run.id).await.contains("Nobody has read its output"));
    let look = ground.client.inspect(run.id).await.expect("a look").view.record;
    assert_eq!((look.observed_at, look.revision), (None, run.revision));
}
