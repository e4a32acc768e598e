//! What the TUI needs to be told, and what it tells when it is left.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, BufRead};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::keymap::Keymap;
use super::theme::{ByGround, Theme};
use crate::api::Link;
use crate::model::{Failure, KeyChord, Mode, Moment, RunId, RunName, RunSpec, Size};
use crate::settings::{ListPlace, Notify};

/// A task that the list shows, whether it runs or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskEntry {
    /// The task's name.
    pub name: RunName,
    /// How it is started; the size is replaced by that of the pane it is shown in.
    pub spec: RunSpec,
    /// Whether the TUI starts it after its first frame, unless a run of that name is live already.
    pub autostart: bool,
}

/// What the new-run prompt asked for, checked as far as that can be done without the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRun {
    /// Its name, if it is to have one.
    pub name: Option<RunName>,
    /// The shell line, not blank.
    pub line: String,
    /// Pipes or a PTY.
    pub mode: Mode,
    /// The working directory, absolute.
    pub cwd: PathBuf,
    /// The wall timeout, 1 ms to 24 h.
    pub timeout: Option<Duration>,
    /// The size of the pane that the run will be shown in.
    pub size: Size,
}

/// How many colours the TUI may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum ColorChoice {
    /// None for the TUI's own parts (`NO_COLOR`); what a run prints keeps its colours, in sixteen.
    None,
    /// The terminal's own sixteen; others become the nearest of these.
    Sixteen,
    /// The 256 of the palette; 24-bit colours become the nearest of these.
    Palette,
    /// All.
    #[default]
    TrueColor,
}

impl ColorChoice {
    /// Chooses by the environment: `NO_COLOR`, `COLORTERM` and `TERM`, read through `variable`.
    pub fn from_env(variable: impl Fn(&str) -> Option<OsString>) -> ColorChoice {
        let text = |name| variable(name).map(|value| value.to_string_lossy().into_owned()).unwrap_or_default();
        let (term, colorterm) = (text("TERM"), text("COLORTERM"));
        if !text("NO_COLOR").is_empty() || term == "dumb" {
            ColorChoice::None
        } else if matches!(colorterm.as_str(), "truecolor" | "24bit") || term.ends_with("-direct") {
            ColorChoice::TrueColor
        } else if term.contains("256color") {
            ColorChoice::Palette
        } else {
            ColorChoice::Sixteen
        }
    }
}

/// A picture of a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// Scalable vector graphics.
    Svg,
    /// A page.
    Html,
    /// Pixels.
    Png,
}

/// Draws the last screen of an asciicast.
pub type DrawPicture = fn(&mut dyn BufRead, Picture) -> Result<Vec<u8>, Failure>;

/// How much of a run somebody has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seen {
    /// The generation of its output up to which it was on the screen.
    pub output: u64,
    /// How often its bell had rung.
    pub bells: u64,
}

/// Keeps what was seen of live runs.
pub type KeepSeen = Box<dyn Fn(&[(RunId, Seen)]) + Send>;

/// How the TUI is set up.
pub struct Options {
    /// What the head of the list says: the name of the project.
    pub title: String,
    /// The configured tasks in their order.
    pub tasks: Vec<TaskEntry>,
    /// The one key that an attached run does not get, unless it is pressed twice.
    pub attach_key: KeyChord,
    /// What the other keys do.
    pub keys: Keymap,
    /// How its own parts look at first.
    pub theme: Theme,
    /// How they look once the terminal has told its background; without it the terminal is not asked.
    pub by_ground: Option<ByGround>,
    /// Whether the mouse is used; without it the outer terminal keeps its own selection.
    pub mouse: bool,
    /// Where the list of runs stands at first.
    pub list_place: ListPlace,
    /// Whether the list shows what the processes of runs use.
    pub usage: bool,
    /// How the user is told of what happens where nobody looks.
    pub notify: Vec<Notify>,
    /// Reads the boot clock, the one that deadlines use.
    pub clock: fn() -> Moment,
    /// Makes the spec of a run that the new-run prompt asked for: shell, environment and so on.
    pub new_run: Box<dyn Fn(NewRun) -> RunSpec + Send>,
    /// The environment of this program, for a run that is started again from its record.
    pub env: Arc<Vec<(OsString, OsString)>>,
    /// Draws pictures for exports.
    pub draw: DrawPicture,
    /// The command lines of earlier sessions, the newest last.
    pub history: Vec<String>,
    /// Keeps a command line for later sessions. It may wait for a disk.
    pub remember: Arc<dyn Fn(&str) + Send + Sync>,
    /// The directory that the new-run prompt offers and that relative ones start from; absolute.
    pub cwd: PathBuf,
    /// The mode that the new-run prompt offers.
    pub new_run_mode: Mode,
    /// What `~` in the new-run prompt means.
    pub home: Option<PathBuf>,
    /// The program that takes what is copied at its standard input, and its arguments; empty for none. The terminal is given it in any case.
    pub clipboard: Vec<String>,
    /// Whether what was selected with the mouse is copied when the button is let go.
    pub copy_on_release: bool,
    /// How many colours may be used.
    pub colors: ColorChoice,
    /// How these runs are shown again, for the user's shell.
    pub again: String,
    /// The connection to the server that has the runs, which go on when the TUI is left; none when they end with this program.
    pub server: Option<watch::Receiver<Link>>,
    /// Whether that server was started for this: then it is said.
    pub started_server: bool,
    /// What was seen of live runs before.
    pub seen: HashMap<RunId, Seen>,
    /// Keeps what was seen of them for the next time. It may wait for a disk.
    pub keep_seen: KeepSeen,
    /// After how long without a key the keyboard of an attached run is handed back; none for not before it is detached.
    pub hold: Option<Duration>,
}

/// How the TUI was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leaving {
    /// All runs were asked to end and have, or are named in the summary.
    Stopped {
        /// A few short lines for the user's own screen, harmless to print.
        summary: Vec<String>,
        /// The signal that asked for it, when it was one.
        signal: Option<i32>,
    },
    /// The server goes on with the runs that are live.
    Detached {
        /// A few short lines for the user's own screen, harmless to print.
        summary: Vec<String>,
        /// The signal that asked for it, when it was one.
        signal: Option<i32>,
    },
    /// The terminal is gone. Runs were not stopped: that is left to the caller.
    TerminalLost,
}

/// Why the TUI could not be shown.
#[derive(Debug, thiserror::Error)]
pub enum TuiError {
    /// Standard input or standard output is no terminal.
    #[error("{stream} is not a terminal")]
    NoTerminal {
        /// `standard input` or `standard output`.
        stream: &'static str,
    },
    /// The terminal could not be set up.
    #[error("the terminal could not be set up: {0}")]
    Terminal(#[source] io::Error),
    /// Drawing failed.
    #[error("the terminal could not be written to: {0}")]
    Draw(#[source] io::Error),
    /// The signal handlers could not be set up.
    #[error("signals could not be taken: {0}")]
    Signals(#[source] io::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_follow_the_environment() {
        let choose = |vars: &'static [(&str, &str)]| {
            ColorChoice::from_env(|name| vars.iter().find(|(n, _)| *n == name).map(|(_, value)| value.into()))
        };
        assert_eq!(choose(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")]), ColorChoice::TrueColor);
        assert_eq!(choose(&[("TERM", "screen-256color")]), ColorChoice::Palette);
        assert_eq!(choose(&[("TERM", "linux")]), ColorChoice::Sixteen);
        assert_eq!(choose(&[("TERM", "xterm-256color"), ("NO_COLOR", "1")]), ColorChoice::None);
        assert_eq!(
            choose(&[("TERM", "xterm"), ("NO_COLOR", "")]),
            ColorChoice::Sixteen,
            "an empty NO_COLOR says nothing"
        );
    }
}
