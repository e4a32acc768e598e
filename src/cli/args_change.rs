//! The arguments of the verbs that change runs.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::values::{key, signal};
use crate::model::{KeyChord, RunName, RunRef, Size};

/// What to type (S11.4).
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(group = ArgGroup::new("input").required(true).multiple(true).args(["text", "key", "paste", "size"]))]
#[command(after_help = "Examples:
  shtask write web --text 'rs' --key enter
  shtask write web --key C-c
  shtask write vim --key escape --text ':wq' --key enter
  shtask write psql --paste query.sql
  git diff | shtask write review --paste -

The parts are typed in the order they are given in. Keys: enter escape tab backspace delete up down left right home end
insert page_up page_down f1 to f12 space, or one character; with C- (Ctrl), M- (Alt), S- (Shift) before it.")]
pub struct WriteArgs {
    /// The run: its id or the start of it, NAME, or NAME:GENERATION
    #[arg(value_name = "REF")]
    pub run: RunRef,

    /// Type this text as it is; may be given again
    #[arg(long, short, value_name = "TEXT", allow_hyphen_values = true)]
    pub text: Vec<String>,

    /// Press this key; may be given again
    #[arg(long, short, value_name = "KEY", value_parser = key, allow_hyphen_values = true)]
    pub key: Vec<KeyChord>,

    /// Paste a file, or our standard input for `-`
    #[arg(long, value_name = "FILE|-", allow_hyphen_values = true)]
    pub paste: Option<PathBuf>,

    /// Give the terminal this size first
    #[arg(long, value_name = "COLSxROWS")]
    pub size: Option<Size>,

    /// What was given, in the order it was given in; filled after parsing
    #[arg(skip)]
    pub order: Vec<WritePart>,
}

/// A part of what is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WritePart {
    /// Text, as it is.
    Text(String),
    /// A key.
    Key(KeyChord),
    /// A file, or standard input for `-`.
    Paste(PathBuf),
}

/// A new size.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(after_help = "Examples:
  shtask resize web 120x40")]
pub struct ResizeArgs {
    /// The run: its id or the start of it, NAME, or NAME:GENERATION
    #[arg(value_name = "REF")]
    pub run: RunRef,

    /// Columns and rows, 2x1 to 1000x500
    #[arg(value_name = "COLSxROWS")]
    pub size: Size,
}

/// A signal, and for whom.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(group = ArgGroup::new("target").args(["tree", "group", "root", "foreground"]))]
#[command(after_help = "Examples:
  shtask signal web HUP
  shtask signal shell INT --foreground           as ^C does
  shtask signal web USR1 --root

It is no stop: nothing follows it.")]
pub struct SignalArgs {
    /// The run: its id or the start of it, NAME, or NAME:GENERATION
    #[arg(value_name = "REF")]
    pub run: RunRef,

    /// The signal, by name or number
    #[arg(value_name = "SIGNAL", value_parser = signal)]
    pub signal: i32,

    /// To every process of the run (the default)
    #[arg(long)]
    pub tree: bool,

    /// To the process group of the command
    #[arg(long)]
    pub group: bool,

    /// To the command itself only
    #[arg(long)]
    pub root: bool,

    /// To the foreground process group of its terminal (PTY)
    #[arg(long)]
    pub foreground: bool,
}

/// What to stop.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(after_help = "Examples:
  shtask stop web
  shtask stop web db --kill

It returns when nothing of the runs is left: the stop signal, a grace, then SIGKILL.")]
pub struct StopArgs {
    /// The runs
    #[arg(value_name = "REF", required = true)]
    pub runs: Vec<RunRef>,

    /// Skip the grace: SIGKILL at once
    #[arg(long, short)]
    pub kill: bool,
}

/// What to start again.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(after_help = "Examples:
  shtask restart web
  shtask restart web --kill")]
pub struct RestartArgs {
    /// The runs
    #[arg(value_name = "REF", required = true)]
    pub runs: Vec<RunRef>,

    /// Skip the grace: SIGKILL at once
    #[arg(long, short)]
    pub kill: bool,
}

/// Another name.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(after_help = "Examples:
  shtask rename 3f0k api
  shtask rename api web/api                      into the group web
  shtask rename web/api api                      and out of it

The run becomes the next generation of that name. It still sees the name that it was started with, in SHTASK_TASK; a restart has
the new one. A name that a live run has is refused, and so is a new name for a run that is over: its record does not change.")]
pub struct RenameArgs {
    /// The run: its id or the start of it, NAME, or NAME:GENERATION
    #[arg(value_name = "REF")]
    pub run: RunRef,

    /// The name, 1 to 128 of the characters A-Z a-z 0-9 _ . - and, between parts, /
    #[arg(value_name = "NAME")]
    pub name: RunName,
}
