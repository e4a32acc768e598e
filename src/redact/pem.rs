//! Private key blocks.

use std::ops::Range;

use super::extent::Extent;
use super::redactor::MARK;
use super::rule::{Open, Verdict};
use super::text::{More, Text, is_line_end};

/// How every END line starts.
const END: &[u8] = b"-----END ";
/// How every BEGIN line starts.
const BEGIN: &[u8] = b"-----BEGIN ";
/// The bytes of a label, `ENCRYPTED PRIVATE KEY`, that are looked at.
const MAX_LABEL_BYTES: usize = 64;
/// The fewest bytes before an END without a BEGIN that count as a key.
const MIN_HEADLESS_BYTES: usize = 16;
/// The bytes of a line after which it is within the block without a further look.
const MAX_LINE_BYTES: usize = 4096;
/// Of a word behind something else (a container's name, a time), the length from which on it can be a line of a key.
const MIN_BEHIND_PREFIX_BYTES: usize = 16;
/// The lines of text that can stand above the key within a block.
const HEADERS: [&[u8]; 7] =
    [b"Proc-Type", b"DEK-Info", b"Version", b"Comment", b"Charset", b"Hash", b"X-Developer-Signature"];

/// Looks at a BEGIN, whose dashes and word are at `hit`.
pub(super) fn look_begin(text: Text<'_>, hit: &Range<usize>) -> Result<Verdict, Open> {
    let clean = |resume| Ok(Verdict::Clean { resume });
    let Some(start) = label_end(text, hit.end).map_err(|More| Open::undecided(hit.start, text))? else {
        return clean(hit.end);
    };
    if text.has(start, MARK.as_bytes()).map_err(|More| Open::undecided(hit.start, text))? {
        return clean(start);
    }
    let extent = Extent::Pem { mid_line: false };
    let end = extent.end(text, start);
    let end = end.map_err(|_| Open::value(hit.start, start, extent))?;
    let inside = text.bytes[start..end].trim_ascii();
    let is_done = inside.ends_with(MARK.as_bytes()) && !inside.contains(&b'\n');
    if inside.is_empty() || is_done {
        return clean(start);
    }
    Ok(Verdict::Secret { span: start..end })
}

/// Looks at an END whose BEGIN is not there: the text was cut at its start, at `floor`.
pub(super) fn look_headless(text: Text<'_>, hit: &Range<usize>, floor: usize) -> Result<Verdict, Open> {
    let clean = Ok(Verdict::Clean { resume: hit.end });
    if label_end(text, hit.end).map_err(|More| Open::undecided(hit.start, text))?.is_none() {
        return clean;
    }
    let start = start(text.bytes, hit.start, floor);
    if text.bytes[start..hit.start].trim_ascii().len() < MIN_HEADLESS_BYTES {
        clean
    } else {
        Ok(Verdict::Secret { span: start..hit.start })
    }
}

/// Returns where the label of a private key with its dashes ends.
fn label_end(text: Text<'_>, from: usize) -> Result<Option<usize>, More> {
    let end = text.skip(from, MAX_LABEL_BYTES, |byte| byte.is_ascii_alphanumeric() || byte == b' ')?;
    let is_private = memchr::memmem::find(&text.bytes[from..end], b"PRIVATE KEY").is_some();
    Ok((is_private && text.has(end, b"-----")?).then_some(end + b"-----".len()))
}

/// What stops the reading of a line.
enum Stop {
    LineEnd,
    Begin,
    End,
}

/// Returns the first stop and where it is.
fn next_stop(bytes: &[u8]) -> Option<(usize, Stop)> {
    memchr::memchr3_iter(b'\n', b'\r', b'-', bytes).find_map(|at| match &bytes[at..] {
        [b'-', ..] if bytes[at..].starts_with(END) => Some((at, Stop::End)),
        [b'-', ..] if bytes[at..].starts_with(BEGIN) => Some((at, Stop::Begin)),
        [b'-', ..] => None,
        _ => Some((at, Stop::LineEnd)),
    })
}

/// Returns where the inside of a block ends: at its END, or behind the last line that looks as if it was inside.
///
/// `mid_line` says that `from` is in the middle of a line that is.
pub(super) fn end(text: Text<'_>, from: usize, mid_line: bool) -> Result<usize, usize> {
    let (mut inside_to, mut line) = (from, from);
    let mut is_rest_of_line = mid_line;
    loop {
        let rest = &text.bytes[line.min(text.bytes.len())..];
        let stop = next_stop(rest);
        let this = &rest[..stop.as_ref().map_or(rest.len(), |(at, _)| *at)];
        let is_long = this.len() > MAX_LINE_BYTES;
        let is_inside = is_rest_of_line || is_inside(this);
        if is_long && !is_inside {
            return Ok(inside_to);
        }
        match stop {
            Some((at, Stop::End)) => return Ok(line + at),
            Some((_, Stop::Begin)) => return Ok(inside_to),
            // A long line is inside whatever follows; its end is kept, it may be the start of the END.
            None if !text.ended && is_long => return Err(text.bytes.len() - BEGIN.len()),
            None if !text.ended => return Err(inside_to),
            Some((_, Stop::LineEnd)) | None => {}
        }
        if !is_inside {
            return Ok(inside_to);
        }
        inside_to = line + this.len();
        if inside_to >= text.bytes.len() {
            return Ok(text.bytes.len());
        }
        line = inside_to + 1;
        is_rest_of_line = false;
    }
}

/// Returns where the inside of a block starts whose END is at `end` and whose BEGIN is not there.
fn start(bytes: &[u8], end: usize, floor: usize) -> usize {
    let (mut start, mut line_end) = (end, end);
    loop {
        let line_start = bytes[floor..line_end].iter().rposition(|byte| is_line_end(*byte));
        let line = line_start.map_or(floor, |at| floor + at + 1);
        let this = &bytes[line..line_end];
        if !is_inside(this) || memchr::memmem::find(this, MARK.as_bytes()).is_some() {
            return start;
        }
        start = line;
        if start == floor {
            return start;
        }
        line_end = start - 1;
    }
}

/// Returns whether a line can be one of a key: nothing but its alphabet, also behind a short prefix, or a header.
fn is_inside(line: &[u8]) -> bool {
    let line = line[..line.len().min(MAX_LINE_BYTES)].trim_ascii();
    let word_at = line.iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1);
    let word = &line[word_at..];
    let is_key = word.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=\\\"',|>".contains(byte));
    let is_behind_prefix = || word.len() >= MIN_BEHIND_PREFIX_BYTES || word.ends_with(b"=") || word == b"|";
    let is_header = || HEADERS.iter().any(|header| line.starts_with(header) && line.get(header.len()) == Some(&b':'));
    is_key && (word_at == 0 || is_behind_prefix()) || is_header()
}
