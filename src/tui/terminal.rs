//! The user's terminal: set up once, restored exactly once, however the TUI ends.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, SetCursorStyle, Show};
use crossterm::event::{DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange};
use crossterm::queue;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill};
use nix::unistd::{Pid, getpgrp, tcgetpgrp};
use rustix::termios::tcgetwinsize;

use super::TuiError;

/// Presses, releases, the wheel and motion with a button, as SGR. All motion is asked for only while a run wants it.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l";
const MOTION_ON: &str = "\x1b[?1003h";
const MOTION_OFF: &str = "\x1b[?1003l\x1b[?1000h\x1b[?1002h";

/// Ends a synchronised update that a panic may have left open.
const END_UPDATE: &str = "\x1b[?2026l";

/// What a terminal has that names no size.
const UNKNOWN_SIZE: (u16, u16) = (80, 24);

/// Whether the terminal is ours at the moment.
static ACTIVE: AtomicBool = AtomicBool::new(false);

/// Returns whether the TUI has the terminal.
pub(super) fn is_active() -> bool {
    ACTIVE.load(Ordering::SeqCst)
}

/// Checks that there is a terminal at both ends.
pub(super) fn check() -> Result<(), TuiError> {
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
        let mut bytes = Vec::from(END_UPDATE);
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

/// Standard output, written once a picture: what is flushed while it is held waits for the flush after that.
pub(super) struct Output {
    out: File,
    waiting: Vec<u8>,
    held: Arc<AtomicBool>,
}

impl Output {
    /// Opens it. The flag that is returned with it holds it while it is set.
    pub(super) fn open() -> io::Result<(Output, Arc<AtomicBool>)> {
        let held = Arc::new(AtomicBool::new(false));
        let out = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        Ok((Output { out, waiting: Vec::with_capacity(16 * 1024), held: Arc::clone(&held) }, held))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.held.load(Ordering::Relaxed) {
            return Ok(());
        }
        let written = self.out.write_all(&self.waiting);
        self.waiting.clear();
        written
    }
}
