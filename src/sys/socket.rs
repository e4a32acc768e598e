//! A connected local socket, whose owner is woken when something comes and at nothing else.

use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::net::SendFlags;
use tokio::io::Interest;
use tokio::net::UnixStream;

use super::watched::Watched;

/// How long is waited for room when the kernel cannot tell of it, because this process may open no more descriptors.
const WITHOUT_DESCRIPTOR: Duration = Duration::from_millis(50);

/// One end of a connection.
///
/// tokio's own stream is told each time that the other side has read something, which with every message wakes its writer for nothing.
/// This one asks for room only while there is none.
#[derive(Debug)]
pub struct Socket {
    watched: Watched,
    /// Tells when there is room again, from a write that found none to one that finds some.
    room: Mutex<Option<Arc<Watched>>>,
}

impl Socket {
    /// Takes a stream over.
    ///
    /// # Errors
    /// The kernel has no room for it.
    pub fn new(stream: UnixStream) -> io::Result<Socket> {
        let fd = OwnedFd::from(stream.into_std()?);
        Ok(Socket { watched: Watched::with_interest(fd, Interest::READABLE)?, room: Mutex::default() })
    }

    /// Waits until there may be something to read, or the other side has closed.
    ///
    /// # Errors
    /// The runtime is ending.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub async fn readable(&self) -> io::Result<()> {
        self.watched.readable().await.map(|mut ready| ready.retain_ready())
    }

    /// Reads what is there into the free space of a buffer; returns how many bytes that was, none at the end.
    ///
    /// # Errors
    /// [`ErrorKind::WouldBlock`] when nothing is there, or what the kernel says.
    pub fn try_read(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        let space = buffer.capacity() - buffer.len();
        let read = |fd: &Arc<OwnedFd>| Ok(rustix::io::read(fd, rustix::buffer::spare_capacity(buffer))?);
        self.watched.read_with(read, |count| (1..space).contains(&count))
    }

    /// Writes what the kernel takes; returns how many bytes that was.
    ///
    /// # Errors
    /// [`ErrorKind::WouldBlock`] when there is no room, or what the kernel says.
    pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        let fd = self.watched.get_ref();
        let send = || Ok(rustix::net::send(fd, bytes, SendFlags::NOSIGNAL)?);
        let mut room = self.room();
        let sent = match &*room {
            Some(watched) => watched.try_io(Interest::WRITABLE, |_| send()),
            None => send(),
        };
        match &sent {
            Ok(_) => *room = None,
            Err(error) if error.kind() == ErrorKind::WouldBlock && room.is_none() => {
                // Without a descriptor for it, the clock tells.
                let watched = fd.try_clone().and_then(|fd| Watched::with_interest(fd, Interest::WRITABLE));
                *room = watched.ok().map(Arc::new);
            }
            Err(_) => {}
        }
        sent
    }

    /// Waits until there may be room, after a write that found none.
    ///
    /// # Errors
    /// The runtime is ending.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub async fn writable(&self) -> io::Result<()> {
        let room = self.room().clone();
        match room {
            Some(room) => room.writable().await.map(|mut ready| ready.retain_ready()),
            None => {
                tokio::time::sleep(WITHOUT_DESCRIPTOR).await;
                Ok(())
            }
        }
    }

    fn room(&self) -> MutexGuard<'_, Option<Arc<Watched>>> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (Socket, Socket) {
        let (one, other) = UnixStream::pair().expect("two sockets");
        (Socket::new(one).expect("registered"), Socket::new(other).expect("registered"))
    }

    /// A wake-up that is lost is found here.
    const DEADLINE: Duration = Duration::from_secs(60);

    async fn read_on(socket: &Socket, buffer: &mut Vec<u8>) -> usize {
        loop {
            tokio::time::timeout(DEADLINE, socket.readable()).await.expect("woken").expect("waited");
            buffer.reserve(1024);
            match socket.try_read(buffer) {
                Ok(count) => return count,
                Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
            }
        }
    }

    #[tokio::test]
    async fn a_writer_without_room_goes_on_when_the_reader_has_read() {
        let (one, other) = pair();
        let message: Vec<u8> = (0..4_000_000_u32).map(|number| number as u8).collect();
        let write = async {
            let mut rest = &message[..];
            let mut waited = 0;
            while !rest.is_empty() {
                match one.try_write(rest) {
                    Ok(count) => rest = &rest[count..],
                    Err(error) => {
                        assert_eq!(error.kind(), ErrorKind::WouldBlock);
                        waited += 1;
                        tokio::time::timeout(DEADLINE, one.writable()).await.expect("woken").expect("waited");
                    }
                }
            }
            waited
        };
        let read = async {
            let mut all = Vec::new();
            while all.len() < message.len() {
                read_on(&other, &mut all).await;
            }
            all
        };
        let (waited, all) = tokio::join!(write, read);
        assert!(waited > 0 && all == message);
        assert!(one.room().is_none(), "nobody has to be told of room any more");
    }

    #[tokio::test]
    async fn what_comes_after_a_short_read_is_read_and_the_end_too() {
        let (one, other) = pair();
        let mut buffer = Vec::new();
        for round in 1..=3 {
            one.try_write(b"word").expect("written");
            assert_eq!((read_on(&other, &mut buffer).await, buffer.len()), (4, 4 * round));
        }
        // The end may come together with the last word.
        one.try_write(b"end").expect("written");
        drop(one);
        assert_eq!(read_on(&other, &mut buffer).await, 3);
        assert_eq!(read_on(&other, &mut buffer).await, 0);
        assert_eq!(read_on(&other, &mut buffer).await, 0, "it stays the end");
    }
}
