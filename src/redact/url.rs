//! Passwords in URLs, and addresses that are secrets as a whole.

use std::ops::Range;

use super::extent::{Extent, is_token_byte};
use super::judge::looks_secret;
use super::redactor::MARK;
use super::rule::{Open, Verdict};
use super::text::{More, Text, is_quote};

/// The bytes between `://` and `@` that are looked at.
const MAX_USER_INFO_BYTES: usize = 480;
/// How far behind a slash in a password the `@` is looked for.
const MAX_BEHIND_SLASH_BYTES: usize = 64;
/// The fewest bytes of a secret path.
const MIN_PATH_BYTES: usize = 20;

/// Looks at the user and the password behind `://`.
pub(super) fn look(text: Text<'_>, hit: &Range<usize>) -> Result<Verdict, Open> {
    let clean = Ok(Verdict::Clean { resume: hit.end });
    if !text.before(hit.start).is_ascii_alphanumeric() {
        return clean;
    }
    let start = hit.end;
    let (mut colon, mut at_sign, mut slash) = (None, None, None);
    let mut at = start;
    let end = loop {
        let Ok(byte) = text.at(at) else {
            let hide_from = match colon {
                Some(colon) => colon + 1,
                None if may_be_user(&text.bytes[start..]) => start,
                None => text.bytes.len(),
            };
            return Err(Open {
                hold_from: hit.start,
                hide_from,
                pass_to: start,
                value_from: text.bytes.len(),
                extent: Extent::Word,
            });
        };
        match byte {
            0..=b' ' | 0x7f | b'<' | b'>' | b'\\' => break at,
            byte if is_quote(byte) => break at,
            b':' if colon.is_none() => colon = Some(at),
            // An `@` behind the first slash counts only where no port can stand before the slash.
            b'@' => at_sign = Some(at),
            b'/' | b'?' | b'#' if slash.is_none() => {
                let port = &text.bytes[colon.map_or(start, |colon| colon + 1)..at];
                if at_sign.is_some() || colon.is_none() || port.iter().all(u8::is_ascii_digit) {
                    break at;
                }
                slash = Some(at);
            }
            _ => {}
        }
        let is_far = slash.is_some_and(|slash| at - slash >= MAX_BEHIND_SLASH_BYTES);
        if is_far || at - start >= MAX_USER_INFO_BYTES {
            break at;
        }
        at += 1;
    };
    let Some(at_sign) = at_sign.filter(|at_sign| *at_sign <= end) else { return clean };
    let span = match colon.filter(|colon| *colon < at_sign) {
        Some(colon) => colon + 1..at_sign,
        None => start..at_sign,
    };
    let value = &text.bytes[span.clone()];
    let is_named = span.start > start;
    let shown = String::from_utf8_lossy(value);
    let is_reference =
        value.starts_with(b"$") || value.starts_with(b"{") || memchr::memmem::find(value, MARK.as_bytes()).is_some();
    let is_mask = value.iter().all(|byte| b"*x".contains(byte));
    if value.is_empty() || is_reference || is_mask || !is_named && !looks_secret(&shown) {
        return clean;
    }
    Ok(Verdict::Secret { span })
}

/// Returns whether what stands behind `://` so far may be a token in a user's place, and not a host.
fn may_be_user(start: &[u8]) -> bool {
    let is_host = start.contains(&b'.') || b"localhost".starts_with(start);
    !is_host || looks_secret(&String::from_utf8_lossy(start))
}

/// Looks at an address whose path is the secret: the web hooks of chats.
pub(super) fn look_hook(text: Text<'_>, hit: &Range<usize>) -> Result<Verdict, Open> {
    let is_path = |byte: u8| is_token_byte(byte, false) || byte == b'/';
    let end = text.skip(hit.end, MAX_USER_INFO_BYTES, is_path);
    let end = end.map_err(|More| Open::value(hit.start, hit.end, Extent::Word))?;
    if end - hit.end < MIN_PATH_BYTES {
        return Ok(Verdict::Clean { resume: hit.end });
    }
    Ok(Verdict::Secret { span: hit.end..end })
}
