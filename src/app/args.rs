//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use super::render::RenderArgs;

/// Starts, shows, steers and stops long-running commands, over pipes or a PTY.
#[derive(Debug, Parser)]
#[command(name = "shtask", version, about, after_help = AFTER_HELP, disable_help_subcommand = true)]
pub(super) struct Args {
    /// Read this file, or the one that SHTASK_CONFIG names, instead of the shtask.toml found upwards from here
    #[arg(long, short, value_name = "FILE", global = true)]
    pub(super) config: Option<PathBuf>,

    /// Open the TUI although this terminal belongs to a run of shtask
    #[arg(long, global = true)]
    pub(super) nested: bool,

    #[command(subcommand)]
    pub(super) verb: Option<Verb>,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub(super) enum Verb {
    /// Open the list of runs and the terminal of the selected one (the default)
    Tui,
    /// Print the final screen of a program's output or of a recording
    Render(RenderArgs),
}

const AFTER_HELP: &str = "Examples:
  shtask                            the tasks of shtask.toml, or none
  shtask --config config/demo.toml  the tasks of another file

In the list: Enter attaches, ? shows all keys, q leaves.";
