//! What a holder tells its driver.

use std::ffi::OsString;

use crate::sys::pidfd::ProcessId;
use crate::sys::wait::ExitKind;

use super::codec::{Decoder, Encoder, Malformed};
use super::hello::Hello;

/// An event of a holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The command runs. With it come descriptors, all non-blocking and close-on-exec: for a PTY its master; for pipes
    /// the read ends of output and errors, then the write end of input where one was asked for.
    Spawned {
        /// The root's process id; it leads its own session and group.
        pid: i32,
        /// Its start in clock ticks since boot.
        start_ticks: u64,
    },
    /// The command does not run and nothing of it is left.
    SpawnFailed {
        /// What failed.
        stage: SpawnStage,
        /// The kernel's error number.
        errno: i32,
    },
    /// The root has ended. Its pid stays taken until `LetGo`.
    RootExited {
        /// How.
        how: ExitKind,
    },
    /// After the root's end no descendant is left; sent once.
    TreeEmpty,
    /// A `Signal` was carried out.
    Signalled {
        /// How many processes (or groups) took it.
        reached: u32,
        /// How many may not be signalled, or do not exist.
        refused: u32,
        /// The last refusal's error number, 0 for none.
        errno: i32,
    },
    /// The stop has begun and cannot be withdrawn.
    FirstSignalSent {
        /// How many members got the first signals; 0 for a stop command.
        signalled: u32,
    },
    /// The stop is over.
    TreeEnded {
        /// How many members got a signal that asks them to end, over the whole stop.
        signalled: u32,
        /// How many members were killed.
        killed: u32,
        /// What is left, at most 256 of it.
        left: Vec<Left>,
    },
    /// The members of the tree, parents before their children; ended ones that nobody reaped yet are included.
    Members {
        /// The root first, while it is there.
        members: Vec<Member>,
    },
    /// The first word to a server that takes the run up. With it come the run's descriptors as with `Spawned`, then the
    /// keepsakes.
    Hello(Box<Hello>),
}

/// What failed in starting a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpawnStage {
    /// A new process could not be made.
    Fork,
    /// No PTY could be opened or taken.
    Pty,
    /// A pipe or the null device could not be opened.
    Pipe,
    /// The new process could not be prepared (session, signals, descriptors).
    Prepare,
    /// The working directory could not be entered.
    Cwd,
    /// The program could not be executed.
    Exec,
    /// The program is there, but the interpreter that its first line (or header) names is not.
    Interpreter,
}

/// A process that a stop could not end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    /// Its process id.
    pub pid: i32,
    /// Its start in clock ticks since boot.
    pub start_ticks: u64,
    /// Why it is still there.
    pub why: WhyLeft,
}

/// Why a process outlived a kill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WhyLeft {
    /// It runs as another user and may not be signalled.
    NotPermitted,
    /// It waits in the kernel and cannot be interrupted.
    Uninterruptible,
    /// It was signalled and is still there.
    StillThere,
}

/// A member of a run's tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its process id.
    pub pid: i32,
    /// Its parent's process id; the holder's for the root and for orphans.
    pub ppid: i32,
    /// Its start in clock ticks since boot.
    pub start_ticks: u64,
    /// Its state's letter as `ps` shows it.
    pub state: u8,
    /// Its name, at most 15 bytes for a program.
    pub comm: OsString,
}

impl Left {
    /// Returns what tells the process from any other of this boot.
    #[must_use]
    pub fn id(&self) -> ProcessId {
        ProcessId { pid: self.pid, start_ticks: self.start_ticks }
    }
}

impl SpawnStage {
    /// The stage as one byte, for the pipe between a child before its exec and the holder too.
    pub(super) fn to_byte(self) -> u8 {
        match self {
            Self::Fork => 0,
            Self::Pty => 1,
            Self::Pipe => 2,
            Self::Prepare => 3,
            Self::Cwd => 4,
            Self::Exec => 5,
            Self::Interpreter => 6,
        }
    }

    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            0 => Self::Fork,
            1 => Self::Pty,
            2 => Self::Pipe,
            3 => Self::Prepare,
            4 => Self::Cwd,
            5 => Self::Exec,
            6 => Self::Interpreter,
            _ => return None,
        })
    }
}

const SPAWNED: u8 = 1;
const SPAWN_FAILED: u8 = 2;
const ROOT_EXITED: u8 = 3;
const TREE_EMPTY: u8 = 4;
const SIGNALLED: u8 = 5;
const FIRST_SIGNAL_SENT: u8 = 6;
const TREE_ENDED: u8 = 7;
const MEMBERS: u8 = 8;
const HELLO: u8 = 9;

impl Event {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut to = Encoder::default();
        match self {
            Self::Spawned { pid, start_ticks } => to.u8(SPAWNED).i32(*pid).u64(*start_ticks),
            Self::SpawnFailed { stage, errno } => to.u8(SPAWN_FAILED).u8(stage.to_byte()).i32(*errno),
            Self::RootExited { how } => encode_exit(to.u8(ROOT_EXITED), *how),
            Self::TreeEmpty => to.u8(TREE_EMPTY),
            Self::Signalled { reached, refused, errno } => to.u8(SIGNALLED).u32(*reached).u32(*refused).i32(*errno),
            Self::FirstSignalSent { signalled } => to.u8(FIRST_SIGNAL_SENT).u32(*signalled),
            Self::TreeEnded { signalled, killed, left } => {
                to.u8(TREE_ENDED);
                encode_ended(&mut to, *signalled, *killed, left);
                &mut to
            }
            Self::Members { members } => {
                to.u8(MEMBERS).count(members.len());
                for member in members {
                    to.i32(member.pid).i32(member.ppid).u64(member.start_ticks).u8(member.state).text(&member.comm);
                }
                &mut to
            }
            Self::Hello(hello) => {
                to.u8(HELLO);
                hello.encode(&mut to);
                &mut to
            }
        };
        to.finish()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut from = Decoder::new(bytes);
        let event = match from.u8()? {
            SPAWNED => Self::Spawned { pid: from.i32()?, start_ticks: from.u64()? },
            SPAWN_FAILED => Self::SpawnFailed {
                stage: SpawnStage::from_byte(from.u8()?).ok_or(Malformed("unknown stage of a start"))?,
                errno: from.i32()?,
            },
            ROOT_EXITED => Self::RootExited { how: decode_exit(&mut from)? },
            TREE_EMPTY => Self::TreeEmpty,
            SIGNALLED => Self::Signalled { reached: from.u32()?, refused: from.u32()?, errno: from.i32()? },
            FIRST_SIGNAL_SENT => Self::FirstSignalSent { signalled: from.u32()? },
            TREE_ENDED => {
                let (signalled, killed, left) = decode_ended(&mut from)?;
                Self::TreeEnded { signalled, killed, left }
            }
            MEMBERS => Self::Members {
                members: from.list(|from| {
                    Ok(Member {
                        pid: from.i32()?,
                        ppid: from.i32()?,
                        start_ticks: from.u64()?,
                        state: from.u8()?,
                        comm: from.text()?,
                    })
                })?,
            },
            HELLO => {
                let (hello, is_whole) = Hello::decode(&mut from)?;
                if !is_whole {
                    // Of another version: what else it says is not known here.
                    return Ok(Self::Hello(Box::new(hello)));
                }
                Self::Hello(Box::new(hello))
            }
            _ => return Err(Malformed("unknown event")),
        };
        from.finish()?;
        Ok(event)
    }
}

pub(super) fn encode_exit(to: &mut Encoder, how: ExitKind) -> &mut Encoder {
    match how {
        ExitKind::Code(code) => to.u8(0).i32(code),
        ExitKind::Signal { signo, core } => to.u8(1 + u8::from(core)).i32(signo),
    }
}

pub(super) fn decode_exit(from: &mut Decoder<'_>) -> Result<ExitKind, Malformed> {
    match (from.u8()?, from.i32()?) {
        (0, code) => Ok(ExitKind::Code(code)),
        (1, signo) => Ok(ExitKind::Signal { signo, core: false }),
        (2, signo) => Ok(ExitKind::Signal { signo, core: true }),
        _ => Err(Malformed("unknown kind of exit")),
    }
}

pub(super) fn encode_ended(to: &mut Encoder, signalled: u32, killed: u32, left: &[Left]) {
    to.u32(signalled).u32(killed).count(left.len());
    for left in left {
        to.i32(left.pid).u64(left.start_ticks).u8(match left.why {
            WhyLeft::NotPermitted => 0,
            WhyLeft::Uninterruptible => 1,
            WhyLeft::StillThere => 2,
        });
    }
}

pub(super) fn decode_ended(from: &mut Decoder<'_>) -> Result<(u32, u32, Vec<Left>), Malformed> {
    let (signalled, killed) = (from.u32()?, from.u32()?);
    let left = from.list(|from| {
        Ok(Left {
            pid: from.i32()?,
            start_ticks: from.u64()?,
            why: match from.u8()? {
                0 => WhyLeft::NotPermitted,
                1 => WhyLeft::Uninterruptible,
                2 => WhyLeft::StillThere,
                _ => return Err(Malformed("unknown reason to be left")),
            },
        })
    })?;
    Ok((signalled, killed, left))
}
