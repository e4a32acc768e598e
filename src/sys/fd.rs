//! Descriptors: flags, pipes, the null device, closing in bulk.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use rustix::fs::{Mode, OFlags};
use rustix::pipe::PipeFlags;

/// Sets or clears `O_NONBLOCK` on the open file description, which all duplicates share.
///
/// # Errors
///
/// The descriptor does not know the flag.
pub fn set_nonblocking(fd: impl AsFd, on: bool) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(&fd)?;
    let wanted = if on { flags | OFlags::NONBLOCK } else { flags - OFlags::NONBLOCK };
    if wanted != flags {
        rustix::fs::fcntl_setfl(&fd, wanted)?;
    }
    Ok(())
}

/// Makes a pipe, both ends close-on-exec and blocking: the read end first.
///
/// # Errors
///
/// Out of descriptors, or over the user's limit of pipe pages.
pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?)
}

/// Opens the null device, close-on-exec, for reading and writing.
///
/// # Errors
///
/// There is no `/dev/null`, or no descriptor left.
pub fn null() -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(c"/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?)
}

/// Duplicates a descriptor to a number of 3 or more, close-on-exec.
///
/// # Errors
///
/// Out of descriptors.
pub fn duplicate(fd: impl AsFd) -> io::Result<OwnedFd> {
    Ok(rustix::io::fcntl_dupfd_cloexec(fd, 3)?)
}

/// Makes the standard descriptor `target` (0, 1 or 2) a duplicate of `source` that survives an exec.
///
/// # Errors
///
/// `target` is not a standard descriptor, or the kernel refuses.
pub fn make_standard(source: BorrowedFd<'_>, target: RawFd) -> io::Result<()> {
    if !(0..=2).contains(&target) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    if source.as_raw_fd() == target {
        // dup2 onto itself would keep the close-on-exec flag.
        rustix::io::fcntl_setfd(source, rustix::io::FdFlags::empty())?;
        return Ok(());
    }
    match target {
        0 => nix::unistd::dup2_stdin(source)?,
        1 => nix::unistd::dup2_stdout(source)?,
        _ => nix::unistd::dup2_stderr(source)?,
    }
    Ok(())
}

/// Marks all descriptors from 3 on close-on-exec.
///
/// # Errors
///
/// The kernel knows no `close_range` and there is no list of the descriptors in `/proc` either.
#[expect(unsafe_code, reason = "no crate of ours wraps close_range")]
pub fn mark_all_close_on_exec() -> io::Result<()> {
    // SAFETY: the call changes flags only; no descriptor is closed by it.
    let done = unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if done == 0 {
        return Ok(());
    }
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let number = entry?.file_name().to_str().and_then(|name| name.parse::<RawFd>().ok());
        if let Some(number) = number.filter(|number| *number > 2) {
            // SAFETY: sets a flag; a number that was closed meanwhile gives EBADF.
            unsafe { libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
    }
    Ok(())
}

/// Takes the descriptor that a parent passed as standard input away from there and puts the null device on 0, 1 and 2
/// (1 and 2 only where they are closed or `silence` is asked).
///
/// # Errors
///
/// Descriptor 0 is closed, or there is no descriptor left.
#[expect(unsafe_code, reason = "the standard descriptors are no owned values in Rust")]
pub fn take_standard_input(silence: bool) -> io::Result<OwnedFd> {
    // SAFETY: borrowed for the one call below; the standard descriptors are never closed by this program.
    let standard = unsafe { BorrowedFd::borrow_raw(0) };
    let taken = duplicate(standard)?;
    let null = null()?;
    make_standard(null.as_fd(), 0)?;
    if silence {
        make_standard(null.as_fd(), 1)?;
        make_standard(null.as_fd(), 2)?;
    }
    Ok(taken)
}

/// Closes all descriptors from 3 on but the ones to keep.
///
/// Only for the very start of a process, before anything in it owns a descriptor: that is why `keep` is taken by value
/// and given back.
///
/// # Errors
///
/// The kernel refuses to duplicate the kept one.
#[expect(unsafe_code, reason = "closes descriptors that were inherited, which nothing owns")]
pub fn close_all_but(keep: OwnedFd, _alone: &super::fork::SingleThreaded) -> io::Result<OwnedFd> {
    use std::os::fd::IntoRawFd;
    let number = keep.into_raw_fd();
    let close = |first: u32, last: u32| {
        if first <= last {
            // SAFETY: the caller holds the token of a process with one thread that has just started; apart from
            // `keep` nothing in it owns a descriptor above 2.
            unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
        }
    };
    let at = u32::try_from(number).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    close(3, at.saturating_sub(1));
    close(at + 1, u32::MAX);
    // SAFETY: the number came from an `OwnedFd` and was left open.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}
