//! Who waits for what.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use tokio::sync::{mpsc, oneshot};

use crate::api::{Answer, FeedSender, FoundSender, LiveOutput, View, Watch};
use crate::model::{Failure, Frame, Guard, LeaseId, Record, RunId};
use crate::wire::{Ask, Json, WireError};

/// What the server has told as an answer.
pub(super) struct Told {
    pub(super) answer: Json,
    pub(super) bulk: Vec<u8>,
    /// The screen in it, when it has one.
    pub(super) frame: Option<Arc<Frame>>,
}

/// What is noticed of who waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notice {
    /// All is said.
    Told,
    /// Nobody waits for this id any more.
    Left(u64),
    /// There is room for the next chunk of this export.
    Room(u64),
}

/// Ends with what is noticed.
pub(super) type Attention = Pin<Box<dyn Future<Output = Notice> + Send>>;

/// One request with who waits for it.
pub(super) struct Command {
    pub(super) id: u64,
    pub(super) ask: Ask,
    pub(super) guard: Option<Guard>,
    pub(super) waiter: Waiter,
}

/// Who waits for what comes of a request.
pub(super) enum Waiter {
    /// For one answer.
    Once(oneshot::Sender<Result<Told, Failure>>, Attention),
    /// For screens.
    Watch(RunId, View, Answer<Watch>),
    /// For updates.
    Feed(FeedSender),
    /// For the lease of a close, and for its end.
    Closing(Answer<LeaseId>, oneshot::Sender<Result<Told, Failure>>, Attention),
    /// For what a search finds, and for its outcome.
    Search(Arc<FoundSender>, oneshot::Sender<Result<Told, Failure>>, Attention),
    /// For the chunks of an export.
    Export(ExportWaiter),
    /// For a foreground run.
    Foreground(ForegroundWaiter, oneshot::Receiver<()>),
}

/// Who waits for a foreground run.
pub(super) struct ForegroundWaiter {
    pub(super) output_tx: mpsc::UnboundedSender<LiveOutput>,
    pub(super) answer: Answer<Arc<Record>>,
}

/// Who waits for an export.
pub(super) struct ExportWaiter {
    pub(super) chunks_tx: mpsc::Sender<Vec<u8>>,
    pub(super) answer: Answer<()>,
}

impl ExportWaiter {
    /// Passes a chunk on; returns what notices that there is room for the next.
    pub(super) fn pass(&self, id: u64, chunk: Vec<u8>) -> Attention {
        // There is room: the last chunk was said to be taken when there was.
        let _ = self.chunks_tx.try_send(chunk);
        let chunks_tx = self.chunks_tx.clone();
        Box::pin(async move {
            let has_room = chunks_tx.reserve().await.is_ok();
            if has_room { Notice::Room(id) } else { Notice::Left(id) }
        })
    }
}

/// Makes the two parts of a waiter for one answer, which `make` reads.
pub(super) fn once<T: Send + 'static>(
    id: u64,
    mut answer: Answer<T>,
    make: impl FnOnce(Told) -> Result<T, WireError> + Send + 'static,
) -> (oneshot::Sender<Result<Told, Failure>>, Attention) {
    let (told_tx, mut told_rx) = oneshot::channel::<Result<Told, Failure>>();
    let attention = async move {
        tokio::select! {
            biased;
            told = &mut told_rx => {
                // Its other end is kept until it has been told something.
                let told = told.unwrap_or_else(|_| Err(super::error::broken("the connection has failed")));
                answer.send(told.and_then(|told| make(told).map_err(Failure::from)));
                Notice::Told
            }
            () = answer.abandoned() => Notice::Left(id),
        }
    };
    (told_tx, Box::pin(attention))
}

/// Reads an answer that is JSON as a whole.
pub(super) fn json<T: DeserializeOwned>(told: Told) -> Result<T, WireError> {
    told.answer.read()
}
