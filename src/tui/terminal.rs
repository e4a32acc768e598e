//! The user's terminal: set up once, restored exactly once, however the TUI ends.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crossterm::cursor::{Hide, SetCursorStyle, Show};
use crossterm::event::{DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange};
use crossterm::queue;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill};
use nix::unistd::{Pid, getpgrp, tcgetpgrp};
use rustix::termios::tcgetwinsize;

use super::TuiError;
use super::ground;

/// Presses, releases, the wheel and motion with a button, as SGR. All motion is asked for only while a run wants it.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l";
const MOTION_ON: &str = "\x1b[?1003h";
const MOTION_OFF: &str = "\x1b[?1003l\x1b[?1000h\x1b[?1002h";

/// Asks whether the terminal has the kitty keyboard protocol. One that does not know it answers nothing.
pub(super) const ASK_KEYBOARD_FLAGS: &str = "\x1b[?u";

/// Keys that are bytes of others get sequences of their own (1), with what Shift makes of them (4). They are for a run that asked for more than the
/// usual; which form it gets is the encoder's to say.
const KEYBOARD_FLAGS_ON: &str = "\x1b[>5u";
const KEYBOARD_FLAGS_OFF: &str = "\x1b[<u";

/// Ends a synchronised update that a panic may have left open.
const END_UPDATE: &str = "\x1b[?2026l";

/// What a terminal has that names no size.
const UNKNOWN_SIZE: (u16, u16) = (80, 24);

/// Whether the terminal is ours at the moment.
static ACTIVE: AtomicBool = AtomicBool::new(false);

/// Whether our keyboard flags lie on the terminal's stack. A stack that is not ours must not be popped: the shell may have its own on it.
static HAS_FLAGS: AtomicBool = AtomicBool::new(false);

/// Returns whether the TUI has the terminal.
pub(super) fn is_active() -> bool {
    ACTIVE.load(Ordering::SeqCst)
}

/// Checks that there is a terminal at both ends.
///
/// # Errors
/// [`TuiError::NoTerminal`] names the end that is none.
pub fn check() -> Result<(), TuiError> {
    if !io::stdin().is_terminal() {
        return Err(TuiError::NoTerminal { stream: "standard input" });
    }
    if !io::stdout().is_terminal() {
        return Err(TuiError::NoTerminal { stream: "standard output" });
    }
    Ok(())
}

/// Sets the terminal up. A process in the background is stopped here by the kernel until it is in the foreground.
fn set_up(mouse: bool) -> io::Result<()> {
    enable_raw_mode()?;
    ACTIVE.store(true, Ordering::SeqCst);
    let mut bytes = Vec::new();
    queue!(bytes, EnterAlternateScreen, EnableBracketedPaste, EnableFocusChange, Hide)?;
    if mouse {
        bytes.extend_from_slice(MOUSE_ON.as_bytes());
    }
    write_out(&bytes)
}

/// Restores the terminal in the reverse order; does nothing when that was done already. Never stops the process, not even in the
/// background, and takes no notice of a terminal that is gone.
pub(super) fn restore() {
    if !ACTIVE.swap(false, Ordering::SeqCst) {
        return;
    }
    without_tty_stops(|| {
        if !takes_output(RESTORE_WITHIN_MS) {
            // It would be waited for without end.
            let _ = disable_raw_mode();
            return;
        }
        let mut bytes = Vec::from(END_UPDATE);
        if HAS_FLAGS.swap(false, Ordering::SeqCst) {
            bytes.extend_from_slice(KEYBOARD_FLAGS_OFF.as_bytes());
        }
        bytes.extend_from_slice(ground::no_reports().as_bytes());
        bytes.extend_from_slice(MOUSE_OFF.as_bytes());
        let queued = queue!(
            bytes,
            SetCursorStyle::DefaultUserShape,
            Show,
            DisableFocusChange,
            DisableBracketedPaste,
            LeaveAlternateScreen
        );
        // Writing to memory cannot fail; the terminal may be gone, and then there is nothing to restore.
        let _ = queued.and_then(|()| write_out(&bytes));
        if is_in_foreground() {
            ground::take_answer();
        }
        let _ = disable_raw_mode();
    });
}

/// Does something to the terminal that would stop a background process, without being stopped.
fn without_tty_stops(work: impl FnOnce()) {
    let mut stops = SigSet::empty();
    stops.add(Signal::SIGTTOU);
    let before = stops.thread_swap_mask(SigmaskHow::SIG_BLOCK);
    work();
    if let Ok(before) = before {
        let _ = before.thread_set_mask();
    }
}

fn write_out(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// The terminal while it is ours. Dropping it restores the terminal.
pub(super) struct OuterTerminal {
    mouse: bool,
}

impl OuterTerminal {
    pub(super) fn enter(mouse: bool) -> io::Result<OuterTerminal> {
        let terminal = OuterTerminal { mouse };
        // Colours are chosen by the TUI itself, also when `NO_COLOR` is set.
        crossterm::style::force_color_output(true);
        set_up(mouse)?;
        Ok(terminal)
    }

    /// Sets everything up again, after a stop. A stop that came from outside has left it set up, but a shell may have changed the lines'
    /// settings since.
    pub(super) fn again(&self) -> io::Result<()> {
        if is_active() {
            disable_raw_mode()?;
        }
        set_up(self.mouse)
    }

    /// Gives the terminal back and stops the process group, as ^Z does: a shell that started us through another program sees that
    /// as stopped, too. In an orphaned group, where nobody could continue it, the kernel does nothing.
    pub(super) fn suspend(&self) -> io::Result<()> {
        restore();
        Ok(kill(Pid::from_raw(0), Signal::SIGTSTP)?)
    }

    /// Asks for mouse motion without a button, or no longer.
    pub(super) fn motion_sequence(&self, wanted: bool) -> &'static str {
        match (self.mouse, wanted) {
            (false, _) => "",
            (true, true) => MOTION_ON,
            (true, false) => MOTION_OFF,
        }
    }
}

/// Returns what asks for keyboard flags, or takes them back; nothing when that is so already.
pub(super) fn keyboard_sequence(wanted: bool) -> &'static str {
    match (HAS_FLAGS.swap(wanted, Ordering::SeqCst), wanted) {
        (false, true) => KEYBOARD_FLAGS_ON,
        (true, false) => KEYBOARD_FLAGS_OFF,
        (false, false) | (true, true) => "",
    }
}

impl Drop for OuterTerminal {
    fn drop(&mut self) {
        restore();
    }
}

/// Returns whether the terminal listens to this process group: in the background it must not be touched.
pub(super) fn is_in_foreground() -> bool {
    tcgetpgrp(io::stdin()).is_ok_and(|group| group == getpgrp())
}

/// Returns columns and rows of the terminal; 80 by 24 when it does not know its own.
pub(super) fn size() -> (u16, u16) {
    match tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
        Ok(_) | Err(_) => UNKNOWN_SIZE,
    }
}

/// How long a terminal that takes nothing is waited for when it is restored.
const RESTORE_WITHIN_MS: u16 = 500;

/// Returns whether standard output takes something within this time, or never will.
fn takes_output(within_ms: u16) -> bool {
    let out = io::stdout();
    let mut polled = [PollFd::new(out.as_fd(), PollFlags::POLLOUT)];
    poll(&mut polled, PollTimeout::from(within_ms)) != Ok(0)
}

/// Standard output, written once a picture: what is flushed while it is held waits for the flush after that.
///
/// A terminal may stop taking output for as long as it likes: a hung connection, a stopped emulator. The runs must not wait for that, so
/// writing never blocks, and what was not taken stays here. Clones share it.
#[derive(Clone)]
pub(super) struct Output(Arc<Mutex<Waiting>>);

struct Waiting {
    out: File,
    bytes: Vec<u8>,
    held: bool,
}

impl Output {
    pub(super) fn open() -> io::Result<Output> {
        let out = io::stdout();
        // A description of its own: that of standard output is shared with the shell, which would find it non-blocking.
        let own = OpenOptions::new()
            .write(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
            .open(format!("/proc/self/fd/{}", out.as_fd().as_raw_fd()));
        let out = match own {
            Ok(own) => own,
            // A terminal of somebody else's (after su) can be written but not opened; then it is waited for.
            Err(_) => File::from(out.as_fd().try_clone_to_owned()?),
        };
        Ok(Output::of(out))
    }

    fn of(out: File) -> Output {
        Output(Arc::new(Mutex::new(Waiting { out, bytes: Vec::with_capacity(16 * 1024), held: false })))
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // Every change below is complete when it returns.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds what is written back, or no longer.
    pub(super) fn hold(&self, held: bool) {
        self.waiting().held = held;
    }

    /// Writes what waits as far as the terminal takes it; returns whether that was all.
    pub(super) fn catch_up(&self) -> io::Result<bool> {
        let waiting = &mut *self.waiting();
        while !waiting.held && !waiting.bytes.is_empty() {
            match waiting.out.write(&waiting.bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => drop(waiting.bytes.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => {
                    waiting.bytes.clear();
                    return Err(error);
                }
            }
        }
        Ok(true)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting().bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.catch_up().map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_terminal_that_takes_nothing_is_not_waited_for_and_gets_all_later() {
        let (mut reader, writer) = io::pipe().expect("pipe");
        let writer = std::os::fd::OwnedFd::from(writer);
        rustix::io::ioctl_fionbio(&writer, true).expect("non-blocking");
        let mut output = Output::of(File::from(writer));
        let picture: Vec<u8> = (0..1_000_000_u32).map(|n| (n % 251) as u8).collect();
        output.write_all(&picture).expect("to memory");
        assert!(!output.catch_up().expect("open"), "a pipe does not hold that much");
        let mut taken = Vec::new();
        while taken.len() < picture.len() {
            let mut part = [0; 65_536];
            let count = reader.read(&mut part).expect("read");
            taken.extend_from_slice(&part[..count]);
            output.catch_up().expect("open");
        }
        assert!(output.catch_up().expect("open"));
        assert!(taken == picture, "in order and whole");
    }
}
