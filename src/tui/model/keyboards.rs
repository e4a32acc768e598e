//! The keyboards of runs that this terminal has or wants (S4.4).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::api::RunView;
use crate::model::{Claim, ErrorCode, Failure, KeyboardOwner, Moment, RunId, TypistId, plain_line};

/// One keyboard that is wanted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wanted {
    pub(crate) claim: Claim,
    /// Whether it was taken by its own key: it is kept when the run is not attached any more.
    pub(crate) is_kept: bool,
}

/// All keyboards that are wanted, by run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keyboards {
    wanted: BTreeMap<RunId, Wanted>,
    /// Which client this terminal is, as the server said last. No other server calls another client so.
    own: Option<TypistId>,
    /// Those that were given up and that a server which gave no answer may still take for held.
    owed: BTreeSet<RunId>,
    /// When the last key went to the attached run.
    pub(crate) typed_at: Option<Moment>,
}

impl Keyboards {
    pub(crate) fn get(&self, run: RunId) -> Option<&Wanted> {
        self.wanted.get(&run)
    }

    pub(crate) fn get_mut(&mut self, run: RunId) -> Option<&mut Wanted> {
        self.wanted.get_mut(&run)
    }

    /// Wants the keyboard of a run.
    pub(crate) fn want(&mut self, run: RunId) -> &mut Wanted {
        self.wanted.entry(run).or_default()
    }

    /// Wants it no more; returns whether it is to be handed back.
    pub(crate) fn give_up(&mut self, run: RunId) -> bool {
        self.wanted.remove(&run).is_some_and(|wanted| wanted.claim.may_be_held())
    }

    /// Takes the answer to a take in.
    pub(crate) fn answered(&mut self, run: RunId, answer: Result<KeyboardOwner, Failure>) {
        if let Ok(owner) = &answer {
            self.own = Some(owner.id);
        }
        if let Some(wanted) = self.wanted.get_mut(&run) {
            wanted.claim.answered(answer);
        }
    }

    /// Takes the answer to a hand-back in: one that no server has answered is owed.
    pub(crate) fn handed_back(&mut self, run: RunId, answer: Result<bool, Failure>) {
        if answer.is_err_and(|failure| failure.code == ErrorCode::Unavailable) {
            self.owed.insert(run);
        }
    }

    /// Takes out those that are owed and not wanted again meanwhile.
    pub(crate) fn take_owed(&mut self) -> Vec<RunId> {
        let owed = std::mem::take(&mut self.owed);
        owed.into_iter().filter(|run| !self.wanted.contains_key(run)).collect()
    }

    /// Returns those that were asked for, and no server has answered.
    pub(crate) fn unknown(&self) -> Vec<RunId> {
        let unknown = self.wanted.iter().filter(|(_, wanted)| wanted.claim == Claim::Unknown);
        unknown.map(|(run, _)| *run).collect()
    }

    /// Returns whether the size of a run is this terminal's to say.
    pub(crate) fn is_held(&self, run: RunId) -> bool {
        self.get(run).is_some_and(|wanted| wanted.claim.is_held())
    }

    /// Returns whether another person types into a run that this terminal would type into.
    pub(crate) fn is_lost(&self, run: RunId) -> bool {
        self.get(run).is_some_and(|wanted| matches!(wanted.claim, Claim::Lost(_)))
    }

    /// The runs whose keyboards are wanted.
    pub(crate) fn runs(&self) -> Vec<RunId> {
        self.wanted.keys().copied().collect()
    }

    /// Returns when the keyboard of the attached run is handed back by itself.
    pub(crate) fn idle_at(&self, attached: Option<RunId>, hold: Option<Duration>) -> Option<Moment> {
        let wanted = self.get(attached?).filter(|wanted| wanted.claim.is_held() && !wanted.is_kept);
        wanted.and(self.typed_at).zip(hold).map(|(typed, hold)| typed.plus(hold))
    }

    /// Says who types into a run, where that is somebody else or a choice of this terminal's own.
    pub(crate) fn words(&self, view: &RunView) -> Option<String> {
        // Its own hand-back may be under way.
        let owner = view.keyboard.as_ref().filter(|owner| Some(owner.id) != self.own);
        match (self.get(view.id()), owner) {
            (Some(wanted), _) if wanted.claim.is_held() => wanted.is_kept.then(|| "the keyboard is yours".to_owned()),
            (_, Some(owner)) => Some(format!("{} types", name(owner))),
            (_, None) => None,
        }
    }
}

/// How an owner is called in one short line.
pub(crate) fn name(owner: &KeyboardOwner) -> String {
    plain_line(&owner.who.name, 40)
}
