//! What is answered to wrong input: one line, a hint, the exit code of the rule (S11.1, S11.2).

use std::sync::Arc;

use super::ground::{Ground, stand};

const ONE_REF: [&[&str]; 12] = [
    &["show"],
    &["read"],
    &["logs"],
    &["write", "--text", "x"],
    &["stop"],
    &["restart"],
    &["wait"],
    &["signal"],
    &["resize"],
    &["reap"],
    &["why"],
    &["export", "--format", "text"],
];

fn with_ref<'a>(verb: &[&'a str], reference: &'a str) -> Vec<&'a str> {
    let mut words = verb.to_vec();
    words.insert(1, reference);
    match verb[0] {
        "signal" => words.push("TERM"),
        "resize" => words.push("80x24"),
        _ => {}
    }
    words
}

#[test]
fn every_verb_answers_an_unknown_or_foreign_ref_with_3_and_one_line() {
    stand(|ground: Arc<Ground>| async move {
        for verb in ONE_REF {
            for reference in ["nobody", "0000", "web:7", "0123456789abcdef", "shtask://other/0123456789abcdef"] {
                let words = with_ref(verb, reference);
                let ran = ground.verb(&words).await;
                assert_eq!((ran.exit, ran.out.as_str()), (3, ""), "{words:?}: {ran:?}");
                assert_eq!(ran.err.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{words:?}: {ran:?}");
            }
        }
    });
}

#[test]
fn a_ref_that_names_no_run_gets_what_was_probably_meant() {
    stand(|ground: Arc<Ground>| async move {
        let hint = async |reference: &str| {
            let ran = ground.verb(&["show", reference]).await;
            assert_eq!(ran.exit, 3, "{ran:?}");
            ran.err.split_once("\nhint: ").map(|(_, hint)| hint.trim_end().to_owned()).unwrap_or_default()
        };
        assert_eq!(hint("web").await, "session cli-test has no runs; `shtask session ls` lists those that have");
        let run = ground.start(&["--wait", "--name", "web", "--", "true"]).await;
        let id = run.rsplit('/').next().expect("an id");
        assert_eq!(hint("wbe").await, "did you mean web?");
        assert_eq!(hint("web:7").await, "the newest generation of web is 1");
        assert_eq!(hint(&id[..3]).await, "a run id is named by 4 or more of its characters");
        assert_eq!(hint("something-else").await, "`shtask ls --all` lists the runs");
        assert_eq!(hint("0123456789abcdef").await, "`shtask ls --all` lists the runs");
        assert_eq!(hint("shtask://other/0123456789abcdef").await, "--session other looks there");
    });
}

#[test]
fn every_verb_answers_a_malformed_ref_with_2_and_shows_it_escaped() {
    stand(|ground: Arc<Ground>| async move {
        for verb in ONE_REF {
            let huge = "x".repeat(100_000);
            for reference in ["", "a b", "web:0", "\u{1b}[2J", "shtask://x", "../x", "a\nb", &huge] {
                let words = with_ref(verb, reference);
                let ran = ground.verb(&words).await;
                assert_eq!((ran.exit, ran.out.as_str()), (2, ""), "{words:?}: {ran:?}");
                assert!(ran.err.starts_with("error: "), "{words:?}: {ran:?}");
                assert!(ran.err.lines().count() <= 2, "an error and a hint: {ran:?}");
                assert!(ran.err.chars().all(|c| !c.is_control() || c == '\n'), "{ran:?}");
                assert!(ran.err.len() < 20_000, "{}", ran.err.len());
            }
        }
    });
}

#[test]
fn a_ref_that_is_missing_is_a_wrong_usage() {
    stand(|ground: Arc<Ground>| async move {
        for verb in ["show", "read", "logs", "write", "stop", "restart", "wait", "signal", "resize", "attach"] {
            let ran = ground.verb(&[verb]).await;
            assert_eq!(ran.exit, 2, "{ran:?}");
            assert!(ran.err.contains("REF") && ran.err.contains(&format!("hint: usage: shtask {verb}")), "{ran:?}");
        }
        let ran = ground.verb(&["lss"]).await;
        assert!(ran.err.contains("hint: some similar subcommands exist: 'logs', 'ls'"), "{ran:?}");
    });
}

#[test]
fn a_wrong_usage_names_what_is_missing_and_whose_help_says_more() {
    stand(|ground: Arc<Ground>| async move {
        for (words, message, hint) in [
            (&["session"][..], "shtask session needs one of these words behind it: ls, ", "shtask session --help"),
            (&["server"], "shtask server needs one of these words behind it: ", "shtask server --help"),
            (&["history", "--limit", "x"], "invalid value 'x' for '--limit <COUNT>'", "shtask history --help"),
            // `-- -3` would be another mistake.
            (&["logs", "--tail", "-3", "web"], "'-3'", "shtask logs"),
        ] {
            let ran = ground.verb(words).await;
            assert!(ran.exit == 2 && ran.err.contains(message) && ran.err.contains(hint), "{words:?}: {ran:?}");
        }
    });
}

#[test]
fn a_wrong_value_is_told_with_what_is_expected() {
    stand(|ground: Arc<Ground>| async move {
        for (words, expected) in [
            (&["history", "--limit", "x"][..], "expected a whole number from 1 to 10000"),
            (&["search", "x", "--limit", "1.5"], "expected a whole number from 1 to 1000000"),
            (&["read", "web", "--limit", "9999999"], "expected a whole number from 1 to 1048576"),
            (&["logs", "web", "--tail", "many"], "expected a whole number, 0 or more"),
            (&["logs", "web", "--offset", "1k"], "expected a whole number, 0 or more"),
            (&["wait", "web", "--timeout", "10"], "expected a duration such as 500ms, 10s or 1h 30m: 10 needs a unit"),
            (&["logs", "web", "--since", "soon"], "or a time such as 2026-11-29T10:00:00Z"),
            (&["resize", "web", "80"], "is not of the form COLSxROWS, as in 80x24"),
            (&["signal", "web", "TREM"], "did you mean TERM? expected a number from 1 to 64 or one of HUP"),
            (&["write", "web", "--key", "Entre"], "did you mean enter? keys look like"),
            (&["run", "--timeout", "25h", "--", "true"], "timeout of 25h is out of range: it must be 1ms to 24h"),
            (&["run", "--grace", "2h", "--", "true"], "the grace of 2h is out of range: it must be 0s to 1h"),
        ] {
            let ran = ground.verb(words).await;
            assert!(ran.exit == 2 && ran.err.contains(expected) && ran.err.lines().count() <= 2, "{words:?}: {ran:?}");
        }
    });
}

/// S11.1: where somebody can do something about it, that is said.
#[test]
fn a_failure_that_somebody_can_mend_has_a_hint() {
    stand(|ground: Arc<Ground>| async move {
        let ended = ground.start(&["--pty", "--wait", "--name", "ended", "--", "true"]).await;
        let live = ground.start(&["--name", "live", "--", "sleep", "60"]).await;
        for (words, exit, hint) in [
            (&["write", &ended, "--text", "x"][..], 5, "`shtask restart` starts a run that has ended again"),
            (&["signal", &ended, "TERM"], 5, "`shtask restart` starts a run that has ended again"),
            (&["write", &live, "--text", "x"], 1, "start it with a PTY to type into it"),
            (&["write", "live", "--paste", "no-such-file"], 2, "name a file that you can read"),
            (
                &["run", "--stdin", "no-such-file", "--", "cat"],
                2,
                "name a file that you can read, or - for standard input",
            ),
            (&["run", "--cwd", "/no/such/folder", "--", "true"], 2, "make it, or name another one"),
            (&["run", "--env-file", "none", "--", "true"], 2, "name a file that you can read, or leave it out"),
            (&["run", "-f", "--timeout", "20m", "--", "true"], 2, "a run in the background may take up to 24h"),
            (&["run", "-f", "--name", "live", "--", "true"], 125, "stop it first, or take another name"),
            (&["run", "--", ""], 2, "name a program, or a line for the shell"),
            (&["wait", "live", "--timeout", "1ms"], 124, "nothing was stopped: it may still come"),
            (&["wait", "ended", "--for", "match:never"], 1, "`shtask logs ended:1` has all that it printed"),
            (&["reap", "live"], 1, "only orphaned runs leave something to reap"),
            (&["export", "ended", "--text", "-o", "/no/such/folder/file"], 1, "name a file in a folder that is there"),
            (&["search", ""], 2, "search for a part that is in one line"),
        ] {
            let ran = ground.verb(words).await;
            let line = ran.err.lines().last().unwrap_or_default();
            assert!(ran.exit == exit && line.starts_with("hint: ") && line.contains(hint), "{words:?}: {ran:?}");
        }
        let json = ground.verb(&["write", &ended, "--text", "x", "--json"]).await;
        assert!(json.err.contains(r#""hint":"`shtask restart`"#), "{json:?}");
    });
}

/// S7.6.
#[test]
fn with_json_errors_are_objects() {
    stand(|ground: Arc<Ground>| async move {
        for (words, exit, code) in [
            (&["show", "nobody", "--json"][..], 3, "not_found"),
            (&["--json", "show", "a b"], 2, "invalid"),
            (&["run", "--json", "--", "no-such-program"], 1, "program_not_found"),
        ] {
            let ran = ground.verb(words).await;
            assert_eq!((ran.exit, ran.out.as_str()), (exit, ""), "{ran:?}");
            let error: serde_json::Value = serde_json::from_str(&ran.err).expect("json");
            let error = &error["error"];
            assert_eq!((error["code"].as_str(), error["retryable"].as_bool()), (Some(code), Some(false)), "{ran:?}");
            assert_eq!(error["effects"], "none");
        }
    });
}

#[test]
fn a_prefix_that_fits_several_runs_is_ambiguous() {
    stand(|ground: Arc<Ground>| async move {
        let run = ground.start(&["--", "sleep", "60"]).await;
        let id = run.rsplit('/').next().expect("an id").to_owned();
        ground.verb(&["show", &id[..4]]).await.done();
        ground.verb(&["show", &id]).await.done();
        assert_eq!(ground.verb(&["show", &id[..3]]).await.exit, 3, "three characters are too few");
    });
}
