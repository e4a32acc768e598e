//! Who holds the keyboard of a PTY run (S4.4): nobody, a person or an agent.
//!
//! A person takes it from anybody, at any time. While a person holds it, nobody else types or resizes. An agent holds it for show only: it is
//! taken by whoever types next. What a person held is told to the next agent that reads.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{ErrorCode, Failure, Moment, plain_line};

/// Tells one client from all others of the same server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TypistId(pub u64);

/// What kind of client types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TypistKind {
    /// Somebody at a terminal.
    #[default]
    Person,
    /// A program that works for somebody.
    Agent,
}

impl TypistKind {
    /// Returns its word.
    pub fn word(self) -> &'static str {
        match self {
            TypistKind::Person => "person",
            TypistKind::Agent => "agent",
        }
    }
}

/// Who a client is, as it says itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Typist {
    /// What kind of client it is.
    #[serde(default)]
    pub kind: TypistKind,
    /// How it is called: the program and the terminal that it is at.
    #[serde(default)]
    pub name: String,
}

impl Typist {
    /// The longest name, in characters.
    const MAX_NAME: usize = 64;

    /// Makes one; of the name one harmless line is kept.
    pub fn new(kind: TypistKind, name: impl AsRef<str>) -> Typist {
        let name = plain_line(name.as_ref().trim(), Typist::MAX_NAME);
        Typist { kind, name: if name.is_empty() { kind.word().to_owned() } else { name } }
    }

    /// Returns the same with a name that is one harmless line: it comes from somebody else.
    #[must_use]
    pub fn checked(self) -> Typist {
        Typist::new(self.kind, self.name)
    }
}

/// Who holds a keyboard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyboardOwner {
    /// Which client it is: the same as in the answer to its own take.
    pub id: TypistId,
    /// Who that is.
    #[serde(flatten)]
    pub who: Typist,
    /// Since when.
    pub since: Timestamp,
    /// The same on the boot clock: of two owners, who took it later has it.
    pub taken: Moment,
}

/// What an agent is told of the time in which a person held the keyboard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldNote {
    /// How the person is called; the last one, when there were several.
    pub by: String,
    /// For how long it was held, all times since the last note together.
    pub held: Duration,
    /// Whether it is held still. Then what is told here is told again after the hand-back.
    pub is_held: bool,
    /// What was typed, newest last, without secrets; nothing of the time in which the terminal did not echo.
    pub typed: String,
    /// Whether there was more: before this, or while the terminal did not echo.
    pub is_cut: bool,
}

/// The keyboard of one run.
#[derive(Debug, Clone, Default)]
pub struct Keyboard {
    owner: Option<KeyboardOwner>,
    /// By whom and for how long it was held by persons since that was told last; what is held now is not in it.
    untold: Option<(String, Duration)>,
}

impl Keyboard {
    /// Returns who holds it.
    pub fn owner(&self) -> Option<&KeyboardOwner> {
        self.owner.as_ref()
    }

    fn person(&self) -> Option<&KeyboardOwner> {
        self.owner().filter(|owner| owner.who.kind == TypistKind::Person)
    }

    /// Returns whether this client holds it, and is a person: what it types is for the note.
    pub fn is_persons(&self, id: TypistId) -> bool {
        self.person().is_some_and(|owner| owner.id == id)
    }

    /// Checks whether somebody may type or resize.
    ///
    /// # Errors
    /// [`ErrorCode::Held`] with who holds it since when.
    pub fn admits(&self, id: TypistId) -> Result<(), Failure> {
        match self.person() {
            Some(owner) if owner.id != id => Err(held(owner)),
            Some(_) | None => Ok(()),
        }
    }

    /// Gives it to somebody; returns whether somebody else, or nobody, had it before.
    ///
    /// # Errors
    /// [`ErrorCode::Held`] for an agent while a person holds it.
    pub fn take(&mut self, now: Moment, wall: Timestamp, id: TypistId, who: &Typist) -> Result<bool, Failure> {
        if self.owner().is_some_and(|owner| owner.id == id) {
            return Ok(false);
        }
        if who.kind == TypistKind::Agent {
            self.admits(id)?;
        }
        self.end_hold(now);
        self.owner = Some(KeyboardOwner { id, who: who.clone(), since: wall, taken: now });
        Ok(true)
    }

    /// Takes it from who holds it, if that is this client; returns whether it was.
    pub fn hand_back(&mut self, now: Moment, id: TypistId) -> bool {
        let is_own = self.owner().is_some_and(|owner| owner.id == id);
        if is_own {
            self.end_hold(now);
        }
        is_own
    }

    /// Takes it from whoever holds it: the run takes no keys any more. Returns whether somebody did.
    pub fn end(&mut self, now: Moment) -> bool {
        let was_held = self.owner.is_some();
        self.end_hold(now);
        was_held
    }

    fn end_hold(&mut self, now: Moment) {
        let Some(owner) = self.owner.take() else { return };
        if owner.who.kind == TypistKind::Person {
            let before = self.untold.take().map_or(Duration::ZERO, |(_, held)| held);
            self.untold = Some((owner.who.name, before + now.since(owner.taken)));
        }
    }

    /// Returns what an agent that reads now is told, but for what was typed; it is told once, and again when it is not over yet.
    pub fn note(&mut self, now: Moment) -> Option<HeldNote> {
        let note = |by: String, held, is_held| HeldNote { by, held, is_held, typed: String::new(), is_cut: false };
        let before = self.untold.as_ref().map_or(Duration::ZERO, |(_, held)| *held);
        match &self.owner {
            Some(owner) if owner.who.kind == TypistKind::Person => {
                Some(note(owner.who.name.clone(), before + now.since(owner.taken), true))
            }
            Some(_) | None => self.untold.take().map(|(by, held)| note(by, held, false)),
        }
    }
}

fn held(owner: &KeyboardOwner) -> Failure {
    let since = owner.since.strftime("%H:%M:%S");
    let message = format!("{} has the keyboard of this run since {since} UTC", owner.who.name);
    Failure::new(ErrorCode::Held, message).with_hint("wait until it is handed back; a person takes it by attaching")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Step {
        Take(u64),
        HandBack(u64),
        Note,
        End,
    }

    /// Clients 0 and 1 are persons, 2 and 3 agents.
    fn kind(client: u64) -> TypistKind {
        if client < 2 { TypistKind::Person } else { TypistKind::Agent }
    }

    fn is_person(client: Option<u64>) -> bool {
        client.is_some_and(|client| client < 2)
    }

    fn at(second: usize) -> Moment {
        Moment::from_boot(Duration::from_secs(second as u64))
    }

    /// Walks every order of so many steps, one a second, and compares with what the rule says of the steps as a whole.
    fn walk(left: usize, steps: &mut Vec<Step>) {
        if left == 0 {
            return check(steps);
        }
        let clients = (0..4).flat_map(|client| [Step::Take(client), Step::HandBack(client)]);
        for step in clients.chain([Step::Note, Step::End]) {
            steps.push(step);
            walk(left - 1, steps);
            steps.pop();
        }
    }

    fn check(steps: &[Step]) {
        let mut keyboard = Keyboard::default();
        // The rule: who holds it after each step, and how many seconds persons held it since that was told.
        let (mut holder, mut held) = (None, 0);
        for (second, step) in steps.iter().enumerate() {
            let now = at(second);
            held += u64::from(is_person(holder) && second > 0);
            match *step {
                Step::Take(client) => {
                    let who = Typist::new(kind(client), format!("client {client}"));
                    let taken = keyboard.take(now, Timestamp::UNIX_EPOCH, TypistId(client), &who);
                    let is_refused = kind(client) == TypistKind::Agent && is_person(holder);
                    assert_eq!(taken.is_err(), is_refused, "{steps:?}");
                    if let Err(failure) = taken {
                        assert_eq!(failure.code, ErrorCode::Held);
                    } else {
                        holder = Some(client);
                    }
                }
                Step::HandBack(client) => {
                    assert_eq!(keyboard.hand_back(now, TypistId(client)), holder == Some(client), "{steps:?}");
                    holder = holder.filter(|holder| *holder != client);
                }
                Step::Note => {
                    let note = keyboard.note(now);
                    let was_held = note.is_some();
                    assert!(was_held || held == 0, "{steps:?}");
                    if let Some(note) = note {
                        assert_eq!(note.held, Duration::from_secs(held), "{steps:?}");
                        assert_eq!(note.is_held, is_person(holder), "{steps:?}");
                    }
                    if !is_person(holder) {
                        held = 0;
                        assert_eq!(keyboard.note(now), None, "told once: {steps:?}");
                    }
                }
                Step::End => {
                    assert_eq!(keyboard.end(now), holder.is_some(), "{steps:?}");
                    holder = None;
                }
            }
            assert_eq!(keyboard.owner().map(|owner| owner.id.0), holder, "{steps:?}");
            for client in 0..4 {
                let may_type = !is_person(holder) || holder == Some(client);
                assert_eq!(keyboard.admits(TypistId(client)).is_ok(), may_type, "client {client} after {steps:?}");
                assert_eq!(keyboard.is_persons(TypistId(client)), is_person(holder) && holder == Some(client));
            }
        }
    }

    /// S4.4.
    #[test]
    fn in_every_order_of_takes_and_hand_backs_one_client_holds_the_keyboard_and_a_person_before_all_others() {
        walk(5, &mut Vec::new());
    }

    #[test]
    fn a_refusal_says_who_has_the_keyboard_since_when() {
        let mut keyboard = Keyboard::default();
        let since = "2026-11-29T12:03:04Z".parse().expect("a time");
        let person = Typist::new(TypistKind::Person, "attach\u{1b} on pts/3\n");
        keyboard.take(at(1), since, TypistId(1), &person).expect("taken");
        let refused = keyboard.admits(TypistId(2)).expect_err("held");
        assert_eq!((refused.code, refused.retryable), (ErrorCode::Held, true));
        assert!(refused.message.contains("attach  on pts/3") && refused.message.contains("12:03:04"), "{refused}");
    }

    #[test]
    fn a_client_without_a_name_is_called_by_its_kind() {
        assert_eq!(Typist::new(TypistKind::Agent, " ").name, "agent");
        assert_eq!(Typist::default().checked().name, "person");
    }
}
