//! The TUI with the supervisor in the same process: all runs end with it.

use std::path::Path;
use std::sync::Arc;

use super::state;
use super::tui::left;
use crate::api::{Client, ShutdownRequest};
use crate::cli::Exit;
use crate::holder::OnLost;
use crate::model::{ErrorCode, Failure, Limits, SessionName, with_sources};
use crate::settings::Settings;
use crate::supervisor::{Supervisor, SupervisorSetup};
use crate::tui::{self, Options};

/// The program that serves holders: this one, even when its file has been replaced meanwhile (BUGS B25).
pub(super) const OWN_PROGRAM: &str = "/proc/self/exe";

/// Shows the TUI over a supervisor of its own; nothing that was started outlives it.
///
/// # Errors
/// What is wrong with the state directory or the terminal.
pub(super) async fn show(settings: &Settings, session: SessionName, options: Options) -> Result<Exit, Failure> {
    let storage = state::open(settings, &session)?;
    let setup = SupervisorSetup {
        limits: settings.limits.clone(),
        storage,
        holder_exe: Path::new(OWN_PROGRAM),
        on_lost: OnLost::End { grace: Limits::GRACE },
    };
    let (supervisor, clients) =
        Supervisor::new(setup).map_err(|error| Failure::new(ErrorCode::SpawnFailed, with_sources(&error)))?;
    let supervising = tokio::spawn(supervisor.run());
    let client: Arc<dyn Client> = Arc::new(clients.client(session));
    drop(clients);
    let shown = tui::run(Arc::clone(&client), options).await;
    let outcome = left(shown);
    // Nothing that was started outlives this program, however it was left. After an orderly leave nothing is live any more.
    let ended = client.shutdown(ShutdownRequest::default()).await;
    drop(client);
    if let Err(failure) = ended {
        tracing::warn!(%failure, "the end of all runs was not confirmed");
    }
    supervising.await.map_err(|error| Failure::new(ErrorCode::Broken, format!("the supervisor failed: {error}")))?;
    outcome
}
