//! One tokio task per run: the only reader, writer and resizer of its terminal or pipes. That is what makes a cut exact.
//!
//! `task` is the loop; `io` moves bytes between descriptors and collectors; `view` is the collector of either mode; `pace`
//! decides when a frame is due; `cut` applies control operations; `facts` looks at the tree. For a run that outlives its server (docs/design/adoption.md),
//! `kept` and `spool` are what is kept, `keeping` keeps it, and `taking_up` goes on with it. `looking_back` shows what an ended run of a program before
//! has left. A driver may wait for the
//! supervisor; the supervisor never waits for a driver.

mod attention;
mod covered;
mod cut;
mod facts;
mod io;
mod keep;
mod keeping;
mod kept;
mod link;
mod looking_back;
mod orders;
mod output;
mod pace;
mod port;
mod setup;
mod spool;
mod taking_up;
mod task;
mod typed;
mod view;

pub use kept::Keeping;
pub use looking_back::{LeftBehind, look_back};
pub use port::{Command, DriverPort, Orders, Report, port};
pub use setup::Setup;
pub use taking_up::{TakenUp, end_lost, take_up};
pub use task::drive;
