//! The link to the holder, for async code.

use std::os::fd::OwnedFd;
use std::time::Duration;

use tokio::io::{Interest, Ready};

use crate::holder::{Event, HolderLink, HolderServer, LinkError, Request};
use crate::model::{ErrorCode, Failure, with_sources};
use crate::sys::watched::Watched;

/// How often a holder is asked for while the fork server is too busy, and how long between.
const OPEN_ATTEMPTS: u32 = 20;
const OPEN_PAUSE: Duration = Duration::from_millis(25);

/// The link to the holder of one run.
#[derive(Debug)]
pub(super) struct Link {
    link: HolderLink,
    watched: Watched,
}

impl Link {
    /// Gets a holder.
    pub(super) async fn open(holders: &HolderServer) -> Result<Link, Failure> {
        let mut attempt = 0;
        let link = loop {
            match holders.open() {
                Ok(link) => break link,
                Err(crate::holder::HolderError::Busy) if attempt < OPEN_ATTEMPTS => attempt += 1,
                Err(error) => {
                    let message = format!("no holder could be started for the run: {}", with_sources(&error));
                    return Err(Failure::new(ErrorCode::SpawnFailed, message));
                }
            }
            tokio::time::sleep(OPEN_PAUSE).await;
        };
        Link::of(link)
    }

    /// Watches the link to a holder.
    pub(super) fn of(link: HolderLink) -> Result<Link, Failure> {
        let watched = Watched::new(link.shared_fd()).map_err(|error| {
            Failure::new(ErrorCode::SpawnFailed, format!("the holder's link cannot be watched: {error}"))
        })?;
        Ok(Link { link, watched })
    }

    /// Sends a request with descriptors.
    pub(super) fn send_with(&mut self, request: &Request, descriptors: Vec<OwnedFd>) -> Result<(), LinkError> {
        self.link.send_with(request, descriptors)
    }

    /// Sends a request; what the socket does not take now goes with [`Link::next`].
    pub(super) fn send(&mut self, request: &Request) -> Result<(), LinkError> {
        self.link.send(request)
    }

    /// Returns what the other end said before it closed.
    pub(super) fn last_word(&mut self) -> Option<Event> {
        self.link.receive().ok().flatten().map(|(event, _)| event)
    }

    /// Waits for the next event.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub(super) async fn next(&mut self) -> Result<(Event, Vec<OwnedFd>), LinkError> {
        loop {
            let interest = match self.link.wants_write() {
                true => Interest::READABLE | Interest::WRITABLE,
                false => Interest::READABLE,
            };
            let mut ready = self.watched.ready(interest).await?;
            if ready.ready().is_writable() && !self.link.flush()? {
                ready.clear_ready_matching(Ready::WRITABLE);
            }
            match self.link.receive()? {
                // There may be more, so it stays marked as readable.
                Some(event) => return Ok(event),
                None => ready.clear_ready_matching(Ready::READABLE),
            }
        }
    }
}
