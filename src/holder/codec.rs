//! The bytes of a message: little-endian numbers, and byte strings with their length before them.
//!
//! Both ends are the same build of the same program but where a run is taken up by a later server: there the holder begins with its
//! version. Whatever does not decode to the last byte is refused.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// What was wrong with bytes that should have been a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed(pub(super) &'static str);

/// Writes a message.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    pub(super) fn finish(self) -> Vec<u8> {
        self.bytes
    }

    pub(super) fn u8(&mut self, value: u8) -> &mut Self {
        self.bytes.push(value);
        self
    }

    pub(super) fn u16(&mut self, value: u16) -> &mut Self {
        self.bytes.extend(value.to_le_bytes());
        self
    }

    pub(super) fn u32(&mut self, value: u32) -> &mut Self {
        self.bytes.extend(value.to_le_bytes());
        self
    }

    pub(super) fn i32(&mut self, value: i32) -> &mut Self {
        self.bytes.extend(value.to_le_bytes());
        self
    }

    pub(super) fn u64(&mut self, value: u64) -> &mut Self {
        self.bytes.extend(value.to_le_bytes());
        self
    }

    /// Writes a count; a longer list than `u32` holds makes the frame too large anyway and is refused there.
    pub(super) fn count(&mut self, count: usize) -> &mut Self {
        self.u32(u32::try_from(count).unwrap_or(u32::MAX))
    }

    pub(super) fn text(&mut self, text: &OsStr) -> &mut Self {
        self.count(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
        self
    }

    pub(super) fn texts(&mut self, texts: &[OsString]) -> &mut Self {
        self.count(texts.len());
        for text in texts {
            self.text(text);
        }
        self
    }
}

/// Reads a message.
#[derive(Debug)]
pub(super) struct Decoder<'bytes> {
    rest: &'bytes [u8],
}

impl<'bytes> Decoder<'bytes> {
    pub(super) fn new(bytes: &'bytes [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Makes sure that nothing is left over.
    pub(super) fn finish(self) -> Result<(), Malformed> {
        if self.rest.is_empty() { Ok(()) } else { Err(Malformed("bytes after the end of a message")) }
    }

    fn take(&mut self, count: usize) -> Result<&'bytes [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Malformed("message cut short"))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        self.take(N)?.try_into().map_err(|_| Malformed("message cut short"))
    }

    pub(super) fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(super) fn u16(&mut self) -> Result<u16, Malformed> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(super) fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn i32(&mut self) -> Result<i32, Malformed> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(super) fn text(&mut self) -> Result<OsString, Malformed> {
        let length = self.u32()? as usize;
        Ok(OsString::from_vec(self.take(length)?.to_vec()))
    }

    /// Reads a list, item by item: a false count runs into the end of the bytes before it costs memory.
    pub(super) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let count = self.u32()?;
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(item(self)?);
        }
        Ok(items)
    }

    pub(super) fn texts(&mut self) -> Result<Vec<OsString>, Malformed> {
        self.list(Self::text)
    }
}
