//! Going on with a run of a program that is gone (S7.4, docs/design/adoption.md).
//!
//! What is known comes from three places: the holder has the descriptors and the exit; the raw log has all output that was settled in it; the
//! spools have what was taken from the kernel after that. Together they have every byte once.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

use super::kept::{Counters, Kept, Notes};
use super::link::Link;
use super::port::Report;
use super::task::Driver;
use super::view::Collector;
use crate::holder::{Event, FirstStep, Hello, HolderSockets, LinkError, PROTOCOL, Request, StartState, StopState};
use crate::model::{ErrorCode, Failure, Mode, RunId, Size, with_sources};
use crate::redact::Redactor;
use crate::store::log::{LogError, LogEvent, LogReader, LogStream, Rest, line_ends};
use crate::sys::{fd, hooks, tty};
use crate::tail::Pipe;

/// How much of the log a collector is made from again at least, in whole segments: as much as is kept of pipes, and mostly more than is kept of a
/// screen and its scrollback.
const REPLAYED_BYTES: u64 = 1024 * 1024;

/// How long a holder may take to answer. It does at once, but after a server that is still being killed.
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);

/// How long between two attempts to meet a holder.
const MEET_PAUSE: Duration = Duration::from_millis(50);

/// How much of a spool is gone through in one step.
const STEP_BYTES: usize = 64 * 1024;

/// A run that another program started, as its holder has given it.
#[derive(Debug)]
pub struct TakenUp {
    link: Link,
    hello: Hello,
    descriptors: Vec<OwnedFd>,
    keepsakes: Vec<OwnedFd>,
    words: Vec<Vec<u8>>,
    /// The folder of all logs.
    logs: PathBuf,
}

/// How long the tree of a run may take to end when it is killed.
const END_TIMEOUT: Duration = Duration::from_secs(10);

/// Why a run was not taken up.
enum Missed {
    /// Another attempt may do it.
    ForNow(String),
    ForGood(String),
}

/// Takes a run up from its holder; none when nobody listens there any more. Its screen is made again from its log in the folder `logs`. What
/// may pass, such as too many open files or a link that is closed, is tried again for five seconds in all.
///
/// # Errors
/// The holder does not answer, or speaks a version that this program does not know; then it is left alone.
///
/// # Cancel safety
/// The holder waits for another server when it is dropped.
pub async fn take_up(sockets: &HolderSockets, logs: &Path, run: RunId) -> Result<Option<TakenUp>, Failure> {
    let until = Instant::now() + HELLO_TIMEOUT;
    loop {
        let why = match meet(sockets, logs, run, until).await {
            Ok(met) => return Ok(met),
            Err(Missed::ForNow(_)) if Instant::now() + MEET_PAUSE < until => {
                tokio::time::sleep(MEET_PAUSE).await;
                continue;
            }
            Err(Missed::ForNow(why) | Missed::ForGood(why)) => why,
        };
        let message = format!("the holder of run {} cannot be taken up: {why}", run.short());
        return Err(Failure::new(ErrorCode::HolderLost, message));
    }
}

async fn meet(sockets: &HolderSockets, logs: &Path, run: RunId, until: Instant) -> Result<Option<TakenUp>, Missed> {
    let for_good = |why: &str| Missed::ForGood(why.to_owned());
    let for_now = |error: std::io::Error| Missed::ForNow(error.to_string());
    let link = match sockets.connect(run) {
        Ok(Some(link)) => link,
        Ok(None) => return Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            return Err(Missed::ForGood(error.to_string()));
        }
        Err(error) => return Err(for_now(error)),
    };
    let mut link = Link::of(link).map_err(|failure| Missed::ForNow(failure.message))?;
    let first = match tokio::time::timeout_at(until, link.next()).await {
        Ok(Ok(first)) => first,
        // If it was let go just now, nobody listens the next time. Descriptors for which there was no room are given again.
        Ok(Err(error @ (LinkError::Closed | LinkError::Io(_)))) => return Err(Missed::ForNow(with_sources(&error))),
        Ok(Err(error @ (LinkError::Malformed { .. } | LinkError::TooLarge { .. }))) => {
            return Err(Missed::ForGood(with_sources(&error)));
        }
        Err(_) => return Err(Missed::ForNow("it does not answer".to_owned())),
    };
    let (Event::Hello(hello), mut descriptors) = first else { return Err(for_good("it says no hello")) };
    if hello.version != PROTOCOL {
        let why = format!("it speaks version {} and this shtask {PROTOCOL}", hello.version);
        return Err(Missed::ForGood(why));
    }
    if hello.marker != run.as_str() || descriptors.len() < usize::from(hello.descriptors) {
        return Err(for_good("it is the holder of another run"));
    }
    let keepsakes = descriptors.split_off(usize::from(hello.descriptors));
    let notes = keepsakes.first().ok_or_else(|| for_good("it has no notes"))?;
    let words = fd::duplicate(notes).and_then(|notes| Notes::take_up(notes)?.words()).map_err(for_now)?;
    hooks::pass("take.met");
    Ok(Some(TakenUp { link, hello: *hello, descriptors, keepsakes, words, logs: logs.to_owned() }))
}

/// Ends a kept run whose driver has failed: its holder would wait for the next server. Its tree is killed at once, its holder let go, and its
/// socket removed. Where nobody holds the run there is only the socket.
///
/// # Errors
/// The holder cannot be taken up, or its tree does not end in ten seconds; then it goes on with that by itself, and waits for the next server.
///
/// # Cancel safety
/// As that of [`take_up`]; what was asked of the holder goes on.
pub async fn end_lost(sockets: &HolderSockets, run: RunId) -> Result<(), Failure> {
    // Nobody goes on with it, so nothing is read from its log.
    let Some(mut found) = take_up(sockets, Path::new(""), run).await? else {
        let failed = |error: std::io::Error| Failure::new(ErrorCode::HolderLost, error.to_string());
        return sockets.remove(run).map_err(failed);
    };
    if !matches!(found.hello.stop, StopState::Ended { .. }) {
        let ending = tokio::time::timeout(END_TIMEOUT, found.end_tree()).await;
        let why = match ending {
            Ok(ended) => ended.err().map(|error| with_sources(&error)),
            Err(_) => Some("its tree does not end".to_owned()),
        };
        if let Some(why) = why {
            let message = format!("what is left of run {} cannot be ended: {why}", run.short());
            return Err(Failure::new(ErrorCode::HolderLost, message));
        }
    }
    found.let_go(sockets, run)
}

impl TakenUp {
    async fn end_tree(&mut self) -> Result<(), LinkError> {
        self.link.send(&Request::EndTree { first: FirstStep::Signals(Vec::new()), grace: Duration::ZERO })?;
        // One that is under way may have time left.
        self.link.send(&Request::Hurry)?;
        while !matches!(self.link.next().await?, (Event::TreeEnded { .. }, _)) {}
        Ok(())
    }

    /// Returns what the supervisor noted, the oldest first.
    pub fn words(&self) -> &[Vec<u8>] {
        &self.words
    }

    /// Returns how far its start and its end have come.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Lets the holder go: the final record of the run was durable when its server was killed. It ends what is left of the tree only where it
    /// had been told to.
    ///
    /// # Errors
    /// The holder did not take it, or its socket could not be removed.
    pub fn let_go(mut self, sockets: &HolderSockets, run: RunId) -> Result<(), Failure> {
        let failed =
            |error: String| Failure::new(ErrorCode::HolderLost, format!("a holder could not be let go: {error}"));
        self.link.send(&Request::LetGo).map_err(|error| failed(with_sources(&error)))?;
        sockets.remove(run).map_err(|error| failed(error.to_string()))
    }
}

impl Driver {
    /// Goes on with a run. The reports are those of a start, and of what has happened since.
    pub(super) async fn go_on(&mut self, taken_up: TakenUp) -> Result<(), Report> {
        let TakenUp { link, hello, descriptors, keepsakes, words: _, logs } = taken_up;
        self.link = Some(link);
        let continued = self.go_on_with_output(&descriptors, keepsakes, logs).await;
        match hello.start {
            StartState::Pending => {}
            StartState::Failed { stage, errno } => {
                let (failure, code) = self.why_not_spawned(stage, errno);
                return Err(Report::SpawnFailed(failure, code));
            }
            StartState::Spawned { pid, start_ticks } => {
                let spawned = self.holder_told(Event::Spawned { pid, start_ticks }, descriptors);
                // Before what was found out while it was taken in.
                spawned.into_iter().for_each(|report| self.later.push_front(report));
            }
        }
        if let Err(error) = continued {
            // A process that exists is ended for it, so it is told behind the start.
            let message = format!("the run's output cannot be gone on with: {error}");
            self.later.push_back(Report::Broke(Failure::new(ErrorCode::Broken, message)));
        }
        self.answer_queries();
        match hello.stop {
            StopState::UnderWay { has_begun: true } | StopState::Ended { .. } => {
                self.later.push_back(Report::Signalled)
            }
            StopState::None | StopState::UnderWay { has_begun: false } => {}
        }
        if let Some(how) = hello.exited {
            self.hear(Event::RootExited { how });
        }
        if hello.is_empty {
            self.hear(Event::TreeEmpty);
        }
        if let StopState::Ended { signalled, killed, left } = hello.stop {
            self.hear(Event::TreeEnded { signalled, killed, left });
        }
        hooks::pass("take.told");
        Ok(())
    }

    async fn go_on_with_output(
        &mut self,
        descriptors: &[OwnedFd],
        keepsakes: Vec<OwnedFd>,
        logs: PathBuf,
    ) -> std::io::Result<()> {
        let kept = Kept::take_up(self.setup.mode, keepsakes)?;
        let (counters, rests) = (kept.notes.counters, kept.notes.rests.clone());
        (self.cuts, self.typed_bytes) = (counters.cuts, counters.typed_bytes);
        if let (Mode::Pty, Some(master)) = (self.setup.mode, descriptors.first())
            && let Ok((cols, rows)) = tty::window_size(master)
        {
            self.size = Size::clamped(cols, rows);
        }
        self.kept = Some(kept);
        // A redacted log is gone on with from where nothing was held back; what it has beyond comes again with what is in the spool.
        let replayed = match &rests {
            None => Replayed { answered: counters.answered, ends: [u64::MAX; 2] },
            Some(rests) => Replayed { answered: u64::MAX, ends: [rests[0].logged, rests[1].logged] },
        };
        let lines = self.rebuild(logs, counters, replayed).await;
        self.taken_up();
        hooks::pass("take.rebuilt");
        self.bring_in_spools(counters, rests, lines)?;
        hooks::pass("take.logged");
        Ok(())
    }

    fn hear(&mut self, event: Event) {
        let report = self.holder_told(event, Vec::new());
        self.later.extend(report);
    }

    /// Makes the collector again from the log. Returns how many lines of each stream have ended in it, where that is known.
    async fn rebuild(&mut self, logs: PathBuf, counters: Counters, replayed: Replayed) -> Option<[u64; 2]> {
        let (mode, first_size, lines, run) =
            (self.setup.mode, self.setup.size, self.setup.scrollback_lines, self.setup.id);
        let size = self.size;
        let rebuilding = tokio::task::spawn_blocking(move || {
            let mut collector = Collector::new(mode, first_size, lines);
            let lines = match replay(&logs, run, &mut collector, counters, replayed) {
                Ok(lines) => lines,
                Err(LogError::None { .. }) => Some([0; 2]),
                // The run is worth more than the beginning of its screen.
                Err(error) => {
                    tracing::warn!(%run, %error, "the screen of a run could not be made again from its log");
                    None
                }
            };
            if let Collector::Pty(screen) = &mut collector {
                // What is in the log was told by the last server.
                screen.take_signals();
                screen.resize(size);
            }
            (collector, lines)
        });
        match rebuilding.await {
            Ok((collector, lines)) => {
                self.collector = collector;
                lines
            }
            Err(error) => {
                tracing::error!(%run, %error, "the screen of a run could not be made again");
                None
            }
        }
    }

    /// Brings what was taken from the kernel and is not in the log into both, and goes on with the log.
    fn bring_in_spools(
        &mut self,
        counters: Counters,
        rests: Option<[Rest; 2]>,
        lines: Option<[u64; 2]>,
    ) -> std::io::Result<()> {
        let (Some(kept), Some(log)) = (&self.kept, self.keep.log()) else {
            return Err(std::io::Error::other("the run has no log"));
        };
        let mut begins = match &rests {
            None => LogStream::BOTH.map(|stream| log.offset(stream)),
            Some([out, err]) => [out.came, err.came],
        };
        for (spool, begin) in kept.spools.iter().zip(&mut begins) {
            // What the log had lost is not here either.
            *begin = spool.begin(*begin)?;
        }
        let size = (self.setup.mode == Mode::Pty).then_some(self.size);
        let ends = match rests {
            None => begins,
            Some(rests) => {
                // Whatever the settings are by now, it was begun without secrets.
                let redactor = match self.setup.redaction.redactor() {
                    Some(redactor) => redactor.clone(),
                    None => Redactor::new(&[]).map_err(std::io::Error::other)?,
                };
                log.go_on_redacting(redactor, rests, begins)
            }
        };
        let redraw = self.collector.redraw(log.redactor());
        log.go_on(ends, lines, size, self.cuts, redraw);
        self.printed_bytes = begins.iter().sum();
        for (pipe, begin) in [Pipe::Stdout, Pipe::Stderr].into_iter().zip(begins) {
            let Some(spool) = kept.spools.get(pipe as usize) else { continue };
            let mut at = begin;
            while at < spool.taken() {
                let border = if at < counters.answered { counters.answered } else { spool.taken() };
                let wanted = usize::try_from(border.min(spool.taken()) - at).unwrap_or(usize::MAX).min(STEP_BYTES);
                let mut bytes = vec![0; wanted];
                let count = spool.read_again(&mut bytes, at)?;
                if count == 0 {
                    return Err(std::io::Error::other("a part of it is missing"));
                }
                self.keep.admit(&mut self.collector, pipe, &bytes[..count]);
                at += count as u64;
                self.printed_bytes += count as u64;
                if at <= counters.answered {
                    forget_answers(&mut self.collector);
                }
            }
        }
        self.keep.changed(&self.collector);
        Ok(())
    }
}

/// How much of a log a collector is made from.
#[derive(Debug, Clone, Copy)]
struct Replayed {
    /// Up to which offset queries were answered.
    answered: u64,
    /// Where each stream ends.
    ends: [u64; 2],
}

/// Feeds the newest part of the log of an ended run to a collector.
pub(super) fn replay_ended(logs: &Path, run: RunId, collector: &mut Collector) -> Result<(), LogError> {
    let all = Replayed { answered: u64::MAX, ends: [u64::MAX; 2] };
    replay(logs, run, collector, Counters::default(), all).map(drop)
}

/// Feeds the newest part of a log to a collector. Queries that were answered get no answer again. Returns how many lines of each stream have ended in
/// the log, where that is known.
fn replay(
    logs: &Path,
    run: RunId,
    collector: &mut Collector,
    counters: Counters,
    replayed: Replayed,
) -> Result<Option<[u64; 2]>, LogError> {
    let reader = LogReader::open(logs, run)?;
    let begin = reader.newest_begin(REPLAYED_BYTES);
    let mut lines = reader.newest_lines(REPLAYED_BYTES);
    collector.begin_at(begin);
    let (mut ats, mut cuts) = (begin, 0);
    // How much of so many bytes lies before an offset.
    let part = |to: u64, at: u64, all: usize| usize::try_from(to.saturating_sub(at)).unwrap_or(usize::MAX).min(all);
    reader.replay_newest(REPLAYED_BYTES, |timed| {
        if let (LogEvent::Bytes(stream, bytes), Some(lines)) = (&timed.event, &mut lines) {
            lines[stream.index()] += line_ends(bytes);
        }
        match (timed.event, &mut *collector) {
            (LogEvent::Bytes(stream, bytes), Collector::Pipes(_)) => {
                let at = &mut ats[stream.index()];
                collector.admit(pipe_of(stream), &bytes[..part(replayed.ends[stream.index()], *at, bytes.len())]);
                *at += bytes.len() as u64;
            }
            (LogEvent::Bytes(_, bytes), Collector::Pty(screen)) => {
                let (printed, all) = (ats[0], bytes.len());
                ats[0] += all as u64;
                let bytes = &bytes[..part(replayed.ends[0], printed, all)];
                let (answered, rest) = bytes.split_at(part(replayed.answered, printed, bytes.len()));
                screen.admit(answered);
                if !answered.is_empty() {
                    // That there were too many is met again with the next.
                    let _ = screen.take_replies();
                }
                screen.admit(rest);
            }
            (LogEvent::Begin(Some(size)) | LogEvent::Resize(size), Collector::Pty(screen)) => screen.resize(size),
            (LogEvent::Redraw(redraw), Collector::Pty(screen)) => screen.admit(&redraw),
            (LogEvent::Cut(_), Collector::Pty(screen)) => cuts = screen.count_cut(),
            (
                LogEvent::Begin(_)
                | LogEvent::Resize(_)
                | LogEvent::Redraw(_)
                | LogEvent::Cut(_)
                | LogEvent::Gap(_)
                | LogEvent::End,
                _,
            ) => {}
        }
        Ok(())
    })?;
    if let Collector::Pty(screen) = collector {
        while cuts < counters.cuts {
            cuts = screen.count_cut();
        }
    }
    Ok(lines)
}

fn pipe_of(stream: LogStream) -> Pipe {
    match stream {
        LogStream::Output => Pipe::Stdout,
        LogStream::Error => Pipe::Stderr,
    }
}

fn forget_answers(collector: &mut Collector) {
    if let Collector::Pty(screen) = collector {
        // That there were too many is met again with the next.
        let _ = screen.take_replies();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_holder_that_closes_its_link_is_asked_again_and_is_gone_only_when_nobody_listens() {
        let folder = tempfile::tempdir().expect("a folder");
        let sockets = HolderSockets::open(&folder.path().join("holders")).expect("a folder of sockets");
        let run = RunId::from_bits([5; 10]);
        let listener = std::os::unix::net::UnixListener::from(sockets.listen(run).expect("listens"));
        let listener = tokio::net::UnixListener::from_std(listener).expect("watched");
        let closes_twice = async move {
            for _ in 0..2 {
                drop(listener.accept().await.expect("asked"));
            }
        };
        let both = async { tokio::join!(take_up(&sockets, folder.path(), run), closes_twice).0 };
        let met = tokio::time::timeout(Duration::from_secs(20), both).await.expect("it is asked twice");
        assert!(matches!(met, Ok(None)), "{met:?}");
    }
}
