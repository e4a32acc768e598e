//! What was taken from a run's descriptor and may not be in its log yet, where a kill of this program does not reach it.
//!
//! The kernel moves output into a file in memory and counts it there, in one step: after a kill the file's position says how much was
//! taken, to the byte, and the holder has a duplicate of the file. A terminal is no pipe, so its output goes by way of one, the *hop*,
//! which the holder keeps too. An offset in the file is the offset in the stream; what is settled in the log is forgotten.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use crate::sys::{fd, hooks, memory};

/// A terminal gives no more than this in one read.
const TERMINAL_BYTES: usize = 4096;

/// How much is forgotten in one step, and so about how much memory an idle run holds.
const FORGET_BYTES: u64 = 64 * 1024;

/// The spool of one stream.
#[derive(Debug)]
pub(super) struct Spool {
    file: OwnedFd,
    hop: Option<Hop>,
    /// Where the next byte goes, as the file says.
    taken: u64,
    forgotten: u64,
}

#[derive(Debug)]
struct Hop {
    read: OwnedFd,
    write: OwnedFd,
    /// What a program that was killed had left in it.
    left: usize,
}

impl Spool {
    /// Makes an empty spool.
    pub(super) fn new(is_terminal: bool) -> io::Result<Spool> {
        let hop = match is_terminal {
            true => Some(Hop::new(fd::pipe()?)?),
            false => None,
        };
        Ok(Spool { file: memory::file(c"shtask-spool")?, hop, taken: 0, forgotten: 0 })
    }

    /// Takes up the spool of a program that was killed.
    pub(super) fn take_up(file: OwnedFd, hop: Option<(OwnedFd, OwnedFd)>) -> io::Result<Spool> {
        let taken = memory::position(&file)?;
        let hop = hop.map(Hop::new).transpose()?;
        Ok(Spool { file, hop, taken, forgotten: 0 })
    }

    /// Makes duplicates of its descriptors, in the order in which they are taken up.
    pub(super) fn duplicates(&self) -> io::Result<Vec<OwnedFd>> {
        let hop = self.hop.iter().flat_map(|hop| [&hop.read, &hop.write]);
        std::iter::once(&self.file).chain(hop).map(fd::duplicate).collect()
    }

    /// Returns where the next byte goes.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// Returns from where on the bytes of the stream are here, when they are asked for from `offset` on.
    pub(super) fn begin(&self, offset: u64) -> io::Result<u64> {
        Ok(memory::first_kept(&self.file, offset)?.unwrap_or(self.taken).min(self.taken))
    }

    /// Reads bytes that were taken before.
    pub(super) fn read_again(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        memory::read_at(&self.file, buffer, offset)
    }

    /// Takes from a descriptor what a read would, and counts it; a terminal that is hung up says `EIO`.
    pub(super) fn read(&mut self, from: &OwnedFd, buffer: &mut [u8]) -> io::Result<usize> {
        let moved = match &mut self.hop {
            None => memory::move_bytes(from, &self.file, buffer.len())?,
            Some(hop) => hop.carry(from, &self.file, buffer.len())?,
        };
        hooks::pass("spool.moved");
        let read = memory::read_at(&self.file, &mut buffer[..moved], self.taken)?;
        self.taken += moved as u64;
        Ok(read)
    }

    /// Gives the memory back of what is before `settled`.
    pub(super) fn forget(&mut self, settled: u64, all: bool) {
        if settled >= self.forgotten + if all { 1 } else { FORGET_BYTES } {
            // It only costs memory, and is tried again with the next.
            if let Ok(forgotten) = memory::forget(&self.file, self.forgotten, settled) {
                self.forgotten = forgotten;
            }
        }
    }
}

impl Hop {
    fn new((read, write): (OwnedFd, OwnedFd)) -> io::Result<Hop> {
        for end in [&read, &write] {
            fd::set_nonblocking(end.as_fd(), true)?;
        }
        let left = usize::try_from(rustix::io::ioctl_fionread(&read)?).unwrap_or(usize::MAX);
        Ok(Hop { read, write, left })
    }

    /// Carries at most `max` bytes from a terminal into a file; what was left in the hop goes first.
    fn carry(&mut self, from: &OwnedFd, file: &OwnedFd, max: usize) -> io::Result<usize> {
        let room = max.saturating_sub(self.left).min(TERMINAL_BYTES);
        let carried = if room > 0 { memory::move_bytes(from, &self.write, room) } else { Ok(0) };
        self.left += *carried.as_ref().unwrap_or(&0);
        hooks::pass("spool.hopped");
        let mut moved = 0;
        while self.left > 0 && moved < max {
            let count = memory::move_bytes(&self.read, file, self.left.min(max - moved))?;
            self.left -= count;
            moved += count;
        }
        // What the terminal said is met again when nothing comes before it any more.
        if moved > 0 { Ok(moved) } else { carried }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::tty;

    fn keep(spool: &Spool) -> Spool {
        let mut kept = spool.duplicates().expect("duplicates").into_iter();
        let file = kept.next().expect("the file");
        Spool::take_up(file, kept.next().zip(kept.next())).expect("taken up")
    }

    #[test]
    fn what_was_taken_is_there_again_for_the_next_to_the_byte() {
        let (read, write) = fd::pipe().expect("a pipe");
        let mut spool = Spool::new(false).expect("a spool");
        let mut buffer = [0; 10_000];
        rustix::io::write(&write, &[b'a'; 9000]).expect("written");
        assert_eq!(spool.read(&read, &mut buffer).expect("read"), 9000);
        spool.forget(5000, true);
        // What the kernel had moved when the kill came: nobody has noted it.
        rustix::io::write(&write, b"more").expect("written");
        memory::move_bytes(&read, &spool.file, 100).expect("moved");
        let next = keep(&spool);
        drop(spool);
        assert_eq!((next.taken(), next.begin(100).expect("asked")), (9004, 4096));
        assert_eq!(next.read_again(&mut buffer, 4096).expect("read"), 9004 - 4096);
        assert!(buffer[..9000 - 4096].iter().all(|byte| *byte == b'a'), "no byte of what is there is another");
        assert_eq!(next.begin(9004).expect("asked"), 9004, "nothing is missing, and nothing more is there");
        assert_eq!(next.read_again(&mut buffer, 8999).expect("read"), 5);
        assert_eq!(&buffer[..5], b"amore");
    }

    #[test]
    fn a_terminals_output_goes_by_way_of_a_pipe_and_none_of_it_is_left_there() {
        let (master, slave) = tty::open_pair(80, 24).expect("a terminal");
        fd::set_nonblocking(&master, true).expect("non-blocking");
        let mut spool = Spool::new(true).expect("a spool");
        let mut buffer = [0; 1000];
        assert_eq!(spool.read(&master, &mut buffer).expect_err("nothing").kind(), io::ErrorKind::WouldBlock);
        rustix::io::write(&slave, b"one").expect("written");
        assert_eq!(spool.read(&master, &mut buffer).expect("read"), 3);
        // Killed between the terminal and the file.
        rustix::io::write(&slave, b"two").expect("written");
        memory::move_bytes(&master, &spool.hop.as_ref().expect("a hop").write, 100).expect("moved");
        let mut next = keep(&spool);
        drop(spool);
        rustix::io::write(&slave, b"three").expect("written");
        drop(slave);
        let mut all = Vec::new();
        loop {
            match next.read(&master, &mut buffer[..4]) {
                Ok(count) => all.extend_from_slice(&buffer[..count]),
                Err(error) if error.raw_os_error() == Some(libc::EIO) => break,
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!((all, next.taken()), (b"twothree".to_vec(), 11));
    }
}
