//! What is behind the server's socket: one supervisor for all sessions.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use tokio::sync::watch;

use crate::api::{
    Client, Reply, RunsAtStop, Server, ServerStatus, ServerStopped, SessionStatus, ShutdownRequest, StopServer, Update,
    reply,
};
use crate::model::{ErrorCode, Failure, Moment, SessionName};
use crate::server::Host;
use crate::supervisor::Clients;
use crate::sys::clock;
use crate::wire::VERSION;

/// The server's host.
#[derive(Clone)]
pub(super) struct ServerHost(Arc<Inner>);

struct Inner {
    clients: Clients,
    socket: PathBuf,
    state_dir: PathBuf,
    started_at: Timestamp,
    started: Moment,
    /// The sessions that somebody has asked for.
    sessions: Mutex<BTreeSet<SessionName>>,
    /// Why the server ends, once it does.
    end_tx: watch::Sender<Option<Failure>>,
}

impl ServerHost {
    pub(super) fn new(clients: Clients, socket: PathBuf, state_dir: PathBuf) -> ServerHost {
        ServerHost(Arc::new(Inner {
            clients,
            socket,
            state_dir,
            started_at: Timestamp::now(),
            started: Moment::from_boot(clock::boot_now()),
            sessions: Mutex::default(),
            end_tx: watch::Sender::new(None),
        }))
    }

    /// Waits until the server is to end, and says why.
    pub(super) fn ended(&self) -> impl Future<Output = Failure> + use<> {
        let mut end_rx = self.0.end_tx.subscribe();
        async move {
            let reason = end_rx.wait_for(Option::is_some).await.ok().and_then(|reason| reason.clone());
            reason.unwrap_or_else(|| over("it is gone"))
        }
    }

    /// Ends all runs, then the server.
    ///
    /// # Errors
    /// What keeps the runs from being ended.
    pub(super) async fn shut_down(&self, request: ShutdownRequest) -> Result<ServerStopped, Failure> {
        // Whatever the session: it ends those of all.
        let session = "server".parse().expect("a name");
        let report = self.0.clients.client(session).shutdown(request).await?;
        self.0.end_tx.send_replace(Some(over("it was stopped")));
        Ok(ServerStopped { report, left_running: 0 })
    }

    /// Counts the runs of each session.
    async fn count(&self) -> Vec<SessionStatus> {
        let sessions: Vec<SessionName> = self.sessions().iter().cloned().collect();
        let mut counts = Vec::with_capacity(sessions.len());
        for session in sessions {
            // The first update of a feed is the table.
            let table = self.0.clients.client(session.clone()).subscribe().next().await;
            let Some(Update::Resync(runs)) = table else { continue };
            let live_runs = runs.iter().filter(|view| !view.record.status.is_final()).count();
            counts.push(SessionStatus { session, live_runs, runs: runs.len() });
        }
        counts
    }

    fn sessions(&self) -> std::sync::MutexGuard<'_, BTreeSet<SessionName>> {
        // Every change is complete when it returns, so a panic elsewhere leaves no half state.
        self.0.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn stop(&self, request: StopServer) -> Result<ServerStopped, Failure> {
        match request.runs {
            RunsAtStop::End => {}
            RunsAtStop::Refuse => {
                let live: usize = self.count().await.iter().map(|session| session.live_runs).sum();
                if live > 0 {
                    let runs = if live == 1 { "1 run is".to_owned() } else { format!("{live} runs are") };
                    let failure = Failure::new(ErrorCode::Conflict, format!("the server does not end: {runs} live"));
                    return Err(failure.with_hint("stop them first, or end them with the server"));
                }
            }
            RunsAtStop::Leave => {
                let message = "runs cannot be left to the next server yet";
                return Err(Failure::new(ErrorCode::Unsupported, message));
            }
        }
        self.shut_down(ShutdownRequest::default()).await
    }
}

fn over(why: &str) -> Failure {
    Failure::new(ErrorCode::Unavailable, format!("the server has ended: {why}"))
}

/// Answers when the work is done, for as long as somebody waits.
fn answered<T: Send + 'static>(work: impl Future<Output = Result<T, Failure>> + Send + 'static) -> Reply<T> {
    let (mut answer, reply) = reply();
    // It ends with its work, or with who waits for it.
    drop(tokio::spawn(async move {
        tokio::select! {
            biased;
            result = work => answer.send(result),
            () = answer.abandoned() => {}
        }
    }));
    reply
}

impl Host for ServerHost {
    fn client(&self, session: &SessionName) -> Result<Arc<dyn Client>, Failure> {
        self.sessions().insert(session.clone());
        Ok(Arc::new(self.0.clients.client(session.clone())))
    }

    fn server(&self) -> &dyn Server {
        self
    }
}

impl Server for ServerHost {
    fn ping(&self) -> Reply<()> {
        Reply::ready(Ok(()))
    }

    fn status(&self) -> Reply<ServerStatus> {
        let host = self.clone();
        answered(async move {
            let mut sessions = host.count().await;
            // Who only asks how the server is has no session there yet.
            sessions.retain(|session| session.runs > 0);
            let inner = &host.0;
            Ok(ServerStatus {
                pid: std::process::id().cast_signed(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                protocol: VERSION.to_string(),
                started_at: inner.started_at,
                uptime: Moment::from_boot(clock::boot_now()).since(inner.started),
                socket: inner.socket.display().to_string(),
                state_dir: inner.state_dir.display().to_string(),
                connections: 0,
                live_runs: sessions.iter().map(|session| session.live_runs).sum(),
                sessions,
            })
        })
    }

    fn stop_server(&self, request: StopServer) -> Reply<ServerStopped> {
        let (answer, reply) = reply();
        let host = self.clone();
        // Once it is asked for it goes on, whoever waits.
        drop(tokio::spawn(async move { answer.send(host.stop(request).await) }));
        reply
    }
}
