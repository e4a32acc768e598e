//! `run` (S3.3, S3.5, S11.3).

use std::sync::Arc;

use super::ground::{Ground, stand};

async fn output(ground: &Ground, words: &[&str]) -> String {
    let all = [&["run", "--wait"], words].concat();
    let run = ground.verb(&all).await.done();
    ground.verb(&["logs", run.trim_end()]).await.done()
}

#[test]
fn run_prints_its_ref_alone_on_one_line() {
    stand(|ground: Arc<Ground>| async move {
        let ran = ground.verb(&["run", "--", "true"]).await;
        let lines: Vec<&str> = ran.out.lines().collect();
        assert_eq!((ran.exit, ran.err.as_str(), lines.len()), (0, "", 1));
        assert!(lines[0].starts_with("shtask://cli-test/"), "{}", lines[0]);
        let shown = ground.verb(&["show", lines[0], "--json"]).await.json();
        assert_eq!(shown["ref"], lines[0]);
    });
}

#[test]
fn one_word_with_spaces_is_a_shell_line_and_several_words_are_an_argv() {
    stand(|ground: Arc<Ground>| async move {
        assert_eq!(output(&ground, &["echo one; echo $((1 + 1))"]).await, "one\n2\n");
        assert_eq!(output(&ground, &["--", "echo", "one; echo", "$HOME"]).await, "one; echo $HOME\n");
        let ran = ground.verb(&["run", "--login", "--", "echo", "a"]).await;
        assert_eq!(ran.exit, 2, "{ran:?}");
        assert!(ran.err.contains("hint: put the command into one word"), "{ran:?}");
    });
}

/// S3.3: what the client sees is what the run sees.
#[test]
fn a_run_has_the_environment_and_the_folder_of_its_client() {
    stand(|ground: Arc<Ground>| async move {
        std::fs::create_dir(ground.dir.path().join("inner")).expect("a folder");
        std::fs::write(ground.dir.path().join("vars"), "FROM_FILE=file\nBOTH=file\n").expect("a file");
        let words = [
            "--cwd",
            "inner",
            "--env",
            "GIVEN=a=b",
            "--env",
            "BOTH=flag",
            "--env-file",
            "vars",
            "--unset",
            "HOME",
            "echo $GIVEN $FROM_FILE $BOTH [$HOME] ${PWD##*/}",
        ];
        assert_eq!(output(&ground, &words).await, "a=b file flag [] inner\n");
        assert_eq!(output(&ground, &["--cwd", "inner", "pwd; :"]).await.trim_end().rsplit('/').next(), Some("inner"));
    });
}

#[test]
fn standard_input_is_passed_on_when_it_is_asked_for() {
    stand(|ground: Arc<Ground>| async move {
        let ran = ground.verb_with(&["run", "--foreground", "--stdin", "-", "--", "tr", "a-z", "A-Z"], "given").await;
        assert_eq!((ran.exit, ran.out.as_str(), ran.err.as_str()), (0, "GIVEN", ""));
        let ran = ground.verb_with(&["run", "--foreground", "--", "cat"], "not given").await;
        assert_eq!((ran.exit, ran.out.as_str()), (0, ""));
        let missing = ground.verb(&["run", "--stdin", "nowhere", "cat"]).await;
        assert_eq!(missing.exit, 2, "{missing:?}");
        assert!(missing.err.starts_with("error: nowhere cannot be read"), "{missing:?}");
    });
}

/// S3.5, S11.2.
#[test]
fn in_the_foreground_bytes_and_exit_code_are_those_of_the_command() {
    stand(|ground: Arc<Ground>| async move {
        let ran = ground.verb(&["run", "--foreground", "printf 'a\\tb'; printf c >&2; exit 42"]).await;
        assert_eq!((ran.exit, ran.out.as_str(), ran.err.as_str()), (42, "a\tb", "c"));
        let ran = ground.verb(&["run", "-f", "kill -9 $$"]).await;
        assert_eq!((ran.exit, ran.out.as_str()), (137, ""));
    });
}

/// S11.2: as a shell answers.
#[test]
fn in_the_foreground_a_command_that_cannot_be_run_has_the_exit_code_of_a_shell() {
    stand(|ground: Arc<Ground>| async move {
        std::fs::write(ground.dir.path().join("plain"), "no program").expect("a file");
        for (words, exit, part) in [
            (&["run", "-f", "--", "no-such-program"][..], 127, "error: program no-such-program was not found"),
            (&["run", "-f", "--", "./nowhere"], 127, "does not exist"),
            (&["run", "-f", "--", "./plain"], 126, "is not executable"),
            (&["run", "-f", "--", "/"], 126, "is a folder"),
            (&["run", "-f", "--cwd", "/no/such", "--", "true"], 2, "/no/such"),
            (&["run", "-f", "--timeout", "11m", "--", "true"], 2, "out of range"),
        ] {
            let ran = ground.verb(words).await;
            assert_eq!((ran.exit, ran.out.as_str()), (exit, ""), "{ran:?}");
            assert!(ran.err.contains(part), "{ran:?}");
        }
    });
}

#[test]
fn in_the_foreground_a_timeout_is_124() {
    stand(|ground: Arc<Ground>| async move {
        let ran = ground.verb(&["run", "-f", "--timeout", "100ms", "--grace", "0s", "--", "sleep", "60"]).await;
        assert_eq!((ran.exit, ran.out.as_str()), (124, ""), "{ran:?}");
    });
}

/// S3.5: the live road takes 1 MiB; a wrapper that loses the rest would be none.
#[test]
fn in_the_foreground_nothing_is_lost_past_what_is_passed_on_live() {
    stand(|ground: Arc<Ground>| async move {
        let ran = ground.verb(&["run", "-f", "i=0; while [ $i -lt 40000 ]; do echo \"$i .................................................\"; i=$((i+1)); done; echo end >&2"]).await;
        let expected: String =
            (0..40_000).map(|i| format!("{i} .................................................\n")).collect();
        assert!(expected.len() > 2 * 1024 * 1024);
        assert_eq!((ran.exit, ran.err.as_str()), (0, "end\n"));
        assert!(ran.out == expected, "{} bytes of {}", ran.out.len(), expected.len());
    });
}

#[test]
fn run_with_wait_has_the_exit_code_of_the_run() {
    stand(|ground: Arc<Ground>| async move {
        let ran = ground.verb(&["run", "--wait", "exit 7"]).await;
        assert_eq!((ran.exit, ran.out.lines().count()), (7, 1));
        let ran = ground.verb(&["run", "--wait", "--json", "exit 7"]).await;
        assert_eq!((ran.exit, ran.json()["exit_code"].as_i64()), (7, Some(7)));
    });
}

/// S7.5.
#[test]
fn a_name_is_taken_until_it_is_replaced() {
    stand(|ground: Arc<Ground>| async move {
        ground.start(&["--name", "web", "--", "sleep", "60"]).await;
        let again = ground.verb(&["run", "--name", "web", "--", "sleep", "60"]).await;
        assert_eq!((again.exit, again.out.as_str()), (1, ""));
        ground.start(&["--name", "web", "--replace", "--", "sleep", "60"]).await;
        assert_eq!(ground.verb(&["show", "web", "--json"]).await.json()["generation"], 2);
        assert_eq!(ground.verb(&["show", "web:1", "--json"]).await.json()["status"], "cancelled");
    });
}
