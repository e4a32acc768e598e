//! What a driver does when it is told to, and what it makes of the holder's events.

use std::os::fd::OwnedFd;
use std::time::Duration;

use super::facts;
use super::port::{Command, Report};
use super::task::Driver;
use crate::api::{Answer, ByteCounts, Inspection, Reading, RunView, SignalTarget};
use crate::holder::{self, Event, FirstStep, Request, SpawnStage, WhyLeft};
use crate::launch;
use crate::model::run::Exit;
use crate::model::{EndedTree, ErrorCode, Failure, ProcessIdentity, StillAlive};
use crate::sys::proc;
use crate::sys::wait::ExitKind;

/// How many signals may wait for the holder's answer. It answers within a millisecond: only one that was stopped from outside lets so
/// many gather.
const MAX_WAITING_SIGNALS: usize = 64;

impl Driver {
    /// Carries a command out; returns what is to be reported.
    pub(super) fn carry_out(&mut self, command: Command) -> Option<Report> {
        match command {
            Command::Control(control, is_noted, answer) => return self.cut(control, is_noted, answer),
            Command::StopCut(epoch) => {
                self.take_in_for_cut();
                return Some(Report::StopCut(epoch));
            }
            Command::EndTree { kill } => {
                let request = self.end_request(kill);
                self.ask_holder(&request);
            }
            Command::Hurry => self.ask_holder(&Request::Hurry),
            Command::AbortSpawn => {
                let first = FirstStep::Signals(vec![libc::SIGKILL]);
                self.ask_holder(&Request::EndTree { first, grace: Duration::ZERO });
            }
            Command::AskLastOutput(epoch) => return Some(Report::LastOutput(epoch, self.last_output)),
            Command::Signal(signo, target, answer) => self.signal(signo, target, answer),
            Command::Read { limit_bytes, record, mut note, answer } => {
                self.take_in_for_cut();
                let goes_on = !self.finished;
                let parts = self.collector.read(self.keep.redaction().redactor(), limit_bytes, goes_on);
                if let Some(note) = &mut note {
                    self.typed.tell(note, self.keep.redaction());
                }
                answer.send(Ok(Reading { record, parts, note }));
                // What was read is on record from then on (S6.1).
                if goes_on {
                    self.flush();
                }
            }
            Command::Inspect(view, answer) => answer.send(Ok(self.inspect(*view))),
            Command::History { first, count, answer } => {
                answer.send(Ok(self.collector.rows_above(first, count)));
            }
            Command::Watch(view, answer) => {
                self.collector.look(view.size);
                let frame = self.collector.frame();
                let watch = self.viewers.join(frame);
                if self.finished {
                    self.viewers.end();
                }
                answer.send(Ok(watch));
            }
            Command::Flushed => self.keep.flushed(&self.collector),
            Command::Note(word) => self.note(&word),
            Command::Finish => return Some(self.finish()),
            Command::LetGo => self.let_go(),
        }
        None
    }

    /// Returns what the holder is asked to end the tree with.
    fn end_request(&self, kill: bool) -> Request {
        if kill {
            return Request::EndTree { first: FirstStep::Signals(vec![libc::SIGKILL]), grace: Duration::ZERO };
        }
        let stop = &self.setup.stop;
        let by_command = stop.command.as_ref().and_then(|line| {
            // A stop command that cannot be run is no reason not to stop: the signals follow in its place.
            launch::stop_command(line, &self.setup.resolved, self.root_pid?).ok()
        });
        let first = match by_command {
            Some(command) => FirstStep::Command(holder::StopCommand {
                program: command.program.into_os_string(),
                argv: command.argv,
                env: command.env,
                cwd: command.cwd.into_os_string(),
            }),
            None => FirstStep::Signals(stop.signal.into_iter().collect()),
        };
        Request::EndTree { first, grace: stop.grace }
    }

    fn signal(&mut self, signo: i32, target: SignalTarget, answer: Answer<u32>) {
        let target = match target {
            SignalTarget::Root => holder::SignalTarget::Root,
            SignalTarget::Group => holder::SignalTarget::Group,
            SignalTarget::Foreground => holder::SignalTarget::Foreground,
            SignalTarget::Tree => holder::SignalTarget::Tree,
        };
        if self.link.is_none() || self.root_exited {
            answer.send(Err(Failure::new(ErrorCode::ControlClosed, "the run has ended")));
            return;
        }
        if self.signals.len() >= MAX_WAITING_SIGNALS {
            let message = format!("{MAX_WAITING_SIGNALS} signals to this run are waiting for its holder already");
            answer.send(Err(Failure::new(ErrorCode::Busy, message)));
            return;
        }
        self.signals.push_back(answer);
        self.ask_holder(&Request::Signal { signo, target });
    }

    /// Sends a request to the holder. That it is gone is told by the link itself.
    pub(super) fn ask_holder(&mut self, request: &Request) {
        if let Some(link) = &mut self.link
            && let Err(error) = link.send(request)
        {
            tracing::warn!(%error, "a request did not reach the holder");
        }
    }

    fn inspect(&self, view: RunView) -> Inspection {
        let holder_pid = self.holder_pid.filter(|_| self.link.is_some());
        let mut processes = holder_pid.map(facts::tree).unwrap_or_default();
        for process in &mut processes {
            self.keep.redaction().text(&mut process.name, false);
        }
        let (output, error) = self.collector.printed_bytes().unwrap_or((self.printed_bytes, 0));
        Inspection {
            view,
            processes,
            bytes: ByteCounts { input: self.typed_bytes, output, error },
            holder_pid,
            cuts: self.cuts,
        }
    }

    /// Takes an event of the holder in; returns what is to be reported.
    pub(super) fn holder_told(&mut self, event: Event, descriptors: Vec<OwnedFd>) -> Option<Report> {
        match event {
            Event::Spawned { pid, start_ticks } => {
                self.setup.forget_environment();
                self.root_pid = Some(pid);
                self.holder_pid = facts::parent(pid);
                if let Err(error) = self.take_descriptors(descriptors) {
                    let message = format!("the run's descriptors cannot be watched: {error}");
                    self.later.push_back(Report::Broke(Failure::new(ErrorCode::Broken, message)));
                }
                // A payload.
                self.write_input();
                let boot_id = proc::boot_id().unwrap_or_default();
                Some(Report::Spawned(ProcessIdentity { pid, start_ticks, boot_id }))
            }
            Event::SpawnFailed { stage, errno } => {
                let (failure, code) = self.why_not_spawned(stage, errno);
                Some(Report::SpawnFailed(failure, code))
            }
            Event::RootExited { how } => {
                self.root_exited = true;
                Some(Report::Exited(match how {
                    ExitKind::Code(code) => Exit::Code(code),
                    ExitKind::Signal { signo, .. } => Exit::Signal(signo),
                }))
            }
            Event::TreeEmpty => Some(Report::TreeEmpty),
            Event::Signalled { reached, refused, errno } => {
                if let Some(answer) = self.signals.pop_front() {
                    answer.send(signalled(reached, refused, errno));
                }
                None
            }
            Event::FirstSignalSent { .. } => Some(Report::Signalled),
            Event::TreeEnded { signalled, killed, left } => {
                let left = left.iter().map(|left| StillAlive { pid: left.pid, why: why_left(left.why).to_owned() });
                Some(Report::TreeEnded(EndedTree { signalled, killed, left: left.collect() }))
            }
            // The first comes before there is a driver, the other is never asked for.
            Event::Hello(_) | Event::Members { .. } => None,
        }
    }

    pub(super) fn why_not_spawned(&self, stage: SpawnStage, errno: i32) -> (Failure, Option<i32>) {
        let error = std::io::Error::from_raw_os_error(errno);
        let failed = |what: &str| {
            let message = format!("the run could not be started: {what}: {error}");
            (Failure::new(ErrorCode::SpawnFailed, message), None)
        };
        match stage {
            SpawnStage::Exec | SpawnStage::Interpreter => {
                let code = if errno == libc::ENOENT { 127 } else { 126 };
                (launch::exec_failure(&self.setup.resolved, errno), Some(code))
            }
            SpawnStage::Cwd => {
                let message = format!("working directory {:?} cannot be entered: {error}", self.setup.resolved.cwd);
                (Failure::new(ErrorCode::ExecFailed, message), Some(126))
            }
            SpawnStage::Fork => failed("no process could be made"),
            SpawnStage::Pty => failed("no terminal could be opened"),
            SpawnStage::Pipe => failed("no pipe could be opened"),
            SpawnStage::Prepare => failed("its process could not be prepared"),
        }
    }
}

fn signalled(reached: u32, refused: u32, errno: i32) -> Result<u32, Failure> {
    if reached == 0 && refused > 0 {
        let error = std::io::Error::from_raw_os_error(errno);
        return Err(Failure::new(ErrorCode::Unsupported, format!("the signal could not be sent: {error}")));
    }
    Ok(reached)
}

fn why_left(why: WhyLeft) -> &'static str {
    match why {
        WhyLeft::NotPermitted => "it runs as another user and may not be signalled",
        WhyLeft::Uninterruptible => "it waits in the kernel and cannot be interrupted",
        WhyLeft::StillThere => "it was killed and is still there",
    }
}
