//! `history`, `summary`, `why`, `search`, `prune`, `export`, `logs --since` (S2.8, S6.6–S6.9, S10.8).

use std::sync::Arc;

use super::ground::{Ground, stand};

#[test]
fn history_lists_what_is_on_record_newest_first() {
    stand(|ground: Arc<Ground>| async move {
        for code in 1..=3 {
            ground.verb(&["run", "--wait", "--name", "job", &format!("exit {code}")]).await;
        }
        ground.verb(&["run", "--wait", "--", "true"]).await.done();
        let all = ground.verb(&["history", "--json"]).await.json();
        assert_eq!(all["runs"].as_array().map(Vec::len), Some(4), "{all}");
        let named = ground.verb(&["history", "job", "--limit", "2", "--json"]).await.json();
        let codes: Vec<_> =
            named["runs"].as_array().expect("runs").iter().map(|run| run["exit_code"].as_i64()).collect();
        assert_eq!(codes, [Some(3), Some(2)]);
        assert_eq!(named["has_more"], true);
        let text = ground.verb(&["history", "job"]).await.done();
        assert!(text.starts_with("ID ") && text.contains("job:3") && text.contains("exit 1"), "{text}");
        assert!(text.contains("STARTED (UTC)"), "whose time it is: {text}");
    });
}

/// S11.2: a name is a name, as in every other verb.
#[test]
fn a_history_of_a_name_that_no_run_has_is_an_error_with_what_was_probably_meant() {
    stand(|ground: Arc<Ground>| async move {
        let none = ground.verb(&["history", "web"]).await;
        assert_eq!((none.exit, none.out.as_str()), (3, ""), "{none:?}");
        assert!(
            none.err.starts_with("error: no run on record is called web\nhint: session cli-test has no runs"),
            "{none:?}"
        );
        assert_eq!(ground.verb(&["history"]).await.exit, 0, "without a name there is nothing to be wrong about");
        let run = ground.start(&["--wait", "--name", "job", "--", "true"]).await;
        let near = ground.verb(&["history", "jbo", "--json"]).await;
        assert_eq!((near.exit, near.out.as_str()), (3, ""), "{near:?}");
        assert!(near.err.contains(r#""code":"not_found""#) && near.err.contains("did you mean job?"), "{near:?}");
        let id = run.rsplit('/').next().expect("an id");
        let by_id = ground.verb(&["history", id]).await;
        assert!(
            by_id.exit == 3 && by_id.err.contains(&format!("it is the id of a run: `shtask show {}`", &id[..6])),
            "{by_id:?}"
        );
    });
}

#[test]
fn the_summary_has_what_needs_attention_and_a_count_of_the_rest() {
    stand(|ground: Arc<Ground>| async move {
        for _ in 0..10 {
            ground.start(&["--wait", "--", "true"]).await;
        }
        let text = ground.verb(&["summary"]).await.done();
        assert_eq!(text.lines().count(), 9, "{text}");
        assert!(text.ends_with("and 2 more (ls --all)\n"), "{text}");
        assert_eq!(ground.verb(&["summary", "--json"]).await.json()["rest"], 2);
    });
}

#[test]
fn why_tells_in_one_line_how_a_run_ended() {
    stand(|ground: Arc<Ground>| async move {
        ground.verb(&["run", "--wait", "--name", "job", "exit 3"]).await;
        let text = ground.verb(&["why", "job"]).await.done();
        assert!(text.lines().count() == 1 && text.contains('3'), "{text}");
        let json = ground.verb(&["why", "job", "--json"]).await.json();
        assert!(json["why"].as_str().is_some_and(|why| why.starts_with("Run ")), "{json}");
    });
}

#[test]
fn a_search_finds_lines_and_exits_1_when_there_are_none() {
    stand(|ground: Arc<Ground>| async move {
        let run = ground.start(&["--wait", "echo one; echo two needle; echo NEEDLE >&2"]).await;
        let found = ground.verb(&["search", "needle", &run]).await.done();
        assert!(found.ends_with(":2: two needle\n") && found.lines().count() == 1, "{found}");
        let found = ground.verb(&["search", "-i", "-E", "^(two )?needle$", "--all", "--json"]).await.json();
        assert_eq!(found["hits"].as_array().map(Vec::len), Some(2), "{found}");
        let none = ground.verb(&["search", "haystack", "--all"]).await;
        assert_eq!((none.exit, none.out.as_str()), (1, ""));
        let wrong = ground.verb(&["search", "-E", "(", "--all"]).await;
        assert_eq!(wrong.exit, 2, "{wrong:?}");
    });
}

#[test]
fn a_search_goes_on_to_its_limit_page_by_page() {
    stand(|ground: Arc<Ground>| async move {
        let run = ground.start(&["--wait", "seq 1 2500 | sed s/^/needle-/"]).await;
        let found = ground.verb(&["search", "needle", &run, "--limit", "2200"]).await;
        assert_eq!((found.exit, found.out.lines().count()), (0, 2200));
        assert!(
            found.out.ends_with(":2200: needle-2200\n") && found.err.contains("more than these 2200"),
            "{}",
            found.err
        );
        let found = ground.verb(&["search", "needle", &run, "--limit", "2500", "--json"]).await.json();
        assert_eq!(found["hits"].as_array().map(Vec::len), Some(2500));
        assert_eq!((&found["has_more"], &found["runs"]), (&false.into(), &1.into()));
    });
}

#[test]
fn an_export_goes_to_standard_output_or_to_a_file() {
    stand(|ground: Arc<Ground>| async move {
        let run = ground.start(&["--wait", r"printf '\033[31mred\033[0m\n'"]).await;
        assert_eq!(ground.verb(&["export", &run, "--format", "text"]).await.done(), "red\n");
        assert_eq!(ground.verb(&["export", &run, "--format", "cast", "-o", "x.cast"]).await.done(), "");
        let cast = std::fs::read_to_string(ground.dir.path().join("x.cast")).expect("a file");
        assert!(cast.starts_with("{") && cast.lines().count() == 2, "{cast}");
        let json = ground.verb(&["export", &run, "--format", "json"]).await.json();
        assert_eq!(json["ref"], run.as_str());
        let failed = ground.verb(&["export", &run, "--format", "text", "-o", "no/such/file"]).await;
        assert_eq!(failed.exit, 1, "{failed:?}");
    });
}

#[test]
fn an_export_of_no_output_is_an_empty_file() {
    stand(|ground: Arc<Ground>| async move {
        let run = ground.start(&["--wait", "--", "true"]).await;
        ground.verb(&["export", &run, "--text", "--output", "empty"]).await.done();
        assert_eq!(std::fs::read(ground.dir.path().join("empty")).expect("a file"), b"");
    });
}

#[test]
fn logs_can_begin_at_a_time() {
    stand(|ground: Arc<Ground>| async move {
        let run = ground.start(&["echo early; sleep 2; echo late"]).await;
        ground.printed(&run, "early").await;
        // What the start itself took is not in the times of a recording.
        let between =
            jiff::Timestamp::now().saturating_add(std::time::Duration::from_secs(1)).expect("a time").to_string();
        ground.verb(&["wait", &run]).await.done();
        assert_eq!(ground.verb(&["logs", &run, "--since", &between]).await.done(), "late\n");
        assert_eq!(ground.verb(&["logs", &run, "--since", "1h"]).await.done(), "early\nlate\n");
    });
}

#[test]
fn a_prune_tells_what_it_removed() {
    stand(|ground: Arc<Ground>| async move {
        ground.start(&["--wait", "--", "true"]).await;
        assert_eq!(ground.verb(&["prune"]).await.done(), "0 records and 0 B of logs removed\n");
        assert_eq!(ground.verb(&["prune", "--json"]).await.json()["runs"], 0);
    });
}
