//! What can be done with what is selected, and why not.

use crate::model::{Mode, Status, plain_line};
use crate::tui::keys::Intent;

use super::{Model, Row, RowKey, cut};

/// How wide the name of a run is where it is told why something cannot be done.
const MAX_NAME_COLS: usize = 16;
const NO_RUN: &str = "no run is selected";

/// Whether it only moves about: nobody opens the palette for that, and where it leads nowhere nothing has to be said.
pub(crate) fn is_motion(intent: Intent) -> bool {
    matches!(
        intent,
        Intent::Down | Intent::Up | Intent::First | Intent::Last | Intent::PageUp | Intent::PageDown | Intent::Back
    )
}

impl Model {
    /// Why an action of the list can do nothing at the moment, in few words; none when it can.
    pub(crate) fn why_not(&self, intent: Intent) -> Option<String> {
        let list = &self.list;
        let on_group = list.selected_group().is_some();
        let view = self.selected_view();
        let is_live = view.is_some_and(|view| !view.record.status.is_final());
        let is_pty = view.is_some_and(|view| view.record.mode == Mode::Pty);
        let is_pending = list.selected().is_some_and(|row| row.pending);
        let is_lost = view.is_some_and(|view| view.record.status == Status::Orphaned);
        let name = cut(&plain_line(&self.selected_name(), 64), "", MAX_NAME_COLS);
        let unless = |can: bool, words: &str| {
            (!can).then(|| if name.is_empty() { NO_RUN.to_owned() } else { format!("{name} {words}") })
        };
        match intent {
            // For all members of a group: what there is to do is told when it is tried.
            Intent::Start
            | Intent::Stop
            | Intent::Kill
            | Intent::Restart
            | Intent::KillRestart
            | Intent::Clear
            | Intent::Signal
                if on_group || !self.marked.is_empty() =>
            {
                None
            }
            Intent::Attach if on_group => None,
            Intent::Attach if is_live => unless(is_pty, "has pipes"),
            Intent::Attach => unless(is_pending, "is not running"),
            Intent::Stop | Intent::Kill => unless(is_live || is_lost, "is not running"),
            Intent::Rename | Intent::Group if on_group => None,
            Intent::Group if is_live => unless(view.is_some_and(|view| view.record.name.is_some()), "has no name"),
            Intent::Signal | Intent::Extend | Intent::Rename | Intent::Group => unless(is_live, "is not running"),
            Intent::Keyboard if is_live => unless(is_pty, "has pipes"),
            Intent::Keyboard => unless(false, "is not running"),
            Intent::StopOthers => {
                (list.live().len() <= usize::from(is_live)).then(|| "nothing else is running".to_owned())
            }
            Intent::Start => unless(!name.is_empty() && !is_live && !is_pending, "is running"),
            Intent::Clear if is_live => unless(false, "is running"),
            Intent::Clear => {
                let told = |row: &Row| row.failure.is_some() || !list.clearable(row).is_empty();
                unless(list.selected().is_some_and(told), "was not started")
            }
            Intent::MergedLog => {
                let has_run = |key: &RowKey| list.rows.iter().any(|row| row.key == *key && list.view_of(row).is_some());
                let is_there =
                    if self.marked.is_empty() { !list.live().is_empty() } else { self.marked.iter().any(has_run) };
                (!is_there).then(|| "nothing is running".to_owned())
            }
            Intent::Restart | Intent::KillRestart | Intent::Inspect | Intent::Duplicate => unless(!name.is_empty(), ""),
            Intent::Pager | Intent::Editor | Intent::Export => unless(view.is_some(), "was not started"),
            Intent::Scrollback | Intent::Search | Intent::PageUp | Intent::HalfUp if self.inspect.is_none() => {
                unless(view.is_some(), "was not started")
            }
            Intent::PageDown | Intent::HalfDown if self.inspect.is_none() && self.pane.scroll.is_none() => {
                Some("at the end".into())
            }
            Intent::Detach if !self.setup.has_server => Some("--embedded".into()),
            Intent::Back
                if self.inspect.is_none()
                    && !self.zoom
                    && self.pane.scroll.is_none()
                    && list.filter().is_empty()
                    && self.marked.is_empty() =>
            {
                Some("nothing is open".into())
            }
            _ => None,
        }
    }
}
