//! The verbs of the command line, over whatever answers as a [`Client`](crate::api::Client).
//!
//! The types of the arguments are here as well, so that help, completions, man pages and `docs/cli.md` come from one place.

mod ansi;
mod args;
mod args_change;
mod args_export;
mod args_look;
mod args_manage;
mod args_run;
mod attach;
mod change;
mod console;
mod dispatch;
mod documents;
mod exit;
mod export;
mod facts;
mod findings;
mod foreground;
mod here;
mod hints;
mod list;
mod logs;
mod parse;
mod query;
mod read;
mod reap;
mod replay;
mod serving;
mod sessions;
mod show;
mod start;
mod table;
mod target;
mod values;
mod wait;

pub use args::{Args, Global, Verb};
pub use args_change::{ResizeArgs, RestartArgs, SignalArgs, StopArgs, WriteArgs, WritePart};
pub use args_export::{ExportArgs, ExportForm, ExportForms};
pub use args_look::{
    AttachArgs, HistoryArgs, LogsArgs, LsArgs, OneRef, ReadArgs, ReadFormat, ReadPart, RenderArgs, RenderFormat,
    ReplayArgs, SearchArgs, WaitArgs, WhichStream,
};
pub use args_manage::{
    CompletionsArgs, ConfigVerb, ManArgs, PruneArgs, ReapArgs, ServeArgs, ServerVerb, SessionArg, SessionVerb,
};
pub use args_run::RunArgs;
pub use console::{Console, Look};
pub use documents::{completions, man, reference};
pub use exit::{Exit, Fault};
pub use export::Draw;
pub use findings::{Finding, Level, tell};
pub use here::{Here, RunDefaults, Verbs};
pub use parse::{Parsed, parse};
pub use replay::Playback;
pub use serving::{server_status, server_stop, server_upgrade, session_list};
pub use values::{Since, WaitFor};
