//! Descriptors registered with tokio.

use std::io;
use std::ops::Deref;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A descriptor whose readiness tokio reports.
///
/// tokio's own constructor is unsafe, because a type could change the descriptor it names while it is registered. This
/// one takes a shared owned descriptor: it cannot be swapped or closed as long as anyone holds it. All of
/// `AsyncFd`'s methods that take `&self` are reached through it (`readable`, `writable`, `ready`, `try_io` …). The
/// descriptor should be non-blocking; read and write it with `rustix::io` on `watched.get_ref()`.
#[derive(Debug)]
pub struct Watched {
    inner: AsyncFd<Arc<OwnedFd>>,
}

impl Watched {
    /// Registers a descriptor for reading and writing.
    ///
    /// # Errors
    ///
    /// The kernel's epoll refuses the descriptor (a regular file) or has no room.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub fn new(fd: impl Into<Arc<OwnedFd>>) -> io::Result<Self> {
        Self::with_interest(fd, Interest::READABLE | Interest::WRITABLE)
    }

    /// Registers a descriptor for one direction only, which saves wake-ups for the other.
    ///
    /// # Errors
    ///
    /// As [`Watched::new`].
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    #[expect(unsafe_code, reason = "tokio leaves the descriptor's constancy to the caller")]
    pub fn with_interest(fd: impl Into<Arc<OwnedFd>>, interest: Interest) -> io::Result<Self> {
        let fd: Arc<OwnedFd> = fd.into();
        // SAFETY: an `Arc<OwnedFd>` names one descriptor for its whole life, and it is open as long as this clone
        // lives, which is inside the `AsyncFd`. No `&mut AsyncFd` ever leaves `Watched`.
        let inner = unsafe { AsyncFd::register_with_interest(fd, interest) }.map_err(|error| error.into_parts().1)?;
        Ok(Self { inner })
    }
}

impl Watched {
    /// Reads, and takes what came for all there was when `is_all` says so of the count: then nobody has to read once more to be told that nothing is
    /// left. What comes from now on is told anew.
    ///
    /// # Errors
    /// What the read says; [`io::ErrorKind::WouldBlock`] when nothing can be read.
    pub fn read_with(
        &self,
        read: impl FnOnce(&Arc<OwnedFd>) -> io::Result<usize>,
        is_all: impl FnOnce(usize) -> bool,
    ) -> io::Result<usize> {
        let mut all = None;
        let more = self.inner.try_io(Interest::READABLE, |fd| {
            let count = read(fd)?;
            if !is_all(count) {
                return Ok(count);
            }
            // This is how the reactor is told that the kernel has no more.
            all = Some(count);
            Err(io::ErrorKind::WouldBlock.into())
        });
        all.map_or(more, Ok)
    }
}

impl Deref for Watched {
    type Target = AsyncFd<Arc<OwnedFd>>;

    fn deref(&self) -> &Self::Target {
        &self.inner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_watched_pipe_reports_that_it_can_be_read() {
        let (read, write) =
            rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC | rustix::pipe::PipeFlags::NONBLOCK)
                .expect("a pipe");
        let watched = Watched::with_interest(read, Interest::READABLE).expect("registered");
        rustix::io::write(&write, b"x").expect("written");
        let mut guard = watched.readable().await.expect("ready");
        let mut byte = [0_u8; 1];
        let count = rustix::io::read(watched.get_ref(), &mut byte).expect("read");
        assert_eq!((count, byte), (1, *b"x"));
        guard.clear_ready();
    }
}
