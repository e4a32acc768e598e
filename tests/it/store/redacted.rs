//! Secrets through the built program: in nothing that is stored or shown but the raw log, and on wish not there either (S9.4).

use std::path::Path;
use std::sync::Arc;

use shtask::model::RecordOutput;
use shtask::redact::MARK;
use shtask::store::log::{LogOptions, LogReader, LogStream};

use super::ground::{Program, Setup, pty, run, sh, until};
use crate::harness::{Exit, Home, Launch};

/// Returns the files below a folder that hold the text.
fn holders(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("entries") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if memchr::memmem::find(&std::fs::read(&path).unwrap_or_default(), text.as_bytes()).is_some() {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

/// A secret at a soft wrap of any width, at the border of the scrollback, over reads, in arguments, in a variable of the command, in what a start says.
const CONFIG: &str = r#"
[redact]
patterns = ['EMP-(?<secret>[a-z]+)']
[tasks.wraps]
run = '''i=0; while [ $i -lt 90 ]; do printf '%*s password=wrapWrapWrapSecret%s\n' $i x $i; i=$((i+1)); done; echo pattern EMP-patternSecret; sleep 1.5'''
[tasks.title]
run = '''printf '\033]0;token=titleTitleSecret\007'; sleep 1.5'''
[tasks.reads]
mode = "pipes"
argv = ["./reads.sh"]
[tasks.argv]
argv = ["/bin/echo", "--password", "argvArgvSecret"]
[tasks.variable]
run = "API_TOKEN=variableSecret true"
[tasks.start]
argv = ["./no-such-program?token=startStartSecret"]
"#;

const SECRETS: [&str; 7] = [
    "wrapWrapWrap",
    "patternSecret",
    "titleTitle",
    "ReadReadSecret",
    "errorErrorSecret",
    "argvArgvSecret",
    "variableSecret",
];

#[test]
fn no_secret_of_any_kind_is_in_the_state_directory_of_the_built_program_but_in_the_raw_logs() {
    for redact_logs in [false, true] {
        let home = Arc::new(Home::new());
        home.write("shtask.toml", format!("[output]\nredact_logs = {redact_logs}\n{CONFIG}"));
        home.script(
            "reads.sh",
            "printf pass; sleep 0.2; printf word=read; sleep 1.3; printf ReadReadSecret; sleep 0.3; echo; echo token=errorErrorSecret >&2",
        );
        let program =
            Launch::in_home(&home, env!("CARGO_BIN_EXE_shtask")).args(["--embedded", "--config", "shtask.toml"]);
        let mut terminal = program.size(120, 30).start();
        terminal.wait_for_text("no-such-program");
        assert!(!String::from_utf8_lossy(terminal.raw()).contains("startStartSecret"), "{}", terminal.picture());
        let state = home.folder("state");
        let projects = || std::fs::read_dir(state.join("shtask/projects")).into_iter().flatten().flatten();
        let records = || projects().map(|entry| entry.path().join("records.db")).next();
        let finals = |_: &mut crate::harness::Terminal| {
            let Some(connection) = records().and_then(|path| rusqlite::Connection::open(path).ok()) else {
                return false;
            };
            let count = "SELECT count(*) FROM runs WHERE completed_at IS NOT NULL";
            connection.query_row(count, [], |row| row.get::<_, i64>(0)).is_ok_and(|count| count == 5)
        };
        terminal.wait_until("all runs are on record", finals);
        terminal.signal(rustix::process::Signal::TERM);
        assert_eq!(terminal.wait_exit(), Exit::Code(143), "{}", terminal.picture());
        for secret in SECRETS {
            let in_records: Vec<_> =
                holders(&state, secret).into_iter().filter(|path| redact_logs || !path.contains("/logs/")).collect();
            assert!(in_records.is_empty(), "{secret}: {in_records:?}");
        }
        assert!(!holders(&state, MARK).is_empty(), "what was taken out is marked");
        if !redact_logs {
            assert!(!holders(&state, "wrapWrapWrapSecret7").is_empty(), "the raw log has what came");
        }
    }
}

#[test]
fn with_redact_logs_no_segment_and_no_redraw_has_a_secret_and_offsets_are_those_of_what_is_kept() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let logs = LogOptions { max_log_bytes: 64 * 1024, max_total_log_bytes: 0 };
        let setup = Setup { redacts: true, redacts_logs: true, logs, ..Setup::default() };
        let program = Program::start(state.path(), setup).expect("a program");
        // More than the log takes, with a secret on each screen, and one that the end finds half printed.
        let line = "i=0; while [ $i -lt 6000 ]; do i=$((i+1)); echo line $i password=hunter22; done; printf 'token=hunt'; sleep 0.2; printf er2";
        for spec in [pty(line), sh(line)] {
            let id = program.start_run(spec).await;
            let record = program.ended(id).await;
            let log = record.log.expect("a log");
            assert!(log.dropped_bytes > 0 && log.lost_bytes == 0, "{log:?}");
            let mut reader = LogReader::open(&program.logs, id).expect("a log");
            assert_eq!(reader.span(LogStream::Output).1, log.bytes);
            let kept = reader.read(LogStream::Output, 0, usize::MAX).expect("it can be read");
            assert_eq!(kept.skipped_bytes, log.dropped_bytes);
            let text = String::from_utf8(kept.bytes).expect("text");
            assert!(text.ends_with("token=[redacted]"), "{:?}", &text[text.len() - 60..]);
            let lines: Vec<&str> = text.lines().skip(1).collect();
            assert!(lines[..lines.len() - 1].iter().all(|line| line.ends_with(" password=[redacted]")), "{text}");
            assert!(shtask::store::log::total_bytes(&program.logs) <= 2 * logs.max_log_bytes);
        }
        program.leave().await;
        assert_eq!(holders(state.path(), "hunter2"), Vec::<String>::new());
    });
}

#[test]
fn what_a_read_shows_is_redacted_and_on_record_from_then_on() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let flush_interval = std::time::Duration::from_secs(3600);
        let setup = Setup { redacts: true, flush_interval, ..Setup::default() };
        let program = Program::start(state.path(), setup).expect("a program");
        for spec in [sh("echo x hunter2; exec sleep 1000"), pty("echo x hunter2; exec sleep 1000")] {
            let id = program.start_run(spec).await;
            let mut seen = String::new();
            // Part of a line may be there before the rest of it: what stands for the secret must have been seen, on a screen one `*` a cell.
            while !seen.contains(MARK) && !seen.contains("*******") {
                let parts = program.client.read(id, 1000).await.expect("a reading").parts;
                seen = parts.into_iter().map(|part| part.text).collect();
                assert!(!seen.contains("hunter2"), "{seen}");
            }
            // Nothing but the read flushes within the hour.
            until("it is on record", || {
                program.stored(id).and_then(|record| record.output).is_some_and(|output| match output {
                    RecordOutput::Pipes(pipes) => pipes.redacted,
                    RecordOutput::Pty(pty) => pty.redacted,
                })
            })
            .await;
        }
        program.leave().await;
    });
}

#[test]
fn what_a_refused_start_says_has_no_secret() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let program = Program::start(state.path(), Setup { redacts: true, ..Setup::default() }).expect("a program");
        let mut spec = sh("true");
        spec.cwd = "/nowhere/password=correct_horse".into();
        let failure = program.try_start_run(spec).await.expect_err("there is no such folder");
        assert!(failure.message.contains(MARK) && !failure.message.contains("horse"), "{failure}");
        program.leave().await;
    });
}
