//! Signals: what ends or interrupts the program from outside.

use std::future::{Future, pending};
use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// What ends or interrupts the program from outside.
pub(super) enum Outside {
    /// Asked to end, by this signal.
    Terminate(i32),
    /// The terminal is gone.
    HangUp,
    /// The terminal may have another size.
    Resized,
    /// Continued after a stop.
    Continued,
}

/// The signals that the TUI takes.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    quit: Signal,
    hang_up: Signal,
    window: Signal,
    continued: Signal,
}

impl Signals {
    pub(super) fn new() -> io::Result<Signals> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            hang_up: signal(SignalKind::hangup())?,
            window: signal(SignalKind::window_change())?,
            continued: signal(SignalKind::from_raw(nix::libc::SIGCONT))?,
        })
    }
}

/// Where [`Outside`] comes from.
pub(super) trait Outsides {
    /// Waits for the next one. Nothing is lost when it is dropped.
    fn next(&mut self) -> impl Future<Output = Outside> + Send;
}

impl Outsides for Signals {
    async fn next(&mut self) -> Outside {
        tokio::select! {
            // The end comes before everything else: a job that is killed while it is stopped is continued, too.
            biased;
            Some(()) = self.hang_up.recv() => Outside::HangUp,
            Some(()) = self.terminate.recv() => Outside::Terminate(SignalKind::terminate().as_raw_value()),
            Some(()) = self.interrupt.recv() => Outside::Terminate(SignalKind::interrupt().as_raw_value()),
            Some(()) = self.quit.recv() => Outside::Terminate(SignalKind::quit().as_raw_value()),
            Some(()) = self.window.recv() => Outside::Resized,
            Some(()) = self.continued.recv() => Outside::Continued,
            else => pending().await,
        }
    }
}
