//! The socket as a client: [`RemoteClient`] asks a server what it is asked.
//!
//! `client` turns calls into messages in their order; `link` is the one task that reads and writes the connection, and makes it anew when it is
//! lost; `waiting` is who waits for what; `shown` keeps the feeds and watches that outlive a connection.

mod client;
mod dial;
mod error;
mod link;
mod shown;
mod waiting;

pub use client::RemoteClient;
pub use dial::{Dial, Patience, connect_to};
