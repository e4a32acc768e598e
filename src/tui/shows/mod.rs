//! What is shown that no run shows at the moment: logs, merged logs, last screens of finished runs, replays.

mod around;
mod follow;
mod lines;
mod merged;
mod recorded;
mod show;
mod stage;

pub(crate) use show::{Order, Playing, Source, Told, What};
pub(super) use show::{Show, next};
