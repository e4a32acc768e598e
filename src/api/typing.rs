//! Typing into a run: every byte in order, and nothing behind a byte that was lost.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use tokio::time::Sleep;

use super::client::Client;
use super::reply::Reply;
use crate::model::{Answered, Cut, Failure, Input, InputQueue, Moment, RunId, WriteStdin};

/// Types into one run: one write is under way at a time, and what is typed meanwhile is the next one. A write that finds no room in the run's input is
/// sent again until it does.
pub struct Typing {
    run: RunId,
    queue: InputQueue,
    /// The zero of its clock.
    since: Instant,
    under_way: Option<UnderWay>,
}

enum UnderWay {
    Sent(Reply<Cut>),
    /// It found no room; it is sent again then.
    Again(Pin<Box<Sleep>>, Option<WriteStdin>),
}

impl Typing {
    /// Makes one into which nothing was typed yet.
    pub fn new(run: RunId) -> Typing {
        Typing { run, queue: InputQueue::default(), since: Instant::now(), under_way: None }
    }

    /// Types behind what was typed before. It is on its way when this returns, unless something else is.
    ///
    /// # Errors
    /// Nothing of it is typed: too much waits, or it comes directly behind something that was lost (see [`InputQueue::put`]).
    pub fn put(&mut self, client: &dyn Client, input: Input) -> Result<(), Failure> {
        let now = self.now();
        self.queue.put(input, now)?;
        self.send_next(client);
        Ok(())
    }

    /// Goes on with what is under way; ready when something was lost or refused. To be polled again after everything that was put.
    pub fn poll_trouble(&mut self, client: &dyn Client, cx: &mut Context<'_>) -> Poll<Failure> {
        loop {
            match &mut self.under_way {
                None => return Poll::Pending,
                Some(UnderWay::Again(pause, write)) => {
                    ready!(pause.as_mut().poll(cx));
                    let write = write.take();
                    self.under_way = write.map(|write| UnderWay::Sent(client.control(self.run, write)));
                }
                Some(UnderWay::Sent(reply)) => {
                    let answer = ready!(Pin::new(reply).poll(cx));
                    self.under_way = None;
                    let now = self.now();
                    match self.queue.answered(answer, now) {
                        Answered::Done => self.send_next(client),
                        Answered::Again(write, pause) => {
                            let pause = Box::pin(tokio::time::sleep(pause));
                            self.under_way = Some(UnderWay::Again(pause, Some(write)));
                        }
                        // What was lost may have to be made good.
                        Answered::Lost(failure) | Answered::Refused(failure) => {
                            self.send_next(client);
                            return Poll::Ready(failure);
                        }
                    }
                }
            }
        }
    }

    /// Returns whether more may be read from where it is typed.
    pub fn has_room(&self) -> bool {
        self.queue.has_room()
    }

    /// Returns whether the run has taken everything.
    pub fn is_idle(&self) -> bool {
        self.queue.is_idle()
    }

    /// Returns whether it need not be kept.
    pub fn is_spent(&self) -> bool {
        self.queue.is_spent(self.now())
    }

    fn now(&self) -> Moment {
        Moment::from_boot(self.since.elapsed())
    }

    fn send_next(&mut self, client: &dyn Client) {
        if let Some(write) = self.queue.next_write() {
            self.under_way = Some(UnderWay::Sent(client.control(self.run, write)));
        }
    }
}
