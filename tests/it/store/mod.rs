//! Records and raw logs of real runs: kept, read again, recovered; and what a dying program or a full disk does to them.

mod bounds;
mod closes;
mod disk;
mod ground;
mod kept;
mod killed;
mod listed;
#[cfg(feature = "test-hooks")]
mod points;
mod recovered;
mod redacted;
mod replayed;
mod syscalls;
