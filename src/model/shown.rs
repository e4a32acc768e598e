//! Text of unknown origin, made fit to be shown.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;

/// Returns `text` as it can be shown on one line: bytes that are no UTF-8 become `\xA3`, control characters `\n`, `\t`, `\u{1b}`,
/// and what would turn the direction of writing is escaped as well. Everything else, also a backslash, stays as it is.
pub fn shown(text: impl AsRef<OsStr>) -> String {
    let bytes = text.as_ref().as_bytes();
    let mut line = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control()
                || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            {
                line.extend(c.escape_default());
            } else {
                line.push(c);
            }
        }
        for byte in chunk.invalid() {
            write!(line, "\\x{byte:02X}").expect("writing to a string does not fail");
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_shown_escaped() {
        assert_eq!(shown(OsStr::from_bytes(b"a\xa3b\n\x1b[1m\xc3\xa9 \\")), "a\\xA3b\\n\\u{1b}[1m\u{e9} \\");
    }
}
