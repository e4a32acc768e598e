//! Forking and becoming another program, for processes with one thread.

use std::ffi::{CStr, CString};
use std::io;
use std::marker::PhantomData;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

/// `CLONE_INTO_CGROUP` of `linux/sched.h`; libc's constant has a type too narrow for it.
const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// The proof that the process has one thread only, so that a fork's child may do anything: no lock can be held by a
/// thread that is not there.
///
/// It stays in the thread that made it. Whoever holds one starts no thread.
#[derive(Debug)]
pub struct SingleThreaded {
    stays: PhantomData<*const ()>,
}

/// Which side of a fork the caller is on.
#[derive(Debug)]
pub enum Side {
    /// The parent, with the child's pid.
    Parent(i32),
    /// The child.
    Child,
}

impl SingleThreaded {
    /// Counts the threads and gives the proof when there is one.
    ///
    /// # Errors
    ///
    /// There are more threads, or `/proc` cannot be read.
    pub fn claim() -> io::Result<Self> {
        let own = super::proc::stat(std::process::id().cast_signed())?;
        if own.threads == 1 {
            Ok(Self { stays: PhantomData })
        } else {
            Err(io::Error::other("a process with threads must not fork"))
        }
    }

    /// Forks.
    ///
    /// # Errors
    ///
    /// `EAGAIN` at the limit of processes, `ENOMEM`.
    #[expect(unsafe_code, reason = "fork has no safe wrapper")]
    pub fn fork(&self) -> io::Result<Side> {
        super::hooks::step("fork")?;
        // SAFETY: the process has one thread, so the child's memory is consistent and every lock is free.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => Ok(Side::Child),
            pid => Ok(Side::Parent(pid)),
        }
    }

    /// Forks a child straight into a cgroup, given by its open directory.
    ///
    /// The kernel's own way in is taken, since moving a process later makes it wait for all its processors (tens of
    /// milliseconds). The child must do nothing but prepare and exec: the C library does not know of it.
    ///
    /// # Errors
    ///
    /// `ENOSYS` before Linux 5.7, `EACCES`, `EBUSY`, `EOPNOTSUPP` when the cgroup takes nobody, else as
    /// [`SingleThreaded::fork`].
    #[expect(unsafe_code, reason = "clone3 has no wrapper")]
    pub fn fork_into(&self, cgroup: BorrowedFd<'_>) -> io::Result<Side> {
        // SAFETY: plain numbers, zero is a value of each.
        let mut args: libc::clone_args = unsafe { std::mem::zeroed() };
        args.flags = CLONE_INTO_CGROUP;
        args.exit_signal = u64::from(libc::SIGCHLD.cast_unsigned());
        args.cgroup = u64::from(cgroup.as_raw_fd().cast_unsigned());
        // SAFETY: no shared memory and no own stack are asked for, so this is a fork; one thread, as in `fork`.
        let pid = unsafe { libc::syscall(libc::SYS_clone3, &raw mut args, size_of::<libc::clone_args>()) };
        match pid {
            -1 => Err(io::Error::last_os_error()),
            0 => Ok(Side::Child),
            pid => Ok(Side::Parent(i32::try_from(pid).map_err(io::Error::other)?)),
        }
    }
}

/// Replaces the program; returns only when that failed, with the reason.
#[must_use]
#[expect(unsafe_code, reason = "execve has no safe wrapper that takes prepared strings")]
pub fn exec(program: &CStr, argv: &[CString], env: &[CString]) -> io::Error {
    let pointers = |strings: &[CString]| -> Vec<*const libc::c_char> {
        strings.iter().map(|string| string.as_ptr()).chain(std::iter::once(std::ptr::null())).collect()
    };
    let (argv, env) = (pointers(argv), pointers(env));
    // SAFETY: both arrays end in null and point to strings that live as long as the borrowed slices.
    unsafe { libc::execve(program.as_ptr(), argv.as_ptr(), env.as_ptr()) };
    io::Error::last_os_error()
}

/// Leaves the process at once: no handlers, no flushing, nothing of the parent's that the child has a copy of.
#[expect(unsafe_code, reason = "_exit has no safe wrapper")]
pub fn leave(code: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(code) }
}

/// Starts a new session, without a controlling terminal, led by the caller.
///
/// # Errors
///
/// The caller leads a process group already.
pub fn new_session() -> io::Result<()> {
    rustix::process::setsid()?;
    Ok(())
}

/// Makes the caller the parent of all orphans among its descendants.
///
/// # Errors
///
/// Before Linux 3.4.
pub fn become_subreaper() -> io::Result<()> {
    Ok(nix::sys::prctl::set_child_subreaper(true)?)
}

/// Sets the caller's name as `ps` shows it; 15 bytes are kept.
///
/// # Errors
///
/// None is known.
pub fn set_name(name: &CStr) -> io::Result<()> {
    Ok(nix::sys::prctl::set_name(name)?)
}

/// Returns the pid of the process at the other end of a socket pair or connection, as it was when that was made.
///
/// # Errors
///
/// The descriptor is no Unix socket.
pub fn peer_pid(socket: impl AsFd) -> io::Result<i32> {
    Ok(rustix::net::sockopt::socket_peercred(socket)?.pid.as_raw_nonzero().get())
}
