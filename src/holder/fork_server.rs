//! The fork server: started before it is needed, it forks a holder for every link it is sent.
//!
//! It has one thread and almost no memory of its own, so a fork is cheap, its child may do anything, and holders share
//! all pages that none of them writes to.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::ExitCode;

use rustix::event::{PollFd, PollFlags, poll};

use crate::sys::fork::{self, Side, SingleThreaded};
use crate::sys::signals::{self, ChildNews};
use crate::sys::wait::{self, Look, Whose};
use crate::sys::{fd, heap, rights};

use super::cgroup::CgroupParent;
use super::event::{Event, SpawnStage};
use super::frames::Frames;
use super::parent;

/// The hidden first argument that makes the program a fork server.
pub(super) const ARGUMENT: &str = "__holders";

/// The name of the fork server in `ps`.
const NAME: &std::ffi::CStr = c"shtask-holders";

/// Serves as the fork server when the program was started as one, and returns its exit code when it is done.
///
/// Call it first of all in `main`, before any thread is started and anything is opened.
#[must_use]
pub fn serve_if_asked() -> Option<ExitCode> {
    if std::env::args_os().nth(1)? != ARGUMENT {
        return None;
    }
    Some(match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Started by hand, most likely; under a server nobody reads this.
            eprintln!("error: cannot serve as the holders' fork server: {error}");
            ExitCode::from(2)
        }
    })
}

fn serve() -> io::Result<()> {
    let alone = SingleThreaded::claim()?;
    if !rights::is_message_socket(io::stdin().as_fd()) {
        return Err(io::Error::other("standard input is no socket of a server"));
    }
    let control = fd::take_standard_input(true)?;
    let control = fd::close_all_but(control, &alone)?;
    signals::reset_dispositions();
    signals::shrug_off();
    fork::new_session()?;
    fork::set_name(NAME)?;
    // No directory is kept busy by a process that nobody sees.
    rustix::process::chdir(c"/")?;
    let cgroups = CgroupParent::find();
    if let Some(cgroups) = &cgroups {
        cgroups.sweep();
    }
    let news = ChildNews::open()?;
    heap::give_back();
    loop {
        let mut fds = [PollFd::new(&control, PollFlags::IN), PollFd::new(&news, PollFlags::IN)];
        match poll(&mut fds, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [asked, children] = fds.map(|fd| !fd.revents().is_empty());
        if children {
            news.drain();
            while let Ok(Look::Ended(_)) = wait::reap(Whose::Any) {}
        }
        if !asked {
            continue;
        }
        let mut link = None;
        match rights::receive(&control, &mut [0_u8; 1], |fd| link = Some(fd)) {
            // The server is gone, or has no more use for holders. Those that are there live on by themselves.
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
            // Out of descriptors, say: that link is lost and its end tells the server; the next may do.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => continue,
            Err(error) => return Err(error),
        }
        let Some(link) = link else { continue };
        match alone.fork() {
            Ok(Side::Parent(_)) => {}
            Ok(Side::Child) => {
                drop((control, news));
                let held = parent::hold(link, &alone, cgroups.as_ref());
                fork::leave(i32::from(held.is_err()));
            }
            Err(error) => refuse(link, &error),
        }
    }
}

/// Tells a driver why it gets no holder.
fn refuse(link: OwnedFd, error: &io::Error) {
    let event = Event::SpawnFailed { stage: SpawnStage::Fork, errno: error.raw_os_error().unwrap_or(libc::EAGAIN) };
    let mut link = Frames::new(link);
    // The link is new, so a few bytes fit; when not, its end says enough.
    let _ = link.queue(&event.encode(), Vec::new()).and_then(|()| link.flush());
}
