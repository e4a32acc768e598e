//! Clients that mean harm or are broken: they harm nobody else (S9.1, issue 4).

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shtask::api::Server;
use shtask::remote::{self, RemoteClient};
use shtask::server::Patience;

use super::served::{Served, dial, supervise};

/// Nothing of this takes so long, on a loaded machine either.
const DEADLINE: Duration = Duration::from_secs(60);

/// Talks to a server from outside of its runtime.
fn with_server(patience: Patience, test: impl FnOnce(&Path, &tokio::runtime::Handle)) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let dir = tempfile::tempdir().expect("a folder");
    let inside = runtime.enter();
    let served = Served::at(&dir.path().join("shtask/server.sock"), supervise(), patience);
    test(served.socket(), runtime.handle());
    drop((served, inside));
}

fn impatient() -> Patience {
    Patience { hello: Duration::from_millis(300), half_message: Duration::from_millis(300) }
}

fn connect(socket: &Path) -> UnixStream {
    let stream = UnixStream::connect(socket).expect("somebody listens");
    stream.set_read_timeout(Some(DEADLINE)).expect("a deadline");
    stream
}

fn frame(head: &[u8]) -> Vec<u8> {
    let length = u32::try_from(head.len() + 1).expect("short");
    [&length.to_be_bytes()[..], &[1], head].concat()
}

fn hello() -> Vec<u8> {
    frame(json!({"protocol": "shtask", "major": 1, "minor": 0, "session": "s"}).to_string().as_bytes())
}

/// Reads the head of the next message; none at the end.
fn head(stream: &mut UnixStream) -> Option<Value> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).ok()?;
    let mut rest = vec![0; u32::from_be_bytes(length) as usize];
    stream.read_exact(&mut rest).expect("the whole frame");
    Some(serde_json::from_slice(&rest[1..]).expect("json"))
}

fn greeted(socket: &Path) -> UnixStream {
    let mut stream = connect(socket);
    stream.write_all(&hello()).expect("written");
    assert_eq!(head(&mut stream).expect("a welcome")["protocol"], "shtask");
    stream
}

/// Another client connects and gets a sign of life.
fn sign_of_life(socket: &Path, runtime: &tokio::runtime::Handle) {
    let life = async {
        let session = "other".parse().expect("a name");
        let client =
            RemoteClient::connect(dial(socket), session, remote::Patience::default()).await.expect("connected");
        client.ping().await.expect("a sign of life");
    };
    runtime.block_on(async { tokio::time::timeout(DEADLINE, life).await.expect("in time") });
}

/// Issue 4, item 1: a version that is not known is refused by name, never by silence.
#[test]
fn another_major_version_is_refused_by_name() {
    with_server(Patience::default(), |socket, _| {
        let mut stream = connect(socket);
        let hello = json!({"protocol": "shtask", "major": 2, "minor": 7, "program": "9.9.9", "new": {}});
        stream.write_all(&frame(hello.to_string().as_bytes())).expect("written");
        let answer = head(&mut stream).expect("an answer");
        assert_eq!((&answer["major"], &answer["refused"]["code"]), (&json!(1), &json!("unsupported")));
        let message = answer["refused"]["message"].as_str().expect("a message");
        assert!(message.contains("2.7") && message.contains("9.9.9") && message.contains("1.0"), "{message}");
        assert_eq!(head(&mut stream), None, "the connection ends");
    });
}

/// The same from the other side.
#[test]
fn a_server_of_another_major_version_is_refused_by_name() {
    let dir = tempfile::tempdir().expect("a folder");
    let socket = dir.path().join("socket");
    let listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        stream.write_all(&frame(br#"{"protocol":"shtask","major":7,"minor":1,"program":"9.9.9"}"#)).expect("written");
        head(&mut stream)
    });
    let session = "s".parse().expect("a name");
    let connected = runtime.block_on(RemoteClient::connect(dial(&socket), session, remote::Patience::default()));
    let failure = connected.err().expect("refused");
    assert!(failure.message.contains("7.1") && failure.message.contains("9.9.9"), "{failure}");
    assert_eq!(failure.code, shtask::model::ErrorCode::Unsupported);
    server.join().expect("served");
}

/// A server that says nothing is not waited for without end.
#[test]
fn a_server_that_does_not_speak_is_given_up() {
    let dir = tempfile::tempdir().expect("a folder");
    let socket = dir.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let patience = remote::Patience { welcome: Duration::from_millis(200), ..remote::Patience::default() };
    let session = "s".parse().expect("a name");
    let failure = runtime.block_on(RemoteClient::connect(dial(&socket), session, patience)).err().expect("given up");
    assert_eq!(failure.code, shtask::model::ErrorCode::Unavailable);
}

/// What is no hello is told so, and a request that is not known is refused while the rest goes on.
#[test]
fn what_is_not_understood_is_answered() {
    with_server(Patience::default(), |socket, _| {
        for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], &frame(b"{}"), &frame(b"\xff\xff"), &[0; 64]] {
            let mut stream = connect(socket);
            stream.write_all(bytes).expect("written");
            let answer = head(&mut stream).expect("an answer");
            assert!(answer["refused"]["message"].as_str().expect("a message").contains("hello"), "{answer}");
        }
        let mut stream = greeted(socket);
        stream.write_all(&frame(br#"{"ask":{"id":5,"what":{"make_coffee":{"cups":2}}}}"#)).expect("written");
        let answer = head(&mut stream).expect("an answer");
        assert_eq!((&answer["failed"]["id"], &answer["failed"]["failure"]["code"]), (&json!(5), &json!("unsupported")));
        stream.write_all(&frame(br#"{"ask":{"id":6,"what":"ping","more":1}}"#)).expect("written");
        assert_eq!(head(&mut stream).expect("an answer")["ok"]["id"], json!(6));
        stream.write_all(&[0xff; 4]).expect("written");
        let goodbye = head(&mut stream).expect("a reason");
        assert!(goodbye["goodbye"]["reason"]["message"].as_str().expect("a message").contains("frame"), "{goodbye}");
        assert_eq!(head(&mut stream), None);
    });
}

/// Issue 4: deadlines for half messages, of silent clients as well.
#[test]
fn half_a_message_and_a_silent_client_are_waited_for_only_so_long() {
    with_server(impatient(), |socket, _| {
        let mut silent = connect(socket);
        assert!(head(&mut silent).expect("a reason")["refused"]["message"].as_str().expect("text").contains("hello"));
        let mut half = connect(socket);
        half.write_all(&hello()[..10]).expect("written");
        assert!(head(&mut half).expect("a reason")["refused"].is_object());
        let mut later = greeted(socket);
        later.write_all(&frame(br#"{"ask":{"id":1,"what":"ping"}}"#)[..20]).expect("written");
        let goodbye = head(&mut later).expect("a reason");
        assert_eq!(goodbye["goodbye"]["reason"]["code"], "timed_out");
        assert_eq!(head(&mut later), None);
    });
}

/// The time for the rest of a message runs only while the server reads.
#[test]
fn time_in_which_the_server_does_not_read_is_not_held_against_a_client() {
    with_server(impatient(), |socket, runtime| {
        let mut busy = greeted(socket);
        let ask = |id: u64| frame(format!(r#"{{"ask":{{"id":{id},"what":"server_status"}}}}"#).as_bytes());
        let mut asked: Vec<u8> = (1..=1000).flat_map(ask).collect();
        asked.extend_from_slice(&ask(1001)[..20]);
        busy.write_all(&asked).expect("written");
        // More answers than there is room for are on their way, until more than the time has passed.
        let written = Instant::now();
        while written.elapsed() < 2 * impatient().half_message {
            sign_of_life(socket, runtime);
        }
        let begun = Instant::now();
        for _ in 0..1000 {
            let answer = head(&mut busy).expect("an answer");
            assert!(answer["ok"].is_object(), "{answer}");
        }
        let goodbye = head(&mut busy).expect("a reason");
        assert_eq!(goodbye["goodbye"]["reason"]["code"], "timed_out");
        assert!(begun.elapsed() >= impatient().half_message, "{:?}", begun.elapsed());
    });
}

/// Requests that came while their answers had no room are not forgotten once there is some.
#[test]
fn more_answers_than_there_is_room_for_all_come() {
    with_server(Patience::default(), |socket, _| {
        let mut stream = greeted(socket);
        let asked: Vec<u8> =
            (1..=1000).flat_map(|id| frame(format!(r#"{{"ask":{{"id":{id},"what":"x"}}}}"#).as_bytes())).collect();
        stream.write_all(&asked).expect("written");
        for id in 1..=1000 {
            let answer = head(&mut stream).expect("an answer");
            assert_eq!(answer["failed"]["id"], json!(id), "{answer}");
        }
    });
}

/// Issue 4: one that asks and never reads has a bounded queue, and slows nobody.
#[test]
fn a_client_that_never_reads_slows_nobody() {
    with_server(Patience::default(), |socket, runtime| {
        let mut deaf = greeted(socket);
        deaf.set_write_timeout(Some(Duration::from_millis(300))).expect("a deadline");
        let ask = |id: u64| frame(format!(r#"{{"ask":{{"id":{id},"what":"server_status"}}}}"#).as_bytes());
        let asked = (1..).take_while(|id| deaf.write_all(&ask(*id)).is_ok()).count();
        assert!(asked < 100_000, "the server took {asked} requests of a client that reads no answer");
        for _ in 0..20 {
            sign_of_life(socket, runtime);
        }
    });
}

/// Issue 4: ten thousand connects, some that stay silent, none in the way of others.
#[test]
fn ten_thousand_connects_keep_nobody_out() {
    with_server(Patience::default(), |socket, runtime| {
        let mut kept = Vec::new();
        for at in 0..10_000 {
            let Ok(stream) = UnixStream::connect(socket) else { panic!("nobody listens any more after {at}") };
            if at % 50 == 0 {
                kept.push(stream);
            }
            if at % 1000 == 0 {
                sign_of_life(socket, runtime);
            }
        }
        sign_of_life(socket, runtime);
        // Of the silent ones only the newest are still there.
        kept[0].set_read_timeout(Some(DEADLINE)).expect("a deadline");
        assert_eq!(kept[0].read(&mut [0]).expect("its end"), 0);
    });
}

/// A client past the limit is told so, and let in once another has left.
#[test]
fn the_client_past_the_limit_is_told_so() {
    with_server(Patience::default(), |socket, runtime| {
        let mut all: Vec<UnixStream> = (0..256).map(|_| greeted(socket)).collect();
        let mut one_more = connect(socket);
        one_more.write_all(&hello()).expect("written");
        assert_eq!(head(&mut one_more).expect("an answer")["refused"]["code"], "capacity_full");
        all.pop();
        let end = Instant::now() + DEADLINE;
        loop {
            let mut next = connect(socket);
            next.write_all(&hello()).expect("written");
            if head(&mut next).expect("an answer").get("refused").is_none() {
                break;
            }
            assert!(Instant::now() < end, "nobody is let in");
        }
        drop(all);
        sign_of_life(socket, runtime);
    });
}

/// S7.4: a server that is being killed still takes connections for a moment, and resets them.
#[test]
fn who_connects_to_a_dying_server_is_connected_to_the_next() {
    with_server(Patience::default(), |socket, runtime| {
        let (next, dialled) = (dial(socket), AtomicUsize::new(0));
        let dying: remote::Dial = Box::new(move || {
            if dialled.fetch_add(1, Ordering::Relaxed) >= 3 {
                return next();
            }
            Box::pin(async { Ok(tokio::net::UnixStream::pair().expect("a pair").0) })
        });
        let session = "other".parse().expect("a name");
        runtime.block_on(async {
            let connecting = RemoteClient::connect(dying, session, remote::Patience::default());
            let client = tokio::time::timeout(DEADLINE, connecting).await.expect("in time").expect("connected");
            client.ping().await.expect("a sign of life");
        });
    });
}
