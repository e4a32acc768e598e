//! What is behind the server's socket: one supervisor for all sessions.

use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use tokio::sync::watch;

use crate::api::{
    Client, Reply, RunsAtStop, Server, ServerStatus, ServerStopped, SessionCounts, SessionStatus, Sessions,
    ShutdownReport, ShutdownRequest, StopServer, reply,
};
use crate::model::{ErrorCode, Failure, Moment, SessionName, Typist};
use crate::server::Host;
use crate::supervisor::Clients;
use crate::sys::{clock, hooks};
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

    /// Ends all runs.
    ///
    /// # Errors
    /// What keeps the runs from being ended.
    pub(super) async fn shut_down(&self, request: ShutdownRequest) -> Result<ServerStopped, Failure> {
        // Whatever the session: it ends those of all.
        let session = "server".parse().expect("the word is a session name");
        let report = self.0.clients.client(session).shutdown(request).await?;
        Ok(ServerStopped { report, left_running: 0 })
    }

    /// Ends the server. Clients look for the next one only when it is to take this one's place.
    pub(super) fn end(&self, has_next: bool) {
        let why = if has_next { "another one takes its place" } else { "it was stopped" };
        self.0.end_tx.send_replace(Some(Failure { retryable: has_next, ..over(why) }));
    }

    /// Counts the runs of each session.
    async fn count(&self) -> Result<Vec<SessionStatus>, Failure> {
        let counts = self.0.clients.sessions().await?.into_iter();
        let status = |SessionCounts { session, live_runs, runs, .. }| SessionStatus { session, live_runs, runs };
        Ok(counts.map(status).collect())
    }

    async fn stop(&self, request: StopServer) -> Result<ServerStopped, Failure> {
        match request.runs {
            RunsAtStop::End => {}
            RunsAtStop::Refuse => {
                let live: usize = self.count().await?.iter().map(|session| session.live_runs).sum();
                if live > 0 {
                    let runs = if live == 1 { "1 run is".to_owned() } else { format!("{live} runs are") };
                    let failure = Failure::new(ErrorCode::Conflict, format!("the server does not end: {runs} live"));
                    return Err(failure.with_hint("stop them first, or end them with the server"));
                }
            }
            RunsAtStop::Leave => {
                hooks::pass("leave.asked");
                self.0.clients.leave_runs().await?;
                let left_running = self.count().await?.iter().map(|session| session.live_runs).sum();
                return Ok(ServerStopped { report: ShutdownReport::default(), left_running });
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
    fn client(&self, session: &SessionName, who: &Typist) -> Result<Arc<dyn Client>, Failure> {
        Ok(Arc::new(self.0.clients.client_of(session.clone(), who.clone())))
    }

    fn sessions(&self) -> &dyn Sessions {
        &self.0.clients
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
            let sessions = host.count().await?;
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
        drop(tokio::spawn(async move {
            let stopped = host.stop(request).await;
            let ends = stopped.is_ok();
            // Before the end, behind which nothing is answered.
            answer.send(stopped);
            if ends {
                hooks::pass("leave.ending");
                host.end(request.runs == RunsAtStop::Leave);
            }
        }));
        reply
    }
}
