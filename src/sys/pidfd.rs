//! Signals to exactly one process, by a descriptor that no other process can inherit the meaning of.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::process::{Pid, PidfdFlags};

/// A process as itself: its pid can be given to another, its pid and start time together cannot (within a boot).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId {
    /// The process id.
    pub pid: i32,
    /// Its start in clock ticks since boot (`/proc/PID/stat`, field 22).
    pub start_ticks: u64,
}

/// A descriptor of a process.
#[derive(Debug)]
pub struct Pidfd {
    fd: OwnedFd,
}

impl Pidfd {
    /// Opens the process that has this pid now, close-on-exec.
    ///
    /// # Errors
    ///
    /// `ESRCH` when there is none, `ENOSYS` before Linux 5.3, or out of descriptors.
    pub fn open(pid: i32) -> io::Result<Self> {
        let pid = Pid::from_raw(pid).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(Self { fd: rustix::process::pidfd_open(pid, PidfdFlags::empty())? })
    }

    /// Opens a process and makes sure that it is the one that is meant.
    ///
    /// # Errors
    ///
    /// As [`Pidfd::open`]; `ESRCH` also when the pid belongs to another process by now.
    pub fn open_exact(id: ProcessId) -> io::Result<Self> {
        let opened = Self::open(id.pid)?;
        // Read after opening: what the descriptor names had the pid before this read.
        check_start(id)?;
        Ok(opened)
    }

    /// Sends a signal (0 only asks whether it could be sent); real-time signals too.
    ///
    /// # Errors
    ///
    /// `ESRCH` when the process has been reaped, `EPERM` when it may not be signalled, `EINVAL` for no signal.
    #[expect(unsafe_code, reason = "rustix's Signal type excludes real-time signals")]
    pub fn signal(&self, signo: i32) -> io::Result<()> {
        // SAFETY: the descriptor is open, no pointer but null is passed.
        let done = unsafe {
            libc::syscall(
                libc::SYS_pidfd_send_signal,
                self.fd.as_raw_fd(),
                signo,
                std::ptr::null::<libc::siginfo_t>(),
                0_u32,
            )
        };
        if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

impl AsFd for Pidfd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

fn check_start(id: ProcessId) -> io::Result<()> {
    match super::proc::start_ticks(id.pid) {
        Ok(start_ticks) if start_ticks == id.start_ticks => Ok(()),
        Ok(_) | Err(_) => Err(io::Error::from_raw_os_error(libc::ESRCH)),
    }
}

/// Sends a signal to this very process, never to one that got its pid later.
///
/// # Errors
///
/// `ESRCH` when it is gone, `EPERM` when it may not be signalled.
pub fn signal_exact(id: ProcessId, signo: i32) -> io::Result<()> {
    match Pidfd::open_exact(id) {
        Ok(pidfd) => pidfd.signal(signo),
        Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => {
            check_start(id)?;
            kill(id.pid, signo)
        }
        Err(error) => Err(error),
    }
}

/// Sends a signal to a child of the calling process that has not been reaped: its pid cannot belong to another.
///
/// # Errors
///
/// `ESRCH`, `EPERM`, `EINVAL` as `kill(2)`; refuses pids below 2.
pub fn signal_own_child(pid: i32, signo: i32) -> io::Result<()> {
    kill(pid, signo)
}

/// Sends a signal to a process group.
///
/// The caller makes sure that the group is still the one it means: by keeping its leader unreaped.
///
/// # Errors
///
/// `ESRCH` for no such group, `EPERM` when no member may be signalled; refuses groups below 2.
pub fn signal_group(group: i32, signo: i32) -> io::Result<()> {
    if group < 2 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    raw_kill(-group, signo)
}

fn kill(pid: i32, signo: i32) -> io::Result<()> {
    if pid < 2 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    raw_kill(pid, signo)
}

#[expect(unsafe_code, reason = "nix's Signal type excludes real-time signals")]
fn raw_kill(target: i32, signo: i32) -> io::Result<()> {
    // SAFETY: kill takes two numbers.
    match unsafe { libc::kill(target, signo) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_with_the_same_pid_but_another_start_is_not_signalled() {
        let pid = i32::try_from(std::process::id()).expect("a pid fits");
        let start_ticks = super::super::proc::start_ticks(pid).expect("own start");
        signal_exact(ProcessId { pid, start_ticks }, 0).expect("the right one");
        let wrong = signal_exact(ProcessId { pid, start_ticks: start_ticks + 1 }, 0);
        assert_eq!(wrong.expect_err("another process").raw_os_error(), Some(libc::ESRCH));
    }

    #[test]
    fn pids_that_mean_everybody_are_refused() {
        assert!(signal_group(1, 0).is_err());
        assert!(signal_group(0, 0).is_err());
        assert!(signal_own_child(-1, 0).is_err());
        assert!(signal_own_child(0, 0).is_err());
    }
}
