//! How far a value reaches.
//!
//! One function for both: text that is there as a whole, and a stream in which a long value is dropped piece by piece.

use super::pem;
use super::text::{More, Text, is_blank, is_line_end, is_name_byte, is_quote};

/// The bytes of a value from which on it is a secret without a closer look. It bounds what a stream holds back.
pub(super) const LONG_BYTES: usize = 512;
/// How far is looked for the `=` of a next pair behind a comma.
const MAX_NEXT_NAME_BYTES: usize = 40;

/// What ends a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// A blank, or a sign that does not belong to an unquoted word.
    Word,
    /// As `Word`, but single blanks belong to it: a passphrase that has its line to itself.
    Words,
    /// The closing quotation mark; `backslashes` is how often it is escaped, as in JSON inside JSON.
    Quoted { quote: u8, backslashes: usize },
    /// The end of the line, or the quotation mark around it.
    Line { quote: Option<u8> },
    /// The next tag.
    Element,
    /// The first byte that is not in a token's alphabet.
    Token { dotted: bool },
    /// The END of a PEM block, or the first line that does not look as if it was within.
    Pem { mid_line: bool },
}

impl Extent {
    /// Returns where the value that starts at `from` ends, or from where to look again when more has come.
    pub(super) fn end(self, text: Text<'_>, from: usize) -> Result<usize, usize> {
        match self {
            Extent::Word => word_end(text, from, false),
            Extent::Words => word_end(text, from, true),
            Extent::Quoted { quote, backslashes } => quote_end(text, from, quote, backslashes),
            Extent::Line { quote } => run_end(text, from, |byte| !is_line_end(byte) && Some(byte) != quote),
            Extent::Element => run_end(text, from, |byte| !is_line_end(byte) && byte != b'<'),
            Extent::Token { dotted } => run_end(text, from, |byte| is_token_byte(byte, dotted)),
            Extent::Pem { mid_line } => pem::end(text, from, mid_line),
        }
    }

    /// Returns what is left of it once a part of the value is gone.
    pub(super) fn continued(self) -> Extent {
        match self {
            Extent::Pem { .. } => Extent::Pem { mid_line: true },
            Extent::Word
            | Extent::Words
            | Extent::Quoted { .. }
            | Extent::Line { .. }
            | Extent::Element
            | Extent::Token { .. } => self,
        }
    }
}

/// Returns whether a byte is in the alphabet of tokens.
pub(super) fn is_token_byte(byte: u8, dotted: bool) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || dotted && byte == b'.'
}

fn run_end(text: Text<'_>, from: usize, belongs: impl Fn(u8) -> bool) -> Result<usize, usize> {
    let found = text.bytes[from.min(text.bytes.len())..].iter().position(|byte| !belongs(*byte));
    match found {
        Some(length) => Ok(from + length),
        None if text.ended => Ok(text.bytes.len()),
        None => Err(text.bytes.len()),
    }
}

fn word_end(text: Text<'_>, from: usize, with_blanks: bool) -> Result<usize, usize> {
    let mut at = from;
    while at < text.bytes.len() {
        if ends_word(text, at, with_blanks).map_err(|More| at)? {
            return Ok(at);
        }
        at += 1;
    }
    if text.ended { Ok(at) } else { Err(at) }
}

fn ends_word(text: Text<'_>, at: usize, with_blanks: bool) -> Result<bool, More> {
    let ends = match text.at(at)? {
        b' ' if with_blanks => matches!(text.at(at + 1)?, b'\t' | b' ' | b'#' | b'=') || is_line_end(text.at(at + 1)?),
        0..=b' ' | 0x7f => true,
        b',' | b';' | b'&' => starts_another(text, at + 1)?,
        // Behind it a mark counts as the word that it stands for.
        b'"' | b'\'' | b'`' => !text.at(at + 1)?.is_ascii_alphanumeric() && text.at(at + 1)? != b'[',
        b'\\' => is_quote(text.at(at + 1)?),
        b')' | b']' | b'}' | b'>' => {
            let next = text.at(at + 1)?;
            next <= b' '
                || is_quote(next)
                || matches!(next, b',' | b';' | b')' | b']' | b'}' | b'>' | b'.' | b':' | b'\\')
        }
        b'<' => text.at(at + 1)? == b'/',
        // The rule for keys goes on there.
        b'-' => text.has(at, b"-----begin ")?,
        _ => false,
    };
    Ok(ends)
}

/// Returns whether what follows a comma, a semicolon or an ampersand is something else than the rest of the value.
fn starts_another(text: Text<'_>, from: usize) -> Result<bool, More> {
    let first = text.at(from)?;
    if first <= b' ' || is_quote(first) || first == b'\\' {
        return Ok(true);
    }
    let end = text.skip(from, MAX_NEXT_NAME_BYTES, is_name_byte)?;
    Ok(end > from && matches!(text.at(end)?, b'=' | b':'))
}

fn quote_end(text: Text<'_>, from: usize, quote: u8, escaped_by: usize) -> Result<usize, usize> {
    let mut backslashes = 0;
    for (at, byte) in text.bytes.iter().copied().enumerate().skip(from) {
        if is_line_end(byte) {
            return Ok(at);
        }
        if byte == quote {
            // The quotation mark itself escaped once more than the opening one belongs to the value.
            let closes = if escaped_by == 0 { backslashes % 2 == 0 } else { backslashes <= escaped_by };
            if closes {
                return Ok(at - escaped_by.min(backslashes));
            }
        }
        backslashes = if byte == b'\\' { backslashes + 1 } else { 0 };
    }
    if text.ended { Ok(text.bytes.len()) } else { Err(text.bytes.len().max(from) - backslashes) }
}

/// Returns where the blanks from `from` on end.
pub(super) fn blanks_end(text: Text<'_>, from: usize, limit: usize) -> Result<usize, More> {
    text.skip(from, limit, is_blank)
}
