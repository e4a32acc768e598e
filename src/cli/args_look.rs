//! The arguments of the verbs that look at runs.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::values::{Since, WaitFor, duration, key, since, wait_for, whole};
use crate::model::{KeyChord, RunRef, Size, Status};

/// One run.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct OneRef {
    /// The run: its id or the start of it, NAME, or NAME:GENERATION
    #[arg(value_name = "REF")]
    pub run: RunRef,
}

/// Which runs to list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
#[command(after_help = "Examples:
  shtask ls
  shtask ls --all --json | jq -r '.runs[].ref'
  shtask ls --follow --json                      one line for each change")]
pub struct LsArgs {
    /// Also list the runs that have ended and were looked at
    #[arg(long, short)]
    pub all: bool,

    /// Only those of this status; may be given again
    #[arg(long, value_name = "STATUS", value_parser = status)]
    pub status: Vec<Status>,

    /// Print only refs, one a line
    #[arg(long, short)]
    pub quiet: bool,

    /// Go on with every change
    #[arg(long, short)]
    pub follow: bool,
}

fn status(text: &str) -> Result<Status, String> {
    let words = Status::ALL.map(Status::word);
    let found = Status::ALL.into_iter().find(|status| status.word() == text.replace('-', "_"));
    found.ok_or_else(|| format!("expected one of {}", words.join(" ")))
}

/// The form of what is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ReadFormat {
    /// Plain text
    #[default]
    Text,
    /// Text with colours (PTY)
    Ansi,
    /// The same as --json
    Json,
}

/// What of a run is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ReadPart {
    /// What the terminal shows
    Screen,
    /// What scrolled off
    Scrollback,
    /// The alternate screen as it was left last
    Alternate,
    /// All of it
    #[default]
    All,
}

/// What to read (S6.1, S11.4).
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(after_help = "Examples:
  shtask read web
  shtask read web --part screen --format ansi
  shtask read build --limit 1048576 --json")]
pub struct ReadArgs {
    /// The run: its id or the start of it, NAME, or NAME:GENERATION
    #[arg(value_name = "REF")]
    pub run: RunRef,

    /// In which form
    #[arg(long, value_enum, default_value_t)]
    pub format: ReadFormat,

    /// Which part of a PTY run
    #[arg(long, value_enum, default_value_t)]
    pub part: ReadPart,

    /// At most so many bytes of each part, to 1 MiB
    #[arg(long, value_name = "BYTES", default_value_t = 32 * 1024, value_parser = whole::<u32>(1..=1024 * 1024))]
    pub limit: u32,
}

/// Which stream of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WhichStream {
    /// Standard output; of a PTY run, the terminal
    Stdout,
    /// Standard error
    Stderr,
}

/// What of a log to print.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(after_help = "Examples:
  shtask logs web --tail 50 --follow
  shtask logs build --stream stderr
  shtask logs build --raw > build.log            every byte as it came
  shtask logs build --raw --offset 4096 --json   bytes from there on, and where to go on
  shtask logs build --offset 4096 --limit 1000 --wait 10s --json

Control sequences of the run are taken out; on a terminal its colours stay. --raw passes every byte and is refused
when the output is a terminal.")]
pub struct LogsArgs {
    /// The run: its id or the start of it, NAME, or NAME:GENERATION
    #[arg(value_name = "REF")]
    pub run: RunRef,

    /// Go on until the run has ended
    #[arg(long, short)]
    pub follow: bool,

    /// Only this stream; of a pipes run, both otherwise
    #[arg(long, value_enum)]
    pub stream: Option<WhichStream>,

    /// Begin with the last so many lines
    #[arg(long, short = 'n', value_name = "LINES", conflicts_with = "offset", value_parser = whole::<u32>(0..=u32::MAX.into()))]
    pub tail: Option<u32>,

    /// Begin at this byte of the stream
    #[arg(long, value_name = "BYTES", value_parser = whole::<u64>(0..=u64::MAX))]
    pub offset: Option<u64>,

    /// At most so many bytes of one stream, to 1 MiB: standard output without --stream
    #[arg(long, value_name = "BYTES", conflicts_with_all = ["follow", "tail"], value_parser = whole::<u32>(1..=1024 * 1024))]
    pub limit: Option<u32>,

    /// Wait so long for more of that stream, where there is none yet
    #[arg(long, value_name = "DUR", conflicts_with_all = ["follow", "tail"], value_parser = duration)]
    pub wait: Option<Duration>,

    /// Only what was printed so recently, or since a time such as 2026-11-29T10:00:00Z
    #[arg(long, value_name = "DUR|TIME", value_parser = since, conflicts_with_all = ["tail", "offset", "follow", "raw", "stream", "limit", "wait"])]
    pub since: Option<Since>,

    /// Pass every byte as it came, control sequences and all
    #[arg(long)]
    pub raw: bool,
}

/// What to wait for (S6.4).
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = "Examples:
  shtask wait build && echo built                the exit code is that of the run
  shtask wait web --for 'match:listening on .*:3000' --timeout 30s
  shtask wait test lint                          for both; 1 when one of them failed")]
pub struct WaitArgs {
    /// The runs
    #[arg(value_name = "REF", required = true)]
    pub runs: Vec<RunRef>,

    /// exit, ready (it runs: no probes yet), or match:REGEX (a line of output)
    #[arg(long = "for", value_name = "WHAT", default_value = "exit", value_parser = wait_for)]
    pub what: WaitFor,

    /// Give up after so long, with exit code 124
    #[arg(long, value_name = "DUR", value_parser = duration)]
    pub timeout: Option<Duration>,
}

/// Which terminal to use.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(after_help = "Examples:
  shtask attach web
  shtask attach web --detach-key C-]

Every key goes to the run but the detach key: Ctrl-a, or `attach_key` of the configuration. Twice, it reaches the run.
The run takes the size of this terminal.")]
pub struct AttachArgs {
    /// The run: its id or the start of it, NAME, or NAME:GENERATION
    #[arg(value_name = "REF")]
    pub run: RunRef,

    /// The key that leaves: one with Ctrl or Alt, or a function key
    #[arg(long, value_name = "KEY", value_parser = key)]
    pub detach_key: Option<KeyChord>,
}

/// What to search for.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(after_help = "Examples:
  shtask search 'connection refused'             in all live runs
  shtask search --regex 'error(\\[E[0-9]+\\])?:' build
  shtask search --all timeout --json")]
pub struct SearchArgs {
    /// The text
    #[arg(value_name = "TEXT")]
    pub text: String,

    /// Only in these runs
    #[arg(value_name = "REF")]
    pub runs: Vec<RunRef>,

    /// The text is a regular expression
    #[arg(long, short = 'E')]
    pub regex: bool,

    /// Take capitals and small letters as the same
    #[arg(long, short)]
    pub ignore_case: bool,

    /// Also in all runs on record
    #[arg(long, short, conflicts_with = "runs")]
    pub all: bool,

    /// At most so many hits
    #[arg(long, value_name = "COUNT", default_value_t = 1000, value_parser = whole::<u32>(1..=1_000_000))]
    pub limit: u32,
}

/// Which records to list.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(after_help = "Examples:
  shtask history
  shtask history web --limit 5
  shtask history --json | jq '.runs[] | {ref, exit_code}'")]
pub struct HistoryArgs {
    /// Only the generations of this name
    #[arg(value_name = "NAME")]
    pub name: Option<crate::model::RunName>,

    /// At most so many
    #[arg(long, short = 'n', value_name = "COUNT", default_value_t = 50, value_parser = whole::<u32>(1..=10_000))]
    pub limit: u32,
}

/// What to play.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = "Examples:
  shtask replay build
  shtask replay build --speed 4 --max-pause 1s

q or ^C ends it.")]
pub struct ReplayArgs {
    /// The run: its id or the start of it, NAME, or NAME:GENERATION
    #[arg(value_name = "REF")]
    pub run: RunRef,

    /// So many times as fast
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = speed)]
    pub speed: f64,

    /// Shorten pauses to so long
    #[arg(long, value_name = "DUR", value_parser = duration)]
    pub max_pause: Option<Duration>,
}

fn speed(text: &str) -> Result<f64, String> {
    let factor = text.parse().ok().filter(|factor| (0.01..=1000.0).contains(factor));
    factor.ok_or_else(|| "expected a number from 0.01 to 1000".to_owned())
}

/// In which form a screen is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RenderFormat {
    /// A line a row
    Text,
    /// Cells with their colours and flags, and the cursor
    Json,
    /// A picture of shapes and text
    Svg,
    /// A picture of pixels; drawn by the program rsvg-convert
    Png,
    /// A page with the text in its colours
    Html,
}

/// What to render (S10.8).
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(after_help = "Examples:
  shtask render session.cast
  shtask render --size 100x30 --format svg <output.raw >screen.svg
  shtask logs web --raw | shtask render --size 120x40")]
pub struct RenderArgs {
    /// What a program wrote to its terminal, or an asciicast (version 2 or 3); - is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: PathBuf,

    /// The size of the screen, 2x1 to 1000x500; without it that of the asciicast with its resizes, or 80x24
    #[arg(long, value_name = "COLSxROWS")]
    pub size: Option<Size>,

    /// The form in which the screen is printed
    #[arg(long, value_enum, default_value_t = RenderFormat::Text)]
    pub format: RenderFormat,
}
