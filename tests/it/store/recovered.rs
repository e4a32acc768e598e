//! What the next program finds of one that died (S7.3).

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use shtask::api::Update;
use shtask::model::{ErrorCode, ProcessIdentity, Record, Status};
use shtask::store::{SqliteStore, StateFolder, Store, StoreOptions};
use shtask::sys::proc;

use super::ground::{Program, Setup, run, sh, until, within};

/// A process that outlives its shtask, and its child; ended with the test.
struct Survivor(Child);

impl Survivor {
    fn start(record: &Record) -> Survivor {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "trap '' TERM HUP; (trap '' TERM HUP; setsid sleep 1000; :) & sleep 1000; :"]);
        command.env("SHTASK_RUN_ID", record.id.as_str()).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Survivor(command.spawn().expect("a process"))
    }

    fn identity(&self) -> ProcessIdentity {
        let pid = i32::try_from(self.0.id()).expect("a pid");
        ProcessIdentity {
            pid,
            start_ticks: proc::start_ticks(pid).expect("it lives"),
            boot_id: proc::boot_id().expect("a boot"),
        }
    }
}

impl Drop for Survivor {
    fn drop(&mut self) {
        // It may have been ended by what was tested.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Leaves records behind as a program does that is killed while runs are live.
async fn leave_behind(state: &std::path::Path, count: usize) -> Vec<Record> {
    let program = Program::start(state, Setup::default()).expect("a program");
    let id = program.start_run(sh("exec sleep 1000")).await;
    program.kill_run(id).await;
    let pattern = program.stored(id).expect("a record");
    program.leave().await;
    let folder = Arc::new(StateFolder::open(state).expect("the folder"));
    let (mut store, _) = SqliteStore::open(folder, StoreOptions::default(), &|_, _| false).expect("a store");
    let mut records = Vec::new();
    for number in 0..count {
        let mut bits = [7; 10];
        bits[..8].copy_from_slice(&(number as u64).to_be_bytes());
        let id = shtask::model::RunId::from_bits(bits);
        let record = Record {
            id,
            status: Status::Starting,
            revision: 1,
            completed_at: None,
            exit_code: None,
            cause: None,
            signal: None,
            ended: None,
            output: None,
            log: None,
            ..pattern.clone()
        };
        store.put(Arc::new(record.clone()), Box::new(|stored| stored.expect("stored")));
        records.push(record);
    }
    records
}

fn mark_running(state: &std::path::Path, record: &Record, process: ProcessIdentity) {
    // The run is active now: a second program would take it for lost, so this one is asked to believe in nothing.
    let connection = rusqlite::Connection::open(state.join("records.db")).expect("a database");
    let running = Record { status: Status::Running, revision: 2, process: Some(process), ..record.clone() };
    let changed = connection.execute(
        "UPDATE runs SET status = 'running', revision = 2, record = ?2 WHERE id = ?1",
        rusqlite::params![record.id.as_str(), serde_json::to_string(&running).expect("json")],
    );
    assert_eq!(changed.expect("it may change so"), 1);
}

#[test]
fn a_process_that_outlived_its_shtask_is_said_to_be_alive_and_reap_ends_its_tree() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let records = leave_behind(state.path(), 3).await;
        let survivor = Survivor::start(&records[0]);
        mark_running(state.path(), &records[0], survivor.identity());
        // The same pid, but started at another time: another process.
        let other = ProcessIdentity { start_ticks: 1, ..survivor.identity() };
        mark_running(state.path(), &records[1], other);
        let mark = std::ffi::OsString::from(format!("SHTASK_RUN_ID={}", records[0].id));
        let left = || {
            let all = crate::harness::Process::all().into_iter();
            all.filter(|one| one.has_environment_entry(&mark) && !one.is_zombie()).count()
        };
        until("the whole tree lives", || left() >= 3).await;

        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let found: Vec<_> =
            program.found.recovered.iter().map(|r| (r.record.id, r.record.status, r.is_alive)).collect();
        assert_eq!(
            found,
            [
                (records[0].id, Status::Orphaned, true),
                (records[1].id, Status::Orphaned, false),
                (records[2].id, Status::Orphaned, false),
            ]
        );
        let record = program.stored(records[0].id).expect("a record");
        assert!(record.failure.expect("a failure").message.contains("still alive"));

        let reaped = within("the reaping", program.client.reap(None)).await.expect("reaped");
        assert_eq!(reaped.len(), 1, "{reaped:?}");
        assert_eq!((reaped[0].run, reaped[0].left.len()), (records[0].id, 0));
        assert!(reaped[0].ended >= 3, "{reaped:?}");
        assert_eq!(left(), 0);
        assert_eq!(within("again", program.client.reap(Some(records[0].id))).await.expect("nothing is left"), []);
        let live = program.start_run(sh("exec sleep 1000")).await;
        let refused = within("a refusal", program.client.reap(Some(live))).await.expect_err("it is not orphaned");
        assert_eq!(refused.code, ErrorCode::Conflict);
        program.leave().await;
    });
}

#[test]
fn every_record_of_a_full_house_is_final_when_the_next_program_is_there_and_all_slots_are_free() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let records = leave_behind(state.path(), 64).await;
        let program = Program::start(state.path(), Setup::default()).expect("a program");
        for record in &records {
            assert!(program.stored(record.id).expect("a record").status.is_final());
        }
        let runs: Vec<_> = (0..64).map(|_| program.try_start_run(sh("exec sleep 1000"))).collect();
        for run in runs {
            run.await.expect("there is a slot");
        }
        program.leave().await;
    });
}

#[test]
fn lost_runs_stay_in_the_list_until_they_are_cleared_and_those_still_alive_come_back() {
    run(async {
        let state = tempfile::tempdir().expect("a folder");
        let records = leave_behind(state.path(), 2).await;
        let survivor = Survivor::start(&records[0]);
        mark_running(state.path(), &records[0], survivor.identity());
        let listed = |update: Option<Update>| match update {
            Some(Update::Resync(views)) => {
                let lost = views.into_iter().filter(|view| view.record.status == Status::Orphaned);
                lost.map(|view| (view.id(), view.record.status)).collect()
            }
            other => panic!("a table was expected, not {other:?}"),
        };
        let orphaned = |record: &Record| (record.id, Status::Orphaned);

        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let table: Vec<_> = listed(within("a table", program.client.subscribe().next()).await);
        assert_eq!(table, [orphaned(&records[0]), orphaned(&records[1])]);
        program.leave().await;

        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let mut feed = program.client.subscribe();
        let table: Vec<_> = listed(within("a table", feed.next()).await);
        assert_eq!(table, [orphaned(&records[0]), orphaned(&records[1])]);
        within("a reading", program.client.read(records[0].id, 1000)).await.expect("it can be read");
        match within("an update", feed.next()).await {
            Some(Update::Run(view)) => assert!(view.record.observed_at.is_some(), "{view:?}"),
            other => panic!("it was read: {other:?}"),
        }
        within("an answer", program.client.forget(records[0].id)).await.expect("it can be cleared");
        match within("an update", feed.next()).await {
            Some(Update::Removed(run)) => assert_eq!(run, records[0].id),
            other => panic!("it was cleared: {other:?}"),
        }
        let again = within("an answer", program.client.forget(records[0].id)).await.expect_err("it is cleared");
        assert_eq!(again.code, ErrorCode::NotFound);
        within("an answer", program.client.forget(records[1].id)).await.expect("it can be cleared");
        program.leave().await;

        let program = Program::start(state.path(), Setup::default()).expect("a program");
        let table: Vec<_> = listed(within("a table", program.client.subscribe().next()).await);
        assert_eq!(table, [orphaned(&records[0])], "its process lives");
        program.leave().await;
    });
}
