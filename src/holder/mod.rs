//! The parent of a run: a small process that owns the run's tree.
//!
//! A *fork server* (this program with the hidden argument `__holders`) is started once, before it is needed, and forks
//! a *holder* for each run. The holder is the subreaper of all that descends from the run: it opens the PTY or the
//! pipes, starts the command, knows its exit, and ends the tree from inside it by a ladder: ask, wait, kill. It speaks with
//! the run's driver over one socket in [`Request`]s and [`Event`]s, and outlives its driver when it is told to.
//!
//! The order of a run's events: `Spawned` (or `SpawnFailed`, and nothing follows), `RootExited`, `TreeEmpty` when no
//! descendant is left after that; for an `EndTree`: `FirstSignalSent`, `TreeEnded`. `LetGo` is answered by the link's
//! end.
//!
//! A run that is to be kept ([`OnLost::Keep`]) outlives its server (docs/design/adoption.md): the holder waits on a socket for the next
//! one, and begins with a [`Hello`] and all descriptors.

mod cgroup;
mod client;
mod codec;
mod descriptors;
mod error;
mod event;
mod fork_server;
mod frames;
mod hello;
mod kept;
mod ladder;
mod launch;
mod parent;
mod request;
mod signalling;
mod tree;
mod waiting;

#[cfg(test)]
mod codec_tests;

pub use client::{HolderLink, HolderServer, HolderSockets};
pub use error::{HolderError, LinkError};
pub use event::{Event, Left, Member, SpawnStage, WhyLeft};
pub use fork_server::serve_if_asked;
pub use hello::{Hello, PROTOCOL, StartState, StopState};
pub use request::{FirstStep, Io, OnLost, Request, SignalTarget, Spawn, StdinSource, StopCommand};
