//! What a holder says first to a server that takes its run up.

use std::ffi::OsString;

use crate::sys::wait::ExitKind;

use super::codec::{Decoder, Encoder, Malformed};
use super::event::{Left, SpawnStage, decode_ended, decode_exit, encode_ended, encode_exit};

/// The version of the protocol between a holder and a server that did not start it. They may be of different builds of the program, so
/// whatever is changed in requests, events or the order of keepsakes gets another one.
pub const PROTOCOL: u32 = 1;

/// The state of a run, as its holder knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    /// The version that the holder speaks. For any but [`PROTOCOL`] nothing else here is filled in.
    pub version: u32,
    /// The run's id.
    pub marker: OsString,
    /// Where the start of the command stands.
    pub start: StartState,
    /// How the root ended; none while it lives.
    pub exited: Option<ExitKind>,
    /// Whether nothing of the tree is left after the root's end.
    pub is_empty: bool,
    /// Where the end of the tree stands.
    pub stop: StopState,
    /// How many of the descriptors are the run's; the rest are keepsakes.
    pub descriptors: u8,
}

/// Where the start of a command stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartState {
    /// The command has not come to its exec: `Spawned` or `SpawnFailed` follows.
    Pending,
    /// It runs, or ran.
    Spawned {
        /// The root's process id.
        pid: i32,
        /// Its start in clock ticks since boot.
        start_ticks: u64,
    },
    /// It does not run and nothing of it is left.
    Failed {
        /// What failed.
        stage: SpawnStage,
        /// The kernel's error number.
        errno: i32,
    },
}

/// Where the end of a tree stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopState {
    /// Nobody has asked for it.
    None,
    /// It goes on; `TreeEnded` follows.
    UnderWay {
        /// Whether the first signal is out: else `FirstSignalSent` follows.
        has_begun: bool,
    },
    /// It is over.
    Ended {
        /// How many members got a signal that asks them to end.
        signalled: u32,
        /// How many members were killed.
        killed: u32,
        /// What is left.
        left: Vec<Left>,
    },
}

impl Hello {
    pub(super) fn encode(&self, to: &mut Encoder) {
        to.u32(self.version).text(&self.marker);
        match self.start {
            StartState::Pending => to.u8(0),
            StartState::Spawned { pid, start_ticks } => to.u8(1).i32(pid).u64(start_ticks),
            StartState::Failed { stage, errno } => to.u8(2).u8(stage.to_byte()).i32(errno),
        };
        match self.exited {
            None => to.u8(0),
            Some(how) => encode_exit(to.u8(1), how),
        };
        to.u8(u8::from(self.is_empty));
        match &self.stop {
            StopState::None => {
                to.u8(0);
            }
            StopState::UnderWay { has_begun } => {
                to.u8(1 + u8::from(*has_begun));
            }
            StopState::Ended { signalled, killed, left } => encode_ended(to.u8(3), *signalled, *killed, left),
        }
        to.u8(self.descriptors);
    }

    /// Reads it, and tells whether all of it was: of another version only the number is.
    pub(super) fn decode(from: &mut Decoder<'_>) -> Result<(Self, bool), Malformed> {
        let mut hello = Self {
            version: from.u32()?,
            marker: OsString::new(),
            start: StartState::Pending,
            exited: None,
            is_empty: false,
            stop: StopState::None,
            descriptors: 0,
        };
        if hello.version != PROTOCOL {
            return Ok((hello, false));
        }
        hello.marker = from.text()?;
        hello.start = match from.u8()? {
            0 => StartState::Pending,
            1 => StartState::Spawned { pid: from.i32()?, start_ticks: from.u64()? },
            2 => StartState::Failed {
                stage: SpawnStage::from_byte(from.u8()?).ok_or(Malformed("unknown stage of a start"))?,
                errno: from.i32()?,
            },
            _ => return Err(Malformed("unknown state of a start")),
        };
        hello.exited = match from.u8()? {
            0 => None,
            _ => Some(decode_exit(from)?),
        };
        hello.is_empty = from.u8()? != 0;
        hello.stop = match from.u8()? {
            0 => StopState::None,
            1 => StopState::UnderWay { has_begun: false },
            2 => StopState::UnderWay { has_begun: true },
            3 => {
                let (signalled, killed, left) = decode_ended(from)?;
                StopState::Ended { signalled, killed, left }
            }
            _ => return Err(Malformed("unknown state of a stop")),
        };
        hello.descriptors = from.u8()?;
        Ok((hello, true))
    }
}
