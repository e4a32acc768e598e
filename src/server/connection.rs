//! One client: reads what it asks, in order, and writes what comes of it.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::watch;
use tokio::time::Instant;

use super::asking::Asked;
use super::event::{Answered, Event, Exporting, Going, Kind, Living, changed, fed, json, living, searched};
use super::host::Host;
use crate::api::{Client, Feed, LiveOutput, StopId, Update, Watch};
use crate::model::{Applied, Cut, ErrorCode, Failure, Frame, Guard, RunId};
use crate::sys::socket::Socket;
use crate::wire::screen::{write_frame, write_rows};
use crate::wire::{
    Ask, CutAnswer, CutView, FromClient, FromServer, HistoryAnswer, Inbox, Json, LogAnswer, Message, Outbox, id_of,
};

/// How much may be on its way to a client that does not read. Past it nothing more is read from it and nothing more is made for it: screens,
/// updates and output wait where they are bounded.
const MAX_UNSENT_BYTES: usize = 64 * 1024;

/// How many things may go on for one client. A screenful of watches and feeds, and more requests at a time than any program makes on purpose.
const MAX_LIVING: usize = 1024;

/// How long the answer to what was typed waits for the screen that shows it, when the client watches the run: both in one wake the client once,
/// and not while the program that echoes needs the processor.
const ANSWER_WAIT: Duration = Duration::from_millis(2);

/// A client that has said hello.
pub(super) struct Connection {
    stream: Socket,
    inbox: Inbox,
    outbox: Outbox,
    /// Until when what is on its way may wait for more, and how much it is; nothing waits when that has changed.
    held: Option<(Instant, usize)>,
    client: Arc<dyn Client>,
    host: Arc<dyn Host>,
    connections: Arc<AtomicUsize>,
    living: HashMap<u64, Living>,
    going: FuturesUnordered<Going>,
}

impl Connection {
    pub(super) fn new(
        stream: Socket,
        inbox: Inbox,
        client: Arc<dyn Client>,
        host: Arc<dyn Host>,
        connections: Arc<AtomicUsize>,
    ) -> Connection {
        let mut outbox = Outbox::default();
        outbox.push(&super::greeting::welcome(None), &[]);
        let (living, going) = (HashMap::new(), FuturesUnordered::new());
        Connection { stream, inbox, outbox, held: None, client, host, connections, living, going }
    }

    /// Serves the client until it leaves (`Ok`), or until there is a reason to end the connection, which it is told with what is on its way.
    /// Everything that goes on for it ends with this.
    pub(super) async fn serve(
        mut self,
        half_message: Duration,
        closing_rx: &mut watch::Receiver<Option<Failure>>,
    ) -> (Socket, Outbox, Option<Failure>) {
        let reason = tokio::select! {
            // What has been answered is written before the end is told: the answer to who ends the server, too.
            biased;
            talked = self.talk(half_message) => talked.err().filter(|reason| reason.code != ErrorCode::Unavailable),
            closing = closing_rx.wait_for(Option::is_some) => closing.ok().and_then(|reason| reason.clone()),
        };
        (self.stream, self.outbox, reason)
    }

    async fn talk(&mut self, half_message: Duration) -> Result<(), Failure> {
        let mut half_until: Option<Instant> = None;
        loop {
            if self.take_messages()? || !self.inbox.is_halfway() {
                half_until = None;
            }
            let was_full = !self.has_room();
            self.send()?;
            let has_room = self.has_room();
            if was_full {
                // Nothing was read: that time is not the client's. What is here already may be whole and is looked at as soon as there is room.
                half_until = None;
                if has_room {
                    continue;
                }
            } else if self.inbox.is_halfway() && half_until.is_none() {
                half_until = Some(Instant::now() + half_message);
            }
            tokio::select! {
                biased;
                ready = self.stream.readable(), if has_room => {
                    ready.map_err(gone)?;
                    if !self.receive()? {
                        return Ok(());
                    }
                }
                Some(event) = self.going.next(), if has_room => self.happened(event),
                ready = self.stream.writable(), if !self.outbox.is_empty() && self.held.is_none() => ready.map_err(gone)?,
                () = sleep_until(self.held.map(|(until, _)| until)) => {}
                () = sleep_until(half_until) => {
                    let message = format!("the rest of a message did not come within {} s", half_message.as_secs());
                    return Err(Failure::new(ErrorCode::TimedOut, message));
                }
            }
        }
    }

    /// Returns whether more may be made for the client.
    fn has_room(&self) -> bool {
        self.outbox.unsent().len() < MAX_UNSENT_BYTES
    }

    /// Reads what is there. Returns false when the client has left.
    fn receive(&mut self) -> Result<bool, Failure> {
        match self.stream.try_read(self.inbox.space()) {
            Ok(0) => Ok(false),
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(true),
            Err(error) => Err(gone(error)),
        }
    }

    /// Writes as much as the client takes.
    fn send(&mut self) -> Result<(), Failure> {
        if self.held.is_some_and(|(until, bytes)| self.outbox.unsent().len() == bytes && Instant::now() < until) {
            return Ok(());
        }
        self.held = None;
        while !self.outbox.is_empty() {
            match self.stream.try_write(self.outbox.unsent()) {
                Ok(count) => self.outbox.sent(count),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(gone(error)),
            }
        }
        Ok(())
    }

    /// Does what the messages that are here ask for. Returns whether there were any.
    fn take_messages(&mut self) -> Result<bool, Failure> {
        let mut any = false;
        while self.has_room() {
            let Some(message) = self.inbox.next_message()? else { break };
            any = true;
            self.take(message)?;
        }
        Ok(any)
    }

    fn take(&mut self, message: Message) -> Result<(), Failure> {
        let head = message.head.clone();
        let message = match FromClient::read(message) {
            Ok(message) => message,
            Err(error) => {
                // Of a later minor version: who asked is told, and the rest goes on.
                let Some(id) = id_of(&head) else { return Err(error.into()) };
                let failure = Failure::new(ErrorCode::Unsupported, error.to_string());
                self.fail(id, failure.with_hint("the server may be older than the client: `shtask server upgrade`"));
                return Ok(());
            }
        };
        match message {
            FromClient::Ask { id, what, guard } => return self.ask(id, *what, guard),
            FromClient::Cancel { id } => {
                if let Some(Living { kind: Kind::Foreground(cancel), .. }) = self.living.get(&id) {
                    cancel.notify_one();
                    return Ok(());
                }
                // What goes on ends with what is known of it.
                if self.living.remove(&id).is_some() {
                    FromServer::End { id }.write(&[], &mut self.outbox);
                }
            }
            FromClient::Taken { id } => self.taken(id),
        }
        Ok(())
    }

    fn ask(&mut self, id: u64, what: Ask, guard: Option<Guard>) -> Result<(), Failure> {
        if self.living.contains_key(&id) {
            return Err(Failure::new(ErrorCode::Invalid, format!("the id {id} is in use")));
        }
        if self.living.len() >= MAX_LIVING {
            let message = format!("at most {MAX_LIVING} requests of one client can be under way");
            self.fail(id, Failure::new(ErrorCode::Busy, message));
            return Ok(());
        }
        let asked = Asked { client: &*self.client, host: &*self.host, connections: &self.connections };
        let living = &self.living;
        let (new, going) = asked.ask(id, what, guard, |stop| stop_of(living, stop));
        self.living.insert(id, new);
        self.going.push(going);
        Ok(())
    }

    /// What waited for the client to take something goes on.
    fn taken(&mut self, id: u64) {
        match self.living.get_mut(&id).map(|living| &mut living.kind) {
            Some(Kind::Watch { run, base, parked }) => {
                if let Some(watch) = parked.take() {
                    let kind = Kind::Watch { run: *run, base: Arc::clone(base), parked: None };
                    self.go_on(id, kind, changed(id, watch));
                }
            }
            Some(Kind::Export(parked)) => {
                if let Some(exporting) = parked.take() {
                    self.go_on(id, Kind::Export(None), exporting.next(id));
                }
            }
            Some(Kind::Plain | Kind::Stop(_) | Kind::Foreground(_)) | None => {}
        }
    }

    fn go_on(&mut self, id: u64, kind: Kind, going: impl Future<Output = Event> + Send + 'static) {
        let (new, going) = living(kind, going);
        self.living.insert(id, new);
        self.going.push(going);
    }

    fn fail(&mut self, id: u64, failure: Failure) {
        FromServer::Failed { id, failure }.write(&[], &mut self.outbox);
    }

    fn happened(&mut self, event: Event) {
        match event {
            Event::Cancelled => {}
            Event::Answered(id, answer) => {
                if self.living.remove(&id).is_some() {
                    match answer {
                        Ok(answer) => self.answer(id, answer),
                        Err(failure) => self.fail(id, failure),
                    }
                }
            }
            Event::Changed(id, watch, goes_on) => self.changed(id, watch, goes_on),
            Event::Leased(id, lease, ended) => {
                if self.living.contains_key(&id) {
                    FromServer::Leased { id, lease }.write(&[], &mut self.outbox);
                    self.go_on(id, Kind::Plain, json(id, ended));
                }
            }
            Event::Exported(id, exporting, chunk) => self.exported(id, exporting, &chunk),
            Event::Fed(id, feed, update) => self.fed(id, feed, update),
            Event::Found(id, search, found) => {
                if self.living.contains_key(&id) {
                    FromServer::Found { id, found }.write(&[], &mut self.outbox);
                    self.go_on(id, Kind::Plain, searched(id, search));
                }
            }
            Event::Printed(id, waiting, output) => {
                if self.living.contains_key(&id) {
                    match output {
                        LiveOutput::Chunk(stream, bytes) => {
                            FromServer::Output { id, stream }.write(&bytes, &mut self.outbox);
                        }
                        LiveOutput::Suppressed(stream) => {
                            FromServer::Suppressed { id, stream }.write(&[], &mut self.outbox);
                        }
                    }
                    self.go_on(id, waiting.kind(), waiting.next(id));
                }
            }
        }
    }

    fn exported(&mut self, id: u64, exporting: Box<Exporting>, chunk: &[u8]) {
        if let Some(Living { kind: Kind::Export(parked), .. }) = self.living.get_mut(&id) {
            FromServer::Chunk { id }.write(chunk, &mut self.outbox);
            *parked = Some(exporting);
        }
    }

    fn answer(&mut self, id: u64, answer: Answered) {
        let ok = |answer: Json| FromServer::Ok { id, answer };
        match answer {
            Answered::Json(answer) => ok(answer).write(&[], &mut self.outbox),
            Answered::Cut(run, Cut { outcome, view }) => {
                let (view, bulk) = match view {
                    Applied::Final(record) => (CutView::Final(record), Vec::new()),
                    Applied::Live(frame) => {
                        let base = self.base_of(run);
                        let bulk = write_frame(&frame, base.as_ref().map(|(_, base)| &**base));
                        (CutView::Live { base: base.map(|(watch, _)| watch) }, bulk)
                    }
                };
                let may_wait = self.outbox.is_empty() && matches!(&view, CutView::Live { base: Some(_) });
                ok(Json::of(&CutAnswer { outcome, view })).write(&bulk, &mut self.outbox);
                self.held = may_wait.then(|| (Instant::now() + ANSWER_WAIT, self.outbox.unsent().len()));
            }
            Answered::Log(log) => {
                let answer = LogAnswer {
                    offset: log.offset,
                    next_offset: log.next_offset,
                    skipped_bytes: log.skipped_bytes,
                    is_end: log.is_end,
                    is_redacted: log.is_redacted,
                };
                ok(Json::of(&answer)).write(&log.bytes, &mut self.outbox);
            }
            Answered::History(history) => {
                let answer = HistoryAnswer { span: history.span, first: history.first, gap: history.gap };
                ok(Json::of(&answer)).write(&write_rows(&history.rows), &mut self.outbox);
            }
            Answered::Watch(run, mut watch) => {
                let base = watch.newest();
                ok(Json::of(&())).write(&write_frame(&base, None), &mut self.outbox);
                // It goes on when the client has taken the screen.
                let kind = Kind::Watch { run, base, parked: Some(watch) };
                let (living, _) = living(kind, std::future::pending());
                self.living.insert(id, living);
            }
        }
    }

    /// Finds the screen of a run that the client has already.
    fn base_of(&self, wanted: RunId) -> Option<(u64, Arc<Frame>)> {
        self.living.iter().find_map(|(id, living)| match &living.kind {
            Kind::Watch { run, base, .. } if *run == wanted => Some((*id, Arc::clone(base))),
            Kind::Watch { .. } | Kind::Plain | Kind::Stop(_) | Kind::Export(_) | Kind::Foreground(_) => None,
        })
    }

    fn changed(&mut self, id: u64, mut watch: Watch, goes_on: bool) {
        let Some(Living { kind: Kind::Watch { base, parked, .. }, .. }) = self.living.get_mut(&id) else { return };
        if goes_on {
            let frame = watch.newest();
            FromServer::Screen { id }.write(&write_frame(&frame, Some(base)), &mut self.outbox);
            (*base, *parked) = (frame, Some(watch));
        } else {
            self.living.remove(&id);
            FromServer::End { id }.write(&[], &mut self.outbox);
        }
    }

    fn fed(&mut self, id: u64, feed: Feed, update: Option<Update>) {
        if !self.living.contains_key(&id) {
            return;
        }
        match update {
            Some(update) => {
                let message = match update {
                    Update::Run(view) => FromServer::Run { id, view },
                    Update::Removed(run) => FromServer::Removed { id, run },
                    Update::Resync(runs) => FromServer::Table { id, runs },
                };
                message.write(&[], &mut self.outbox);
                self.go_on(id, Kind::Plain, fed(id, feed));
            }
            None => {
                self.living.remove(&id);
                FromServer::End { id }.write(&[], &mut self.outbox);
            }
        }
    }
}

async fn sleep_until(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until).await,
        None => std::future::pending().await,
    }
}

fn stop_of(living: &HashMap<u64, Living>, id: u64) -> Option<StopId> {
    match living.get(&id)?.kind {
        Kind::Stop(stop) => Some(stop),
        Kind::Plain | Kind::Watch { .. } | Kind::Export(_) | Kind::Foreground(_) => None,
    }
}

/// The end of a connection that nobody has to be told of.
fn gone(error: io::Error) -> Failure {
    Failure::new(ErrorCode::Unavailable, format!("the client is gone: {error}"))
}
