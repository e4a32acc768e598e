//! Frames on a link: a length, then that many bytes; descriptors travel with a frame's first byte.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use crate::sys::rights;

use super::error::LinkError;

/// The largest frame: five times what the kernel takes as arguments and environment together (6 MiB), so that its own
/// E2BIG is what a user meets first.
pub(super) const MAX_FRAME_BYTES: usize = 32 << 20;

const HEADER_BYTES: usize = 4;

/// One read's worth. It is on the stack, and each page of that is private memory of every holder: half a page.
const CHUNK_BYTES: usize = 2048;

/// One end of a link.
#[derive(Debug)]
pub(super) struct Frames {
    socket: Arc<OwnedFd>,
    incoming: Vec<u8>,
    arrived: VecDeque<OwnedFd>,
    outgoing: VecDeque<Outgoing>,
}

#[derive(Debug)]
struct Outgoing {
    bytes: Vec<u8>,
    sent: usize,
    descriptors: Vec<OwnedFd>,
}

impl Frames {
    pub(super) fn new(socket: OwnedFd) -> Self {
        Self { socket: Arc::new(socket), incoming: Vec::new(), arrived: VecDeque::new(), outgoing: VecDeque::new() }
    }

    pub(super) fn socket(&self) -> &Arc<OwnedFd> {
        &self.socket
    }

    /// Puts a frame into the queue; `flush` sends it.
    pub(super) fn queue(&mut self, payload: &[u8], descriptors: Vec<OwnedFd>) -> Result<(), LinkError> {
        let too_large = LinkError::TooLarge { bytes: payload.len(), max_bytes: MAX_FRAME_BYTES };
        if payload.len() > MAX_FRAME_BYTES {
            return Err(too_large);
        }
        let Ok(length) = u32::try_from(payload.len()) else {
            return Err(too_large);
        };
        let mut bytes = Vec::with_capacity(HEADER_BYTES + payload.len());
        bytes.extend(length.to_le_bytes());
        bytes.extend_from_slice(payload);
        self.outgoing.push_back(Outgoing { bytes, sent: 0, descriptors });
        Ok(())
    }

    /// Sends what the socket takes; true when nothing is left in the queue.
    pub(super) fn flush(&mut self) -> Result<bool, LinkError> {
        while let Some(frame) = self.outgoing.front_mut() {
            match rights::send(&*self.socket, &frame.bytes[frame.sent..], &frame.descriptors) {
                Ok(count) => {
                    frame.sent += count;
                    // They went with the first byte.
                    frame.descriptors.clear();
                    if frame.sent == frame.bytes.len() {
                        self.outgoing.pop_front();
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(closed_or(error)),
            }
        }
        Ok(true)
    }

    /// Returns how many bytes wait to be sent.
    pub(super) fn queued_bytes(&self) -> usize {
        self.outgoing.iter().map(|frame| frame.bytes.len() - frame.sent).sum()
    }

    /// Receives the next whole frame; `None` when it is not there yet.
    pub(super) fn receive(&mut self) -> Result<Option<Vec<u8>>, LinkError> {
        loop {
            if let Some(frame) = self.cut_frame()? {
                return Ok(Some(frame));
            }
            let mut chunk = [0_u8; CHUNK_BYTES];
            let arrived = &mut self.arrived;
            match rights::receive(&*self.socket, &mut chunk, |fd| arrived.push_back(fd)) {
                Ok(0) => return Err(LinkError::Closed),
                Ok(count) => self.incoming.extend_from_slice(&chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(closed_or(error)),
            }
        }
    }

    /// Takes the descriptors that came with the frames received so far.
    pub(super) fn take_descriptors(&mut self) -> Vec<OwnedFd> {
        std::mem::take(&mut self.arrived).into()
    }

    fn cut_frame(&mut self) -> Result<Option<Vec<u8>>, LinkError> {
        let Some((header, rest)) = self.incoming.split_first_chunk::<HEADER_BYTES>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*header) as usize;
        if length > MAX_FRAME_BYTES {
            return Err(LinkError::Malformed { what: "a frame larger than any that is sent" });
        }
        let Some(payload) = rest.get(..length) else {
            // Room for all of it at once, instead of by doubling.
            let missing = length - rest.len();
            self.incoming.reserve_exact(missing);
            return Ok(None);
        };
        let payload = payload.to_vec();
        let left = self.incoming.split_off(HEADER_BYTES + length);
        // A large buffer is not kept for small frames.
        self.incoming = left;
        Ok(Some(payload))
    }
}

fn closed_or(error: io::Error) -> LinkError {
    match error.kind() {
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => LinkError::Closed,
        _ => LinkError::Io(error),
    }
}
