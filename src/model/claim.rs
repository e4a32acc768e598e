//! What a client that wants to type into a run knows of its keyboard (S4.4): whether it has it, and who else does.

use super::{ErrorCode, Failure, KeyboardOwner, TypistKind};

/// How a client stands to the keyboard of a run that it is attached to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Claim {
    /// It does not have it; whoever types next may take it.
    #[default]
    Idle,
    /// It has asked for it. What it types behind that comes behind it.
    Asked,
    /// It has asked for it, and the server gave no answer: it may have it or not. It asks again as soon as the server, or the next one, says something.
    Unknown,
    /// It has it.
    Held(KeyboardOwner),
    /// Another person has it.
    Lost(KeyboardOwner),
}

/// What becomes of a key that is pressed now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press<'a> {
    /// It is sent.
    Send,
    /// The keyboard is asked for first.
    TakeFirst,
    /// It is not sent: somebody else types.
    Refused(&'a KeyboardOwner),
}

impl Claim {
    /// Returns what becomes of a key.
    pub fn press(&self) -> Press<'_> {
        match self {
            Claim::Idle | Claim::Unknown => Press::TakeFirst,
            Claim::Asked | Claim::Held(_) => Press::Send,
            Claim::Lost(owner) => Press::Refused(owner),
        }
    }

    /// Returns whether the size of the run is this client's to say.
    pub fn is_held(&self) -> bool {
        matches!(self, Claim::Asked | Claim::Held(_))
    }

    /// Returns whether a server may think that this client has it: then it is handed back when it is not wanted any more.
    pub fn may_be_held(&self) -> bool {
        self.is_held() || *self == Claim::Unknown
    }

    /// Takes the answer in to what was asked.
    pub fn answered(&mut self, answer: Result<KeyboardOwner, Failure>) {
        match (&self, answer) {
            (Claim::Asked | Claim::Unknown | Claim::Held(_), Ok(owner)) => *self = Claim::Held(owner),
            (Claim::Asked, Err(failure)) => {
                *self = if failure.code == ErrorCode::Unavailable { Claim::Unknown } else { Claim::Idle };
            }
            // Given up or lost since; or an older question's, when a newer one was answered.
            (Claim::Idle | Claim::Lost(_), _) | (Claim::Unknown | Claim::Held(_), Err(_)) => {}
        }
    }

    /// Takes in whom a list shows as the owner. `is_anew` tells that the list came whole: behind a lost connection, say, with which all that was
    /// held was handed back. Returns whether to ask for the keyboard again.
    pub fn saw(&mut self, owner: Option<&KeyboardOwner>, is_anew: bool) -> bool {
        let person = owner.filter(|owner| owner.who.kind == TypistKind::Person);
        match (&*self, person) {
            // What was true before one's own take may be told behind it.
            (Claim::Held(own), Some(other)) if other.id != own.id && other.taken >= own.taken => {
                *self = Claim::Lost(other.clone());
                false
            }
            (Claim::Held(own), _) => is_anew && owner.is_none_or(|owner| owner.id != own.id),
            (Claim::Asked, _) => is_anew,
            (Claim::Unknown, _) => true,
            (Claim::Idle | Claim::Lost(_), Some(other)) => {
                *self = Claim::Lost(other.clone());
                false
            }
            (Claim::Idle | Claim::Lost(_), None) => {
                *self = Claim::Idle;
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::Timestamp;

    use super::*;
    use crate::model::{Moment, Typist, TypistId};

    fn owner(id: u64, kind: TypistKind, second: u64) -> KeyboardOwner {
        let taken = Moment::from_boot(Duration::from_secs(second));
        KeyboardOwner { id: TypistId(id), who: Typist::new(kind, "x"), since: Timestamp::UNIX_EPOCH, taken }
    }

    fn person(id: u64, second: u64) -> KeyboardOwner {
        owner(id, TypistKind::Person, second)
    }

    #[test]
    fn who_takes_it_later_has_it_and_what_is_told_late_changes_nothing() {
        let mut claim = Claim::Asked;
        claim.answered(Ok(person(1, 5)));
        assert!(claim.is_held() && !claim.saw(Some(&person(2, 4)), false));
        assert!(!claim.saw(None, false) && claim.is_held(), "told late");
        claim.saw(Some(&person(2, 6)), false);
        assert_eq!(claim.press(), Press::Refused(&person(2, 6)));
        claim.saw(None, false);
        assert_eq!(claim.press(), Press::TakeFirst);
    }

    #[test]
    fn what_was_held_over_a_lost_connection_is_asked_for_again() {
        let mut claim = Claim::Held(person(1, 5));
        assert!(claim.saw(None, true));
        assert!(claim.saw(Some(&owner(9, TypistKind::Agent, 9)), true), "an agent was quicker");
        assert!(!claim.saw(Some(&person(1, 5)), true), "nothing was lost");
        assert!(Claim::Asked.saw(None, true));
        claim.saw(Some(&person(3, 7)), true);
        assert_eq!(claim, Claim::Lost(person(3, 7)), "another person was quicker");
        assert!(!Claim::Idle.saw(None, true));
    }

    #[test]
    fn what_a_silent_server_was_asked_for_is_asked_again_and_no_owner_is_taken_for_somebody_else() {
        let mut claim = Claim::Asked;
        claim.answered(Err(Failure::new(ErrorCode::Unavailable, "no answer")));
        assert_eq!((claim.press(), claim.is_held(), claim.may_be_held()), (Press::TakeFirst, false, true));
        assert!(
            claim.saw(Some(&person(1, 5)), false),
            "it was taken after all, which the server tells before it answers"
        );
        assert_eq!(claim.press(), Press::TakeFirst);
        claim = Claim::Asked;
        claim.answered(Ok(person(1, 5)));
        assert!(claim.is_held());
    }

    #[test]
    fn of_two_questions_the_failure_of_the_first_does_not_undo_the_answer_to_the_second() {
        let mut claim = Claim::Asked;
        claim.answered(Err(Failure::new(ErrorCode::Unavailable, "the connection was lost")));
        claim.answered(Ok(person(1, 5)));
        assert_eq!(claim, Claim::Held(person(1, 5)));
        claim.answered(Err(Failure::new(ErrorCode::Unavailable, "the connection was lost")));
        assert!(claim.is_held());
        claim = Claim::Asked;
        claim.answered(Err(Failure::new(ErrorCode::ControlClosed, "it has ended")));
        assert_eq!(claim, Claim::Idle);
    }

    #[test]
    fn an_agent_that_types_stands_in_nobodys_way() {
        let mut claim = Claim::Idle;
        claim.saw(Some(&owner(9, TypistKind::Agent, 9)), false);
        assert_eq!(claim.press(), Press::TakeFirst);
    }
}
