//! Waits for the terminal in the loop's own task: from a key to its run no other thread has to wake up.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{Stream, stream};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::stdio::stdin;
use tokio::io::Interest;

use super::super::event::Input;
use super::super::ground;
use super::parser::{Begun, Parser};
use crate::sys::fd;
use crate::sys::watched::Watched;

/// After this an escape is a key of its own and not the start of a sequence. Terminals write a sequence at once: it is only ever torn on
/// its way through a network.
const ESCAPE_WAIT: Duration = Duration::from_millis(10);

/// The same while an answer of the terminal may come, which begins with an escape and is no key.
const ANSWER_WAIT: Duration = Duration::from_millis(100);

/// After this what can be nothing but a paste or an answer, and was not ended, is over.
const LONG_WAIT: Duration = Duration::from_secs(1);

/// What is read at once: what a terminal's queue holds.
const BUFFER_BYTES: usize = 4096;

/// How often is read before what came is handed on: until nothing is left, so that nobody has to come back to see that, but no flood holds the
/// program up.
const MAX_READS: usize = 4;

/// The user's input as it comes, from standard input, which is a terminal. It ends when the terminal is gone.
pub(crate) fn inputs() -> io::Result<Pin<Box<dyn Stream<Item = Input> + Send>>> {
    // A descriptor of its own, since the reactor takes each only once.
    let watched = Watched::with_interest(fd::duplicate(stdin())?, Interest::READABLE)?;
    let reader = Reader { watched, parser: Parser::default(), read: Vec::new(), waiting: VecDeque::new() };
    Ok(Box::pin(stream::unfold(reader, async |mut reader| reader.next().await.map(|input| (input, reader)))))
}

struct Reader {
    watched: Watched,
    parser: Parser,
    read: Vec<Input>,
    waiting: VecDeque<Input>,
}

impl Reader {
    async fn next(&mut self) -> Option<Input> {
        while self.waiting.is_empty() {
            let wait = match self.parser.begun() {
                Begun::Nothing => None,
                Begun::Paste | Begun::Answer => Some(LONG_WAIT),
                Begun::KeyOrAnswer if ground::is_expected() => Some(ANSWER_WAIT),
                Begun::Key | Begun::KeyOrAnswer => Some(ESCAPE_WAIT),
            };
            let readable = self.watched.readable();
            let ready = match wait {
                Some(wait) => tokio::time::timeout(wait, readable).await,
                None => Ok(readable.await),
            };
            match ready {
                // What may have been the start of something is not gone on with.
                Err(_) => self.parser.settle(&mut self.read),
                Ok(Err(_)) => return None,
                Ok(Ok(mut guard)) => {
                    guard.retain_ready();
                    if !self.read() {
                        return None;
                    }
                }
            }
            if self.read.iter().any(|input| matches!(input, Input::Ground(_))) {
                ground::answered();
            }
            self.waiting.extend(self.read.drain(..));
        }
        self.waiting.pop_front()
    }

    /// Reads what is there, within bounds. Returns false when the terminal is gone.
    fn read(&mut self) -> bool {
        let mut buffer = [0; BUFFER_BYTES];
        for _ in 0..MAX_READS {
            let read = |terminal: &Arc<OwnedFd>| read_ready(terminal, &mut buffer);
            match self.watched.read_with(read, |count| (1..BUFFER_BYTES).contains(&count)) {
                Ok(0) => return false,
                Ok(count) => {
                    self.parser.feed(&buffer[..count], &mut self.read);
                    if count < BUFFER_BYTES {
                        return true;
                    }
                }
                Err(error) => return matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
            }
        }
        true
    }
}

/// Reads without ever waiting. The terminal is shared with the shell and whatever else it runs, so it is not made non-blocking: it is asked first.
fn read_ready(terminal: &Arc<OwnedFd>, buffer: &mut [u8]) -> io::Result<usize> {
    let mut asked = [PollFd::new(terminal, PollFlags::IN)];
    if poll(&mut asked, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }))? == 0 {
        return Err(ErrorKind::WouldBlock.into());
    }
    Ok(rustix::io::read(terminal, buffer)?)
}
