//! Reading text of which more may come.

/// The text came to its end where a decision needed more of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct More;

/// Text without escape sequences, and whether it is complete.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) bytes: &'a [u8],
    /// Whether nothing follows: then the end counts as the end of a line.
    pub(super) ended: bool,
}

impl Text<'_> {
    /// Returns the byte at `at`; behind the end of complete text, a line end.
    pub(super) fn at(self, at: usize) -> Result<u8, More> {
        match self.bytes.get(at) {
            Some(&byte) => Ok(byte),
            None if self.ended => Ok(b'\n'),
            None => Err(More),
        }
    }

    /// Returns the byte before `at`; before the start, a line end.
    pub(super) fn before(self, at: usize) -> u8 {
        at.checked_sub(1).and_then(|at| self.bytes.get(at)).copied().unwrap_or(b'\n')
    }

    /// Returns where the bytes that pass end, looking at `limit` bytes at most.
    pub(super) fn skip(self, from: usize, limit: usize, passes: impl Fn(u8) -> bool) -> Result<usize, More> {
        let mut at = from;
        while at - from < limit && passes(self.at(at)?) {
            at += 1;
        }
        Ok(at)
    }

    /// Returns where the bytes that pass start, going back from `from` by `limit` bytes at most.
    pub(super) fn skip_back(self, from: usize, limit: usize, passes: impl Fn(u8) -> bool) -> usize {
        let mut at = from;
        while at > 0 && from - at < limit && passes(self.bytes[at - 1]) {
            at -= 1;
        }
        at
    }

    /// Returns whether `words` (lower case) stand at `at`, in any case.
    pub(super) fn has(self, at: usize, words: &[u8]) -> Result<bool, More> {
        for (i, word_byte) in words.iter().enumerate() {
            if self.at(at + i)?.to_ascii_lowercase() != *word_byte {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Returns whether a byte ends a line.
pub(super) fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Returns whether a byte is a blank within a line.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Returns whether a byte can stand in a name: of a variable, a flag, a header, a path of keys.
pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Returns whether a byte is a quotation mark.
pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}
