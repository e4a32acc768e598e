//! The operating system: descriptors, processes, terminals, clocks.
//!
//! This is the only module with `unsafe` code. Everything it offers is safe to call; what a call needs to be sound is
//! carried by a type (a [`fork::SingleThreaded`] token to fork, a shared descriptor to watch).

pub mod clock;
pub mod fd;
pub mod fork;
pub mod heap;
pub mod hooks;
pub mod local;
pub mod memory;
pub mod pidfd;
pub mod proc;
pub mod rights;
pub mod signals;
pub mod socket;
pub mod sockets;
pub mod tty;
pub mod wait;
pub mod waits;
pub mod watched;
