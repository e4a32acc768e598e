//! Files in memory whose position is counted by the kernel: what another process takes up after this one was killed.
//!
//! A process may be killed at any instruction, also between a read and the store of how much was read. So bytes are moved by the
//! kernel from one descriptor to another, and it is the kernel that advances the position of the file: both have happened, or
//! neither. The position belongs to the open file, so every process that holds a duplicate sees the same.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use rustix::fs::{FallocateFlags, MemfdFlags, Mode, OFlags, SeekFrom};
use rustix::pipe::SpliceFlags;

use super::proc;

/// Makes an empty file in memory, close-on-exec. The name is for `/proc/PID/fd` only.
///
/// # Errors
///
/// Out of descriptors or memory.
pub fn file(name: &CStr) -> io::Result<OwnedFd> {
    Ok(rustix::fs::memfd_create(name, MemfdFlags::CLOEXEC)?)
}

/// Moves at most `max` bytes; one of both ends must be a pipe. The position of an end that is a file advances by what is returned, 0 at the
/// end of the input. A process that is killed meanwhile has moved them and advanced it, or neither.
///
/// # Errors
///
/// `WouldBlock` when a non-blocking input is empty or a pipe is full; `EIO` for a terminal that is hung up; what the file says.
pub fn move_bytes(from: impl AsFd, to: impl AsFd, max: usize) -> io::Result<usize> {
    loop {
        match rustix::pipe::splice(&from, None, &to, None, max, SpliceFlags::NONBLOCK) {
            Err(rustix::io::Errno::INTR) => {}
            moved => return Ok(moved?),
        }
    }
}

/// Returns the position of a file.
///
/// # Errors
///
/// The descriptor is no file.
pub fn position(file: impl AsFd) -> io::Result<u64> {
    Ok(rustix::fs::tell(file)?)
}

/// Sets the position of a file.
///
/// # Errors
///
/// The descriptor is no file.
pub fn set_position(file: impl AsFd, at: u64) -> io::Result<()> {
    rustix::fs::seek(file, SeekFrom::Start(at))?;
    Ok(())
}

/// Reads bytes of a file from an offset on; the position stays. Fills the buffer as far as the file goes.
///
/// # Errors
///
/// The descriptor is no file, or its memory could not be had.
pub fn read_at(file: impl AsFd, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match rustix::io::pread(&file, &mut buffer[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(filled)
}

/// Writes all bytes into a file from an offset on; the position stays.
///
/// # Errors
///
/// Out of memory.
pub fn write_at(file: impl AsFd, bytes: &[u8], offset: u64) -> io::Result<()> {
    let mut written = 0;
    while written < bytes.len() {
        match rustix::io::pwrite(&file, &bytes[written..], offset + written as u64) {
            Ok(count) => written += count,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Returns the first byte at or behind `offset` whose memory is there; none when there is none. The position stays.
///
/// # Errors
///
/// The descriptor is no file in memory, or there is no `/proc`.
pub fn first_kept(file: impl AsFd, offset: u64) -> io::Result<Option<u64>> {
    // Such a search moves the position, so it is done in an opening of its own.
    let path = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
    let own = rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    match rustix::fs::seek(own, SeekFrom::Data(offset)) {
        Err(rustix::io::Errno::NXIO) => Ok(None),
        found => Ok(Some(found?)),
    }
}

/// Gives the memory of bytes in the middle of a file back; only whole pages go. Returns where what is kept begins: before it is asked for
/// again, from there.
///
/// # Errors
///
/// The descriptor is no file in memory.
pub fn forget(file: impl AsFd, from: u64, to: u64) -> io::Result<u64> {
    // The kernel fills a part of a page with zeroes, and keeps the page.
    let end = to - to % proc::page_bytes();
    if end <= from {
        return Ok(from);
    }
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    rustix::fs::fallocate(file, flags, from, end - from)?;
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::fd;

    #[test]
    fn what_is_moved_is_counted_by_the_file_and_forgotten_in_whole_pages() {
        let (read, write) = fd::pipe().expect("a pipe");
        let held = file(c"test").expect("a file");
        let other = held.try_clone().expect("a duplicate");
        for _ in 0..3 {
            rustix::io::write(&write, &[b'x'; 4096]).expect("written");
        }
        rustix::io::write(&write, b"end").expect("written");
        while position(&other).expect("a position") < 3 * 4096 + 3 {
            move_bytes(&read, &held, 65536).expect("moved");
        }
        assert_eq!(forget(&held, 0, 2 * 4096 + 100).expect("forgotten"), 2 * 4096);
        assert_eq!(forget(&held, 2 * 4096, 2 * 4096 + 100).expect("nothing to forget"), 2 * 4096);
        let mut kept = [0; 4096];
        assert_eq!(read_at(&other, &mut kept, 2 * 4096).expect("read"), 4096);
        assert!(kept.iter().all(|byte| *byte == b'x'), "a part of a page keeps its bytes");
        assert_eq!(first_kept(&other, 5).expect("a search"), Some(2 * 4096));
        assert_eq!(first_kept(&other, 3 * 4096 + 3).expect("a search"), None);
        assert_eq!(position(&held).expect("a position"), 3 * 4096 + 3, "looking around moves nothing");
        let mut end = [0; 10];
        assert_eq!(read_at(&other, &mut end, 3 * 4096).expect("read"), 3);
        assert_eq!(&end[..3], b"end");
    }

    #[test]
    fn a_payload_is_moved_into_a_pipe_as_far_as_that_takes_it() {
        let payload = file(c"test").expect("a file");
        write_at(&payload, &[b'p'; 100_000], 0).expect("written");
        let (read, write) = fd::pipe().expect("a pipe");
        fd::set_nonblocking(&write, true).expect("non-blocking");
        let mut moved = 0;
        loop {
            match move_bytes(&payload, &write, 1 << 20) {
                Ok(0) => break,
                Ok(count) => moved += count,
                Err(error) => {
                    assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
                    assert_eq!(position(&payload).expect("a position"), moved as u64);
                    let mut taken = [0; 4096];
                    let count = rustix::io::read(&read, &mut taken).expect("read");
                    assert!(taken[..count].iter().all(|byte| *byte == b'p'));
                }
            }
        }
        assert_eq!(moved, 100_000);
    }
}
