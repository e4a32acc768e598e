//! Fences, generations, and whether to try again (S7.5, S7.6).

use std::sync::Arc;

use shtask::api::{Client, SignalTarget, StartRequest, StopRequest};
use shtask::model::{Effects, ErrorCode, Failure, Guard, Limits, RunId, RunSpec, Status, WriteStdin};

use super::ground::{Ground, on_every_ground, within};

on_every_ground!(
    with_a_fence_every_change_has_to_carry_it,
    a_fence_is_changed_and_removed_only_by_who_has_it,
    a_stale_generation_is_refused_and_changes_nothing,
    a_failure_tells_whether_to_try_again_and_what_a_start_has_done,
);

const STOP: StopRequest = StopRequest { kill: true };

fn fenced(ground: &Ground, token: &str) -> Arc<dyn Client> {
    ground.client.guarded(Guard { fence: Some(token.parse().expect("a token")), generation: None })
}

/// Every change, with its failure.
async fn all_failures(ground: &Ground, client: &dyn Client, run: RunId) -> Vec<Failure> {
    let spec = || ground.sh(":");
    let closing = client.close_session();
    vec![
        client.start(StartRequest { spec: spec(), replace: false }).await.expect_err("start"),
        client.start_foreground(None, spec()).outcome.await.expect_err("foreground"),
        client.control(run, WriteStdin::text("x")).await.expect_err("control"),
        client.stop(run, STOP).reply.await.expect_err("stop"),
        client.withdraw_stop(run, shtask::api::StopId(0)).await.expect_err("withdraw"),
        client.restart(run, STOP).await.expect_err("restart"),
        client.signal(run, 15, SignalTarget::Tree).await.expect_err("signal"),
        client.mark_ready(run).await.expect_err("ready"),
        client.rename(run, "other".parse().expect("a name")).await.expect_err("rename"),
        client.forget(run).await.expect_err("forget"),
        client.reap(None).await.expect_err("reap"),
        client.set_fence(None).await.expect_err("fence"),
        closing.lease.await.expect_err("close"),
        closing.ended.await.expect_err("close"),
        client.resume_session().await.expect_err("resume"),
    ]
}

/// S7.5.
async fn with_a_fence_every_change_has_to_carry_it(ground: Arc<Ground>) {
    let run = ground.start(ground.pty("exec sleep 100")).await;
    ground.client.set_fence(Some("token-1".parse().expect("a token"))).await.expect("set");
    for client in [Arc::clone(&ground.client), fenced(&ground, "token-2")] {
        for failure in all_failures(&ground, &*client, run).await {
            assert_eq!((failure.code, failure.retryable), (ErrorCode::Stale, false), "{failure}");
            let told = format!("{} {}", failure.message, failure.hint.unwrap_or_default());
            assert!(!told.contains("token-1") && !told.contains("token-2"), "no token is told: {told}");
        }
        client.read(run, 100).await.expect("reading is no change");
        client.inspect(run).await.expect("nor is looking");
    }
    let other = ground.client_of("other");
    within("a start", other.start(StartRequest { spec: ground.sh(":"), replace: false })).await.expect("not fenced");
    let right = fenced(&ground, "token-1");
    right.control(run, WriteStdin::text("x")).await.expect("a cut");
    assert_eq!(right.stop(run, STOP).reply.await.expect("stopped").record.status, Status::Cancelled);
}

/// S7.5.
async fn a_fence_is_changed_and_removed_only_by_who_has_it(ground: Arc<Ground>) {
    let (one, two) = (fenced(&ground, "one"), fenced(&ground, "two"));
    ground.client.set_fence(Some("one".parse().expect("a token"))).await.expect("set");
    two.set_fence(Some("two".parse().expect("a token"))).await.expect_err("not its own");
    one.set_fence(Some("two".parse().expect("a token"))).await.expect("handed over");
    one.resume_session().await.expect_err("not its own any more");
    two.set_fence(None).await.expect("removed");
    ground.client.resume_session().await.expect("there is none");
}

/// S7.5.
async fn a_stale_generation_is_refused_and_changes_nothing(ground: Arc<Ground>) {
    let named = || RunSpec { name: Some("web".parse().expect("a name")), ..ground.pty("exec sleep 100") };
    let guarded = |generation| ground.client.guarded(Guard { fence: None, generation: Some(generation) });
    let first = ground.start(named()).await;
    guarded(1).control(first, WriteStdin::text("x")).await.expect("the present one");
    let failure = guarded(2).stop(first, STOP).reply.await.expect_err("another");
    assert_eq!((failure.code, failure.retryable), (ErrorCode::Stale, false));
    ground.kill(first).await;
    let second = ground.start(named()).await;
    let old = guarded(1);
    assert_eq!(old.stop(first, STOP).reply.await.expect_err("there is a newer one").code, ErrorCode::Stale);
    assert_eq!(old.stop(second, STOP).reply.await.expect_err("that is the newer one").code, ErrorCode::Stale);
    assert_eq!(old.control(second, WriteStdin::text("x")).await.expect_err("stale").code, ErrorCode::Stale);
    let look = ground.client.inspect(second).await.expect("a look");
    assert_eq!((look.view.record.status, look.bytes.input), (Status::Running, 0));
    guarded(2).stop(second, STOP).reply.await.expect("stopped");
    ground.client.forget(first).await.expect("forgotten");
    assert_eq!(guarded(2).stop(first, STOP).reply.await.expect_err("on record").code, ErrorCode::Stale);
}

/// S7.6.
async fn a_failure_tells_whether_to_try_again_and_what_a_start_has_done(ground: Arc<Ground>) {
    let ground = ground.another(Limits { runs: 1, ..Limits::default() });
    ground.start(ground.sh("exec sleep 100")).await;
    let full = ground.try_start(ground.sh(":")).await.expect_err("full");
    assert_eq!((full.code, full.retryable, full.effects), (ErrorCode::CapacityFull, true, Effects::None));
    let json = serde_json::to_value(&full).expect("json");
    assert_eq!(
        (&json["code"], &json["retryable"], &json["effects"]),
        (&"capacity_full".into(), &true.into(), &"none".into())
    );
    ground.end().await;
    let closing = ground.try_start(ground.sh(":")).await.expect_err("closing");
    assert_eq!((closing.code, closing.retryable, closing.effects), (ErrorCode::Closing, false, Effects::None));
}
