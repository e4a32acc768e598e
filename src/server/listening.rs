//! Accepts clients, and none too many.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;

use super::PlaceError;
use super::connection::Connection;
use super::greeting;
use super::guard::Guard;
use super::host::Host;
use super::place::Place;
use crate::model::{ErrorCode, Failure};
use crate::sys::socket::Socket;
use crate::wire::Inbox;

/// How many clients can be connected: each of them costs a descriptor, and runs need theirs.
const MAX_CONNECTIONS: usize = 256;

/// How many of them may not have said who they are. When more come, the one that has waited longest goes: a flood of connections then ends those of
/// the flood, as an honest client speaks at once.
const MAX_SILENT: usize = 64;

/// What one message of a client may have: a payload for standard input and the largest environment that the kernel takes, as JSON.
const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// How long to wait when the system has no descriptor for the next client, or no place for the socket.
const RETRY_INTERVAL: Duration = Duration::from_millis(200);

/// The longest time between two attempts to make the socket anew.
const MAX_RETRY_INTERVAL: Duration = Duration::from_secs(10);

/// How long clients may take to be told that the server ends.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a client may take to say something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Until its hello is there.
    pub hello: Duration,
    /// Until a message that it has begun is there.
    pub half_message: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { hello: Duration::from_secs(5), half_message: Duration::from_secs(10) }
    }
}

/// A server that listens.
pub struct Serving {
    place: Place,
    listener: UnixListener,
    guard: Guard,
    host: Arc<dyn Host>,
    patience: Patience,
    connections: Arc<AtomicUsize>,
    /// Those that have not said hello, the oldest first: whether they have by now, and what ends them.
    silent: VecDeque<(Arc<AtomicBool>, oneshot::Sender<()>)>,
    tasks: JoinSet<()>,
    closing_tx: watch::Sender<Option<Failure>>,
    is_out_of_descriptors: bool,
    /// How long to wait for the next attempt to make the socket anew; none while it is there.
    retry: Option<Duration>,
}

impl Serving {
    /// Listens at a place.
    ///
    /// # Errors
    /// [`PlaceError`] when the socket cannot be made.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn new(mut place: Place, host: Arc<dyn Host>, patience: Patience) -> Result<Serving, PlaceError> {
        let listener = listener(place.listen()?, &place)?;
        let guard = Guard::new(place.folder_path());
        let (closing_tx, _) = watch::channel(None);
        Ok(Serving {
            place,
            listener,
            guard,
            host,
            patience,
            connections: Arc::default(),
            silent: VecDeque::new(),
            tasks: JoinSet::new(),
            closing_tx,
            is_out_of_descriptors: false,
            retry: None,
        })
    }

    /// Serves until `end` tells why it is over; all clients are told then. The socket is gone when this returns.
    pub async fn run(mut self, end: impl Future<Output = Failure>) {
        let mut end = std::pin::pin!(end);
        let reason = loop {
            tokio::select! {
                biased;
                reason = &mut end => break reason,
                () = self.guard.stirred() => self.look_after_the_socket(),
                Some(ended) = self.tasks.join_next(), if !self.tasks.is_empty() => {
                    if let Err(error) = ended {
                        tracing::error!(%error, "a connection has failed");
                    }
                }
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => self.admit(stream),
                    Err(error) => self.not_accepted(&error).await,
                },
            }
        };
        let Serving { place, listener, mut tasks, closing_tx, .. } = self;
        // Nobody can come any more before the others are told.
        drop((listener, place));
        closing_tx.send_replace(Some(reason));
        let all_told = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(CLOSE_TIMEOUT, all_told).await.is_err() {
            tracing::warn!("some clients did not read that the server ends");
        }
    }

    fn look_after_the_socket(&mut self) {
        if self.place.is_intact() {
            if self.retry.take().is_some() {
                self.guard = Guard::new(self.place.folder_path());
                tracing::warn!(socket = %self.place.socket().display(), "the socket is back");
            }
            return;
        }
        let restored = self.place.restore().and_then(|made| listener(made, &self.place));
        match restored {
            Ok(listener) => {
                self.listener = listener;
                self.retry = None;
                self.guard = Guard::new(self.place.folder_path());
                tracing::warn!(socket = %self.place.socket().display(), "the socket was taken away and made anew");
            }
            Err(error) => {
                // Told once: a folder that is gone for good, as after a logout, would fill the log.
                if self.retry.is_none() {
                    tracing::error!(%error, "the socket was taken away and cannot be made anew yet");
                } else {
                    tracing::debug!(%error, "the socket can still not be made anew");
                }
                let interval = longer(self.retry);
                self.retry = Some(interval);
                // What is missing stirs no more: the look is repeated by the clock.
                self.guard = Guard::by_the_clock(interval);
            }
        }
    }

    /// Waits a moment when the next client could not be accepted: it is still there, and what is missing may come back.
    async fn not_accepted(&mut self, error: &io::Error) {
        if matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted) {
            return;
        }
        if !self.is_out_of_descriptors {
            tracing::error!(%error, "a client cannot be accepted");
        }
        self.is_out_of_descriptors = true;
        tokio::time::sleep(RETRY_INTERVAL).await;
    }

    fn admit(&mut self, stream: UnixStream) {
        self.is_out_of_descriptors = false;
        let own = rustix::process::geteuid().as_raw();
        match stream.peer_cred() {
            Ok(peer) if peer.uid() == own => {}
            Ok(peer) => {
                tracing::warn!(uid = peer.uid(), pid = peer.pid(), "somebody else was turned away");
                return;
            }
            Err(error) => {
                tracing::warn!(%error, "somebody unknown was turned away");
                return;
            }
        }
        self.silent.retain(|(has_spoken, end)| !has_spoken.load(Ordering::Relaxed) && !end.is_closed());
        if self.silent.len() >= MAX_SILENT {
            self.silent.pop_front();
        }
        let (has_spoken, (end_tx, end_rx)) = (Arc::new(AtomicBool::new(false)), oneshot::channel());
        self.silent.push_back((Arc::clone(&has_spoken), end_tx));
        let client = NewClient {
            stream,
            host: Arc::clone(&self.host),
            patience: self.patience,
            connections: Arc::clone(&self.connections),
            has_spoken,
            closing_rx: self.closing_tx.subscribe(),
        };
        self.tasks.spawn(client.serve(end_rx));
    }
}

fn listener(made: std::os::unix::net::UnixListener, place: &Place) -> Result<UnixListener, PlaceError> {
    UnixListener::from_std(made).map_err(|source| PlaceError::File { path: place.socket().to_owned(), source })
}

/// Returns how long to wait after one more attempt that has failed.
fn longer(last: Option<Duration>) -> Duration {
    last.map_or(RETRY_INTERVAL, |last| (last * 2).min(MAX_RETRY_INTERVAL))
}

/// A client that was accepted.
struct NewClient {
    stream: UnixStream,
    host: Arc<dyn Host>,
    patience: Patience,
    connections: Arc<AtomicUsize>,
    has_spoken: Arc<AtomicBool>,
    closing_rx: watch::Receiver<Option<Failure>>,
}

/// One more connection, as long as this lives.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl NewClient {
    /// Serves it, until it leaves, the server ends, or (while it is silent) room is needed for others.
    async fn serve(mut self, end_rx: oneshot::Receiver<()>) {
        let stream = match Socket::new(self.stream) {
            Ok(stream) => stream,
            Err(error) => return tracing::error!(%error, "a client cannot be served"),
        };
        let mut inbox = Inbox::new(MAX_MESSAGE_BYTES);
        let hello = tokio::select! {
            biased;
            _ = end_rx => return,
            _ = self.closing_rx.wait_for(Option::is_some) => return,
            hello = greeting::hear(&stream, &mut inbox, self.patience.hello) => hello,
        };
        self.has_spoken.store(true, Ordering::Relaxed);
        let hello = match hello {
            Ok(hello) => hello,
            Err(failure) => {
                tracing::debug!(%failure, "a client was turned away");
                return;
            }
        };
        let counted = Counted(Arc::clone(&self.connections));
        if self.connections.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
            let message = format!("the server serves at most {MAX_CONNECTIONS} clients at once");
            return greeting::refuse(&stream, Failure::new(ErrorCode::CapacityFull, message)).await;
        }
        let client = match self.host.client(&hello.session, &hello.typist) {
            Ok(client) => client,
            Err(failure) => return greeting::refuse(&stream, failure).await,
        };
        let connection = Connection::new(stream, inbox, client, self.host, self.connections);
        let (stream, mut outbox, reason) = connection.serve(self.patience.half_message, &mut self.closing_rx).await;
        drop(counted);
        if let Some(reason) = reason {
            tracing::debug!(%reason, "a connection was ended");
            greeting::say_goodbye(&stream, &mut outbox, reason).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_become_rarer_up_to_a_bound() {
        let waits: Vec<Duration> =
            std::iter::successors(Some(longer(None)), |last| Some(longer(Some(*last)))).take(8).collect();
        let millis = [200, 400, 800, 1600, 3200, 6400, 10_000, 10_000].map(Duration::from_millis);
        assert_eq!(waits, millis);
    }
}
