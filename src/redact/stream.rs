//! Redaction of bytes as they come.

use super::extent::{Extent, LONG_BYTES};
use super::pattern::MAX_MATCH_BYTES;
use super::plain::{ESCAPE, Plain};
use super::redactor::{MARK, Redactor, hidden};
use super::rule::Open;
use super::text::{Text, is_line_end};

/// The most bytes that are held back: past it what is undecided counts as a secret.
pub const MAX_HELD_BYTES: usize = 64 * 1024;
/// What has been passed on and is still looked back at: names, quotation marks, the start of a line.
pub const MAX_BEHIND_BYTES: usize = 256;
/// A value of that length is a secret whatever follows; the blanks behind a shorter one may count.
const DECIDED_BYTES: usize = LONG_BYTES + 64;

/// Takes the secrets out of a stream of bytes, also when they come in pieces.
///
/// What may be the start of a secret is held back until more of it is there: a few bytes as a rule, at most
/// [`MAX_HELD_BYTES`]; with user patterns, the line that has not ended. A private key is left out as it comes. Bytes
/// that are no UTF-8 pass as they are; a character that comes in pieces is passed on in one.
#[derive(Debug)]
pub struct Stream {
    redactor: Redactor,
    /// Bytes that came and were not passed on.
    held: Vec<u8>,
    /// The end of what was passed on, without control sequences, secrets as they were.
    behind: Vec<u8>,
    /// How many bytes at the end of those must be looked at again: a name whose value is to come.
    behind_open: usize,
    /// The secret in the middle of which the stream is: its mark was passed on, its bytes are left out.
    within: Option<Extent>,
    /// How many of the held bytes have been looked at in search of a line end.
    searched: usize,
    found: bool,
}

impl Stream {
    /// Makes a stream that has had no bytes.
    pub fn new(redactor: &Redactor) -> Stream {
        let redactor = redactor.clone();
        Stream {
            redactor,
            held: Vec::new(),
            behind: Vec::new(),
            behind_open: 0,
            within: None,
            searched: 0,
            found: false,
        }
    }

    /// Makes a stream that goes on where another one was at rest, by what [`Stream::at_rest`] told then. What comes of the same bytes is the same,
    /// in whatever pieces they come.
    pub fn resumed(redactor: &Redactor, behind: &[u8]) -> Stream {
        Stream { behind: behind.to_owned(), ..Stream::new(redactor) }
    }

    /// Returns what of the past still counts, at most 256 bytes, while nothing is held back, no secret is open and no name waits for its value;
    /// none otherwise. It may have secrets in it.
    pub fn at_rest(&self) -> Option<&[u8]> {
        let is_at_rest = self.held.is_empty() && self.within.is_none() && self.behind_open == 0;
        (is_at_rest && self.behind.len() <= MAX_BEHIND_BYTES).then_some(&self.behind)
    }

    /// Takes the next bytes and returns what is certainly clean.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        let mut out = Vec::with_capacity(bytes.len());
        while self.advance(false, &mut out) {}
        out
    }

    /// Returns what was held back, as the end of the stream decides it. The stream starts anew.
    pub fn finish(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        while self.advance(true, &mut out) {}
        self.held.clear();
        self.behind.clear();
        self.behind_open = 0;
        self.within = None;
        self.searched = 0;
        out
    }

    /// Returns what is held back, with all taken out that may become a secret: for a look at the output so far.
    pub fn held(&self) -> Vec<u8> {
        if self.within.is_some() {
            return Vec::new();
        }
        let plain = Plain::new(&self.held, false);
        let (text, from) = self.with_behind(&plain.bytes);
        if self.redactor.has_patterns() {
            // No telling what the pattern of a user makes of the rest of the line.
            return Vec::new();
        }
        let found = self.redactor.scan(&text, from - self.behind_open, false);
        let mut spans = found.spans;
        spans.extend(found.open.and_then(|open| hidden(&text, open.hide_from)));
        let unseen = spans.into_iter().filter(|span| span.end > from);
        let spans: Vec<_> = unseen.map(|span| span.start.max(from) - from..span.end - from).collect();
        let mut out = Vec::new();
        plain.write(&self.held, &spans, plain.bytes.len(), MARK.as_bytes(), &mut out);
        out
    }

    /// Returns whether a secret was found so far.
    pub fn found(&self) -> bool {
        self.found
    }

    /// Returns how many bytes are held back.
    pub fn held_bytes(&self) -> usize {
        self.held.len()
    }

    /// Does one step, and returns whether there may be another.
    fn advance(&mut self, ended: bool, out: &mut Vec<u8>) -> bool {
        match self.within {
            Some(extent) => self.leave_out(extent, ended, out),
            None => self.pass_on(ended, out),
        }
    }

    /// Leaves out what belongs to the secret that was found; the control sequences in it are kept.
    fn leave_out(&mut self, extent: Extent, ended: bool, out: &mut Vec<u8>) -> bool {
        let plain = Plain::new(&self.held, ended);
        let end = extent.end(Text { bytes: &plain.bytes, ended }, 0);
        let (Ok(left_out) | Err(left_out)) = end;
        let raw = plain.write(&self.held, std::slice::from_ref(&(0..left_out)), left_out, b"", out);
        self.behind = last(&plain.bytes[..left_out], MAX_BEHIND_BYTES);
        self.behind_open = 0;
        self.drop_held(raw);
        if end.is_ok() {
            self.within = None;
            return !self.held.is_empty();
        }
        if left_out > 0 {
            self.within = Some(extent.continued());
        }
        false
    }

    /// Passes on what is decided.
    fn pass_on(&mut self, ended: bool, out: &mut Vec<u8>) -> bool {
        let Some(part) = self.part(ended) else { return false };
        let plain = Plain::new(&self.held[..part], ended);
        let (text, from) = self.with_behind(&plain.bytes);
        let mut found = self.redactor.scan(&text, from - self.behind_open, ended);
        let mut settled = found.settled.max(from);
        if self.redactor.has_patterns() {
            self.redactor.add_patterns(&text, from, &mut found.spans);
            if part == self.held.len() && !ended && !self.held.last().is_some_and(|byte| is_line_end(*byte)) {
                // A line without an end: a match may reach over the end of what is there.
                settled = settled.min(text.len().saturating_sub(MAX_MATCH_BYTES).max(from));
            }
        }
        let is_full = !ended && self.held.len() - part == 0 && self.held.len() > MAX_HELD_BYTES && settled == from;
        let decided = found.open.and_then(|open| match is_decided(&text, open) {
            true => Some((open.value_from, open.extent)),
            false => is_full.then_some((open.pass_to, Extent::Word)),
        });
        if let Some((mark_at, _)) = decided {
            // What was kept back before the value, a token in its name, is decided with it.
            found.spans.extend(self.redactor.scan(&text[..mark_at], settled, true).spans);
            settled = mark_at;
        } else if !ended {
            settled -= unfinished_character(&text[from..settled]);
            // It may have to go when a mark follows.
            settled -= usize::from(settled > from && text[settled - 1] == ESCAPE);
        }
        // A secret that reaches over the end of what is settled is waited for as a whole.
        settled = found
            .spans
            .iter()
            .find(|span| span.end > settled)
            .map_or(settled, |span| settled.min(span.start))
            .max(from);
        let settled_spans = found.spans.iter().filter(|span| from < span.end && span.end <= settled);
        let spans: Vec<_> = settled_spans.map(|span| span.start.max(from) - from..span.end - from).collect();
        self.found |= !spans.is_empty();
        let raw = plain.write(&self.held, &spans, settled - from, MARK.as_bytes(), out);
        let open = found.open.filter(|_| decided.is_none()).map_or(0, |open| settled.saturating_sub(open.hold_from));
        let behind = last(&text[..settled], MAX_BEHIND_BYTES + open);
        if let Some((_, extent)) = decided {
            out.extend_from_slice(MARK.as_bytes());
            self.found = true;
            self.within = Some(extent);
        }
        if ended {
            out.extend_from_slice(&self.held[plain.raw_bytes.max(raw)..]);
        }
        self.behind = behind;
        self.behind_open = open;
        self.drop_held(if ended { self.held.len() } else { raw });
        self.within.is_some()
    }

    /// Returns how much of the held bytes to look at: with user patterns, whole lines.
    fn part(&mut self, ended: bool) -> Option<usize> {
        if self.held.is_empty() {
            return None;
        }
        if ended || !self.redactor.has_patterns() || self.held.len() > MAX_HELD_BYTES {
            return Some(self.held.len());
        }
        let found = self.held[self.searched..].iter().rposition(|byte| is_line_end(*byte));
        let part = found.map(|at| self.searched + at + 1);
        self.searched = self.held.len();
        part
    }

    /// Returns the text with what was before it, and where it starts.
    fn with_behind(&self, bytes: &[u8]) -> (Vec<u8>, usize) {
        ([&self.behind[..], bytes].concat(), self.behind.len())
    }

    fn drop_held(&mut self, bytes: usize) {
        self.held.drain(..bytes.min(self.held.len()));
        self.searched = self.searched.saturating_sub(bytes);
    }
}

/// Returns whether what is open is a secret whatever follows.
fn is_decided(bytes: &[u8], open: Open) -> bool {
    match open.extent {
        Extent::Pem { .. } => {
            // A line of a key must be there: text that only speaks of such blocks goes on otherwise.
            let (Ok(end) | Err(end)) = open.extent.end(Text { bytes, ended: false }, open.value_from);
            !bytes[open.value_from..end].trim_ascii().is_empty()
        }
        Extent::Word
        | Extent::Words
        | Extent::Quoted { .. }
        | Extent::Line { .. }
        | Extent::Element
        | Extent::Token { .. } => bytes.len() - open.value_from >= DECIDED_BYTES,
    }
}

/// Returns how many bytes at the end are the start of a character of which more is to come.
fn unfinished_character(bytes: &[u8]) -> usize {
    let length = bytes.iter().rev().take(3).position(|byte| byte & 0xc0 != 0x80).map_or(0, |at| at + 1);
    let end = &bytes[bytes.len() - length..];
    let is_unfinished = std::str::from_utf8(end).is_err_and(|error| error.error_len().is_none());
    if is_unfinished { length } else { 0 }
}

fn last(bytes: &[u8], count: usize) -> Vec<u8> {
    bytes[bytes.len().saturating_sub(count)..].to_vec()
}
