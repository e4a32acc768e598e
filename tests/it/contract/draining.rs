//! Output after the root's exit (S4.10).

use std::sync::Arc;
use std::time::{Duration, Instant};

use shtask::model::{ErrorCode, Limits, RecordOutput, RunSpec, Status};

use super::ground::{Ground, on_every_ground, screen, streams};
use crate::harness::{Marker, have, survivors};

on_every_ground!(
    a_grandchild_that_holds_the_pipe_fails_the_run_when_the_drain_is_over,
    a_task_that_daemonizes_keeps_its_code_and_its_daemon,
    output_that_comes_after_the_root_is_taken_in,
    a_pipe_that_a_helper_reads_is_no_failure,
    the_last_line_of_a_terminal_is_never_lost,
    a_terminal_that_a_background_job_holds_keeps_the_code,
    a_program_that_closed_its_terminal_for_a_while_is_still_heard,
);

/// BUGS B12.
async fn a_grandchild_that_holds_the_pipe_fails_the_run_when_the_drain_is_over(ground: Arc<Ground>) {
    let quick = ground.another(Limits { output_drain: Duration::from_millis(300), ..Limits::default() });
    let marker = Marker::new();
    let start = Instant::now();
    let record = quick.outcome(quick.sh(format!("sleep {marker} & echo ok"))).await;
    assert!(start.elapsed() >= Duration::from_millis(300), "{:?}", start.elapsed());
    assert_eq!((record.status, record.exit_code), (Status::Failed, None));
    assert_eq!(record.failure.as_ref().map(|f| f.code), Some(ErrorCode::Undrained), "{record:?}");
    assert_eq!(streams(&record).0, "ok\n");
    let Some(RecordOutput::Pipes(pipes)) = &record.output else { panic!("pipes") };
    assert!(pipes.stdout_truncated && pipes.stderr_truncated);
    assert_eq!(survivors(&marker), []);
    quick.end().await;
}

/// S4.10.
async fn a_task_that_daemonizes_keeps_its_code_and_its_daemon(ground: Arc<Ground>) {
    let quick = ground.another(Limits { output_drain: Duration::from_millis(200), ..Limits::default() });
    let marker = Marker::new();
    for code in [0, 6] {
        let spec = RunSpec { daemonizes: true, ..quick.sh(format!("sleep {marker} & echo ok; exit {code}")) };
        let record = quick.outcome(spec).await;
        assert_eq!((record.exit_code, record.failure.clone()), (Some(code), None));
        assert_eq!(streams(&record).0, "ok\n");
    }
    assert_eq!(survivors(&marker).len(), 2, "they live on");
    drop(marker);
    quick.end().await;
}

/// S4.10.
async fn output_that_comes_after_the_root_is_taken_in(ground: Arc<Ground>) {
    let record = ground.outcome(ground.sh("(sleep 0.2; echo late) & echo early")).await;
    assert_eq!((record.status, streams(&record).0), (Status::Completed, "early\nlate\n"));
}

/// BUGS B12, the second form.
async fn a_pipe_that_a_helper_reads_is_no_failure(ground: Arc<Ground>) {
    if !have("bash") {
        return;
    }
    let record = ground.outcome(ground.argv(&["bash", "-c", "exec > >(tee -a log) 2>&1; echo ok"])).await;
    assert_eq!((record.status, streams(&record).0), (Status::Completed, "ok\n"));
}

/// S4.10.
async fn the_last_line_of_a_terminal_is_never_lost(ground: Arc<Ground>) {
    let mut waiting = Vec::new();
    for round in 0..200 {
        let spec = ground.pty(format!("seq 1 {}; printf 'the last line'", round * 7));
        waiting.push((round, spec));
    }
    for batch in waiting.chunks(10) {
        let runs = batch.iter().map(|(round, spec)| {
            let ground = Arc::clone(&ground);
            async move { (*round, ground.outcome(spec.clone()).await) }
        });
        for (round, record) in futures_util::future::join_all(runs).await {
            assert_eq!(record.status, Status::Completed, "{record:?}");
            assert!(screen(&record).0.ends_with("the last line"), "round {round}: {:?}", screen(&record).0);
        }
    }
}

/// S4.10: a shell's background jobs hold its terminal, which is no fault.
async fn a_terminal_that_a_background_job_holds_keeps_the_code(ground: Arc<Ground>) {
    let quick = ground.another(Limits { output_drain: Duration::from_millis(200), ..Limits::default() });
    let marker = Marker::new();
    let record = quick.outcome(quick.pty(format!("trap '' HUP; sleep {marker} & echo ok; exit 3"))).await;
    assert_eq!((record.status, record.exit_code, record.failure.clone()), (Status::Failed, Some(3), None));
    assert_eq!(survivors(&marker), []);
    quick.end().await;
}

/// DESIGN §3: the holder keeps the terminal, so that it does not end while its program lives.
async fn a_program_that_closed_its_terminal_for_a_while_is_still_heard(ground: Arc<Ground>) {
    let line = "exec </dev/null >/dev/null 2>&1; sleep 0.2; echo back > /dev/tty; sleep 0.2; seq 1 5000 > /dev/tty; \
                echo the end > /dev/tty";
    let record = ground.outcome(ground.pty(line)).await;
    assert_eq!(record.status, Status::Completed, "{record:?}");
    assert!(screen(&record).0.ends_with("5000\nthe end"), "{:?}", screen(&record).0);
    assert!(screen(&record).1.starts_with("back\n1\n"), "{:?}", &screen(&record).1[..20.min(screen(&record).1.len())]);
}
