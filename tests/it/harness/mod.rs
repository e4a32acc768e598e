//! A terminal for tests: any program in a real PTY, driven by keys, looked at through an emulator that is not ours.
//!
//! Each [`Terminal`] has a home of its own ([`Home`]): HOME, the XDG folders, TMPDIR and a clean environment, so nothing
//! of the machine's user is read or written. Waiting is by condition with a deadline; a wait that fails shows the screen.
//! Whatever was started ends with the home, also what left the session or the process group.
//!
//! The benches and the screenshots use this folder, too, by path.

mod emulator;
mod home;
mod keys;
mod launch;
mod marker;
mod modes;
mod process;
mod programs;
// Open, since the benches drive bare terminals, without an emulator.
pub(crate) mod pty;
mod terminal;

#[cfg(test)]
mod tests;

pub(crate) use emulator::Screen;
pub(crate) use home::Home;
pub(crate) use keys::Mouse;
pub(crate) use launch::Launch;
pub(crate) use marker::{Marker, survivors, wait_gone};
pub(crate) use modes::modes_left_on;
pub(crate) use process::Process;
pub(crate) use programs::have;
pub(crate) use pty::Exit;
pub(crate) use terminal::{DEADLINE, Terminal};
