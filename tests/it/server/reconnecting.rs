//! A server that goes and comes back, and clients that go (S6.5, S7.4, S7.6).

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use shtask::api::Link;
use shtask::api::{Client, RunsAtStop, Server, StartRequest, StopRequest, StopServer, Update, View};
use shtask::model::{CommandSpec, Effects, ErrorCode, Mode, RunId, RunSpec, Size, Status, WriteStdin};
use shtask::remote::{self, RemoteClient};
use shtask::server::Patience;
use shtask::supervisor::Clients;
use tempfile::TempDir;

use super::served::{Served, dial, supervise};
use crate::harness::{Marker, survivors, wait_gone};

const DEADLINE: Duration = Duration::from_secs(60);
const LOOK: View = View { size: Size::DEFAULT };

async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(DEADLINE, future).await {
        Ok(value) => value,
        Err(_) => panic!("not in time: {what}"),
    }
}

/// A supervisor, and a server for it that can go and come back.
struct Stage {
    dir: TempDir,
    clients: Clients,
    served: Option<Served>,
}

impl Stage {
    fn new() -> Stage {
        let mut stage = Stage { dir: tempfile::tempdir().expect("a folder"), clients: supervise(), served: None };
        stage.come();
        stage
    }

    fn socket(&self) -> PathBuf {
        self.dir.path().join("shtask/server.sock")
    }

    /// The server is there; the lock of the one before may take a moment to go.
    fn come(&mut self) {
        self.served = Some(Served::at(&self.socket(), self.clients.clone(), Patience::default()));
    }

    /// The server is gone, as if killed: its runs go on.
    async fn go(&mut self) {
        self.served.take().expect("it is there").kill().await;
    }

    async fn connect(&self) -> RemoteClient {
        let patience = remote::Patience {
            silence: Duration::from_millis(200),
            ping: Duration::from_millis(400),
            outage: Duration::from_millis(1500),
            ..remote::Patience::default()
        };
        connect(&self.socket(), patience).await
    }
}

async fn connect(socket: &Path, patience: remote::Patience) -> RemoteClient {
    let session = "s".parse().expect("a name");
    within("a connection", RemoteClient::connect(dial(socket), session, patience)).await.expect("connected")
}

fn spec(mode: Mode, line: &str) -> RunSpec {
    RunSpec::new(CommandSpec::Argv(["/bin/sh", "-c", line].map(Into::into).into()), mode, "/")
}

async fn start(client: &RemoteClient, mode: Mode, line: &str) -> RunId {
    let request = StartRequest { spec: spec(mode, line), replace: false };
    within("a start", client.start(request)).await.expect("started").id
}

async fn until_link(client: &RemoteClient, is_up: bool) {
    let mut link = client.link();
    within("the link", link.wait_for(|link| matches!(link, Link::Up) == is_up)).await.expect("it lives");
}

async fn until_shown(watch: &mut shtask::api::Watch, text: &str) {
    within(text, async {
        while !watch.newest().text().contains(text) {
            assert!(watch.changed().await, "the watch goes on until {text}");
        }
    })
    .await;
}

/// Issue 4, item 3; S6.5, S7.4: what goes on goes on with the next server.
#[tokio::test(flavor = "multi_thread")]
async fn feeds_and_watches_go_on_with_the_next_server() {
    let mut stage = Stage::new();
    let client = stage.connect().await;
    let mut feed = client.subscribe();
    assert!(matches!(within("the table", feed.next()).await, Some(Update::Resync(runs)) if runs.is_empty()));
    let run = start(&client, Mode::Pty, "echo ready; while read line; do echo \"got $line\"; done").await;
    let mut watch = within("a watch", client.watch(run, LOOK)).await.expect("a watch");
    until_shown(&mut watch, "ready").await;
    for round in 0..3 {
        stage.go().await;
        until_link(&client, false).await;
        // Something happens meanwhile that nobody can tell.
        let unseen = stage.clients.client("s".parse().expect("a name"));
        let meanwhile = unseen.start(StartRequest { spec: spec(Mode::Pipes, "exit 3"), replace: false }).await;
        let meanwhile = meanwhile.expect("started").id;
        stage.come();
        until_link(&client, true).await;
        within("a table that has it", async {
            loop {
                let views = match feed.next().await.expect("the feed goes on") {
                    Update::Resync(views) => views,
                    Update::Run(view) => vec![view],
                    Update::Removed(_) => vec![],
                };
                if views.iter().any(|view| view.id() == meanwhile && view.record.status == Status::Failed) {
                    return;
                }
            }
        })
        .await;
        within("a cut", client.control(run, WriteStdin::text(format!("{round}\r")))).await.expect("a cut");
        until_shown(&mut watch, &format!("got {round}")).await;
    }
    within("a stop", client.stop(run, StopRequest { kill: true }).reply).await.expect("stopped");
    within("the end of the watch", async { while watch.changed().await {} }).await;
}

/// S7.6: who waits is told that nobody knows what was done; nothing hangs.
#[tokio::test(flavor = "multi_thread")]
async fn answers_in_flight_are_unavailable_with_unknown_effects() {
    let mut stage = Stage::new();
    let client = stage.connect().await;
    let run = start(&client, Mode::Pipes, "trap '' TERM; echo ready; while :; do sleep 0.1; done").await;
    let mut watch = within("a watch", client.watch(run, LOOK)).await.expect("a watch");
    until_shown(&mut watch, "ready").await;
    let stopping = client.stop(run, StopRequest { kill: false });
    let mut foreground = client.start_foreground(None, spec(Mode::Pipes, "echo on; sleep 100"));
    within("output", foreground.output_rx.recv()).await.expect("output");
    stage.go().await;
    let failure = within("an answer", stopping.reply).await.expect_err("lost");
    assert_eq!((failure.code, failure.effects), (ErrorCode::Unavailable, Effects::Unknown), "{failure}");
    let failure = within("an answer", &mut foreground.outcome).await.expect_err("lost");
    assert_eq!((failure.code, failure.effects), (ErrorCode::Unavailable, Effects::Unknown), "{failure}");
    assert!(within("the end of the output", foreground.output_rx.recv()).await.is_none());
    // Asked while nobody is there: it waits for a while, then it is refused, and was not done.
    let failure = within("an answer", client.inspect(run)).await.expect_err("down");
    assert_eq!((failure.code, failure.effects), (ErrorCode::Unavailable, Effects::None), "{failure}");
    stage.come();
    until_link(&client, true).await;
    within("a look", client.inspect(run)).await.expect("it is there again");
}

/// What is asked while the server is being replaced is done by the next one.
#[tokio::test(flavor = "multi_thread")]
async fn a_request_during_a_short_outage_is_done_by_the_next_server() {
    let mut stage = Stage::new();
    let client = connect(&stage.socket(), remote::Patience::default()).await;
    let run = start(&client, Mode::Pty, "stty -echo; echo ready; exec cat").await;
    let mut watch = within("a watch", client.watch(run, LOOK)).await.expect("a watch");
    until_shown(&mut watch, "ready").await;
    stage.go().await;
    until_link(&client, false).await;
    let waiting = client.start(StartRequest { spec: spec(Mode::Pipes, "exit 4"), replace: false });
    // What is typed by who has left is not typed at all (S4.2).
    drop(client.control(run, WriteStdin::text("left\r")));
    let typed = client.control(run, WriteStdin::text("typed\r"));
    stage.come();
    within("a start", waiting).await.expect("started");
    within("a cut", typed).await.expect("a cut");
    until_shown(&mut watch, "typed").await;
    assert!(!watch.newest().text().contains("left"), "{}", watch.newest().text());
    within("a stop", client.stop(run, StopRequest { kill: true }).reply).await.expect("stopped");
}

/// A server that ends in order says why.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ends_says_why() {
    let mut stage = Stage::new();
    let client = stage.connect().await;
    let served = stage.served.take().expect("it is there");
    served.end("upgraded to 9.9").await;
    let mut link = client.link();
    let lost = within("the loss", link.wait_for(|link| *link != Link::Up)).await.expect("it lives").clone();
    let Link::Lost(why) = lost else { panic!("up") };
    assert!(why.message.contains("upgraded to 9.9"), "{why}");
    assert!(!stage.socket().exists());
}

/// A server that is frozen is given up, not waited for without end.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_gives_no_sign_of_life_is_given_up() {
    let dir = tempfile::tempdir().expect("a folder");
    let socket = dir.path().join("socket");
    let listener = tokio::net::UnixListener::bind(&socket).expect("a socket");
    let frozen = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.expect("a client");
        let welcome = br#"{"protocol":"shtask","major":1,"minor":0}"#;
        let frame = [&u32::try_from(welcome.len() + 1).expect("short").to_be_bytes()[..], &[1], welcome].concat();
        stream.writable().await.expect("a client");
        stream.try_write(&frame).expect("written");
        // No other client is taken and nothing is said.
        std::future::pending::<()>().await;
        drop((stream, listener));
    });
    let patience = remote::Patience {
        silence: Duration::from_millis(100),
        ping: Duration::from_millis(200),
        ..remote::Patience::default()
    };
    let client = connect(&socket, patience).await;
    let failure = within("an answer", client.mark_ready(RunId::from_bits([1; 10]))).await.expect_err("given up");
    assert_eq!((failure.code, failure.effects), (ErrorCode::Unavailable, Effects::Unknown));
    assert!(failure.message.contains("sign of life"), "{failure}");
    frozen.abort();
}

/// S3.5, S4.2: who leaves takes back what goes on for it.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_cancels_its_foreground_runs_and_nothing_else() {
    let stage = Stage::new();
    let (foreground_mark, background_mark) = (Marker::new(), Marker::new());
    let leaver = stage.connect().await;
    start(&leaver, Mode::Pipes, &format!("exec sleep {background_mark}")).await;
    let line = format!("echo on; exec sleep {foreground_mark}");
    let mut foreground = leaver.start_foreground(None, spec(Mode::Pipes, &line));
    within("output", foreground.output_rx.recv()).await.expect("output");
    // As by the death of its process: the connection breaks, and nothing is said.
    let raw = std::os::unix::net::UnixStream::connect(stage.socket()).expect("connected");
    drop(raw);
    drop((foreground, leaver));
    wait_gone(&foreground_mark, DEADLINE);
    assert_eq!(survivors(&background_mark).len(), 1, "what runs in the background goes on");
    let other = stage.connect().await;
    let mut feed = other.subscribe();
    let Some(Update::Resync(runs)) = within("the table", feed.next()).await else { panic!("no table") };
    for view in runs.iter().filter(|view| !view.record.status.is_final()) {
        within("a stop", other.stop(view.id(), StopRequest { kill: true }).reply).await.expect("stopped");
    }
}

/// A watch or feed that is dropped is not served any longer.
#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_looks_at_any_more_costs_the_server_nothing() {
    let stage = Stage::new();
    let client = stage.connect().await;
    let run = start(&client, Mode::Pty, "exec sleep 100").await;
    // More than may go on at a time: each must be over when the next ones come.
    for _ in 0..40 {
        let watches: Vec<_> = (0..100).map(|_| client.watch(run, LOOK)).collect();
        let feeds: Vec<_> = (0..100).map(|_| client.subscribe()).collect();
        for watch in watches {
            within("a watch", watch).await.expect("a watch");
        }
        drop(feeds);
        within("a sign of life", client.ping()).await.expect("a sign of life");
    }
    within("a stop", client.stop(run, StopRequest { kill: true }).reply).await.expect("stopped");
}

/// Requests to the server itself.
#[tokio::test(flavor = "multi_thread")]
async fn the_server_itself_can_be_asked() {
    let stage = Stage::new();
    let (client, _other) = (Arc::new(stage.connect().await), stage.connect().await);
    let status = within("a status", client.status()).await.expect("a status");
    assert_eq!((status.pid, status.connections), (7, 2));
    let failure = within("an answer", client.stop_server(StopServer::default())).await.expect_err("refused");
    assert_eq!(failure.code, ErrorCode::Conflict);
    let request = StopServer { runs: RunsAtStop::End };
    within("an answer", client.stop_server(request)).await.expect("stopped");
    let session = "refused".parse().expect("a name");
    let refused = RemoteClient::connect(dial(&stage.socket()), session, remote::Patience::default()).await;
    assert_eq!(refused.err().expect("refused").message, "no such session");
}
