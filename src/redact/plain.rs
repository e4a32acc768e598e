//! Text without its escape sequences, and the way back.

use std::borrow::Cow;
use std::ops::Range;

pub(super) const ESCAPE: u8 = 0x1b;
/// The bytes of an escape sequence past which it is no longer taken for one.
const MAX_SEQUENCE_BYTES: usize = 64;

/// Text as a person reads it: control sequences (colours, cursor) taken out.
///
/// The texts of operating system commands stay: a hyperlink may have a secret in its address.
#[derive(Debug)]
pub(super) struct Plain<'a> {
    pub(super) bytes: Cow<'a, [u8]>,
    /// How much of the raw text is in it: all of it, but for an unfinished sequence at the end when more may come.
    pub(super) raw_bytes: usize,
    /// For each sequence, where it stood in the plain text and where it stands in the raw text, in order.
    sequences: Vec<(usize, Range<usize>)>,
}

impl<'a> Plain<'a> {
    pub(super) fn new(raw: &'a [u8], ended: bool) -> Plain<'a> {
        if memchr::memchr(ESCAPE, raw).is_none() {
            return Plain { bytes: Cow::Borrowed(raw), raw_bytes: raw.len(), sequences: Vec::new() };
        }
        let mut bytes = Vec::with_capacity(raw.len());
        let mut sequences = Vec::new();
        let (mut copied, mut at) = (0, 0);
        while let Some(found) = memchr::memchr(ESCAPE, &raw[at..]) {
            let start = at + found;
            match sequence_end(raw, start) {
                Sequence::Whole(end) => {
                    bytes.extend_from_slice(&raw[copied..start]);
                    sequences.push((bytes.len(), start..end));
                    (copied, at) = (end, end);
                }
                Sequence::Other => at = start + 1,
                Sequence::Unfinished if ended => at = start + 1,
                Sequence::Unfinished => {
                    bytes.extend_from_slice(&raw[copied..start]);
                    return Plain { bytes: Cow::Owned(bytes), raw_bytes: start, sequences };
                }
            }
        }
        bytes.extend_from_slice(&raw[copied..]);
        Plain { bytes: Cow::Owned(bytes), raw_bytes: raw.len(), sequences }
    }

    /// Writes the raw text up to the plain position `to`, with a mark in place of each span, sequences kept.
    ///
    /// Returns how much of the raw text that is. Sequences at `to` itself belong to it.
    pub(super) fn write(&self, raw: &[u8], spans: &[Range<usize>], to: usize, mark: &[u8], out: &mut Vec<u8>) -> usize {
        let mut sequences = self.sequences.iter().peekable();
        let mut at = 0;
        for (end, is_shown, span_starts) in pieces(spans, to) {
            if span_starts {
                // The mark's own bracket must not make a control sequence of what is before it.
                if out.last() == Some(&ESCAPE) {
                    out.pop();
                }
                out.extend_from_slice(mark);
            }
            // The sequences at the end of a piece go before what follows it.
            while let Some((place, sequence)) = sequences.next_if(|(place, _)| *place <= end) {
                if is_shown {
                    out.extend_from_slice(&self.bytes[at..*place]);
                }
                out.extend_from_slice(&raw[sequence.clone()]);
                at = *place;
            }
            if is_shown {
                out.extend_from_slice(&self.bytes[at..end]);
            }
            at = end;
        }
        self.raw_position(to)
    }

    /// Returns the raw position behind the sequences that stand at a plain position.
    fn raw_position(&self, place: usize) -> usize {
        let before = self.sequences.partition_point(|(at, _)| *at <= place);
        match self.sequences[..before].last() {
            Some((at, sequence)) => sequence.end + (place - at),
            None => place,
        }
    }
}

/// Returns the pieces of the text up to `to`: where each ends, whether it is shown, whether it starts a span.
fn pieces(spans: &[Range<usize>], to: usize) -> impl Iterator<Item = (usize, bool, bool)> + '_ {
    let pairs = spans.iter().flat_map(|span| [(span.start, true, false), (span.end, false, true)]);
    pairs.chain(std::iter::once((to, true, false)))
}

enum Sequence {
    Whole(usize),
    Unfinished,
    Other,
}

/// Recognises a control sequence (ECMA-48 §5.4) or an `ESC` with intermediate bytes (charsets) at `start`.
fn sequence_end(raw: &[u8], start: usize) -> Sequence {
    let body = &raw[start + 1..raw.len().min(start + MAX_SEQUENCE_BYTES)];
    let may_go_on = raw.len() < start + MAX_SEQUENCE_BYTES;
    let (skipped, first_final) = match body.first() {
        Some(b'[') => (1, 0x40),
        Some(0x20..=0x2f) => (0, 0x30),
        Some(_) => return Sequence::Other,
        None => return Sequence::Unfinished,
    };
    let first_passed = if first_final == 0x40 { 0x20..=0x3f_u8 } else { 0x20..=0x2f };
    match body[skipped..].iter().position(|byte| !first_passed.contains(byte)) {
        Some(length) if (first_final..=0x7e).contains(&body[skipped + length]) => {
            Sequence::Whole(start + 1 + skipped + length + 1)
        }
        Some(_) => Sequence::Other,
        None if may_go_on => Sequence::Unfinished,
        None => Sequence::Other,
    }
}
