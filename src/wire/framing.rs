//! Frames and messages.
//!
//! A frame is a length (`u32`, big-endian: of what follows it), a kind (`u8`) and a payload. A message that is longer than a frame goes as
//! parts, directly one after the other, and a last frame whose kind says what the whole is.

use std::mem;

use super::WireError;

/// The most that follows the length of a frame: kind and payload.
pub const MAX_FRAME_BYTES: usize = 1024 * 1024;

const LENGTH_BYTES: usize = 4;

/// The whole message is a head.
const HEAD: u8 = 1;
/// A length (`u32`, big-endian), a head of that length, and raw bytes.
const HEAD_AND_BULK: u8 = 2;
/// The start of a message that goes on in the next frame.
const PART: u8 = 3;

/// How much space an inbox keeps when it is empty, and asks for at a time.
const READ_BYTES: usize = 64 * 1024;

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Message {
    /// What it is: JSON.
    pub head: Vec<u8>,
    /// Raw bytes that belong to it.
    pub bulk: Vec<u8>,
}

/// Messages on their way out, as bytes.
#[derive(Debug, Default)]
pub struct Outbox {
    bytes: Vec<u8>,
    sent: usize,
}

impl Outbox {
    /// Puts a message behind those that are there.
    pub fn push(&mut self, head: &[u8], bulk: &[u8]) {
        let head_length = u32::try_from(head.len()).expect("a head of less than 4 GiB");
        let (kind, prefix) =
            if bulk.is_empty() { (HEAD, None) } else { (HEAD_AND_BULK, Some(head_length.to_be_bytes())) };
        let prefix: &[u8] = prefix.as_ref().map_or(&[], |bytes| bytes);
        let total = prefix.len() + head.len() + bulk.len();
        if total < MAX_FRAME_BYTES {
            self.bytes.reserve(LENGTH_BYTES + 1 + total);
            self.begin_frame(total, kind);
            [prefix, head, bulk].into_iter().for_each(|part| self.bytes.extend_from_slice(part));
        } else {
            let whole = [prefix, head, bulk].concat();
            let mut chunks = whole.chunks(MAX_FRAME_BYTES - 1).peekable();
            while let Some(chunk) = chunks.next() {
                self.begin_frame(chunk.len(), if chunks.peek().is_some() { PART } else { kind });
                self.bytes.extend_from_slice(chunk);
            }
        }
    }

    fn begin_frame(&mut self, payload: usize, kind: u8) {
        let length = u32::try_from(payload + 1).expect("at most a frame");
        self.bytes.extend_from_slice(&length.to_be_bytes());
        self.bytes.push(kind);
    }

    /// Returns what is to be sent.
    pub fn unsent(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    /// Takes note that so many bytes were sent.
    ///
    /// # Panics
    /// When that is more than there was.
    pub fn sent(&mut self, bytes: usize) {
        assert!(bytes <= self.unsent().len(), "no more is sent than there is");
        self.sent += bytes;
        if self.sent == self.bytes.len() {
            self.sent = 0;
            self.bytes.clear();
            // A large answer is rare: its space is not kept for the rest of the connection.
            if self.bytes.capacity() > MAX_FRAME_BYTES {
                self.bytes = Vec::new();
            }
        }
    }

    /// Returns whether everything was sent.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// Bytes that came in, and the messages in them.
#[derive(Debug)]
pub struct Inbox {
    bytes: Vec<u8>,
    taken: usize,
    parts: Vec<u8>,
    max_message_bytes: usize,
}

impl Inbox {
    /// Makes an empty one that takes messages of at most so many bytes.
    pub fn new(max_message_bytes: usize) -> Inbox {
        Inbox { bytes: Vec::new(), taken: 0, parts: Vec::new(), max_message_bytes }
    }

    /// Gives the buffer to append to what has been read, with some free space in it.
    pub fn space(&mut self) -> &mut Vec<u8> {
        if self.taken == self.bytes.len() {
            self.bytes.clear();
            self.taken = 0;
        } else if self.taken >= READ_BYTES {
            self.bytes.drain(..self.taken);
            self.taken = 0;
        }
        if self.bytes.is_empty() && self.bytes.capacity() > MAX_FRAME_BYTES {
            self.bytes = Vec::new();
        }
        self.bytes.reserve(READ_BYTES);
        &mut self.bytes
    }

    /// Takes the next message that is there whole.
    ///
    /// # Errors
    /// [`WireError`] when the bytes are no frames; then nothing of what follows means anything.
    pub fn next_message(&mut self) -> Result<Option<Message>, WireError> {
        loop {
            let Some((kind, payload)) = self.frame()? else { return Ok(None) };
            let too_long = payload.len() + self.parts.len() > self.max_message_bytes;
            if too_long {
                return Err(WireError::MessageLength { max: self.max_message_bytes });
            }
            match kind {
                PART => {
                    let range = payload;
                    self.parts.extend_from_slice(&self.bytes[range]);
                }
                HEAD | HEAD_AND_BULK => {
                    let whole = if self.parts.is_empty() {
                        self.bytes[payload].to_vec()
                    } else {
                        let mut whole = mem::take(&mut self.parts);
                        whole.extend_from_slice(&self.bytes[payload]);
                        whole
                    };
                    return if kind == HEAD {
                        Ok(Some(Message { head: whole, bulk: Vec::new() }))
                    } else {
                        split(whole).map(Some)
                    };
                }
                // Of a later minor version: it is passed over, whatever it is.
                _ => {}
            }
        }
    }

    /// Takes the next whole frame: its kind, and where its payload is.
    fn frame(&mut self) -> Result<Option<(u8, std::ops::Range<usize>)>, WireError> {
        let waiting = &self.bytes[self.taken..];
        let Some((length, rest)) = waiting.split_first_chunk::<LENGTH_BYTES>() else { return Ok(None) };
        let bytes = u32::from_be_bytes(*length);
        let length = usize::try_from(bytes).unwrap_or(usize::MAX);
        if length == 0 || length > MAX_FRAME_BYTES {
            return Err(WireError::FrameLength { bytes });
        }
        if rest.len() < length {
            return Ok(None);
        }
        let start = self.taken + LENGTH_BYTES;
        self.taken = start + length;
        Ok(Some((self.bytes[start], start + 1..self.taken)))
    }

    /// Returns whether a part of a message is there and the rest is not.
    pub fn is_halfway(&self) -> bool {
        self.taken < self.bytes.len() || !self.parts.is_empty()
    }
}

/// Splits the payload of a message with raw bytes.
fn split(mut whole: Vec<u8>) -> Result<Message, WireError> {
    let length = whole.first_chunk::<LENGTH_BYTES>().ok_or(WireError::HeadLength)?;
    let head_end = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX).saturating_add(LENGTH_BYTES);
    if head_end > whole.len() {
        return Err(WireError::HeadLength);
    }
    let bulk = whole.split_off(head_end);
    whole.drain(..LENGTH_BYTES);
    Ok(Message { head: whole, bulk })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Takes bytes in by chunks of so many, and returns the messages.
    fn taken_in(bytes: &[u8], chunk: usize, max: usize) -> Result<Vec<Message>, WireError> {
        let mut inbox = Inbox::new(max);
        let mut messages = Vec::new();
        for chunk in bytes.chunks(chunk.max(1)) {
            inbox.space().extend_from_slice(chunk);
            while let Some(message) = inbox.next_message()? {
                messages.push(message);
            }
        }
        assert!(!inbox.is_halfway(), "nothing is left");
        Ok(messages)
    }

    proptest! {
        #[test]
        fn messages_come_out_as_they_went_in_however_they_are_cut(
            messages in proptest::collection::vec(
                (proptest::collection::vec(any::<u8>(), 0..300), proptest::collection::vec(any::<u8>(), 0..300)), 0..8),
            chunk in 1_usize..400,
        ) {
            let mut outbox = Outbox::default();
            for (head, bulk) in &messages {
                outbox.push(head, bulk);
            }
            let back = taken_in(outbox.unsent(), chunk, 4096).expect("messages");
            let wanted: Vec<Message> =
                messages.into_iter().map(|(head, bulk)| Message { head, bulk }).collect();
            prop_assert_eq!(back, wanted);
        }

        #[test]
        fn any_bytes_are_messages_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..600), small: bool) {
            // Lengths of random bytes are nearly always too long: make some of them short.
            let bytes: Vec<u8> = if small { bytes.iter().map(|byte| byte % 6).collect() } else { bytes };
            let mut inbox = Inbox::new(1000);
            inbox.space().extend_from_slice(&bytes);
            while let Ok(Some(_)) = inbox.next_message() {}
        }
    }

    #[test]
    fn a_message_of_more_than_a_frame_goes_in_frames_of_at_most_a_mebibyte() {
        let (head, bulk) = (vec![b'h'; 700_000], vec![b'b'; 2_500_000]);
        let mut outbox = Outbox::default();
        outbox.push(&head, &bulk);
        outbox.push(b"after", b"");
        let bytes = outbox.unsent();
        let (mut at, mut frames) = (0, 0);
        while at < bytes.len() {
            let length = u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
            assert!(length as usize <= MAX_FRAME_BYTES);
            (at, frames) = (at + 4 + length as usize, frames + 1);
        }
        assert_eq!(frames, 5);
        let back = taken_in(bytes, 65_536, 4 << 20).expect("messages");
        assert_eq!(back, [Message { head, bulk }, Message { head: b"after".to_vec(), bulk: vec![] }]);
    }

    #[test]
    fn what_is_longer_than_it_may_be_is_refused_before_it_is_there() {
        let mut inbox = Inbox::new(100);
        inbox.space().extend_from_slice(&(MAX_FRAME_BYTES as u32 + 1).to_be_bytes());
        assert_eq!(inbox.next_message(), Err(WireError::FrameLength { bytes: 1_048_577 }));
        let mut inbox = Inbox::new(100);
        inbox.space().extend_from_slice(&[0; 4]);
        assert_eq!(inbox.next_message(), Err(WireError::FrameLength { bytes: 0 }));
        let mut outbox = Outbox::default();
        outbox.push(&[b'x'; 101], b"");
        assert_eq!(taken_in(outbox.unsent(), 999, 100), Err(WireError::MessageLength { max: 100 }));
        let mut inbox = Inbox::new(100);
        inbox.space().extend_from_slice(&[0, 0, 0, 6, HEAD_AND_BULK, 0, 0, 0, 2, b'x']);
        assert_eq!(inbox.next_message(), Err(WireError::HeadLength));
    }

    #[test]
    fn a_frame_of_an_unknown_kind_is_passed_over() {
        let mut inbox = Inbox::new(100);
        inbox.space().extend_from_slice(&[0, 0, 0, 3, 200, 1, 2, 0, 0, 0, 2, HEAD, b'x']);
        assert_eq!(inbox.next_message(), Ok(Some(Message { head: b"x".to_vec(), bulk: vec![] })));
        assert!(!inbox.is_halfway());
    }
}
