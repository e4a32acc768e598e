//! Serves clients on a Unix socket, whoever does the work: a [`Host`] gives a client of the waist for each session.
//!
//! `place` owns socket and lock in the file system, `guard` notices when somebody takes them away, `listening` accepts, `greeting` hears who it is,
//! and one `connection` per client does what is asked, with nothing shared between them: a client that stalls or floods is its own problem.

mod asking;
mod connection;
mod error;
mod event;
mod greeting;
mod guard;
mod host;
mod listening;
mod place;

pub use error::PlaceError;
pub use host::Host;
pub use listening::{Patience, Serving};
pub use place::{Place, Privacy, check_folder, lock_path};
