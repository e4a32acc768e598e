//! The thread that waits for the terminal.

use std::io;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread::JoinHandle;
use std::time::Duration;

use futures_util::Stream;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::stdio::stdin;
use tokio::sync::mpsc;

use super::super::event::Input;
use super::parser::Parser;

/// How many inputs may wait. A person never fills it; a paste of keys waits in the terminal's own queue.
const MAX_WAITING: usize = 256;

/// After this an escape is a key of its own and not the start of a sequence. Terminals write a sequence at once: it is only ever torn on
/// its way through a network.
const ESCAPE_WAIT: Timespec = Timespec { tv_sec: 0, tv_nsec: Duration::from_millis(10).as_nanos() as i64 };

/// After this a paste that was not ended is over.
const PASTE_WAIT: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// The user's input as it comes. It ends when the terminal is gone. Dropping it ends the thread.
pub(crate) struct Inputs {
    rx: mpsc::Receiver<Input>,
    // Both are taken when it is dropped: closing the pipe wakes the thread, then it is waited for.
    wake: Option<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl Inputs {
    /// Starts reading standard input, which is a terminal.
    pub(crate) fn start() -> io::Result<Inputs> {
        let (woken, wake) = pipe_with(PipeFlags::CLOEXEC)?;
        let (tx, rx) = mpsc::channel(MAX_WAITING);
        let thread = std::thread::Builder::new().name("tui-input".into()).spawn(move || forward(&woken, &tx))?;
        Ok(Inputs { rx, wake: Some(wake), thread: Some(thread) })
    }
}

impl Stream for Inputs {
    type Item = Input;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Input>> {
        self.rx.poll_recv(cx)
    }
}

impl Drop for Inputs {
    fn drop(&mut self) {
        self.rx.close();
        // What waits is thrown away, so that a thread that waits for room goes on.
        while self.rx.try_recv().is_ok() {}
        drop(self.wake.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been told by the hook.
            drop(thread.join());
        }
    }
}

/// Reads until the terminal is gone or nobody wants to know any more.
fn forward(woken: &OwnedFd, tx: &mpsc::Sender<Input>) {
    let (mut parser, mut inputs, mut buffer) = (Parser::default(), Vec::new(), vec![0; 16 * 1024]);
    loop {
        match wait(woken, &parser) {
            Ok(Waited::Bytes) => match read(stdin(), &mut buffer) {
                Ok(0) => return,
                Ok(count) => parser.feed(&buffer[..count], &mut inputs),
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(_) => return,
            },
            Ok(Waited::Nothing) => parser.settle(&mut inputs),
            Ok(Waited::Over) | Err(_) => return,
        }
        for input in inputs.drain(..) {
            if tx.blocking_send(input).is_err() {
                return;
            }
        }
    }
}

enum Waited {
    /// There is something to read, or the terminal is gone.
    Bytes,
    /// What may have been the start of something is not gone on with.
    Nothing,
    /// The thread is to end.
    Over,
}

fn wait(woken: &OwnedFd, parser: &Parser) -> io::Result<Waited> {
    let timeout = match (parser.is_pasting(), parser.waits()) {
        (true, _) => Some(&PASTE_WAIT),
        (false, true) => Some(&ESCAPE_WAIT),
        (false, false) => None,
    };
    let terminal = stdin();
    let mut fds = [PollFd::new(&terminal, PollFlags::IN), PollFd::new(woken, PollFlags::IN)];
    loop {
        match poll(&mut fds, timeout) {
            Ok(0) => return Ok(Waited::Nothing),
            Ok(_) if !fds[1].revents().is_empty() => return Ok(Waited::Over),
            Ok(_) => return Ok(Waited::Bytes),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
