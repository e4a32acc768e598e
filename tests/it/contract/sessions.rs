//! Sessions: nothing of one can be read or changed through another (SPEC §1).

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use shtask::api::{
    Client, Deadline, ExportFormat, LogRequest, RecordsRequest, SearchRequest, SearchScope, SignalTarget, StartRequest,
    StopRequest, Stream, Update, View,
};
use shtask::model::{ErrorCode, Failure, Limits, RunId, RunRef, RunSpec, Size, Status, TimeoutKind, WriteStdin};

use super::ground::{Ground, final_record, on_every_ground, within};

on_every_ground!(
    a_run_of_another_session_answers_like_one_that_never_was,
    a_feed_tells_only_of_its_own_session,
    names_and_generations_are_counted_in_each_session,
    a_full_capacity_is_full_for_every_session,
    ended_runs_leave_the_list_of_their_own_session_first,
    a_shutdown_ends_the_runs_of_all_sessions,
);

const STOP: StopRequest = StopRequest { kill: true };

async fn start(client: &dyn Client, spec: RunSpec) -> RunId {
    within("a start", client.start(StartRequest { spec, replace: false })).await.expect("started").id
}

fn search(scope: SearchScope) -> SearchRequest {
    SearchRequest {
        pattern: "x".into(),
        is_regex: false,
        ignore_case: false,
        scope,
        limit: 10,
        after: None,
        newest: None,
    }
}

/// Every request that names a run, with its failure.
async fn all_failures(ground: &Ground, client: &dyn Client, run: RunId) -> Vec<Failure> {
    let log = LogRequest { stream: Stream::Stdout, offset: 0, limit_bytes: 100, wait: None };
    vec![
        client.control(run, WriteStdin::text("x")).await.expect_err("control"),
        client.stop(run, STOP).reply.await.expect_err("stop"),
        client.withdraw_stop(run, shtask::api::StopId(0)).await.expect_err("withdraw"),
        client.restart(run, STOP).await.expect_err("restart"),
        client.signal(run, 15, SignalTarget::Tree).await.expect_err("signal"),
        client.set_deadline(run, TimeoutKind::Wall, Deadline::Remove).await.expect_err("deadline"),
        client.mark_ready(run).await.expect_err("ready"),
        client.rename(run, "other".parse().expect("a name")).await.expect_err("rename"),
        client.read(run, 100).await.expect_err("read"),
        client.read_log(run, log).await.expect_err("log"),
        client.inspect(run).await.expect_err("inspect"),
        client.history(run, 0, 10).await.expect_err("history"),
        client.watch(run, View { size: Size::DEFAULT }).await.expect_err("watch"),
        client.forget(run).await.expect_err("forget"),
        client.why(run).await.expect_err("why"),
        client.search(search(SearchScope::Run(run))).whole().await.expect_err("search"),
        client.export(run, ExportFormat::Json).outcome.await.expect_err("export"),
        client.export(run, ExportFormat::Text).outcome.await.expect_err("export"),
        client.reap(Some(run)).await.expect_err("reap"),
        client.resolve(RunRef::Id(run)).await.expect_err("resolve"),
        client.resolve(run.as_str()[..8].parse().expect("a ref")).await.expect_err("resolve"),
        client.resolve(format!("shtask://other/{run}").parse().expect("a ref")).await.expect_err("resolve"),
        client.resolve(RunRef::Full(ground.session.clone(), run)).await.expect_err("resolve"),
    ]
}

/// SPEC §1, S7.1: same answer, whatever the run is and whatever is asked.
async fn a_run_of_another_session_answers_like_one_that_never_was(ground: Arc<Ground>) {
    let live = ground.start(ground.pty("exec sleep 100")).await;
    let ended = ground.outcome(ground.sh(":")).await.id;
    let other = ground.client_of("other");
    let never = RunId::from_bits([3; 10]);
    let expected = all_failures(&ground, &*other, never).await;
    for run in [live, ended] {
        for (failure, expected) in all_failures(&ground, &*other, run).await.into_iter().zip(&expected) {
            let message = expected.message.replace(never.as_str(), run.as_str());
            let message = message.replace(&never.as_str()[..8], &run.as_str()[..8]).replace(never.short(), run.short());
            assert_eq!(failure, Failure { message, ..expected.clone() });
        }
    }
    assert!(expected.iter().all(|failure| failure.code == ErrorCode::NotFound), "{expected:?}");
    assert_eq!(other.list_records(RecordsRequest::newest(10)).await.expect("a page").records, []);
    assert_eq!(other.summary().await.expect("a summary").runs, []);
    assert_eq!(other.search(search(SearchScope::All)).whole().await.expect("results").runs, 0);
    let look = ground.client.inspect(live).await.expect("a look").view.record;
    assert_eq!((look.status, look.revision), (Status::Running, 2), "nothing has happened to it");
}

/// S6.5.
async fn a_feed_tells_only_of_its_own_session(ground: Arc<Ground>) {
    let other = ground.client_of("other");
    let live = ground.start(ground.sh("exec sleep 100")).await;
    let mut feed = other.subscribe();
    assert!(matches!(within("the table", feed.next()).await, Some(Update::Resync(runs)) if runs.is_empty()));
    ground.kill(live).await;
    ground.client.forget(live).await.expect("forgotten");
    let own = start(&*other, ground.sh(":")).await;
    while let Some(update) = within("an update", feed.next()).await {
        let Update::Run(view) = update else { panic!("{update:?}") };
        assert_eq!(view.id(), own);
        if view.record.status.is_final() {
            break;
        }
    }
    let mut mine = ground.client.subscribe();
    assert!(matches!(within("the table", mine.next()).await, Some(Update::Resync(runs)) if runs.is_empty()));
}

/// S7.5.
async fn names_and_generations_are_counted_in_each_session(ground: Arc<Ground>) {
    let other = ground.client_of("other");
    let spec = || RunSpec { name: Some("db".parse().expect("a name")), ..ground.sh("exec sleep 100") };
    let first = ground.start(spec()).await;
    ground.kill(first).await;
    ground.start(spec()).await;
    let request = StartRequest { spec: spec(), replace: true };
    let record = within("a start", other.start(request)).await.expect("no conflict");
    assert_eq!((record.generation, record.session.as_str()), (1, "other"));
    assert_eq!(record.reference, format!("shtask://other/{}", record.id));
    let live = ground.try_start(spec()).await.expect_err("its own is active");
    assert_eq!(live.code, ErrorCode::Conflict);
    assert!(!live.message.contains(record.id.short()), "{live}");
}

/// S5.1.
async fn a_full_capacity_is_full_for_every_session(ground: Arc<Ground>) {
    let ground = ground.another(Limits { runs: 2, ..Limits::default() });
    let other = ground.client_of("other");
    let own = ground.start(ground.sh("exec sleep 100")).await;
    start(&*other, ground.sh("exec sleep 100")).await;
    let failure = ground.try_start(ground.sh(":")).await.expect_err("full");
    assert_eq!(failure.code, ErrorCode::CapacityFull);
    ground.kill(own).await;
    start(&*other, ground.sh(":")).await;
    ground.end().await;
}

/// S2.8.
async fn ended_runs_leave_the_list_of_their_own_session_first(ground: Arc<Ground>) {
    let ground = ground.another(Limits { kept_runs: 2, ..Limits::default() });
    let mine = [ground.outcome(ground.sh(":")).await.id, ground.outcome(ground.sh(":")).await.id];
    let ends = |session: String| {
        let client = ground.client_of(&session);
        let ground = &ground;
        async move {
            let mut feed = client.subscribe();
            let run = start(&*client, ground.sh(":")).await;
            within("an end", final_record(&mut feed, run)).await;
            run
        }
    };
    for _ in 0..5 {
        ends("other".to_owned()).await;
    }
    assert_eq!(listed(&*ground.client).await, mine, "what another session does is nothing to it");
    // Whoever makes ever new sessions does not fill the memory: then the oldest of all leave.
    for at in 0..6 {
        ends(format!("other-{at}")).await;
    }
    assert_eq!(listed(&*ground.client).await, []);
    ground.end().await;
}

async fn listed(client: &dyn Client) -> Vec<RunId> {
    let Some(Update::Resync(views)) = within("the table", client.subscribe().next()).await else { panic!("a table") };
    views.iter().map(|view| view.id()).collect()
}

/// S7.2.
async fn a_shutdown_ends_the_runs_of_all_sessions(ground: Arc<Ground>) {
    let ground = ground.another(Limits::default());
    let clients: Vec<_> = ["one", "two"].map(|session| ground.client_of(session)).into();
    let runs = join_all(clients.iter().map(|client| start(&**client, ground.sh("exec sleep 100")))).await;
    let own = ground.start(ground.sh("exec sleep 100")).await;
    let report = ground.end().await;
    assert_eq!(report.ended, 3);
    for (client, run) in clients.iter().zip(&runs).chain([(&ground.client, &own)]) {
        let record = client.inspect(*run).await.expect("a look").view.record;
        assert_eq!(record.status, Status::Cancelled);
        let late = client.start(StartRequest { spec: ground.sh(":"), replace: false });
        let failure = tokio::time::timeout(Duration::from_secs(20), late).await.expect("an answer");
        assert_eq!(failure.expect_err("nothing starts").code, ErrorCode::Closing);
    }
}
