//! What a holder keeps for the server after the one that started its run.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use crate::sys::clock::boot_now;
use crate::sys::{fd, local};

use super::event::Left;
use super::hello::StopState;
use super::launch::Failure;

/// How long the next server is not looked for when it could not be taken.
const REST: Duration = Duration::from_millis(100);

/// All that the next server has to be told or given, beside what the holder needs itself.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Where the next server is waited for; `None` when nobody will come.
    listener: Option<OwnedFd>,
    /// Until when on the boot clock nobody looks there.
    resting_until: Option<Duration>,
    /// What the server wants to have back; nobody looks into it here.
    keepsakes: Vec<OwnedFd>,
    pub(super) marker: OsString,
    /// The write end of standard input, until its payload is delivered.
    pub(super) input: Option<OwnedFd>,
    pub(super) start_ticks: u64,
    pub(super) failure: Option<Failure>,
    /// Whether the first signal of a stop is out.
    pub(super) has_begun: bool,
    /// How the stop ended.
    pub(super) ended: Option<(u32, u32, Vec<Left>)>,
}

impl Kept {
    /// Takes what came with a spawn: the socket first.
    pub(super) fn take(&mut self, descriptors: Vec<OwnedFd>, marker: OsString) {
        let mut descriptors = descriptors.into_iter();
        self.listener = descriptors.next();
        self.keepsakes = descriptors.collect();
        self.marker = marker;
    }

    /// Returns the socket on which the next server is waited for.
    pub(super) fn listener(&self) -> Option<&OwnedFd> {
        self.listener.as_ref()
    }

    /// Returns until when the next server is not looked for, where it was to be taken just now and could not.
    pub(super) fn rest(&self) -> Option<Duration> {
        self.resting_until.filter(|until| *until > boot_now())
    }

    /// Begins such a rest. What connects waits meanwhile; to look at once again would be to do nothing else.
    pub(super) fn begin_rest(&mut self) {
        self.resting_until = Some(boot_now() + REST);
    }

    /// Takes the next server's connection, if there is one of this user's.
    pub(super) fn accept(&self) -> io::Result<Option<OwnedFd>> {
        self.listener.as_ref().map_or(Ok(None), local::accept)
    }

    /// Makes the duplicates that go to the next server: the run's own, then the keepsakes. Returns how many are the run's.
    pub(super) fn duplicates(&self, terminal: Option<&OwnedFd>, pipes: &[OwnedFd]) -> io::Result<(u8, Vec<OwnedFd>)> {
        let own = terminal.into_iter().chain(pipes).chain(&self.input);
        let mut all = own.map(|own| fd::duplicate(own.as_fd())).collect::<io::Result<Vec<_>>>()?;
        let count = u8::try_from(all.len()).map_err(io::Error::other)?;
        for keepsake in &self.keepsakes {
            all.push(fd::duplicate(keepsake)?);
        }
        Ok((count, all))
    }

    pub(super) fn stop_state(&self, is_under_way: bool) -> StopState {
        match &self.ended {
            Some((signalled, killed, left)) => {
                StopState::Ended { signalled: *signalled, killed: *killed, left: left.clone() }
            }
            None if is_under_way => StopState::UnderWay { has_begun: self.has_begun },
            None => StopState::None,
        }
    }
}
