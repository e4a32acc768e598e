//! When a frame is due: at once after quiet or after a key, else at most 60 a second, and never in the middle of a synchronised update.
//!
//! What a program draws at once may come in two parts, and the first one be shown before there is more. So a frame after quiet may be followed by
//! one more at once.

use std::time::Duration;

use tokio::time::Instant;

/// The least time between two frames, but for the one that answers a key.
const FRAME_INTERVAL: Duration = Duration::from_micros(16_667);

/// After so long without a frame there was quiet: longer than a program waits that draws 60 a second.
const QUIET: Duration = Duration::from_millis(25);

/// The longest time that a program may hold frames back by a synchronised update (mode 2026); one that died in it must not freeze its screen.
const MAX_SYNCHRONISED: Duration = Duration::from_millis(150);

/// The pace of one run's frames.
#[derive(Debug, Default)]
pub(super) struct Pace {
    last: Option<Instant>,
    /// Whether that one came after quiet.
    was_first: bool,
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
            self.due = Some(paced.filter(|_| !self.key_was_typed && !self.was_first).unwrap_or(now));
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
        let was_first = self.last.is_none_or(|last| last + QUIET <= now);
        *self = Pace { last: Some(now), was_first, ..Pace::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_quiet_two_parts_are_shown_at_once_and_a_flood_at_sixty_a_second() {
        let (mut pace, mut now) = (Pace::default(), Instant::now());
        for _ in 0..2 {
            assert!(pace.changed(now, false), "the first part");
            pace.made(now);
            now += Duration::from_micros(200);
            assert!(pace.changed(now, false), "what was not there yet");
            pace.made(now);
            let soon = now + Duration::from_micros(200);
            assert!(!pace.changed(soon, false));
            assert_eq!(pace.due(), Some(now + FRAME_INTERVAL));
            now += FRAME_INTERVAL;
            assert!(pace.is_due(now));
            pace.made(now);
            assert_eq!(pace.due(), None, "nothing is due while nothing changes");
            assert!(!pace.changed(now + Duration::from_millis(1), false), "that was no quiet");
            pace.made(now + FRAME_INTERVAL);
            now += FRAME_INTERVAL + QUIET;
        }
    }

    #[test]
    fn what_follows_a_key_is_shown_at_once() {
        let (mut pace, start) = (Pace::default(), Instant::now());
        pace.made(start);
        pace.made(start);
        assert!(!pace.changed(start + Duration::from_millis(1), false));
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
