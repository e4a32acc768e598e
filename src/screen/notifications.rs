//! Notifications of programs: OSC 9 (iTerm2), OSC 777;notify (rxvt-unicode), OSC 99 (kitty's desktop notifications).

use super::signals::{Signal, plain_text};

/// The most notifications of OSC 99 that wait for more chunks; the oldest go first.
const MAX_OPEN: usize = 8;

/// The most bytes of a title or text that are put together from chunks; what follows is left out.
const MAX_BYTES: usize = 16 * 1024;

/// The longest name of a notification, in bytes.
const MAX_ID_BYTES: usize = 128;

/// Reads an OSC 9: a notification, unless it is one of ConEmu's commands, which have a number from 1 to 12 first.
pub(super) fn osc_9(rest: &[u8]) -> Option<Signal> {
    let first = rest.split(|byte| *byte == b';').next().unwrap_or_default();
    let number = std::str::from_utf8(first).ok().and_then(|text| text.parse::<u8>().ok());
    let is_command = number.is_some_and(|number| (1..=12).contains(&number));
    if is_command { None } else { notification(&[], rest) }
}

/// Reads an OSC 777.
pub(super) fn osc_777(rest: &[u8]) -> Option<Signal> {
    let mut parts = rest.strip_prefix(b"notify;")?.splitn(2, |byte| *byte == b';');
    notification(parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

/// Makes a notification; none of nothing. A title alone is the text.
fn notification(title: &[u8], body: &[u8]) -> Option<Signal> {
    let [title, body] = [title, body].map(|bytes| plain_text(bytes, usize::MAX).trim().to_owned());
    let (title, body) = if body.is_empty() { (body, title) } else { (title, body) };
    (!body.is_empty()).then_some(Signal::Notification { title, body })
}

/// Notifications of OSC 99 of which more chunks are to come.
#[derive(Debug, Default)]
pub(super) struct Chunks(Vec<Open>);

#[derive(Debug, Default)]
struct Open {
    id: Vec<u8>,
    title: Vec<u8>,
    body: Vec<u8>,
}

/// What the keys of a chunk say.
struct Keys<'a> {
    id: &'a [u8],
    is_last: bool,
    is_base64: bool,
    part: &'a [u8],
}

impl<'a> Keys<'a> {
    fn read(metadata: &'a [u8]) -> Keys<'a> {
        let mut keys = Keys { id: b"", is_last: true, is_base64: false, part: b"title" };
        for pair in metadata.split(|byte| *byte == b':') {
            match pair.split_at_checked(2) {
                Some((b"i=", id)) => keys.id = &id[..id.len().min(MAX_ID_BYTES)],
                Some((b"d=", done)) => keys.is_last = done != b"0",
                Some((b"e=", encoded)) => keys.is_base64 = encoded == b"1",
                Some((b"p=", part)) => keys.part = part,
                // How it looks and what a click does is the business of who shows it.
                Some(_) | None => {}
            }
        }
        keys
    }
}

impl Chunks {
    /// Takes a chunk in; returns the notification that it ends. Chunks that are no text (icons, buttons, questions, the wish to close) end none.
    pub(super) fn take(&mut self, rest: &[u8]) -> Option<Signal> {
        let at = rest.iter().position(|byte| *byte == b';')?;
        let (keys, payload) = (Keys::read(&rest[..at]), &rest[at + 1..]);
        if !matches!(keys.part, b"title" | b"body" | b"icon" | b"buttons") {
            return None;
        }
        let decoded = if keys.is_base64 { decode(payload)? } else { payload.to_vec() };
        let known = self.0.iter().position(|open| open.id == keys.id);
        let mut open = known.map_or_else(Open::default, |at| self.0.remove(at));
        let into = match keys.part {
            b"title" => Some(&mut open.title),
            b"body" => Some(&mut open.body),
            _ => None,
        };
        if let Some(text) = into {
            let room = MAX_BYTES.saturating_sub(text.len());
            text.extend_from_slice(&decoded[..decoded.len().min(room)]);
        }
        if keys.is_last {
            return notification(&open.title, &open.body);
        }
        if self.0.len() == MAX_OPEN {
            self.0.remove(0);
        }
        open.id = keys.id.to_vec();
        self.0.push(open);
        None
    }
}

/// Decodes base64 with or without padding; none when it is no base64.
fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let text = text.trim_ascii_end();
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count().min(2);
    let text = &text[..text.len() - padding];
    let (mut bytes, mut bits, mut count) = (Vec::with_capacity(text.len() / 4 * 3 + 2), 0_u32, 0);
    for byte in text {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(title: &str, body: &str) -> Option<Signal> {
        Some(Signal::Notification { title: title.into(), body: body.into() })
    }

    #[test]
    fn a_text_is_told_from_the_commands_of_conemu() {
        assert_eq!(osc_9(b"done"), said("", "done"));
        assert_eq!(osc_9(b"3 errors; 2 warnings"), said("", "3 errors; 2 warnings"));
        assert_eq!(osc_9(b"2026"), said("", "2026"));
        for command in ["1;100", "9;/home/user", "12", "5", "", "  ", "\u{1b}\u{7}"] {
            assert_eq!(osc_9(command.as_bytes()), None, "{command:?}");
        }
    }

    #[test]
    fn only_notify_notifies() {
        assert_eq!(osc_777(b"notify;T;a;b"), said("T", "a;b"));
        assert_eq!(osc_777(b"notify;only"), said("", "only"));
        assert_eq!(osc_777(b"precmd"), None);
        assert_eq!(osc_777(b"notify;;"), None);
    }

    #[test]
    fn chunks_are_put_together_by_their_names() {
        let mut chunks = Chunks::default();
        assert_eq!(chunks.take(b";Hello world"), said("", "Hello world"));
        assert_eq!(chunks.take(b"i=1:d=0;Hel"), None);
        assert_eq!(chunks.take(b"i=2:d=0:p=title;Other"), None);
        assert_eq!(chunks.take(b"i=1:d=0:p=title;lo"), None);
        assert_eq!(chunks.take(b"i=1:p=body;there"), said("Hello", "there"));
        assert_eq!(chunks.take(b"i=2:p=body:a=focus:u=2;thing"), said("Other", "thing"));
        assert_eq!(chunks.take(b"i=1:p=body;alone"), said("", "alone"), "what was told is told");
    }

    #[test]
    fn base64_is_decoded_by_chunks_which_may_end_within_a_character() {
        let mut chunks = Chunks::default();
        // "grün", cut after the first byte of its third character.
        assert_eq!(chunks.take(b"i=x:e=1:d=0;Z3LD"), None);
        assert_eq!(chunks.take(b"i=x:e=1:d=1;vG4="), said("", "grün"));
        assert_eq!(chunks.take(b"e=1;aGk"), said("", "hi"), "without padding");
        assert_eq!(chunks.take(b"e=1;a*k="), None, "no base64");
        assert_eq!(chunks.take(b"e=1;G1sybQdoaQ=="), said("", "[2mhi"), "controls are left out");
        assert_eq!(chunks.take(b"e=1;/w=="), said("", "\u{fffd}"));
    }

    #[test]
    fn what_is_no_text_ends_nothing_and_nothing_grows_without_bounds() {
        let mut chunks = Chunks::default();
        for other in ["i=1:p=?;", "i=1:p=close;", "i=1:p=alive;", "no semicolon", "", "p=unknown;x"] {
            assert_eq!(chunks.take(other.as_bytes()), None, "{other}");
        }
        assert_eq!(chunks.take(b"i=9:d=0;with an icon"), None);
        assert_eq!(chunks.take(b"i=9:p=icon:e=1;iVBORw0K"), said("", "with an icon"));
        for number in 0..1000 {
            let long = format!("i={}:d=0;{}", "n".repeat(number), "x".repeat(1000));
            for _ in 0..20 {
                assert_eq!(chunks.take(long.as_bytes()), None);
            }
        }
        assert!(chunks.0.len() <= MAX_OPEN);
        assert!(chunks.0.iter().all(|open| open.title.len() <= MAX_BYTES && open.id.len() <= MAX_ID_BYTES));
        let Some(Signal::Notification { body, .. }) = chunks.take(format!("i={};", "n".repeat(999)).as_bytes()) else {
            panic!("the newest is kept");
        };
        assert_eq!(body.chars().count(), 4096);
    }
}
