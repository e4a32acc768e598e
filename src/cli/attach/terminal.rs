//! The outer terminal: taken once, given back exactly once, however `attach` ends.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, raise};
use rustix::process::getpgrp;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetpgrp, tcgetwinsize, tcsetattr};
use tokio::sync::mpsc;

use super::paint::{ENTER, LEAVE, Painter};
use crate::model::Frame;

/// What a terminal has that names no size.
const UNKNOWN_SIZE: (u16, u16) = (80, 24);

/// How long a terminal that takes nothing is waited for when it is given back.
const LEAVE_WITHIN_MS: u16 = 500;

/// The pause between two looks whether the terminal is this program's again.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// How many reads of the keyboard wait for the run to take them.
const MAX_READS: usize = 16;

/// The settings of the terminal as they were, while it is ours.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// Held while something is written.
static OUTPUT: Mutex<()> = Mutex::new(());

fn before() -> MutexGuard<'static, Option<Termios>> {
    BEFORE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns columns and rows of the terminal.
pub(super) fn size() -> (u16, u16) {
    match tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
        Ok(_) | Err(_) => UNKNOWN_SIZE,
    }
}

/// Gives the terminal back; does nothing when that was done already. Errors do not matter: then the terminal is gone.
pub(super) fn restore() {
    let Some(settings) = before().take() else { return };
    // A picture that is on its way comes first; one that the terminal does not take is not waited for without end.
    let end = Instant::now() + Duration::from_millis(LEAVE_WITHIN_MS.into());
    let mut writing = OUTPUT.try_lock();
    while matches!(writing, Err(TryLockError::WouldBlock)) && Instant::now() < end {
        thread::sleep(Duration::from_millis(1));
        writing = OUTPUT.try_lock();
    }
    let out = io::stdout();
    let mut polled = [PollFd::new(out.as_fd(), PollFlags::POLLOUT)];
    without_stops(Signal::SIGTTOU, || {
        if poll(&mut polled, PollTimeout::from(LEAVE_WITHIN_MS)) != Ok(0) {
            let _ = own_output().and_then(|mut out| out.write_all(LEAVE.as_bytes()));
        }
        // In the background the settings are those of the shell by now.
        if ground() != Ground::Back {
            // Not what was typed after the stolen key, which the shell would take for a command.
            let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &settings);
        }
    });
}

/// Does something that would stop a job in the background, without being stopped: a job that is killed has to end.
fn without_stops(stop: Signal, work: impl FnOnce()) {
    let before = SigSet::from(stop).thread_swap_mask(SigmaskHow::SIG_BLOCK);
    work();
    if let Ok(before) = before {
        let _ = before.thread_set_mask();
    }
}

/// Whose the terminal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ground {
    /// This program's.
    Front,
    /// That of another job of the shell.
    Back,
    /// Nobody's any more.
    Gone,
}

pub(super) fn ground() -> Ground {
    match tcgetpgrp(io::stdin()) {
        Ok(group) if group == getpgrp() => Ground::Front,
        Ok(_) => Ground::Back,
        Err(_) => Ground::Gone,
    }
}

/// Stops a job that was started in the background, before it listens to any signal: so it can be killed without being continued first.
pub(super) fn wait_for_foreground() {
    if ground() == Ground::Back {
        let _ = raise(Signal::SIGTTOU);
    }
}

fn own_output() -> io::Result<File> {
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

fn restore_on_panic() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let next = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            restore();
            next(info);
        }));
    });
}

/// What the painting thread is to do.
#[derive(Default)]
struct Wanted {
    frame: Option<Arc<Frame>>,
    notice: Option<String>,
    is_new: bool,
    from_scratch: bool,
    is_over: bool,
}

#[derive(Default)]
struct Shared {
    wanted: Mutex<Wanted>,
    changed: Condvar,
}

/// The terminal while it is ours. Dropping it gives the terminal back.
///
/// It is painted on a thread: a terminal that takes nothing for a while holds up nothing but its own picture.
pub(in crate::cli) struct OuterTerminal(Arc<Shared>);

impl OuterTerminal {
    /// Takes the terminal.
    pub(in crate::cli) fn take() -> io::Result<OuterTerminal> {
        restore_on_panic();
        let terminal = OuterTerminal(Arc::default());
        make_raw()?;
        own_output()?.write_all(ENTER.as_bytes())?;
        let shared = Arc::clone(&terminal.0);
        let mut out = own_output()?;
        thread::Builder::new().name("paint".to_owned()).spawn(move || paint(&shared, &mut out))?;
        Ok(terminal)
    }

    /// Gives it back and stops this program, as who has sent the signal wants. Returns once it is continued.
    pub(super) fn stop(&self) {
        restore();
        let _ = raise(Signal::SIGSTOP);
    }

    /// Takes it again after a stop; the shell may have changed everything meanwhile. In the background nothing is done: the shell sends the same
    /// signal again when it is to be in the foreground.
    pub(super) fn again(&self) -> io::Result<()> {
        if ground() == Ground::Back {
            return Ok(());
        }
        if let Some(settings) = before().take() {
            tcsetattr(io::stdin(), OptionalActions::Now, &settings)?;
        }
        make_raw()?;
        own_output()?.write_all(ENTER.as_bytes())?;
        self.want(|wanted| wanted.from_scratch = true);
        Ok(())
    }

    /// Shows a frame; one that comes before the last was drawn takes its place.
    pub(in crate::cli) fn show(&self, frame: Arc<Frame>) {
        self.want(|wanted| wanted.frame = Some(frame));
    }

    /// Shows a line over the last row, or none.
    pub(in crate::cli) fn notice(&self, notice: Option<String>) {
        self.want(|wanted| wanted.notice = notice);
    }

    /// Draws again at the present size.
    pub(super) fn resized(&self) {
        self.want(|_| {});
    }

    fn want(&self, change: impl FnOnce(&mut Wanted)) {
        let mut wanted = self.0.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut wanted);
        wanted.is_new = true;
        self.0.changed.notify_one();
    }
}

impl Drop for OuterTerminal {
    fn drop(&mut self) {
        self.want(|wanted| wanted.is_over = true);
        restore();
    }
}

fn make_raw() -> io::Result<()> {
    let settings = tcgetattr(io::stdin())?;
    let mut raw = settings.clone();
    raw.make_raw();
    *before() = Some(settings);
    tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
    Ok(())
}

fn paint(shared: &Shared, out: &mut File) {
    let mut painter = Painter::default();
    loop {
        let picture = {
            let mut wanted = shared.wanted.lock().unwrap_or_else(PoisonError::into_inner);
            while !wanted.is_new {
                wanted = shared.changed.wait(wanted).unwrap_or_else(PoisonError::into_inner);
            }
            if wanted.is_over {
                return;
            }
            wanted.is_new = false;
            if std::mem::take(&mut wanted.from_scratch) {
                painter.forget();
            }
            painter.notice(wanted.notice.clone());
            wanted.frame.as_ref().map(|frame| painter.draw(frame, size()))
        };
        let Some(picture) = picture else { continue };
        let _writing = OUTPUT.lock();
        // Nothing is drawn on a terminal that was given back meanwhile, or is another job's.
        if before().is_none() || ground() == Ground::Back {
            painter.forget();
        } else if out.write_all(picture.as_bytes()).is_err() {
            return;
        }
    }
}

/// Reads the keyboard on a thread; the channel ends when the terminal is gone.
pub(in crate::cli) fn keyboard() -> io::Result<mpsc::Receiver<Vec<u8>>> {
    let (reads_tx, reads_rx) = mpsc::channel(MAX_READS);
    let mut input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    thread::Builder::new().name("keyboard".to_owned()).spawn(move || {
        // In the background a read fails instead of stopping all of this program.
        let _ = SigSet::from(Signal::SIGTTIN).thread_block();
        let mut bytes = [0; 4096];
        loop {
            match input.read(&mut bytes) {
                Ok(0) => return,
                Ok(count) => {
                    if reads_tx.blocking_send(bytes[..count].to_vec()).is_err() {
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) if ground() == Ground::Back => thread::sleep(LOOK_AGAIN),
                Err(_) => return,
            }
        }
    })?;
    Ok(reads_rx)
}
