//! The holder: one loop over its link, its children and the clock; nothing wakes it without a cause.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::sys::clock::boot_now;
use crate::sys::fork::{self, SingleThreaded};
use crate::sys::signals::ChildNews;
use crate::sys::wait::{self, ExitKind, Look, Whose};
use crate::sys::{fd, heap, proc};

use super::cgroup::CgroupParent;
use super::descriptors::Descriptors;
use super::error::LinkError;
use super::event::{Event, Member, SpawnStage};
use super::frames::Frames;
use super::kept::Kept;
use super::ladder::{Ladder, Step};
use super::launch::{self, Ends, Failure, Launched, Outcome, Program};
use super::request::{FirstStep, OnLost, Request, Spawn, StopCommand};
use super::signalling;
use super::tree::Tree;

/// The name of a holder in `ps`.
const NAME: &std::ffi::CStr = c"shtask-hold";

/// Above this many unsent bytes no further request is read: the driver has to take its answers first.
const MAX_UNSENT_BYTES: usize = 1 << 20;

/// What a driver that asked for no signals gets.
const SIGNALS_FOR_PIPES: [i32; 1] = [libc::SIGTERM];
/// Shells shrug off TERM, and hang up on HUP.
const SIGNALS_FOR_PTY: [i32; 2] = [libc::SIGTERM, libc::SIGHUP];

/// The parent of one run.
pub(super) struct Holder<'server> {
    alone: &'server SingleThreaded,
    cgroups: Option<&'server CgroupParent>,
    /// `None` once the driver is gone.
    pub(super) link: Option<Frames>,
    news: ChildNews,
    pub(super) tree: Tree,
    pub(super) spawning: Option<Spawning>,
    pub(super) terminal: Option<OwnedFd>,
    /// The command's end of its terminal, kept while the root lives: a program that closes its terminal for a while and opens
    /// `/dev/tty` later does not end it for its driver.
    terminal_end: Option<OwnedFd>,
    /// The holder's own duplicates of the pipes' read ends: as long as they are open no writer gets SIGPIPE.
    pub(super) pipes: Vec<OwnedFd>,
    pub(super) exited: Option<ExitKind>,
    pub(super) told_empty: bool,
    pub(super) on_lost: OnLost,
    pub(super) stop: Option<Stop>,
    pub(super) leave: bool,
    /// For the server after the one that started the run.
    pub(super) kept: Kept,
}

/// A command on its way to its exec, and what its driver gets then.
pub(super) struct Spawning {
    launched: Launched,
    descriptors: Vec<OwnedFd>,
}

pub(super) struct Stop {
    ladder: Ladder,
    due: Duration,
}

/// Runs a holder on its end of a link until it is let go, or nothing is left to hold.
///
/// # Errors
///
/// The process could not be made ready: no session, no subreaper, no descriptor.
pub(super) fn hold(socket: OwnedFd, alone: &SingleThreaded, cgroups: Option<&CgroupParent>) -> io::Result<()> {
    fork::new_session()?;
    fork::become_subreaper()?;
    fork::set_name(NAME)?;
    let driver = fork::peer_pid(&socket).ok();
    let mut holder = Holder {
        alone,
        cgroups,
        link: Some(Frames::new(socket)),
        news: ChildNews::open()?,
        tree: Tree::new(driver),
        spawning: None,
        terminal: None,
        terminal_end: None,
        pipes: Vec::new(),
        exited: None,
        told_empty: false,
        on_lost: OnLost::End { grace: Duration::ZERO },
        stop: None,
        leave: false,
        kept: Kept::default(),
    };
    while !holder.leave {
        holder.wait_and_serve()?;
    }
    holder.let_go();
    Ok(())
}

impl Holder<'_> {
    fn wait_and_serve(&mut self) -> io::Result<()> {
        let (link, children, exec) = self.wait()?;
        if children {
            self.news.drain();
        }
        // The exec's outcome goes before the end of what was executed.
        if exec || children {
            self.look_at_spawning();
        }
        if children {
            self.look_at_children();
        }
        match &self.link {
            Some(_) if link => self.serve_link(),
            None if link => self.take_next_server(),
            Some(_) | None => {}
        }
        if self.stop.as_ref().is_some_and(|stop| stop.due <= boot_now()) {
            self.climb();
        }
        self.flush();
        Ok(())
    }

    fn wait(&self) -> io::Result<(bool, bool, bool)> {
        let rest = self.kept.rest();
        let due = self.stop.as_ref().map(|stop| stop.due).into_iter().chain(rest).min();
        let timeout = due.map(|due| {
            let left = due.saturating_sub(boot_now());
            Timespec {
                tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: i64::from(left.subsec_nanos()),
            }
        });
        let mut fds = vec![PollFd::new(&self.news, PollFlags::IN)];
        if let Some(spawning) = &self.spawning {
            fds.push(PollFd::new(&spawning.launched, PollFlags::IN));
        }
        if let Some(link) = &self.link {
            let mut wanted = PollFlags::empty();
            if link.queued_bytes() > 0 {
                wanted |= PollFlags::OUT;
            }
            if link.queued_bytes() <= MAX_UNSENT_BYTES {
                wanted |= PollFlags::IN;
            }
            fds.push(PollFd::new(&**link.socket(), wanted));
        } else if let (Some(listener), None) = (self.kept.listener(), rest) {
            // One server at a time: the next one is taken only when the link to the last is closed.
            fds.push(PollFd::new(listener, PollFlags::IN));
        }
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let ready = |index: usize| fds.get(index).is_some_and(|fd| !fd.revents().is_empty());
        let exec = self.spawning.is_some();
        Ok((ready(1 + usize::from(exec)), ready(0), exec && ready(1)))
    }

    fn serve_link(&mut self) {
        while let Some(link) = self.link.as_mut()
            && link.queued_bytes() <= MAX_UNSENT_BYTES
            && !self.leave
        {
            match link.receive() {
                Ok(Some(frame)) => match Request::decode(&frame) {
                    Ok(request) => {
                        drop(frame);
                        self.serve(request);
                    }
                    Err(_) => return self.lose_link(),
                },
                Ok(None) => return,
                Err(_) => return self.lose_link(),
            }
        }
    }

    fn serve(&mut self, request: Request) {
        match request {
            Request::Spawn(spawn) => {
                if let Err(failure) = self.spawn(*spawn) {
                    self.abandon_spawn(failure);
                }
                // A start may bring megabytes of arguments, which nobody needs again.
                heap::give_back();
            }
            Request::Signal { signo, target } => {
                let event =
                    signalling::deliver(signo, target, &mut self.tree, self.exited.is_some(), self.terminal.as_ref());
                self.tell(&event);
            }
            Request::EndTree { first, grace } => self.end_tree(first, grace),
            Request::Hurry => {
                if let Some(stop) = &mut self.stop {
                    stop.ladder.hurry();
                    stop.due = boot_now();
                }
            }
            Request::Tree => {
                let members = self.tree.list(false).into_iter().map(|stat| Member {
                    pid: stat.pid,
                    ppid: stat.ppid,
                    start_ticks: stat.start_ticks,
                    state: stat.state,
                    comm: stat.comm,
                });
                let event = Event::Members { members: members.collect() };
                self.tell(&event);
            }
            Request::CloseInput => self.kept.input = None,
            Request::LetGo => self.leave = true,
        }
    }

    fn spawn(&mut self, spawn: Spawn) -> Result<(), Failure> {
        if self.tree.root.is_some() {
            return Err(Failure { stage: SpawnStage::Prepare, errno: libc::EBUSY });
        }
        self.on_lost = spawn.on_lost;
        self.tree.mark(&spawn.marker);
        if spawn.on_lost == OnLost::Keep {
            let came = self.link.as_mut().map(Frames::take_descriptors).unwrap_or_default();
            self.kept.take(came, spawn.marker.clone());
        }
        let descriptors = Descriptors::open(spawn.io)?;
        if let (OnLost::Keep, Some(input)) = (spawn.on_lost, descriptors.input()) {
            let at = |error: io::Error| Failure::new(SpawnStage::Pipe, &error);
            self.kept.input = Some(fd::duplicate(input).map_err(at)?);
        }
        self.tree.cgroup = self.cgroups.and_then(|cgroups| cgroups.make(i32::try_from(std::process::id()).ok()?).ok());
        let program = Program { program: spawn.program, argv: spawn.argv, env: spawn.env, cwd: spawn.cwd };
        let cgroup = self.tree.cgroup.as_ref();
        let launched =
            launch::launch(self.alone, &program, &descriptors.ends, cgroup.map(super::cgroup::Cgroup::directory))?;
        self.tree.root = Some(launched.pid);
        self.terminal = descriptors.terminal;
        self.terminal_end = match descriptors.ends {
            Ends::Terminal(end) => Some(end),
            Ends::Separate(_) => None,
        };
        self.pipes = descriptors.pipes;
        self.spawning = Some(Spawning { launched, descriptors: descriptors.driver });
        Ok(())
    }

    fn look_at_spawning(&mut self) {
        let Some(spawning) = self.spawning.take() else {
            return;
        };
        match spawning.launched.outcome() {
            Outcome::Pending => self.spawning = Some(spawning),
            Outcome::Failed(failure) => {
                // Its zombie is nobody's root now and is reaped with the strangers.
                self.tree.root = None;
                self.terminal = None;
                self.terminal_end = None;
                self.pipes.clear();
                self.abandon_spawn(failure);
                self.look_at_children();
            }
            Outcome::Ran => {
                let pid = spawning.launched.pid;
                // The child is there until it is reaped, so this fails only without `/proc`.
                let start_ticks = proc::start_ticks(pid).unwrap_or(0);
                self.kept.start_ticks = start_ticks;
                self.tell_with(&Event::Spawned { pid, start_ticks }, spawning.descriptors);
                self.look_at_children();
            }
        }
    }

    fn abandon_spawn(&mut self, failure: Failure) {
        self.kept.failure = Some(failure);
        self.kept.input = None;
        self.tell(&Event::SpawnFailed { stage: failure.stage, errno: failure.errno });
    }

    fn look_at_children(&mut self) {
        if self.spawning.is_none()
            && self.exited.is_none()
            && let Some(root) = self.tree.root
            && let Ok(Look::Ended(ended)) = wait::peek(Whose::Pid(root))
        {
            self.exited = Some(ended.how);
            // From here on the terminal ends when the last of the tree closes it.
            self.terminal_end = None;
            self.tell(&Event::RootExited { how: ended.how });
        }
        self.look_at_stop_command();
        self.tree.reap_strangers();
        if self.tree.has_living_child() {
            return;
        }
        if self.exited.is_some() && !std::mem::replace(&mut self.told_empty, true) {
            self.tell(&Event::TreeEmpty);
        }
        match &mut self.stop {
            Some(stop) => stop.due = Duration::ZERO,
            None => self.leave |= self.is_abandoned(),
        }
    }

    fn look_at_stop_command(&mut self) {
        let Some(command) = self.tree.stop_command else {
            return;
        };
        let failed = match wait::reap(Whose::Pid(command)) {
            Ok(Look::Alive) => return,
            Ok(Look::Ended(ended)) => ended.how != ExitKind::Code(0),
            Ok(Look::None) | Err(_) => true,
        };
        self.tree.stop_command = None;
        let signals = self.default_signals();
        if let Some(stop) = &mut self.stop {
            if failed {
                stop.ladder.fall_back(signals);
            }
            stop.due = Duration::ZERO;
        }
    }

    pub(super) fn end_tree(&mut self, first: FirstStep, grace: Duration) {
        if self.stop.is_some() {
            return;
        }
        let signals = match first {
            FirstStep::Signals(signals) if signals.is_empty() => self.default_signals(),
            FirstStep::Signals(signals) => signals,
            FirstStep::Command(command) => match self.run_stop_command(command) {
                Ok(pid) => {
                    self.tree.stop_command = Some(pid);
                    Vec::new()
                }
                Err(_) => self.default_signals(),
            },
        };
        let now = boot_now();
        (self.kept.has_begun, self.kept.ended) = (false, None);
        self.stop = Some(Stop { ladder: Ladder::new(signals, now, grace), due: now });
    }

    fn run_stop_command(&self, command: StopCommand) -> Result<i32, Failure> {
        let null = || fd::null().map_err(|error| Failure::new(SpawnStage::Pipe, &error));
        let program = Program { program: command.program, argv: command.argv, env: command.env, cwd: command.cwd };
        let ends = Ends::Separate([null()?, null()?, null()?]);
        // An exec that fails shows as exit code 127 and is treated as any failure of the command.
        Ok(launch::launch(self.alone, &program, &ends, None)?.pid)
    }

    fn climb(&mut self) {
        let Some(mut stop) = self.stop.take() else {
            return;
        };
        let step = stop.ladder.step(boot_now(), &mut self.tree);
        if let Some(signalled) = stop.ladder.take_beginning() {
            self.kept.has_begun = true;
            self.tell(&Event::FirstSignalSent { signalled });
        }
        match step {
            Step::Wait(due) => {
                stop.due = due;
                self.stop = Some(stop);
            }
            Step::Over(report) => {
                // The root's end belongs before the end of the tree.
                self.look_at_spawning();
                self.look_at_children();
                self.kept.ended = Some((report.signalled, report.killed, report.left.clone()));
                self.tell(&Event::TreeEnded { signalled: report.signalled, killed: report.killed, left: report.left });
                self.leave |= self.is_abandoned();
            }
        }
    }

    fn default_signals(&self) -> Vec<i32> {
        if self.terminal.is_some() { SIGNALS_FOR_PTY.to_vec() } else { SIGNALS_FOR_PIPES.to_vec() }
    }

    pub(super) fn tell(&mut self, event: &Event) {
        self.tell_with(event, Vec::new());
    }

    pub(super) fn tell_with(&mut self, event: &Event, descriptors: Vec<OwnedFd>) {
        if let Some(link) = &mut self.link {
            // Too large it cannot be: lists are bounded by what a machine has of processes.
            let _ = link.queue(&event.encode(), descriptors);
        }
    }

    fn flush(&mut self) {
        match self.link.as_mut().map(Frames::flush) {
            None | Some(Ok(_)) => {}
            Some(Err(LinkError::Closed | LinkError::Io(_))) => self.lose_link(),
            Some(Err(LinkError::TooLarge { .. } | LinkError::Malformed { .. })) => {}
        }
    }

    /// Reaps the root and closes the link, which is the answer; all else goes with the process.
    fn let_go(&mut self) {
        if let Some(root) = self.tree.root.take() {
            let _ = wait::reap(Whose::Pid(root));
        }
        self.tree.reap_strangers();
        // Nobody finds it any more when the answer is there.
        self.kept = Kept::default();
        self.link = None;
    }
}
