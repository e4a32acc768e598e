//! What of a run outlives its server: the *keepsakes*, which the holder keeps and gives to the next one.
//!
//! Their order is part of the protocol: notes; then for a PTY its spool and both ends of the hop, for pipes both spools and the payload, where
//! there is one.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use crate::holder::HolderSockets;
use crate::model::Mode;
use crate::redact::MAX_BEHIND_BYTES;
use crate::store::log::Rest;
use crate::sys::{fd, hooks, memory};
use crate::tail::Pipe;

use super::spool::Spool;

/// Where the words of the supervisor begin in the notes. Before them are the counters of the driver, whether secrets are taken out of the log, and for
/// that a point of each stream: all within a page, so that a kill cuts none of them short.
const WORDS_BEGIN: u64 = 4096;
const REDACTED_AT: u64 = 24;
const RESTS_BEGIN: u64 = 1024;
const REST_BYTES: u64 = 1024;

/// The most that is read of one word: a specification with the largest environment that the kernel takes.
const MAX_WORD_BYTES: usize = 32 * 1024 * 1024;

/// That a run is to outlive its server.
#[derive(Debug)]
pub struct Keeping {
    /// Where its holder waits for the next one.
    pub sockets: Arc<HolderSockets>,
    /// What the next one has to know, as the supervisor writes it. More is added with [`Command::Note`](super::Command::Note).
    pub word: Vec<u8>,
}

/// The keepsakes of one run.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) notes: Notes,
    /// One for each stream; the driver's sources have them once there are any.
    pub(super) spools: Vec<Spool>,
    pub(super) payload: Option<Payload>,
}

/// A file that the server after this one reads.
#[derive(Debug)]
pub(super) struct Notes {
    file: OwnedFd,
    end: u64,
    pub(super) counters: Counters,
    /// From where on secrets are taken out of both streams of the log; none for a log that has everything as it came.
    pub(super) rests: Option<[Rest; 2]>,
}

/// What the driver has done so far, as far as the log does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counters {
    /// How many cuts were made.
    pub(super) cuts: u64,
    /// How many bytes were typed.
    pub(super) typed_bytes: u64,
    /// Up to which offset of its output a program's queries are answered.
    pub(super) answered: u64,
}

/// What is written to standard input: the kernel moves it and counts it, so nothing is written twice.
#[derive(Debug)]
pub(super) struct Payload {
    file: OwnedFd,
    pub(super) left: u64,
}

impl Kept {
    /// Makes the keepsakes of a new run, and the duplicates that its holder gets.
    pub(super) fn new(
        mode: Mode,
        payload: Option<&[u8]>,
        word: &[u8],
        is_redacted: bool,
    ) -> io::Result<(Kept, Vec<OwnedFd>)> {
        let file = memory::file(c"shtask-notes")?;
        memory::write_at(&file, &[u8::from(is_redacted)], REDACTED_AT)?;
        let rests = is_redacted.then(<[Rest; 2]>::default);
        let mut notes = Notes { file, end: WORDS_BEGIN, counters: Counters::default(), rests };
        notes.add(word)?;
        let spools = match mode {
            Mode::Pty => vec![Spool::new(true)?],
            Mode::Pipes => vec![Spool::new(false)?, Spool::new(false)?],
        };
        let payload = payload.map(Payload::new).transpose()?;
        let mut duplicates = vec![fd::duplicate(&notes.file)?];
        for spool in &spools {
            duplicates.extend(spool.duplicates()?);
        }
        if let Some(payload) = &payload {
            duplicates.push(fd::duplicate(&payload.file)?);
        }
        Ok((Kept { notes, spools, payload }, duplicates))
    }

    /// Takes the keepsakes of a run up.
    pub(super) fn take_up(mode: Mode, keepsakes: Vec<OwnedFd>) -> io::Result<Kept> {
        let mut keepsakes = keepsakes.into_iter();
        let missing = || io::Error::other("the holder sent too few keepsakes");
        let mut next = || keepsakes.next().ok_or_else(missing);
        let notes = Notes::take_up(next()?)?;
        let spools = match mode {
            Mode::Pty => vec![Spool::take_up(next()?, Some((next()?, next()?)))?],
            Mode::Pipes => vec![Spool::take_up(next()?, None)?, Spool::take_up(next()?, None)?],
        };
        let payload = keepsakes.next().map(Payload::take_up).transpose()?;
        Ok(Kept { notes, spools, payload })
    }
}

impl Notes {
    pub(super) fn take_up(file: OwnedFd) -> io::Result<Notes> {
        let mut numbers = [0; 24];
        memory::read_at(&file, &mut numbers, 0)?;
        let number = |at: usize| {
            let bytes = numbers[at..at + 8].try_into().expect("eight bytes");
            u64::from_le_bytes(bytes)
        };
        let counters = Counters { cuts: number(0), typed_bytes: number(8), answered: number(16) };
        let rests = Notes::rests_of(&file)?;
        let mut notes = Notes { file, end: WORDS_BEGIN, counters, rests };
        while let Some((_, end)) = notes.word_at(notes.end)? {
            notes.end = end;
        }
        rustix::fs::ftruncate(&notes.file, notes.end)?;
        Ok(notes)
    }

    fn rests_of(file: &OwnedFd) -> io::Result<Option<[Rest; 2]>> {
        let mut is_redacted = [0];
        memory::read_at(file, &mut is_redacted, REDACTED_AT)?;
        if is_redacted == [0] {
            return Ok(None);
        }
        let mut rests = <[Rest; 2]>::default();
        for (rest, at) in rests.iter_mut().zip([RESTS_BEGIN, RESTS_BEGIN + REST_BYTES]) {
            let mut bytes = [0; 24 + MAX_BEHIND_BYTES];
            memory::read_at(file, &mut bytes, at)?;
            let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
            let length = usize::try_from(number(16)).unwrap_or(usize::MAX).min(MAX_BEHIND_BYTES);
            *rest = Rest { came: number(0), logged: number(8), behind: bytes[24..24 + length].to_vec() };
        }
        Ok(Some(rests))
    }

    /// Notes a point from which the next program can go on with a stream of a redacted log.
    pub(super) fn rest(&mut self, pipe: Pipe, rest: Rest) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(24 + MAX_BEHIND_BYTES);
        for number in [rest.came, rest.logged, rest.behind.len() as u64] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&rest.behind);
        memory::write_at(&self.file, &bytes, RESTS_BEGIN + REST_BYTES * pipe as u64)?;
        if let Some(rests) = &mut self.rests {
            rests[pipe as usize] = rest;
        }
        Ok(())
    }

    /// Notes how far the driver has come.
    pub(super) fn count(&mut self, change: impl FnOnce(&mut Counters)) {
        change(&mut self.counters);
        let Counters { cuts, typed_bytes, answered } = self.counters;
        let mut bytes = [0; 24];
        for (to, number) in bytes.chunks_exact_mut(8).zip([cuts, typed_bytes, answered]) {
            to.copy_from_slice(&number.to_le_bytes());
        }
        if let Err(error) = memory::write_at(&self.file, &bytes, 0) {
            tracing::warn!(%error, "the counters of a run could not be noted");
        }
    }

    /// Adds a word of the supervisor's. One that a kill cuts short is none.
    pub(super) fn add(&mut self, word: &[u8]) -> io::Result<()> {
        hooks::pass("note.write");
        let length = u32::try_from(word.len()).map_err(io::Error::other)?;
        let bytes = [&length.to_le_bytes()[..], word].concat();
        memory::write_at(&self.file, &bytes, self.end)?;
        self.end += bytes.len() as u64;
        hooks::pass("note.written");
        Ok(())
    }

    /// Returns all words, the oldest first.
    pub(super) fn words(&self) -> io::Result<Vec<Vec<u8>>> {
        let (mut words, mut at) = (Vec::new(), WORDS_BEGIN);
        while let Some((word, end)) = self.word_at(at)? {
            words.push(word);
            at = end;
        }
        Ok(words)
    }

    fn word_at(&self, at: u64) -> io::Result<Option<(Vec<u8>, u64)>> {
        let mut length = [0; 4];
        if memory::read_at(&self.file, &mut length, at)? < length.len() {
            return Ok(None);
        }
        let length = u32::from_le_bytes(length) as usize;
        if length > MAX_WORD_BYTES {
            return Err(io::Error::other("the notes of a run are damaged"));
        }
        let mut word = vec![0; length];
        let is_whole = length > 0 && memory::read_at(&self.file, &mut word, at + 4)? == length;
        Ok(is_whole.then_some((word, at + 4 + length as u64)))
    }
}

impl Payload {
    fn new(bytes: &[u8]) -> io::Result<Payload> {
        let file = memory::file(c"shtask-payload")?;
        memory::write_at(&file, bytes, 0)?;
        Ok(Payload { file, left: bytes.len() as u64 })
    }

    fn take_up(file: OwnedFd) -> io::Result<Payload> {
        let length = rustix::fs::fstat(&file)?.st_size;
        let left = u64::try_from(length).unwrap_or(0).saturating_sub(memory::position(&file)?);
        Ok(Payload { file, left })
    }

    /// Writes what a pipe takes of it now.
    pub(super) fn write(&mut self, to: &OwnedFd) -> io::Result<u64> {
        let moved = memory::move_bytes(&self.file, to, usize::try_from(self.left).unwrap_or(usize::MAX))? as u64;
        self.left = self.left.saturating_sub(moved);
        Ok(moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_read_by_the_next_without_what_a_kill_cut_short() {
        let (mut kept, duplicates) = Kept::new(Mode::Pty, None, b"first", true).expect("keepsakes");
        kept.notes.add(&[b'x'; 10_000]).expect("added");
        kept.notes.count(|counters| counters.cuts = 7);
        let rest = Rest { came: 9, logged: 8, behind: vec![b'b'; MAX_BEHIND_BYTES] };
        kept.notes.rest(Pipe::Stderr, rest.clone()).expect("noted");
        // A length, and less than it says.
        memory::write_at(&kept.notes.file, &[100, 0, 0, 0, b'y'], kept.notes.end).expect("written");
        let mut next = Kept::take_up(Mode::Pty, duplicates).expect("taken up");
        assert_eq!(next.notes.words().expect("words"), [b"first".to_vec(), vec![b'x'; 10_000]]);
        assert_eq!(next.notes.counters.cuts, 7);
        assert_eq!(next.notes.rests, Some([Rest::default(), rest]));
        next.notes.add(&[b'z'; 200]).expect("added");
        assert_eq!(next.notes.words().expect("words").last(), Some(&vec![b'z'; 200]));
    }

    #[test]
    fn a_payload_goes_on_behind_what_was_written() {
        let payload: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
        let (mut kept, duplicates) = Kept::new(Mode::Pipes, Some(&payload), b"word", false).expect("keepsakes");
        let (read, write) = fd::pipe().expect("a pipe");
        fd::set_nonblocking(&write, true).expect("non-blocking");
        let first = kept.payload.as_mut().expect("a payload").write(&write).expect("written");
        drop(kept);
        let mut next = Kept::take_up(Mode::Pipes, duplicates).expect("taken up").payload.expect("a payload");
        assert_eq!(first + next.left, payload.len() as u64);
        let mut all = Vec::new();
        let mut buffer = [0; 65536];
        while all.len() < payload.len() {
            let count = rustix::io::read(&read, &mut buffer).expect("read");
            all.extend_from_slice(&buffer[..count]);
            match next.write(&write) {
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => panic!("{error}"),
                Ok(_) | Err(_) => {}
            }
        }
        assert!(all == payload);
    }
}
