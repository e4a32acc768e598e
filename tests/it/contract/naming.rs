//! Named runs, their generations, and restarts (S7.5), BUGS B15.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use shtask::api::{StartRequest, StopRequest};
use shtask::model::{ErrorCode, RunSpec, Status, StopSpec};

use super::ground::{Ground, on_every_ground, within};
use crate::harness::{Marker, have, survivors};

on_every_ground!(
    at_most_one_run_of_a_name_is_active_unless_replace_is_asked,
    of_many_starts_of_one_name_at_once_exactly_one_wins,
    a_restart_starts_only_once_the_whole_old_tree_is_gone,
    a_restarted_listener_never_finds_its_address_in_use,
    a_restart_of_a_final_run_is_its_next_generation,
    a_restart_can_kill,
    restarts_at_the_same_time_come_to_one_new_run,
    a_stop_after_a_restart_takes_the_new_start_back,
);

fn named(spec: RunSpec, name: &str) -> RunSpec {
    RunSpec { name: Some(name.parse().expect("a name")), ..spec }
}

const STOP: StopRequest = StopRequest { kill: false };

/// S7.5.
async fn at_most_one_run_of_a_name_is_active_unless_replace_is_asked(ground: Arc<Ground>) {
    let spec = || named(ground.sh("exec sleep 100"), "db");
    let first = ground.start(spec()).await;
    let failure = ground.try_start(spec()).await.expect_err("it is active");
    assert_eq!(failure.code, ErrorCode::Conflict);
    assert!(failure.message.contains("db") && failure.message.contains(&first.short().to_string()), "{failure}");
    ground.start(named(ground.sh("exec sleep 100"), "web")).await;
    let replaced = ground.client.start(StartRequest { spec: spec(), replace: true });
    let second = within("a start", replaced).await.expect("replaced");
    assert_eq!((second.generation, second.status), (2, Status::Running));
    let old = ground.client.inspect(first).await.expect("a look").view.record;
    assert_eq!((old.status, old.generation), (Status::Cancelled, 1));
    ground.stop(second.id).await;
    assert_eq!(ground.outcome(named(ground.sh(":"), "db")).await.generation, 3);
    let adhoc = ground.outcome(ground.sh(":")).await;
    assert_eq!((adhoc.generation, adhoc.name.clone()), (1, None));
}

/// S7.5.
async fn of_many_starts_of_one_name_at_once_exactly_one_wins(ground: Arc<Ground>) {
    let spec = || named(ground.sh("exec sleep 100"), "db");
    let starts: Vec<_> = (0..10).map(|_| ground.client.start(StartRequest { spec: spec(), replace: false })).collect();
    let results = within("all answers", join_all(starts)).await;
    let started: Vec<_> = results.iter().filter_map(|result| result.as_ref().ok()).collect();
    assert_eq!((started.len(), started[0].generation), (1, 1));
    for failure in results.iter().filter_map(|result| result.as_ref().err()) {
        assert_eq!(failure.code, ErrorCode::Conflict, "{failure}");
    }
}

/// BUGS B15: no port, but the processes themselves.
async fn a_restart_starts_only_once_the_whole_old_tree_is_gone(ground: Arc<Ground>) {
    let marker = Marker::new();
    let stop = StopSpec { grace: Duration::from_millis(300), ..StopSpec::default() };
    let line =
        format!("[ -e mine ] && echo two at once; touch mine; trap '' TERM; sleep {marker}; sleep {marker} & wait");
    let leaves = "trap 'sleep 0.2; rm mine; exit' TERM; [ -e mine ] && echo two at once >&2; touch mine; echo up; \
                  while :; do sleep 1000 & wait $!; done";
    let mut run = ground.start(named(ground.sh(leaves), "one")).await;
    for generation in 2..6 {
        ground.until_shown(run, "up").await;
        let record = within("a restart", ground.client.restart(run, STOP)).await.expect("restarted");
        assert_eq!(record.generation, generation);
        run = record.id;
    }
    ground.until_shown(run, "up").await;
    let record = ground.stop(run).await;
    assert!(!super::ground::streams(&record).1.contains("two at once"), "{record:?}");
    let deaf = ground.start(named(RunSpec { stop, ..ground.sh(line) }, "deaf")).await;
    super::ground::until("the sleeper", || !survivors(&marker).is_empty()).await;
    let old = survivors(&marker);
    within("a restart", ground.client.restart(deaf, STOP)).await.expect("restarted");
    let now = survivors(&marker);
    assert!(old.iter().all(|process| !now.iter().any(|one| one.pid == process.pid)), "{old:?} {now:?}");
}

/// BUGS B15.
async fn a_restarted_listener_never_finds_its_address_in_use(ground: Arc<Ground>) {
    if !have("python3") {
        return;
    }
    let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let program = format!(
        "import socket, signal, sys, time\n\
         def leave(*_):\n    time.sleep(0.3)\n    sys.exit(0)\n\
         signal.signal(signal.SIGTERM, leave)\n\
         s = socket.socket()\ns.bind(('127.0.0.1', {port}))\ns.listen()\n\
         print('listening', flush=True)\n\
         while True: time.sleep(60)\n"
    );
    let mut run = ground.start(named(ground.argv(&["python3", "-c", &program]), "listener")).await;
    for generation in 2..12 {
        ground.until_shown(run, "listening").await;
        let record = within("a restart", ground.client.restart(run, STOP)).await.expect("restarted");
        assert_eq!((record.generation, record.status), (generation, Status::Running));
        run = record.id;
    }
    ground.until_shown(run, "listening").await;
}

/// S7.5.
async fn a_restart_of_a_final_run_is_its_next_generation(ground: Arc<Ground>) {
    let first = ground.outcome(named(ground.sh("echo \"$SHTASK_GENERATION\""), "job")).await;
    let second = within("a restart", ground.client.restart(first.id, STOP)).await.expect("restarted");
    let second = ground.ended(second.id).await;
    assert_eq!((second.generation, super::ground::streams(&second).0), (2, "2\n"));
    let unknown = shtask::model::RunId::from_bits([7; 10]);
    let failure = within("an answer", ground.client.restart(unknown, STOP)).await.expect_err("there is none");
    assert_eq!(failure.code, ErrorCode::NotFound);
}

/// The API of `restart`.
async fn a_restart_can_kill(ground: Arc<Ground>) {
    let stop = StopSpec { grace: Duration::from_secs(600), ..StopSpec::default() };
    let run = ground
        .start(RunSpec { stop, ..ground.sh("trap '' TERM; echo up; while :; do sleep 1000 & wait $!; done") })
        .await;
    ground.until_shown(run, "up").await;
    let next = within("a restart", ground.client.restart(run, StopRequest { kill: true })).await.expect("restarted");
    assert_ne!(next.id, run);
    ground.until_shown(next.id, "up").await;
    ground.kill(next.id).await;
}

/// S7.5.
async fn restarts_at_the_same_time_come_to_one_new_run(ground: Arc<Ground>) {
    let run = ground.start(named(ground.sh("exec sleep 100"), "db")).await;
    let restarts: Vec<_> = (0..5).map(|_| ground.client.restart(run, STOP)).collect();
    let records = within("all answers", join_all(restarts)).await;
    let ids: Vec<_> = records.into_iter().map(|record| record.expect("restarted").id).collect();
    assert!(ids.iter().all(|id| *id == ids[0] && *id != run), "{ids:?}");
}

/// As systemd does: of a restart and a later stop the stop stands.
async fn a_stop_after_a_restart_takes_the_new_start_back(ground: Arc<Ground>) {
    let run = ground
        .start(named(ground.sh("trap 'sleep 0.2; exit' TERM; echo up; while :; do sleep 1000 & wait $!; done"), "db"))
        .await;
    ground.until_shown(run, "up").await;
    let restart = ground.client.restart(run, STOP);
    let stop = ground.client.stop(run, STOP);
    let failure = within("an answer", restart).await.expect_err("it was stopped");
    assert_eq!(failure.code, ErrorCode::Stale, "{failure}");
    assert_eq!(within("the stop", stop.reply).await.expect("stopped").record.status, Status::Cancelled);
    ground.outcome(named(ground.sh(":"), "db")).await;
}
