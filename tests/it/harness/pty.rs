//! One program in one PTY: opening, starting, bytes in and out, size, line settings, the end.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, PidfdGetfdFlags, Signal, WaitId, WaitIdOptions, getpid, pidfd_getfd, pidfd_open,
    pidfd_send_signal, waitid,
};
use rustix::termios::{Winsize, tcgetattr, tcsetwinsize};

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

/// What a read of the terminal found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadOutcome {
    /// So many bytes.
    Bytes(usize),
    /// Nothing at the moment.
    Empty,
    /// Nobody has the other end open any more.
    Closed,
}

/// What [`Pty::wait`] waits for beside output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beside {
    /// Nothing.
    Nothing,
    /// That the kernel takes input.
    Room,
    /// The program's end.
    End,
}

/// A program and the terminal it runs in. It is the leader of a session of its own.
pub(crate) struct Pty {
    master: Option<OwnedFd>,
    pidfd: OwnedFd,
    pid: Pid,
    exit: Option<Exit>,
    line_settings_at_start: String,
}

impl Pty {
    /// Opens a terminal of `cols` × `rows` and starts `command` in it.
    pub(crate) fn start(command: CommandBuilder, cols: u16, rows: u16) -> Pty {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a PTY can be opened");
        // A descriptor of our own, so that reads can be polled for; portable-pty's writer would type an end of input
        // into the program when it is dropped.
        let this = pidfd_open(getpid(), PidfdFlags::empty()).expect("this process lives");
        let raw = pair.master.as_raw_fd().expect("a PTY has a descriptor");
        let master = pidfd_getfd(&this, raw, PidfdGetfdFlags::empty()).expect("a descriptor can be duplicated");
        fcntl_setfl(&master, OFlags::RDWR | OFlags::NONBLOCK).expect("a PTY can be made non-blocking");
        let line_settings_at_start = line_settings(&master);
        let child = pair.slave.spawn_command(command).expect("the program can be started");
        let pid = child.process_id().and_then(|id| Pid::from_raw(id.cast_signed())).expect("a child has a pid");
        let pidfd = pidfd_open(pid, PidfdFlags::empty()).expect("the child is not reaped yet");
        Pty { master: Some(master), pidfd, pid, exit: None, line_settings_at_start }
    }

    /// The program's process id.
    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    fn master(&self) -> BorrowedFd<'_> {
        self.master.as_ref().expect("the terminal was not hung up").as_fd()
    }

    /// Whether this end is still open.
    pub(crate) fn is_open(&self) -> bool {
        self.master.is_some()
    }

    /// Waits at most `timeout` for output, the closing of the other end, and what `beside` says. Returns whether the
    /// kernel takes input, if that was asked.
    pub(crate) fn wait(&self, timeout: Duration, beside: Beside) -> bool {
        let timeout = Timespec { tv_sec: timeout.as_secs().cast_signed(), tv_nsec: timeout.subsec_nanos().into() };
        let mut fds = Vec::with_capacity(2);
        if let Some(master) = &self.master {
            let room = if beside == Beside::Room { PollFlags::OUT } else { PollFlags::empty() };
            fds.push(PollFd::new(master, PollFlags::IN | room));
        }
        if beside == Beside::End {
            fds.push(PollFd::new(&self.pidfd, PollFlags::IN));
        }
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => panic!("cannot wait for the terminal: {error}"),
        }
        self.master.is_some() && fds[0].revents().intersects(PollFlags::OUT | PollFlags::HUP)
    }

    /// Takes what the kernel has, without waiting.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> ReadOutcome {
        let Some(master) = &self.master else { return ReadOutcome::Closed };
        match rustix::io::read(master, buffer) {
            Ok(0) | Err(Errno::IO) => ReadOutcome::Closed,
            Ok(count) => ReadOutcome::Bytes(count),
            Err(Errno::AGAIN | Errno::INTR) => ReadOutcome::Empty,
            Err(error) => panic!("cannot read from the terminal: {error}"),
        }
    }

    /// Types what the kernel takes of `bytes` now, and says how much that was.
    pub(crate) fn write(&self, bytes: &[u8]) -> usize {
        match rustix::io::write(self.master(), bytes) {
            Ok(count) => count,
            // An input/output error means that nobody reads any more: the bytes are gone, as in a real terminal.
            Err(Errno::IO) => bytes.len(),
            Err(Errno::AGAIN | Errno::INTR) => 0,
            Err(error) => panic!("cannot type into the terminal: {error}"),
        }
    }

    /// Changes the size; the foreground group gets SIGWINCH.
    pub(crate) fn resize(&self, cols: u16, rows: u16) {
        let size = Winsize { ws_row: rows, ws_col: cols, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(self.master(), size).expect("a terminal can be resized");
    }

    /// The line settings (termios) as text, to be compared with those of another moment.
    pub(crate) fn line_settings(&self) -> String {
        line_settings(self.master())
    }

    /// The line settings from before the program was started.
    pub(crate) fn line_settings_at_start(&self) -> &str {
        &self.line_settings_at_start
    }

    /// Closes this end as a terminal window that is closed does.
    pub(crate) fn hang_up(&mut self) {
        self.master = None;
    }

    /// Sends `signal` to the program alone.
    pub(crate) fn signal(&self, signal: Signal) {
        match pidfd_send_signal(&self.pidfd, signal) {
            Ok(()) | Err(Errno::SRCH) => {}
            Err(error) => panic!("cannot signal {}: {error}", self.pid.as_raw_nonzero()),
        }
    }

    /// The program's end, if it has ended; reaps it.
    pub(crate) fn exit(&mut self) -> Option<Exit> {
        if self.exit.is_none() {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
            let status = waitid(WaitId::PidFd(self.pidfd.as_fd()), options).map_err(io::Error::from);
            let status = status.expect("the program is a child of this process")?;
            let code = status.exit_status().map(Exit::Code);
            self.exit = code.or_else(|| status.terminating_signal().map(Exit::Signal));
        }
        self.exit
    }
}

fn line_settings(terminal: impl AsFd) -> String {
    format!("{:#?}", tcgetattr(terminal).expect("a terminal has line settings"))
}

impl Drop for Pty {
    fn drop(&mut self) {
        if self.exit().is_none() {
            self.signal(Signal::KILL);
            self.master = None;
            // SIGKILL cannot be refused, so this wait is short.
            let _ = waitid(WaitId::PidFd(self.pidfd.as_fd()), WaitIdOptions::EXITED);
        }
    }
}
