//! The driver's side: getting a holder, and talking with it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::model::RunId;
use crate::sys::hooks;
use crate::sys::local::SocketFolder;
use crate::sys::pidfd::Pidfd;
use crate::sys::rights::{self, Kind};

use super::error::{HolderError, LinkError};
use super::event::Event;
use super::fork_server::ARGUMENT;
use super::frames::Frames;
use super::request::Request;

/// How long a request may wait for the fork server: hundreds of forks are done in that time.
const OFFER_TIMEOUT: Duration = Duration::from_millis(500);

/// How long the fork server has to leave by itself; it takes about a millisecond.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(1);

/// The running fork server. Dropping it ends the fork server, not its holders.
#[derive(Debug)]
pub struct HolderServer {
    exe: PathBuf,
    running: Mutex<Running>,
}

#[derive(Debug)]
struct Running {
    /// `None` only while it is being dropped.
    control: Option<OwnedFd>,
    child: Child,
}

impl HolderServer {
    /// Starts the fork server from a program whose `main` begins with [`super::serve_if_asked`].
    ///
    /// `/proc/self/exe` is the caller's own program, also when its file has been replaced. The fork server inherits the
    /// caller's limits, umask and user, and its commands inherit them in turn; it gets no environment.
    ///
    /// # Errors
    ///
    /// [`HolderError::Link`] and [`HolderError::Start`].
    pub fn start(exe: &Path) -> Result<Self, HolderError> {
        Ok(Self { exe: exe.to_owned(), running: Mutex::new(Running::start(exe)?) })
    }

    /// Gets a holder for one run. A fork server that died is started again.
    ///
    /// The holder may not have been forked yet when this returns; requests wait in the link until it is. It blocks for
    /// microseconds, and up to half a second while the fork server is flooded with requests.
    ///
    /// # Errors
    ///
    /// [`HolderError::Link`], [`HolderError::Busy`], and [`HolderError::Start`] or [`HolderError::Gone`] when a dead
    /// fork server could not be replaced.
    pub fn open(&self) -> Result<HolderLink, HolderError> {
        let (ours, theirs) = rights::pair(Kind::Stream).map_err(|source| HolderError::Link { source })?;
        let theirs = [theirs];
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        match running.offer(&theirs) {
            Err(HolderError::Gone) => {
                *running = Running::start(&self.exe)?;
                running.offer(&theirs)?;
            }
            result => result?,
        }
        Ok(HolderLink { frames: Frames::new(ours) })
    }

    /// Returns the fork server's process id.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).child.id()
    }
}

impl Running {
    fn start(exe: &Path) -> Result<Self, HolderError> {
        let (control, theirs) = rights::pair(Kind::Messages).map_err(|source| HolderError::Link { source })?;
        let mut command = Command::new(exe);
        command.arg0("shtask").arg(ARGUMENT).env_clear();
        if cfg!(feature = "test-hooks") {
            command.envs(std::env::var_os(hooks::VARIABLE).map(|plan| (hooks::VARIABLE, plan)));
        }
        let child = command
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|source| HolderError::Start { exe: exe.to_owned(), source })?;
        Ok(Self { control: Some(control), child })
    }

    fn offer(&self, link: &[OwnedFd]) -> Result<(), HolderError> {
        let control = self.control.as_ref().ok_or(HolderError::Gone)?;
        loop {
            match rights::send(control, &[0], link) {
                Ok(_) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if !wait_for(control.as_fd(), PollFlags::OUT, OFFER_TIMEOUT) {
                        return Err(HolderError::Busy);
                    }
                }
                Err(error) if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) => {
                    return Err(HolderError::Gone);
                }
                // Too many descriptors are on their way already.
                Err(error) if error.raw_os_error() == Some(libc::ETOOMANYREFS) => {
                    return Err(HolderError::Busy);
                }
                Err(source) => return Err(HolderError::Link { source }),
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Its end of the socket tells it to leave.
        self.control = None;
        let left = i32::try_from(self.child.id())
            .ok()
            .and_then(|pid| Pidfd::open(pid).ok())
            .is_some_and(|pidfd| wait_for(pidfd.as_fd(), PollFlags::IN, LEAVE_TIMEOUT));
        if !left {
            // Someone has stopped it; it holds nothing that could be lost.
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

fn wait_for(fd: BorrowedFd<'_>, wanted: PollFlags, timeout: Duration) -> bool {
    let timeout = Timespec {
        tv_sec: i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(timeout.subsec_nanos()),
    };
    let mut fds = [PollFd::from_borrowed_fd(fd, wanted)];
    loop {
        match poll(&mut fds, Some(&timeout)) {
            Ok(count) => return count > 0,
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

/// Where holders wait for the next server: a folder with a socket for each run.
#[derive(Debug)]
pub struct HolderSockets {
    folder: SocketFolder,
}

impl HolderSockets {
    /// Opens the folder, and makes it when it is not there; the folder above has to be.
    ///
    /// # Errors
    ///
    /// It cannot be made private, or is not ours.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { folder: SocketFolder::open(path)? })
    }

    /// Makes the socket of a run, which its [`Request::Spawn`] takes along. It is there before the run is.
    ///
    /// # Errors
    ///
    /// Out of descriptors, or the folder cannot be written.
    pub fn listen(&self, run: RunId) -> io::Result<OwnedFd> {
        self.folder.listen(&name(run))
    }

    /// Connects to the holder of a run; none when nobody holds it any more. Its first event is a [`Event::Hello`], which comes when the server
    /// before this one is gone.
    ///
    /// # Errors
    ///
    /// Another user listens there, or the folder cannot be read.
    pub fn connect(&self, run: RunId) -> io::Result<Option<HolderLink>> {
        Ok(self.folder.connect(&name(run))?.map(|socket| HolderLink { frames: Frames::new(socket) }))
    }

    /// Removes the socket of a run whose holder is gone.
    ///
    /// # Errors
    ///
    /// The folder cannot be written.
    pub fn remove(&self, run: RunId) -> io::Result<()> {
        self.folder.remove(&name(run))
    }

    /// Lists the runs that have a socket, also such as nobody holds any more.
    ///
    /// # Errors
    ///
    /// The folder cannot be read.
    pub fn runs(&self) -> io::Result<Vec<RunId>> {
        let names = self.folder.names()?;
        Ok(names.iter().filter_map(|name| name.strip_suffix(SOCKET_SUFFIX)?.parse().ok()).collect())
    }
}

const SOCKET_SUFFIX: &str = ".sock";

fn name(run: RunId) -> String {
    format!("{run}{SOCKET_SUFFIX}")
}

/// The driver's end of a holder's link. Dropping it without a `LetGo` is a lost link.
#[derive(Debug)]
pub struct HolderLink {
    frames: Frames,
}

impl HolderLink {
    /// Queues a request and sends what the socket takes now; the rest goes with [`HolderLink::flush`].
    ///
    /// # Errors
    ///
    /// [`LinkError::TooLarge`] (nothing was queued), [`LinkError::Closed`], [`LinkError::Io`].
    pub fn send(&mut self, request: &Request) -> Result<(), LinkError> {
        self.send_with(request, Vec::new())
    }

    /// Does the same, with descriptors: for a [`Request::Spawn`] of a run that is to be kept.
    ///
    /// # Errors
    ///
    /// As [`HolderLink::send`].
    pub fn send_with(&mut self, request: &Request, descriptors: Vec<OwnedFd>) -> Result<(), LinkError> {
        self.frames.queue(&request.encode(), descriptors)?;
        self.frames.flush()?;
        Ok(())
    }

    /// Sends what is queued; false when the socket takes no more now: wait until it is writable.
    ///
    /// # Errors
    ///
    /// [`LinkError::Closed`], [`LinkError::Io`].
    pub fn flush(&mut self) -> Result<bool, LinkError> {
        self.frames.flush()
    }

    /// Returns whether anything is queued for [`HolderLink::flush`].
    #[must_use]
    pub fn wants_write(&self) -> bool {
        self.frames.queued_bytes() > 0
    }

    /// Receives the next event, with the descriptors that belong to it; `None` when there is none yet.
    ///
    /// # Errors
    ///
    /// [`LinkError::Closed`] when the holder is gone and every event has been received, [`LinkError::Malformed`],
    /// [`LinkError::Io`].
    pub fn receive(&mut self) -> Result<Option<(Event, Vec<OwnedFd>)>, LinkError> {
        let Some(frame) = self.frames.receive()? else {
            return Ok(None);
        };
        let event = Event::decode(&frame).map_err(|malformed| LinkError::Malformed { what: malformed.0 })?;
        let descriptors = match &event {
            Event::Spawned { .. } | Event::Hello(_) => self.frames.take_descriptors(),
            Event::SpawnFailed { .. }
            | Event::RootExited { .. }
            | Event::TreeEmpty
            | Event::Signalled { .. }
            | Event::FirstSignalSent { .. }
            | Event::TreeEnded { .. }
            | Event::Members { .. } => Vec::new(),
        };
        Ok(Some((event, descriptors)))
    }

    /// Returns the socket for [`crate::sys::watched::Watched`].
    #[must_use]
    pub fn shared_fd(&self) -> Arc<OwnedFd> {
        Arc::clone(self.frames.socket())
    }
}

impl AsFd for HolderLink {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.frames.socket().as_fd()
    }
}
