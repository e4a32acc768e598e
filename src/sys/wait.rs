//! Waiting for children, with and without reaping them.

use std::io;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExitKind {
    /// It left by itself, with this code (0–255).
    Code(i32),
    /// A signal ended it.
    Signal {
        /// The signal's number (1–64).
        signo: i32,
        /// Whether the kernel wrote a core.
        core: bool,
    },
}

/// A child that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Its process id.
    pub pid: i32,
    /// How it ended.
    pub how: ExitKind,
}

/// What a look at children found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// This one has ended.
    Ended(Ended),
    /// There are children asked for, and none of them has ended.
    Alive,
    /// There is no child that was asked for.
    None,
}

/// Whose end is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Any child's.
    Any,
    /// This child's.
    Pid(i32),
}

/// Looks for a child that has ended and leaves it as it is: a zombie, whose pid cannot be given to another.
///
/// # Errors
///
/// The kernel refuses for another reason than that there is no such child.
pub fn peek(whose: Whose) -> io::Result<Look> {
    waitid(whose, libc::WEXITED | libc::WNOHANG | libc::WNOWAIT)
}

/// Reaps a child that has ended, without waiting for one.
///
/// # Errors
///
/// The kernel refuses for another reason than that there is no such child.
pub fn reap(whose: Whose) -> io::Result<Look> {
    waitid(whose, libc::WEXITED | libc::WNOHANG)
}

#[expect(unsafe_code, reason = "nix and rustix lose the pid or real-time signals")]
fn waitid(whose: Whose, options: i32) -> io::Result<Look> {
    let (kind, id) = match whose {
        Whose::Any => (libc::P_ALL, 0),
        Whose::Pid(pid) => (libc::P_PID, libc::id_t::try_from(pid).unwrap_or(0)),
    };
    loop {
        // SAFETY: `siginfo_t` is plain data for which zero is a value; waitid fills it in and keeps no pointer.
        let (done, pid, code, status) = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let done = libc::waitid(kind, id, &raw mut info, options);
            (done, info.si_pid(), info.si_code, info.si_status())
        };
        if done == 0 {
            // With WNOHANG the pid stays zero when children exist and none has ended.
            return Ok(if pid == 0 {
                Look::Alive
            } else {
                let how = match code {
                    libc::CLD_EXITED => ExitKind::Code(status),
                    _ => ExitKind::Signal { signo: status, core: code == libc::CLD_DUMPED },
                };
                Look::Ended(Ended { pid, how })
            });
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::ECHILD) => return Ok(Look::None),
            Some(libc::EINTR) => {}
            _ => return Err(error),
        }
    }
}
