//! Whether a run wants something of somebody (S6.7), and what it says by itself. The first is looked at once after its output has been quiet for a while, and not again before it prints
//! or is typed to. A run that is idle costs nothing.

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

use super::port::Report;
use super::task::Driver;
use super::view::Collector;
use crate::model::{Attention, Need, Notification};
use crate::screen::Signal;
use crate::sys::proc::{self, Stat};
use crate::sys::waits::Waits;
use crate::sys::{tty, waits};

/// For how long a terminal has to be quiet. Programs that are at work print more often, or not at all.
const QUIET: Duration = Duration::from_secs(1);

/// The programs whose interactive form has a prompt.
const SHELLS: [&[u8]; 9] = [b"bash", b"sh", b"dash", b"zsh", b"fish", b"ksh", b"mksh", b"ash", b"nu"];

/// What the last look at a run has found.
#[derive(Debug, Default)]
pub(super) struct Needs {
    due: Option<Instant>,
    told: Option<Attention>,
    bells: u64,
}

impl Needs {
    /// Returns when the next look is due; none when nothing has happened since the last.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    fn tell(&mut self, need: Option<Need>) -> Option<Report> {
        if self.told.map(|told| told.need) == need {
            return None;
        }
        self.told = need.map(|need| Attention { need, since: Timestamp::now() });
        Some(Report::Attention(self.told))
    }
}

/// What a run wants somebody to be told, until the supervisor is.
#[derive(Debug, Default)]
pub(super) struct Said {
    count: u64,
    waiting: Option<Notification>,
}

impl Said {
    /// Takes note of what a run said; of several the last counts.
    pub(super) fn hear(&mut self, collector: &mut Collector) {
        let Collector::Pty(screen) = collector else { return };
        for signal in screen.take_signals() {
            match signal {
                Signal::Notification { title, body } => {
                    self.count += 1;
                    self.waiting = Some(Notification { number: self.count, title, text: body });
                }
                // Nobody asks for these yet.
                Signal::Clipboard { .. } | Signal::Directory(_) | Signal::Mark { .. } => {}
            }
        }
    }

    /// Returns what is to be told.
    pub(super) fn take(&mut self) -> Option<Notification> {
        self.waiting.take()
    }
}

impl Driver {
    /// Takes note of output: whatever was waited for is there, but for a bell that nobody has answered.
    pub(super) fn printed_something(&mut self) {
        let Collector::Pty(screen) = &self.collector else { return };
        self.needs.due = Some(Instant::now() + QUIET);
        let bells = screen.bells();
        let rang = std::mem::replace(&mut self.needs.bells, bells) != bells;
        let rings = rang || self.needs.told.is_some_and(|told| told.need == Need::Bell);
        let report = self.needs.tell(rings.then_some(Need::Bell));
        self.later.extend(report);
    }

    /// Takes note that the run is gone on with: what it waits for, only the last server knew. Bells of that time are no news.
    pub(super) fn taken_up(&mut self) {
        if let Collector::Pty(screen) = &self.collector {
            self.needs = Needs { due: Some(Instant::now() + QUIET), told: None, bells: screen.bells() };
        }
    }

    /// Takes note of input: whoever typed has seen what there was.
    pub(super) fn typed_something(&mut self) {
        self.needs.due = Some(Instant::now() + QUIET);
        let report = self.needs.tell(None);
        self.later.extend(report);
    }

    /// Looks whether the program in the foreground waits for its terminal.
    pub(super) fn look_for_need(&mut self) {
        self.needs.due = None;
        if let Some(need) = self.need() {
            let report = self.needs.tell(Some(need));
            self.later.extend(report);
        }
    }

    fn need(&mut self) -> Option<Need> {
        let Collector::Pty(screen) = &mut self.collector else { return None };
        let sink = self.sink.as_ref().filter(|_| !self.root_exited)?;
        let group = tty::foreground_group(sink.fd()).ok().flatten()?;
        let line = tty::line(sink.fd()).ok()?;
        let members: Vec<Stat> = proc::descendants(self.holder_pid?).ok()?;
        let members = members.into_iter().filter(|member| member.group == group && member.state == b'S');
        let (mut waits_for_it, mut may_wait, mut at_prompt) = (false, false, false);
        for member in members {
            at_prompt |= is_interactive_shell(&member);
            for waits in waits::waits(member.pid) {
                match waits {
                    Waits::Read(Some(descriptor)) => waits_for_it |= waits::is_terminal(member.pid, descriptor),
                    Waits::Read(None) => waits_for_it = true,
                    Waits::Poll | Waits::Unknown => may_wait = true,
                    Waits::Other => {}
                }
            }
        }
        // Who waits for several things may wait for the terminal as well: a line that looks like a question says so.
        let mut asks = || !screen.modes().alternate_screen && looks_like_a_question(&screen.text_before_cursor());
        if !waits_for_it && !(may_wait && (at_prompt || asks())) {
            return None;
        }
        Some(match (line.echoes || !line.by_line, at_prompt) {
            (false, _) => Need::Password,
            (true, true) => Need::Prompt,
            (true, false) => Need::Input,
        })
    }
}

/// A shell that was given nothing to do: no script, no command.
fn is_interactive_shell(member: &Stat) -> bool {
    use std::os::unix::ffi::OsStrExt;

    let comm = member.comm.as_bytes();
    let arguments = || waits::arguments(member.pid);
    let is_option = |word: &Vec<u8>| {
        let is_cluster = word.first() == Some(&b'-') && word.get(1) != Some(&b'-');
        word.first() == Some(&b'-') && !(is_cluster && word.contains(&b'c'))
    };
    SHELLS.contains(&comm) && arguments().iter().skip(1).all(is_option)
}

/// The end of a line that a program leaves open for an answer: `Password: `, `[y/N]`, `Go on?`, `>>> `.
fn looks_like_a_question(line: &str) -> bool {
    let line = line.trim_end();
    !line.is_empty() && line.ends_with([':', '?', '>', '$', '#', '%', ']', ')', '›', '❯', '»'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_lines_that_ask_are_told_from_those_that_report() {
        for line in ["Password: ", "Go on? [y/N] ", "Overwrite (yes/no)?", ">>> ", "user@host:~$ ", "name> ", "❯ "] {
            assert!(looks_like_a_question(line), "{line}");
        }
        for line in ["", "  ", "compiling...", "47%  done", "listening on port 80", "working"] {
            assert!(!looks_like_a_question(line), "{line}");
        }
    }
}
