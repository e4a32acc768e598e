//! The loop: it waits for what happens, lets `update` decide, carries out commands, and draws.

use std::ffi::OsString;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::FuturesUnordered;
use futures_util::{Stream, StreamExt};
use jiff::tz::TimeZone;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::api::{Client, Feed, Link, Update, View, Watch};
use crate::model::{ErrorCode, Failure, Frame, Moment, RunId};
use crate::settings::Notify;

use super::awaiting::{next_input, next_link, next_update, until, visited};
use super::clipboard;
use super::cmd::Cmd;
use super::event::{Event, Input};
use super::exporting::visit;
use super::finding::{self, Finding};
use super::input::inputs;
use super::model::{Model, Recall, Setup};
use super::notifier;
use super::outside::{Outside, Outsides, Signals};
use super::panic::{self, Own};
use super::perform::{Awaited, MakeSpec, perform};
use super::shows::{self, Show, Told};
use super::surface::{Screen, Surface};
use super::typing::Typings;
use super::update::update;
use super::watches::Watches;
use super::{DrawPicture, Leaving, Options, TuiError, terminal};

/// The shortest time between two draws of something that changes all the time: 60 a second.
const BETWEEN_DRAWS: Duration = Duration::from_micros(16_600);

/// After so long without a draw there was quiet.
const QUIET: Duration = Duration::from_millis(25);

/// A suspended program that still runs after this was not stopped: nobody could continue it.
const STOPPED_WITHIN: Duration = Duration::from_millis(200);

/// How often a TUI in the background looks whether it is in the foreground: no signal tells.
const FOREGROUND_EVERY: Duration = Duration::from_millis(250);

/// Shows the TUI until it is left.
///
/// When it returns [`Leaving::Stopped`], a shutdown was asked of the client and answered. The terminal is restored in any case, also when
/// the future is dropped or panics. A signal (SIGTERM, SIGINT, SIGQUIT) ends all runs gently, a second one in a hurry; SIGHUP or a
/// terminal that is gone leave at once with [`Leaving::TerminalLost`].
///
/// # Errors
/// [`TuiError`] when there is no terminal, or it cannot be set up or drawn on.
pub async fn run(client: Arc<dyn Client>, options: Options) -> Result<Leaving, TuiError> {
    panic::install_hook();
    Own(Box::pin(in_terminal(client, options))).await
}

async fn in_terminal(client: Arc<dyn Client>, options: Options) -> Result<Leaving, TuiError> {
    terminal::check()?;
    // Before the terminal is changed, so that no signal finds it changed and nobody to restore it.
    let signals = Signals::new().map_err(TuiError::Signals)?;
    let Options {
        title,
        tasks,
        attach_key,
        keys,
        theme,
        by_ground,
        mouse,
        list_place,
        usage,
        notify,
        clock,
        new_run,
        env,
        draw,
        history,
        remember,
        cwd,
        new_run_mode,
        home,
        colors,
        again,
        server,
        started_server,
        seen,
        keep_seen,
        clipboard,
        copy_on_release,
        hold,
    } = options;
    let screen = Screen::enter(mouse)?;
    let keys = Arc::new(keys);
    let setup = Setup {
        title,
        attach_key,
        keys,
        theme,
        by_ground,
        cwd,
        new_run_mode,
        home,
        colors,
        again,
        has_server: server.is_some(),
        started_server,
        copy_on_release,
        hold,
    };
    let mut model = Model::new(setup, tasks, terminal::size(), clock());
    (model.list_place, model.sampling.wanted) = (list_place, usage);
    model.recall = Recall::new(history);
    model.list.remember(seen);
    let mut ui = Ui::new(client, new_run, clock, model, screen);
    (ui.link, ui.clipboard) = (server, clipboard);
    (ui.remember, ui.draw_picture, ui.env) = (remember, draw, env);
    ui.notify = notify;
    ui.draw().map_err(TuiError::Draw)?;
    let left = ui.drive(inputs, signals).await;
    keep_seen(&ui.model.list.seen());
    left
}

/// A program that has the terminal: whether it could be started, once it has ended.
pub(super) type Visiting = std::pin::Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

/// What the loop waits for.
enum Happened {
    Outside(Outside),
    Input(Option<Input>),
    Frame(RunId, Arc<Frame>),
    Watching(RunId, Result<Watch, Failure>),
    Answered(Event),
    Show(u64, Told),
    Runs(Option<Update>),
    Link(Option<Link>),
    Visited(Result<(), String>),
    DrawDue,
    TickDue,
    ResumeDue,
}

/// The running TUI.
pub(super) struct Ui<S> {
    client: Arc<dyn Client>,
    new_run: Box<MakeSpec>,
    env: Arc<Vec<(OsString, OsString)>>,
    pub(super) remember: Arc<dyn Fn(&str) + Send + Sync>,
    pub(super) draw_picture: DrawPicture,
    clock: fn() -> Moment,
    pub(super) model: Model,
    pub(super) surface: S,
    /// The program that takes copies, and its arguments; none when there is none.
    clipboard: Vec<String>,
    /// Answers that are on their way. Bounded by what the user can ask for: each key, click or change of size is one.
    answers: FuturesUnordered<Awaited>,
    typings: Typings,
    watches: Watches,
    show: Option<Show>,
    finding: Option<Finding>,
    feed: Option<Feed>,
    link: Option<watch::Receiver<Link>>,
    /// How the user is told when nobody looks.
    notify: Vec<Notify>,
    drawn_at: Option<Instant>,
    /// Whether that was after quiet: what is drawn then may have been half of what a program draws, and the rest follows at once.
    drawn_first: bool,
    /// Whether the user waits for what comes next: it is drawn at once.
    awaited: bool,
    tick_at: Option<Instant>,
    /// The program that has the terminal.
    visiting: Option<Visiting>,
    /// While the TUI is suspended: when it is next looked whether the terminal may be used again.
    resume_at: Option<Instant>,
    left: Option<Leaving>,
}

impl<S: Surface> Ui<S> {
    pub(super) fn new(
        client: Arc<dyn Client>,
        new_run: Box<MakeSpec>,
        clock: fn() -> Moment,
        model: Model,
        surface: S,
    ) -> Ui<S> {
        Ui {
            client,
            new_run,
            env: Arc::default(),
            remember: Arc::new(|_| {}),
            draw_picture: |_, _| Err(Failure::new(ErrorCode::Unsupported, "no pictures are drawn here")),
            clock,
            model,
            surface,
            clipboard: Vec::new(),
            answers: FuturesUnordered::new(),
            typings: Typings::default(),
            watches: Watches::default(),
            show: None,
            finding: None,
            feed: None,
            link: None,
            notify: Vec::new(),
            drawn_at: None,
            drawn_first: false,
            awaited: false,
            tick_at: None,
            visiting: None,
            resume_at: None,
            left: None,
        }
    }

    /// Draws now.
    pub(super) fn draw(&mut self) -> io::Result<()> {
        // From its start: a picture that takes long is no reason to be later with the next one.
        let now = Instant::now();
        self.drawn_first = self.drawn_at.is_none_or(|last| last + QUIET <= now);
        self.drawn_at = Some(now);
        self.surface.draw(&self.model)?;
        (self.model.dirty, self.model.rows_dirty) = (false, false);
        self.awaited = false;
        Ok(())
    }

    /// Runs until the TUI is left. The first frame is drawn before: nothing is asked of anybody before the user sees something.
    pub(super) async fn drive<I: Stream<Item = Input> + Unpin>(
        &mut self,
        mut open_inputs: impl FnMut() -> io::Result<I>,
        mut outsides: impl Outsides,
    ) -> Result<Leaving, TuiError> {
        let mut inputs = Some(open_inputs().map_err(TuiError::Terminal)?);
        self.feed = Some(self.client.subscribe());
        self.take(Event::Ready { time_zone: TimeZone::system() });
        loop {
            if let Some(left) = self.left.take() {
                return Ok(left);
            }
            if self.is_away() {
                // The terminal is somebody else's.
                inputs = None;
            } else if inputs.is_none() {
                inputs = Some(open_inputs().map_err(TuiError::Terminal)?);
            }
            let Ok(draw_at) = self.draw_if_due() else {
                // Nobody can see anything any more.
                return Ok(Leaving::TerminalLost);
            };
            // Not biased: under a flood of frames or keys answers get their turn, too.
            let happened = tokio::select! {
                outside = outsides.next() => Happened::Outside(outside),
                input = next_input(&mut inputs) => Happened::Input(input),
                (run, frame) = self.watches.shown.next() => Happened::Frame(run, frame),
                (run, watching) = self.watches.asked.next() => Happened::Watching(run, watching),
                (id, told) = shows::next(&mut self.show) => Happened::Show(id, told),
                Some(event) = self.answers.next() => Happened::Answered(event),
                event = self.typings.trouble(self.client.as_ref()) => Happened::Answered(event),
                event = finding::next(&mut self.finding) => Happened::Answered(event),
                update = next_update(&mut self.feed) => Happened::Runs(update),
                link = next_link(&mut self.link) => Happened::Link(link),
                visited = visited(&mut self.visiting) => Happened::Visited(visited),
                () = until(draw_at) => Happened::DrawDue,
                () = until(self.tick_at) => Happened::TickDue,
                () = until(self.resume_at) => Happened::ResumeDue,
            };
            if let Some(left) = self.happened(happened) {
                return Ok(left);
            }
        }
    }

    /// Whether the terminal is somebody else's.
    fn is_away(&self) -> bool {
        self.resume_at.is_some() || self.visiting.is_some()
    }

    /// Draws when that is due now; returns when it is due otherwise, if anything is to be drawn.
    fn draw_if_due(&mut self) -> io::Result<Option<Instant>> {
        if self.is_away() {
            return Ok(None);
        }
        if self.surface.catch_up()? && self.model.needs_draw() {
            let draw_at = self.draw_at();
            if draw_at.is_some() {
                return Ok(draw_at);
            }
            self.draw()?;
        }
        // A terminal that takes nothing for a while is tried again, and holds nothing up but the pictures.
        Ok((!self.surface.catch_up()?).then(|| Instant::now() + BETWEEN_DRAWS))
    }

    /// When the next draw is due; none when that is now.
    fn draw_at(&self) -> Option<Instant> {
        let next = self.drawn_at? + BETWEEN_DRAWS;
        (!self.awaited && !self.drawn_first && next > Instant::now()).then_some(next)
    }

    fn happened(&mut self, happened: Happened) -> Option<Leaving> {
        match happened {
            Happened::Outside(Outside::HangUp) | Happened::Input(None) => return Some(Leaving::TerminalLost),
            // ^C and ^\ of the terminal are for the program that has it; so is its stop.
            Happened::Outside(Outside::Terminate(nix::libc::SIGINT | nix::libc::SIGQUIT) | Outside::Continued)
                if self.visiting.is_some() => {}
            Happened::Outside(Outside::Terminate(signal)) => self.take(Event::Terminate(signal)),
            Happened::Outside(Outside::Resized) => return self.resized(|surface| Ok(surface.size())),
            Happened::Outside(Outside::Continued) | Happened::ResumeDue => return self.resume(),
            Happened::Input(Some(input)) => {
                self.awaited = true;
                self.take(Event::Input(input));
            }
            Happened::Frame(run, frame) => self.take(Event::Frame { run, frame }),
            Happened::Watching(run, watching) => self.watching(run, watching),
            Happened::Answered(event) => {
                self.catch_up();
                self.take(event);
            }
            Happened::Show(id, told) => self.take(Event::Show { id, told }),
            Happened::Runs(Some(update)) => self.take(Event::Runs(update)),
            Happened::Runs(None) => {
                self.feed = None;
                self.take(Event::RunsGone);
            }
            Happened::Link(Some(link)) => self.take(Event::Link(link)),
            // That it is over is told by the feed.
            Happened::Link(None) => self.link = None,
            Happened::Visited(result) => {
                self.visiting = None;
                self.take(Event::Visited(result));
                return self.resume();
            }
            Happened::DrawDue => {}
            Happened::TickDue => {
                self.tick_at = None;
                self.take(Event::Tick);
            }
        }
        None
    }

    /// Takes in what was told of runs before an answer was given: the end of the last run comes before the answer that all have ended.
    fn catch_up(&mut self) {
        // Only what waits now: who tells all the time must not keep the answer back.
        let waiting: Vec<Update> = self.feed.iter_mut().flat_map(Feed::take_waiting).collect();
        waiting.into_iter().for_each(|update| self.take(Event::Runs(update)));
    }

    /// Lets the model take an event in, and does what it asks for.
    pub(super) fn take(&mut self, event: Event) {
        let cmds = update(&mut self.model, event, (self.clock)());
        self.tick_at = self.model.next_tick().map(|wait| Instant::now() + wait);
        if self.model.show.is_none() {
            self.show = None;
        }
        for cmd in cmds {
            match perform(&self.client, &self.new_run, &self.env, self.draw_picture, cmd) {
                Ok(answer) => self.answers.push(answer),
                Err(cmd) => self.do_here(cmd),
            }
        }
    }

    fn do_here(&mut self, cmd: Cmd) {
        match cmd {
            Cmd::Control { run, control } => {
                let dropped = control.input.and_then(|input| self.typings.put(self.client.as_ref(), run, input));
                dropped.into_iter().for_each(|event| self.take(event));
            }
            Cmd::Watch { run, size } => {
                self.watches.asked.put(run, self.client.watch(run, View { size }));
            }
            Cmd::Unwatch(run) => self.watches.end(run),
            Cmd::Find { number, request } => {
                self.finding = Some(Finding::begin(self.client.as_ref(), number, *request));
            }
            Cmd::StopFinding => self.finding = None,
            Cmd::Redraw => {
                self.model.dirty = true;
                if !self.is_away() && self.surface.clear(self.model.size).is_err() {
                    self.left = Some(Leaving::TerminalLost);
                }
            }
            Cmd::Suspend => match self.surface.suspend() {
                Ok(()) => self.resume_at = Some(Instant::now() + STOPPED_WITHIN),
                Err(_) => self.left = Some(Leaving::TerminalLost),
            },
            Cmd::Copy(text) => {
                let given = self.surface.copy(&text);
                if given.is_err() {
                    self.left = Some(Leaving::TerminalLost);
                }
                self.answers.push(clipboard::give(&self.clipboard, text, given.unwrap_or(false)));
            }
            Cmd::Show { id, what, size } => {
                self.show = Some(Show::begin(Arc::clone(&self.client), id, what, size));
            }
            Cmd::ShowOrder(order) => {
                let told = self.show.as_ref().and_then(|show| Some((show.id, show.order(order)?)));
                if let Some((id, told)) = told {
                    self.take(Event::Show { id, told });
                }
            }
            Cmd::Notify { name, what } => {
                let sequences = notifier::sequences(&self.notify, &name, &what);
                if !sequences.is_empty() && self.resume_at.is_none() && self.surface.tell(&sequences).is_err() {
                    self.left = Some(Leaving::TerminalLost);
                }
                self.answers.extend(notifier::programs(&self.notify, &name, &what));
            }
            Cmd::Quit => self.left = Some(self.model.leaving()),
            Cmd::Visit { shower, file } => {
                self.surface.lend();
                self.visiting = Some(Box::pin(visit(shower, file)));
            }
            // It goes on by itself: nothing waits for the disk.
            Cmd::Remember(line) => {
                let remember = Arc::clone(&self.remember);
                drop(tokio::task::spawn_blocking(move || remember(&line)));
            }
            // All others are calls of the client.
            Cmd::Start { .. }
            | Cmd::StartNew(_)
            | Cmd::Complete(_)
            | Cmd::Export { .. }
            | Cmd::FetchLog { .. }
            | Cmd::Stop { .. }
            | Cmd::Reap(_)
            | Cmd::Restart { .. }
            | Cmd::Signal { .. }
            | Cmd::SetDeadline { .. }
            | Cmd::Rename { .. }
            | Cmd::Inspect(_)
            | Cmd::Usage
            | Cmd::Surroundings(_)
            | Cmd::Why(_)
            | Cmd::Generations { .. }
            | Cmd::Forget(_)
            | Cmd::History { .. }
            | Cmd::Gather { .. }
            | Cmd::Records { .. }
            | Cmd::Resize { .. }
            | Cmd::TakeKeyboard(_)
            | Cmd::HandBackKeyboard(_)
            | Cmd::Shutdown { .. }
            | Cmd::StopAll { .. } => {}
        }
    }

    /// Takes the terminal again after a stop, once it may be used: in the background the TUI waits, and the runs go on.
    fn resume(&mut self) -> Option<Leaving> {
        if self.surface.is_in_foreground() {
            self.resume_at = None;
            return self.resized(S::resume);
        }
        self.resume_at = Some(Instant::now() + FOREGROUND_EVERY);
        None
    }

    /// Does something after which the terminal may have another size, and is to be drawn at once.
    fn resized(&mut self, work: impl FnOnce(&mut S) -> io::Result<(u16, u16)>) -> Option<Leaving> {
        let Ok((cols, rows)) = work(&mut self.surface) else { return Some(Leaving::TerminalLost) };
        (self.awaited, self.model.dirty) = (true, true);
        if (cols, rows) != self.model.size {
            self.take(Event::Input(Input::Resize { cols, rows }));
        }
        None
    }

    fn watching(&mut self, run: RunId, watching: Result<Watch, Failure>) {
        match watching {
            Ok(mut watch) => {
                let frame = watch.newest();
                self.watches.shown.put(run, watch);
                self.take(Event::Frame { run, frame });
            }
            Err(failure) => self.take(Event::WatchFailed { run, failure }),
        }
    }
}
