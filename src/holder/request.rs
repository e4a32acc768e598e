//! What a driver asks of a holder.

use std::ffi::OsString;
use std::time::Duration;

use super::codec::{Decoder, Encoder, Malformed};

/// A request to a holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Start the command; answered by `Spawned` or `SpawnFailed`. Once per holder.
    ///
    /// For [`OnLost::Keep`] descriptors come with it: the socket on which the next server is waited for, then up to five
    /// *keepsakes*, which it gets as they are.
    Spawn(Box<Spawn>),
    /// Send a signal; answered by `Signalled`.
    Signal {
        /// The signal's number, 1–64.
        signo: i32,
        /// Who gets it.
        target: SignalTarget,
    },
    /// End everything that descends from the run; answered by `FirstSignalSent`, then `TreeEnded`.
    ///
    /// While one is under way another changes nothing and gets no answer of its own.
    EndTree {
        /// How to begin.
        first: FirstStep,
        /// How long the tree has before it is killed.
        grace: Duration,
    },
    /// Kill what is left now, whatever the grace; nothing happens when no `EndTree` is under way.
    Hurry,
    /// List the members of the tree; answered by `Members`.
    Tree,
    /// Close the holder's own duplicate of the write end of standard input: the payload is delivered. No answer.
    CloseInput,
    /// The run is finished: reap the root, close everything, leave; answered by the end of the link.
    LetGo,
}

/// A command to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spawn {
    /// The program's path, with a slash in it: nothing is searched for.
    pub program: OsString,
    /// All arguments, the program's name for itself first.
    pub argv: Vec<OsString>,
    /// The whole environment; nothing of the holder's own is added.
    pub env: Vec<(OsString, OsString)>,
    /// The working directory, absolute.
    pub cwd: OsString,
    /// What its standard descriptors are.
    pub io: Io,
    /// The run's id, as its `SHTASK_RUN_ID` says: a process that carries it belongs to the tree wherever it sits.
    /// Empty: no such search.
    pub marker: OsString,
    /// What to do when the driver's end of the link is gone without a `LetGo`.
    pub on_lost: OnLost,
}

/// What a command's standard descriptors are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Io {
    /// One terminal of its own for all three.
    Pty {
        /// Columns, at least 1.
        cols: u16,
        /// Rows, at least 1.
        rows: u16,
    },
    /// A pipe for output and one for errors; no controlling terminal.
    Pipes {
        /// What standard input is.
        stdin: StdinSource,
    },
}

/// What standard input is for a command with pipes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StdinSource {
    /// The null device: end of input at once.
    Null,
    /// A pipe whose write end goes to the driver. Closing that is the end of input, after a `CloseInput` where the run is
    /// kept.
    Pipe,
}

/// What a holder does when its driver is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnLost {
    /// End the tree with this grace, then leave.
    End {
        /// How long the tree has before it is killed.
        grace: Duration,
    },
    /// Let the run go on, and wait for the next server, also after its end: nobody else knows how it ended. Without a
    /// socket to wait on, leave when nothing of it is left.
    Keep,
}

/// Who gets a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalTarget {
    /// The root only.
    Root,
    /// The root's process group.
    Group,
    /// The foreground group of the run's terminal; the root's group for a run with pipes.
    Foreground,
    /// Every member of the tree.
    Tree,
}

/// The first step of ending a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstStep {
    /// These signals in order to every member, and CONT after them; empty: TERM, and HUP too for a PTY.
    ///
    /// A member that handles the first signal gets the others only when half of the grace is over, and of them only
    /// those that it handles as well: so a HUP does not cut short what it does on TERM.
    Signals(Vec<i32>),
    /// A command that makes the tree end; when it fails, the default signals follow at once.
    Command(StopCommand),
}

/// A command that makes a tree end. Its standard descriptors are the null device; it has to end within the grace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopCommand {
    /// The program's path, with a slash in it.
    pub program: OsString,
    /// All arguments, the program's name for itself first.
    pub argv: Vec<OsString>,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// The working directory, absolute.
    pub cwd: OsString,
}

const SPAWN: u8 = 1;
const SIGNAL: u8 = 2;
const END_TREE: u8 = 3;
const HURRY: u8 = 4;
const TREE: u8 = 5;
const LET_GO: u8 = 6;
const CLOSE_INPUT: u8 = 7;

impl Request {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut to = Encoder::default();
        match self {
            Self::Spawn(spawn) => {
                to.u8(SPAWN);
                spawn.encode(&mut to);
            }
            Self::Signal { signo, target } => {
                to.u8(SIGNAL).i32(*signo).u8(match target {
                    SignalTarget::Root => 0,
                    SignalTarget::Group => 1,
                    SignalTarget::Foreground => 2,
                    SignalTarget::Tree => 3,
                });
            }
            Self::EndTree { first, grace } => {
                to.u8(END_TREE);
                duration(&mut to, *grace);
                match first {
                    FirstStep::Signals(signals) => {
                        to.u8(0).count(signals.len());
                        for signo in signals {
                            to.i32(*signo);
                        }
                    }
                    FirstStep::Command(command) => {
                        to.u8(1).text(&command.program).texts(&command.argv);
                        environment(&mut to, &command.env);
                        to.text(&command.cwd);
                    }
                }
            }
            Self::Hurry => {
                to.u8(HURRY);
            }
            Self::Tree => {
                to.u8(TREE);
            }
            Self::LetGo => {
                to.u8(LET_GO);
            }
            Self::CloseInput => {
                to.u8(CLOSE_INPUT);
            }
        }
        to.finish()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut from = Decoder::new(bytes);
        let request = match from.u8()? {
            SPAWN => Self::Spawn(Box::new(Spawn::decode(&mut from)?)),
            SIGNAL => Self::Signal {
                signo: from.i32()?,
                target: match from.u8()? {
                    0 => SignalTarget::Root,
                    1 => SignalTarget::Group,
                    2 => SignalTarget::Foreground,
                    3 => SignalTarget::Tree,
                    _ => return Err(Malformed("unknown target of a signal")),
                },
            },
            END_TREE => Self::EndTree {
                grace: read_duration(&mut from)?,
                first: match from.u8()? {
                    0 => FirstStep::Signals(from.list(Decoder::i32)?),
                    1 => FirstStep::Command(StopCommand {
                        program: from.text()?,
                        argv: from.texts()?,
                        env: read_environment(&mut from)?,
                        cwd: from.text()?,
                    }),
                    _ => return Err(Malformed("unknown first step of a stop")),
                },
            },
            HURRY => Self::Hurry,
            TREE => Self::Tree,
            LET_GO => Self::LetGo,
            CLOSE_INPUT => Self::CloseInput,
            _ => return Err(Malformed("unknown request")),
        };
        from.finish()?;
        Ok(request)
    }
}

impl Spawn {
    fn encode(&self, to: &mut Encoder) {
        to.text(&self.program).texts(&self.argv);
        environment(to, &self.env);
        to.text(&self.cwd);
        match self.io {
            Io::Pty { cols, rows } => to.u8(0).u16(cols).u16(rows),
            Io::Pipes { stdin: StdinSource::Null } => to.u8(1),
            Io::Pipes { stdin: StdinSource::Pipe } => to.u8(2),
        };
        to.text(&self.marker);
        match self.on_lost {
            OnLost::End { grace } => duration(to.u8(0), grace),
            OnLost::Keep => {
                to.u8(1);
            }
        }
    }

    fn decode(from: &mut Decoder<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            program: from.text()?,
            argv: from.texts()?,
            env: read_environment(from)?,
            cwd: from.text()?,
            io: match from.u8()? {
                0 => Io::Pty { cols: from.u16()?, rows: from.u16()? },
                1 => Io::Pipes { stdin: StdinSource::Null },
                2 => Io::Pipes { stdin: StdinSource::Pipe },
                _ => return Err(Malformed("unknown kind of descriptors")),
            },
            marker: from.text()?,
            on_lost: match from.u8()? {
                0 => OnLost::End { grace: read_duration(from)? },
                1 => OnLost::Keep,
                _ => return Err(Malformed("unknown order for a lost link")),
            },
        })
    }
}

/// Durations travel in whole milliseconds, cut off at the largest that fits.
fn duration(to: &mut Encoder, duration: Duration) {
    to.u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX));
}

fn read_duration(from: &mut Decoder<'_>) -> Result<Duration, Malformed> {
    Ok(Duration::from_millis(from.u64()?))
}

fn environment(to: &mut Encoder, env: &[(OsString, OsString)]) {
    to.count(env.len());
    for (name, value) in env {
        to.text(name).text(value);
    }
}

fn read_environment(from: &mut Decoder<'_>) -> Result<Vec<(OsString, OsString)>, Malformed> {
    from.list(|from| Ok((from.text()?, from.text()?)))
}
