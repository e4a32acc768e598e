//! What is shown in place of the selected run: a log, merged logs, the last screen of a finished run, a replay.

use crate::api::LinePlace;
use crate::model::Size;
use crate::tui::shows::{Playing, What};

use super::{Overlay, Pane, Pattern};

/// A show. Its rows are in the pane of the model while it is open.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) id: u64,
    pub(crate) title: String,
    /// Which line it was opened at, as long as that is where the user is.
    pub(crate) line: Option<String>,
    pub(crate) what: What,
    /// Where a replay is.
    pub(crate) playing: Option<Playing>,
    /// Whether everything is there.
    pub(crate) is_whole: bool,
    /// The row to go to, once it is there.
    pub(crate) place: Option<u64>,
    /// The row that it was, as long as rows have kept their numbers.
    pub(crate) anchor: Option<u64>,
    /// The first line that is shown, when more are before it in the log.
    pub(crate) before: Option<LinePlace>,
    /// The last line that is shown, when more follow in the log.
    pub(crate) cut: Option<LinePlace>,
    /// What was found there, and is gone to once it is there.
    pub(crate) pattern: Option<Pattern>,
    /// Whether it was opened at the end of a log: there it stays while more comes.
    pub(crate) at_end: bool,
    /// Whether what is printed from now on is shown.
    pub(crate) follows: bool,
    /// The part of the log that the user has gone on to.
    pub(crate) wanted: Option<What>,
    /// The size that was asked for.
    pub(crate) resizing: Option<Size>,
    /// The pane of the selected row meanwhile.
    pub(crate) under: Pane,
    /// What it was opened from, and where it leads back to.
    pub(crate) back: Option<Overlay>,
}

impl Shown {
    /// Whether rows of a log are on their way without being asked for.
    pub(crate) fn is_reading(&self) -> bool {
        matches!(self.what, What::Log { .. } | What::End(_))
            && !self.is_whole
            && (self.cut.is_none() || self.place.is_some())
    }

    /// Whether it is a part of a log.
    pub(crate) fn is_part(&self) -> bool {
        self.before.is_some() || self.cut.is_some()
    }

    /// Whether its rows are wrapped to the pane.
    pub(crate) fn is_wrapped(&self) -> bool {
        match self.what {
            What::Log { .. } | What::End(_) | What::Merged(_) => true,
            What::Screen(_) | What::Replay(_) => false,
        }
    }
}
