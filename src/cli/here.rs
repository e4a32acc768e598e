//! Where a verb works: its client, its console, and what it knows of the process around it.

use std::ffi::OsString;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::console::Console;
use super::export::Draw;
use super::replay::Playback;
use crate::api::Client;
use crate::model::{KeyChord, Moment, RunId, SessionName, Size};

/// What a verb knows of the process around it, so that a test can say something else.
pub struct Here {
    /// The session that it works in.
    pub session: SessionName,
    /// The present folder, absolute.
    pub cwd: PathBuf,
    /// The environment of this process.
    pub env: Vec<(OsString, OsString)>,
    /// What a run gets that does not say otherwise.
    pub defaults: RunDefaults,
    /// Whether to attach although this terminal belongs to a run of shtask.
    pub nested: bool,
    /// The key that leaves `attach`.
    pub attach_key: KeyChord,
    /// After how long without a key `attach` hands the keyboard back; none for not before it is left.
    pub hold: Option<Duration>,
    /// Standard input, for `-`.
    pub stdin: Box<dyn Read + Send + Sync>,
    /// Makes a screen of a size that output is played to.
    pub playback: fn(Size) -> Box<dyn Playback + Send>,
    /// Draws the last screen of a recording.
    pub draw: Draw,
    /// Makes the id of a run.
    pub mint: fn() -> RunId,
    /// The boot clock.
    pub boot_now: fn() -> Moment,
    /// The wall clock.
    pub now: fn() -> Timestamp,
}

/// What a run gets that does not say otherwise (`[defaults]`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunDefaults {
    /// The shell for shell lines; none for `$SHELL` of the run's environment, else `/bin/sh`.
    pub shell: Option<PathBuf>,
    /// The size of a PTY that nobody looks at.
    pub size: Size,
    /// The time between the stop signal and SIGKILL.
    pub grace: Duration,
}

/// What every verb that asks for something has in hand.
pub struct Verbs<'a> {
    /// Who answers.
    pub client: Arc<dyn Client>,
    /// Where it prints.
    pub console: &'a mut Console,
    /// What is around it.
    pub here: &'a mut Here,
}
