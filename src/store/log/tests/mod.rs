//! Logs: what is written can be read, whatever fails, dies or is dropped in between.

mod cast;
mod failing;
mod ground;
mod lines;
mod reading;
mod resuming;
