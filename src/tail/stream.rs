//! The last bytes of one stream.

/// A bounded ring of the last bytes of a stream. Memory is taken as output comes, up to the bound.
#[derive(Debug)]
pub struct Tail {
    max_bytes: usize,
    /// The bytes; once full, a ring whose oldest byte is at `start`.
    ring: Vec<u8>,
    start: usize,
    total_bytes: u64,
}

/// The tail of a stream as text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TailText {
    /// From a line start on; bytes that are no UTF-8 are U+FFFD, a character that has not come whole yet is left out.
    pub text: String,
    /// Whether the stream had more before it.
    pub truncated: bool,
}

impl Tail {
    /// Makes an empty tail that keeps at most `max_bytes`.
    pub fn new(max_bytes: usize) -> Tail {
        Tail::beginning_at(max_bytes, 0)
    }

    /// Makes the tail of a stream of which so many bytes came before and are not there any more.
    pub fn beginning_at(max_bytes: usize, before_bytes: u64) -> Tail {
        Tail { max_bytes, ring: Vec::new(), start: 0, total_bytes: before_bytes }
    }

    /// Takes the next bytes of the stream. Of a chunk larger than the bound only the end is copied.
    pub fn admit(&mut self, bytes: &[u8]) {
        self.total_bytes += bytes.len() as u64;
        let kept = &bytes[bytes.len().saturating_sub(self.max_bytes)..];
        let room = self.max_bytes - self.ring.len();
        let (fill, over) = kept.split_at(kept.len().min(room));
        self.grow_for(fill.len());
        self.ring.extend_from_slice(fill);
        if over.is_empty() {
            return;
        }
        // The ring is full: write over the oldest, in at most two pieces.
        let first = over.len().min(self.max_bytes - self.start);
        self.ring[self.start..self.start + first].copy_from_slice(&over[..first]);
        let second = over.len() - first;
        self.ring[..second].copy_from_slice(&over[first..]);
        self.start = (self.start + over.len()) % self.max_bytes;
    }

    /// Doubles the memory as it is needed, but never takes more than the bound.
    fn grow_for(&mut self, more: usize) {
        let needed = self.ring.len() + more;
        if needed > self.ring.capacity() {
            let target = needed.max(2 * self.ring.capacity()).min(self.max_bytes);
            self.ring.reserve_exact(target - self.ring.len());
        }
    }

    /// Returns how many bytes the stream has had, the dropped ones included.
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// Returns how many bytes are kept.
    pub fn kept_bytes(&self) -> usize {
        self.ring.len()
    }

    /// Returns the kept bytes from `skip` on, at most `count`, in order.
    pub(super) fn slice(&self, skip: usize, count: usize) -> Vec<u8> {
        let (newer, older) = self.ring.split_at(self.start);
        older.iter().chain(newer).skip(skip).take(count).copied().collect()
    }

    /// Returns the last bytes as text, at most `limit_bytes` of them, from a line start on.
    ///
    /// When no line starts within the limit, the text starts at a character.
    pub fn text(&self, limit_bytes: usize) -> TailText {
        let shown = self.ring.len().min(limit_bytes);
        let skipped = self.ring.len() - shown;
        let truncated = self.total_bytes > shown as u64;
        // One byte more tells whether the limit falls on a line start.
        let with_before = self.slice(skipped.saturating_sub(1), shown + 1);
        let bytes = &with_before[usize::from(skipped > 0)..];
        let starts_line = !truncated || skipped > 0 && with_before.first() == Some(&b'\n');
        let start = if starts_line { 0 } else { line_start(bytes) };
        TailText { text: text_of(&bytes[start..]), truncated }
    }
}

/// Returns where the first line after the cut starts, or else the first character.
fn line_start(bytes: &[u8]) -> usize {
    match memchr::memchr(b'\n', bytes) {
        Some(at) if at + 1 < bytes.len() => at + 1,
        _ => bytes.iter().take(3).take_while(|&&b| b & 0xc0 == 0x80).count(),
    }
}

/// Decodes, leaving out a character at the end of which more bytes are to come.
fn text_of(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    loop {
        match std::str::from_utf8(rest) {
            Ok(valid) => {
                text.push_str(valid);
                return text;
            }
            Err(error) => {
                let (valid, broken) = rest.split_at(error.valid_up_to());
                text.push_str(std::str::from_utf8(valid).expect("valid up to there"));
                let Some(length) = error.error_len() else { return text };
                text.push('\u{fffd}');
                rest = &broken[length..];
            }
        }
    }
}

#[cfg(test)]
#[path = "stream_tests.rs"]
mod tests;
