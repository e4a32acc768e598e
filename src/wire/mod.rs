//! What client and server say to each other, byte by byte (`docs/server.md` has the protocol for other languages).
//!
//! A connection carries frames: length, kind, payload ([`Inbox`], [`Outbox`]). Frames make messages: a head in JSON and, where there is bulk, raw
//! bytes behind it. The first message each way is a [`Hello`]. Then the client asks ([`FromClient`], [`Ask`]) and the server tells
//! ([`FromServer`]). Screens are written as what changed since the screen that was sent before ([`screen`]).
//!
//! Nothing here waits or knows a socket; every decoder takes any bytes and answers with a value or a [`WireError`].

mod ask;
mod bytes;
mod error;
mod framing;
mod hello;
pub mod screen;
mod tell;

pub use ask::{Ask, FromClient, StartAsk};
pub use error::WireError;
pub use framing::{Inbox, MAX_FRAME_BYTES, Message, Outbox};
pub use hello::{Hello, Refusal, VERSION, Version, Welcome};
pub use tell::{CutAnswer, CutView, FromServer, HistoryAnswer, Json, LogAnswer, id_of};
