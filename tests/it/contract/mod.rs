//! The contract of every client: what a run is, as seen through `dyn Client` and nothing else.
//!
//! A test takes the [`ground`] it stands on and never asks what kind of client it has; one line in [`ground`] adds another
//! kind. Each test cites its rule of the specification.

mod attention;
mod capacity;
mod closes;
mod closing;
mod cuts;
mod draining;
mod environment;
mod export;
mod feeds;
mod finding;
mod foreground;
mod ground;
mod guards;
mod keyboard;
mod keys;
mod leaks;
mod live;
mod naming;
mod outputs;
mod reading;
mod renaming;
mod search;
mod sessions;
mod starting;
mod statuses;
mod stdin;
mod stopping;
mod terminals;
mod timeouts;
mod tree;
mod unlisted;
mod watching;
mod why;
mod withdrawing;
