//! What takes no keys any more, and what can be done with it instead.

use crate::api::RunView;
use crate::tui::keys::Intent;

use super::{Focus, Model};

impl Model {
    /// Why the selected row takes no keys any more; none while it does, and while it is being started.
    pub(crate) fn over_words(&self) -> Option<String> {
        match (self.selected_view(), self.list.selected()?.pending) {
            (_, true) => None,
            (Some(view), false) => ended_words(view),
            (None, false) => Some("was not started".into()),
        }
    }

    /// The key that starts the selected row again.
    pub(crate) fn again_key(&self) -> String {
        let is_task = self.list.selected().is_some_and(|row| row.spec.is_some());
        self.key(if is_task { Intent::Start } else { Intent::Restart })
    }

    /// How the output of the selected row is looked at: `[ scrolls and copies, / searches`.
    pub(crate) fn looking_words(&self) -> String {
        let search = format!("{} searches", self.key(Intent::Search));
        // There the key would lead back.
        if self.focus == Focus::Scroll {
            search
        } else {
            format!("{} scrolls and copies, {search}", self.key(Intent::Scrollback))
        }
    }
}

/// How a run has ended, if it has.
pub(crate) fn ended_words(view: &RunView) -> Option<String> {
    view.record.status.is_final().then(|| format!("has ended ({})", view.record.ending()))
}
