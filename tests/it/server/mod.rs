//! The server and its socket: who gets in, what a client can do to others, what happens when either side goes.

mod hostile;
mod places;
mod reconnecting;
mod served;
mod starting;
mod strangers;

pub(crate) use served::Served;
