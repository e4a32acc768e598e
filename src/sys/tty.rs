//! Terminals: sizes, the foreground group, taking one as the controlling terminal.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::pty::OpenptFlags;
use rustix::termios::{Winsize, tcgetwinsize, tcsetwinsize};

/// Sets a terminal's size in character cells; the kernel sends SIGWINCH to the foreground group when it changes.
///
/// # Errors
///
/// The descriptor is no terminal, or its other end is gone.
pub fn set_window_size(master: impl AsFd, cols: u16, rows: u16) -> io::Result<()> {
    tcsetwinsize(master, Winsize { ws_row: rows, ws_col: cols, ws_xpixel: 0, ws_ypixel: 0 })?;
    Ok(())
}

/// Returns a terminal's size as columns and rows.
///
/// # Errors
///
/// The descriptor is no terminal.
pub fn window_size(terminal: impl AsFd) -> io::Result<(u16, u16)> {
    let size = tcgetwinsize(terminal)?;
    Ok((size.ws_col, size.ws_row))
}

/// Returns the process group in a terminal's foreground, asked at its master end; `None` when there is none.
///
/// # Errors
///
/// The descriptor is no terminal.
pub fn foreground_group(master: impl AsFd) -> io::Result<Option<i32>> {
    match rustix::termios::tcgetpgrp(master) {
        Ok(group) => Ok(Some(group.as_raw_nonzero().get())),
        // rustix reports a group of zero as an error of its own kind.
        Err(rustix::io::Errno::OPNOTSUPP) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// How a terminal takes what is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Whether it shows it.
    pub echoes: bool,
    /// Whether the program gets it line by line, and not key by key.
    pub by_line: bool,
}

/// Returns how a terminal takes what is typed, asked at either end.
///
/// # Errors
///
/// The descriptor is no terminal.
pub fn line(terminal: impl AsFd) -> io::Result<Line> {
    let modes = rustix::termios::tcgetattr(terminal)?.local_modes;
    use rustix::termios::LocalModes;
    Ok(Line { echoes: modes.contains(LocalModes::ECHO), by_line: modes.contains(LocalModes::ICANON) })
}

/// Returns whether a terminal echoes what is typed, asked at either end.
///
/// # Errors
///
/// The descriptor is no terminal.
pub fn echoes(terminal: impl AsFd) -> io::Result<bool> {
    Ok(line(terminal)?.echoes)
}

/// Opens a PTY of a size, master first; both ends close-on-exec, no controlling terminal taken.
///
/// The pair and its size are portable-pty's; the slave is opened again by its master, so that it is close-on-exec from
/// its first moment.
///
/// # Errors
///
/// All PTYs are taken (`ENOSPC`), out of descriptors.
#[expect(unsafe_code, reason = "portable-pty names its descriptor by number only")]
pub fn open_pair(cols: u16, rows: u16) -> io::Result<(OwnedFd, OwnedFd)> {
    super::hooks::step("openpty")?;
    let size = portable_pty::PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
    // Its error is a text; the number is still the last one.
    let pair = portable_pty::native_pty_system().openpty(size).map_err(|_| io::Error::last_os_error())?;
    let number = pair.master.as_raw_fd().ok_or_else(|| io::Error::from(io::ErrorKind::Unsupported))?;
    // SAFETY: the pair owns the descriptor and lives until the end of this function.
    let master = unsafe { BorrowedFd::borrow_raw(number) };
    let slave = open_slave(master)?;
    Ok((super::fd::duplicate(master)?, slave))
}

/// Opens the slave of a PTY by its master: no name, no race, no controlling terminal taken, close-on-exec.
///
/// # Errors
///
/// Before Linux 4.13, or out of descriptors.
pub fn open_slave(master: impl AsFd) -> io::Result<OwnedFd> {
    Ok(rustix::pty::ioctl_tiocgptpeer(master, OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?)
}

/// Makes a terminal the controlling one of the calling session leader.
///
/// # Errors
///
/// The caller leads no session, or has a controlling terminal already.
pub fn take_as_controlling(slave: impl AsFd) -> io::Result<()> {
    rustix::process::ioctl_tiocsctty(slave)?;
    Ok(())
}

/// Sends a signal to the foreground group of a PTY, asked at its master end; true when there was one.
///
/// For INT, QUIT and TSTP the kernel finds the group and signals it in one step; for others it is two.
///
/// # Errors
///
/// `EPERM` when the group may not be signalled, or the descriptor is no master.
#[expect(unsafe_code, reason = "no crate of ours wraps TIOCSIG")]
pub fn signal_foreground(master: impl AsFd, signo: i32) -> io::Result<bool> {
    let Some(group) = foreground_group(&master)? else {
        return Ok(false);
    };
    if matches!(signo, libc::SIGINT | libc::SIGQUIT | libc::SIGTSTP) {
        // SAFETY: TIOCSIG takes the signal's number as its argument, not a pointer.
        let done = unsafe { libc::ioctl(master.as_fd().as_raw_fd(), TIOCSIG, signo) };
        if done == 0 {
            return Ok(true);
        }
    }
    super::pidfd::signal_group(group, signo)?;
    Ok(true)
}

/// `TIOCSIG` of `asm-generic/ioctls.h`: a write of one `int` with number 0x36 in group `T`.
const TIOCSIG: libc::Ioctl = 0x4004_5436;
