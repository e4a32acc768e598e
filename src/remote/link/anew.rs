//! The end of a connection, and the way to the next one.

use std::time::Duration;

use futures_util::StreamExt;
use tokio::time::Instant;

use super::super::dial::{Connected, connect};
use super::super::error::{broken, down, lost};
use super::super::shown::FollowedFeed;
use super::super::waiting::{Command, Notice, Waiter};
use super::Task;
use crate::api::Link;
use crate::model::Failure;
use crate::wire::{Ask, FromClient, Outbox};

/// The first and the longest pause between two attempts to connect.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

impl Task {
    /// Tells who waits for an answer that the connection is lost. Feeds and watches wait for the next one.
    pub(super) fn lose(&mut self, why: Failure) {
        tracing::warn!(%why, "the connection to the server was lost");
        self.outbox = Outbox::default();
        self.given_up.clear();
        (self.ping, self.silent) = (None, None);
        self.refuse_all(&lost(&why));
        for (_, waiter) in self.foregrounds.drain() {
            waiter.answer.send(Err(lost(&why)));
        }
        self.link_tx.send_replace(Link::Lost(why));
    }

    /// Tells all who wait for one answer that there is none.
    pub(super) fn refuse_all(&mut self, failure: &Failure) {
        for (_, told_tx) in self.once.drain() {
            // Who waits may have left this very moment.
            let _ = told_tx.send(Err(failure.clone()));
        }
        self.searches.clear();
        for (_, lease) in self.leases.drain() {
            lease.send(Err(failure.clone()));
        }
        for (_, waiter) in self.exports.drain() {
            waiter.answer.send(Err(failure.clone()));
        }
        let asked: Vec<u64> = self.watches.iter().filter(|(_, watch)| !watch.is_shown()).map(|(id, _)| *id).collect();
        for watch in asked.iter().filter_map(|id| self.watches.remove(id)).collect::<Vec<_>>() {
            watch.fail(failure.clone());
        }
    }

    /// Tries until there is a connection again; none when nobody wants one any more.
    pub(super) async fn reconnect(&mut self) -> Option<Connected> {
        let refuse_at = Instant::now() + self.patience.outage;
        let mut pause = BACKOFF.0;
        let mut why = broken("it was lost");
        let mut has_clients = true;
        let mut attempt = Box::pin(connect(&self.dial, &self.hello, self.patience));
        let mut next_attempt: Option<Instant> = None;
        loop {
            let is_over = Instant::now() >= refuse_at;
            tokio::select! {
                biased;
                Some(notice) = self.attention.next() => {
                    // There is nobody to be told.
                    if let Notice::Left(id) = notice {
                        self.watches.remove(&id);
                        self.feeds.remove(&id);
                    }
                }
                connected = &mut attempt, if next_attempt.is_none() => match connected {
                    Ok(connected) => return Some(connected),
                    Err(failure) => {
                        why = failure;
                        next_attempt = Some(Instant::now() + pause);
                        pause = (pause * 2).min(BACKOFF.1);
                    }
                },
                () = tokio::time::sleep_until(next_attempt.unwrap_or(refuse_at)), if next_attempt.is_some() => {
                    next_attempt = None;
                    attempt = Box::pin(connect(&self.dial, &self.hello, self.patience));
                }
                command = self.commands_rx.recv(), if has_clients && is_over => match command {
                    // A feed has no failure: it begins when there is a connection.
                    Some(Command { id, waiter: Waiter::Feed(sender), .. }) => {
                        let mut feed = FollowedFeed::new(sender);
                        self.attention.push(feed.attention(id));
                        self.feeds.insert(id, feed);
                    }
                    Some(command) => command.waiter.refuse(down(&why)),
                    None => has_clients = false,
                },
                () = tokio::time::sleep_until(refuse_at), if !is_over => {}
            }
            if !has_clients && self.feeds.is_empty() && self.watches.is_empty() {
                return None;
            }
        }
    }

    /// Asks again for all that goes on. Ids belong to a connection, so they can be used again.
    pub(super) fn ask_again(&mut self) {
        for id in self.feeds.keys() {
            FromClient::Ask { id: *id, what: Box::new(Ask::Subscribe), guard: None }.write(&mut self.outbox);
        }
        for (id, watch) in &self.watches {
            let what = Box::new(Ask::Watch { run: watch.run, view: watch.view });
            FromClient::Ask { id: *id, what, guard: None }.write(&mut self.outbox);
        }
    }
}
