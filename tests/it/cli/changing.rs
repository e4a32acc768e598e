//! `write`, `resize`, `signal`, `stop`, `restart` (S4, S11.4).

use std::sync::Arc;

use super::ground::{Ground, stand};

#[test]
fn text_and_keys_are_typed_in_the_order_they_are_given_in() {
    stand(|ground: Arc<Ground>| async move {
        let run = ground.start(&["--pty", "stty -echo; read -r line; echo \"got <$line>\"; sleep 60"]).await;
        let words = ["write", &run, "--text", "ab", "--key", "backspace", "--text", "c d", "--key", "enter"];
        let ran = ground.verb(&words).await;
        assert_eq!((ran.exit, ran.out.as_str()), (0, "input of 7 bytes: queued\n"), "{ran:?}");
        ground.printed(&run, "got <ac d>").await;
    });
}

#[test]
fn control_keys_reach_the_run_and_a_paste_comes_from_a_file_or_standard_input() {
    stand(|ground: Arc<Ground>| async move {
        let run = ground
            .start(&["--pty", "trap 'echo interrupted' INT; sleep 60 & echo ready; while :; do wait; done"])
            .await;
        ground.printed(&run, "ready").await;
        ground.verb(&["write", &run, "--key", "C-c"]).await.done();
        ground.printed(&run, "interrupted").await;
        let run = ground.start(&["--pty", "--", "cat"]).await;
        std::fs::write(ground.dir.path().join("text"), "from a file\n").expect("a file");
        ground.verb(&["write", &run, "--paste", "text"]).await.done();
        ground.printed(&run, "from a file").await;
        ground.verb_with(&["write", &run, "--paste", "-"], "from standard input\n").await.done();
        ground.printed(&run, "from standard input").await;
    });
}

#[test]
fn a_resize_tells_what_it_did() {
    stand(|ground: Arc<Ground>| async move {
        let run = ground.start(&["--pty", "trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done"]).await;
        ground.printed(&run, "ready").await;
        assert_eq!(ground.verb(&["resize", &run, "100x40"]).await.done(), "size 100x40: applied\n");
        assert_eq!(ground.verb(&["resize", &run, "100x40"]).await.done(), "size 100x40: applied, as before\n");
        ground.printed(&run, "^40 100").await;
        let both = ground.verb(&["write", &run, "--size", "90x30", "--text", "x", "--json"]).await.json();
        assert_eq!(both["outcome"]["resize"]["changed"], true);
        assert_eq!(both["outcome"]["input"]["queued"], true);
    });
}

/// S11.2: what a run never had is another thing than what it has no more.
#[test]
fn what_has_no_terminal_takes_no_input() {
    stand(|ground: Arc<Ground>| async move {
        let live_pipes = ground.start(&["--", "sleep", "60"]).await;
        let ended_pipes = ground.start(&["--wait", "--", "true"]).await;
        let ended_pty = ground.start(&["--pty", "--wait", "--", "true"]).await;
        for (run, code) in [(live_pipes, 1), (ended_pipes, 1), (ended_pty, 5)] {
            for words in [&["write", &run, "--text", "x"][..], &["resize", &run, "80x24"]] {
                let ran = ground.verb(words).await;
                assert_eq!(ran.exit, code, "{words:?}: {ran:?}");
            }
        }
    });
}

/// S4.6.
#[test]
fn a_stop_returns_when_the_runs_are_gone() {
    stand(|ground: Arc<Ground>| async move {
        let one = ground.start(&["--name", "one", "--", "sleep", "60"]).await;
        ground.start(&["--name", "two", "trap '' TERM; sleep 60"]).await;
        let ran = ground.verb(&["stop", &one, "two", "--kill"]).await;
        assert_eq!((ran.exit, ran.out.as_str()), (0, "one:1 cancelled\ntwo:1 cancelled\n"), "{ran:?}");
        let again = ground.verb(&["stop", "one", "--json"]).await;
        if again.exit == 0 {
            assert_eq!(again.json()["stopped"][0]["applied"], false);
        } else {
            assert_eq!(again.exit, 5, "{again:?}");
        }
    });
}

/// A run that cannot be found does not keep the others alive.
#[test]
fn several_runs_are_stopped_even_when_one_is_unknown() {
    stand(|ground: Arc<Ground>| async move {
        ground.start(&["--name", "one", "--", "sleep", "60"]).await;
        let ran = ground.verb(&["stop", "nobody", "one"]).await;
        assert_eq!((ran.exit, ran.out.as_str()), (3, "one:1 cancelled\n"), "{ran:?}");
        assert!(ran.err.starts_with("error: ") && ran.err.contains("nobody"), "{ran:?}");
    });
}

#[test]
fn a_restart_prints_the_ref_of_the_next_generation() {
    stand(|ground: Arc<Ground>| async move {
        let one = ground.start(&["--name", "web", "--", "sleep", "60"]).await;
        let two = ground.verb(&["restart", "web"]).await.done();
        assert_ne!(two.trim_end(), one);
        assert_eq!(ground.verb(&["show", two.trim_end(), "--json"]).await.json()["generation"], 2);
        assert_eq!(ground.verb(&["show", &one, "--json"]).await.json()["status"], "cancelled");
    });
}

#[test]
fn a_signal_goes_to_whom_it_is_meant_for() {
    stand(|ground: Arc<Ground>| async move {
        let run = ground.start(&["trap 'echo caught' USR1; echo ready; while :; do sleep 0.05; done"]).await;
        ground.printed(&run, "ready").await;
        assert_eq!(ground.verb(&["signal", &run, "USR1", "--root"]).await.done(), "signal 10 sent to 1 process\n");
        ground.printed(&run, "caught").await;
        let json = ground.verb(&["signal", &run, "0x", "--json"]).await;
        assert_eq!(json.exit, 2, "{json:?}");
    });
}

/// S7.5.
#[test]
fn a_rename_tells_name_and_generation_and_what_is_wrong_with_a_name() {
    stand(|ground: Arc<Ground>| async move {
        let run = ground.start(&["--", "sleep", "60"]).await;
        assert_eq!(ground.verb(&["rename", &run, "web/api"]).await.done(), "web/api:1\n");
        let json = ground.verb(&["rename", "web/api", "api", "--json"]).await.json();
        assert_eq!((&json["name"], &json["generation"]), (&"api".into(), &1.into()));
        ground.start(&["--name", "db", "--", "sleep", "60"]).await;
        let taken = ground.verb(&["rename", "api", "db"]).await;
        assert_eq!(taken.exit, 1, "{taken:?}");
        assert!(taken.err.contains("db is the name of a live run") && taken.err.contains("hint: "), "{taken:?}");
        let long = "x".repeat(129);
        for bad in ["", "a b", "a\n", "\u{1b}[2J", "/a", "a//b", "-a", &long] {
            let ran = ground.verb(&["rename", "api", "--", bad]).await;
            assert_eq!(ran.exit, 2, "{ran:?}");
            assert!(ran.err.contains("1 to 128 of the characters") && !ran.err.contains('\u{1b}'), "{ran:?}");
        }
        ground.verb(&["stop", "api", "--kill"]).await.done();
        let over = ground.verb(&["rename", "api", "other"]).await;
        assert_eq!(over.exit, 5, "{over:?}");
        assert_eq!(ground.verb(&["rename", "nobody", "other"]).await.exit, 3);
    });
}
