//! A disk that fills up and is freed again, or may not be written at all (BUGS B72).

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use shtask::api::{Feed, Update};
use shtask::model::{ErrorCode, Failure, Record, RunId, Status};
use shtask::store::OpenError;
use tempfile::TempDir;

use crate::harness::{Exit, Home, Launch};

use super::ground::{DEADLINE, Program, Setup, run, sh, until};

/// A file system of its own; unmounted when it is dropped.
struct Disk(TempDir);

impl Disk {
    /// Mounts one; none, with a word about it, where that is not allowed.
    fn mount(size: &str) -> Option<Disk> {
        let folder = tempfile::tempdir().expect("a folder");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size},mode=0700"), "tmpfs"])
            .arg(folder.path())
            .output();
        match mounted {
            Ok(output) if output.status.success() => Some(Disk(folder)),
            refused => {
                println!("left out: no file system can be mounted here ({refused:?})");
                None
            }
        }
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn remount(&self, how: &str) {
        let options = format!("remount,{how}");
        let end = Instant::now() + DEADLINE;
        // A child that another test starts has our descriptors until it executes its program: the file system is busy for that moment.
        while !Command::new("mount").args(["-o", &options]).arg(self.path()).status().expect("mount").success() {
            assert!(Instant::now() < end, "remounted {how}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Takes all room, also what is given back meanwhile, until the filler is dropped.
    fn fill(&self) -> Filler {
        let path = self.path().join("filler");
        let mut file = fs::File::create(&path).expect("a file");
        let mut take_all = move || {
            for size in [65536, 4096, 1] {
                while file.write_all(&vec![b'x'; size]).is_ok() {}
            }
        };
        take_all();
        let (stop_tx, stop_rx) = mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            while stop_rx.recv_timeout(Duration::from_millis(20)) == Err(mpsc::RecvTimeoutError::Timeout) {
                take_all();
            }
        });
        Filler { path, stop_tx: Some(stop_tx), thread: Some(thread) }
    }
}

/// What takes all room of a disk.
struct Filler {
    path: PathBuf,
    stop_tx: Option<mpsc::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Drop for Filler {
    fn drop(&mut self) {
        self.stop_tx = None;
        if let Some(thread) = self.thread.take() {
            thread.join().expect("no panic");
        }
        fs::remove_file(&self.path).expect("it is there");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // What is left of it goes with this process's last look at it.
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

/// Waits until the list shows a record for which the condition holds.
async fn shown(feed: &mut Feed, run: RunId, what: &str, condition: impl Fn(&Record) -> bool) -> Record {
    let search = async {
        loop {
            let views = match feed.next().await.expect("the supervisor lives") {
                Update::Run(view) => vec![view],
                Update::Resync(views) => views,
                Update::Removed(_) => Vec::new(),
            };
            if let Some(view) = views.into_iter().find(|view| view.id() == run && condition(&view.record)) {
                return (*view.record).clone();
            }
        }
    };
    tokio::time::timeout(DEADLINE, search).await.unwrap_or_else(|_| panic!("not in time: {what}"))
}

const TICKS: &str = "i=0; while :; do i=$((i+1)); echo tick $i; sleep 0.02; done";

#[test]
fn a_full_disk_stops_no_run_is_said_and_is_over_by_itself() {
    let Some(disk) = Disk::mount("1m") else { return };
    run(async {
        let program = Program::start(disk.path(), Setup::default()).expect("a program");
        let old = program.start_run(sh("echo old; exit 3")).await;
        let old_record = program.ended(old).await;
        let id = program.start_run(sh(TICKS)).await;
        let mut feed = program.client.subscribe();
        until("it is flushed", || program.stored(id).is_some_and(|record| record.output.is_some())).await;
        let filler = disk.fill();
        let degraded =
            shown(&mut feed, id, "it is degraded", |r| r.degraded.as_ref().is_some_and(|d| d.until.is_none())).await;
        assert_eq!(degraded.status, Status::Running);
        let why = degraded.degraded.expect("it says why");
        assert!(why.why.contains("full") || why.why.contains("No space"), "{why:?}");
        // A start that cannot be recorded is refused; one that still fits into the last page is none.
        let mut refused = None;
        for _ in 0..50 {
            match program.try_start_run(sh("exec sleep 1000")).await {
                Ok(record) => drop(program.client.stop(record.id, shtask::api::StopRequest { kill: true }).reply.await),
                Err(failure) => {
                    refused = Some(failure);
                    break;
                }
            }
        }
        let refused = refused.expect("the disk is full");
        assert_eq!(refused.code, ErrorCode::StoreFailed, "{refused:?}");
        assert_eq!(program.stored(old), Some(old_record.clone()), "old records stay whole");
        let tick = program.client.read(id, 1000).await.expect("it goes on").parts[0].text.clone();
        until("it goes on", || {
            let now = program.client.read(id, 1000);
            tokio::task::block_in_place(|| now.wait()).is_ok_and(|reading| reading.parts[0].text != tick)
        })
        .await;
        drop(filler);
        let again =
            shown(&mut feed, id, "it is stored again", |r| r.degraded.as_ref().is_some_and(|d| d.until.is_some()))
                .await;
        assert_eq!(again.status, Status::Running);
        until("the disk has it", || program.stored(id).is_some_and(|r| r.degraded.is_some_and(|d| d.until.is_some())))
            .await;
        assert!(program.start_run(sh("true")).await != id, "starts are recorded again");
        let last = program.kill_run(id).await;
        assert_eq!((last.status, &program.stored(id).expect("a record").status), (Status::Cancelled, &last.status));
        assert_eq!(program.stored(old), Some(old_record));
        program.leave().await;
        let program = Program::start(disk.path(), Setup::default()).expect("a program");
        assert!(program.found.notices.is_empty() && program.found.recovered.is_empty(), "{:?}", program.found);
        program.leave().await;
    });
}

#[test]
fn with_a_strict_store_a_full_disk_ends_the_run_as_an_integrity_failure() {
    let Some(disk) = Disk::mount("1m") else { return };
    run(async {
        let program = Program::start(disk.path(), Setup { strict: true, ..Setup::default() }).expect("a program");
        let id = program.start_run(sh(TICKS)).await;
        let mut feed = program.client.subscribe();
        until("it is flushed", || program.stored(id).is_some_and(|record| record.output.is_some())).await;
        let filler = disk.fill();
        let last = shown(&mut feed, id, "it is ended", |record| record.status.is_final()).await;
        assert_eq!(last.status, Status::Failed);
        assert_eq!(last.failure.expect("a failure").code, ErrorCode::StoreFailed);
        drop(filler);
        // Also that is on record once there is room.
        until("it is on record", || program.stored(id).is_some_and(|record| record.status == Status::Failed)).await;
        program.leave().await;
    });
}

#[test]
fn a_log_that_could_not_be_written_says_how_much_is_missing_and_goes_on() {
    let Some(disk) = Disk::mount("1m") else { return };
    run(async {
        let setup = Setup { flush_interval: Duration::from_secs(3600), ..Setup::default() };
        let program = Program::start(disk.path(), setup).expect("a program");
        let id = program.start_run(sh(TICKS)).await;
        let mut feed = program.client.subscribe();
        let filler = disk.fill();
        shown(&mut feed, id, "it is degraded", |r| r.degraded.as_ref().is_some_and(|d| d.until.is_none())).await;
        drop(filler);
        shown(&mut feed, id, "it goes on", |r| r.degraded.as_ref().is_some_and(|d| d.until.is_some())).await;
        let record = program.kill_run(id).await;
        let lost = record.log.expect("a log").lost_bytes;
        assert!(lost > 0);
        let begin = program.read_log(id, 0, None).await;
        let rest = program.read_log(id, begin.next_offset, None).await;
        assert_eq!(begin.skipped_bytes + rest.skipped_bytes, lost);
        let text = String::from_utf8_lossy(&[begin.bytes, rest.bytes].concat()).into_owned();
        assert!(text.contains("tick") && rest.is_end, "{text}");
        program.leave().await;
    });
}

#[test]
fn a_state_directory_that_cannot_be_written_is_refused_with_its_path_and_a_hint() {
    let Some(disk) = Disk::mount("1m") else { return };
    run(async {
        Program::start(disk.path(), Setup::default()).expect("a program").leave().await;
        disk.remount("ro");
        let error = Program::start(disk.path(), Setup::default()).err().expect("it is refused");
        assert!(matches!(error, OpenError::File { .. }), "{error}");
        let failure = Failure::from(error);
        assert!(failure.message.contains(&*disk.path().to_string_lossy()) && failure.hint.is_some(), "{failure:?}");
        disk.remount("rw");
        Program::start(disk.path(), Setup::default()).expect("a program").leave().await;
    });
}

#[test]
fn the_view_says_that_nothing_is_stored_while_that_is_so() {
    let Some(disk) = Disk::mount("1m") else { return };
    let home = Arc::new(Home::new());
    home.write("shtask.toml", format!("[tasks.ticks]\nmode = 'pipes'\nrun = '{TICKS}'\n"));
    let program = Launch::in_home(&home, env!("CARGO_BIN_EXE_shtask")).args(["--embedded", "--config", "shtask.toml"]);
    let mut terminal = program.env("SHTASK_STATE_DIR", disk.path()).size(120, 24).start();
    terminal.wait_for_text("tick 3");
    let filler = disk.fill();
    terminal.wait_for_text("not stored since");
    drop(filler);
    terminal.wait_for_no_text("not stored since");
    assert_eq!(terminal.exit(), None);
}

#[test]
fn the_second_program_leaves_at_once_and_says_who_the_first_is() {
    let home = Arc::new(Home::new());
    home.write("shtask.toml", "[tasks.a]\nrun = 'echo first program; exec sleep 1000'\n");
    let launch = || {
        Launch::in_home(&home, env!("CARGO_BIN_EXE_shtask"))
            .args(["--embedded", "--config", "shtask.toml"])
            .size(200, 24)
    };
    let mut first = launch().start();
    first.wait_for_text("first program");
    let mut second = launch().start();
    assert_eq!(second.wait_exit(), Exit::Code(1), "{}", second.picture());
    let text = second.screen().text();
    assert!(text.contains(&format!("process {}, since 2", first.pid())), "{text}");
    assert!(text.contains("hint: ") && text.contains("SHTASK_STATE_DIR"), "{text}");
    assert_eq!(first.exit(), None, "the first one is not disturbed");
}

/// The server's own log is on the full disk, too.
#[test]
fn a_server_on_a_full_disk_refuses_starts_at_once_loses_no_exit_and_is_well_when_there_is_room() {
    let Some(disk) = Disk::mount("2m") else { return };
    let home = Home::new();
    let verb = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_shtask"));
        command.args(words).env_clear().envs(home.environment()).env("SHTASK_STATE_DIR", disk.path());
        command.current_dir(home.work()).output().expect("the program starts").status.code()
    };
    assert_eq!(verb(&["run", "--name", "quiet", "while ! [ -e leave ]; do sleep 0.02; done; exit 7"]), Some(0));
    let filler = disk.fill();
    assert_eq!(verb(&["run", "--", "true"]), Some(1), "it cannot be recorded");
    home.write("leave", "");
    assert_eq!(verb(&["wait", "quiet", "--timeout", "20s"]), Some(7));
    drop(filler);
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while verb(&["run", "--", "true"]) != Some(0) {
        assert!(std::time::Instant::now() < end, "there is room again");
    }
    assert_eq!(verb(&["server", "stop"]), Some(0));
}
