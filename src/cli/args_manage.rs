//! The arguments of the verbs around runs: server, sessions, records, configuration, documents.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use clap_complete::Shell;

use crate::model::{RunRef, SessionName};

/// What to remove.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args)]
#[command(after_help = "Examples:
  shtask prune                                   as [retention] of the configuration says

Live runs, and failed ones that nobody has looked at, are never removed.")]
pub struct PruneArgs {}

/// What to reap.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
#[command(after_help = "Examples:
  shtask reap                                    whatever orphaned runs of this session left
  shtask reap web:3")]
pub struct ReapArgs {
    /// Only of this run
    #[arg(value_name = "REF")]
    pub run: Option<RunRef>,
}

/// How to serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args)]
#[command(after_help = "Examples:
  shtask serve                                   in the background, if none runs
  shtask serve --foreground                      until it is stopped, as a service does

The first verb that needs a server starts one by itself.")]
pub struct ServeArgs {
    /// Be the server instead of starting one in the background
    #[arg(long)]
    pub foreground: bool,

    /// Be the server that another shtask has started
    #[arg(long, hide = true)]
    pub detached: bool,
}

/// What to do with the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub enum ServerVerb {
    /// Say whether there is one, and what it has
    #[command(after_help = "Examples:
  shtask server status --json")]
    Status,
    /// End all runs and the server
    #[command(after_help = "Examples:
  shtask server stop")]
    Stop,
    /// Let a server of this program take the place of the one that runs: runs go on, clients connect again
    #[command(after_help = "Examples:
  shtask server upgrade")]
    Upgrade,
}

/// What to do with sessions.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum SessionVerb {
    /// List the sessions
    #[command(after_help = "Examples:
  shtask session ls --json")]
    Ls,
    /// End all runs of a session and let nothing start in it until it is resumed
    #[command(after_help = "Examples:
  shtask session close
  shtask session close agent-7")]
    Close(SessionArg),
    /// Let runs start again in a session that was closed
    #[command(after_help = "Examples:
  shtask session resume agent-7")]
    Resume(SessionArg),
}

/// Which session.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct SessionArg {
    /// The session; that of the project directory, or of --session, when it is not given
    #[arg(value_name = "NAME")]
    pub name: Option<SessionName>,
}

/// What to do with the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub enum ConfigVerb {
    /// Say whether it can be used, and every fault
    #[command(after_help = "Examples:
  shtask config check
  shtask config check --config other.toml")]
    Check,
    /// Print the default configuration with every key explained
    #[command(after_help = "Examples:
  shtask config default > shtask.toml")]
    Default,
    /// Print the JSON schema of the configuration, for editors
    #[command(after_help = "Examples:
  mkdir -p ~/.config/shtask
  shtask config schema > ~/.config/shtask/schema.json

Then `#:schema ~/.config/shtask/schema.json` as the first line of a file lets Taplo and editors built on it complete and check.")]
    Schema,
    /// Print what is in force
    #[command(after_help = "Examples:
  shtask config show --json")]
    Show,
    /// Print the files that were read, the one that wins first
    #[command(after_help = "Examples:
  shtask config path")]
    Path,
}

/// For which shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Args)]
#[command(after_help = "Examples:
  mkdir -p ~/.local/share/bash-completion/completions
  shtask completions bash > ~/.local/share/bash-completion/completions/shtask
  shtask completions zsh > \"${fpath[1]}/_shtask\"
  shtask completions fish > ~/.config/fish/completions/shtask.fish")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Which man pages.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(after_help = "Examples:
  shtask man | man -l -
  shtask man run | man -l -
  shtask man --output-dir /usr/local/share/man/man1")]
pub struct ManArgs {
    /// The page of this verb; that of shtask itself when it is not given
    #[arg(value_name = "VERB", conflicts_with = "output_dir")]
    pub verb: Option<String>,

    /// Write all pages into this folder
    #[arg(long, value_name = "DIR")]
    pub output_dir: Option<PathBuf>,
}
