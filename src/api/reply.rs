//! Answers that are on their way.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::sync::oneshot;

use crate::model::{Effects, ErrorCode, Failure};

/// An answer that is on its way: the request it belongs to was already sent, so the order of calls is the order of effects.
///
/// # Cancel safety
/// Dropping it tells the other side that nobody waits any more; a control that was not applied yet then changes nothing.
#[derive(Debug)]
#[must_use = "dropping a reply withdraws a control that was not applied yet"]
pub struct Reply<T>(oneshot::Receiver<Result<T, Failure>>);

/// The other end of a [`Reply`]: answers exactly once.
#[derive(Debug)]
pub struct Answer<T>(oneshot::Sender<Result<T, Failure>>);

/// Makes a reply and the end that answers it.
pub fn reply<T>() -> (Answer<T>, Reply<T>) {
    let (answer_tx, answer_rx) = oneshot::channel();
    (Answer(answer_tx), Reply(answer_rx))
}

impl<T> Answer<T> {
    /// Answers. An answer that nobody waits for is dropped.
    pub fn send(self, answer: Result<T, Failure>) {
        drop(self.0.send(answer));
    }

    /// Waits until nobody waits for the answer any more.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub async fn abandoned(&mut self) {
        self.0.closed().await;
    }

    /// Returns whether nobody waits for the answer any more.
    pub fn is_abandoned(&self) -> bool {
        self.0.is_closed()
    }
}

impl<T> Reply<T> {
    /// Makes a reply that is answered already.
    pub fn ready(answer: Result<T, Failure>) -> Reply<T> {
        let (answer_tx, reply) = reply();
        answer_tx.send(answer);
        reply
    }

    /// Waits for the answer on a thread that runs no async code.
    ///
    /// # Errors
    /// What the other side answered, or [`ErrorCode::Unavailable`] when it is gone.
    ///
    /// # Panics
    /// When called from async code.
    pub fn wait(self) -> Result<T, Failure> {
        self.0.blocking_recv().unwrap_or_else(|_| Err(gone()))
    }
}

impl<T> Future for Reply<T> {
    type Output = Result<T, Failure>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx).map(|answer| answer.unwrap_or_else(|_| Err(gone())))
    }
}

fn gone() -> Failure {
    Failure::new(ErrorCode::Unavailable, "the supervisor ended before it answered").with_effects(Effects::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_supervisor_that_is_gone_is_an_answer_too() {
        let (answer, waiting) = reply::<()>();
        drop(answer);
        assert_eq!(waiting.wait().expect_err("gone").code, ErrorCode::Unavailable);
    }

    #[test]
    fn the_answering_side_sees_that_nobody_waits() {
        let (answer, waiting) = reply::<()>();
        assert!(!answer.is_abandoned());
        drop(waiting);
        assert!(answer.is_abandoned());
        answer.send(Ok(()));
    }
}
