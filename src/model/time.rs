//! A point of the clock that deadlines use.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A moment of the machine's boot clock, as the time since boot.
///
/// The source is `CLOCK_BOOTTIME`: no change of the wall clock moves it and it counts time asleep (S3.6). It is
/// passed in; nothing on this floor reads a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Moment(Duration);

impl Moment {
    /// Makes the moment that lies `since_boot` after the machine's boot.
    pub const fn from_boot(since_boot: Duration) -> Moment {
        Moment(since_boot)
    }

    /// Returns the time since boot.
    pub const fn since_boot(self) -> Duration {
        self.0
    }

    /// Returns the moment `span` later; the far end of the clock where that would overflow.
    pub fn plus(self, span: Duration) -> Moment {
        Moment(self.0.saturating_add(span))
    }

    /// Returns how long after `earlier` this moment lies, zero when it does not.
    pub fn since(self, earlier: Moment) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}
