//! Where records and raw logs are kept.
//!
//! [`Store`] is what the supervisor needs of it; [`MemoryStore`] keeps records as long as the program runs, [`SqliteStore`] in the state
//! directory, which one program uses at a time ([`StateFolder`]). [`Records`] looks them up. [`log`] has every byte that a run printed.

mod database;
mod error;
mod folder;
mod generations;
pub mod log;
mod lookup;
mod memory;
mod prune;
mod query;
mod recovery;
mod redaction;
mod rows;
mod rules;
mod schema;
mod sessions;
mod sqlite;
mod writer;
mod writes;

#[cfg(test)]
mod tests;

pub use error::{OpenError, StoreError};
pub use folder::StateFolder;
pub use generations::Generations;
pub use memory::MemoryStore;
pub use prune::Retention;
pub use query::{Records, SUMMARY_RUNS, Summary};
pub use recovery::{Recovered, lost};
pub use redaction::Redaction;
pub use rows::Listed;
pub use sqlite::{Found, SqliteStore, StoreOptions};
pub use writer::Pruned;
pub use writes::{Done, PruneDone, Store};
