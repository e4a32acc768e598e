//! Another name for a live run (S7.5, S10.6).

use std::sync::Arc;

use shtask::api::{Client, StartRequest, StopRequest, Update};
use shtask::model::{ErrorCode, Failure, Guard, Limits, Record, RunId, RunName, RunSpec, TypistKind, WriteStdin};

use super::ground::{Ground, on_every_ground, within};

on_every_ground!(
    a_live_run_gets_another_name_with_the_next_revision_and_subscribers_see_it,
    a_name_goes_on_with_its_generations_and_is_free_for_others_once_it_is_given_up,
    the_name_of_a_live_run_is_refused_and_that_run_is_named,
    of_many_renames_to_one_name_at_once_exactly_one_wins,
    a_run_that_is_over_keeps_its_name,
    a_run_that_is_ending_keeps_its_name,
    a_restart_has_the_new_name,
    a_stale_generation_renames_nothing,
    a_keyboard_that_somebody_else_holds_is_in_nobodys_way,
);

const STOP: StopRequest = StopRequest { kill: false };

fn name(text: &str) -> RunName {
    text.parse().expect("a name")
}

fn named(spec: RunSpec, text: &str) -> RunSpec {
    RunSpec { name: Some(name(text)), ..spec }
}

async fn rename(client: &dyn Client, run: RunId, to: &str) -> Result<Arc<Record>, Failure> {
    within("a new name", client.rename(run, name(to))).await
}

async fn found(ground: &Ground, wanted: &str) -> Result<RunId, ErrorCode> {
    let found = within("an answer", ground.client.resolve(wanted.parse().expect("a ref"))).await;
    found.map(|record| record.id).map_err(|failure| failure.code)
}

/// S2.3.
async fn a_live_run_gets_another_name_with_the_next_revision_and_subscribers_see_it(ground: Arc<Ground>) {
    let run = ground.start(named(ground.sh("exec sleep 100"), "web")).await;
    let before = ground.client.inspect(run).await.expect("a look").view.record;
    let mut feed = ground.client.subscribe();
    let record = rename(&*ground.client, run, "api/one").await.expect("renamed");
    assert_eq!((record.name.clone(), record.generation, record.id), (Some(name("api/one")), 1, run));
    assert_eq!(record.revision, before.revision + 1);
    let seen = async {
        loop {
            match feed.next().await.expect("the other side lives") {
                Update::Run(view) if view.record.name == Some(name("api/one")) => return,
                Update::Run(_) | Update::Removed(_) | Update::Resync(_) => {}
            }
        }
    };
    within("a change of the list", seen).await;
    assert_eq!(found(&ground, "api/one").await, Ok(run));
    assert_eq!(found(&ground, "web").await, Err(ErrorCode::NotFound));
    // The same name once more changes nothing.
    let again = rename(&*ground.client, run, "api/one").await.expect("it has it");
    assert_eq!((again.generation, again.revision), (1, record.revision));
    let last = ground.stop(run).await;
    assert_eq!((last.name.clone(), last.generation), (Some(name("api/one")), 1));
}

async fn a_name_goes_on_with_its_generations_and_is_free_for_others_once_it_is_given_up(ground: Arc<Ground>) {
    let old = ground.outcome(named(ground.sh(":"), "job")).await;
    let run = ground.start(ground.sh("exec sleep 100")).await;
    let record = rename(&*ground.client, run, "job").await.expect("an ad hoc run gets its first name");
    assert_eq!(record.generation, 2);
    assert_eq!(found(&ground, "job").await, Ok(run));
    assert_eq!(found(&ground, "job:1").await, Ok(old.id));
    rename(&*ground.client, run, "other").await.expect("renamed");
    assert_eq!(found(&ground, "job").await, Ok(old.id), "the newest that has the name still");
    let next = ground.try_start(named(ground.sh("exec sleep 100"), "job")).await.expect("the name is free");
    assert_eq!(next.generation, 3, "no generation is used twice");
}

/// S7.5.
async fn the_name_of_a_live_run_is_refused_and_that_run_is_named(ground: Arc<Ground>) {
    let holder = ground.start(named(ground.sh("exec sleep 100"), "db")).await;
    let run = ground.start(named(ground.sh("exec sleep 100"), "web")).await;
    let failure = rename(&*ground.client, run, "db").await.expect_err("it is taken");
    assert_eq!((failure.code, failure.retryable), (ErrorCode::Conflict, false));
    assert!(failure.message.contains("db") && failure.message.contains(holder.short()), "{failure}");
    assert!(failure.hint.is_some());
    assert_eq!(found(&ground, "web").await, Ok(run));
    // One that is being started has it already.
    let starting =
        ground.client.start(StartRequest { spec: named(ground.sh("exec sleep 100"), "new"), replace: false });
    let renamed = ground.client.rename(run, name("new"));
    let started = within("a start", starting).await.expect("it was first").id;
    let failure = within("an answer", renamed).await.expect_err("it is taken");
    assert!(failure.code == ErrorCode::Conflict && failure.message.contains(started.short()), "{failure}");
    let elsewhere = ground.client_of("elsewhere");
    let other = elsewhere.start(StartRequest { spec: ground.sh("exec sleep 100"), replace: false });
    let other = within("a start", other).await.expect("started").id;
    rename(&*elsewhere, other, "db").await.expect("names are a session's own");
    assert_eq!(rename(&*elsewhere, run, "x").await.expect_err("not its run").code, ErrorCode::NotFound);
}

async fn of_many_renames_to_one_name_at_once_exactly_one_wins(ground: Arc<Ground>) {
    let mut runs = Vec::new();
    for _ in 0..5 {
        runs.push(ground.start(ground.sh("exec sleep 100")).await);
    }
    let asked: Vec<_> = runs.iter().map(|run| ground.client.rename(*run, name("one"))).collect();
    let results = within("all answers", futures_util::future::join_all(asked)).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    assert!(results.iter().flat_map(|result| result.as_ref().err()).all(|failure| failure.code == ErrorCode::Conflict));
}

/// S2.1.
async fn a_run_that_is_over_keeps_its_name(ground: Arc<Ground>) {
    let over = ground.outcome(named(ground.sh(":"), "web")).await;
    let unlisted = ground.another(Limits { kept_runs: 0, ..Limits::default() });
    let gone = unlisted.outcome(named(unlisted.sh(":"), "web")).await;
    for (ground, record) in [(&*ground, over), (&unlisted, gone)] {
        let failure = rename(&*ground.client, record.id, "other").await.expect_err("its record does not change");
        assert_eq!(failure.code, ErrorCode::ControlClosed);
        assert!(failure.message.contains("is over") && failure.hint.is_some(), "{failure}");
        assert_eq!(found(ground, "web").await, Ok(record.id));
    }
    let unknown = RunId::from_bits([7; 10]);
    assert_eq!(rename(&*ground.client, unknown, "other").await.expect_err("none").code, ErrorCode::NotFound);
    unlisted.end().await;
}

async fn a_run_that_is_ending_keeps_its_name(ground: Arc<Ground>) {
    let deaf = "trap '' TERM; echo up; while :; do sleep 1000 & wait $!; done";
    let run = ground.start(named(ground.sh(deaf), "deaf")).await;
    ground.until_shown(run, "up").await;
    let stopping = ground.client.stop(run, STOP);
    let failure = rename(&*ground.client, run, "other").await.expect_err("it ends");
    assert_eq!(failure.code, ErrorCode::ControlClosed, "{failure}");
    ground.kill(run).await;
    within("the stop", stopping.reply).await.expect("stopped");
}

async fn a_restart_has_the_new_name(ground: Arc<Ground>) {
    let run = ground.start(named(ground.sh("echo \"$SHTASK_TASK\"; exec sleep 100"), "web")).await;
    rename(&*ground.client, run, "api").await.expect("renamed");
    let next = within("a restart", ground.client.restart(run, STOP)).await.expect("restarted");
    assert_eq!((next.name.clone(), next.generation), (Some(name("api")), 2));
    ground.until_shown(next.id, "api").await;
}

/// S7.5.
async fn a_stale_generation_renames_nothing(ground: Arc<Ground>) {
    let run = ground.start(named(ground.sh("exec sleep 100"), "web")).await;
    let guarded = |generation| ground.client.guarded(Guard { fence: None, generation: Some(generation) });
    let failure = rename(&*guarded(2), run, "other").await.expect_err("it is the first");
    assert_eq!(failure.code, ErrorCode::Stale);
    assert_eq!(found(&ground, "web").await, Ok(run));
    rename(&*guarded(1), run, "other").await.expect("renamed");
}

/// S4.4: a name is not typed.
async fn a_keyboard_that_somebody_else_holds_is_in_nobodys_way(ground: Arc<Ground>) {
    let run = ground.start(ground.pty("exec sleep 100")).await;
    let person = ground.client_as(TypistKind::Person, "somebody");
    within("the keyboard", person.take_keyboard(run)).await.expect("taken");
    rename(&*ground.client_as(TypistKind::Agent, "an agent"), run, "shell").await.expect("renamed");
    let agent = ground.client_as(TypistKind::Agent, "another");
    let failure = within("an answer", agent.control(run, WriteStdin::text("x"))).await.expect_err("it is held");
    assert_eq!(failure.code, ErrorCode::Held);
}
