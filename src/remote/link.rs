//! The task that reads and writes the connection, and makes it anew.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

use super::dial::{Connected, Dial, Patience};
use super::error::{broken, down, silent, unanswered};
use super::shown::{FollowedFeed, FollowedWatch};
use super::waiting::{Attention, Command, ExportWaiter, ForegroundWaiter, Notice, Told, Waiter};
use crate::api::{Answer, FoundSender, Link, LiveOutput, Update};
use crate::model::{ErrorCode, Failure, Frame, LeaseId};
use crate::wire::screen::read_frame;
use crate::wire::{Ask, CutAnswer, CutView, FromClient, FromServer, Hello, Json, Message, Outbox, id_of};

/// How much may wait to be written before further requests wait in their queue.
const MAX_UNSENT_BYTES: usize = 256 * 1024;

mod anew;

/// What the task knows.
pub(super) struct Task {
    dial: Dial,
    hello: Hello,
    patience: Patience,
    commands_rx: mpsc::Receiver<Command>,
    link_tx: watch::Sender<Link>,
    next_id: Arc<AtomicU64>,
    outbox: Outbox,
    once: HashMap<u64, oneshot::Sender<Result<Told, Failure>>>,
    foregrounds: HashMap<u64, ForegroundWaiter>,
    leases: HashMap<u64, Answer<LeaseId>>,
    /// Who is told what searches find; the outcome is waited for in `once`.
    searches: HashMap<u64, Arc<FoundSender>>,
    exports: HashMap<u64, ExportWaiter>,
    feeds: HashMap<u64, FollowedFeed>,
    watches: HashMap<u64, FollowedWatch>,
    /// The last screens of watches that were given up, until the server knows: it may still refer to them.
    given_up: HashMap<u64, Arc<Frame>>,
    attention: FuturesUnordered<Attention>,
    /// Whether a screen has come that nobody has drawn yet.
    has_new_screen: bool,
    /// The id of the request for a sign of life.
    ping: Option<(u64, Instant)>,
    heard: Instant,
    /// The server's process.
    server_pid: i32,
    /// The server says nothing, for longer than is waited for an answer. What outlives a connection goes on as soon as it does.
    silent: Option<Failure>,
    /// Whether the server has ended because somebody wanted that: another one is not looked for.
    is_over: bool,
}

/// Why a connection is over.
enum Over {
    Lost(Failure),
    /// Nobody wants anything any more.
    Done,
}

impl Task {
    pub(super) fn new(
        dial: Dial,
        hello: Hello,
        patience: Patience,
        commands_rx: mpsc::Receiver<Command>,
        link_tx: watch::Sender<Link>,
        next_id: Arc<AtomicU64>,
    ) -> Task {
        Task {
            dial,
            hello,
            patience,
            commands_rx,
            link_tx,
            next_id,
            outbox: Outbox::default(),
            once: HashMap::new(),
            foregrounds: HashMap::new(),
            leases: HashMap::new(),
            searches: HashMap::new(),
            exports: HashMap::new(),
            feeds: HashMap::new(),
            watches: HashMap::new(),
            given_up: HashMap::new(),
            attention: FuturesUnordered::new(),
            has_new_screen: false,
            ping: None,
            heard: Instant::now(),
            server_pid: 0,
            silent: None,
            is_over: false,
        }
    }

    /// Runs until nobody wants anything any more.
    pub(super) async fn run(mut self, mut connected: Connected) {
        loop {
            match self.talk(connected).await {
                Over::Done => return,
                Over::Lost(why) => self.lose(why),
            }
            if self.is_over {
                // Answers that had come are handed on first.
                while let Some(Some(_)) = self.attention.next().now_or_never() {}
                return;
            }
            match self.reconnect().await {
                Some(anew) => connected = anew,
                None => return,
            }
            self.ask_again();
            self.link_tx.send_replace(Link::Up);
        }
    }

    async fn talk(&mut self, mut connected: Connected) -> Over {
        match self.talk_until_lost(&mut connected).await {
            Ok(()) => Over::Done,
            Err(why) => Over::Lost(why),
        }
    }

    async fn talk_until_lost(&mut self, connected: &mut Connected) -> Result<(), Failure> {
        (self.heard, self.server_pid) = (Instant::now(), connected.pid);
        let mut has_clients = true;
        loop {
            while let Some(message) = connected.inbox.next_message()? {
                self.take(message)?;
            }
            if std::mem::take(&mut self.has_new_screen) {
                // Who looks draws first: what there is to say of it can wait.
                tokio::task::yield_now().await;
            }
            self.send(connected)?;
            if !has_clients && self.is_idle() {
                return Ok(());
            }
            let waits = !self.once.is_empty()
                || !self.exports.is_empty()
                || !self.foregrounds.is_empty()
                || self.watches.values().any(|watch| !watch.is_shown())
                || !self.outbox.is_empty();
            let follows = !self.feeds.is_empty() || !self.watches.is_empty();
            let silent_at = match self.ping {
                Some((_, asked)) => asked + self.patience.ping,
                None if waits => self.heard + self.patience.silence,
                None => self.heard + self.patience.quiet,
            };
            tokio::select! {
                biased;
                ready = connected.stream.readable() => {
                    ready.map_err(broken)?;
                    self.receive(connected)?;
                }
                Some(notice) = self.attention.next() => match notice {
                    Notice::Told => {}
                    Notice::Left(id) => self.left(id),
                    Notice::Room(id) => FromClient::Taken { id }.write(&mut self.outbox),
                },
                command = self.commands_rx.recv(), if has_clients && self.outbox.unsent().len() < MAX_UNSENT_BYTES => {
                    match command {
                        Some(command) => self.begin_or_refuse(command),
                        None => has_clients = false,
                    }
                }
                ready = connected.stream.writable(), if !self.outbox.is_empty() => ready.map_err(broken)?,
                () = tokio::time::sleep_until(silent_at), if (waits || follows) && self.silent.is_none() => self.is_silent()?,
            }
        }
    }

    fn is_idle(&self) -> bool {
        let nobody_waits =
            self.once.is_empty() && self.leases.is_empty() && self.foregrounds.is_empty() && self.exports.is_empty();
        nobody_waits && self.feeds.is_empty() && self.watches.is_empty() && self.outbox.is_empty()
    }

    fn receive(&mut self, connected: &mut Connected) -> Result<(), Failure> {
        match connected.stream.try_read(connected.inbox.space()) {
            Ok(0) => Err(broken("the server has closed the connection")),
            Ok(_) => {
                self.heard = Instant::now();
                if self.silent.take().is_some() {
                    self.ping = None;
                    self.link_tx.send_replace(Link::Up);
                }
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(broken(error)),
        }
    }

    fn send(&mut self, connected: &Connected) -> Result<(), Failure> {
        while !self.outbox.is_empty() {
            match connected.stream.try_write(self.outbox.unsent()) {
                Ok(count) => self.outbox.sent(count),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                // What the server said before it closed comes first: the next look at the socket has it, or its end.
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// Asks a silent server for a sign of life. When none comes, who waits for an answer is told; the connection is given up only where nothing is left
    /// that could go on with it.
    fn is_silent(&mut self) -> Result<(), Failure> {
        match self.ping {
            Some((_, asked)) if self.heard < asked => {
                let why = silent(self.server_pid, self.heard.elapsed());
                if self.feeds.is_empty() && self.watches.is_empty() && self.foregrounds.is_empty() {
                    return Err(why);
                }
                self.refuse_all(&unanswered(&why));
                self.link_tx.send_replace(Link::Silent(why.clone()));
                self.silent = Some(why);
                Ok(())
            }
            // It has said other things meanwhile.
            Some(_) => {
                self.ping = None;
                Ok(())
            }
            None => {
                let id = self.next_id.fetch_add(1, Ordering::Relaxed);
                self.ping = Some((id, Instant::now()));
                FromClient::Ask { id, what: Box::new(Ask::Ping), guard: None }.write(&mut self.outbox);
                Ok(())
            }
        }
    }

    /// Sends a request, if somebody is there who might answer it. What follows from now on may be asked for: it comes as soon as somebody is.
    fn begin_or_refuse(&mut self, command: Command) {
        match (&self.silent, &command.waiter) {
            (
                Some(why),
                Waiter::Once(..) | Waiter::Watch(..) | Waiter::Closing(..) | Waiter::Search(..) | Waiter::Export(_),
            ) => {
                command.waiter.refuse(down(why));
            }
            (None, _) | (Some(_), Waiter::Feed(_) | Waiter::Foreground(..)) => self.begin(command),
        }
    }

    /// Sends a request.
    fn begin(&mut self, command: Command) {
        let Command { id, ask, guard, waiter } = command;
        match waiter {
            Waiter::Once(told_tx, mut attention) => {
                // What is typed by who has left changes nothing (S4.2); everything else is done, whoever waits.
                if matches!(ask, Ask::Control { .. }) && (&mut attention).now_or_never().is_some() {
                    return;
                }
                self.once.insert(id, told_tx);
                self.attention.push(attention);
            }
            Waiter::Watch(run, view, answer) => {
                if answer.is_abandoned() {
                    return;
                }
                self.watches.insert(id, FollowedWatch::new(run, view, answer));
            }
            Waiter::Feed(sender) => self.follow(id, sender),
            Waiter::Closing(lease, told_tx, attention) => {
                self.leases.insert(id, lease);
                self.once.insert(id, told_tx);
                self.attention.push(attention);
            }
            Waiter::Search(found, told_tx, mut attention) => {
                // Nobody wants it any more, before it was begun.
                if (&mut attention).now_or_never().is_some() {
                    return;
                }
                self.searches.insert(id, found);
                self.once.insert(id, told_tx);
                self.attention.push(attention);
            }
            Waiter::Export(waiter) => {
                if waiter.chunks_tx.is_closed() {
                    return;
                }
                self.exports.insert(id, waiter);
            }
            Waiter::Foreground(waiter, left_rx) => {
                let attention: Attention = Box::pin(async move {
                    // It ends without a word when who waits has left.
                    let _ = left_rx.await;
                    Notice::Left(id)
                });
                self.foregrounds.insert(id, waiter);
                self.attention.push(attention);
            }
        }
        FromClient::Ask { id, what: Box::new(ask), guard }.write(&mut self.outbox);
    }

    fn follow(&mut self, id: u64, sender: crate::api::FeedSender) {
        let mut feed = FollowedFeed::new(sender);
        self.attention.push(feed.attention(id));
        self.feeds.insert(id, feed);
    }

    /// Takes note that nobody waits any more.
    fn left(&mut self, id: u64) {
        if let Some(waiter) = self.foregrounds.get(&id)
            && !waiter.answer.is_abandoned()
        {
            // Cancelled, and waited for all the same.
            FromClient::Cancel { id }.write(&mut self.outbox);
            return;
        }
        if self.leases.contains_key(&id) {
            // The lease is waited for all the same.
            self.once.remove(&id);
            return;
        }
        let watch = self.watches.remove(&id);
        let is_known = watch.is_some()
            | self.once.remove(&id).is_some()
            | self.searches.remove(&id).is_some()
            | self.foregrounds.remove(&id).is_some()
            | self.exports.remove(&id).is_some()
            | self.feeds.remove(&id).is_some();
        if let Some(base) = watch.and_then(|watch| watch.base()) {
            self.given_up.insert(id, base);
        }
        if is_known {
            FromClient::Cancel { id }.write(&mut self.outbox);
        }
    }

    fn take(&mut self, message: Message) -> Result<(), Failure> {
        let told = match FromServer::read(&message.head) {
            Ok(told) => told,
            Err(error) => {
                // Of a later minor version: who waits for it is told, and the rest goes on.
                tracing::warn!(%error, "the server says something that is not understood");
                id_of(&message.head).into_iter().for_each(|id| self.fail(id, error.clone().into()));
                return Ok(());
            }
        };
        match told {
            FromServer::Ok { id, answer } => self.answered(id, answer, message.bulk)?,
            FromServer::Failed { id, failure } => self.fail(id, failure),
            FromServer::Run { id, view } => self.update(id, Update::Run(view)),
            FromServer::Removed { id, run } => self.update(id, Update::Removed(run)),
            FromServer::Table { id, runs } => self.update(id, Update::Resync(runs)),
            FromServer::Screen { id } => self.show(id, &message.bulk)?,
            FromServer::Output { id, stream } => self.print(id, LiveOutput::Chunk(stream, message.bulk)),
            FromServer::Leased { id, lease } => {
                if let Some(answer) = self.leases.remove(&id) {
                    answer.send(Ok(lease));
                }
            }
            FromServer::Chunk { id } => {
                if let Some(waiter) = self.exports.get(&id) {
                    self.attention.push(waiter.pass(id, message.bulk));
                }
            }
            FromServer::Found { id, found } => {
                if let Some(sender) = self.searches.get(&id) {
                    sender.tell(found);
                }
            }
            FromServer::Suppressed { id, stream } => self.print(id, LiveOutput::Suppressed(stream)),
            FromServer::End { id } => {
                self.given_up.remove(&id);
                self.feeds.remove(&id);
                self.watches.remove(&id);
            }
            FromServer::Goodbye { reason } => {
                // Other reasons are those of one connection, not of the server.
                self.is_over = reason.code == ErrorCode::Unavailable && !reason.retryable;
                return Err(reason);
            }
        }
        Ok(())
    }

    fn answered(&mut self, id: u64, answer: Json, bulk: Vec<u8>) -> Result<(), Failure> {
        if self.ping.is_some_and(|(ping, _)| ping == id) {
            self.ping = None;
        } else if let Some(told_tx) = self.once.remove(&id) {
            self.searches.remove(&id);
            let frame = self.frame_of(&answer, &bulk)?;
            // Who waits may have left this very moment.
            let _ = told_tx.send(Ok(Told { answer, bulk, frame }));
        } else if self.watches.contains_key(&id) {
            self.show_whole(id, &bulk)?;
        } else if let Some(ExportWaiter { chunks_tx, answer: waiting }) = self.exports.remove(&id) {
            drop(chunks_tx);
            waiting.send(answer.read().map_err(Failure::from));
        } else if let Some(ForegroundWaiter { output_tx, answer: waiting }) = self.foregrounds.remove(&id) {
            drop(output_tx);
            waiting.send(answer.read().map_err(Failure::from));
        }
        Ok(())
    }

    /// Reads the screen of a cut, now that its base is at hand.
    fn frame_of(&self, answer: &Json, bulk: &[u8]) -> Result<Option<Arc<Frame>>, Failure> {
        // Only the answer to a control is of this form.
        if bulk.is_empty() {
            return Ok(None);
        }
        let Ok(CutAnswer { view: CutView::Live { base }, .. }) = answer.read() else { return Ok(None) };
        let base = base.and_then(|id| {
            self.watches.get(&id).and_then(FollowedWatch::base).or_else(|| self.given_up.get(&id).cloned())
        });
        Ok(Some(Arc::new(read_frame(bulk, base.as_deref())?)))
    }

    fn show_whole(&mut self, id: u64, bulk: &[u8]) -> Result<(), Failure> {
        let frame = Arc::new(read_frame(bulk, None)?);
        self.show_frame(id, frame);
        Ok(())
    }

    fn show(&mut self, id: u64, bulk: &[u8]) -> Result<(), Failure> {
        if let Some(base) = self.given_up.get(&id) {
            let frame = Arc::new(read_frame(bulk, Some(base))?);
            self.given_up.insert(id, frame);
        } else if let Some(watch) = self.watches.get(&id) {
            let frame = Arc::new(read_frame(bulk, watch.base().as_deref())?);
            self.show_frame(id, frame);
        }
        Ok(())
    }

    fn show_frame(&mut self, id: u64, frame: Arc<Frame>) {
        if let Some(watch) = self.watches.get_mut(&id) {
            self.attention.extend(watch.show(id, frame));
            self.has_new_screen = true;
            FromClient::Taken { id }.write(&mut self.outbox);
        }
    }

    fn update(&mut self, id: u64, update: Update) {
        if let Some(feed) = self.feeds.get_mut(&id) {
            feed.update(update);
        }
    }

    fn print(&self, id: u64, output: LiveOutput) {
        if let Some(waiter) = self.foregrounds.get(&id) {
            // Who waits may have left this very moment.
            let _ = waiter.output_tx.send(output);
        }
    }

    /// Takes note that something was refused, or is over for a reason.
    fn fail(&mut self, id: u64, failure: Failure) {
        self.feeds.remove(&id);
        self.searches.remove(&id);
        if let Some(lease) = self.leases.remove(&id) {
            lease.send(Err(failure.clone()));
        }
        if let Some(told_tx) = self.once.remove(&id) {
            // Who waits may have left this very moment.
            let _ = told_tx.send(Err(failure));
        } else if let Some(watch) = self.watches.remove(&id) {
            watch.fail(failure);
        } else if let Some(waiter) = self.exports.remove(&id) {
            waiter.answer.send(Err(failure));
        } else if let Some(waiter) = self.foregrounds.remove(&id) {
            waiter.answer.send(Err(failure));
        }
    }
}
