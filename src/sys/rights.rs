//! Sockets that carry descriptors beside bytes.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};

/// The most descriptors that travel with one message.
pub const MAX_DESCRIPTORS: usize = 8;

const ANCILLARY_BYTES: usize = rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS));

/// How a pair of sockets treats what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A stream of bytes.
    Stream,
    /// Messages that stay whole, and an end that is noticed.
    Messages,
}

/// Makes a pair of connected sockets, both close-on-exec and non-blocking.
///
/// # Errors
///
/// Out of descriptors.
pub fn pair(kind: Kind) -> io::Result<(OwnedFd, OwnedFd)> {
    let kind = match kind {
        Kind::Stream => SocketType::STREAM,
        Kind::Messages => SocketType::SEQPACKET,
    };
    Ok(socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK, None)?)
}

/// Returns whether a descriptor is a Unix socket of whole messages.
#[must_use]
pub fn is_message_socket(fd: impl AsFd) -> bool {
    rustix::net::sockopt::socket_type(fd).is_ok_and(|kind| kind == SocketType::SEQPACKET)
}

/// Sends bytes, and with the first of them descriptors (at most [`MAX_DESCRIPTORS`]); returns how many bytes went.
///
/// # Errors
///
/// `WouldBlock` when a non-blocking socket is full, `BrokenPipe` when the other end is gone (no signal is raised).
pub fn send(socket: impl AsFd, bytes: &[u8], descriptors: &[OwnedFd]) -> io::Result<usize> {
    let mut space = [MaybeUninit::<u8>::uninit(); ANCILLARY_BYTES];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let borrowed: Vec<BorrowedFd<'_>> = descriptors.iter().map(AsFd::as_fd).collect();
    if !borrowed.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(&borrowed)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    loop {
        match sendmsg(&socket, &[IoSlice::new(bytes)], &mut ancillary, SendFlags::NOSIGNAL) {
            Ok(count) => return Ok(count),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Receives bytes into `buffer` and pushes descriptors that came with them, close-on-exec; zero bytes mean the end.
///
/// # Errors
///
/// `WouldBlock` when there is nothing yet; `InvalidData` when descriptors were lost because there was no room for them.
pub fn receive(socket: impl AsFd, buffer: &mut [u8], mut descriptors: impl FnMut(OwnedFd)) -> io::Result<usize> {
    let mut space = [MaybeUninit::<u8>::uninit(); ANCILLARY_BYTES];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received = loop {
        match recvmsg(&socket, &mut [IoSliceMut::new(buffer)], &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Ok(received) => break received,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    };
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            rights.for_each(&mut descriptors);
        }
    }
    if received.flags.contains(ReturnFlags::CTRUNC) {
        let lost = "descriptors could not be received: too many open files";
        return Err(io::Error::new(io::ErrorKind::InvalidData, lost));
    }
    Ok(received.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_that_found_no_room_are_said_to_be_lost() {
        let (near, far) = pair(Kind::Messages).expect("a pair");
        // What there is no room for is lost, as those are for which this process has no number left.
        let many: Vec<OwnedFd> = (0..2 * MAX_DESCRIPTORS).map(|_| near.try_clone().expect("a copy")).collect();
        let mut space = [MaybeUninit::<u8>::uninit(); rustix::cmsg_space!(ScmRights(2 * MAX_DESCRIPTORS))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        let borrowed: Vec<BorrowedFd<'_>> = many.iter().map(AsFd::as_fd).collect();
        assert!(ancillary.push(SendAncillaryMessage::ScmRights(&borrowed)));
        sendmsg(&near, &[IoSlice::new(b"x")], &mut ancillary, SendFlags::NOSIGNAL).expect("sent");
        let error = receive(&far, &mut [0; 1], drop).expect_err("lost");
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(error.to_string().contains("too many open files"), "{error}");
    }
}
