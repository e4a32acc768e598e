//! The smallest server: drivers, a log and holders, and a file for each run that says how it ended.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use shtask::driver::{self, Command, DriverPort, Keeping, Report, Setup};
use shtask::holder::{HolderServer, HolderSockets, OnLost};
use shtask::launch::Resolved;
use shtask::model::run::Exit;
use shtask::model::{Mode, RunId, Size, StdinSpec, StopSpec};
use shtask::store::Redaction;
use shtask::store::log::{LogOptions, Logs};
use tokio::sync::mpsc;

use super::server::{READY, STATE};

/// Keeps everything that these tests print, in segments of 6 MiB.
pub(super) const LOGS: LogOptions = LogOptions { max_log_bytes: 64 * 1024 * 1024, max_total_log_bytes: 0 };

/// What a run of a test is: read from the file `RUN-ID.plan` of the state directory.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct Plan {
    pub(super) script: String,
    pub(super) mode: Mode,
    pub(super) payload: Option<Vec<u8>>,
}

pub(super) fn plan(state: &Path, number: u8, plan: &Plan) -> RunId {
    let run = RunId::from_bits([number; 10]);
    std::fs::write(state.join(format!("{run}.plan")), serde_json::to_vec(plan).expect("text")).expect("written");
    run
}

/// What a run came to, once it is over.
pub(super) fn outcome(state: &Path, run: RunId) -> Option<String> {
    std::fs::read_to_string(state.join(format!("{run}.done"))).ok()
}

#[test]
#[ignore = "no test of its own: the tests of this folder start it as the server that they kill"]
fn a_server_of_drivers() {
    let Some(state) = std::env::var_os(STATE) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(serve(Path::new(&state)));
}

struct Live {
    port: DriverPort,
    exit: Option<Exit>,
    is_drained: bool,
    is_empty: bool,
}

async fn serve(state: &Path) {
    let logs_folder = state.join("logs");
    std::fs::create_dir_all(&logs_folder).expect("a folder");
    let logs = Logs::start(&logs_folder, LOGS).expect("a thread");
    let holders = Arc::new(HolderServer::start(Path::new(env!("CARGO_BIN_EXE_shtask"))).expect("holders"));
    let sockets = Arc::new(HolderSockets::open(&state.join("holders")).expect("sockets"));
    let (reports_tx, mut reports_rx) = mpsc::channel(100);
    let mut runs = HashMap::new();
    for entry in std::fs::read_dir(state).expect("entries") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_str().expect("text");
        let Some(run) = name.strip_suffix(".plan").and_then(|run| run.parse::<RunId>().ok()) else { continue };
        if outcome(state, run).is_some() {
            // A kill may have come when the end was on the disk and the holder did not know.
            match driver::take_up(&sockets, &logs_folder, run).await.expect("taken up") {
                Some(taken_up) => taken_up.let_go(&sockets, run).expect("let go"),
                None => sockets.remove(run).expect("removed"),
            }
            continue;
        }
        let plan: Plan = serde_json::from_slice(&std::fs::read(&path).expect("a plan")).expect("a plan");
        let taken_up = driver::take_up(&sockets, &logs_folder, run).await.expect("taken up");
        // A kill may have come before the holder had the request.
        let log = match &taken_up {
            Some(taken_up) => {
                assert_eq!(taken_up.words(), [b"what the supervisor knows".to_vec()]);
                logs.resume(run, plan.mode).expect("a log")
            }
            None => {
                let log = logs_folder.join(run.as_str());
                assert!(!state.join(format!("{run}.spawned")).exists(), "the holder of {run} is lost");
                // What was begun for a run that never was.
                if log.exists() {
                    std::fs::remove_dir_all(log).expect("removed");
                }
                logs.begin(run, plan.mode, Size::clamped(80, 24))
            }
        };
        let (port, orders) = driver::port();
        let setup = setup(run, &plan, log, &holders, &sockets, taken_up.map(Box::new));
        tokio::spawn(driver::drive(setup, orders, reports_tx.clone()));
        runs.insert(run, Live { port, exit: None, is_drained: false, is_empty: false });
    }
    println!("{READY}");
    while let Some((run, report)) = reports_rx.recv().await {
        take(state, run, report, runs.get_mut(&run).expect("a run"));
    }
}

pub(super) fn setup(
    run: RunId,
    plan: &Plan,
    log: shtask::store::log::LogSink,
    holders: &Arc<HolderServer>,
    sockets: &Arc<HolderSockets>,
    taken_up: Option<Box<driver::TakenUp>>,
) -> Setup {
    let argv: Vec<OsString> = ["/bin/sh", "-c", &plan.script].map(OsString::from).into();
    Setup {
        id: run,
        resolved: Resolved {
            program: PathBuf::from("/bin/sh"),
            argv,
            env: [("PATH".into(), std::env::var_os("PATH").unwrap_or_default())].into(),
            cwd: PathBuf::from("/"),
            shell: None,
            command_line: String::new(),
        },
        mode: plan.mode,
        size: Size::clamped(80, 24),
        stdin: plan.payload.clone().map_or(StdinSpec::Null, StdinSpec::Payload),
        stop: StopSpec::default(),
        on_lost: OnLost::Keep,
        scrollback_lines: 1000,
        log: Some(log),
        flush_interval: Some(Duration::from_millis(100)),
        redaction: Redaction::none(),
        live: None,
        holders: Arc::clone(holders),
        keeping: Some(Keeping { sockets: Arc::clone(sockets), word: b"what the supervisor knows".to_vec() }),
        taken_up,
    }
}

fn take(state: &Path, run: RunId, report: Report, live: &mut Live) {
    match report {
        Report::Spawned(_) => std::fs::write(state.join(format!("{run}.spawned")), "").expect("written"),
        Report::Exited(exit) => live.exit = Some(exit),
        Report::OutputEnded => live.is_drained = true,
        Report::TreeEmpty => live.is_empty = true,
        Report::Snapshot { .. } => drop(live.port.order(Command::Flushed)),
        Report::Finished { payload_undelivered, log, .. } => {
            assert_eq!(log.expect("a log").lost_bytes, 0);
            let text = format!("{:?} {payload_undelivered}", live.exit.expect("an exit"));
            let path = state.join(format!("{run}.done"));
            std::fs::write(path.with_extension("new"), text).expect("written");
            std::fs::rename(path.with_extension("new"), path).expect("renamed");
            live.port.order(Command::LetGo);
        }
        Report::SpawnFailed(failure, _) | Report::Broke(failure) | Report::HolderLost(failure) => {
            std::fs::write(state.join(format!("{run}.done")), format!("{failure:?}")).expect("written");
        }
        Report::StopCut(_)
        | Report::Signalled
        | Report::TreeEnded(_)
        | Report::LastOutput(..)
        | Report::TooLate(..)
        | Report::Active(..)
        | Report::Resized(_)
        | Report::Attention(_)
        | Report::LogFailed(_) => {}
    }
    if live.exit.is_some() && live.is_drained && live.is_empty {
        (live.is_drained, live.is_empty) = (false, false);
        live.port.order(Command::Finish);
    }
}
