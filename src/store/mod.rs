//! Where records are kept.
//!
//! [`Store`] is what the supervisor needs of it; [`MemoryStore`] keeps records as long as the program runs.

mod error;
mod memory;
mod writes;

pub use error::StoreError;
pub use memory::MemoryStore;
pub use writes::{Done, Store};
