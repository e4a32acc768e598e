//! Runs outlive their server, which is killed at random moments (S7.4).

mod continued;
mod drivers;
mod kills;
mod server;
mod supervisors;
