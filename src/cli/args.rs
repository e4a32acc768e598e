//! The command line as types: the verbs and what all of them take.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use super::args_change::{RenameArgs, ResizeArgs, RestartArgs, SignalArgs, StopArgs, WriteArgs};
use super::args_export::ExportArgs;
use super::args_look::{
    AttachArgs, HistoryArgs, LogsArgs, LsArgs, OneRef, ReadArgs, RenderArgs, ReplayArgs, SearchArgs, WaitArgs,
};
use super::args_manage::{
    CompletionsArgs, ConfigVerb, ManArgs, PruneArgs, ReapArgs, ServeArgs, ServerVerb, SessionVerb,
};
use super::args_run::RunArgs;
use crate::model::{SessionName, TypistKind};

/// Starts, shows, steers and stops long-running commands, over pipes or a PTY.
#[derive(Debug, Parser)]
#[command(name = "shtask", version, about, after_help = AFTER_HELP, disable_help_subcommand = true)]
pub struct Args {
    /// What every verb takes.
    #[command(flatten)]
    pub global: Global,

    /// What to do; the TUI when nothing is said.
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

/// What every verb takes.
#[derive(Debug, Clone, PartialEq, Eq, Default, ClapArgs)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Read this file, or the one that SHTASK_CONFIG names, instead of the shtask.toml found upwards from here
    #[arg(long, short, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,

    /// Work in this session instead of the one of the project directory
    #[arg(long, value_name = "NAME", global = true)]
    pub session: Option<SessionName>,

    /// Talk to the server at this socket, or the one that SHTASK_SOCKET names
    #[arg(long, value_name = "PATH", global = true)]
    pub socket: Option<PathBuf>,

    /// Say who types, a person or an agent, or let SHTASK_AS say it; inside a run it is an agent
    #[arg(long = "as", value_name = "WHO", value_enum, global = true)]
    pub who: Option<Who>,

    /// Print JSON: one document, or one a line with --follow; errors become objects
    #[arg(long, global = true)]
    pub json: bool,

    /// Open the TUI or attach although this terminal belongs to a run of shtask
    #[arg(long, global = true)]
    pub nested: bool,

    /// Keep the runs of the TUI in this program, without a server: they end with it
    #[arg(long, global = true)]
    pub embedded: bool,
}

/// Who types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Who {
    /// Somebody at a terminal
    Person,
    /// A program that works for somebody: it waits while a person has the keyboard
    Agent,
}

impl From<Who> for TypistKind {
    fn from(who: Who) -> TypistKind {
        match who {
            Who::Person => TypistKind::Person,
            Who::Agent => TypistKind::Agent,
        }
    }
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Subcommand)]
pub enum Verb {
    /// Open the list of runs and the terminal of the selected one (the default)
    #[command(after_help = "Examples:
  shtask
  shtask tui --config config/demo.toml")]
    Tui,
    /// Start a run and print its ref
    Run(Box<RunArgs>),
    /// List runs
    Ls(LsArgs),
    /// Show the record of a run and what is true of it now
    #[command(after_help = "Examples:
  shtask show web
  shtask show web:3 --json | jq .exit_code")]
    Show(OneRef),
    /// Print the newest output of a run, and mark it as seen
    Read(ReadArgs),
    /// Print the output of a run from its log
    Logs(LogsArgs),
    /// Type into a PTY run
    Write(WriteArgs),
    /// Give the terminal of a run another size
    Resize(ResizeArgs),
    /// Send a signal to a run
    Signal(SignalArgs),
    /// Stop runs and everything they started
    Stop(StopArgs),
    /// Stop a run and start it again, as its next generation
    Restart(RestartArgs),
    /// Give a live run another name
    Rename(RenameArgs),
    /// Wait for runs to end, to be ready, or to print something
    Wait(WaitArgs),
    /// Use the terminal of a run in this terminal
    Attach(AttachArgs),
    /// Say why a run is not running
    #[command(after_help = "Examples:
  shtask why web")]
    Why(OneRef),
    /// Search the output of runs
    Search(SearchArgs),
    /// Show the runs that need attention
    #[command(after_help = "Examples:
  shtask summary
  shtask summary --json")]
    Summary,
    /// List the runs on record, the newest first
    History(HistoryArgs),
    /// Remove old records and logs
    Prune(PruneArgs),
    /// End what orphaned runs left behind
    Reap(ReapArgs),
    /// Play the recorded output of a run at its own speed
    Replay(ReplayArgs),
    /// Write the recorded output of a run in another form
    Export(ExportArgs),
    /// Show what a byte stream leaves on a screen
    Render(RenderArgs),
    /// Be the server
    Serve(ServeArgs),
    /// Look after the server
    #[command(subcommand)]
    Server(ServerVerb),
    /// Look after sessions
    #[command(subcommand)]
    Session(SessionVerb),
    /// Look after the configuration
    #[command(subcommand)]
    Config(ConfigVerb),
    /// Check what trouble may come from
    #[command(after_help = "Examples:
  shtask doctor
  shtask doctor --json")]
    Doctor,
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print or write the man pages
    Man(ManArgs),
}

const AFTER_HELP: &str = "Examples:
  shtask                                 the TUI: the tasks of shtask.toml, or none
  shtask run -- cargo build              start a run, print its ref
  shtask run --pty --name web 'npm start'
  shtask logs web --follow
  shtask write web --key C-c
  shtask wait web --timeout 10s
  shtask stop web

A REF is a run id, the first 4 or more of its characters, NAME (its latest generation), NAME:GENERATION
or shtask://SESSION/RUN-ID. Exit codes: 0 done, 1 failed, 2 usage, 3 no such run or session, 4 capacity full,
5 control closed, held or stale, 6 no server, 124 time over.

In the list of the TUI: Enter attaches, ? shows all keys, q leaves.";
