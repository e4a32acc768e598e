//! Signals: dispositions, the mask, and a descriptor that tells of children.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::sys::signal::{SigSet, SigmaskHow, Signal, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};

/// The highest signal number of Linux.
pub const LAST_SIGNAL: i32 = 64;

/// Size in bytes of the kernel's signal set, as its calls want it.
const KERNEL_SET_BYTES: usize = 8;

/// Signals that a terminal, a shell or an administrator may send to a whole session or group; holders live through them.
const SHRUGGED_OFF: [i32; 11] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGTSTP,
    libc::SIGTTIN,
    libc::SIGTTOU,
    libc::SIGPIPE,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGALRM,
];

/// Sets every signal's disposition to the default, the two that the C library keeps for itself included.
#[expect(unsafe_code, reason = "the C library's sigaction refuses signals 32 and 33")]
pub fn reset_dispositions() {
    // The kernel's own struct: handler, flags, restorer, mask; all zero is the default action.
    let default = [0_u64; 8];
    for signo in 1..=LAST_SIGNAL {
        // SAFETY: the zeroed buffer is larger than the kernel's struct on every 64-bit machine and stands for
        // `SIG_DFL` without flags; KILL and STOP answer EINVAL.
        unsafe {
            libc::syscall(
                libc::SYS_rt_sigaction,
                signo,
                default.as_ptr(),
                std::ptr::null_mut::<u64>(),
                KERNEL_SET_BYTES,
            );
        }
    }
}

/// Ignores what may be sent to a whole session or group, so that a closed terminal or `^C` ends no holder.
#[expect(unsafe_code, reason = "changing a disposition is unsafe in general")]
pub fn shrug_off() {
    for signo in SHRUGGED_OFF {
        // SAFETY: ignoring runs no handler, so nothing can be interrupted by it.
        unsafe { libc::signal(signo, libc::SIG_IGN) };
    }
}

/// Empties the calling thread's signal mask.
///
/// # Errors
///
/// None is known.
pub fn empty_mask() -> io::Result<()> {
    sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None)?;
    Ok(())
}

/// All signals blocked in the calling thread, until it is dropped.
///
/// Over a fork it loses nothing: what is sent to the child before it has its own dispositions waits until the child
/// empties its mask, although the parent ignores it (a blocked signal is never thrown away as ignored).
#[derive(Debug)]
pub struct AllBlocked {
    before: SigSet,
}

impl AllBlocked {
    /// Blocks them.
    ///
    /// # Errors
    ///
    /// None is known.
    pub fn now() -> io::Result<Self> {
        let mut before = SigSet::empty();
        sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::all()), Some(&mut before))?;
        Ok(Self { before })
    }
}

impl Drop for AllBlocked {
    fn drop(&mut self) {
        // It can fail for no mask that the kernel itself has given.
        let _ = sigprocmask(SigmaskHow::SIG_SETMASK, Some(&self.before), None);
    }
}

/// A descriptor that becomes readable when a child ends or stops.
#[derive(Debug)]
pub struct ChildNews {
    fd: OwnedFd,
}

impl ChildNews {
    /// Blocks SIGCHLD, and nothing else, in the calling thread and opens the descriptor, non-blocking and close-on-exec.
    ///
    /// # Errors
    ///
    /// Out of descriptors.
    pub fn open() -> io::Result<Self> {
        let mut set = SigSet::empty();
        set.add(Signal::SIGCHLD);
        sigprocmask(SigmaskHow::SIG_SETMASK, Some(&set), None)?;
        let fd = SignalFd::with_flags(&set, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
        Ok(Self { fd: super::fd::duplicate(fd.as_fd())? })
    }

    /// Takes all news that are there; they are merged, so look at every child afterwards.
    pub fn drain(&self) {
        let mut record = [0_u8; size_of::<libc::signalfd_siginfo>()];
        while rustix::io::read(&self.fd, &mut record).is_ok_and(|count| count > 0) {}
    }
}

impl AsFd for ChildNews {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
