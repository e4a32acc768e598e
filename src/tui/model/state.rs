//! The whole state.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use ratatui::layout::Rect;

use crate::api::{RunView, ShutdownReport};
use crate::model::{InputQueue, KeyChord, Mode, Moment, RunId, Size};
use crate::settings::ListPlace;
use crate::tui::keymap::Keymap;
use crate::tui::keys::{Intent, Part};
use crate::tui::shows::What;
use crate::tui::theme::{ByGround, Theme};
use crate::tui::{ColorChoice, Leaving, TaskEntry};

use super::{
    Areas, Beyond, Browser, ExportMenu, ExtendMenu, Find, INSPECT_EVERY, InspectPanel, Keyboards, LeaveQuestion,
    LinePrompt, List, ListFilter, Notified, Palette, Pane, Prompt, Question, Recall, RenamePrompt, RowKey, Sampling,
    Shown, SignalMenu, Split, areas, countdown_step, detached, summary,
};

/// How long the user is told of something that has happened by itself.
const ANNOUNCED_FOR: Duration = Duration::from_secs(6);

/// Where keys go when no overlay is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Focus {
    /// To the list.
    #[default]
    List,
    /// To the selected run.
    Attached,
    /// To the scrollback of the selected run.
    Scroll,
}

/// What lies over everything else and takes the keys.
#[derive(Debug, Clone)]
pub(crate) enum Overlay {
    /// The keys; so many lines are scrolled off.
    Help { scroll: usize },
    /// The palette.
    Palette(Palette),
    /// The new-run prompt.
    Prompt(Box<Prompt>),
    /// The signal menu.
    Signal(SignalMenu),
    /// The deadline menu.
    Extend(ExtendMenu),
    /// The forms of an export.
    Export(ExportMenu),
    /// The question before leaving.
    Leave(LeaveQuestion),
    /// Search everywhere.
    Find(Box<Find>),
    /// The history browser.
    History(Box<Browser>),
    /// A search or a filter that is typed.
    Line(Box<LinePrompt>),
    /// The question before several runs are stopped.
    Ask(Box<Question>),
    /// The prompt for another name or group.
    Rename(Box<RenamePrompt>),
}

impl Overlay {
    /// The part of the interface that it is.
    pub(crate) fn part(&self) -> Part {
        match self {
            Overlay::Help { .. } => Part::Help,
            Overlay::Palette(_) => Part::Palette,
            Overlay::Prompt(_) => Part::NewRun,
            Overlay::Line(_) => Part::Line,
            Overlay::Find(_) => Part::Find,
            Overlay::History(browser) if browser.is_typing => Part::HistoryFilter,
            Overlay::History(_) => Part::History,
            Overlay::Signal(_) | Overlay::Extend(_) | Overlay::Export(_) => Part::Menu,
            Overlay::Leave(_) => Part::Leave,
            Overlay::Ask(_) => Part::Ask,
            Overlay::Rename(_) => Part::Rename,
        }
    }
}

/// How much a notice matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    Info,
    Error,
}

/// Something the user is told until the next key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) level: Level,
    pub(crate) text: String,
    /// When it goes by itself.
    pub(crate) until: Option<Moment>,
}

/// All runs are being ended before leaving.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ending {
    /// The signal that asked for it.
    pub(crate) signal: Option<i32>,
    /// When the user asked to hurry.
    pub(crate) hurried: Option<Moment>,
    /// The answer.
    pub(crate) report: Option<ShutdownReport>,
}

/// The attach key was pressed in a run: pressed again at once, it goes to the run after all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Doubling {
    pub(crate) row: RowKey,
    pub(crate) until: Moment,
}

/// What does not change.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    pub(crate) title: String,
    pub(crate) attach_key: KeyChord,
    pub(crate) keys: Arc<Keymap>,
    pub(crate) theme: Theme,
    /// What the theme is once the terminal has told its background.
    pub(crate) by_ground: Option<ByGround>,
    pub(crate) cwd: PathBuf,
    /// What the new-run prompt offers.
    pub(crate) new_run_mode: Mode,
    pub(crate) home: Option<PathBuf>,
    pub(crate) colors: ColorChoice,
    /// How these runs are shown again.
    pub(crate) again: String,
    /// Whether a server has the runs: they go on when the TUI is left.
    pub(crate) has_server: bool,
    /// Whether that server was started for this.
    pub(crate) started_server: bool,
    /// Whether what was selected with the mouse is copied when the button is let go.
    pub(crate) copy_on_release: bool,
    /// After how long without a key the keyboard of the attached run is handed back.
    pub(crate) hold: Option<Duration>,
}

/// The state of the TUI.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) setup: Setup,
    /// Columns and rows of the outer terminal.
    pub(crate) size: (u16, u16),
    pub(crate) now: Moment,
    pub(crate) time_zone: TimeZone,
    pub(crate) list: List,
    /// The pane of the selected row.
    pub(crate) pane: Pane,
    /// The other panes, in their order.
    pub(crate) beside: Vec<Pane>,
    pub(crate) split: Split,
    pub(crate) filter: ListFilter,
    pub(crate) sampling: Sampling,
    pub(crate) notified: Notified,
    /// Whether the outer terminal has said that nobody looks at it.
    pub(crate) away: bool,
    /// Whether the user's terminal has the kitty keyboard protocol, as far as it was asked.
    pub(crate) has_keyboard_flags: bool,
    pub(crate) list_place: ListPlace,
    pub(crate) focus: Focus,
    pub(crate) zoom: bool,
    pub(crate) inspect: Option<InspectPanel>,
    pub(crate) overlay: Option<Overlay>,
    /// What is shown in place of the selected run.
    pub(crate) show: Option<Box<Shown>>,
    /// How many shows there were.
    pub(crate) shows: u64,
    /// How many searches everywhere there were.
    pub(crate) searches: u64,
    /// The one that is under way.
    pub(crate) finding: Option<u64>,
    /// What is looked for beyond the rows at hand.
    pub(crate) beyond: Option<Beyond>,
    /// The rows that are marked for the merged log.
    pub(crate) marked: Vec<RowKey>,
    pub(crate) notice: Option<Notice>,
    pub(crate) ending: Option<Ending>,
    /// Command lines that were started before.
    pub(crate) recall: Recall,
    pub(crate) doubling: Option<Doubling>,
    /// Keys that begin something, and where they were pressed.
    pub(crate) pending: Option<(Part, Vec<KeyChord>)>,
    /// The row that the user attached to.
    pub(crate) attached: Option<RowKey>,
    /// The keyboards that this terminal has or wants.
    pub(crate) keyboards: Keyboards,
    /// What was typed into a run that is still being started.
    pub(crate) typed_ahead: InputQueue,
    /// Tasks to start as soon as it is known what runs already.
    pub(crate) autostart: Vec<RowKey>,
    /// A run that was started from the prompt and is to be selected once the list has it.
    pub(crate) select_when_known: Option<RunId>,
    /// Whether the supervisor is gone.
    pub(crate) lost: bool,
    /// Why there is no connection to the server at the moment.
    pub(crate) parted: Option<String>,
    /// The user leaves and the runs go on; the signal that asked for it, when it was one.
    pub(crate) detached: Option<Option<i32>>,
    /// Whether something that is drawn has changed since it was drawn.
    pub(crate) dirty: bool,
    /// Whether rows of the shown run have changed, and nothing else.
    pub(crate) rows_dirty: bool,
}

impl Model {
    pub(crate) fn new(setup: Setup, tasks: Vec<TaskEntry>, size: (u16, u16), now: Moment) -> Model {
        let starts = tasks.iter().filter(|task| task.autostart);
        Model {
            autostart: starts.map(|task| RowKey::Task(task.name.clone())).collect(),
            setup,
            size,
            now,
            time_zone: TimeZone::UTC,
            list: List::new(tasks),
            pane: Pane::default(),
            beside: Vec::new(),
            split: Split::default(),
            filter: ListFilter::default(),
            sampling: Sampling::default(),
            notified: Notified::default(),
            away: false,
            has_keyboard_flags: false,
            list_place: ListPlace::default(),
            focus: Focus::List,
            zoom: false,
            inspect: None,
            overlay: None,
            show: None,
            shows: 0,
            searches: 0,
            finding: None,
            beyond: None,
            marked: Vec::new(),
            notice: None,
            ending: None,
            recall: Recall::default(),
            doubling: None,
            pending: None,
            attached: None,
            keyboards: Keyboards::default(),
            typed_ahead: InputQueue::default(),
            select_when_known: None,
            lost: false,
            parted: None,
            detached: None,
            dirty: true,
            rows_dirty: false,
        }
    }

    pub(crate) fn needs_draw(&self) -> bool {
        self.dirty || self.rows_dirty
    }

    /// Whether a replay has the keys.
    pub(crate) fn is_replay(&self) -> bool {
        self.show.as_ref().is_some_and(|show| matches!(show.what, What::Replay(_)))
    }

    /// The part of the interface that has the keys; none when a run has them.
    pub(crate) fn part(&self) -> Option<Part> {
        match (&self.ending, &self.overlay, self.focus) {
            (Some(_), ..) => Some(Part::Waiting),
            (None, Some(overlay), _) => Some(overlay.part()),
            (None, None, Focus::List) if self.filter.editing => Some(Part::Filter),
            (None, None, Focus::List) => Some(Part::List),
            (None, None, Focus::Scroll) if self.is_replay() => Some(Part::Replay),
            (None, None, Focus::Scroll) => Some(Part::Scroll),
            (None, None, Focus::Attached) => None,
        }
    }

    /// The key of an action of the list, for messages; its name when it has none.
    pub(crate) fn key(&self, intent: Intent) -> String {
        self.setup.keys.label(Part::List, intent).unwrap_or_else(|| intent.name())
    }

    pub(crate) fn inform(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { level: Level::Info, text: text.into(), until: None });
    }

    /// Tells of something that has happened by itself: it goes by itself, too.
    pub(crate) fn announce(&mut self, text: impl Into<String>) {
        let until = Some(self.now.plus(ANNOUNCED_FOR));
        self.notice = Some(Notice { level: Level::Info, text: text.into(), until });
    }

    /// Takes a notice away whose time is over.
    pub(crate) fn expire_notice(&mut self) {
        let now = self.now;
        let is_over = |notice: &mut Notice| notice.until.is_some_and(|until| until.since(now).is_zero());
        self.dirty |= self.notice.take_if(is_over).is_some();
    }

    pub(crate) fn complain(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { level: Level::Error, text: text.into(), until: None });
    }

    /// The cells of the terminal pane, when it shows a terminal.
    pub(crate) fn terminal_area(&self) -> Option<Rect> {
        if self.inspect.is_some() || self.ending.is_some() {
            return None;
        }
        areas(self)?.pane.filter(|pane| !pane.is_empty())
    }

    /// The size that a run gets which is shown in the pane; when nothing is shown, that of the place where it would be.
    pub(crate) fn pane_size(&self) -> Size {
        let pane = areas(self).and_then(|areas| areas.pane);
        let place = pane.unwrap_or(Rect::new(0, 0, self.size.0, self.size.1.saturating_sub(2)));
        if self.size.0 == 0 || self.size.1 == 0 {
            return Size::DEFAULT;
        }
        Size::clamped(place.width, place.height)
    }

    /// The run of the selected row.
    pub(crate) fn selected_view(&self) -> Option<&RunView> {
        Some(self.list.view_of(self.list.selected()?)?.as_ref())
    }

    /// How messages call the selected row.
    pub(crate) fn selected_name(&self) -> String {
        self.list.selected().map(|row| self.row_name(&row.key)).unwrap_or_default()
    }

    /// How a row is called.
    pub(crate) fn row_name(&self, key: &RowKey) -> String {
        match key {
            RowKey::Task(name) => name.to_string(),
            RowKey::Run(id) => {
                let row = self.list.rows.iter().find(|row| row.key == *key);
                self.run_name(row.and_then(|row| row.run).unwrap_or(*id))
            }
        }
    }

    /// A run that had this row has another one: what is known of the row goes with it.
    pub(crate) fn row_changed(&mut self, run: RunId, before: Option<RowKey>) {
        let after = self.list.row_of(run).map(|row| row.key.clone());
        let (Some(before), Some(after)) = (before, after) else { return };
        let rows = self.attached.iter_mut().chain(&mut self.marked).chain(self.split.rows_mut());
        rows.filter(|key| **key == before).for_each(|key| *key = after.clone());
    }

    /// How a run is called: the name it has, or the start of its command, and what tells it from others of that name.
    pub(crate) fn run_name(&self, run: RunId) -> String {
        match self.list.known(run) {
            Some(known) => display_name(&known.view) + &self.list.tag(run),
            None => run.short().to_owned(),
        }
    }

    /// The first row of the list that is shown, so that the selected one is in sight.
    pub(crate) fn list_top(&self, height: u16) -> usize {
        let height = usize::from(height).max(1);
        let selected = self.list.selected_index().unwrap_or(0);
        // Rows come and go in the middle of a page, not at its ends: the top moves by halves.
        let half = (height / 2).max(1);
        if selected < height { 0 } else { (selected - height).div_euclid(half) * half + half }
    }

    /// How long until something that counts on the screen has to move; none when nothing counts.
    pub(crate) fn next_tick(&self) -> Option<Duration> {
        let left = |until: Moment| until.since(self.now);
        if let Some(ending) = &self.ending {
            // The waiting view also notices when a hurried shutdown takes too long.
            let graces = self.list.live().into_iter().filter_map(|view| grace_end(view)).map(left);
            let step = graces.filter(|left| !left.is_zero()).map(countdown_step).min();
            let again = ending.hurried.map(|_| Duration::from_secs(1));
            return step.into_iter().chain(again).min();
        }
        let inspect = self.inspect.as_ref().and_then(|panel| {
            let live = self.list.known(panel.run?).is_some_and(|known| !known.view.record.status.is_final());
            (live && !panel.asked).then(|| panel.at.plus(INSPECT_EVERY).since(self.now))
        });
        let shown = self.shown_countdowns().map(left).filter(|left| !left.is_zero()).map(countdown_step).min();
        let notice = self.notice.as_ref().and_then(|notice| Some(left(notice.until?)));
        let idle = self.keyboard_idle_at().map(left);
        inspect.into_iter().chain(shown).chain(notice).chain(idle).chain(self.usage_tick()).min()
    }

    /// When the keyboard of the attached run is handed back by itself.
    pub(crate) fn keyboard_idle_at(&self) -> Option<Moment> {
        let attached = self.selected_view().filter(|_| self.focus == Focus::Attached).map(RunView::id);
        self.keyboards.idle_at(attached, self.setup.hold)
    }

    /// What the shown part of the list and the panel count down to.
    fn shown_countdowns(&self) -> impl Iterator<Item = Moment> {
        let list = areas(self).as_ref().and_then(|areas: &Areas| areas.list);
        let rows = list.map_or(0..0, |area| {
            let top = self.list_top(area.height);
            top..(top + usize::from(area.height)).min(self.list.lines().len())
        });
        let selected = self.inspect.as_ref().and(self.list.selected());
        let shown = self.list.lines()[rows].iter().filter_map(|line| self.list.row_in(line));
        let views = shown.chain(selected).filter_map(|row| self.list.view_of(row));
        views.filter_map(|view| counts_to(view)).collect::<Vec<_>>().into_iter()
    }

    /// Says how the TUI is left.
    pub(crate) fn leaving(&self) -> Leaving {
        if let Some(signal) = self.detached {
            return Leaving::Detached { summary: detached(self), signal };
        }
        let ending = self.ending.as_ref();
        Leaving::Stopped { summary: summary(self), signal: ending.and_then(|ending| ending.signal) }
    }
}

/// What a run counts down to: the end of its grace, or its deadline.
pub(crate) fn counts_to(view: &RunView) -> Option<Moment> {
    if view.record.status.is_final() {
        return None;
    }
    grace_end(view).or(view.deadline.map(|deadline| deadline.at))
}

/// When SIGKILL follows.
pub(crate) fn grace_end(view: &RunView) -> Option<Moment> {
    match view.termination {
        crate::api::Termination::Grace { until } => Some(until),
        crate::api::Termination::None | crate::api::Termination::Preparing | crate::api::Termination::Draining => None,
    }
}

/// How a run is called: the name it has, or the start of its command.
pub(crate) fn display_name(view: &RunView) -> String {
    match &view.record.name {
        Some(name) => name.to_string(),
        None => crate::model::plain_line(view.record.command.trim(), 64),
    }
}
