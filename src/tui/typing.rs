//! Typing into runs: what is on its way to each.

use std::collections::HashMap;
use std::future::poll_fn;
use std::task::Poll;

use crate::api::{Client, Typing};
use crate::model::{Failure, Input, RunId};

use super::event::{Answer, Event};

/// What is being typed, by run.
#[derive(Default)]
pub(super) struct Typings(HashMap<RunId, Typing>);

impl Typings {
    /// Types into a run behind what was typed before; the event tells when it is dropped.
    pub(super) fn put(&mut self, client: &dyn Client, run: RunId, input: Input) -> Option<Event> {
        self.0.retain(|at, typing| *at == run || !typing.is_spent());
        let typing = self.0.entry(run).or_insert_with(|| Typing::new(run));
        typing.put(client, input).err().map(|failure| trouble(run, failure))
    }

    /// Waits until something that was typed was lost or refused; meanwhile everything else goes on.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub(super) async fn trouble(&mut self, client: &dyn Client) -> Event {
        poll_fn(|cx| {
            for (run, typing) in &mut self.0 {
                if let Poll::Ready(failure) = typing.poll_trouble(client, cx) {
                    return Poll::Ready(trouble(*run, failure));
                }
            }
            Poll::Pending
        })
        .await
    }
}

fn trouble(run: RunId, failure: Failure) -> Event {
    Event::Answer(Answer::Controlled { run, result: Err(failure) })
}
