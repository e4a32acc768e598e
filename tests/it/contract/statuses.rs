//! What the end of a run comes to (S2.1, S2.2), and how its record grows (S2.3).

use std::sync::Arc;
use std::time::Duration;

use shtask::api::{StartRequest, Update};
use shtask::model::{Cause, ErrorCode, Record, Status, TimeoutKind, Timeouts};

use super::ground::{Ground, on_every_ground, within};

on_every_ground!(
    a_run_that_exits_with_0_is_completed,
    a_run_that_exits_with_another_code_is_failed_with_it,
    a_run_that_dies_by_a_signal_is_failed_with_128_and_its_number,
    a_run_past_its_timeout_is_timed_out_with_124_and_says_by_which,
    a_run_that_is_stopped_is_cancelled_with_130,
    a_program_that_cannot_be_executed_is_failed_with_the_code_of_a_shell,
    a_record_grows_by_one_revision_with_every_durable_change,
);

/// S2.2.
async fn a_run_that_exits_with_0_is_completed(ground: Arc<Ground>) {
    let record = ground.outcome(ground.sh("exit 0")).await;
    assert_eq!((record.status, record.exit_code, record.signal), (Status::Completed, Some(0), None));
    assert_eq!((record.cause, record.failure.clone()), (None, None));
}

/// S2.2.
async fn a_run_that_exits_with_another_code_is_failed_with_it(ground: Arc<Ground>) {
    for spec in [ground.sh("exit 42"), ground.pty("exit 42")] {
        let record = ground.outcome(spec).await;
        assert_eq!((record.status, record.exit_code, record.signal), (Status::Failed, Some(42), None));
        assert_eq!(record.failure, None, "it is its own end");
    }
}

/// S2.2.
async fn a_run_that_dies_by_a_signal_is_failed_with_128_and_its_number(ground: Arc<Ground>) {
    let record = ground.outcome(ground.sh("kill -SEGV $$")).await;
    assert_eq!((record.status, record.exit_code, record.signal), (Status::Failed, Some(139), Some(11)));
    assert_eq!(record.cause, None);
}

/// S2.2, S3.6.
async fn a_run_past_its_timeout_is_timed_out_with_124_and_says_by_which(ground: Arc<Ground>) {
    let mut spec = ground.sh("exec sleep 100");
    spec.timeouts = Timeouts { wall: Some(Duration::from_millis(100)), ..Timeouts::default() };
    let record = ground.outcome(spec).await;
    assert_eq!((record.status, record.exit_code), (Status::TimedOut, Some(124)));
    assert_eq!((record.cause, record.timed_out_by), (Some(Cause::Timeout), Some(TimeoutKind::Wall)));
    assert_eq!(record.timeout, Some(Duration::from_millis(100)));
}

/// S2.2.
async fn a_run_that_is_stopped_is_cancelled_with_130(ground: Arc<Ground>) {
    let run = ground.start(ground.pty("exec sleep 100")).await;
    let record = ground.stop(run).await;
    assert_eq!((record.status, record.exit_code), (Status::Cancelled, Some(130)));
    assert_eq!((record.cause, record.timed_out_by), (Some(Cause::Cancel), None));
}

/// S2.2, BUGS B24: what the kernel refuses once the record exists.
async fn a_program_that_cannot_be_executed_is_failed_with_the_code_of_a_shell(ground: Arc<Ground>) {
    use std::os::unix::fs::PermissionsExt;
    let cases = [("no-interpreter", "#!/no/such/interpreter\n", 127), ("no-format", "\u{1}\u{2}\u{3}\u{4}", 126)];
    for (name, text, code) in cases {
        let path = ground.dir.path().join(name);
        std::fs::write(&path, text).expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
        let path = path.to_str().expect("text");
        let mut feed = ground.client.subscribe();
        let failure = ground.try_start(ground.argv(&[path])).await.expect_err("it cannot be executed");
        assert_eq!(failure.code, ErrorCode::ExecFailed, "{failure}");
        assert!(failure.message.contains(path), "the message names it: {failure}");
        let record = last_record(&mut feed, Status::Failed).await;
        assert_eq!(record.exit_code, Some(code), "{record:?}");
        assert_eq!(record.failure.as_ref().map(|f| &f.message), Some(&failure.message));
        assert_eq!((record.process.clone(), record.started_at), (None, None));
    }
}

/// S2.3: 1 as it starts, 2 as it runs, 3 at its end, 4 when it was read.
async fn a_record_grows_by_one_revision_with_every_durable_change(ground: Arc<Ground>) {
    let mut feed = ground.client.subscribe();
    let mut spec = ground.sh("exit 0");
    spec.name = Some("build".parse().expect("a name"));
    let run = ground.client.start(StartRequest { spec, replace: false });
    let mut seen: Vec<Arc<Record>> = Vec::new();
    let mut note = |record: &Arc<Record>| {
        if seen.last().is_none_or(|last| last.revision != record.revision) {
            seen.push(Arc::clone(record));
        }
        seen.len()
    };
    within("three revisions", async {
        while let Some(update) = feed.next().await {
            if let Update::Run(view) = update
                && note(&view.record) == 3
            {
                break;
            }
        }
    })
    .await;
    let started = run.await.expect("started");
    let id = started.id;
    assert_eq!((started.status, started.revision), (Status::Running, 2));
    ground.client.read(id, 1024).await.expect("read");
    let observed = ground.client.inspect(id).await.expect("a look").view.record;
    note(&observed);
    let revisions: Vec<u64> = seen.iter().map(|record| record.revision).collect();
    assert_eq!(revisions, [1, 2, 3, 4]);
    let statuses: Vec<Status> = seen.iter().map(|record| record.status).collect();
    assert_eq!(statuses, [Status::Starting, Status::Running, Status::Completed, Status::Completed]);
    let [starting, running, completed, observed] = &seen[..] else { panic!("four") };
    assert_eq!((starting.process.clone(), starting.started_at), (None, None), "nothing was spawned yet");
    let process = running.process.clone().expect("a process");
    assert!(process.pid > 0 && process.start_ticks > 0 && !process.boot_id.is_empty());
    assert!(running.started_at.is_some() && running.completed_at.is_none());
    assert!(completed.completed_at >= completed.started_at && completed.observed_at.is_none());
    assert_eq!(
        Record { revision: 3, observed_at: None, updated_at: completed.updated_at, ..(**observed).clone() },
        **completed,
        "a final record changes only in that it was observed"
    );
    assert!(observed.observed_at.is_some());
    assert_eq!(completed.reference, format!("shtask://{}/{}", completed.session, completed.id));
    assert_eq!((completed.name.as_ref().map(ToString::to_string), completed.generation), (Some("build".into()), 1));
    assert_eq!(completed.argv, ["/bin/sh", "-c", "exit 0"]);
}

async fn last_record(feed: &mut shtask::api::Feed, status: Status) -> Arc<Record> {
    within("a record", async {
        loop {
            if let Some(Update::Run(view)) = feed.next().await
                && view.record.status == status
            {
                return Arc::clone(&view.record);
            }
        }
    })
    .await
}
