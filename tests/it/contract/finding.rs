//! Refs, pages of records and the summary (SPEC §1, S2.8, S6.9).

use std::sync::Arc;

use shtask::api::{Pruned, RecordsRequest};
use shtask::model::{ErrorCode, Limits, RunId, RunSpec, Status};

use super::ground::{Ground, on_every_ground, within};

on_every_ground!(
    every_form_of_a_ref_names_the_run,
    a_ref_finds_runs_that_have_left_the_list,
    a_ref_that_names_nothing_is_not_found,
    pages_have_every_record_once_newest_first_with_its_present_state,
    pages_have_only_what_was_asked_for,
    a_summary_has_what_needs_attention_oldest_first,
    a_prune_within_retention_deletes_nothing,
);

fn named(spec: RunSpec, name: &str) -> RunSpec {
    RunSpec { name: Some(name.parse().expect("a name")), ..spec }
}

async fn resolved(ground: &Ground, text: &str) -> Result<RunId, ErrorCode> {
    let wanted = text.parse().expect("a ref");
    let found = within("an answer", ground.client.resolve(wanted)).await;
    found.map(|record| record.id).map_err(|failure| failure.code)
}

/// SPEC §1.
async fn every_form_of_a_ref_names_the_run(ground: Arc<Ground>) {
    let first = ground.outcome(named(ground.sh("echo x"), "web")).await.id;
    let second = ground.start(named(ground.sh("exec sleep 100"), "web")).await;
    let adhoc = ground.start(ground.sh("exec sleep 100")).await;
    for (text, run) in [
        ("web".to_owned(), second),
        ("web:1".to_owned(), first),
        ("web:2".to_owned(), second),
        (adhoc.to_string(), adhoc),
        (adhoc.as_str()[..12].to_owned(), adhoc),
        (first.as_str()[..12].to_owned(), first),
        (format!("shtask://{}/{first}", ground.session), first),
    ] {
        assert_eq!(resolved(&ground, &text).await, Ok(run), "{text}");
    }
    let record = ground.client.resolve("web:1".parse().expect("a ref")).await.expect("found");
    assert_eq!((record.status, record.observed_at, &record.output), (Status::Completed, None, &None));
}

/// SPEC §1: also of runs that are only on record.
async fn a_ref_finds_runs_that_have_left_the_list(ground: Arc<Ground>) {
    let ground = ground.another(Limits { kept_runs: 0, ..Limits::default() });
    let first = ground.outcome(named(ground.sh(":"), "web")).await.id;
    let second = ground.outcome(named(ground.sh(":"), "web")).await.id;
    for (text, run) in [
        ("web".to_owned(), second),
        ("web:1".to_owned(), first),
        (first.to_string(), first),
        (first.as_str()[..12].to_owned(), first),
        (format!("shtask://{}/{first}", ground.session), first),
    ] {
        assert_eq!(resolved(&ground, &text).await, Ok(run), "{text}");
    }
    let live = ground.start(named(ground.sh("exec sleep 100"), "web")).await;
    assert_eq!(resolved(&ground, "web").await, Ok(live));
    assert_eq!(resolved(&ground, "web:2").await, Ok(second));
    ground.end().await;
}

/// SPEC §1.
async fn a_ref_that_names_nothing_is_not_found(ground: Arc<Ground>) {
    let run = ground.outcome(named(ground.sh(":"), "web")).await.id;
    for text in [
        &run.as_str()[..3],
        "nobody",
        "web:2",
        "nobody:1",
        "0000000000000000",
        &format!("shtask://another/{run}"),
        "zzzz",
    ] {
        assert_eq!(resolved(&ground, text).await, Err(ErrorCode::NotFound), "{text}");
    }
}

async fn page(ground: &Ground, request: RecordsRequest) -> (Vec<RunId>, Option<u64>) {
    let page = within("a page", ground.client.list_records(request)).await.expect("a page");
    assert!(page.records.iter().all(|record| record.output.is_none() && record.session == ground.session));
    (page.records.iter().map(|record| record.id).collect(), page.next)
}

/// The history.
async fn pages_have_every_record_once_newest_first_with_its_present_state(ground: Arc<Ground>) {
    let ground = ground.another(Limits { kept_runs: 3, ..Limits::default() });
    let mut runs = Vec::new();
    for _ in 0..7 {
        runs.push(ground.outcome(ground.sh("echo x")).await.id);
    }
    runs.push(ground.start(ground.sh("exec sleep 100")).await);
    runs.reverse();
    for limit in [1, 3, 8, 100] {
        let (mut all, mut before) = (Vec::new(), None);
        loop {
            let (records, next) = page(&ground, RecordsRequest { before, ..RecordsRequest::newest(limit) }).await;
            assert!(records.len() <= limit);
            all.extend(records);
            before = next;
            if before.is_none() {
                break;
            }
        }
        assert_eq!(all, runs, "{limit} a page");
    }
    for limit in [0, RecordsRequest::MAX_LIMIT + 1] {
        let failure = ground.client.list_records(RecordsRequest::newest(limit)).await.expect_err("out of range");
        assert_eq!(failure.code, ErrorCode::Invalid);
    }
    ground.kill(runs[0]).await;
    let page = ground.client.list_records(RecordsRequest::newest(1)).await.expect("a page");
    assert_eq!(page.records[0].status, Status::Cancelled, "what was answered is what is listed");
    ground.end().await;
}

/// The history.
async fn pages_have_only_what_was_asked_for(ground: Arc<Ground>) {
    let good = ground.outcome(named(ground.sh(":"), "web")).await;
    let bad = ground.outcome(ground.sh("exit 3")).await;
    let live = ground.start(named(ground.sh("exec sleep 100"), "web")).await;
    let all = || RecordsRequest::newest(100);
    let web = RecordsRequest { name: Some("web".parse().expect("a name")), ..all() };
    assert_eq!(page(&ground, web.clone()).await.0, [live, good.id]);
    let ended = RecordsRequest { statuses: vec![Status::Completed, Status::Failed], ..all() };
    assert_eq!(page(&ground, ended).await.0, [bad.id, good.id]);
    let running = RecordsRequest { statuses: vec![Status::Running], ..web };
    assert_eq!(page(&ground, running).await.0, [live]);
    let recent = RecordsRequest { since: bad.completed_at, ..all() };
    assert_eq!(page(&ground, recent).await.0, [live, bad.id], "live ones, and those that ended since");
}

/// S6.9.
async fn a_summary_has_what_needs_attention_oldest_first(ground: Arc<Ground>) {
    let mut runs = Vec::new();
    for at in 0..10 {
        runs.push(ground.outcome(ground.sh(format!("exit {}", at % 2))).await.id);
    }
    ground.client.read(runs[1], 100).await.expect("a reading");
    runs.push(ground.start(ground.sh("exec sleep 100")).await);
    let summary = within("a summary", ground.client.summary()).await.expect("a summary");
    let shown: Vec<RunId> = summary.runs.iter().map(|record| record.id).collect();
    assert_eq!((shown, summary.rest), ([&runs[..1], &runs[2..9]].concat(), 2));
    for run in &runs[..10] {
        ground.client.read(*run, 100).await.expect("a reading");
    }
    let end = std::time::Instant::now() + super::ground::DEADLINE;
    loop {
        // What has just been read is marked on the disk a moment later.
        let summary = within("a summary", ground.client.summary()).await.expect("a summary");
        let shown: Vec<RunId> = summary.runs.iter().map(|record| record.id).collect();
        if (&shown[..], summary.rest) == (&runs[10..], 0) {
            break;
        }
        assert!(std::time::Instant::now() < end, "{summary:?}");
    }
}

/// S2.8: what retention deletes is the store's test.
async fn a_prune_within_retention_deletes_nothing(ground: Arc<Ground>) {
    let run = ground.outcome(ground.sh(":")).await.id;
    assert_eq!(within("a prune", ground.client.prune()).await.expect("counts"), Pruned::default());
    assert_eq!(resolved(&ground, run.as_str()).await, Ok(run));
}
