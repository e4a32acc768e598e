//! `wait` (S6.4).

use std::sync::Arc;

use super::ground::{Ground, stand};

#[test]
fn waiting_for_one_run_has_its_exit_code() {
    stand(|ground: Arc<Ground>| async move {
        let run = ground.start(&["until [ -e go ]; do sleep 0.02; done; exit 42"]).await;
        let waiting = {
            let (ground, run) = (Arc::clone(&ground), run.clone());
            tokio::spawn(async move { ground.verb(&["wait", &run]).await })
        };
        std::fs::write(ground.dir.path().join("go"), "").expect("a file");
        let ran = waiting.await.expect("no panic");
        assert_eq!(ran.exit, 42, "{ran:?}");
        assert!(ran.out.ends_with(" failed with exit code 42\n"), "{ran:?}");
        let again = ground.verb(&["wait", &run, "--json"]).await;
        assert_eq!(
            (again.exit, again.json()["runs"][0]["exit_code"].as_i64()),
            (42, Some(42)),
            "an ended run is not waited for"
        );
    });
}

#[test]
fn waiting_for_several_runs_fails_when_one_has() {
    stand(|ground: Arc<Ground>| async move {
        let good = ground.start(&["--", "true"]).await;
        let bad = ground.start(&["exit 9"]).await;
        assert_eq!(ground.verb(&["wait", &good, &bad]).await.exit, 1);
        assert_eq!(ground.verb(&["wait", &good, &good]).await.exit, 0);
    });
}

#[test]
fn a_wait_whose_time_is_over_exits_124_and_leaves_the_run_alone() {
    stand(|ground: Arc<Ground>| async move {
        let run = ground.start(&["--", "sleep", "60"]).await;
        let ran = ground.verb(&["wait", &run, "--timeout", "50ms"]).await;
        assert_eq!((ran.exit, ran.out.as_str()), (124, ""), "{ran:?}");
        assert!(ran.err.starts_with("error: the time is over"), "{ran:?}");
        assert_eq!(ground.verb(&["show", &run, "--json"]).await.json()["status"], "running");
    });
}

#[test]
fn a_match_is_waited_for_in_both_streams_and_in_a_prompt() {
    stand(|ground: Arc<Ground>| async move {
        let run = ground.start(&["echo one; printf 'password: ' >&2; sleep 60"]).await;
        let ran = ground.verb(&["wait", &run, "--for", "match:^pass.*: $"]).await;
        assert_eq!((ran.exit, ran.out.as_str()), (0, "password: \n"), "{ran:?}");
        let ran = ground.verb(&["wait", &run, "--for", "match:one", "--json"]).await;
        assert_eq!(ran.json()["runs"][0]["match"]["stream"], "stdout");
    });
}

#[test]
fn a_run_that_ends_without_a_match_fails_the_wait() {
    stand(|ground: Arc<Ground>| async move {
        let run = ground.start(&["echo something else"]).await;
        let ran = ground.verb(&["wait", &run, "--for", "match:ready"]).await;
        assert_eq!((ran.exit, ran.out.as_str()), (1, ""), "{ran:?}");
        assert!(ran.err.contains("ended without a match for ready"), "{ran:?}");
    });
}
