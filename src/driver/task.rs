//! The loop of one run.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::Interest;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::attention::{Needs, Said};
use super::io::{Budget, Sink, Source};
use super::keep::Keep;
use super::kept::Kept;
use super::link::Link;
use super::output::{ActivityReports, Live, Viewers};
use super::port::{Orders, Report};
use super::setup::Setup;
use super::typed::Typed;
use super::view::Collector;
use crate::api::{Activity, Answer};
use crate::holder::{Event, LinkError, Request};
use crate::model::{ErrorCode, Failure, Mode, Moment, RunId, Size, StdinSpec, with_sources};
use crate::sys::watched::Watched;
use crate::sys::{clock, heap};
use crate::tail::Pipe;

/// What is taken in in one turn of the loop. Small enough that the keys of another run on the same thread wait about a
/// millisecond, large enough that a flood is cheap.
const TURN: Budget = Budget { bytes: 64 * 1024, time: Duration::from_micros(800), exact: false };

/// What is taken in before a cut or a read, and at the end: all that the kernel holds, within bounds, so that a flood cannot hold a key up.
const ALL: Budget = Budget { bytes: 1024 * 1024, time: Duration::from_millis(2), exact: true };

/// How long the end of a run waits for a slow disk to take the rest of its log.
const LOG_PATIENCE: Duration = Duration::from_secs(5);

/// One run's driver.
pub(super) struct Driver {
    pub(super) setup: Setup,
    pub(super) link: Option<Link>,
    pub(super) sources: Vec<Source>,
    pub(super) sink: Option<Sink>,
    pub(super) collector: Collector,
    pub(super) viewers: Viewers,
    activity: ActivityReports,
    live: Option<Live>,
    pub(super) keep: Keep,
    /// For a run that outlives this program.
    pub(super) kept: Option<Kept>,
    pub(super) later: VecDeque<Report>,
    pub(super) signals: VecDeque<Answer<u32>>,
    pub(super) size: Size,
    pub(super) root_pid: Option<i32>,
    pub(super) holder_pid: Option<i32>,
    pub(super) root_exited: bool,
    pub(super) output_ended: bool,
    pub(super) finished: bool,
    pub(super) last_output: Moment,
    pub(super) cuts: u64,
    pub(super) printed_bytes: u64,
    pub(super) typed_bytes: u64,
    pub(super) needs: Needs,
    pub(super) said: Said,
    /// What a person has typed, for the note.
    pub(super) typed: Typed,
}

/// What woke the loop up.
enum Woken {
    Command(super::port::Command),
    SupervisorGone,
    Holder(Result<(crate::holder::Event, Vec<OwnedFd>), LinkError>),
    Readable,
    /// The flag tells that nobody is left who could read.
    Writable(bool),
    /// Something is due by now.
    Due,
}

/// Starts a run and drives it until the supervisor drops its end of the road. Everything that happens is reported in order.
pub async fn drive(mut setup: Setup, mut orders: Orders, reports_tx: mpsc::Sender<(RunId, Report)>) {
    let id = setup.id;
    let collector = Collector::new(setup.mode, setup.size, setup.scrollback_lines);
    let live = setup.live.take().map(Live::new);
    let keep = Keep::new(setup.log.take(), setup.flush_interval, setup.redaction.clone());
    let mut driver = Driver {
        size: setup.size,
        setup,
        link: None,
        sources: Vec::new(),
        sink: None,
        collector,
        viewers: Viewers::default(),
        activity: ActivityReports::default(),
        live,
        keep,
        kept: None,
        later: VecDeque::new(),
        signals: VecDeque::new(),
        root_pid: None,
        holder_pid: None,
        root_exited: false,
        output_ended: false,
        finished: false,
        last_output: Moment::from_boot(clock::boot_now()),
        cuts: 0,
        printed_bytes: 0,
        typed_bytes: 0,
        needs: Needs::default(),
        said: Said::default(),
        typed: Typed::default(),
    };
    let begun = match driver.setup.taken_up.take() {
        Some(taken_up) => driver.go_on(*taken_up).await,
        None => driver.spawn().await.map_err(|failure| Report::SpawnFailed(failure, None)),
    };
    driver.later.extend(begun.err());
    loop {
        while let Some(report) = driver.later.pop_front() {
            // The supervisor is gone: so is the run, by its holder.
            if reports_tx.send((id, report)).await.is_err() {
                return;
            }
        }
        match driver.wait(&mut orders).await {
            Woken::Command(command) => {
                let mut report = driver.carry_out(command);
                if let Some(Report::Finished { log, .. }) = &mut report {
                    // What the final record says of the log is in the log.
                    *log = driver.keep.close(LOG_PATIENCE).await;
                }
                driver.later.extend(report);
            }
            Woken::SupervisorGone => return,
            Woken::Holder(Ok((event, descriptors))) => {
                let report = driver.holder_told(event, descriptors);
                // Before what was found out while it was taken in.
                if let Some(report) = report {
                    driver.later.push_front(report);
                }
            }
            Woken::Holder(Err(error)) => driver.link_lost(&error),
            Woken::Readable => {
                let before = driver.printed_bytes;
                // There is more, or nothing came of what looked readable: let others have their turn first, so that no descriptor can
                // hold a thread.
                if !driver.take_in(TURN) || driver.printed_bytes == before {
                    tokio::task::yield_now().await;
                }
            }
            Woken::Writable(hung_up) => {
                driver.write_input();
                if let (true, Some(sink)) = (hung_up, &mut driver.sink) {
                    sink.give_up();
                }
            }
            Woken::Due => driver.do_what_is_due(),
        }
        driver.rest_if_idle();
    }
}

impl Driver {
    async fn spawn(&mut self) -> Result<(), Failure> {
        let mut link = Link::open(&self.setup.holders).await?;
        let request = Request::Spawn(Box::new(self.setup.spawn_request()));
        let keepsakes = self.make_keepsakes()?;
        if let Err(error) = link.send_with(&request, keepsakes) {
            // A fork server that has no holder to give says why, and closes the link.
            if let Some(Event::SpawnFailed { stage, errno }) = link.last_word() {
                return Err(self.why_not_spawned(stage, errno).0);
            }
            let message = format!("the run could not be started: {}", with_sources(&error));
            return Err(Failure::new(ErrorCode::SpawnFailed, message));
        }
        self.link = Some(link);
        Ok(())
    }

    /// Takes the descriptors of the run over.
    pub(super) fn take_descriptors(&mut self, descriptors: Vec<OwnedFd>) -> std::io::Result<()> {
        let mut descriptors = descriptors.into_iter();
        let mut spools =
            self.kept.as_mut().map(|kept| std::mem::take(&mut kept.spools)).unwrap_or_default().into_iter();
        let missing = || std::io::Error::other("the holder sent too few descriptors");
        match self.setup.mode {
            Mode::Pty => {
                let master = Arc::new(descriptors.next().ok_or_else(missing)?);
                let watched = Watched::with_interest(Arc::clone(&master), Interest::READABLE)?;
                self.sources = vec![Source::new(watched, Pipe::Stdout, spools.next())];
                self.sink = Some(Sink::new(master, Vec::new(), false));
            }
            Mode::Pipes => {
                for pipe in [Pipe::Stdout, Pipe::Stderr] {
                    let end = descriptors.next().ok_or_else(missing)?;
                    self.sources.push(Source::new(
                        Watched::with_interest(end, Interest::READABLE)?,
                        pipe,
                        spools.next(),
                    ));
                }
                if self.kept.is_some() {
                    self.take_kept_input(descriptors.next())?;
                } else if let StdinSpec::Payload(payload) = std::mem::take(&mut self.setup.stdin) {
                    let end = descriptors.next().ok_or_else(missing)?;
                    let is_empty = payload.is_empty();
                    self.sink = (!is_empty).then(|| Sink::new(Arc::new(end), payload, true));
                }
            }
        }
        Ok(())
    }

    async fn wait(&mut self, orders: &mut Orders) -> Woken {
        let due = self.dues().into_iter().flatten().min();
        let link = &mut self.link;
        let sources = &self.sources;
        let sink = self.sink.as_ref().filter(|sink| sink.is_waiting());
        let keep = &self.keep;
        tokio::select! {
            // Commands first: a cut waits for no flood.
            biased;
            command = orders.next() => command.map_or(Woken::SupervisorGone, Woken::Command),
            event = async { match link { Some(link) => link.next().await, None => std::future::pending().await } } => Woken::Holder(event),
            hung_up = async { match sink { Some(sink) => sink.writable().await, None => std::future::pending().await } } => Woken::Writable(hung_up),
            () = sleep_until(due) => Woken::Due,
            // A disk that is slower than the run holds the run up, and nothing else.
            () = async { keep.room().await; any_readable(sources).await } => Woken::Readable,
        }
    }

    /// Returns when frame, news of activity, flush, log and look are due. One timer waits for the first: each costs a little at every turn of the loop.
    fn dues(&self) -> [Option<Instant>; 5] {
        let keep = &self.keep;
        [self.viewers.pace.due(), self.activity.due(), keep.flush_due(), keep.log_due(), self.needs.due()]
    }

    fn do_what_is_due(&mut self) {
        let now = Instant::now();
        let [frame, activity, flush, log, look] = self.dues().map(|due| due.is_some_and(|due| due <= now));
        if frame {
            self.show_due_frame();
        }
        if activity {
            self.note_activity();
        }
        if flush {
            self.flush();
        }
        if log {
            self.keep.pass_on_to_log();
        }
        if look {
            self.look_for_need();
        }
    }

    /// Takes output in, up to a budget a source. Returns whether all of it was taken in.
    pub(super) fn take_in(&mut self, budget: Budget) -> bool {
        let (collector, live, printed) = (&mut self.collector, &mut self.live, &mut self.printed_bytes);
        let keep = &mut self.keep;
        let before = *printed;
        let mut dry = true;
        for source in &mut self.sources {
            dry &= source.take_in(budget, |pipe, bytes| {
                *printed += bytes.len() as u64;
                keep.admit(collector, pipe, bytes);
                if let Some(live) = live {
                    live.pass_on(pipe, bytes);
                }
            });
        }
        if self.printed_bytes != before {
            self.last_output = Moment::from_boot(clock::boot_now());
            self.answer_queries();
            self.viewers.changed(&mut self.collector);
            self.note_activity();
            self.printed_something();
            self.keep.changed(&self.collector);
            self.later.extend(self.keep.log_news());
            self.forget_settled(false);
        }
        if !self.output_ended && !self.sources.is_empty() && self.sources.iter().all(|source| source.ended) {
            self.output_ended = true;
            self.later.push_back(Report::OutputEnded);
        }
        dry
    }

    /// Takes in what the kernel holds, so that what follows is exact.
    pub(super) fn take_in_for_cut(&mut self) {
        self.take_in(ALL);
    }

    /// Writes what the screen answers to the program's queries.
    pub(super) fn answer_queries(&mut self) {
        let Collector::Pty(screen) = &mut self.collector else { return };
        let answers = match screen.take_replies() {
            Ok(answers) => answers,
            Err(overflow) => {
                let failure = Failure::new(ErrorCode::Broken, overflow.to_string());
                self.later.push_back(Report::Broke(failure));
                return;
            }
        };
        if answers.is_empty() {
            return;
        }
        self.count(|counters, printed| counters.answered = printed);
        let queued = self.sink.as_mut().is_none_or(|sink| sink.queue(&answers));
        if !queued {
            let message = "the program asks its terminal again and again and does not read the answers";
            self.later.push_back(Report::Broke(Failure::new(ErrorCode::Broken, message)));
        }
        self.write_input();
    }

    /// Writes what waits to be typed, as far as the kernel takes it.
    pub(super) fn write_input(&mut self) {
        let Some(sink) = &mut self.sink else { return };
        let (written, of_use) = sink.write_now();
        self.typed_bytes += written;
        // What was not taken of a payload is told at the end; a terminal that takes nothing any more is about to end.
        if !of_use && !sink.has_undelivered() {
            self.sink = None;
            self.input_ended();
        }
    }

    fn show_due_frame(&mut self) {
        if self.viewers.are_there() {
            self.viewers.show(self.collector.frame());
        }
    }

    /// Gives up the memory of a screen that nothing happens on and nobody watches.
    fn rest_if_idle(&mut self) {
        if self.needs.due().is_none() && self.keep.flush_due().is_none() && !self.viewers.are_there() {
            heap::freed(self.collector.rest());
        }
    }

    fn note_activity(&mut self) {
        self.said.hear(&mut self.collector);
        let now = self.activity_now();
        if let Some(activity) = self.activity.note(now) {
            self.later.push_back(Report::Active(activity, self.said.take()));
        }
    }

    /// Sends the newest output to the record, and news of the log.
    pub(super) fn flush(&mut self) {
        // Held meanwhile: the next frame of the viewers shares its rows with the one that the snapshot looks at.
        let shown = self.viewers.are_there().then(|| self.collector.frame());
        self.later.extend(self.keep.snapshot(&mut self.collector));
        if let Some(frame) = shown {
            self.viewers.keep(frame);
        }
        self.later.extend(self.keep.log_news());
        self.forget_settled(true);
    }

    fn activity_now(&self) -> Activity {
        Activity {
            output: self.collector.generation(),
            bells: self.collector.bells(),
            progress: self.collector.progress(),
        }
    }

    fn link_lost(&mut self, error: &LinkError) {
        self.link = None;
        self.refuse_signals(ErrorCode::HolderLost, "the holder of this run is gone");
        if self.finished {
            return;
        }
        let mut message = format!("the holder of this run is gone ({})", with_sources(error));
        if let Some(pid) = self.root_pid {
            let alive = crate::sys::proc::stat(pid).is_ok_and(|stat| !stat.is_over());
            message.push_str(&match alive {
                true => format!("; its process {pid} is still alive"),
                false => format!("; its process {pid} is gone"),
            });
        }
        self.later.push_back(Report::HolderLost(Failure::new(ErrorCode::HolderLost, message)));
    }

    fn refuse_signals(&mut self, code: ErrorCode, why: &str) {
        for answer in self.signals.drain(..) {
            answer.send(Err(Failure::new(code, why)));
        }
    }

    /// Takes the last snapshot, closes everything, lets the holder go.
    pub(super) fn finish(&mut self) -> Report {
        self.take_in(ALL);
        let payload_undelivered =
            self.sink.as_ref().is_some_and(|sink| sink.has_undelivered()) && self.setup.mode == Mode::Pipes;
        self.sources.clear();
        self.sink = None;
        self.live = None;
        if self.kept.is_none() {
            self.ask_holder(&Request::LetGo);
            self.link = None;
        }
        self.finished = true;
        // The holder answers nothing more.
        self.refuse_signals(ErrorCode::ControlClosed, "the run has ended");
        if self.viewers.are_there() {
            self.viewers.show(self.collector.frame());
        }
        self.viewers.end();
        let output = Box::new(self.keep.finish(&mut self.collector));
        self.said.hear(&mut self.collector);
        let (activity, said, log) = (self.activity_now(), self.said.take(), self.keep.facts());
        Report::Finished { output, payload_undelivered, activity, said, log }
    }
}

async fn sleep_until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

async fn any_readable(sources: &[Source]) {
    match sources {
        [] => std::future::pending().await,
        [only] => only.readable().await,
        [first, second, ..] => tokio::select! {
            () = first.readable() => {}
            () = second.readable() => {}
        },
    }
}
