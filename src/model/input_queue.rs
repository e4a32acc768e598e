//! What is typed into a run: in order, one write under way at a time, and never with a hole in the middle.

use std::collections::VecDeque;
use std::mem::size_of;
use std::time::Duration;

use super::{Action, Cut, Effects, ErrorCode, Failure, Input, Limits, Moment, WriteStdin};

/// The most that waits, in bytes: the longest paste that a terminal hands over as one, and as much again.
const MAX_WAITING_BYTES: usize = 8 * 1024 * 1024;

/// Once something was lost, what is typed is dropped until nothing was typed for so long: the rest of the same line is no line.
const QUIET: Duration = Duration::from_millis(300);

/// The same while the rest of a paste comes, whose end is behind what was dropped: a paste that comes slowly is no line either.
const PASTE_QUIET: Duration = Duration::from_secs(5);

/// After this a write that found no room is tried again; twice as late each time, up to [`MAX_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(20);

/// The longest pause between two tries.
const MAX_PAUSE: Duration = Duration::from_millis(640);

/// What begins and ends a paste where the terminal frames it.
const PASTE_EDGES: [&str; 2] = ["\x1b[200~", "\x1b[201~"];

/// What is longer may reach a terminal in part: its kernel takes no more at once.
const WHOLE_BYTES: usize = 4096;

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
    /// Whether what is put next belongs to a paste.
    in_paste: bool,
    /// The same behind what was taken, and behind what is written.
    takes_paste: bool,
    writes_paste: bool,
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
        let quiet = self.quiet();
        if let Some(gap) = &mut self.gap {
            let is_over = now.since(gap.at) >= quiet && self.under_way.is_none() && self.waiting.is_empty();
            if !is_over {
                self.in_paste = is_paste_open(&input, self.in_paste);
                gap.at = now;
                return Err(gap.why.clone());
            }
            (self.gap, self.in_paste) = (None, false);
        }
        self.in_paste = is_paste_open(&input, self.in_paste);
        let bytes = weight(&input);
        if self.waiting_bytes + bytes > MAX_WAITING_BYTES {
            let message = "the run does not read its input and too much waits already";
            let why = Failure::new(ErrorCode::Busy, message).with_hint(HINT);
            self.gap = Some(Gap { why: why.clone(), at: now });
            if std::mem::take(&mut self.takes_paste) {
                self.end_paste();
            }
            return Err(why);
        }
        self.takes_paste = is_paste_open(&input, self.takes_paste);
        self.waiting_bytes += bytes;
        if let Some(input) = self.join(input) {
            self.waiting.push_back(input);
        }
        Ok(())
    }

    /// Returns for how long nothing is typed before a gap is over.
    fn quiet(&self) -> Duration {
        if self.in_paste { PASTE_QUIET } else { QUIET }
    }

    /// Ends a paste in the program, behind what waits.
    fn end_paste(&mut self) {
        let end = end_of_paste();
        self.waiting_bytes += weight(&end);
        self.waiting.push_back(end);
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
                    self.writes_paste = is_paste_open(&input, self.writes_paste);
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
        if input == end_of_paste() {
            // Until there is a server; where the run has ended, or somebody else types, it cannot be helped.
            if failure.code == ErrorCode::Unavailable {
                self.under_way = Some(input.clone());
                return Answered::Again(WriteStdin { input: Some(input), size: None }, MAX_PAUSE);
            }
            self.writes_paste = false;
            return Answered::Done;
        }
        if is_answered && !is_typed(&input) {
            return Answered::Refused(failure);
        }
        let may_have_come = !is_answered && failure.effects == Effects::Unknown;
        let why = failure.with_hint(HINT);
        self.waiting.clear();
        self.waiting_bytes = 0;
        self.gap = Some(Gap { why: why.clone(), at: now });
        self.takes_paste = false;
        if self.writes_paste || (may_have_come && may_open_paste(&input)) {
            self.end_paste();
        }
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
        self.is_idle() && self.gap.as_ref().is_none_or(|gap| now.since(gap.at) >= self.quiet())
    }
}

/// What ends a paste of which the rest was lost.
fn end_of_paste() -> Input {
    Input::Actions(vec![Action::EndPaste])
}

/// Returns whether a paste goes on behind this input, when one does before it or not.
fn is_paste_open(input: &Input, before: bool) -> bool {
    match input {
        Input::Text(text) => match PASTE_EDGES.map(|edge| text.rfind(edge)) {
            [None, None] => before,
            [begin, end] => begin > end,
        },
        Input::Actions(actions) => before && !actions.contains(&Action::EndPaste),
    }
}

/// Returns whether a program that has got this input up to some place may be in a paste.
fn may_open_paste(input: &Input) -> bool {
    let is_long = weight(input) > WHOLE_BYTES;
    match input {
        Input::Text(text) => is_paste_open(input, false) || (is_long && text.contains(PASTE_EDGES[0])),
        Input::Actions(actions) => is_long && actions.iter().any(|action| matches!(action, Action::Paste(_))),
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
