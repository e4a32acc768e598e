//! Private key blocks.

use std::ops::Range;

use super::extent::Extent;
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
    let extent = Extent::Pem { mid_line: false };
    let end = extent.end(text, start);
    let end = end.map_err(|_| Open::value(hit.start, start, extent))?;
    let inside = text.bytes[start..end].trim_ascii();
    if inside.is_empty() || inside.starts_with(b"[redacted]") || memchr::memmem::find(inside, BEGIN).is_some() {
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
    if text.bytes[start..hit.start].trim_ascii().len() < MIN_HEADLESS_BYTES { clean } else { Ok(Verdict::Secret { span: start..hit.start }) }
}

/// Returns where the label of a private key with its dashes ends.
fn label_end(text: Text<'_>, from: usize) -> Result<Option<usize>, More> {
    let end = text.skip(from, MAX_LABEL_BYTES, |byte| byte.is_ascii_alphanumeric() || byte == b' ')?;
    let is_private = memchr::memmem::find(&text.bytes[from..end], b"PRIVATE KEY").is_some();
    Ok((is_private && text.has(end, b"-----")?).then_some(end + b"-----".len()))
}

/// Returns where the inside of a block ends: at its END, or behind the last line that looks as if it was inside.
pub(super) fn end(text: Text<'_>, from: usize, mid_line: bool) -> Result<usize, usize> {
    let (mut inside_to, mut line) = (from, from);
    let mut is_rest_of_line = mid_line;
    loop {
        let rest = &text.bytes[line.min(text.bytes.len())..];
        let length = rest.iter().position(|byte| is_line_end(*byte));
        let this = &rest[..length.unwrap_or(rest.len())];
        let is_long = this.len() > MAX_LINE_BYTES;
        let is_inside = is_rest_of_line || is_inside(this);
        let searched = if is_long && !is_inside { &this[..MAX_LINE_BYTES] } else { this };
        if let Some(at) = memchr::memmem::find(searched, END) {
            return Ok(line + at);
        }
        if length.is_none() && !text.ended && !(is_long && !is_inside) {
            // A long line is inside whatever follows; its end is kept, it may be the start of the END.
            return Err(if is_long { text.bytes.len() - END.len() } else { inside_to });
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
    let mut start = end;
    loop {
        let line = bytes[floor..start].iter().rposition(|byte| is_line_end(*byte)).map_or(floor, |at| floor + at + 1);
        let this = &bytes[line..start];
        if !is_inside(this) {
            return start;
        }
        start = line;
        if start == floor {
            return start;
        }
        start -= 1;
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
