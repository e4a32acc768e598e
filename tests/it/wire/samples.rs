//! A sample of every message, kept as the bytes of its frames in `tests/data/wire`.
//!
//! A test that fails here says that the protocol has changed. What was added is a new minor version: `UPDATE_WIRE_SAMPLES=1 cargo test --test it
//! wire` writes its samples, and those of before must be as they were. What was changed or removed is a new major version.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use shtask::api::*;
use shtask::model::*;
use shtask::wire::screen::{read_frame, read_rows, write_frame, write_rows};
use shtask::wire::{
    Ask, CutAnswer, CutView, FromClient, FromServer, Hello, HistoryAnswer, Inbox, Json, LogAnswer, Message, Outbox,
    Welcome,
};

/// The names of all that can be asked.
const ASKS: [&str; 41] = [
    "start",
    "start_foreground",
    "control",
    "stop",
    "withdraw_stop",
    "restart",
    "signal",
    "set_deadline",
    "mark_ready",
    "read",
    "read_log",
    "reap",
    "inspect",
    "history",
    "watch",
    "resolve",
    "list_records",
    "summary",
    "prune",
    "why",
    "search",
    "export",
    "forget",
    "subscribe",
    "shutdown",
    "ping",
    "server_status",
    "stop_server",
    "set_fence",
    "close_session",
    "commit_close",
    "roll_back_close",
    "resume_session",
    "sessions",
    "take_keyboard",
    "hand_back_keyboard",
    "usage",
    "surroundings",
    "rename",
    "run_foreground",
    "rejoin_foreground",
];

fn run() -> RunId {
    "0123456789abcdef".parse().expect("an id")
}

fn spec() -> RunSpec {
    let mut spec = RunSpec::new(CommandSpec::Argv(vec!["cat".into(), "-v".into()]), Mode::Pipes, "/tmp");
    spec.name = Some("web".parse().expect("a name"));
    spec.env.base = Arc::new(vec![("PATH".into(), "/bin".into())]);
    spec.env.set = vec![("RAW".into(), std::os::unix::ffi::OsStringExt::from_vec(vec![0xff, 0x41]))];
    spec.timeouts.wall = Some(Duration::from_millis(1500));
    spec
}

fn record() -> Record {
    let json = r#"{"schema":1,"ref":"shtask://s/0123456789abcdef","id":"0123456789abcdef","session":"s","name":"web","generation":2,
        "mode":"pipes","status":"failed","command":"make","argv":["make"],"shell":null,"cwd":"/tmp","process":null,"size":null,
        "started_at":"2026-11-29T19:00:00Z","updated_at":"2026-11-29T19:00:01Z","completed_at":"2026-11-29T19:00:01Z","observed_at":null,
        "timeout":null,"timed_out_by":null,"exit_code":2,"signal":null,"cause":null,"failure":null,"ended":null,"revision":3,
        "output":{"stdout":"out","stderr":"","latest_stream":"stdout","stdout_truncated":false,"stderr_truncated":false,"redacted":false}}"#;
    serde_json::from_str(json).expect("a record")
}

fn view() -> Arc<RunView> {
    Arc::new(RunView {
        record: Arc::new(record()),
        deadline: Some(DeadlineView { kind: TimeoutKind::Wall, at: Moment::from_boot(Duration::from_secs(7)) }),
        termination: Termination::Draining,
        control_open: false,
        started: Some(Moment::from_boot(Duration::from_secs(5))),
        ended: None,
        activity: Activity { output: 3, bells: 1, ..Activity::default() },
        attention: None,
        notification: None,
        keyboard: None,
    })
}

fn owner() -> KeyboardOwner {
    let who = Typist::new(TypistKind::Person, "attach on pts/3");
    let since = "2026-11-29T19:00:00Z".parse().expect("a time");
    KeyboardOwner { id: TypistId(7), who, since, taken: Moment::from_boot(Duration::from_secs(6)) }
}

fn held() -> Arc<RunView> {
    Arc::new(RunView { keyboard: Some(owner()), ..(*view()).clone() })
}

fn said() -> Arc<RunView> {
    let notification = Some(Notification::new(3, "Tests", "all green"));
    Arc::new(RunView { notification, ..(*view()).clone() })
}

fn note() -> HeldNote {
    let (by, held) = ("attach on pts/3".into(), Duration::from_millis(1500));
    HeldNote { by, held, is_held: false, typed: "ls\n".into(), is_cut: true }
}

fn frame(text: &str) -> Frame {
    let size = Size::new(12, 3).expect("a size");
    let mut frame = Frame { generation: 9, cut: 2, title: "a title".into(), bells: 1, ..Frame::empty(size) };
    let mut row = (*frame.rows[0]).clone();
    for (cell, c) in row.cells.iter_mut().zip(text.chars()) {
        cell.text = c.to_string().into();
        cell.style.foreground = Color::Rgb(1, 2, 3);
    }
    frame.rows[1] = Arc::new(row);
    frame.progress = Some(Progress::Normal(40));
    frame
}

fn ask(name: &str) -> Ask {
    let run = run();
    let stop = StopRequest { kill: true };
    let mut start = StartRequest { spec: spec(), replace: true };
    start.spec.stdin = StdinSpec::Payload(b"payload\xff".to_vec());
    match name {
        "start" => Ask::Start(start.into()),
        "start_foreground" => Ask::StartForeground(StartRequest { spec: spec(), replace: false }.into()),
        "run_foreground" => Ask::RunForeground { run, start: StartRequest { replace: false, ..start }.into() },
        "rejoin_foreground" => Ask::RejoinForeground { run },
        "control" => {
            let key = Action::Key(Key::Char('c'), Modifiers { ctrl: true, ..Modifiers::default() });
            let input = Some(Input::Actions(vec![key, Action::Paste("text".into())]));
            Ask::Control { run, control: WriteStdin { input, size: Some(Size::DEFAULT) } }
        }
        "stop" => Ask::Stop { run, request: stop },
        "withdraw_stop" => Ask::WithdrawStop { run, stop: 4 },
        "restart" => Ask::Restart { run, request: stop },
        "signal" => Ask::Signal { run, signal: 15, target: SignalTarget::Tree },
        "set_deadline" => {
            let deadline = Deadline::Extend(Duration::from_secs(60));
            Ask::SetDeadline { run, kind: TimeoutKind::Idle, deadline }
        }
        "mark_ready" => Ask::MarkReady { run },
        "read" => Ask::Read { run, limit_bytes: 32_768 },
        "read_log" => {
            let wait = Some(Duration::from_secs(1));
            Ask::ReadLog { run, request: LogRequest { stream: Stream::Stderr, offset: 10, limit_bytes: 100, wait } }
        }
        "reap" => Ask::Reap { run: Some(run) },
        "inspect" => Ask::Inspect { run },
        "history" => Ask::History { run, first: 7, count: 100 },
        "watch" => Ask::Watch { run, view: View { size: Size::DEFAULT } },
        "resolve" => Ask::Resolve { wanted: "web:2".into() },
        "list_records" => Ask::ListRecords { request: RecordsRequest::newest(50) },
        "summary" => Ask::Summary,
        "prune" => Ask::Prune,
        "why" => Ask::Why { run },
        "search" => Ask::Search {
            request: SearchRequest {
                pattern: "e+".into(),
                is_regex: true,
                ignore_case: false,
                scope: SearchScope::Run(run),
                limit: 10,
                after: None,
                newest: None,
            },
            as_found: false,
        },
        "export" => Ask::Export { run, format: ExportFormat::Cast, from: None, since: None },
        "forget" => Ask::Forget { run },
        "subscribe" => Ask::Subscribe,
        "shutdown" => Ask::Shutdown { request: ShutdownRequest { hurry: true } },
        "ping" => Ask::Ping,
        "server_status" => Ask::ServerStatus,
        "stop_server" => Ask::StopServer { request: StopServer { runs: RunsAtStop::Leave } },
        "set_fence" => Ask::SetFence { fence: Some("token".to_owned().try_into().expect("a fence")) },
        "close_session" => Ask::CloseSession,
        "commit_close" => Ask::CommitClose { lease: LeaseId(3) },
        "roll_back_close" => Ask::RollBackClose { lease: LeaseId(3) },
        "resume_session" => Ask::ResumeSession,
        "sessions" => Ask::Sessions,
        "take_keyboard" => Ask::TakeKeyboard { run },
        "hand_back_keyboard" => Ask::HandBackKeyboard { run },
        "usage" => Ask::Usage,
        "surroundings" => Ask::Surroundings { run },
        "rename" => Ask::Rename { run, name: "web/api".into() },
        other => panic!("no sample of {other}"),
    }
}

/// A message that can be asked has its name here; a new one needs a sample.
fn name_of(ask: &Ask) -> &'static str {
    let place = match ask {
        Ask::Start(_) => 0,
        Ask::StartForeground(_) => 1,
        Ask::Control { .. } => 2,
        Ask::Stop { .. } => 3,
        Ask::WithdrawStop { .. } => 4,
        Ask::Restart { .. } => 5,
        Ask::Signal { .. } => 6,
        Ask::SetDeadline { .. } => 7,
        Ask::MarkReady { .. } => 8,
        Ask::Read { .. } => 9,
        Ask::ReadLog { .. } => 10,
        Ask::Reap { .. } => 11,
        Ask::Inspect { .. } => 12,
        Ask::History { .. } => 13,
        Ask::Watch { .. } => 14,
        Ask::Resolve { .. } => 15,
        Ask::ListRecords { .. } => 16,
        Ask::Summary => 17,
        Ask::Prune => 18,
        Ask::Why { .. } => 19,
        Ask::Search { .. } => 20,
        Ask::Export { .. } => 21,
        Ask::Forget { .. } => 22,
        Ask::Subscribe => 23,
        Ask::Shutdown { .. } => 24,
        Ask::Ping => 25,
        Ask::ServerStatus => 26,
        Ask::StopServer { .. } => 27,
        Ask::SetFence { .. } => 28,
        Ask::CloseSession => 29,
        Ask::CommitClose { .. } => 30,
        Ask::RollBackClose { .. } => 31,
        Ask::ResumeSession => 32,
        Ask::Sessions => 33,
        Ask::TakeKeyboard { .. } => 34,
        Ask::HandBackKeyboard { .. } => 35,
        Ask::Usage => 36,
        Ask::Surroundings { .. } => 37,
        Ask::Rename { .. } => 38,
        Ask::RunForeground { .. } => 39,
        Ask::RejoinForeground { .. } => 40,
    };
    ASKS[place]
}

/// What a server tells, with its raw bytes. The answers are those of the requests that have a form of their own.
fn tells() -> Vec<(&'static str, FromServer, Vec<u8>)> {
    let (id, failure) =
        (5, Failure::new(ErrorCode::NotFound, "there is no run").with_hint("look").with_effects(Effects::Unknown));
    let ok = |answer: Json| FromServer::Ok { id, answer };
    let (base, next) = (frame("before"), frame("behind"));
    let live = CutAnswer { outcome: CutOutcome::default(), view: CutView::Live { base: Some(3) } };
    let ended = CutAnswer { outcome: CutOutcome::default(), view: CutView::Final(Arc::new(record())) };
    let log = LogAnswer { offset: 1, next_offset: 4, skipped_bytes: 1, is_end: true, is_redacted: false };
    let span = HistorySpan { first: 0, end: 3 };
    let reading = Reading {
        record: Arc::new(record()),
        parts: vec![Part { name: PartName::Stdout, text: "out".into(), cut: true }],
        note: None,
    };
    vec![
        ("ok", ok(Json::of(&true)), vec![]),
        ("ok_record", ok(Json::of(&record())), vec![]),
        ("ok_stop", ok(Json::of(&StopOutcome { applied: true, record: Arc::new(record()) })), vec![]),
        ("ok_reading", ok(Json::of(&reading)), vec![]),
        ("ok_cut", ok(Json::of(&live)), write_frame(&next, Some(&base))),
        ("ok_cut_final", ok(Json::of(&ended)), vec![]),
        ("ok_log", ok(Json::of(&log)), b"\x1b[1m".to_vec()),
        ("ok_history", ok(Json::of(&HistoryAnswer { span, first: 0, gap: None })), write_rows(&base.rows)),
        ("ok_history_gap", ok(Json::of(&HistoryAnswer { span, first: 0, gap: Some(2) })), write_rows(&base.rows)),
        ("ok_watch", ok(Json::of(&())), write_frame(&base, None)),
        ("ok_shutdown", ok(Json::of(&ShutdownReport { ended: 2, left: vec![] })), vec![]),
        ("ok_owner", ok(Json::of(&owner())), vec![]),
        ("ok_reading_note", ok(Json::of(&Reading { note: Some(note()), ..reading.clone() })), vec![]),
        ("run_held", FromServer::Run { id, view: held() }, vec![]),
        ("run_said", FromServer::Run { id, view: said() }, vec![]),
        ("failed", FromServer::Failed { id, failure: failure.clone() }, vec![]),
        ("run", FromServer::Run { id, view: view() }, vec![]),
        ("removed", FromServer::Removed { id, run: run() }, vec![]),
        ("table", FromServer::Table { id, runs: vec![view()] }, vec![]),
        ("screen", FromServer::Screen { id }, write_frame(&next, Some(&base))),
        ("output", FromServer::Output { id, stream: Stream::Stdout }, b"bytes\xff".to_vec()),
        ("suppressed", FromServer::Suppressed { id, stream: Stream::Stderr }, vec![]),
        ("leased", FromServer::Leased { id, lease: LeaseId(3) }, vec![]),
        ("chunk", FromServer::Chunk { id }, b"bytes".to_vec()),
        ("found", FromServer::Found { id, found: found() }, vec![]),
        (
            "ok_search",
            ok(Json::of(&SearchResults { has_more: true, runs: 7, next: Some(place()), ..SearchResults::default() })),
            vec![],
        ),
        ("end", FromServer::End { id }, vec![]),
        ("goodbye", FromServer::Goodbye { reason: failure }, vec![]),
    ]
}

fn place() -> SearchPlace {
    SearchPlace { run: run(), stream: Stream::Stderr, offset: 12, record: Some(4), runs: 6 }
}

fn found() -> Found {
    let at = Some("2026-11-29T19:00:00Z".parse().expect("a time"));
    let hit = SearchHit { run: run(), stream: Stream::Stderr, line: 3, offset: 12, at, text: "here".into() };
    Found { hits: vec![hit], runs: 6, of: 9 }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/wire")
}

/// Compares a message with its sample; returns the message that the sample is.
fn sample(name: &str, outbox: &Outbox) -> Message {
    let path = folder().join(format!("{name}.frame"));
    if std::env::var_os("UPDATE_WIRE_SAMPLES").is_some() {
        std::fs::create_dir_all(folder()).expect("a folder");
        std::fs::write(&path, outbox.unsent()).expect("written");
    }
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let shown = String::from_utf8_lossy(&bytes);
    assert!(bytes == outbox.unsent(), "{name} has changed:\n{shown}\n{}", String::from_utf8_lossy(outbox.unsent()));
    let mut inbox = Inbox::new(1 << 20);
    inbox.space().extend_from_slice(&bytes);
    let message = inbox.next_message().expect("a message").expect("it is whole");
    assert!(!inbox.is_halfway());
    message
}

fn outbox(head: &[u8]) -> Outbox {
    let mut outbox = Outbox::default();
    outbox.push(head, &[]);
    outbox
}

#[test]
fn what_a_client_says_is_read_from_its_sample() {
    for name in ASKS {
        let ask = ask(name);
        assert_eq!(name_of(&ask), name);
        // One of them has a guard.
        let fence = (name == "stop").then(|| "token".to_owned().try_into().expect("a fence"));
        let guard = fence.map(|fence| Guard { fence: Some(fence), generation: Some(2) });
        let message = FromClient::Ask { id: 5, what: Box::new(ask), guard };
        let mut written = Outbox::default();
        message.clone().write(&mut written);
        let read = FromClient::read(sample(&format!("ask_{name}"), &written)).expect("a message");
        assert_eq!(read, message);
    }
    let Ask::Search { request, .. } = ask("search") else { panic!("a search") };
    let before = Some(LinePlace { stream: Stream::Stderr, offset: 12 });
    let what =
        Ask::Search { request: SearchRequest { newest: Some(Newest { before }), ..request.clone() }, as_found: false };
    let newest = FromClient::Ask { id: 5, what: Box::new(what), guard: None };
    let what = Ask::Search { request: SearchRequest { after: Some(place()), ..request }, as_found: true };
    let on = FromClient::Ask { id: 5, what: Box::new(what), guard: None };
    let others = [
        ("cancel", FromClient::Cancel { id: 5 }),
        ("taken", FromClient::Taken { id: 5 }),
        ("ask_search_as_found", on),
        ("ask_search_newest", newest),
    ];
    for (name, message) in others {
        let mut written = Outbox::default();
        message.clone().write(&mut written);
        assert_eq!(FromClient::read(sample(name, &written)).expect("a message"), message);
    }
}

#[test]
fn what_a_server_says_is_read_from_its_sample() {
    for (name, message, bulk) in tells() {
        let mut written = Outbox::default();
        message.write(&bulk, &mut written);
        let read = sample(&format!("told_{name}"), &written);
        assert_eq!(read.bulk, bulk);
        let mut again = Outbox::default();
        FromServer::read(&read.head).expect("a message").write(&read.bulk, &mut again);
        assert_eq!(again.unsent(), written.unsent(), "{name}");
    }
}

#[test]
fn hello_and_welcome_are_read_from_their_samples() {
    // The version of the program is for people and changes.
    let version = |json: Vec<u8>| String::from_utf8(json).expect("text").replace(env!("CARGO_PKG_VERSION"), "X.Y.Z");
    let hello = Hello::new("s".parse().expect("a name"), Typist::new(TypistKind::Agent, "an agent"));
    let json = version(serde_json::to_vec(&hello).expect("json"));
    let read = Hello::read(&sample("hello", &outbox(json.as_bytes())).head).expect("a hello");
    assert_eq!((read.version, read.session), (hello.version, hello.session));
    for (name, refused) in [("welcome", None), ("refused", Some(Failure::new(ErrorCode::CapacityFull, "too many")))] {
        let json = version(serde_json::to_vec(&Welcome::new(7, refused.clone())).expect("json"));
        let read = Welcome::read(&sample(name, &outbox(json.as_bytes())).head).expect("a welcome");
        assert_eq!((read.pid, read.refused), (7, refused));
    }
}

#[test]
fn screens_are_read_from_their_samples() {
    let (base, next) = (frame("before"), frame("behind"));
    let bulk = |name: &str| {
        let tells = tells();
        let (_, message, bulk) = tells.iter().find(|(one, _, _)| *one == name).expect("a sample");
        let mut written = Outbox::default();
        message.write(bulk, &mut written);
        sample(&format!("told_{name}"), &written).bulk
    };
    assert_eq!(read_frame(&bulk("ok_watch"), None).expect("a screen"), base);
    assert_eq!(read_frame(&bulk("screen"), Some(&base)).expect("a screen"), next);
    assert_eq!(read_rows(&bulk("ok_history")).expect("rows"), base.rows);
}
