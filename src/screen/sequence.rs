//! A control sequence with its parameters.

/// The most parameters that a sequence may have; those after are not kept.
const MAX_PARAMETERS: usize = 32;

/// A control sequence: `CSI marker parameters intermediates final`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Csi {
    /// One of `< = > ?` before the parameters, or 0.
    pub(super) marker: u8,
    /// The one intermediate byte, or 0.
    pub(super) intermediate: u8,
    /// The byte that names the function.
    pub(super) last: u8,
    values: [u16; MAX_PARAMETERS],
    /// Bit n: parameter n follows a colon, so it belongs to the one before.
    joined: u32,
    len: usize,
    malformed: bool,
}

impl Csi {
    pub(super) fn clear(&mut self) {
        self.marker = 0;
        self.intermediate = 0;
        self.joined = 0;
        self.len = 0;
        self.malformed = false;
    }

    /// Takes a byte from 0x20 to 0x3f.
    #[inline]
    pub(super) fn push(&mut self, byte: u8) {
        match byte {
            b'0'..=b'9' if self.intermediate == 0 => {
                if self.len == 0 {
                    self.open(false);
                }
                if self.len <= MAX_PARAMETERS {
                    let value = &mut self.values[self.len - 1];
                    *value = value.saturating_mul(10).saturating_add(u16::from(byte - b'0'));
                }
            }
            b';' | b':' if self.intermediate == 0 => {
                if self.len == 0 {
                    self.open(false);
                }
                self.open(byte == b':');
            }
            b'<'..=b'?' if self.len == 0 && self.marker == 0 && self.intermediate == 0 => self.marker = byte,
            0x20..=0x2f if self.intermediate == 0 => self.intermediate = byte,
            _ => self.malformed = true,
        }
    }

    /// Reads a sequence of numbers only, from behind its introducer. Returns its length; none when it is of another kind or not whole.
    pub(super) fn read_plain(&mut self, bytes: &[u8]) -> Option<usize> {
        self.clear();
        let mut value = 0_u16;
        for (at, &byte) in bytes.iter().enumerate() {
            match byte {
                b'0'..=b'9' => value = value.saturating_mul(10).saturating_add(u16::from(byte - b'0')),
                b';' if self.len + 1 < MAX_PARAMETERS => {
                    self.values[self.len] = std::mem::take(&mut value);
                    self.len += 1;
                }
                b'@'..=b'~' => {
                    if at > 0 {
                        self.values[self.len] = value;
                        self.len += 1;
                    }
                    self.last = byte;
                    return Some(at + 1);
                }
                _ => return None,
            }
        }
        None
    }

    /// Opens the next parameter. `len` stops one past the limit, which means: more than are kept.
    fn open(&mut self, joined: bool) {
        if self.len < MAX_PARAMETERS {
            self.values[self.len] = 0;
            if joined {
                self.joined |= 1 << self.len;
            }
        }
        self.len = (self.len + 1).min(MAX_PARAMETERS + 1);
    }

    /// Takes the last byte; returns whether the sequence is well formed.
    pub(super) fn finish(&mut self, last: u8) -> bool {
        self.last = last;
        self.len = self.len.min(MAX_PARAMETERS);
        !self.malformed
    }

    /// Returns how many parameters there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns parameter `index`, 0 when it is missing.
    pub(super) fn value(&self, index: usize) -> u16 {
        if index < self.len { self.values[index] } else { 0 }
    }

    /// Returns parameter `index`, or 1 when it is missing or 0: a count or a coordinate.
    pub(super) fn count(&self, index: usize) -> u16 {
        self.value(index).max(1)
    }

    /// Returns all parameters.
    pub(super) fn values(&self) -> &[u16] {
        &self.values[..self.len]
    }

    /// Returns all parameters when each is an SGR of its own: no colons, and no colour that takes several.
    pub(super) fn plain_values(&self) -> Option<&[u16]> {
        let values = self.values();
        (self.joined == 0 && !values.iter().any(|value| matches!(value, 38 | 48 | 58))).then_some(values)
    }

    /// Returns the parameters in groups: each with those that follow it after colons.
    pub(super) fn groups(&self) -> impl Iterator<Item = &[u16]> {
        let mut start = 0;
        std::iter::from_fn(move || {
            if start >= self.len {
                return None;
            }
            let mut end = start + 1;
            while end < self.len && self.joined & (1 << end) != 0 {
                end += 1;
            }
            let group = &self.values[start..end];
            start = end;
            Some(group)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn byte_by_byte(bytes: &[u8]) -> Csi {
        let mut csi = Csi::default();
        csi.clear();
        let (last, before) = bytes.split_last().expect("a sequence");
        before.iter().for_each(|&byte| csi.push(byte));
        assert!(csi.finish(*last), "{bytes:?}");
        csi
    }

    #[test]
    fn numbers_that_are_read_at_once_are_those_that_are_read_byte_by_byte() {
        let most = [&b"1;".repeat(MAX_PARAMETERS - 1)[..], b"2m"].concat();
        for sequence in [&b"H"[..], b"5A", b";H", b";;m", b"1;2;m", b"0;99999999;7m", b"007G", &most] {
            let mut csi = byte_by_byte(b"?1:2;3h");
            assert_eq!(csi.read_plain(&[sequence, b"1A"].concat()), Some(sequence.len()), "{sequence:?}");
            let slow = byte_by_byte(sequence);
            assert_eq!((csi.values(), csi.last, csi.plain_values()), (slow.values(), slow.last, slow.plain_values()));
            assert_eq!((csi.marker, csi.intermediate), (0, 0));
        }
        let more = b"1;".repeat(MAX_PARAMETERS);
        for other in [&b"?25h"[..], b"4:3m", b"1 q", b"1;2", b"", b"1\x1b", &[&more[..], b"m"].concat()] {
            assert_eq!(Csi::default().read_plain(other), None, "{other:?}");
        }
    }
}
