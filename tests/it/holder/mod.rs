//! The holder, with the real program as its fork server.

mod cost;
mod harness;
mod keeping;
mod link;
mod spawning;
mod stopping;
mod tree;
