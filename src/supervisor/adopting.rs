//! Taking up the runs of a server that is gone (S7.4, docs/design/adoption.md): the same records go on.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use serde::{Deserialize, Serialize};

use super::core::{At, Core, Do};
use super::entry::{Adoption, Entry, Starter};
use super::storing::Keeping;
use crate::driver::{Command, TakenUp, take_up};
use crate::holder::{HolderSockets, StartState, StopState};
use crate::launch::Resolved;
use crate::model::run::{Effect, Input, Run, RunTimer, RunTraits};
use crate::model::stop::Reason;
use crate::model::{Cause, Failure, Moment, Record, RunId, RunSpec, TimeoutKind, Timeouts};
use crate::sys::proc;

/// A deadline that was over before there was a server again ends the run at once.
const AT_ONCE: Duration = Duration::from_millis(1);

/// What a supervisor notes for the next one. They are read in order; the last of a kind counts.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Word {
    /// What the run is.
    Begun {
        /// As it was asked for.
        spec: Box<RunSpec>,
        /// As it is executed.
        resolved: Box<Resolved>,
    },
    /// When it was started.
    Started(Moment),
    /// When its time is over, by the wall timeout and by the ready timeout.
    Deadlines {
        /// None: never.
        wall: Option<Moment>,
        /// None: never.
        ready: Option<Moment>,
    },
    /// Its end was commanded.
    Ending(Ending),
}

/// Why and how a run is being ended.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Ending {
    /// Why, as far as the record says; none for a failure of shtask's own, or an end by itself.
    cause: Option<Cause>,
    /// Which timeout it was.
    timed_out_by: Option<TimeoutKind>,
    /// What went wrong.
    failure: Option<Failure>,
    /// Whether there is no grace.
    kill: bool,
}

impl Word {
    /// Returns its bytes; none when it has no such form.
    pub(super) fn bytes(&self) -> Option<Vec<u8>> {
        serde_json::to_vec(self)
            .inspect_err(|error| tracing::error!(%error, "something could not be noted for the next server"))
            .ok()
    }
}

/// For how long a foreground run goes on whose server has died until somebody waits for it again: a client needs a second, on a busy machine a few.
const REJOIN_GRACE: Duration = Duration::from_secs(30);

/// All that was noted of a run.
#[derive(Debug, Default)]
struct Noted {
    begun: Option<(RunSpec, Resolved)>,
    started: Option<Moment>,
    deadlines: Option<(Option<Moment>, Option<Moment>)>,
    ending: Option<Ending>,
}

impl Noted {
    fn read(words: &[Vec<u8>]) -> Noted {
        let mut noted = Noted::default();
        for word in words {
            match serde_json::from_slice(word) {
                Ok(Word::Begun { spec, resolved }) => noted.begun = Some((*spec, *resolved)),
                Ok(Word::Started(at)) => noted.started = Some(at),
                Ok(Word::Deadlines { wall, ready }) => noted.deadlines = Some((wall, ready)),
                Ok(Word::Ending(ending)) => noted.ending = Some(ending),
                // Of a newer shtask: the rest is worth having.
                Err(error) => tracing::warn!(%error, "a note of the last server is not understood"),
            }
        }
        noted
    }
}

/// The runs that have a holder which waits for a server.
pub struct Held {
    sockets: Arc<HolderSockets>,
    runs: HashMap<RunId, TakenUp>,
}

impl Held {
    /// Asks all holders of a folder, at the same time. One that does not answer, or speaks another version, is left alone with a warning. The
    /// state directory has to be locked, so that no other server does the same; `logs` is its folder of raw logs.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub async fn find(sockets: Arc<HolderSockets>, logs: &Path) -> std::io::Result<Held> {
        let waiting = sockets.runs()?;
        let asked = waiting.iter().map(|run| take_up(&sockets, logs, *run));
        let mut runs = HashMap::new();
        for (run, answer) in waiting.iter().zip(join_all(asked).await) {
            match answer {
                Ok(Some(taken_up)) => drop(runs.insert(*run, taken_up)),
                Ok(None) => {
                    // It is in nobody's way, and is looked at again with the next start.
                    if let Err(error) = sockets.remove(*run) {
                        tracing::warn!(%run, %error, "the socket of a run that is gone cannot be removed");
                    }
                }
                Err(failure) => tracing::warn!(%run, %failure, "a run cannot be taken up"),
            }
        }
        Ok(Held { sockets, runs })
    }

    /// Returns the runs: their records are not to be made final when the store is opened.
    pub fn runs(&self) -> HashSet<RunId> {
        self.runs.keys().copied().collect()
    }

    /// Gives the socket folder and what is known of each run, for the supervisor.
    pub(super) fn into_parts(self) -> (Arc<HolderSockets>, HashMap<RunId, TakenUp>) {
        (self.sockets, self.runs)
    }
}

impl Core {
    /// Goes on with a run of another server; none when it was not noted what the run is.
    pub(super) fn adopt(&mut self, at: At, record: Record, taken_up: TakenUp) -> Option<Vec<Do>> {
        let mut noted = Noted::read(taken_up.words());
        let (mut spec, resolved) = noted.begun.take()?;
        // It may have another name than when it was begun.
        spec.name.clone_from(&record.name);
        noted.started = noted.started.or_else(|| started(taken_up.hello().start));
        let run = record.id;
        let ending = noted.ending.take();
        let is_foreground = spec.foreground;
        let is_ending = !matches!(taken_up.hello().stop, StopState::None);
        if let Some(name) = &record.name {
            let newest = self.generations.newest(&record.session, name).max(record.generation);
            self.generations.note(&record.session, name, newest);
        }
        let machine = Run::new(RunTraits {
            mode: spec.mode,
            timeouts: timeouts(&spec, &noted, at.now),
            output_drain: self.limits.output_drain,
            daemonizes: spec.daemonizes,
            grace: spec.stop.grace,
        });
        // It is there, whatever the limits are by now.
        let slot = self.slots.reserve(spec.mode).ok();
        let entry = Entry {
            machine,
            slot,
            starter: if spec.foreground { Starter::Foreground(None, None) } else { Starter::Background(Vec::new()) },
            resolved: Some((resolved, None)),
            port: None,
            stops: HashMap::new(),
            late_controls: Vec::new(),
            successor: None,
            output: None,
            final_failure: None,
            started: noted.started,
            ended: None,
            activity: crate::api::Activity::default(),
            attention: None,
            said: None,
            keyboard: crate::model::Keyboard::default(),
            renaming: None,
            keeping: Keeping::of(record.revision),
            refused: None,
            log: None,
            adoption: Some(Adoption { taken_up: Some(taken_up), unfinished: None }),
            record: Arc::new(record),
            spec,
        };
        self.runs.insert(run, entry);
        // From here on it is a start like any other, but for the driver, which takes up in place of starting.
        let mut todo = self.step(at, run, Input::Recorded(Ok(())));
        if is_foreground {
            // Who waited for it comes back, or is gone like its server.
            todo.push(Do::ArmStarter(run, at.now.plus(REJOIN_GRACE)));
        }
        if let Some(Ending { cause, timed_out_by, failure, kill }) = ending {
            let reason = match (cause, timed_out_by) {
                (Some(Cause::Timeout), kind) => Some(Reason::Timeout(kind.unwrap_or(TimeoutKind::Wall))),
                (Some(Cause::Cancel), _) => Some(Reason::Stop(self.mint_stop())),
                (Some(Cause::Shutdown), _) => Some(Reason::Shutdown),
                (None, _) => None,
            };
            let input = match (reason, failure) {
                (_, Some(failure)) => Some(Input::Broke(failure)),
                (Some(reason), None) => Some(Input::End(reason, kill)),
                // It had ended by itself, and only its output was waited for.
                (None, None) => None,
            };
            match input {
                // The holder is at it: the machine is told so before the start is confirmed.
                Some(input) if is_ending => todo.extend(self.step(at, run, input)),
                // The order did not reach the holder: it is given again once the run is confirmed.
                Some(input) => self.finish_later(run, input),
                None => {}
            }
        }
        self.publish(run);
        Some(todo)
    }

    fn finish_later(&mut self, run: RunId, input: Input) {
        if let Some(adoption) = self.runs.get_mut(&run).and_then(|entry| entry.adoption.as_mut()) {
            adoption.unfinished = Some(input);
        }
    }

    /// Notes for the next server why and how a run is being ended.
    pub(super) fn ending_word(entry: &Entry, kill: bool) -> Word {
        let reason = entry.machine.reason();
        let timed_out_by = match reason {
            Some(Reason::Timeout(kind)) => Some(kind),
            Some(Reason::Stop(_) | Reason::Shutdown | Reason::Integrity) | None => None,
        };
        let failure = entry.machine.failure().filter(|_| reason == Some(Reason::Integrity)).cloned();
        Word::Ending(Ending { cause: reason.and_then(Reason::cause), timed_out_by, failure, kill })
    }
}

impl Entry {
    /// Notes something for the next server; nothing happens where the run does not outlive this one.
    pub(super) fn note(&self, word: &Word) {
        if let (Some(port), Some(bytes)) = (&self.port, word.bytes()) {
            port.order(Command::Note(bytes));
        }
    }

    /// Notes the deadlines when effects have moved them.
    pub(super) fn note_deadlines(&self, effects: &[Effect]) {
        if let Some(word) = deadlines(&self.machine, effects) {
            self.note(&word);
        }
    }
}

/// Returns the word about deadlines when effects have moved one. An idle timeout begins anew with each server.
fn deadlines(machine: &Run, effects: &[Effect]) -> Option<Word> {
    let is_moved = |effect: &Effect| {
        let (Effect::Arm(timer, ..) | Effect::Disarm(timer)) = effect else { return false };
        matches!(timer, RunTimer::Timeout(TimeoutKind::Wall | TimeoutKind::Ready))
    };
    // One that is over, and all at the end, are disarmed too. Until the order to end is out, the next server has to find them over again.
    if machine.is_ending() || machine.stop_is_preparing() || !effects.iter().any(is_moved) {
        return None;
    }
    let [wall, ready] = [TimeoutKind::Wall, TimeoutKind::Ready].map(|kind| machine.deadline_of(kind));
    Some(Word::Deadlines { wall, ready })
}

/// Returns what is left of the timeouts of a run.
fn timeouts(spec: &RunSpec, noted: &Noted, now: Moment) -> Timeouts {
    let asked = Timeouts { wall: spec.wall_timeout(), ..spec.timeouts };
    let (wall, ready) = noted.deadlines.unwrap_or_else(|| {
        let started = noted.started.unwrap_or(now);
        (asked.wall.map(|span| started.plus(span)), asked.ready.map(|span| started.plus(span)))
    });
    let left = |at: Option<Moment>| at.map(|at| at.since(now).max(AT_ONCE));
    Timeouts { wall: left(wall), ready: left(ready), idle: asked.idle }
}

/// Returns when a process was started, to a clock tick.
fn started(start: StartState) -> Option<Moment> {
    match start {
        StartState::Spawned { start_ticks, .. } => {
            let millis = start_ticks.saturating_mul(1000) / proc::ticks_per_second().max(1);
            Some(Moment::from_boot(Duration::from_millis(millis)))
        }
        StartState::Pending | StartState::Failed { .. } => None,
    }
}

#[cfg(test)]
#[path = "adopting_tests.rs"]
mod tests;
