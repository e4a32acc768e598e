//! The way to the server.

use std::path::Path;
use std::sync::Arc;

use crate::api::{Client, Server};
use crate::model::{ErrorCode, Failure, SessionName};
use crate::settings::Settings;

/// To whom somebody wants to talk.
pub(super) struct ConnectRequest<'a> {
    pub(super) settings: &'a Settings,
    pub(super) session: SessionName,
    pub(super) socket: Option<&'a Path>,
    pub(super) start: bool,
}

pub(super) type RemoteClient = (Arc<dyn Client>, Arc<dyn Server>);

pub(super) async fn connect(_: ConnectRequest<'_>) -> Result<RemoteClient, Failure> {
    Err(Failure::new(ErrorCode::Unavailable, "there is no server: this program has none yet"))
}
