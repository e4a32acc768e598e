//! What goes on for a client, and what it comes to.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde::Serialize;
use tokio::sync::{Notify, oneshot};

use crate::api::{
    Closing, Export, Feed, Foreground, Found, HistoryRows, LiveOutput, LogReading, Reply, Searching, ShutdownReport,
    StopId, Update, Watch,
};
use crate::model::{Cut, Failure, Frame, LeaseId, Record, RunId};
use crate::wire::Json;

/// Something that goes on; it ends with an event.
pub(super) type Going = Pin<Box<dyn Future<Output = Event> + Send>>;

/// What has come of something that goes on.
pub(super) enum Event {
    /// An answer.
    Answered(u64, Result<Answered, Failure>),
    /// A watch has a new screen, or (false) no more.
    Changed(u64, Watch, bool),
    /// A feed has an update, or no more.
    Fed(u64, Feed, Option<Update>),
    /// A foreground run has printed something.
    Printed(u64, Box<Waiting>, LiveOutput),
    /// A close has its lease and goes on.
    Leased(u64, LeaseId, Reply<ShutdownReport>),
    /// An export has made something.
    Exported(u64, Box<Exporting>, Vec<u8>),
    /// A search has found something.
    Found(u64, Searching, Found),
    /// It is over: nobody asks any more.
    Cancelled,
}

/// An answer, as it can be written.
pub(super) enum Answered {
    Json(Json),
    Cut(RunId, Cut),
    Log(LogReading),
    History(HistoryRows),
    Watch(RunId, Watch),
}

/// What is known of something that goes on.
pub(super) struct Living {
    /// Ends it by being dropped.
    _cancel: oneshot::Sender<()>,
    pub(super) kind: Kind,
}

/// What kind of thing goes on.
pub(super) enum Kind {
    /// A request that is answered once.
    Plain,
    /// A stop, by its id with the host's client.
    Stop(StopId),
    /// A foreground run, with what cancels it: its last words and its record come all the same.
    Foreground(Arc<Notify>),
    /// A watch.
    Watch {
        run: RunId,
        /// What was sent last.
        base: Arc<Frame>,
        /// The watch, until the client has taken what was sent.
        parked: Option<Watch>,
    },
    /// An export, until the client has taken what was sent.
    Export(Option<Box<Exporting>>),
}

/// An export that a client takes.
pub(super) struct Exporting(Export);

impl Exporting {
    pub(super) fn new(export: Export) -> Box<Exporting> {
        Box::new(Exporting(export))
    }

    /// Waits for bytes, and when there are no more, for the outcome.
    pub(super) async fn next(mut self: Box<Self>, id: u64) -> Event {
        match self.0.chunks_rx.recv().await {
            Some(chunk) => Event::Exported(id, self, chunk),
            None => json(id, self.0.outcome).await,
        }
    }
}

/// A foreground run that a client waits for.
pub(super) struct Waiting {
    foreground: Foreground,
    cancel: Arc<Notify>,
    outcome: Option<Result<Arc<Record>, Failure>>,
}

impl Waiting {
    fn new(foreground: Foreground) -> Box<Waiting> {
        Box::new(Waiting { foreground, cancel: Arc::default(), outcome: None })
    }

    /// Returns what it is known by.
    pub(super) fn kind(&self) -> Kind {
        Kind::Foreground(Arc::clone(&self.cancel))
    }

    /// Waits for output, and when there is no more, for the outcome.
    pub(super) async fn next(mut self: Box<Self>, id: u64) -> Event {
        loop {
            let output = match &self.outcome {
                // It ends now that the run has.
                Some(_) => self.foreground.output_rx.recv().await,
                None => tokio::select! {
                    biased;
                    () = self.cancel.notified() => {
                        self.foreground.cancel();
                        continue;
                    }
                    output = self.foreground.output_rx.recv() => output,
                    outcome = &mut self.foreground.outcome => {
                        self.outcome = Some(outcome);
                        continue;
                    }
                },
            };
            if let Some(output) = output {
                return Event::Printed(id, self, output);
            }
            let outcome = match self.outcome.take() {
                Some(outcome) => outcome,
                None => tokio::select! {
                    biased;
                    () = self.cancel.notified() => {
                        self.foreground.cancel();
                        continue;
                    }
                    outcome = &mut self.foreground.outcome => outcome,
                },
            };
            return Event::Answered(id, outcome.map(|record| Answered::Json(Json::of(&record))));
        }
    }
}

/// Makes something that can be cancelled of something that goes on.
pub(super) fn living(kind: Kind, going: impl Future<Output = Event> + Send + 'static) -> (Living, Going) {
    let (cancel, cancelled_rx) = oneshot::channel::<()>();
    let going = async move {
        tokio::select! {
            biased;
            _ = cancelled_rx => Event::Cancelled,
            event = going => event,
        }
    };
    (Living { _cancel: cancel, kind }, Box::pin(going))
}

/// Waits for a foreground run.
pub(super) fn waiting(id: u64, foreground: Foreground) -> (Living, Going) {
    let waiting = Waiting::new(foreground);
    living(waiting.kind(), waiting.next(id))
}

/// Waits for an answer that is JSON as a whole.
pub(super) async fn json<T: Serialize>(id: u64, reply: impl Future<Output = Result<T, Failure>>) -> Event {
    Event::Answered(id, reply.await.map(|answer| Answered::Json(Json::of(&answer))))
}

/// Waits for an answer with bulk.
pub(super) async fn with<T>(id: u64, reply: Reply<T>, make: impl FnOnce(T) -> Answered) -> Event {
    Event::Answered(id, reply.await.map(make))
}

/// Waits for what a search finds, and when there is no more, for the outcome.
pub(super) async fn searched(id: u64, mut search: Searching) -> Event {
    match search.next().await {
        Some(found) => Event::Found(id, search, found),
        None => json(id, search.outcome()).await,
    }
}

/// Waits for the lease of a close.
pub(super) async fn leased(id: u64, closing: Closing) -> Event {
    match closing.lease.await {
        Ok(lease) => Event::Leased(id, lease, closing.ended),
        Err(failure) => Event::Answered(id, Err(failure)),
    }
}

/// Waits for the next screen.
pub(super) async fn changed(id: u64, mut watch: Watch) -> Event {
    let goes_on = watch.changed().await;
    Event::Changed(id, watch, goes_on)
}

/// Waits for the next update.
pub(super) async fn fed(id: u64, mut feed: Feed) -> Event {
    let update = feed.next().await;
    Event::Fed(id, feed, update)
}
