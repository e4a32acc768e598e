//! Feeds and watches: what outlives a connection.

use std::sync::Arc;

use indexmap::IndexMap;
use tokio::sync::{oneshot, watch};

use super::waiting::{Attention, Notice};
use crate::api::{Answer, FeedSender, RunView, Update, View, Watch};
use crate::model::{Failure, Frame, RunId};

/// A feed, with the table as the subscriber knows it.
pub(super) struct FollowedFeed {
    sender: Arc<FeedSender>,
    attention: Option<oneshot::Sender<()>>,
    table: IndexMap<RunId, Arc<RunView>>,
}

impl FollowedFeed {
    pub(super) fn new(sender: FeedSender) -> FollowedFeed {
        FollowedFeed { sender: Arc::new(sender), attention: None, table: IndexMap::new() }
    }

    /// Passes an update on.
    pub(super) fn update(&mut self, update: Update) {
        match &update {
            Update::Run(view) => drop(self.table.insert(view.id(), Arc::clone(view))),
            Update::Removed(run) => drop(self.table.shift_remove(run)),
            Update::Resync(views) => {
                self.table = views.iter().map(|view| (view.id(), Arc::clone(view))).collect();
            }
        }
        // Whether somebody is there is known otherwise.
        self.sender.send(update, || self.table.values().cloned().collect());
    }

    /// Returns what ends with the id when the subscriber is gone.
    pub(super) fn attention(&mut self, id: u64) -> Attention {
        let sender = Arc::clone(&self.sender);
        let (attention, while_followed) = attention(id, async move { sender.abandoned().await });
        self.attention = Some(attention);
        while_followed
    }
}

/// A watch: asked for, or shown.
pub(super) struct FollowedWatch {
    pub(super) run: RunId,
    pub(super) view: View,
    state: State,
}

enum State {
    Asked(Option<Answer<Watch>>),
    Shown { frames_tx: Arc<watch::Sender<Arc<Frame>>>, _attention: oneshot::Sender<()> },
}

impl FollowedWatch {
    pub(super) fn new(run: RunId, view: View, answer: Answer<Watch>) -> FollowedWatch {
        FollowedWatch { run, view, state: State::Asked(Some(answer)) }
    }

    /// Returns the screen that the viewer has: the base of the next one.
    pub(super) fn base(&self) -> Option<Arc<Frame>> {
        match &self.state {
            State::Asked(_) => None,
            State::Shown { frames_tx, .. } => Some(Arc::clone(&frames_tx.borrow())),
        }
    }

    /// Shows a screen. With the first one, the answer to who asked, this returns what ends with the id when the viewer is gone.
    pub(super) fn show(&mut self, id: u64, frame: Arc<Frame>) -> Option<Attention> {
        match &mut self.state {
            State::Shown { frames_tx, .. } => {
                frames_tx.send_replace(frame);
                None
            }
            State::Asked(answer) => {
                let (frames_tx, frames_rx) = watch::channel(frame);
                if let Some(answer) = answer.take() {
                    answer.send(Ok(Watch::new(frames_rx)));
                }
                let frames_tx = Arc::new(frames_tx);
                let viewed = Arc::clone(&frames_tx);
                let (attention, while_followed) = attention(id, async move { viewed.closed().await });
                self.state = State::Shown { frames_tx, _attention: attention };
                Some(while_followed)
            }
        }
    }

    /// Ends it with a failure: who asked is told, a viewer sees that no screen follows.
    pub(super) fn fail(self, failure: Failure) {
        if let State::Asked(Some(answer)) = self.state {
            answer.send(Err(failure));
        }
    }

    /// Returns whether somebody has seen a screen of it.
    pub(super) fn is_shown(&self) -> bool {
        match self.state {
            State::Asked(_) => false,
            State::Shown { .. } => true,
        }
    }
}

/// Makes what ends with the id when `left` does, or without it when what is returned beside it is dropped: it keeps nothing open any more then.
fn attention(id: u64, left: impl Future<Output = ()> + Send + 'static) -> (oneshot::Sender<()>, Attention) {
    let (followed_tx, followed_rx) = oneshot::channel::<()>();
    let attention = async move {
        tokio::select! {
            biased;
            _ = followed_rx => Notice::Told,
            () = left => Notice::Left(id),
        }
    };
    (followed_tx, Box::pin(attention))
}
