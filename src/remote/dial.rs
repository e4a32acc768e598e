//! Getting a connection, and the first words on it.

use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::time::Instant;

use super::error::{broken, silent};
use crate::model::{ErrorCode, Failure};
use crate::sys::socket::Socket;
use crate::wire::{Hello, Inbox, Outbox, Welcome};

/// Makes a connection to a server, started for it or not; asked again each time a connection is lost.
pub type Dial = Box<dyn Fn() -> Pin<Box<dyn Future<Output = Result<UnixStream, Failure>> + Send>> + Send + Sync>;

/// The pause before it is dialled again.
const DIAL_AGAIN: Duration = Duration::from_millis(10);

/// What one message of a server may have: a table of all runs it keeps, or a whole scrollback.
const MAX_MESSAGE_BYTES: usize = 256 * 1024 * 1024;

/// How long a client waits for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For the server's first word.
    pub welcome: Duration,
    /// For any sign of life while an answer is waited for; then the server is asked for one.
    pub silence: Duration,
    /// For any sign of life while only changes are waited for, of runs that may be silent for hours; then likewise.
    pub quiet: Duration,
    /// For that sign of life; then who waits for an answer is told that there is none.
    pub ping: Duration,
    /// For a new connection, before requests are refused.
    pub outage: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            welcome: Duration::from_secs(5),
            silence: Duration::from_secs(5),
            quiet: Duration::from_secs(20),
            ping: Duration::from_secs(10),
            outage: Duration::from_secs(5),
        }
    }
}

/// Connects to the socket of a server of this user.
///
/// # Errors
/// [`ErrorCode::Unavailable`] when nobody listens there, or somebody else does.
pub async fn connect_to(socket: &Path) -> Result<UnixStream, Failure> {
    let unavailable =
        |why: String| Failure::new(ErrorCode::Unavailable, format!("no server answers on {}: {why}", socket.display()));
    let stream = UnixStream::connect(socket).await.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => unavailable("there is no such socket".to_owned()),
        io::ErrorKind::ConnectionRefused => unavailable("nobody listens".to_owned()),
        _ => unavailable(error.to_string()),
    })?;
    let own = rustix::process::geteuid().as_raw();
    let peer = stream.peer_cred().map_err(|error| unavailable(error.to_string()))?;
    if peer.uid() != own {
        return Err(unavailable(format!("user {} listens there and not you ({own})", peer.uid())));
    }
    Ok(stream)
}

/// A connection that both sides have agreed on.
pub(super) struct Connected {
    pub(super) stream: Socket,
    pub(super) inbox: Inbox,
    /// The server's process, as it says.
    pub(super) pid: i32,
}

/// Dials and says hello.
pub(super) async fn connect(dial: &Dial, hello: &Hello, patience: Patience) -> Result<Connected, Failure> {
    let end = Instant::now() + patience.outage;
    loop {
        match dial_once(dial, hello, patience).await {
            // It is about to end, or being killed: whoever dials will see that there is none. One that says nothing would say nothing again.
            Err(NoAnswer::Gone(failure)) if failure.code == ErrorCode::Unavailable && Instant::now() < end => {
                tokio::time::sleep(DIAL_AGAIN).await;
            }
            connected => return connected.map_err(NoAnswer::failure),
        }
    }
}

/// Why there is no connection.
enum NoAnswer {
    /// Nobody could be reached, or started.
    None(Failure),
    /// It was lost before its first word, or refuses to talk.
    Gone(Failure),
    Silent(Failure),
}

impl NoAnswer {
    fn failure(self) -> Failure {
        match self {
            NoAnswer::None(failure) | NoAnswer::Gone(failure) | NoAnswer::Silent(failure) => failure,
        }
    }
}

async fn dial_once(dial: &Dial, hello: &Hello, patience: Patience) -> Result<Connected, NoAnswer> {
    let stream = dial().await.map_err(NoAnswer::None)?;
    // Who has begun to listen: the kernel knows it, however silent that is.
    let pid = stream.peer_cred().ok().and_then(|peer| peer.pid()).unwrap_or_default();
    match tokio::time::timeout(patience.welcome, greet(stream, hello)).await {
        Ok(greeted) => greeted.map_err(NoAnswer::Gone),
        Err(_) => Err(NoAnswer::Silent(silent(pid, patience.welcome))),
    }
}

async fn greet(stream: UnixStream, hello: &Hello) -> Result<Connected, Failure> {
    let stream = Socket::new(stream).map_err(broken)?;
    let mut outbox = Outbox::default();
    let hello = serde_json::to_vec(hello).expect("a hello has a form in JSON");
    outbox.push(&hello, &[]);
    while !outbox.is_empty() {
        match stream.try_write(outbox.unsent()) {
            Ok(count) => outbox.sent(count),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => stream.writable().await.map_err(broken)?,
            // The server may have said why it does not listen.
            Err(_) => break,
        }
    }
    let mut inbox = Inbox::new(MAX_MESSAGE_BYTES);
    loop {
        if let Some(message) = inbox.next_message()? {
            let welcome = Welcome::read(&message.head)?;
            return match welcome.refused {
                Some(failure) => Err(failure),
                None => Ok(Connected { stream, inbox, pid: welcome.pid }),
            };
        }
        stream.readable().await.map_err(broken)?;
        match stream.try_read(inbox.space()) {
            Ok(0) => return Err(broken("the server has closed the connection")),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(broken(error)),
        }
    }
}
