//! The time between two servers: the holder waits, and tells the next one how things are.

use super::event::Event;
use super::frames::Frames;
use super::hello::{Hello, PROTOCOL, StartState};
use super::parent::Holder;
use super::request::{FirstStep, OnLost};
use crate::sys::fork;

impl Holder<'_> {
    /// Returns whether nobody is there and nobody will come.
    pub(super) fn is_abandoned(&self) -> bool {
        self.link.is_none() && self.kept.listener().is_none()
    }

    pub(super) fn lose_link(&mut self) {
        self.link = None;
        if self.kept.listener().is_some() {
            return;
        }
        if self.tree.root.is_none() && self.stop.is_none() {
            self.leave = true;
            return;
        }
        match self.on_lost {
            OnLost::End { grace } => self.end_tree(FirstStep::Signals(Vec::new()), grace),
            OnLost::Keep => self.leave |= self.stop.is_none() && self.told_empty,
        }
    }

    /// Takes the next server's connection and says hello.
    pub(super) fn take_next_server(&mut self) {
        let is_there = matches!(self.start_state(), StartState::Spawned { .. });
        let (terminal, pipes) = if is_there { (self.terminal.as_ref(), &*self.pipes) } else { (None, &[][..]) };
        // Without the descriptors it would be of no use: they are there before the connection is taken.
        let taken = self.kept.duplicates(terminal, pipes).and_then(|given| Ok((self.kept.accept()?, given)));
        let (socket, (descriptors, all)) = match taken {
            Ok((Some(socket), given)) => (socket, given),
            Ok((None, _)) => return,
            // Out of descriptors, mostly.
            Err(_) => return self.kept.begin_rest(),
        };
        if let Ok(pid) = fork::peer_pid(&socket) {
            self.tree.protect(pid);
        }
        self.link = Some(Frames::new(socket));
        let hello = Hello {
            version: PROTOCOL,
            marker: self.kept.marker.clone(),
            start: self.start_state(),
            exited: self.exited,
            is_empty: self.told_empty,
            stop: self.kept.stop_state(self.stop.is_some()),
            descriptors,
        };
        self.tell_with(&Event::Hello(Box::new(hello)), all);
    }

    fn start_state(&self) -> StartState {
        match (self.tree.root, self.kept.failure) {
            (None, Some(failure)) => StartState::Failed { stage: failure.stage, errno: failure.errno },
            (Some(pid), _) if self.spawning.is_none() => {
                StartState::Spawned { pid, start_ticks: self.kept.start_ticks }
            }
            (Some(_) | None, _) => StartState::Pending,
        }
    }
}
