//! What can go wrong between a driver and a holder.

use std::io;
use std::path::PathBuf;

/// A failure to start the fork server or to get a holder from it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HolderError {
    /// The program could not be started as the fork server.
    #[error("cannot start the holders' fork server from {exe}", exe = exe.display())]
    Start {
        /// The program that was to be started.
        exe: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// No pair of sockets could be made: out of descriptors or memory.
    #[error("cannot make a link to a holder")]
    Link {
        /// Why not.
        source: io::Error,
    },
    /// The fork server took no request within its time; it is worth trying again.
    #[error("the holders' fork server is busy")]
    Busy,
    /// The fork server is gone and could not be replaced.
    #[error("the holders' fork server is gone")]
    Gone,
}

/// A failure on the link of one holder. After any but `TooLarge` the link is of no more use.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// The other end is gone: the holder was let go, or died.
    #[error("the holder has closed its link")]
    Closed,
    /// The request is larger than any that the kernel could execute; nothing was sent.
    #[error("request of {bytes} bytes is larger than {max_bytes}")]
    TooLarge {
        /// Its encoded size.
        bytes: usize,
        /// The most that is taken.
        max_bytes: usize,
    },
    /// What came is no event.
    #[error("malformed message on a holder's link: {what}")]
    Malformed {
        /// What was wrong with it.
        what: &'static str,
    },
    /// The socket failed.
    #[error("a holder's link failed")]
    Io(#[from] io::Error),
}
