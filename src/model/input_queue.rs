//! What is typed into a run: in order, one write under way at a time, and never with a hole in the middle.

use std::collections::VecDeque;
use std::mem::size_of;
use std::time::Duration;

use super::{Action, Cut, Effects, ErrorCode, Failure, Input, Limits, Moment, WriteStdin};

/// The most that waits, in bytes: the longest paste that a terminal hands over as one, and as much again.
const MAX_WAITING_BYTES: usize = 8 * 1024 * 1024;

/// Once something was lost, what is typed is dropped until nothing was typed for so long: the rest of the same line is no line.
const QUIET: Duration = Duration::from_millis(300);

/// After this a write that found no room is tried again; twice as late each time, up to [`MAX_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(20);

/// The longest pause between two tries.
const MAX_PAUSE: Duration = Duration::from_millis(640);

/// What to do after something was lost.
const HINT: &str = "what is typed meanwhile is dropped: pause, then type again";

/// The input that waits to be written into one run.
#[derive(Debug, Default)]
pub struct InputQueue {
    waiting: VecDeque<Input>,
    waiting_bytes: usize,
    under_way: Option<Input>,
    /// How long the next pause is.
    pause: Option<Duration>,
    gap: Option<Gap>,
}

/// Something was lost: what is typed directly behind it is dropped, too.
#[derive(Debug)]
struct Gap {
    why: Failure,
    /// When something was lost or dropped last.
    at: Moment,
}

/// What follows from the answer to a write.
#[derive(Debug, PartialEq, Eq)]
pub enum Answered {
    /// It is done, or was of no weight: the next one may be sent.
    Done,
    /// There was no room: the same write is to be sent again after this pause.
    Again(WriteStdin, Duration),
    /// It was lost, and so is what waited behind it.
    Lost(Failure),
    /// It was refused, and nothing that was typed is missing: the next one may be sent.
    Refused(Failure),
}

impl InputQueue {
    /// Puts input behind what waits.
    ///
    /// # Errors
    /// Nothing of it is taken when too much waits (more than 8 MiB), and while what is typed belongs to something that was lost: why that
    /// was.
    pub fn put(&mut self, input: Input, now: Moment) -> Result<(), Failure> {
        if let Some(gap) = &mut self.gap {
            let is_over = now.since(gap.at) >= QUIET && self.under_way.is_none() && self.waiting.is_empty();
            if !is_over {
                gap.at = now;
                return Err(gap.why.clone());
            }
            self.gap = None;
        }
        let bytes = weight(&input);
        if self.waiting_bytes + bytes > MAX_WAITING_BYTES {
            let message = "the run does not read its input and too much waits already";
            let why = Failure::new(ErrorCode::Busy, message).with_hint(HINT);
            self.gap = Some(Gap { why: why.clone(), at: now });
            return Err(why);
        }
        self.waiting_bytes += bytes;
        if let Some(input) = self.join(input) {
            self.waiting.push_back(input);
        }
        Ok(())
    }

    /// Joins input to the last that waits; returns it when it needs a write of its own.
    fn join(&mut self, input: Input) -> Option<Input> {
        match (self.waiting.back_mut(), input) {
            (Some(Input::Text(last)), Input::Text(text)) if last.len() + text.len() <= Limits::MAX_INPUT_BYTES => {
                last.push_str(&text);
                None
            }
            (Some(Input::Actions(last)), Input::Actions(more)) if may_join(last, &more) => {
                last.extend(more);
                None
            }
            (_, input) => Some(input),
        }
    }

    /// Returns what is to be sent now; nothing while a write is under way.
    pub fn next_write(&mut self) -> Option<WriteStdin> {
        if self.under_way.is_some() {
            return None;
        }
        let input = self.waiting.pop_front()?;
        self.waiting_bytes -= weight(&input);
        self.under_way = Some(input.clone());
        Some(WriteStdin { input: Some(input), size: None })
    }

    /// Takes out all that waits, for another queue.
    pub fn take_waiting(&mut self) -> VecDeque<Input> {
        self.waiting_bytes = 0;
        std::mem::take(&mut self.waiting)
    }

    /// Takes the answer to the write that is under way.
    pub fn answered(&mut self, answer: Result<Cut, Failure>, now: Moment) -> Answered {
        let Some(input) = self.under_way.take() else { return Answered::Done };
        let (failure, is_answered) = match answer {
            Ok(cut) => match cut.outcome.failed {
                Some(failure) => (failure, true),
                None => {
                    self.pause = None;
                    return Answered::Done;
                }
            },
            Err(failure) => (failure, false),
        };
        if failure.code == ErrorCode::Busy && failure.effects != Effects::Unknown {
            let pause = self.pause.map_or(FIRST_PAUSE, |pause| (pause * 2).min(MAX_PAUSE));
            self.pause = Some(pause);
            self.under_way = Some(input.clone());
            return Answered::Again(WriteStdin { input: Some(input), size: None }, pause);
        }
        self.pause = None;
        if is_answered && !is_typed(&input) {
            return Answered::Refused(failure);
        }
        let why = failure.with_hint(HINT);
        self.waiting.clear();
        self.waiting_bytes = 0;
        self.gap = Some(Gap { why: why.clone(), at: now });
        Answered::Lost(why)
    }

    /// Returns whether the longest write still finds room.
    pub fn has_room(&self) -> bool {
        self.waiting_bytes + Limits::MAX_INPUT_BYTES <= MAX_WAITING_BYTES
    }

    /// Returns whether everything is written.
    pub fn is_idle(&self) -> bool {
        self.under_way.is_none() && self.waiting.is_empty()
    }

    /// Returns whether it need not be kept: nothing waits, and what is typed next is taken.
    pub fn is_spent(&self, now: Moment) -> bool {
        self.is_idle() && self.gap.as_ref().is_none_or(|gap| now.since(gap.at) >= QUIET)
    }
}

/// Returns what input costs, in bytes.
fn weight(input: &Input) -> usize {
    match input {
        Input::Text(text) => text.len(),
        Input::Actions(actions) => actions.len() * size_of::<Action>() + text_bytes(actions),
    }
}

fn text_bytes(actions: &[Action]) -> usize {
    actions.iter().map(Action::text_bytes).sum()
}

/// Whether it is text, which must not have a hole. The mouse may come where a program has just stopped listening.
fn is_typed(input: &Input) -> bool {
    match input {
        Input::Text(_) => true,
        Input::Actions(actions) => actions.iter().all(Action::is_typed),
    }
}

/// Whether one write carries both. The mouse is refused by itself: no key is refused with it.
fn may_join(last: &[Action], more: &[Action]) -> bool {
    last.len() + more.len() <= Limits::MAX_ACTIONS
        && text_bytes(last) + text_bytes(more) <= Limits::MAX_INPUT_BYTES
        && last.iter().chain(more).all(Action::is_typed)
}

#[cfg(test)]
#[path = "input_queue_tests.rs"]
mod tests;
