//! One tokio task per run: the only reader, writer and resizer of its terminal or pipes. That is what makes a cut exact.
//!
//! `task` is the loop; `io` moves bytes between descriptors and collectors; `view` is the collector of either mode; `pace`
//! decides when a frame is due; `cut` applies control operations; `facts` looks at the tree. A driver may wait for the
//! supervisor; the supervisor never waits for a driver.

mod covered;
mod cut;
mod facts;
mod io;
mod keep;
mod link;
mod orders;
mod output;
mod pace;
mod port;
mod setup;
mod task;
mod view;

pub use port::{Command, DriverPort, Report, port};
pub use setup::Setup;
pub use task::drive;
