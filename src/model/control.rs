//! Control of a live run: what is asked, and what is answered from the cut (S4.1, S4.2).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Action, ErrorCode, Failure, Frame, Key, Limits, Modifiers, Record, Size};

/// The input of a write: text, or actions that are encoded from the modes of the screen at the cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// 1–65,536 bytes, as they are.
    Text(String),
    /// 1–64 actions whose texts have at most 65,536 bytes together.
    Actions(Vec<Action>),
}

/// A control operation on a PTY run: input, a size, or both. With both, the size is applied first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteStdin {
    /// What to type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Input>,
    /// The size to give to the terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Size>,
}

impl WriteStdin {
    /// Makes a control that types `text`.
    pub fn text(text: impl Into<String>) -> WriteStdin {
        WriteStdin { input: Some(Input::Text(text.into())), size: None }
    }

    /// Makes a control that presses one key.
    pub fn key(key: Key, modifiers: Modifiers) -> WriteStdin {
        WriteStdin::actions(vec![Action::Key(key, modifiers)])
    }

    /// Makes a control of actions.
    pub fn actions(actions: Vec<Action>) -> WriteStdin {
        WriteStdin { input: Some(Input::Actions(actions)), size: None }
    }

    /// Makes a control that only sets the size.
    pub fn resize(size: Size) -> WriteStdin {
        WriteStdin { input: None, size: Some(size) }
    }

    /// Checks everything that can be checked without the run (S4.1).
    ///
    /// # Errors
    /// [`ErrorCode::Invalid`] when neither input nor size is given, the input is empty, or it exceeds a limit.
    pub fn validate(&self) -> Result<(), Failure> {
        let invalid = |message: String, hint: &str| Err(Failure::new(ErrorCode::Invalid, message).with_hint(hint));
        let (bytes, actions) = match &self.input {
            None if self.size.is_none() => {
                return invalid("a write needs input, a size, or both".into(), "say what to type");
            }
            None => return Ok(()),
            Some(Input::Text(text)) => (text.len(), 1),
            Some(Input::Actions(actions)) => (actions.iter().map(Action::text_bytes).sum(), actions.len()),
        };
        if actions > Limits::MAX_ACTIONS {
            let message = format!("a write takes at most {} actions, not {actions}", Limits::MAX_ACTIONS);
            return invalid(message, "give them in several writes");
        }
        if bytes > Limits::MAX_INPUT_BYTES {
            let message = format!("a write takes at most {} bytes of text, not {bytes}", Limits::MAX_INPUT_BYTES);
            return invalid(message, "give it in several writes");
        }
        let empty = match &self.input {
            Some(Input::Text(text)) => text.is_empty(),
            Some(Input::Actions(actions)) => {
                actions.is_empty()
                    || actions.iter().any(|a| matches!(a, Action::Text(t) | Action::Paste(t) if t.is_empty()))
            }
            None => false,
        };
        if empty { invalid("the input of a write is empty".into(), "leave out what is empty") } else { Ok(()) }
    }
}

/// What became of the input of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WriteOutcome {
    /// How many bytes the input came to once encoded.
    pub bytes: usize,
    /// Whether they were put into the run's input queue at the cut.
    pub queued: bool,
}

/// What became of the size of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResizeOutcome {
    /// The size that was asked for.
    pub size: Size,
    /// Whether the terminal has this size now because of the cut.
    pub applied: bool,
    /// Whether it had another size before.
    pub changed: bool,
}

/// What a control operation did at its cut.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CutOutcome {
    /// Of the input, when there was one.
    pub input: Option<WriteOutcome>,
    /// Of the size, when there was one.
    pub resize: Option<ResizeOutcome>,
    /// What failed at the cut, such as mouse input to a program that wants none.
    pub failed: Option<Failure>,
}

/// What a write got from the run.
#[derive(Debug, Clone, PartialEq)]
pub enum Applied {
    /// The screen at the very instant of the cut.
    Live(Arc<Frame>),
    /// The run had ended before the cut: its final record.
    Final(Arc<Record>),
}

/// The answer to a control operation (S4.2).
#[derive(Debug, Clone, PartialEq)]
pub struct Cut {
    /// What was done.
    pub outcome: CutOutcome,
    /// What the run shows.
    pub view: Applied,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_of_64_kib_and_one_byte_is_refused_whole() {
        assert!(WriteStdin::text("x".repeat(65_536)).validate().is_ok());
        let err = WriteStdin::text("x".repeat(65_537)).validate().expect_err("too long");
        assert!(err.message.contains("65536") && err.message.contains("65537"), "{err}");
    }

    #[test]
    fn a_write_of_nothing_is_refused() {
        let nothing = WriteStdin { input: None, size: None };
        let empty_actions = WriteStdin::actions(vec![]);
        let empty_paste = WriteStdin::actions(vec![Action::Paste(String::new())]);
        for write in [nothing, WriteStdin::text(""), empty_actions, empty_paste] {
            assert_eq!(write.validate().expect_err("empty").code, ErrorCode::Invalid);
        }
        assert!(WriteStdin::resize(Size::DEFAULT).validate().is_ok());
    }

    #[test]
    fn sixty_five_actions_are_refused() {
        let action = || Action::Key(Key::Char('x'), Modifiers::default());
        assert!(WriteStdin::actions(vec![action(); 64]).validate().is_ok());
        assert!(WriteStdin::actions(vec![action(); 65]).validate().is_err());
        let halves = || Action::Text("x".repeat(40_000));
        assert!(WriteStdin::actions(vec![halves(), halves()]).validate().is_err(), "the texts count together");
    }
}
