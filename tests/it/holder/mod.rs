//! The holder, with the real program as its fork server.

mod cost;
mod harness;
mod link;
mod spawning;
mod stopping;
mod tree;
