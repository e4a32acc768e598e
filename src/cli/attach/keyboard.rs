//! The keyboard of the run that this terminal is attached to (S4.4).

use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::Instant;

use crate::api::{Client, Feed, Reply, Update};
use crate::model::{Claim, KeyboardOwner, Press, RunId};

/// This terminal's claim to the keyboard.
pub(super) struct Keyboard<'a> {
    client: &'a dyn Client,
    run: RunId,
    claim: Claim,
    asked: Option<Reply<KeyboardOwner>>,
    feed: Option<Feed>,
    /// After how long without a key it is handed back.
    hold: Option<Duration>,
    typed_at: Instant,
}

impl<'a> Keyboard<'a> {
    /// Takes the keyboard.
    pub(super) fn take_of(client: &'a dyn Client, run: RunId, hold: Option<Duration>) -> Keyboard<'a> {
        let feed = Some(client.subscribe());
        let mut keyboard =
            Keyboard { client, run, claim: Claim::Idle, asked: None, feed, hold, typed_at: Instant::now() };
        keyboard.take();
        keyboard
    }

    /// Takes the keyboard, from whoever has it: what is sent behind this comes behind it.
    pub(super) fn take(&mut self) {
        self.claim = Claim::Asked;
        self.asked = Some(self.client.take_keyboard(self.run));
    }

    /// Returns whether the size of the run is this terminal's to say.
    pub(super) fn is_held(&self) -> bool {
        self.claim.is_held()
    }

    /// Gets ready for a key: `Err` says why it is not sent, `Ok(true)` that the keyboard was taken for it.
    pub(super) fn press(&mut self) -> Result<bool, String> {
        self.typed_at = Instant::now();
        match self.claim.press() {
            Press::Send => Ok(false),
            Press::TakeFirst => {
                self.take();
                Ok(true)
            }
            Press::Refused(owner) => Err(words(owner)),
        }
    }

    /// Returns when it is handed back for want of keys.
    pub(super) fn idle_at(&self) -> Option<Instant> {
        self.hold.filter(|_| self.claim.is_held()).map(|hold| self.typed_at + hold)
    }

    /// Hands it back; the next key takes it again.
    pub(super) fn hand_back(&mut self) {
        self.claim = Claim::Idle;
        self.asked = None;
        // Whether it was still this terminal's does not matter any more.
        drop(self.client.hand_back_keyboard(self.run));
    }

    /// Waits until somebody else has the keyboard, or nobody has it any more, and says so. `Err(())` tells that it was taken again.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub(super) async fn news(&mut self) -> Result<String, ()> {
        loop {
            if let Some(answer) = self.asked.as_mut().and_then(|reply| reply.now_or_never()) {
                self.asked = None;
                self.claim.answered(answer);
            }
            let update = match (&mut self.asked, &mut self.feed) {
                (Some(asked), Some(feed)) => tokio::select! {
                    biased;
                    answer = asked => {
                        self.asked = None;
                        self.claim.answered(answer);
                        continue;
                    }
                    update = feed.next() => update,
                },
                (None, Some(feed)) => feed.next().await,
                // That the run or the server has ended is told otherwise.
                (_, None) => std::future::pending().await,
            };
            let Some(update) = update else {
                self.feed = None;
                continue;
            };
            let before = self.claim.clone();
            if self.saw(&update) {
                self.take();
                return Err(());
            }
            match &self.claim {
                Claim::Lost(owner) if self.claim != before => return Ok(words(owner)),
                Claim::Idle if self.claim != before => return Ok("nobody types any more; any key does".to_owned()),
                Claim::Idle | Claim::Asked | Claim::Unknown | Claim::Held(_) | Claim::Lost(_) => {}
            }
        }
    }

    fn saw(&mut self, update: &Update) -> bool {
        match update {
            Update::Run(view) if view.id() == self.run => self.claim.saw(view.keyboard.as_ref(), false),
            Update::Resync(views) => views
                .iter()
                .find(|view| view.id() == self.run)
                .is_some_and(|view| self.claim.saw(view.keyboard.as_ref(), true)),
            Update::Run(_) | Update::Removed(_) => false,
        }
    }
}

fn words(owner: &KeyboardOwner) -> String {
    format!("{} types since {} UTC", owner.who.name, owner.since.strftime("%H:%M:%S"))
}
