//! Starting runs: what is refused, when, and that nothing is left of it (S3.1, S3.2).

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;

use shtask::api::Update;
use shtask::model::{CommandSpec, Effects, ErrorCode, Limits, RunSpec, Status};

use super::ground::{Ground, on_every_ground, until, within};

on_every_ground!(
    a_missing_program_is_refused_before_a_record_exists,
    a_working_folder_that_cannot_be_used_is_refused_by_name,
    a_request_that_is_wrong_in_itself_is_refused_before_a_record_exists,
    a_failed_start_gives_its_slot_back_once_and_tells_once,
    an_argv_that_is_too_long_is_failed_with_the_reason,
    a_shell_line_is_run_by_the_shell_that_is_named,
    a_start_whose_asker_has_left_runs_all_the_same,
);

/// Returns that a spec is refused, and that no record of it was ever seen.
async fn refused(ground: &Ground, spec: RunSpec, code: ErrorCode, named: &str) {
    let mut feed = ground.client.subscribe();
    let failure = ground.try_start(spec).await.expect_err("refused");
    assert_eq!((failure.code, failure.effects), (code, Effects::None), "{failure}");
    assert!(failure.message.contains(named), "{named:?} is named: {failure}");
    assert!(!failure.message.contains('\n'));
    // A run of its own proves that the feed has come past the refused one.
    let after = ground.outcome(ground.sh(":")).await;
    within("the feed", async {
        loop {
            match feed.next().await {
                Some(Update::Run(view)) if view.id() == after.id => return,
                Some(Update::Run(view)) => panic!("a record exists: {:?}", view.record),
                Some(Update::Resync(_) | Update::Removed(_)) => {}
                None => panic!("the feed ended"),
            }
        }
    })
    .await;
    ground.client.forget(after.id).await.expect("forgotten");
}

/// S3.2, BUGS B24.
async fn a_missing_program_is_refused_before_a_record_exists(ground: Arc<Ground>) {
    refused(&ground, ground.argv(&["no-such-program-7"]), ErrorCode::ProgramNotFound, "no-such-program-7").await;
    refused(&ground, ground.argv(&["/no/such/program"]), ErrorCode::ProgramNotFound, "/no/such/program").await;
    let folder = ground.dir.path().join("folder");
    std::fs::create_dir(&folder).expect("a folder");
    refused(&ground, ground.argv(&[folder.to_str().expect("text")]), ErrorCode::NotExecutable, "folder").await;
    let file = ground.dir.path().join("not-executable");
    std::fs::write(&file, "#!/bin/sh\n").expect("a file");
    refused(&ground, ground.argv(&[file.to_str().expect("text")]), ErrorCode::NotExecutable, "not-executable").await;
    let mut spec = ground.sh(":");
    spec.env.files = vec![PathBuf::from("missing.env")];
    refused(&ground, spec, ErrorCode::NotRunnable, "missing.env").await;
}

/// S3.2, BUGS B23. A closed folder stops nobody who is root, so that one needs an ordinary user.
async fn a_working_folder_that_cannot_be_used_is_refused_by_name(ground: Arc<Ground>) {
    let mut missing = ground.sh(":");
    missing.cwd = ground.dir.path().join("gone");
    refused(&ground, missing, ErrorCode::NotRunnable, "gone").await;
    let file = ground.dir.path().join("file");
    std::fs::write(&file, "").expect("a file");
    let mut is_file = ground.sh(":");
    is_file.cwd = file;
    refused(&ground, is_file, ErrorCode::NotRunnable, "file").await;
    let mut relative = ground.sh(":");
    relative.cwd = "relative".into();
    refused(&ground, relative, ErrorCode::Invalid, "relative").await;
    if !rustix::process::geteuid().is_root() {
        let closed = ground.dir.path().join("closed");
        std::fs::create_dir(&closed).expect("a folder");
        std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).expect("closed");
        let mut spec = ground.sh(":");
        spec.cwd = closed;
        refused(&ground, spec, ErrorCode::NotRunnable, "closed").await;
    }
}

/// S3.2.
async fn a_request_that_is_wrong_in_itself_is_refused_before_a_record_exists(ground: Arc<Ground>) {
    let nul = OsString::from(OsStr::from_bytes(b"a\0b"));
    let mut spec = ground.sh(":");
    spec.command = CommandSpec::Argv(vec!["echo".into(), nul.clone()]);
    refused(&ground, spec, ErrorCode::Invalid, "NUL").await;
    let mut spec = ground.sh(":");
    spec.env.set = vec![("X".into(), nul)];
    refused(&ground, spec, ErrorCode::Invalid, "NUL").await;
    for command in [CommandSpec::Argv(vec![]), CommandSpec::Argv(vec!["".into()]), CommandSpec::line(" \t")] {
        refused(&ground, RunSpec { command, ..ground.sh(":") }, ErrorCode::Invalid, "empty").await;
    }
    let mut spec = ground.sh(":");
    spec.env.set = vec![("A=B".into(), "".into())];
    refused(&ground, spec, ErrorCode::Invalid, "A=B").await;
}

/// S3.1: with one slot only, every failure would be the last start.
async fn a_failed_start_gives_its_slot_back_once_and_tells_once(ground: Arc<Ground>) {
    let small = ground.another(Limits { runs: 1, pty_runs: 1, ..Limits::default() });
    let script = small.dir.path().join("no-interpreter");
    std::fs::write(&script, "#!/no/such/interpreter\n").expect("a file");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let mut feed = small.client.subscribe();
    let mut finals = 0;
    for round in 0..20 {
        let failing = match round % 4 {
            0 => small.argv(&["no-such-program-7"]),
            1 => RunSpec { cwd: "/no/such/folder".into(), ..small.pty(":") },
            2 => RunSpec { command: CommandSpec::Argv(vec![]), ..small.sh(":") },
            _ => small.argv(&[script.to_str().expect("text")]),
        };
        small.try_start(failing).await.expect_err("it cannot start");
        let mut last = None;
        while let Some(update) = feed.try_next() {
            if let Update::Run(view) = update
                && view.record.status == Status::Failed
            {
                // Views of one revision may come more than once; the record is final once.
                if last.replace((view.id(), view.record.revision)) != Some((view.id(), view.record.revision)) {
                    finals += 1;
                }
            }
        }
        let mut live = None;
        until("the slot is free again", || {
            live = Some(
                small.client.start(shtask::api::StartRequest { spec: small.sh("exec sleep 100"), replace: false }),
            );
            true
        })
        .await;
        let live = within("a start", live.expect("asked")).await;
        match live {
            Ok(record) => {
                let full = small.try_start(small.sh(":")).await.expect_err("one slot only");
                assert_eq!(full.code, ErrorCode::CapacityFull, "no slot was released twice: {full}");
                small.kill(record.id).await;
            }
            // The final record of the failed run may still be on its way.
            Err(failure) => assert_eq!(failure.code, ErrorCode::CapacityFull, "{failure}"),
        }
    }
    assert!(finals <= 5, "a start that failed with a record has one final record: {finals}");
    small.end().await;
}

/// BUGS B24: an argv of 3 MB.
async fn an_argv_that_is_too_long_is_failed_with_the_reason(ground: Arc<Ground>) {
    let word = "x".repeat(100_000);
    let words: Vec<&str> = std::iter::once("/bin/true").chain(std::iter::repeat_n(word.as_str(), 30)).collect();
    let failure = ground.try_start(ground.argv(&words)).await.expect_err("too long");
    assert!(failure.message.len() < 5000 && !failure.message.contains("xxxxxxxxxxxxxxx\n"), "{failure}");
    assert!(
        matches!(failure.code, ErrorCode::ExecFailed | ErrorCode::NotExecutable | ErrorCode::NotRunnable),
        "{failure:?}"
    );
}

/// S3.2.
async fn a_shell_line_is_run_by_the_shell_that_is_named(ground: Arc<Ground>) {
    let mut spec = ground.sh(":");
    spec.command = CommandSpec::Shell {
        line: "echo $0 \"$(echo nested)\" | tr a-z A-Z".into(),
        shell: Some("/bin/sh".into()),
        login: false,
        interactive: false,
    };
    let record = ground.outcome(spec).await;
    assert_eq!(super::ground::streams(&record).0, "/BIN/SH NESTED\n");
    assert_eq!(record.shell, Some(PathBuf::from("/bin/sh")));
}

/// BUGS B06: a client that gives up on the answer starts the run all the same, and it ends as any other.
async fn a_start_whose_asker_has_left_runs_all_the_same(ground: Arc<Ground>) {
    let mut feed = ground.client.subscribe();
    drop(ground.client.start(shtask::api::StartRequest { spec: ground.sh("exit 7"), replace: false }));
    let code = within("the end", async {
        loop {
            if let Some(Update::Run(view)) = feed.next().await
                && view.record.status.is_final()
            {
                return view.record.exit_code;
            }
        }
    })
    .await;
    assert_eq!(code, Some(7));
}
