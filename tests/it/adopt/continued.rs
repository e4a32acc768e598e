//! What a driver that takes a run up makes of what the one before it left: screen, cuts, log, a stop in progress. In this process a driver is
//! dropped at any `await`, which leaves as little behind as a kill.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use shtask::api::reply;
use shtask::driver::{self, Command, DriverPort, Report};
use shtask::holder::{HolderServer, HolderSockets};
use shtask::model::run::Exit;
use shtask::model::{Applied, Cut, Frame, Mode, RunId, Size, WriteStdin};
use shtask::screen::Screen;
use shtask::store::log::{LogError, LogEvent, LogReader, Logs};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::drivers::{LOGS, Plan, setup};

const DEADLINE: Duration = Duration::from_secs(60);

struct Ground {
    state: tempfile::TempDir,
    holders: Arc<HolderServer>,
    sockets: Arc<HolderSockets>,
    run: RunId,
    plan: Plan,
}

/// One server's part of a run.
struct Driving {
    port: DriverPort,
    reports_rx: mpsc::Receiver<(RunId, Report)>,
    task: JoinHandle<()>,
    logs: Logs,
}

fn ground(script: &str, mode: Mode) -> Ground {
    let state = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(state.path().join("logs")).expect("a folder");
    let sockets = Arc::new(HolderSockets::open(&state.path().join("holders")).expect("sockets"));
    let holders = Arc::new(HolderServer::start(Path::new(env!("CARGO_BIN_EXE_shtask"))).expect("holders"));
    let plan = Plan { script: script.to_owned(), mode, payload: None };
    Ground { state, holders, sockets, run: RunId::from_bits([9; 10]), plan }
}

impl Ground {
    async fn drive(&self, is_first: bool) -> Driving {
        let folder = self.state.path().join("logs");
        let logs = Logs::start(&folder, LOGS).expect("a thread");
        let taken_up = match is_first {
            true => None,
            false => {
                Some(driver::take_up(&self.sockets, &folder, self.run).await.expect("answered").expect("a holder"))
            }
        };
        let log = match is_first {
            true => logs.begin(self.run, self.plan.mode, Size::clamped(80, 24)),
            false => logs.resume(self.run, self.plan.mode).expect("a log"),
        };
        let (reports_tx, reports_rx) = mpsc::channel(100);
        let (port, orders) = driver::port();
        let setup = setup(self.run, &self.plan, log, &self.holders, &self.sockets, taken_up.map(Box::new));
        let task = tokio::spawn(driver::drive(setup, orders, reports_tx));
        Driving { port, reports_rx, task, logs }
    }
}

impl Driving {
    /// Passes over reports until one fits.
    async fn until<T>(&mut self, what: &str, mut fits: impl FnMut(Report) -> Option<T>) -> T {
        let all = async {
            loop {
                let (_, report) = self.reports_rx.recv().await.expect("a report");
                if let Report::Snapshot { .. } = &report {
                    self.port.order(Command::Flushed);
                }
                if let Some(found) = fits(report) {
                    return found;
                }
            }
        };
        tokio::time::timeout(DEADLINE, all).await.unwrap_or_else(|_| panic!("not in time: {what}"))
    }

    async fn cut(&self, control: WriteStdin) -> Arc<Frame> {
        let (answer, reply) = reply::<Cut>();
        self.port.request(Command::Control(control, false, answer));
        let cut = tokio::time::timeout(DEADLINE, reply).await.expect("in time").expect("a cut");
        assert!(cut.outcome.failed.is_none(), "{cut:?}");
        match cut.view {
            Applied::Live(frame) => frame,
            Applied::Final(record) => panic!("it is over: {record:?}"),
        }
    }

    async fn shows(&self, text: &str) -> Arc<Frame> {
        let all = async {
            loop {
                let frame = self.cut(WriteStdin { input: None, size: Some(Size::clamped(60, 10)) }).await;
                if frame.text().contains(text) {
                    return frame;
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(DEADLINE, all).await.unwrap_or_else(|_| panic!("never shown: {text}"))
    }

    /// Ends it as a kill does: nothing is said to anybody.
    async fn die(self) {
        self.task.abort();
        assert!(self.task.await.expect_err("aborted").is_cancelled());
        drop(self.logs);
    }

    /// Drives a run whose root ends by itself to its end; returns the exit.
    async fn finish(mut self) -> Exit {
        let (mut exit, mut drained, mut empty) = (None, false, false);
        while exit.is_none() || !drained || !empty {
            self.until("the end", |report| {
                match report {
                    Report::Exited(how) => exit = Some(how),
                    Report::OutputEnded => drained = true,
                    Report::TreeEmpty | Report::TreeEnded(_) => empty = true,
                    Report::Broke(failure) | Report::HolderLost(failure) => panic!("{failure:?}"),
                    _ => return None,
                }
                Some(())
            })
            .await;
        }
        self.port.order(Command::Finish);
        self.until("the last snapshot", |report| matches!(report, Report::Finished { .. }).then_some(())).await;
        self.port.order(Command::LetGo);
        let Driving { port, task, .. } = self;
        drop(port);
        task.await.expect("no panic");
        exit.expect("an exit")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn screen_size_and_cut_numbers_go_on_and_the_log_replays_to_the_frames_that_were_answered() {
    let script = "printf '\\033[?1049h\\033[2;3Hfirst\\033[1m bold'; stty -echo; while read x; do printf 'got %s ' \"$x\"; done; exit 5";
    let ground = ground(script, Mode::Pty);
    let first = ground.drive(true).await;
    first.shows("bold").await;
    first.cut(WriteStdin::text("one\n")).await;
    let before = first.shows("got one").await;
    first.die().await;

    let second = ground.drive(false).await;
    let after = second.cut(WriteStdin { input: None, size: Some(Size::clamped(60, 10)) }).await;
    assert_eq!((after.size, after.text()), (before.size, before.text()));
    assert_eq!((&after.rows, after.cursor, after.modes), (&before.rows, before.cursor, before.modes));
    assert_eq!(after.cut, before.cut + 1, "cuts go on counting");
    second
        .cut(WriteStdin {
            input: Some(WriteStdin::text("two\n").input.expect("input")),
            size: Some(Size::clamped(50, 12)),
        })
        .await;
    let all = async {
        loop {
            let frame = second.cut(WriteStdin { input: None, size: Some(Size::clamped(50, 12)) }).await;
            if frame.text().contains("got two") {
                return frame;
            }
        }
    };
    let last = tokio::time::timeout(DEADLINE, all).await.expect("shown");
    second.die().await;

    let third = ground.drive(false).await;
    third.cut(WriteStdin::text("\u{4}")).await;
    assert_eq!(third.finish().await, Exit::Code(5));
    // The replay law over two kills.
    let reader = LogReader::open(&ground.state.path().join("logs"), ground.run).expect("a log");
    let mut screen = Screen::new(Size::clamped(80, 24), 1000);
    let (mut at_before, mut at_last) = (None, None);
    reader
        .replay::<LogError>(|timed| {
            match timed.event {
                LogEvent::Bytes(_, bytes) => screen.admit(&bytes),
                LogEvent::Begin(Some(size)) | LogEvent::Resize(size) => screen.resize(size),
                LogEvent::Cut(cuts) if cuts == before.cut => at_before = Some(screen.frame()),
                LogEvent::Cut(cuts) if cuts == last.cut => at_last = Some(screen.frame()),
                LogEvent::Gap(_) | LogEvent::Redraw(_) => panic!("nothing is missing"),
                _ => {}
            }
            Ok(())
        })
        .expect("read");
    assert_eq!(at_before.expect("the cut").rows, before.rows);
    assert_eq!(at_last.expect("the cut").rows, last.rows);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_that_was_under_way_ends_with_its_report() {
    for mode in [Mode::Pty, Mode::Pipes] {
        let ground = ground("trap '' TERM HUP; echo ready; while :; do sleep 1; done", mode);
        let mut first = ground.drive(true).await;
        first.until("output", |report| matches!(report, Report::Active(..)).then_some(())).await;
        first.port.order(Command::EndTree { kill: false });
        first.until("the first signal", |report| matches!(report, Report::Signalled).then_some(())).await;
        first.die().await;
        let mut second = ground.drive(false).await;
        let mut seen = Vec::new();
        second
            .until("the end of the tree", |report| {
                match report {
                    Report::Spawned(_) => seen.push("spawned"),
                    Report::Signalled => seen.push("signalled"),
                    Report::Exited(Exit::Signal(9)) => seen.push("exited"),
                    Report::TreeEnded(ended) => {
                        assert!(ended.killed > 0 && ended.left.is_empty(), "{ended:?}");
                        return Some(());
                    }
                    Report::Exited(_) | Report::Broke(_) | Report::HolderLost(_) => panic!("{report:?}"),
                    _ => {}
                }
                None
            })
            .await;
        assert_eq!(seen, ["spawned", "signalled", "exited"]);
        second.port.order(Command::Finish);
        second.until("the last snapshot", |report| matches!(report, Report::Finished { .. }).then_some(())).await;
        second.port.order(Command::LetGo);
        drop(second.port);
        second.task.await.expect("no panic");
        assert!(ground.sockets.runs().expect("runs").is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_that_was_answered_gets_no_second_answer_and_one_that_was_not_gets_its_first() {
    // It asks for the cursor's place, reads the answer and prints it; the second time it asks while nobody is there.
    let script = "stty raw -echo; printf '\\033[6n'; a=$(dd bs=1 count=6 2>/dev/null); printf 'one:%s.' \"${a#?}\"; \
                  read x; printf '\\033[6n'; a=$(dd bs=1 count=7 2>/dev/null); printf 'two:%s.' \"${a#?}\"; read x; exit 0";
    let ground = ground(script, Mode::Pty);
    let first = ground.drive(true).await;
    first.shows("one:[1;1R.").await;
    // The newline is read while nobody drives it, as the driver dies at once.
    first.cut(WriteStdin::text("\n")).await;
    first.die().await;
    let second = ground.drive(false).await;
    let frame = second.shows("two:[").await;
    assert!(!frame.text().contains("two:[1;1R"), "an answer came twice: {}", frame.text());
    second.cut(WriteStdin::text("\n")).await;
    assert_eq!(second.finish().await, Exit::Code(0));
}
