//! Bytes between a run's descriptors and this process: what it prints, and what is typed.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::Interest;
use tokio::time::Instant;

use super::kept::Payload;
use super::spool::Spool;
use crate::sys::watched::Watched;
use crate::tail::Pipe;

/// The most that is read before it is handed to a collector. The kernel gives about 4 KiB of a PTY a read, and more of a pipe. One buffer serves all
/// runs of a thread.
const BUFFER_BYTES: usize = 16 * 1024;

/// A first read of less than this is an echo or a line and no flood: nothing more is looked for before it is shown.
const FEW_BYTES: usize = 512;

/// How much may wait to be typed. A program that does not read has to be waited for by who writes.
const MAX_QUEUED_BYTES: usize = 1024 * 1024;

/// How long a writer waits when it cannot be told that there is room, because this process may open no more descriptors.
const WITHOUT_DESCRIPTOR: Duration = Duration::from_millis(50);

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// One descriptor that a run prints to.
pub(super) struct Source {
    watched: Watched,
    /// Where output is kept until it is in the log, for a run that outlives this program.
    spool: Option<Spool>,
    pub(super) pipe: Pipe,
    pub(super) ended: bool,
}

/// How much is taken in in one turn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    /// At most so many bytes of each source.
    pub(super) bytes: usize,
    /// For at most so long.
    pub(super) time: Duration,
    /// Whether it matters that nothing is left.
    pub(super) exact: bool,
}

/// How a descriptor is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Read {
    Bytes(usize),
    /// These were all, as far as a look at their number tells.
    Few(usize),
    Dry,
    End,
}

impl Source {
    pub(super) fn new(watched: Watched, pipe: Pipe, spool: Option<Spool>) -> Source {
        Source { watched, spool, pipe, ended: false }
    }

    /// Takes note of what of the stream is settled in the log: it needs not be kept here.
    pub(super) fn settled(&mut self, end: u64, is_idle: bool) {
        if let Some(spool) = &mut self.spool {
            spool.forget(end, is_idle);
        }
    }

    /// Waits until there may be something to read; for ever once it has ended.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub(super) async fn readable(&self) {
        if self.ended {
            std::future::pending::<()>().await;
        }
        // An error of the reactor's is met again, and told, by the read.
        if let Ok(mut ready) = self.watched.readable().await {
            ready.retain_ready();
        }
    }

    /// Reads what the kernel holds, up to the budget, and gives each read to `admit`. Returns whether the source was read dry or has ended.
    ///
    /// A terminal gives about 4 KiB a read, and the kernel gets the next ones ready meanwhile. Who reads again at once waits for that, and the program
    /// waits for who takes much in at once: so what is read is taken in before the next read. It is dry only when a read right after gives nothing, which
    /// is cheaper than to be woken again for each. Few bytes after quiet are shown first.
    pub(super) fn take_in(&mut self, budget: Budget, mut admit: impl FnMut(Pipe, &[u8])) -> bool {
        let start = Instant::now();
        let mut taken = 0;
        BUFFER.with_borrow_mut(|buffer| {
            buffer.resize(BUFFER_BYTES, 0);
            while !self.ended && taken < budget.bytes {
                let buffer = &mut buffer[..BUFFER_BYTES.min(budget.bytes - taken)];
                let (count, is_dry) = match self.read_once(buffer, taken == 0 && !budget.exact) {
                    Read::Bytes(count) => (count, false),
                    Read::Few(count) => (count, true),
                    Read::Dry => (0, true),
                    Read::End => {
                        self.ended = true;
                        (0, true)
                    }
                };
                if count > 0 {
                    admit(self.pipe, &buffer[..count]);
                    taken += count;
                }
                if is_dry {
                    return true;
                }
                if start.elapsed() >= budget.time {
                    break;
                }
            }
            self.ended
        })
    }

    fn read_once(&mut self, buffer: &mut [u8], few_do: bool) -> Read {
        let spool = &mut self.spool;
        let few_bytes = if few_do { FEW_BYTES.min(buffer.len()) } else { 0 };
        let mut read_now = |fd: &OwnedFd| match spool {
            Some(spool) => spool.read(fd, buffer),
            None => read_bytes(fd, buffer),
        };
        let is_few = |count: usize| (1..few_bytes).contains(&count);
        let mut was_tried = false;
        let tried = |fd: &Arc<OwnedFd>| {
            was_tried = true;
            read_now(fd)
        };
        let mut read = self.watched.read_with(tried, is_few);
        if !was_tried {
            // Its readiness has not been reported yet: a cut must see what is there.
            read = read_now(self.watched.get_ref());
        }
        match read {
            Err(error) if error.kind() == ErrorKind::WouldBlock => Read::Dry,
            // A PTY whose last holder has closed it says EIO where a pipe says 0.
            Ok(0) | Err(_) => Read::End,
            Ok(count) if is_few(count) => Read::Few(count),
            Ok(count) => Read::Bytes(count),
        }
    }
}

fn read_bytes(fd: &OwnedFd, buffer: &mut [u8]) -> std::io::Result<usize> {
    Ok(rustix::io::retry_on_intr(|| rustix::io::read(fd, &mut *buffer))?)
}

/// What waits to be typed into a run, or to be written to its standard input.
pub(super) struct Sink {
    fd: Arc<OwnedFd>,
    /// Tells when the kernel takes more, while something waits that it did not take. At other times nobody wants to be woken each time that the
    /// program has read a key.
    room: Option<Watched>,
    queue: VecDeque<u8>,
    /// What is written in place of the queue, for a run that outlives this program.
    payload: Option<Payload>,
    /// Whether the descriptor is closed once everything is written: the end of a payload.
    ends: bool,
    /// Whether its reader is gone.
    is_dead: bool,
}

impl Sink {
    /// Makes the sink of a descriptor that does not block.
    pub(super) fn new(fd: Arc<OwnedFd>, first: Vec<u8>, ends: bool) -> Sink {
        Sink { fd, room: None, queue: first.into(), payload: None, ends, is_dead: false }
    }

    /// Makes the sink of a payload that outlives this program.
    pub(super) fn of_payload(fd: Arc<OwnedFd>, payload: Payload) -> Sink {
        Sink { fd, room: None, queue: VecDeque::new(), payload: Some(payload), ends: true, is_dead: false }
    }

    /// Returns the terminal, for its size and its foreground group.
    pub(super) fn fd(&self) -> &OwnedFd {
        &self.fd
    }

    /// Queues input whole, or not at all: false when too much waits already.
    pub(super) fn queue(&mut self, bytes: &[u8]) -> bool {
        if self.queue.len() + bytes.len() > MAX_QUEUED_BYTES {
            return false;
        }
        self.queue.extend(bytes);
        true
    }

    /// Returns whether something waits to be written and may be.
    pub(super) fn is_waiting(&self) -> bool {
        self.has_undelivered() && !self.is_dead
    }

    /// Returns whether something was not written.
    pub(super) fn has_undelivered(&self) -> bool {
        !self.queue.is_empty() || self.payload.as_ref().is_some_and(|payload| payload.left > 0)
    }

    /// Waits until the kernel may take more. Returns whether nobody is left who could read it.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub(super) async fn writable(&self) -> bool {
        let Some(room) = &self.room else {
            // Nothing was tried yet, or no descriptor is left to wait with.
            tokio::time::sleep(WITHOUT_DESCRIPTOR).await;
            return false;
        };
        let Ok(mut ready) = room.writable().await else { return false };
        ready.retain_ready();
        ready.ready().is_write_closed()
    }

    /// Takes note that nobody is left who could read. A terminal that is hung up stays marked as writable and takes nothing: without
    /// this its writer would try for ever.
    pub(super) fn give_up(&mut self) {
        self.is_dead = true;
    }

    /// Writes what the kernel takes now; returns how much that was, and whether the sink is of further use: its reader may be gone, or
    /// the payload be written.
    pub(super) fn write_now(&mut self) -> (u64, bool) {
        let mut written = 0;
        while self.is_waiting() {
            match self.write_once() {
                Ok(count) => {
                    written += count;
                    let queued = usize::try_from(count).unwrap_or(usize::MAX).min(self.queue.len());
                    self.queue.drain(..queued);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock && self.room.is_some() => return (written, true),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    // The kernel tells of room by descriptor: the one of the reads does not serve.
                    let watched = self.fd.try_clone().and_then(|fd| Watched::with_interest(fd, Interest::WRITABLE));
                    match watched {
                        // There may be room by now, which would not be told any more.
                        Ok(watched) => self.room = Some(watched),
                        Err(_) => return (written, true),
                    }
                }
                Err(_) => {
                    self.is_dead = true;
                    return (written, false);
                }
            }
        }
        self.room = None;
        // A paste leaves no large buffer behind.
        if self.queue.capacity() > 4096 {
            self.queue = VecDeque::new();
        }
        (written, !self.ends)
    }

    fn write_once(&mut self) -> std::io::Result<u64> {
        let (fd, next, payload) = (&*self.fd, self.queue.as_slices().0, &mut self.payload);
        let mut write = || match payload {
            Some(payload) => payload.write(fd),
            None => Ok(rustix::io::retry_on_intr(|| rustix::io::write(fd, next))? as u64),
        };
        match &self.room {
            Some(room) => room.try_io(Interest::WRITABLE, |_| write()),
            None => write(),
        }
    }
}
