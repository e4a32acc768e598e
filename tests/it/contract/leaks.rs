//! Nothing is left of runs, however they ended (S5.1; BUGS B06, B69).

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use shtask::api::{StartRequest, StopRequest, Update};
use shtask::model::{Limits, Status, Timeouts};

use super::ground::{Ground, on_every_ground, until, within};
use crate::harness::Process;

on_every_ground!(after_300_runs_of_every_end_no_slot_process_or_descriptor_is_left);

/// Set in the process that has the test to itself.
const ALONE: &str = "SHTASK_TEST_ALONE";

/// Runs the present test in a process of its own, where descriptors can be counted; returns whether this is that process.
fn is_alone() -> bool {
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let thread = std::thread::current();
    let name = thread.name().expect("a test thread has its test's name");
    let test = std::env::current_exe().expect("this program");
    let mut command = std::process::Command::new(test);
    command.args([name, "--exact", "--nocapture"]).env(ALONE, "1");
    let output = command.output().expect("the test alone");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    false
}

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("descriptors").count()
}

/// Forgets every run, once it is final.
async fn forget_all(ground: &Ground) {
    let mut feed = ground.client.subscribe();
    let Some(Update::Resync(views)) = within("the table", feed.next()).await else { panic!("the table comes first") };
    assert!(views.len() > 200, "they are on record: {}", views.len());
    for view in views {
        ground.ended(view.id()).await;
        within("an answer", ground.client.forget(view.id())).await.expect("forgotten");
    }
}

/// Lets one run end in one of many ways.
async fn one_run(ground: &Ground, way: usize) {
    let limited = |mut spec: shtask::model::RunSpec| {
        spec.timeouts = Timeouts { wall: Some(Duration::from_millis(20)), ..Timeouts::default() };
        spec
    };
    let stopped = async |spec, kill| {
        let run = ground.start(spec).await;
        within("a stop", ground.client.stop(run, StopRequest { kill }).reply).await.expect("stopped").record
    };
    match way % 12 {
        0 => assert_eq!(ground.outcome(ground.sh("exit 0")).await.exit_code, Some(0)),
        1 => assert_eq!(ground.outcome(ground.pty("exit 9")).await.exit_code, Some(9)),
        2 => assert_eq!(ground.outcome(ground.sh("kill -KILL $$")).await.exit_code, Some(137)),
        3 => assert_eq!(ground.outcome(limited(ground.sh("exec sleep 100"))).await.exit_code, Some(124)),
        4 => assert_eq!(ground.outcome(limited(ground.pty("exec sleep 100"))).await.exit_code, Some(124)),
        5 => assert_eq!(stopped(ground.sh("exec sleep 100"), false).await.exit_code, Some(130)),
        6 => assert_eq!(stopped(ground.pty("exec sleep 100"), true).await.exit_code, Some(130)),
        7 => drop(ground.try_start(ground.argv(&["no-such-program-7"])).await.expect_err("no program")),
        8 => assert_eq!(ground.outcome(ground.sh("true & exec sleep 0.01")).await.status, Status::Completed),
        9 => drop(ground.client.start_foreground(None, ground.sh("exec sleep 100"))),
        10 => drop(ground.client.start(StartRequest { spec: ground.sh("exit 1"), replace: false })),
        _ => {
            let mut foreground = ground.client.start_foreground(None, ground.sh("echo x"));
            let record = within("an outcome", &mut foreground.outcome).await.expect("a record");
            assert_eq!(record.status, Status::Completed);
        }
    }
}

/// S5.1, BUGS B06, B69.
async fn after_300_runs_of_every_end_no_slot_process_or_descriptor_is_left(ground: Arc<Ground>) {
    if !is_alone() {
        return;
    }
    let small = Arc::new(ground.another(Limits { runs: 16, pty_runs: 8, ..Limits::default() }));
    // What is made once, such as threads, is made by the first of them.
    let first = small.start(small.sh("exec sleep 100")).await;
    let holder = small.client.inspect(first).await.expect("a look").holder_pid.expect("a holder");
    let server = Process::look(holder).expect("the holder").parent;
    small.stop(first).await;
    until("the first is gone", || !Process::all().iter().any(|process| process.parent == server)).await;
    let before = open_descriptors();
    for batch in 0..25 {
        join_all((0..12).map(|way| one_run(&small, batch * 5 + way))).await;
    }
    until("no process is left, not even a dead one", || {
        !Process::all().iter().any(|process| process.parent == server || process.parent == holder)
    })
    .await;
    forget_all(&small).await;
    until("descriptors as before", || open_descriptors() <= before).await;
    // Every slot is there, and none twice.
    let all = join_all((0..16).map(|_| small.try_start(small.sh("exec sleep 100")))).await;
    assert!(all.iter().all(Result::is_ok), "{all:?}");
    small.try_start(small.sh(":")).await.expect_err("sixteen and no more");
    small.end().await;
}
