//! One run as the supervisor knows it.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::mpsc;

use super::request::LiveRoad;
use super::storing::Keeping;
use super::why::Refused;

use crate::api::{Activity, Answer, DeadlineView, LiveOutput, RunView, StartRequest, StopId, StopOutcome, Termination};
use crate::driver::{DriverPort, TakenUp};
use crate::launch::Resolved;
use crate::model::run::{Input, Run};
use crate::model::stop::StopKey;
use crate::model::{
    Attention, Cut, CutOutcome, Failure, Keyboard, Moment, Notification, Record, RecordOutput, RunSpec, Slot,
};
use crate::store::Redaction;
use crate::store::log::LogProgress;

/// Who waits for a start.
pub(super) enum Starter {
    /// Those who want to know when it runs; none for a run that replaces another whose asker left.
    Background(Vec<Answer<Arc<Record>>>),
    /// Who waits for its end, and gets its output meanwhile.
    Foreground(Option<LiveRoad>, Option<Answer<Arc<Record>>>),
}

impl Starter {
    /// Tells all that the start failed.
    pub(super) fn refuse(self, failure: &Failure) {
        match self {
            Starter::Background(answers) => answers.into_iter().for_each(|answer| answer.send(Err(failure.clone()))),
            Starter::Foreground(_, answer) => answer.into_iter().for_each(|answer| answer.send(Err(failure.clone()))),
        }
    }
}

/// A run whose record exists.
pub(super) struct Entry {
    pub(super) spec: RunSpec,
    pub(super) machine: Run,
    pub(super) record: Arc<Record>,
    pub(super) slot: Option<Slot>,
    pub(super) starter: Starter,
    /// What is executed and where live output goes, until the driver gets both.
    pub(super) resolved: Option<(Resolved, Option<mpsc::UnboundedSender<LiveOutput>>)>,
    pub(super) port: Option<DriverPort>,
    pub(super) stops: HashMap<StopKey, (StopId, Answer<StopOutcome>)>,
    /// Controls that came after the root's exit: they get the final record.
    pub(super) late_controls: Vec<(CutOutcome, Answer<Cut>)>,
    /// What is to be started once this run is closed, and who waits for that.
    pub(super) successor: Option<(StartRequest, Vec<Answer<Arc<Record>>>)>,
    pub(super) output: Option<RecordOutput>,
    /// Why the final record could not be stored.
    pub(super) final_failure: Option<Failure>,
    pub(super) started: Option<Moment>,
    pub(super) ended: Option<Moment>,
    pub(super) activity: Activity,
    /// What it wants of somebody.
    pub(super) attention: Option<Attention>,
    /// What it wanted somebody to be told last.
    pub(super) said: Option<Notification>,
    /// Who types.
    pub(super) keyboard: Keyboard,
    /// Who waits for another name of it to be durable.
    pub(super) renaming: Option<Answer<Arc<Record>>>,
    pub(super) keeping: Keeping,
    /// The last start of its name that was refused.
    pub(super) refused: Option<Refused>,
    /// How far its log has come, once there is one.
    pub(super) log: Option<LogProgress>,
    /// For a run that another server started.
    pub(super) adoption: Option<Adoption>,
}

/// What is still to be done for a run that another server started.
pub(super) struct Adoption {
    /// What its holder gave, until the driver gets it.
    pub(super) taken_up: Option<TakenUp>,
    /// Its end was decided and did not reach the holder.
    pub(super) unfinished: Option<Input>,
}

impl Entry {
    /// Returns the run as lists show it.
    pub(super) fn view(&self) -> RunView {
        let deadline = self.machine.deadline().map(|(kind, at)| DeadlineView { kind, at });
        let termination = match self.machine.grace_until() {
            Some(until) => Termination::Grace { until },
            None if self.machine.is_ending() => Termination::Draining,
            None if self.machine.stop_is_preparing() => Termination::Preparing,
            None => Termination::None,
        };
        RunView {
            record: Arc::clone(&self.record),
            deadline,
            termination,
            control_open: self.machine.control_is_open(),
            started: self.started,
            ended: self.ended,
            activity: self.activity,
            attention: self.attention.filter(|_| !self.is_final()),
            notification: self.said.clone(),
            keyboard: self.keyboard.owner().filter(|_| !self.is_final()).cloned(),
        }
    }

    /// Takes note of what the run wants somebody to be told, without secrets.
    pub(super) fn hear(&mut self, said: Option<Notification>, redaction: &Redaction) {
        if let Some(mut said) = said {
            redaction.text(&mut said.title, false);
            redaction.text(&mut said.text, false);
            // Cut only now: half a secret may not be known as one.
            self.said = Some(Notification::new(said.number, &said.title, &said.text));
        }
    }

    /// Tells those who wait for a run in this one's place that there will be none.
    pub(super) fn drop_successor(&mut self, failure: &Failure) {
        let waiting = self.successor.take().into_iter().flat_map(|(_, answers)| answers);
        waiting.for_each(|answer| answer.send(Err(failure.clone())));
    }

    /// Returns whether the run is over and its record final.
    pub(super) fn is_final(&self) -> bool {
        self.machine.is_closed()
    }
}
