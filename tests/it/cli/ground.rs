//! A supervisor with a state directory of its own, and verbs that ask it.

use std::future::Future;
use std::io::{self, Cursor, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use shtask::api::{Client, ShutdownRequest};
use shtask::cli::{Console, Exit, Here, Look, Parsed, RunDefaults, Verbs, parse};
use shtask::holder::OnLost;
use shtask::model::{Limits, Moment, SessionName, Size};
use shtask::store::log::{LogOptions, Logs};
use shtask::store::{Redaction, SqliteStore, StateFolder, StoreOptions};
use shtask::supervisor::{Storage, Supervisor, SupervisorSetup};
use shtask::sys::clock;
use tempfile::TempDir;

/// How long anything may take on a loaded machine.
const DEADLINE: Duration = Duration::from_secs(60);

/// What a verb printed, and its exit code.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) exit: u8,
    pub(super) out: String,
    pub(super) err: String,
}

impl Ran {
    /// The output, of a verb that must have been done.
    pub(super) fn done(self) -> String {
        assert_eq!(self.exit, 0, "{self:?}");
        self.out
    }

    /// The one document that was printed.
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// A writer whose bytes can be looked at.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<u8>>>);

impl Write for Seen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seen {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("no panic").clone()).expect("text")
    }
}

/// A supervisor of this process.
pub(super) struct Ground {
    pub(super) client: Arc<dyn Client>,
    pub(super) dir: TempDir,
    session: SessionName,
    look: Look,
}

/// Runs a test on a ground, which is empty afterwards.
pub(super) fn stand<F: Future<Output = ()>>(test: impl FnOnce(Arc<Ground>) -> F) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let ground = Arc::new(Ground::new());
        test(Arc::clone(&ground)).await;
        let ended = ground.client.shutdown(ShutdownRequest { hurry: true });
        let report = within("the end of everything", ended).await.expect("a report");
        assert_eq!(report.left, [], "everything can be ended");
    });
}

/// Waits for something, but not for ever.
pub(super) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, future).await.unwrap_or_else(|_| panic!("not in time: {what}"))
}

impl Ground {
    fn new() -> Ground {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = Arc::new(StateFolder::open(&dir.path().join("state")).expect("a state folder"));
        let options = StoreOptions::default();
        let (store, _) = SqliteStore::open(folder, options, &|_, _| false).expect("a store");
        let logs = Arc::new(Logs::start(store.logs(), LogOptions::default()).expect("logs"));
        let storage = Storage {
            records: Some(store.records()),
            store: Box::new(store),
            logs: Some(logs),
            flush_interval: Some(Duration::from_millis(100)),
            redaction: Redaction::none(),
            ..Storage::in_memory()
        };
        let setup = SupervisorSetup {
            limits: Limits::default(),
            storage,
            holder_exe: Path::new(env!("CARGO_BIN_EXE_shtask")),
            on_lost: OnLost::End { grace: Duration::ZERO },
        };
        let (supervisor, clients) = Supervisor::new(setup).expect("a supervisor");
        tokio::spawn(supervisor.run());
        let session: SessionName = "cli-test".parse().expect("a name");
        let client = Arc::new(clients.client(session.clone()));
        Ground { client, dir, session, look: Look::default() }
    }

    /// Does what a command line says; the words after `shtask`.
    pub(super) async fn verb(&self, words: &[&str]) -> Ran {
        self.verb_with(words, "").await
    }

    /// The same with something on standard input.
    pub(super) async fn verb_with(&self, words: &[&str], stdin: &str) -> Ran {
        within(&format!("{words:?}"), self.verb_for_ever(words, stdin)).await
    }

    /// The same without a limit, for what is dropped by the caller.
    pub(super) async fn verb_for_ever(&self, words: &[&str], stdin: &str) -> Ran {
        let all = std::iter::once("shtask").chain(words.iter().copied()).map(Into::into).collect();
        let (out, err) = (Seen::default(), Seen::default());
        let exit = match parse(all) {
            Parsed::Text { plain, .. } => return Ran { exit: 0, out: plain, err: String::new() },
            Parsed::Wrong { failure, json } => {
                let mut console = Console::new(Look { json, ..self.look }, out.clone(), err.clone());
                console.fail(&failure);
                console.end(Ok(Exit::USAGE))
            }
            Parsed::Args(args) => {
                let look = Look { json: args.global.json, ..self.look };
                let mut console = Console::new(look, out.clone(), err.clone());
                let mut here = self.here(stdin);
                let mut verbs = Verbs { client: Arc::clone(&self.client), console: &mut console, here: &mut here };
                let outcome = verbs.perform(&args.verb.expect("a verb")).await.expect("a verb that asks for runs");
                console.end(outcome)
            }
        };
        Ran { exit: exit.0, out: out.text(), err: err.text() }
    }

    fn here(&self, stdin: &str) -> Here {
        let env = ["PATH", "HOME"].map(|name| (name.into(), std::env::var_os(name).unwrap_or_default()));
        Here {
            session: self.session.clone(),
            cwd: self.dir.path().canonicalize().expect("a folder"),
            env: env.into(),
            defaults: RunDefaults { shell: Some("/bin/sh".into()), size: Size::DEFAULT, grace: Duration::from_secs(2) },
            nested: false,
            attach_key: "C-a".parse().expect("a key"),
            hold: None,
            stdin: Box::new(Cursor::new(stdin.to_owned())),
            playback: |_| unreachable!("nothing is played without a terminal"),
            draw: |_, _| unreachable!("nothing is drawn here"),
            mint: shtask::supervisor::random_id,
            boot_now: || Moment::from_boot(clock::boot_now()),
            now: jiff::Timestamp::now,
        }
    }

    /// Starts a command and returns its ref.
    pub(super) async fn start(&self, words: &[&str]) -> String {
        let all = [&["run"], words].concat();
        self.verb(&all).await.done().trim_end().to_owned()
    }

    /// Waits until a run has printed something.
    pub(super) async fn printed(&self, run: &str, pattern: &str) {
        self.verb(&["wait", run, "--for", &format!("match:{pattern}")]).await.done();
    }
}
