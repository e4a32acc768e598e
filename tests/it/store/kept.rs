//! What is on the disk of runs that live and of runs that have ended.

use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

use shtask::api::{LogRequest, Stream};
use shtask::model::{ErrorCode, Mode, RecordOutput, RunId, RunSpec, Status};
use shtask::store::log::{LogOptions, LogReader, export_cast};

use super::ground::{Program, Setup, pty, run, session, sh, until, within};

fn stdout(output: Option<RecordOutput>) -> String {
    match output {
        Some(RecordOutput::Pipes(pipes)) => pipes.stdout,
        Some(RecordOutput::Pty(pty)) => pty.screen,
        None => String::new(),
    }
}

#[test]
fn a_live_record_has_the_newest_output_and_the_final_one_all_of_it() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        for (mode, line) in
            [(Mode::Pipes, "echo first; read x; echo last"), (Mode::Pty, "echo first; read x; echo last")]
        {
            let line = if mode == Mode::Pipes { "echo first; exec sleep 1000" } else { line };
            let id = program.start_run(RunSpec { mode, ..sh(line) }).await;
            until("the first line is on record", || {
                program.stored(id).is_some_and(|record| stdout(record.output).contains("first"))
            })
            .await;
            let live = program.stored(id).expect("a record");
            assert_eq!(live.status, Status::Running);
            assert!(live.log.expect("a log").bytes >= 6);
            let last = if mode == Mode::Pty {
                program
                    .control(
                        id,
                        shtask::model::WriteStdin { input: Some(shtask::model::Input::Text("\n".into())), size: None },
                    )
                    .await;
                program.ended(id).await
            } else {
                program.kill_run(id).await;
                program.stored(id).expect("a record")
            };
            assert_eq!(last.status, if mode == Mode::Pty { Status::Completed } else { Status::Cancelled });
            assert!(last.revision > live.revision);
            assert!(stdout(last.output).contains(if mode == Mode::Pty { "last" } else { "first" }));
        }
        program.leave().await;
    });
}

#[test]
fn a_run_that_prints_nothing_new_is_not_written_again() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let setup = Setup { flush_interval: Duration::from_millis(100), ..Setup::default() };
        let program = Program::start(state.path(), setup).expect("a program");
        let quiet = program.start_run(sh("echo once; exec sleep 1000")).await;
        // A screen that is drawn again and shows the same is nothing new either.
        let same = program.start_run(pty("printf once; while :; do printf '\\r\\033[Konce'; sleep 0.02; done")).await;
        for id in [quiet, same] {
            until("it is on record", || program.stored(id).is_some_and(|r| stdout(r.output).contains("once"))).await;
        }
        let before = program.stored(quiet).expect("a record").revision;
        // A third run shows that time goes by and that flushes are made.
        let busy = program.start_run(sh("while :; do date +%N; sleep 0.02; done")).await;
        until("a busy run is flushed", || program.stored(busy).is_some_and(|record| record.revision > 10)).await;
        assert_eq!(program.stored(quiet).expect("a record").revision, before);
        assert!(program.stored(same).expect("a record").revision <= 6, "{:?}", program.stored(same));
        program.leave().await;
    });
}

#[test]
fn a_log_is_read_by_offset_live_with_waiting_and_after_the_end() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let id = program.start_run(pty("stty raw -echo; printf ready; exec cat")).await;
        let long = Some(Duration::from_secs(25));
        let mut seen = Vec::new();
        while seen != b"ready" {
            let reading = program.read_log(id, seen.len() as u64, long).await;
            assert!(!reading.is_end);
            seen.extend(reading.bytes);
        }
        let nothing = program.read_log(id, 5, Some(Duration::from_millis(10))).await;
        assert_eq!((nothing.bytes.len(), nothing.next_offset, nothing.is_end), (0, 5, false));
        let client = std::sync::Arc::clone(&program.client);
        let request = LogRequest { stream: Stream::Stdout, offset: 5, limit_bytes: 100, wait: long };
        let waiting = client.read_log(id, request);
        program
            .control(
                id,
                shtask::model::WriteStdin { input: Some(shtask::model::Input::Text("typed".into())), size: None },
            )
            .await;
        assert_eq!(within("what was typed", waiting).await.expect("a log").bytes, b"typed");
        let ending = client.read_log(id, LogRequest { offset: 10, ..request });
        program.kill_run(id).await;
        let end = within("the end", ending).await.expect("a log");
        assert!(end.is_end && end.bytes.is_empty(), "{end:?}");
        assert_eq!(program.read_log(id, 0, None).await.bytes, b"readytyped");
        drop(client);
        program.leave().await;

        // Another program reads it too, and counts the generations on.
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let reading = program.read_log(id, 2, None).await;
        assert!(reading.is_end && reading.bytes == b"adytyped", "{reading:?}");
        let unknown = program.client.read_log(RunId::from_bits([9; 10]), request);
        assert_eq!(unknown.await.expect_err("there is none").code, ErrorCode::NotFound);
        program.leave().await;
    });
}

#[test]
fn generations_go_on_in_the_next_program() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        for generation in 1..=3 {
            let program = Program::start(state.path(), Setup::default()).expect("a program");
            let name = Some("web".parse().expect("a name"));
            let record = program.try_start_run(RunSpec { name, ..sh("true") }).await.expect("started");
            assert_eq!(record.generation, generation);
            program.ended(record.id).await;
            program.leave().await;
        }
    });
}

#[test]
fn only_a_read_marks_a_final_run_as_observed_and_the_summary_forgets_it_then() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let id = program.start_run(sh("exit 3")).await;
        program.ended(id).await;
        program.client.inspect(id).await.expect("inspected");
        program.read_log(id, 0, None).await;
        assert_eq!(program.stored(id).expect("a record").observed_at, None);
        assert_eq!(program.records.summary(&session()).expect("a summary").runs.len(), 1);
        let reading = within("a read", async {
            loop {
                let reading = program.client.read(id, 1000).await.expect("read");
                if reading.record.status.is_final() {
                    break reading;
                }
            }
        })
        .await;
        until("the mark is on the disk", || program.stored(id).is_some_and(|r| r.observed_at.is_some())).await;
        let marked = program.stored(id).expect("a record");
        assert_eq!(marked.observed_at, reading.record.observed_at);
        program.client.read(id, 1000).await.expect("read");
        assert_eq!(program.stored(id), Some(marked), "it is marked once");
        assert!(program.records.summary(&session()).expect("a summary").runs.is_empty());
        program.leave().await;
    });
}

#[test]
fn a_folder_whose_name_is_no_text_is_shown_escaped_and_no_obstacle() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let place = state.path().join(std::ffi::OsString::from_vec(b"odd-\xff".to_vec()));
        std::fs::create_dir(&place).expect("a folder");
        let program = Program::start(&state.path().join("state"), Setup::default()).expect("a program");
        let mut spec = sh("printf '%s' \"$ODD\" | od -An -tx1; basename \"$PWD\" | od -An -tx1");
        spec.cwd = place;
        spec.env.set = vec![("ODD".into(), std::ffi::OsString::from_vec(b"a\xa3".to_vec()))];
        let id = program.start_run(spec).await;
        let record = program.ended(id).await;
        assert_eq!(record.status, Status::Completed);
        assert!(record.cwd.to_string_lossy().ends_with("odd-\\xFF"), "{:?}", record.cwd);
        let text = stdout(record.output);
        assert!(text.contains("61 a3") && text.contains("6f 64 64 2d ff"), "{text}");
        program.leave().await;
    });
}

#[test]
fn a_flood_keeps_its_cap_on_the_disk_while_it_runs() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let max_log_bytes = 1 << 20;
        let logs = LogOptions { max_log_bytes, max_total_log_bytes: 0 };
        let program = Program::start(state.path(), Setup { logs, ..Setup::default() }).expect("a program");
        // No two lines are alike: output that looks the same as before is not flushed, and the record's count stays.
        for spec in [sh("exec seq 1 1000000000"), pty("exec seq 1 1000000000")] {
            let id = program.start_run(spec).await;
            for megabytes in 2..6 {
                until("the log grows", || {
                    program.stored(id).and_then(|record| record.log).is_some_and(|log| log.bytes > megabytes << 20)
                })
                .await;
                let bytes = shtask::store::log::total_bytes(&program.logs);
                assert!(bytes <= 2 * max_log_bytes, "{bytes}");
            }
            let record = program.kill_run(id).await;
            let log = record.log.expect("a log");
            assert!(log.dropped_bytes > 0 && log.lost_bytes == 0, "{log:?}");
            let reading = program.read_log(id, 0, None).await;
            assert_eq!(reading.skipped_bytes, log.dropped_bytes);
        }
        program.leave().await;
    });
}

#[test]
fn the_real_asciinema_plays_a_recording() {
    if !crate::harness::have("asciinema") {
        return;
    }
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let id = program.start_run(pty("printf '\\033[1mbold\\033[0m – and 世界\\n'; sleep 0.05; echo the end")).await;
        program.ended(id).await;
        let reader = LogReader::open(&program.logs, id).expect("a log");
        let path = state.path().join("run.cast");
        let mut file = std::fs::File::create(&path).expect("a file");
        export_cast(&reader, "a test", None, Duration::ZERO, &mut file).expect("a recording");
        // It wants a terminal, and has one here.
        let played =
            program.start_run(pty(&format!("LC_ALL=C.UTF-8 exec asciinema play -s 10 {}", path.display()))).await;
        let played = program.ended(played).await;
        assert_eq!(played.status, Status::Completed, "{played:?}");
        assert_eq!(stdout(played.output), "bold – and 世界\nthe end");
        program.leave().await;
    });
}

#[test]
fn a_secret_is_nowhere_in_the_state_directory_but_in_the_raw_log() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let program = Program::start(state.path(), Setup { redacts: true, ..Setup::default() }).expect("a program");
        let mut ids = Vec::new();
        for spec in [
            sh("echo hunter2; echo hunter2 >&2; sleep 0.5; exit 1"),
            pty("printf '\\033]0;hunter2\\007hunter2\\n'; sleep 0.5; printf '\\033[?1049hhunter2\\033[?1049l'"),
        ] {
            ids.push(program.start_run(spec).await);
        }
        for id in &ids {
            let record = program.ended(*id).await;
            assert!(record.command.contains("[redacted]"), "{record:?}");
            let redacted = match record.output.expect("output") {
                RecordOutput::Pipes(pipes) => pipes.redacted,
                RecordOutput::Pty(pty) => pty.redacted,
            };
            assert!(redacted);
        }
        let mut folders = vec![state.path().to_owned()];
        let mut holders = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("entries") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else if memchr::memmem::find(&std::fs::read(&path).expect("a file"), b"hunter2").is_some() {
                    assert!(path.starts_with(state.path().join("logs")), "{path:?}");
                    holders += 1;
                }
            }
        }
        assert_eq!(holders, 3, "both streams of the pipes, and the terminal");
        program.leave().await;
    });
}

#[test]
fn reads_of_logs_that_wait_are_bounded_and_leave_with_who_asked() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let id = program.start_run(sh("exec sleep 1000")).await;
        let wait = Some(Duration::from_secs(1000));
        let request = LogRequest { stream: Stream::Stdout, offset: 0, limit_bytes: 100, wait };
        let mut waiting: Vec<_> = (0..256).map(|_| program.client.read_log(id, request)).collect();
        let refused = within("a refusal", async {
            loop {
                let one_more =
                    program.client.read_log(id, LogRequest { wait: Some(Duration::from_millis(1)), ..request });
                if let Err(failure) = one_more.await {
                    break failure;
                }
                waiting.push(program.client.read_log(id, request));
            }
        })
        .await;
        assert_eq!(refused.code, ErrorCode::Busy, "{refused}");
        drop(waiting);
        within("room again", async {
            let again = LogRequest { wait: None, ..request };
            while program.client.read_log(id, again).await.is_err() {
                tokio::task::yield_now().await;
            }
        })
        .await;
        program.leave().await;
    });
}

#[test]
fn much_pipe_output_is_flushed_before_the_interval_is_over() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let setup = Setup { flush_interval: Duration::from_secs(3600), ..Setup::default() };
        let program = Program::start(state.path(), setup).expect("a program");
        let little = program.start_run(sh("echo little; exec sleep 1000")).await;
        let much = program.start_run(sh("seq 1 20000; exec sleep 1000")).await;
        until("much is on record", || program.stored(much).is_some_and(|record| record.output.is_some())).await;
        let quiet = program.stored(little).expect("a record");
        assert_eq!((quiet.status, quiet.output), (Status::Running, None), "little waits for the interval");
        program.leave().await;
    });
}
