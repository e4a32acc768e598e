//! From bytes to keys, mouse events, pastes and focus changes.

use crate::model::{Key, KeyChord, Modifiers, NamedKey};

use super::super::event::Input;
use super::super::ground::{ANSWER, Ground};
use super::sequence::{csi, ss3};

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
const PASTE_END: &[u8] = b"\x1b[201~";

/// A longer control sequence is none that means anything: it is dropped.
const MAX_SEQUENCE: usize = 64;
/// A longer paste is taken in pieces.
const MAX_PASTE: usize = 4 * 1024 * 1024;

/// Understands a stream that may be cut anywhere.
#[derive(Debug, Default)]
pub(super) struct Parser {
    /// What is not understood yet: the start of a sequence or of a character.
    pending: Vec<u8>,
    /// The text of the paste that is under way.
    paste: Option<Vec<u8>>,
}

/// What has begun and may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begun {
    Nothing,
    /// A key, or a longer sequence.
    Key,
    /// A key, or an answer about the background.
    KeyOrAnswer,
    /// An answer about the background.
    Answer,
    Paste,
}

/// What the start of some bytes is.
enum Step {
    /// So many bytes that mean this.
    Is(usize, Option<Input>),
    /// Perhaps more with more bytes.
    More,
}

impl Parser {
    /// Takes bytes in and gives out what they mean.
    pub(super) fn feed(&mut self, bytes: &[u8], out: &mut Vec<Input>) {
        self.pending.extend_from_slice(bytes);
        self.drain(false, out);
    }

    /// Returns what the last bytes may be the start of.
    pub(super) fn begun(&self) -> Begun {
        match self.pending.as_slice() {
            _ if self.paste.is_some() => Begun::Paste,
            [] => Begun::Nothing,
            bytes if bytes.starts_with(ANSWER) => Begun::Answer,
            bytes if ANSWER.starts_with(bytes) => Begun::KeyOrAnswer,
            _ => Begun::Key,
        }
    }

    /// Nothing more came: what may have been the start of something is taken as it is.
    pub(super) fn settle(&mut self, out: &mut Vec<Input>) {
        if let Some(text) = self.paste.take() {
            self.pending.splice(0..0, text);
            let text = std::mem::take(&mut self.pending);
            out.push(pasted(text));
        }
        self.drain(true, out);
        self.pending.clear();
    }

    fn drain(&mut self, at_end: bool, out: &mut Vec<Input>) {
        let pending = std::mem::take(&mut self.pending);
        let mut rest = pending.as_slice();
        while !rest.is_empty() {
            if self.paste.is_some() {
                rest = self.take_paste(rest, out);
                if self.paste.is_some() {
                    break;
                }
                continue;
            }
            match step(rest, at_end) {
                Step::Is(length, input) => {
                    if rest.starts_with(b"\x1b[200~") {
                        self.paste = Some(Vec::new());
                    }
                    out.extend(input);
                    rest = &rest[length..];
                }
                Step::More => break,
            }
        }
        self.pending = rest.to_vec();
    }

    /// Takes what belongs to the paste. Returns what does not, or may be the start of its end.
    fn take_paste<'a>(&mut self, bytes: &'a [u8], out: &mut Vec<Input>) -> &'a [u8] {
        let Some(text) = &mut self.paste else { return bytes };
        if let Some(end) = bytes.windows(PASTE_END.len()).position(|window| window == PASTE_END) {
            text.extend_from_slice(&bytes[..end]);
            out.push(pasted(std::mem::take(text)));
            self.paste = None;
            return &bytes[end + PASTE_END.len()..];
        }
        let kept = (1..PASTE_END.len()).rev().find(|length| bytes.ends_with(&PASTE_END[..*length])).unwrap_or(0);
        let (now, later) = bytes.split_at(bytes.len() - kept);
        text.extend_from_slice(now);
        if text.len() > MAX_PASTE {
            let whole = text.len() - unfinished(text);
            let more = text.split_off(whole);
            out.push(pasted(std::mem::replace(text, more)));
        }
        later
    }
}

fn pasted(bytes: Vec<u8>) -> Input {
    Input::Paste(String::from_utf8_lossy(&bytes).into_owned())
}

/// How many bytes at the end are the start of a character.
fn unfinished(bytes: &[u8]) -> usize {
    match std::str::from_utf8(&bytes[bytes.len().saturating_sub(3)..]) {
        Err(error) if error.error_len().is_none() => bytes.len().min(3) - error.valid_up_to(),
        Ok(_) | Err(_) => 0,
    }
}

fn step(bytes: &[u8], at_end: bool) -> Step {
    if bytes[0] != ESC {
        return plain(bytes, at_end);
    }
    match bytes.get(1) {
        None if at_end => key_step(1, Key::Named(NamedKey::Escape), Modifiers::default()),
        None => Step::More,
        Some(b'[') => sequence(bytes, 2, false, at_end),
        Some(b'O') => ss3_step(bytes, 2, false, at_end),
        Some(b']') if bytes.starts_with(ANSWER) => answer(bytes, at_end),
        Some(b']') if ANSWER.starts_with(bytes) && !at_end => Step::More,
        Some(&ESC) => match bytes.get(2) {
            // Some terminals send Alt as one more escape.
            Some(b'[') => sequence(bytes, 3, true, at_end),
            Some(b'O') => ss3_step(bytes, 3, true, at_end),
            None if !at_end => Step::More,
            Some(_) | None => key_step(1, Key::Named(NamedKey::Escape), Modifiers::default()),
        },
        Some(_) => match plain(&bytes[1..], at_end) {
            Step::Is(length, Some(Input::Key(chord))) => {
                let modifiers = Modifiers { alt: true, ..chord.modifiers };
                key_step(length + 1, chord.key, modifiers)
            }
            Step::Is(length, input) => Step::Is(length + 1, input),
            Step::More => Step::More,
        },
    }
}

/// A control sequence that starts with `CSI`, whose parameters are at `start`.
fn sequence(bytes: &[u8], start: usize, alt: bool, at_end: bool) -> Step {
    let body = &bytes[start..];
    // The Linux console's function keys have a bracket more.
    if let [b'[', letter, ..] = body {
        let key = letter.checked_sub(b'A').filter(|n| *n < 5).map(|n| Key::Named(NamedKey::F(n + 1)));
        return Step::Is(start + 2, key.map(|key| chord(key, Modifiers::default())));
    }
    let Some(end) = body.iter().position(|byte| !(0x20..=0x3f).contains(byte)) else {
        return cut(bytes, start, at_end);
    };
    if body[end] == b'[' && body.len() == 1 && !at_end {
        return Step::More;
    }
    // A byte that no sequence has ends it without meaning.
    let length = start + end + usize::from((0x40..0x7f).contains(&body[end]));
    Step::Is(length, csi(&body[..end], body[end], alt))
}

/// What the terminal answers about its background, ended by BEL or ST. It is never taken for keys, whatever it says.
fn answer(bytes: &[u8], at_end: bool) -> Step {
    let body = &bytes[ANSWER.len()..];
    let Some(end) = body.iter().position(|byte| !(0x20..0x7f).contains(byte)) else {
        return if at_end || bytes.len() > MAX_SEQUENCE { Step::Is(bytes.len(), None) } else { Step::More };
    };
    let length = ANSWER.len() + end;
    let told = Ground::of_answer(&body[..end]).map(Input::Ground);
    match &body[end..] {
        [BEL, ..] => Step::Is(length + 1, told),
        [ESC, b'\\', ..] => Step::Is(length + 2, told),
        [ESC] if at_end => Step::Is(length + 1, None),
        [ESC] => Step::More,
        _ => Step::Is(length, None),
    }
}

fn ss3_step(bytes: &[u8], start: usize, alt: bool, at_end: bool) -> Step {
    match bytes.get(start) {
        Some(byte) if (0x40..0x7f).contains(byte) => match ss3(*byte, alt) {
            Some(input) => Step::Is(start + 1, Some(input)),
            None => key_step(start, Key::Char('O'), Modifiers { alt: true, ..Modifiers::default() }),
        },
        Some(_) => key_step(start, Key::Char('O'), Modifiers { alt: true, ..Modifiers::default() }),
        None => cut(bytes, start, at_end),
    }
}

/// A sequence that is not finished: with no more to come it is Alt and the character after the escape.
fn cut(bytes: &[u8], start: usize, at_end: bool) -> Step {
    if bytes.len() > MAX_SEQUENCE {
        return Step::Is(bytes.len(), None);
    }
    if !at_end {
        return Step::More;
    }
    let key = Key::Char(char::from(bytes[start - 1]));
    let alt = Modifiers { alt: true, ..Modifiers::default() };
    if bytes.len() == start { key_step(start, key, alt) } else { Step::Is(bytes.len(), None) }
}

/// A key that is a character or a control code.
fn plain(bytes: &[u8], at_end: bool) -> Step {
    let ctrl = Modifiers { ctrl: true, ..Modifiers::default() };
    let none = Modifiers::default();
    match bytes[0] {
        b'\r' => key_step(1, Key::Named(NamedKey::Enter), none),
        b'\t' => key_step(1, Key::Named(NamedKey::Tab), none),
        0x7f => key_step(1, Key::Named(NamedKey::Backspace), none),
        0 => key_step(1, Key::Char(' '), ctrl),
        byte @ 1..=26 => key_step(1, Key::Char(char::from(byte - 1 + b'a')), ctrl),
        byte @ 0x1c..=0x1f => key_step(1, Key::Char(char::from(byte + 0x40)), ctrl),
        ESC => Step::Is(1, None),
        byte @ 0x20..0x7f => key_step(1, Key::Char(char::from(byte)), none),
        0x80.. => character(bytes, at_end),
    }
}

fn character(bytes: &[u8], at_end: bool) -> Step {
    let start = &bytes[..bytes.len().min(4)];
    let (valid, error_len) = match std::str::from_utf8(start) {
        Ok(text) => (text.chars().next(), None),
        Err(error) => {
            let valid = std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default();
            (valid.chars().next(), error.error_len())
        }
    };
    match (valid, error_len) {
        (Some(c), _) if c.is_control() => Step::Is(c.len_utf8(), None),
        (Some(c), _) => key_step(c.len_utf8(), Key::Char(c), Modifiers::default()),
        (None, None) if !at_end && bytes.len() < 4 => Step::More,
        (None, length) => {
            key_step(length.unwrap_or(start.len()), Key::Char(char::REPLACEMENT_CHARACTER), Modifiers::default())
        }
    }
}

fn chord(key: Key, modifiers: Modifiers) -> Input {
    Input::Key(KeyChord { key, modifiers })
}

fn key_step(length: usize, key: Key, modifiers: Modifiers) -> Step {
    Step::Is(length, Some(chord(key, modifiers)))
}
