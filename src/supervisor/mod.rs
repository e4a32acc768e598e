//! The one place that decides: which runs there are, who may do what to them, and in which order.
//!
//! `core` decides without waiting for anything; the files beside it are its parts: `dispatch`, `starting`, `ending`, `serving`,
//! `storing`, `records`, `adopting`, `earlier`, `keyboard`.
//! `actor` is the loop around it, `timers` its clock, `looking` finds programs for it, `local` the clients for this process.

mod actor;
mod adopting;
mod core;
mod dispatch;
mod earlier;
mod ending;
mod entry;
mod export;
mod finding;
mod kept;
mod keyboard;
mod live;
mod local;
mod looking;
mod reap;
mod records;
mod renaming;
mod request;
mod search;
mod serving;
mod sessions;
mod starting;
mod storage;
mod stored;
mod storing;
mod timers;
mod turns;
mod why;

pub use actor::{Supervisor, SupervisorError, SupervisorSetup, random_id};
pub use adopting::Held;
pub use earlier::{listed_runs, lost_runs};
pub use local::{Clients, LocalClient};
pub use reap::is_alive;
pub use storage::{FLUSH_INTERVAL, Storage};
