//! Whether a session takes new runs, and who may change what is in it (S7.1, S7.5).

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use super::{ErrorCode, Failure, SessionName};

/// A close of a session that is under way, until it is committed or rolled back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LeaseId(pub u64);

/// Tells whether a session takes new runs. Leases stack: it is open again when the last one is rolled back, unless one of them was committed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionGate {
    epoch: u64,
    leases: BTreeSet<LeaseId>,
    is_closed: bool,
}

impl SessionGate {
    /// Makes the gate of a session as it was left.
    pub fn restored(state: &SessionState) -> SessionGate {
        SessionGate { epoch: 0, leases: state.leases.clone(), is_closed: state.is_closed }
    }

    /// Begins a close. What was admitted before fails its fence from now on.
    pub fn begin(&mut self, lease: LeaseId) {
        self.epoch += 1;
        self.leases.insert(lease);
    }

    /// Takes a close back; returns false when there is no such lease.
    pub fn roll_back(&mut self, lease: LeaseId) -> bool {
        self.leases.remove(&lease)
    }

    /// Makes a close last until [`SessionGate::resume`]; returns false when there is no such lease.
    pub fn commit(&mut self, lease: LeaseId) -> bool {
        let is_held = self.leases.remove(&lease);
        self.is_closed |= is_held;
        is_held
    }

    /// Ends a committed close; returns false when there was none. Leases that are held stay.
    pub fn resume(&mut self) -> bool {
        std::mem::take(&mut self.is_closed)
    }

    /// Returns whether new runs are taken.
    pub fn is_open(&self) -> bool {
        !self.is_closed && self.leases.is_empty()
    }

    /// Returns whether a close was committed.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Returns the leases that are held.
    pub fn leases(&self) -> Vec<LeaseId> {
        self.leases.iter().copied().collect()
    }

    /// Returns the epoch, for a start that is admitted now.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns whether a start that was admitted with this epoch may go on.
    pub fn is_valid(&self, epoch: u64) -> bool {
        self.is_open() && self.epoch == epoch
    }
}

/// What of a session outlives the server (S7.1, S7.5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionState {
    /// The session.
    pub session: SessionName,
    /// Whether a close was committed.
    #[serde(default)]
    pub is_closed: bool,
    /// The closes that are under way.
    #[serde(default)]
    pub leases: BTreeSet<LeaseId>,
    /// The token that every change has to carry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fence: Option<Fence>,
}

impl SessionState {
    /// Returns whether there is something to be kept.
    pub fn matters(&self) -> bool {
        self.is_closed || !self.leases.is_empty() || self.fence.is_some()
    }
}

/// A token that proves that a caller still owns a session: 1 to 128 printable ASCII characters. It is never shown.
#[derive(Clone, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fence(CompactString);

/// The longest fence token.
const MAX_FENCE_BYTES: usize = 128;

impl PartialEq for Fence {
    /// Takes as long for every token of the same length.
    fn eq(&self, other: &Fence) -> bool {
        let pairs = self.0.bytes().zip(other.0.bytes());
        self.0.len() == other.0.len() && pairs.fold(0, |different, (one, two)| different | (one ^ two)) == 0
    }
}

impl fmt::Debug for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fence")
    }
}

impl FromStr for Fence {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Fence, Failure> {
        if (1..=MAX_FENCE_BYTES).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(Fence(text.into()));
        }
        let message = format!("a fence token has 1 to {MAX_FENCE_BYTES} printable ASCII characters without blanks");
        Err(Failure::new(ErrorCode::Invalid, message))
    }
}

impl TryFrom<String> for Fence {
    type Error = Failure;

    fn try_from(text: String) -> Result<Fence, Failure> {
        text.parse()
    }
}

impl From<Fence> for String {
    fn from(fence: Fence) -> String {
        fence.0.into_string()
    }
}

/// What has to be so still for a change to be made (S7.5).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Guard {
    /// The fence token of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fence: Option<Fence>,
    /// The generation of the run that is changed, which has to be the newest of its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy)]
    enum Step {
        Begin,
        RollBack(u64),
        Commit(u64),
        Resume,
    }

    /// Walks every order of so many steps, and compares with what the rule says of the steps as a whole.
    fn walk(left: usize, steps: &mut Vec<Step>) {
        check(steps);
        if left == 0 {
            return;
        }
        let mut next = vec![Step::Begin, Step::Resume];
        next.extend((1..=3).flat_map(|lease| [Step::RollBack(lease), Step::Commit(lease)]));
        for step in next {
            steps.push(step);
            walk(left - 1, steps);
            steps.pop();
        }
    }

    fn check(steps: &[Step]) {
        let mut gate = SessionGate::default();
        let mut begun = 0;
        let mut admitted = Vec::new();
        for (place, step) in steps.iter().enumerate() {
            admitted.push((place, gate.epoch()));
            match step {
                Step::Begin => {
                    begun += 1;
                    gate.begin(LeaseId(begun));
                }
                Step::RollBack(lease) => drop(gate.roll_back(LeaseId(*lease))),
                Step::Commit(lease) => drop(gate.commit(LeaseId(*lease))),
                Step::Resume => drop(gate.resume()),
            }
        }
        // A lease is held from its beginning to its first end; the last commit of a held one without a resume behind it closes.
        let (mut held, mut count, mut closed) = (BTreeSet::new(), 0, false);
        for step in steps {
            match step {
                Step::Begin => {
                    count += 1;
                    held.insert(count);
                }
                Step::RollBack(lease) => drop(held.remove(lease)),
                Step::Commit(lease) => closed |= held.remove(lease),
                Step::Resume => closed = false,
            }
        }
        assert_eq!(gate.is_open(), held.is_empty() && !closed, "{steps:?}");
        assert_eq!(gate.is_closed(), closed, "{steps:?}");
        assert_eq!(gate.leases(), held.into_iter().map(LeaseId).collect::<Vec<_>>(), "{steps:?}");
        for (place, epoch) in admitted {
            let none_since = !steps[place..].iter().any(|step| matches!(step, Step::Begin));
            assert_eq!(gate.is_valid(epoch), gate.is_open() && none_since, "admitted before step {place} of {steps:?}");
        }
    }

    /// S7.1.
    #[test]
    fn every_order_of_closes_commits_and_rollbacks_opens_and_closes_as_the_rule_says() {
        walk(6, &mut Vec::new());
    }

    #[test]
    fn a_fence_is_never_shown_and_only_equal_to_itself() {
        let fence: Fence = "secret-1".parse().expect("a token");
        assert!(!format!("{:?}", Guard { fence: Some(fence.clone()), generation: None }).contains("secret"));
        assert_eq!(fence, "secret-1".parse().expect("a token"));
        for other in ["secret-2", "secret-", "secret-11", "Secret-1"] {
            assert_ne!(fence, other.parse().expect("a token"));
        }
        for bad in ["", "a b", "a\n", "ä", &"x".repeat(MAX_FENCE_BYTES + 1)] {
            assert_eq!(bad.parse::<Fence>().expect_err("none").code, ErrorCode::Invalid);
        }
    }
}
