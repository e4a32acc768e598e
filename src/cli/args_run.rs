//! The arguments of `run`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::values::{assignment, duration, signal};
use crate::model::{RunName, Size};

/// What to run, and how (S11.3).
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
#[command(after_help = AFTER_HELP)]
pub struct RunArgs {
    /// Give it a terminal of its own; otherwise stdout and stderr are captured apart
    #[arg(long, short = 't')]
    pub pty: bool,

    /// Call it so: then `REF` can be this name, and it counts generations
    #[arg(long, short, value_name = "NAME")]
    pub name: Option<RunName>,

    /// Stop an active run of the same name first; without it that is a conflict
    #[arg(long, requires = "name")]
    pub replace: bool,

    /// Start it in this folder instead of the present one
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,

    /// Set a variable; may be given again
    #[arg(long, short, value_name = "NAME=VALUE", value_parser = assignment())]
    pub env: Vec<(OsString, OsString)>,

    /// Read variables from a dotenv file; may be given again, later ones win
    #[arg(long, value_name = "FILE")]
    pub env_file: Vec<PathBuf>,

    /// Remove a variable; may be given again
    #[arg(long, value_name = "NAME")]
    pub unset: Vec<OsString>,

    /// Pass on only PATH, HOME, LANG and the like of the present environment
    #[arg(long)]
    pub clean_env: bool,

    /// End it after so long: 1ms to 24h; in the foreground 2m unless said otherwise, at most 10m
    #[arg(long, value_name = "DUR", value_parser = duration)]
    pub timeout: Option<Duration>,

    /// End it after so long without any output: 1ms to 24h
    #[arg(long, value_name = "DUR", value_parser = duration)]
    pub idle_timeout: Option<Duration>,

    /// The size of its terminal
    #[arg(long, value_name = "COLSxROWS", requires = "pty")]
    pub size: Option<Size>,

    /// Let it read this file, or our standard input for `-`, at most 1 MiB; otherwise it reads nothing
    #[arg(long, value_name = "FILE|-", conflicts_with = "pty")]
    pub stdin: Option<PathBuf>,

    /// From the stop signal to SIGKILL: 0s to 1h
    #[arg(long, value_name = "DUR", value_parser = duration)]
    pub grace: Option<Duration>,

    /// The signal that asks it to end, by name or number
    #[arg(long, value_name = "SIGNAL", value_parser = signal)]
    pub stop_signal: Option<i32>,

    /// The shell for a command line; otherwise $SHELL, else /bin/sh
    #[arg(long, value_name = "PATH")]
    pub shell: Option<PathBuf>,

    /// Make that shell a login shell
    #[arg(long)]
    pub login: bool,

    /// Make that shell an interactive one
    #[arg(long)]
    pub interactive: bool,

    /// Let live what it leaves running in the background when it ends by itself
    #[arg(long)]
    pub daemonizes: bool,

    /// Wait for it here: its output, its exit code; ^C stops it
    #[arg(long, short, conflicts_with_all = ["pty", "wait", "replace"])]
    pub foreground: bool,

    /// Wait for its end after printing the ref; the exit code is its own
    #[arg(long, short)]
    pub wait: bool,

    /// A program and its arguments; one word with spaces or shell syntax is a command line for the shell
    #[arg(value_name = "CMD", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub command: Vec<OsString>,
}

const AFTER_HELP: &str = "Examples:
  shtask run -- cargo test --workspace
  shtask run 'make && ./server | tee log'
  shtask run --pty --name web --env PORT=3000 -- npm run dev
  shtask run --timeout 5m --wait -- ./backup.sh
  shtask run --foreground -- make check        like `make check`: its output, its exit code
  printf '1+1\\n' | shtask run --stdin - -- bc

It gets the environment and the folder of this command, not those of the server.";
