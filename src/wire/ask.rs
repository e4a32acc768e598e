//! What a client says after its hello.

use std::mem;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Message, Outbox, WireError};
use crate::api::{
    Deadline, ExportFormat, LinePlace, LogRequest, RecordsRequest, SearchRequest, ShutdownRequest, SignalTarget,
    StartRequest, StopRequest, StopServer, View,
};
use crate::model::{Fence, Guard, LeaseId, RunId, RunSpec, StdinSpec, TimeoutKind, WriteStdin};

/// A message of a client.
///
/// Ids are chosen by the client: each is used once in a connection, and everything that the server tells about it has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FromClient {
    /// Asks for something. The order of these messages is the order of their effects.
    Ask {
        /// The id of what is asked.
        id: u64,
        /// What is asked.
        what: Box<Ask>,
        /// What has to be so still for it to be done (S7.5).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        guard: Option<Guard>,
    },
    /// Nobody waits for it any more: an answer, a feed, a watch, a foreground run.
    Cancel {
        /// The id of what was asked.
        id: u64,
    },
    /// The last screen of this watch, or chunk of this export, was taken in: the next one may follow.
    Taken {
        /// The id of the watch or export.
        id: u64,
    },
}

/// A start, with the payload for its standard input apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartAsk {
    /// What to run. A payload for standard input is empty here and goes as the message's raw bytes.
    pub spec: RunSpec,
    /// See [`StartRequest::replace`].
    #[serde(default)]
    pub replace: bool,
}

impl From<StartAsk> for StartRequest {
    fn from(ask: StartAsk) -> StartRequest {
        StartRequest { spec: ask.spec, replace: ask.replace }
    }
}

impl From<StartRequest> for StartAsk {
    fn from(request: StartRequest) -> StartAsk {
        StartAsk { spec: request.spec, replace: request.replace }
    }
}

/// What can be asked: the methods of [`Client`](crate::api::Client) and [`Server`](crate::api::Server).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "fields are called as the parameters of the methods")]
pub enum Ask {
    /// [`start`](crate::api::Client::start).
    Start(StartAsk),
    /// [`start_foreground`](crate::api::Client::start_foreground), with an id of the server's.
    StartForeground(StartAsk),
    /// [`start_foreground`](crate::api::Client::start_foreground), with an id of the client's. Since 1.2: a server that does not know ids of
    /// clients must not start it under another one.
    RunForeground { run: RunId, start: StartAsk },
    /// [`rejoin_foreground`](crate::api::Client::rejoin_foreground). Since 1.2.
    RejoinForeground { run: RunId },
    /// [`control`](crate::api::Client::control).
    Control { run: RunId, control: WriteStdin },
    /// [`take_keyboard`](crate::api::Client::take_keyboard).
    TakeKeyboard { run: RunId },
    /// [`hand_back_keyboard`](crate::api::Client::hand_back_keyboard).
    HandBackKeyboard { run: RunId },
    /// [`stop`](crate::api::Client::stop). The stop's id is that of this message.
    Stop { run: RunId, request: StopRequest },
    /// [`withdraw_stop`](crate::api::Client::withdraw_stop): `stop` is the id of the message that asked for it, in this connection.
    WithdrawStop { run: RunId, stop: u64 },
    /// [`restart`](crate::api::Client::restart).
    Restart { run: RunId, request: StopRequest },
    /// [`signal`](crate::api::Client::signal).
    Signal { run: RunId, signal: i32, target: SignalTarget },
    /// [`set_deadline`](crate::api::Client::set_deadline).
    SetDeadline { run: RunId, kind: TimeoutKind, deadline: Deadline },
    /// [`mark_ready`](crate::api::Client::mark_ready).
    MarkReady { run: RunId },
    /// [`rename`](crate::api::Client::rename): `name` is a name as people write it.
    Rename { run: RunId, name: String },
    /// [`read`](crate::api::Client::read).
    Read { run: RunId, limit_bytes: usize },
    /// [`read_log`](crate::api::Client::read_log).
    ReadLog { run: RunId, request: LogRequest },
    /// [`reap`](crate::api::Client::reap).
    Reap {
        #[serde(default)]
        run: Option<RunId>,
    },
    /// [`inspect`](crate::api::Client::inspect).
    Inspect { run: RunId },
    /// [`usage`](crate::api::Client::usage).
    Usage,
    /// [`surroundings`](crate::api::Client::surroundings).
    Surroundings { run: RunId },
    /// [`history`](crate::api::Client::history).
    History { run: RunId, first: u64, count: usize },
    /// [`watch`](crate::api::Client::watch).
    Watch { run: RunId, view: View },
    /// [`resolve`](crate::api::Client::resolve): `wanted` is a ref as people write it.
    Resolve { wanted: String },
    /// [`list_records`](crate::api::Client::list_records).
    ListRecords { request: RecordsRequest },
    /// [`summary`](crate::api::Client::summary).
    Summary,
    /// [`prune`](crate::api::Client::prune).
    Prune,
    /// [`why`](crate::api::Client::why).
    Why { run: RunId },
    /// [`search`](crate::api::Client::search): with `as_found`, what is found is told as it comes, and the answer has the rest.
    Search {
        request: SearchRequest,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        as_found: bool,
    },
    /// [`export`](crate::api::Client::export).
    Export {
        run: RunId,
        format: ExportFormat,
        /// [`export_lines`](crate::api::Client::export_lines).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<LinePlace>,
        /// [`export_since`](crate::api::Client::export_since).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Duration>,
    },
    /// [`set_fence`](crate::api::Client::set_fence).
    SetFence {
        #[serde(default)]
        fence: Option<Fence>,
    },
    /// [`close_session`](crate::api::Client::close_session): told the lease first, then the answer.
    CloseSession,
    /// [`commit_close`](crate::api::Client::commit_close).
    CommitClose { lease: LeaseId },
    /// [`roll_back_close`](crate::api::Client::roll_back_close).
    RollBackClose { lease: LeaseId },
    /// [`resume_session`](crate::api::Client::resume_session).
    ResumeSession,
    /// [`sessions`](crate::api::Sessions::sessions).
    Sessions,
    /// [`forget`](crate::api::Client::forget).
    Forget { run: RunId },
    /// [`subscribe`](crate::api::Client::subscribe).
    Subscribe,
    /// [`shutdown`](crate::api::Client::shutdown).
    Shutdown { request: ShutdownRequest },
    /// [`ping`](crate::api::Server::ping).
    Ping,
    /// [`status`](crate::api::Server::status).
    ServerStatus,
    /// [`stop_server`](crate::api::Server::stop_server).
    StopServer { request: StopServer },
}

impl Ask {
    fn payload(&mut self) -> Option<&mut Vec<u8>> {
        let (Ask::Start(start) | Ask::StartForeground(start) | Ask::RunForeground { start, .. }) = self else {
            return None;
        };
        match &mut start.spec.stdin {
            StdinSpec::Payload(bytes) => Some(bytes),
            StdinSpec::Null => None,
        }
    }
}

impl FromClient {
    /// Puts the message behind those that are on their way out.
    ///
    /// # Panics
    /// Never for a value of these types: all of them have a form in JSON.
    pub fn write(mut self, outbox: &mut Outbox) {
        let bulk = match &mut self {
            FromClient::Ask { what, .. } => what.payload().map(mem::take),
            FromClient::Cancel { .. } | FromClient::Taken { .. } => None,
        };
        let head = serde_json::to_vec(&self).expect("messages have a form in JSON");
        outbox.push(&head, bulk.as_deref().unwrap_or_default());
    }

    /// Reads a message.
    ///
    /// # Errors
    /// [`WireError::Head`] for a message that is not known, of a later minor version perhaps.
    pub fn read(message: Message) -> Result<FromClient, WireError> {
        let mut read: FromClient = serde_json::from_slice(&message.head)?;
        if let FromClient::Ask { what, .. } = &mut read
            && let Some(payload) = what.payload()
        {
            *payload = message.bulk;
        }
        Ok(read)
    }
}
