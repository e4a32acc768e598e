//! The verbs of the command line, over whatever answers as a [`Client`](crate::api::Client).
//!
//! The types of the arguments are here as well, so that help, completions, man pages and `docs/cli.md` come from one place.

mod ansi;
mod args;
mod args_change;
mod args_look;
mod args_manage;
mod args_run;
mod attach;
mod change;
mod console;
mod dispatch;
mod exit;
mod facts;
mod foreground;
mod here;
mod list;
mod logs;
mod parse;
mod plain;
mod read;
mod reap;
mod show;
mod start;
mod table;
mod target;
mod values;
mod wait;

pub use args::{Args, Global, Verb};
pub use args_change::{ResizeArgs, RestartArgs, SignalArgs, StopArgs, WriteArgs};
pub use args_look::{AttachArgs, LogsArgs, LsArgs, OneRef, ReadArgs, WaitArgs};
pub use args_manage::{ConfigVerb, ServerVerb, SessionVerb};
pub use args_run::RunArgs;
pub use console::{Console, Look};
pub use exit::{Exit, Fault};
pub use here::{Here, RunDefaults, Verbs};
pub use parse::{Parsed, parse};
