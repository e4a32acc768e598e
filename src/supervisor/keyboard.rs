//! Who holds the keyboards of runs (S4.4), and when that ends.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc;

use super::core::{At, Core};
use super::serving::{control_closed, not_found};
use crate::api::Answer;
use crate::model::{ErrorCode, Failure, KeyboardOwner, Mode, RunId, Typist, TypistId};

/// That a client is there. Its end tells the supervisor, if it ever held a keyboard or a close.
pub(super) struct Presence {
    id: TypistId,
    who: Typist,
    left_tx: mpsc::UnboundedSender<TypistId>,
    has_held: AtomicBool,
}

impl Presence {
    pub(super) fn new(id: TypistId, who: Typist, left_tx: mpsc::UnboundedSender<TypistId>) -> Presence {
        Presence { id, who, left_tx, has_held: AtomicBool::new(false) }
    }

    /// Returns which client it is.
    pub(super) fn id(&self) -> TypistId {
        self.id
    }

    /// Returns which client it is, which holds something from now on: it is told when it leaves.
    pub(super) fn holds(&self) -> TypistId {
        self.has_held.store(true, Ordering::Relaxed);
        self.id
    }

    /// Returns who it is.
    pub(super) fn who(&self) -> &Typist {
        &self.who
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        if *self.has_held.get_mut() {
            // The supervisor may be gone, and every keyboard with it.
            let _ = self.left_tx.send(self.id);
        }
    }
}

impl Core {
    /// Gives the keyboard of a run to a client that asks for it.
    pub(super) fn take_keyboard(&mut self, at: At, run: RunId, by: &Presence, answer: Answer<KeyboardOwner>) {
        let Some(entry) = self.runs.get(&run) else { return answer.send(Err(not_found(run))) };
        if entry.record.mode == Mode::Pipes {
            let failure = Failure::new(ErrorCode::Unsupported, "this run has pipes and no keyboard");
            return answer.send(Err(failure.with_hint("start it with a PTY to type into it")));
        }
        if !entry.machine.control_is_open() {
            return answer.send(Err(control_closed(entry.is_final())));
        }
        if let Err(failure) = self.give_keyboard(at, run, by) {
            return answer.send(Err(failure));
        }
        let owner = self.runs.get(&run).and_then(|entry| entry.keyboard.owner().cloned());
        answer.send(owner.ok_or_else(|| not_found(run)));
    }

    /// Gives the keyboard of a run to a client, and tells so.
    ///
    /// # Errors
    /// [`ErrorCode::Held`] for an agent while a person holds it.
    pub(super) fn give_keyboard(&mut self, at: At, run: RunId, by: &Presence) -> Result<(), Failure> {
        let Some(entry) = self.runs.get_mut(&run) else { return Ok(()) };
        if entry.keyboard.take(at.now, at.wall, by.id(), by.who())? {
            by.holds();
            self.publish(run);
        }
        Ok(())
    }

    /// Takes the keyboard of a run back from a client that has enough of it.
    pub(super) fn hand_back_keyboard(&mut self, at: At, run: RunId, by: &Presence, answer: Answer<bool>) {
        let Some(entry) = self.runs.get_mut(&run) else { return answer.send(Err(not_found(run))) };
        let was_held = entry.keyboard.hand_back(at.now, by.id());
        if was_held {
            self.publish(run);
        }
        answer.send(Ok(was_held));
    }

    /// Takes back what a client held that has left.
    pub(super) fn typist_left(&mut self, at: At, who: TypistId) -> Vec<super::core::Do> {
        let held =
            self.runs.iter_mut().filter_map(|(run, entry)| entry.keyboard.hand_back(at.now, who).then_some(*run));
        for run in held.collect::<Vec<_>>() {
            self.publish(run);
        }
        self.closer_left(at, who)
    }
}
