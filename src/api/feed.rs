//! The road of record changes: every one in order, or a fresh table instead of a gap (S6.5).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use super::RunView;
use crate::model::RunId;

/// How many updates wait for a subscriber before it gets the whole table instead. A screenful of runs that all start
/// and end at once stays below it; a subscriber that is further behind wants the newest state, not a backlog.
const MAX_WAITING: usize = 256;

/// One change in the table of runs.
#[derive(Debug, Clone)]
pub enum Update {
    /// A run is new or has changed.
    Run(Arc<RunView>),
    /// A run was removed from the table.
    Removed(RunId),
    /// All runs there are: what was known before is to be forgotten. Always the first update, and sent again to a subscriber that was too
    /// slow.
    Resync(Vec<Arc<RunView>>),
}

struct Shared {
    waiting: VecDeque<Update>,
    overflown: bool,
    closed: bool,
    abandoned: bool,
}

struct Channel {
    shared: Mutex<Shared>,
    arrived: Notify,
    left: Notify,
}

impl Channel {
    fn shared(&self) -> std::sync::MutexGuard<'_, Shared> {
        // Every change below is complete when it returns, so a panic elsewhere leaves no half state.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A subscription to the changes of a session's runs.
pub struct Feed(Arc<Channel>);

/// The sending end of a [`Feed`].
pub struct FeedSender(Arc<Channel>);

/// Makes a feed whose first update is the table `runs`.
pub fn feed(runs: Vec<Arc<RunView>>) -> (FeedSender, Feed) {
    let (sender, feed) = empty_feed();
    sender.resync(runs);
    (sender, feed)
}

/// Makes a feed that has no update yet: the first one has to be the table, by [`FeedSender::resync`].
pub fn empty_feed() -> (FeedSender, Feed) {
    let shared = Shared { waiting: VecDeque::new(), overflown: false, closed: false, abandoned: false };
    let channel = Arc::new(Channel { shared: Mutex::new(shared), arrived: Notify::new(), left: Notify::new() });
    (FeedSender(Arc::clone(&channel)), Feed(channel))
}

impl FeedSender {
    /// Sends the whole table. Returns false when the subscriber is gone.
    pub fn resync(&self, runs: Vec<Arc<RunView>>) -> bool {
        self.send(Update::Resync(runs), Vec::new)
    }

    /// Sends an update; never waits. When the subscriber is too far behind, what waits is dropped and the table that `all` returns is sent
    /// in its place, so nothing is ever missing silently. Returns false when the subscriber is gone.
    pub fn send(&self, update: Update, all: impl FnOnce() -> Vec<Arc<RunView>>) -> bool {
        let mut shared = self.0.shared();
        if shared.abandoned {
            return false;
        }
        if shared.waiting.len() >= MAX_WAITING {
            shared.waiting.clear();
            shared.overflown = true;
            shared.waiting.push_back(Update::Resync(all()));
        } else {
            shared.waiting.push_back(update);
        }
        drop(shared);
        self.0.arrived.notify_one();
        true
    }
}

impl FeedSender {
    /// Waits until the subscriber is gone. One at a time may wait.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub async fn abandoned(&self) {
        while !self.0.shared().abandoned {
            self.0.left.notified().await;
        }
    }
}

impl Drop for FeedSender {
    fn drop(&mut self) {
        self.0.shared().closed = true;
        self.0.arrived.notify_one();
    }
}

impl Feed {
    /// Waits for the next update; none when the supervisor is gone.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub async fn next(&mut self) -> Option<Update> {
        loop {
            if let Some(update) = self.try_next() {
                return Some(update);
            }
            if self.0.shared().closed {
                return self.try_next();
            }
            self.0.arrived.notified().await;
        }
    }

    /// Returns the next update that is here already.
    pub fn try_next(&mut self) -> Option<Update> {
        self.0.shared().waiting.pop_front()
    }

    /// Returns all updates that are here already, in order.
    pub fn take_waiting(&mut self) -> VecDeque<Update> {
        std::mem::take(&mut self.0.shared().waiting)
    }

    /// Returns whether this subscriber was ever too slow and got a table in place of updates.
    pub fn was_resynced(&self) -> bool {
        self.0.shared().overflown
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        let mut shared = self.0.shared();
        shared.abandoned = true;
        shared.waiting.clear();
        drop(shared);
        self.0.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::RunId;

    fn removed(n: u8) -> Update {
        Update::Removed(RunId::from_bits([n; 10]))
    }

    #[tokio::test]
    async fn updates_come_in_order_after_the_table() {
        let (sender, mut feed) = feed(vec![]);
        for n in 0..3 {
            assert!(sender.send(removed(n), Vec::new));
        }
        assert!(matches!(feed.next().await, Some(Update::Resync(_))));
        for n in 0..3 {
            assert!(matches!(feed.next().await, Some(Update::Removed(id)) if id == RunId::from_bits([n; 10])));
        }
        drop(sender);
        assert!(feed.next().await.is_none());
    }

    #[tokio::test]
    async fn a_slow_subscriber_gets_the_newest_table_and_never_a_silent_gap() {
        let (sender, mut feed) = feed(vec![]);
        for n in 0..=255 {
            sender.send(removed(n), Vec::new);
        }
        sender.send(removed(7), Vec::new);
        assert!(matches!(feed.next().await, Some(Update::Resync(_))), "what waited was dropped for a table");
        assert!(matches!(feed.next().await, Some(Update::Removed(_))), "what came after the table follows it");
        assert!(feed.try_next().is_none());
        assert!(feed.was_resynced());
    }

    #[test]
    fn a_subscriber_that_is_gone_is_noticed() {
        let (sender, feed) = feed(vec![]);
        drop(feed);
        assert!(!sender.send(removed(1), Vec::new));
    }
}
