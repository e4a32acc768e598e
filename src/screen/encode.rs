//! Keys, mouse, pastes and focus as the bytes that a program expects (S4.3).

use super::encode_key::encode_key;
use super::encode_mouse::encode_mouse;
use crate::model::{Action, TerminalModes};

/// Why input could not be encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// A mouse action, but the program did not ask for a mouse.
    #[error("the program did not ask for mouse input")]
    MouseNotWanted,
}

/// What frames a paste.
const PASTE_START: &str = "\x1b[200~";
const PASTE_END: &str = "\x1b[201~";

/// Encodes actions for a program whose terminal is in `modes`.
///
/// # Errors
/// [`EncodeError`] when one of them cannot be sent; then none is.
pub fn encode(modes: &TerminalModes, actions: &[Action]) -> Result<Vec<u8>, EncodeError> {
    let mut out = Vec::new();
    for action in actions {
        match action {
            Action::Text(text) => out.extend_from_slice(text.as_bytes()),
            Action::Paste(text) => encode_paste(modes, text, &mut out),
            Action::EndPaste if modes.bracketed_paste => out.extend_from_slice(PASTE_END.as_bytes()),
            Action::EndPaste => {}
            Action::Key(key, modifiers) => encode_key(modes, *key, *modifiers, &mut out),
            Action::Mouse(mouse) => encode_mouse(modes, *mouse, &mut out)?,
            Action::Focus(gained) => {
                if modes.focus_events {
                    out.extend_from_slice(if *gained { b"\x1b[I" } else { b"\x1b[O" });
                }
            }
        }
    }
    Ok(out)
}

/// Line breaks of a paste become what Enter sends, as in any terminal.
fn encode_paste(modes: &TerminalModes, text: &str, out: &mut Vec<u8>) {
    let text = text.replace("\r\n", "\r").replace('\n', "\r");
    if modes.bracketed_paste {
        out.extend_from_slice(PASTE_START.as_bytes());
        out.extend_from_slice(without_markers(&text).as_bytes());
        out.extend_from_slice(PASTE_END.as_bytes());
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}

/// Removes frame markers, those too that come to be when another is removed.
fn without_markers(text: &str) -> String {
    const MARKERS: [&str; 4] = [PASTE_START, PASTE_END, "\u{9b}200~", "\u{9b}201~"];
    let mut kept = String::with_capacity(text.len());
    for character in text.chars() {
        kept.push(character);
        if character == '~'
            && let Some(marker) = MARKERS.iter().find(|marker| kept.ends_with(**marker))
        {
            kept.truncate(kept.len() - marker.len());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paste(text: &str, bracketed: bool) -> String {
        let modes = TerminalModes { bracketed_paste: bracketed, ..TerminalModes::default() };
        let bytes = encode(&modes, &[Action::Paste(text.into())]).expect("pastes are never refused");
        String::from_utf8(bytes).expect("text stays text")
    }

    #[test]
    fn a_paste_cannot_leave_its_frame_from_inside() {
        let nested = "a\x1b[20\x1b[201~1~b\x1b[2\x1b[20\x1b[201~1~01~c\u{9b}201~d\x1b[200~e";
        assert_eq!(paste(nested, true), "\x1b[200~abcde\x1b[201~");
    }

    #[test]
    fn a_program_that_asked_for_no_frames_gets_none() {
        assert_eq!(paste("one\ntwo\r\nthree", false), "one\rtwo\rthree");
    }

    #[test]
    fn the_end_of_a_lost_paste_is_told_only_to_a_program_that_asked_for_frames() {
        let modes = TerminalModes { bracketed_paste: true, ..TerminalModes::default() };
        assert_eq!(encode(&modes, &[Action::EndPaste]).expect("an end"), b"\x1b[201~");
        assert_eq!(encode(&TerminalModes::default(), &[Action::EndPaste]).expect("nothing"), b"");
    }

    #[test]
    fn focus_is_told_only_to_a_program_that_asked() {
        let modes = TerminalModes { focus_events: true, ..TerminalModes::default() };
        let both = [Action::Focus(true), Action::Focus(false)];
        assert_eq!(encode(&modes, &both).expect("focus"), b"\x1b[I\x1b[O");
        assert_eq!(encode(&TerminalModes::default(), &both).expect("focus"), b"");
    }
}
