//! Sockets that carry descriptors beside bytes.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};

/// The most descriptors that travel with one message.
pub const MAX_DESCRIPTORS: usize = 4;

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
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(received.bytes)
}
