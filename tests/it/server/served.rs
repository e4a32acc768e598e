//! A server in this process.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use shtask::api::{Client, Reply, RunsAtStop, Server, ServerStatus, ServerStopped, Sessions, StopServer};
use shtask::holder::OnLost;
use shtask::model::{ErrorCode, Failure, Limits, SessionName, Typist};
use shtask::remote::{self, Dial, RemoteClient, connect_to};
use shtask::server::{Host, Patience, Place, Privacy, Serving};
use shtask::supervisor::{Storage, Supervisor, SupervisorSetup};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// What is behind the socket.
struct TestHost(shtask::supervisor::Clients);

impl Host for TestHost {
    fn client(&self, session: &SessionName, who: &Typist) -> Result<Arc<dyn Client>, Failure> {
        if session.as_str() == "refused" {
            return Err(Failure::new(ErrorCode::NotFound, "no such session"));
        }
        Ok(Arc::new(self.0.client_of(session.clone(), who.clone())))
    }

    fn sessions(&self) -> &dyn Sessions {
        &self.0
    }

    fn server(&self) -> &dyn Server {
        self
    }
}

impl Server for TestHost {
    fn ping(&self) -> Reply<()> {
        Reply::ready(Ok(()))
    }

    fn status(&self) -> Reply<ServerStatus> {
        Reply::ready(Ok(ServerStatus {
            pid: 7,
            version: "0".into(),
            protocol: "1.0".into(),
            started_at: jiff::Timestamp::UNIX_EPOCH,
            uptime: Duration::ZERO,
            socket: String::new(),
            // Long: a thousand answers are more than fit on the way to a client, however they are cut.
            state_dir: "/state".repeat(200),
            connections: 0,
            live_runs: 0,
            sessions: vec![],
        }))
    }

    fn stop_server(&self, request: StopServer) -> Reply<ServerStopped> {
        Reply::ready(match request.runs {
            RunsAtStop::Refuse => Err(Failure::new(ErrorCode::Conflict, "2 runs are live")),
            RunsAtStop::End | RunsAtStop::Leave => Ok(ServerStopped::default()),
        })
    }
}

/// Makes a supervisor in this process, whose runs end with it.
pub(super) fn supervise() -> shtask::supervisor::Clients {
    let setup = SupervisorSetup {
        limits: Limits::default(),
        storage: Storage::in_memory(),
        holder_exe: Path::new(env!("CARGO_BIN_EXE_shtask")),
        on_lost: OnLost::End { grace: Duration::ZERO },
    };
    let (supervisor, clients) = Supervisor::new(setup).expect("a supervisor");
    // It ends with its last client.
    drop(tokio::spawn(supervisor.run()));
    clients
}

/// A server in this process; it ends when this is dropped.
pub(crate) struct Served {
    socket: PathBuf,
    _dir: Option<TempDir>,
    end_tx: Option<oneshot::Sender<Failure>>,
    serving: JoinHandle<()>,
}

impl Served {
    /// Serves clients of a supervisor on a socket of its own.
    pub(crate) fn new(clients: shtask::supervisor::Clients) -> Served {
        let dir = tempfile::tempdir().expect("a folder");
        let socket = dir.path().join("run/server.sock");
        let mut served = Served::at(&socket, clients, Patience::default());
        served._dir = Some(dir);
        served
    }

    /// Serves on a socket.
    pub(super) fn at(socket: &Path, clients: shtask::supervisor::Clients, patience: Patience) -> Served {
        let place = Place::claim(socket, Privacy::Own).expect("a place");
        let serving = Serving::new(place, Arc::new(TestHost(clients)), patience).expect("a socket");
        let (end_tx, end_rx) = oneshot::channel();
        let end =
            async move { end_rx.await.unwrap_or_else(|_| Failure::new(ErrorCode::Unavailable, "it was dropped")) };
        let serving = tokio::spawn(serving.run(end));
        Served { socket: socket.to_owned(), _dir: None, end_tx: Some(end_tx), serving }
    }

    /// Returns the path of the socket.
    pub(super) fn socket(&self) -> &Path {
        &self.socket
    }

    /// Ends it in order.
    pub(super) async fn end(mut self, why: &str) {
        let end_tx = self.end_tx.take().expect("not ended yet");
        end_tx.send(Failure::new(ErrorCode::Unavailable, why)).expect("it lives");
        tokio::time::timeout(Duration::from_secs(20), &mut self.serving).await.expect("in time").expect("in order");
    }

    /// Ends it as if it were killed: nothing is said, connections break, the socket stays.
    pub(super) async fn kill(mut self) {
        self.serving.abort();
        let _ = (&mut self.serving).await;
    }

    /// Connects for a session.
    pub(crate) fn connect_as(
        &self,
        session: SessionName,
        who: Typist,
    ) -> impl Future<Output = Result<RemoteClient, Failure>> + use<> {
        RemoteClient::connect_as(dial(&self.socket), session, who, remote::Patience::default())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // As by SIGKILL: nothing is said, connections break.
        self.serving.abort();
    }
}

/// Makes connections to a socket.
pub(super) fn dial(socket: &Path) -> Dial {
    let socket = socket.to_owned();
    Box::new(move || {
        let socket = socket.clone();
        Box::pin(async move { connect_to(&socket).await })
    })
}
