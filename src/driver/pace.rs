//! When a frame is due: at once after quiet or after a key, else at most 60 a second, and never in the middle of a synchronised update.

use std::time::Duration;

use tokio::time::Instant;

/// The least time between two frames, but for the one that answers a key.
const FRAME_INTERVAL: Duration = Duration::from_micros(16_667);

/// The longest time that a program may hold frames back by a synchronised update (mode 2026); one that died in it must not freeze its screen.
const MAX_SYNCHRONISED: Duration = Duration::from_millis(150);

/// The pace of one run's frames.
#[derive(Debug, Default)]
pub(super) struct Pace {
    last: Option<Instant>,
    due: Option<Instant>,
    synchronised_since: Option<Instant>,
    key_was_typed: bool,
}

impl Pace {
    /// Takes note that something was typed: what comes next is shown at once.
    pub(super) fn typed(&mut self) {
        self.key_was_typed = true;
    }

    /// Takes note that the screen changed; returns whether its frame is due now.
    pub(super) fn changed(&mut self, now: Instant, synchronised: bool) -> bool {
        if synchronised {
            let since = *self.synchronised_since.get_or_insert(now);
            self.due = Some(since + MAX_SYNCHRONISED);
        } else {
            self.synchronised_since = None;
            let paced = self.last.map(|last| last + FRAME_INTERVAL);
            self.due = Some(paced.filter(|_| !self.key_was_typed).unwrap_or(now));
        }
        self.is_due(now)
    }

    /// Returns whether a frame is due.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.due.is_some_and(|due| due <= now)
    }

    /// Returns when the next frame is due; none while nothing changes.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Takes note that a frame was made.
    pub(super) fn made(&mut self, now: Instant) {
        *self = Pace { last: Some(now), ..Pace::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_change_after_quiet_is_shown_at_once_and_a_flood_at_sixty_a_second() {
        let (mut pace, start) = (Pace::default(), Instant::now());
        assert!(pace.changed(start, false));
        pace.made(start);
        let soon = start + Duration::from_millis(1);
        assert!(!pace.changed(soon, false));
        assert_eq!(pace.due(), Some(start + FRAME_INTERVAL));
        assert!(pace.is_due(start + FRAME_INTERVAL));
        pace.made(start + FRAME_INTERVAL);
        assert_eq!(pace.due(), None, "nothing is due while nothing changes");
    }

    #[test]
    fn what_follows_a_key_is_shown_at_once() {
        let (mut pace, start) = (Pace::default(), Instant::now());
        pace.made(start);
        pace.typed();
        assert!(pace.changed(start + Duration::from_millis(1), false));
    }

    #[test]
    fn a_synchronised_update_holds_frames_back_for_a_bounded_time() {
        let (mut pace, start) = (Pace::default(), Instant::now());
        assert!(!pace.changed(start, true));
        assert!(!pace.changed(start + Duration::from_millis(100), true));
        assert!(pace.changed(start + MAX_SYNCHRONISED, true), "a program that died in it does not freeze its screen");
        assert!(pace.changed(start + MAX_SYNCHRONISED, false));
    }
}
