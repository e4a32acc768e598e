//! Turns: how many searches and exports read from the disk at once, and how many of them wait for their readers meanwhile.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::model::{ErrorCode, Failure};

/// How many searches and exports go on at once: each has a thread and reads as fast as the disk gives.
const MAX_AT_ONCE: usize = 8;

/// How many there are.
#[derive(Debug, Default)]
pub(super) struct Turns {
    reading: AtomicUsize,
    paused: AtomicUsize,
}

impl Turns {
    /// How many exports may wait for readers that pause, as `less` does: each has a thread, what it has read last, at most 1 MiB, and a few chunks.
    pub(super) const MAX_PAUSED: usize = 32;

    /// Returns how many wait for their readers.
    #[cfg(test)]
    pub(super) fn paused(&self) -> usize {
        self.paused.load(Ordering::Acquire)
    }

    /// Takes a turn.
    ///
    /// # Errors
    /// [`ErrorCode::Busy`] when all are taken.
    pub(super) fn take(&self) -> Result<Turn<'_>, Failure> {
        let turn = Turn(self);
        if self.reading.fetch_add(1, Ordering::AcqRel) >= MAX_AT_ONCE {
            let message = format!("{MAX_AT_ONCE} searches and exports are under way already");
            return Err(Failure::new(ErrorCode::Busy, message).with_hint("try again when one has ended"));
        }
        Ok(turn)
    }
}

/// The right to read much at once; given back by its end.
#[derive(Debug)]
pub(super) struct Turn<'a>(&'a Turns);

impl<'a> Turn<'a> {
    /// Lets others read until what is returned is dropped. None when as many wait already as may.
    pub(super) fn pause(&self) -> Option<Pause<'a>> {
        if self.0.paused.fetch_add(1, Ordering::AcqRel) >= Turns::MAX_PAUSED {
            self.0.paused.fetch_sub(1, Ordering::AcqRel);
            return None;
        }
        self.0.reading.fetch_sub(1, Ordering::AcqRel);
        Some(Pause(self.0))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.reading.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A turn that others may use. Its end takes the turn back, whoever reads meanwhile: what was begun goes on.
#[derive(Debug)]
pub(super) struct Pause<'a>(&'a Turns);

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        self.0.reading.fetch_add(1, Ordering::AcqRel);
        self.0.paused.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paused_turn_is_one_for_somebody_else_and_pauses_are_bounded() {
        let turns = Turns::default();
        let mut paused = Vec::new();
        for _ in 0..Turns::MAX_PAUSED {
            let turn = turns.take().expect("a turn");
            paused.push((turn.pause().expect("a pause"), turn));
        }
        let all: Vec<_> = (0..MAX_AT_ONCE).map(|_| turns.take().expect("a turn")).collect();
        assert!(all[0].pause().is_none(), "no more than that");
        assert_eq!(turns.take().expect_err("none is left").code, ErrorCode::Busy);
        drop(all);
        paused.clear();
        assert_eq!((turns.reading.load(Ordering::Acquire), turns.paused()), (0, 0));
    }
}
