//! `ls`, `show`, `read`, `logs` (S6, S9.2, S11.1).

use std::sync::Arc;

use super::ground::{Ground, stand};

#[test]
fn the_list_is_a_table_for_people_and_a_document_for_programs() {
    stand(|ground: Arc<Ground>| async move {
        let none = ground.verb(&["ls"]).await;
        assert_eq!((none.exit, none.out.as_str()), (0, ""));
        ground.start(&["--name", "web", "--", "sleep", "60"]).await;
        let done = ground.start(&["--wait", "--", "true"]).await;
        let out = ground.verb(&["ls"]).await.done();
        let lines: Vec<&str> = out.lines().collect();
        assert!(lines[0].starts_with("ID      NAME"), "{out}");
        assert_eq!(lines.len(), 3, "live, and ended without anybody having looked: {out}");
        assert!(out.contains("web:1") && out.contains("running") && out.contains("sleep 60"), "{out}");
        ground.verb(&["read", &done]).await.done();
        let json = ground.verb(&["ls", "--json"]).await.json();
        let runs = json["runs"].as_array().expect("runs");
        assert_eq!((runs.len(), runs[0]["name"].as_str()), (1, Some("web")));
        assert_eq!(runs[0]["live"]["control_open"], true);
        assert_eq!(ground.verb(&["ls", "--all", "--quiet"]).await.done().lines().count(), 2);
        let completed = ground.verb(&["ls", "--status", "completed", "-q"]).await.done();
        assert_eq!(completed.trim_end(), done);
    });
}

/// S2.3: the record's form is public.
#[test]
fn a_record_has_times_with_milliseconds_and_spans_in_milliseconds() {
    stand(|ground: Arc<Ground>| async move {
        let run = ground.start(&["--timeout", "90s", "--", "sleep", "60"]).await;
        let shown = ground.verb(&["show", &run, "--json"]).await.json();
        assert_eq!((shown["schema"].as_u64(), shown["timeout_ms"].as_u64()), (Some(1), Some(90_000)));
        let started = shown["started_at"].as_str().expect("a time");
        assert_eq!((started.len(), started.ends_with('Z')), ("2026-11-29T10:00:00.000Z".len(), true), "{started}");
        assert!(shown["pid"].as_i64().is_some_and(|pid| pid > 1));
        assert_eq!(shown["live"]["deadline"]["kind"], "wall");
        assert!(shown["live"]["processes"][0]["pid"] == shown["pid"]);
        let text = ground.verb(&["show", &run]).await.done();
        assert!(text.contains("ends in 1m") && text.contains("sleep 60") && text.contains("PROGRAM"), "{text}");
    });
}

/// S6.2.
#[test]
fn showing_marks_nothing_and_reading_marks_a_final_run() {
    stand(|ground: Arc<Ground>| async move {
        let run = ground.start(&["--wait", "--", "true"]).await;
        assert!(ground.verb(&["show", &run, "--json"]).await.json()["observed_at"].is_null());
        assert!(ground.verb(&["read", &run, "--json"]).await.json()["run"]["observed_at"].is_string());
    });
}

/// S9.2.
#[test]
fn nothing_that_a_run_prints_reaches_the_reader_as_a_command() {
    stand(|ground: Arc<Ground>| async move {
        let line = r"printf '\033]52;c;aGk=\007one\033[2J\033[31mtwo\033[0m\007\n'; printf 'three\n' >&2";
        let run = ground.start(&["--wait", line]).await;
        let logs = ground.verb(&["logs", &run]).await;
        assert_eq!((logs.out.as_str(), logs.err.as_str()), ("onetwo\n", "three\n"));
        let read = ground.verb(&["read", &run]).await;
        assert_eq!(read.out, "onetwo\nthree\n");
        assert!(read.err.contains("stdout") && read.err.contains("stderr"), "parts are told apart aside: {read:?}");
        let raw = ground.verb(&["logs", &run, "--raw", "--stream", "stdout"]).await.done();
        assert_eq!(raw, "\u{1b}]52;c;aGk=\u{7}one\u{1b}[2J\u{1b}[31mtwo\u{1b}[0m\u{7}\n");
        let name = ground.verb(&["run", "--wait", "--", "echo", "a\u{1b}[2Jb\n"]).await.done();
        let shown = ground.verb(&["show", name.trim_end()]).await.done();
        let listed = ground.verb(&["ls", "--all"]).await.done();
        assert!(!shown.contains('\u{1b}') && !listed.contains('\u{1b}'), "{shown}{listed}");
    });
}

#[test]
fn the_parts_of_a_terminal_can_be_read_apart_and_in_colours() {
    stand(|ground: Arc<Ground>| async move {
        let line =
            r"i=0; while [ $i -lt 30 ]; do echo row $i; i=$((i+1)); done; printf '\033[1;32mgreen\033[0m'; sleep 60";
        let run = ground.start(&["--pty", line]).await;
        ground.printed(&run, "green").await;
        let screen = ground.verb(&["read", &run, "--part", "screen"]).await.done();
        assert!(screen.ends_with("row 29\ngreen\n") && !screen.contains("row 5\n"), "{screen}");
        let scrollback = ground.verb(&["read", &run, "--part", "scrollback"]).await.done();
        assert!(scrollback.starts_with("row 0\n") && !scrollback.contains("row 29"), "{scrollback}");
        let colored = ground.verb(&["read", &run, "--part", "screen", "--format", "ansi"]).await.done();
        assert!(colored.ends_with("\u{1b}[0;1;32mgreen\u{1b}[0m\n"), "{colored:?}");
        let colored = ground.verb(&["read", &run, "--part", "scrollback", "--format", "ansi"]).await.done();
        assert!(colored.starts_with("row 0\nrow 1\n"), "{colored:?}");
        let pipes = ground.start(&["--wait", "--", "true"]).await;
        assert_eq!(ground.verb(&["read", &pipes, "--part", "screen"]).await.exit, 1);
    });
}

/// S6.3.
#[test]
fn logs_begin_where_they_are_asked_to() {
    stand(|ground: Arc<Ground>| async move {
        let run = ground
            .start(&["--wait", "i=0; while [ $i -lt 50000 ]; do echo line $i; i=$((i+1)); done; echo alone >&2"])
            .await;
        let tail = ground.verb(&["logs", &run, "--tail", "2"]).await;
        assert_eq!((tail.out.as_str(), tail.err.as_str()), ("line 49998\nline 49999\n", "alone\n"));
        let most = ground.verb(&["logs", &run, "--tail", "40000", "--stream", "stdout"]).await.done();
        assert!(most.starts_with("line 10000\n") && most.lines().count() == 40_000);
        let all = ground.verb(&["logs", &run, "--stream", "stdout"]).await.done();
        assert_eq!(all.lines().count(), 50_000);
        let from = ground.verb(&["logs", &run, "--offset", "7", "--stream", "stdout", "--json"]).await;
        let first: serde_json::Value = serde_json::from_str(from.out.lines().next().expect("a line")).expect("json");
        assert_eq!((first["offset"].as_u64(), first["stream"].as_str()), (Some(7), Some("stdout")));
        assert!(first["text"].as_str().is_some_and(|text| text.starts_with("line 1\n")));
    });
}

/// What a run prints while its log is read has no end.
#[test]
fn logs_of_a_run_that_never_stops_printing_end_where_it_was() {
    stand(|ground: Arc<Ground>| async move {
        let run = ground.start(&["--", "yes", "on and on"]).await;
        ground.printed(&run, "on and on").await;
        for _ in 0..20 {
            let tail = ground.verb(&["logs", &run, "--tail", "2", "--stream", "stdout"]).await.done();
            assert_eq!(tail.lines().count(), 2, "{tail}");
        }
        let all = ground.verb(&["logs", &run]).await.done();
        assert!(all.contains("on and on\n"));
        ground.verb(&["stop", &run]).await.done();
    });
}

#[test]
fn following_a_log_ends_with_the_run() {
    stand(|ground: Arc<Ground>| async move {
        let run = ground.start(&["echo first; until [ -e go ]; do sleep 0.02; done; echo last"]).await;
        let following = {
            let (ground, run) = (Arc::clone(&ground), run.clone());
            tokio::spawn(async move { ground.verb(&["logs", &run, "--follow"]).await })
        };
        ground.printed(&run, "first").await;
        std::fs::write(ground.dir.path().join("go"), "").expect("a file");
        assert_eq!(following.await.expect("no panic").done(), "first\nlast\n");
    });
}
