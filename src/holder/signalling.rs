//! Single signals on request, outside of a stop.

use std::io;
use std::os::fd::OwnedFd;

use crate::sys::signals::LAST_SIGNAL;
use crate::sys::{pidfd, tty};

use super::event::Event;
use super::ladder::Grip;
use super::request::SignalTarget;
use super::tree::Tree;

/// What came of a request, as it goes into its event.
#[derive(Debug, Default)]
struct Tally {
    reached: u32,
    refused: u32,
    errno: i32,
}

impl Tally {
    fn count(&mut self, result: io::Result<()>) {
        match result {
            Ok(()) => self.reached += 1,
            Err(error) => {
                self.refused += 1;
                self.errno = error.raw_os_error().unwrap_or(libc::EINVAL);
            }
        }
    }
}

/// Sends one signal to a part of the tree, and says whom it reached.
pub(super) fn deliver(
    signo: i32,
    target: SignalTarget,
    tree: &mut Tree,
    root_has_exited: bool,
    terminal: Option<&OwnedFd>,
) -> Event {
    let mut tally = Tally::default();
    let nobody = || io::Error::from_raw_os_error(libc::ESRCH);
    match tree.root {
        _ if !(1..=LAST_SIGNAL).contains(&signo) => {
            tally.count(Err(io::ErrorKind::InvalidInput.into()));
        }
        None => tally.count(Err(nobody())),
        Some(root) => match (target, terminal) {
            (SignalTarget::Root, _) if root_has_exited => tally.count(Err(nobody())),
            (SignalTarget::Root, _) => tally.count(pidfd::signal_own_child(root, signo)),
            (SignalTarget::Foreground, Some(master)) => {
                let sent = tty::signal_foreground(master, signo);
                tally.count(sent.and_then(|any| any.then_some(()).ok_or_else(nobody)));
            }
            // The root is not reaped before the end, so the group is still its.
            (SignalTarget::Group, _) | (SignalTarget::Foreground, None) => {
                tally.count(pidfd::signal_group(root, signo));
            }
            (SignalTarget::Tree, _) => {
                for member in tree.members(false) {
                    tally.count(pidfd::signal_exact(member.id, signo));
                }
            }
        },
    }
    Event::Signalled { reached: tally.reached, refused: tally.refused, errno: tally.errno }
}
