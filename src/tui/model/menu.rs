//! Menus and questions. Each remembers the run it was opened for: the answer goes there, whatever is selected meanwhile.

use std::time::Duration;

use crate::api::{Deadline, SignalTarget};
use crate::model::{RunId, TimeoutKind};

/// The signals of the menu: number, name, what programs make of it.
pub(crate) const SIGNALS: [(i32, &str, &str); 10] = [
    (2, "INT", "interrupt, as ^C"),
    (15, "TERM", "please end"),
    (1, "HUP", "hang up, or reload"),
    (3, "QUIT", "quit, with a core"),
    (10, "USR1", "the program's own"),
    (12, "USR2", "the program's own"),
    (28, "WINCH", "look at the size"),
    (19, "STOP", "freeze"),
    (18, "CONT", "go on"),
    (9, "KILL", "end at once"),
];

const TARGETS: [SignalTarget; 4] =
    [SignalTarget::Group, SignalTarget::Root, SignalTarget::Foreground, SignalTarget::Tree];

/// The signal menu.
#[derive(Debug, Clone)]
pub(crate) struct SignalMenu {
    pub(crate) run: RunId,
    /// More runs that get it, of a group.
    pub(crate) others: Vec<RunId>,
    pub(crate) name: String,
    pub(crate) selected: usize,
    target: usize,
}

impl SignalMenu {
    pub(crate) fn new(run: RunId, name: String) -> SignalMenu {
        SignalMenu { run, others: Vec::new(), name, selected: 0, target: 0 }
    }

    pub(crate) fn target(&self) -> SignalTarget {
        TARGETS[self.target]
    }

    pub(crate) fn target_words(&self) -> &'static str {
        match self.target() {
            SignalTarget::Root => "the root process",
            SignalTarget::Group => "its process group",
            SignalTarget::Foreground => "the terminal's foreground group",
            SignalTarget::Tree => "every process of the tree",
        }
    }

    pub(crate) fn next_target(&mut self, is_pty: bool) {
        self.target = (self.target + 1) % TARGETS.len();
        if !is_pty && self.target() == SignalTarget::Foreground {
            self.target += 1;
        }
    }
}

/// The menu of the deadline.
#[derive(Debug, Clone)]
pub(crate) struct ExtendMenu {
    pub(crate) run: RunId,
    pub(crate) name: String,
    pub(crate) kind: TimeoutKind,
    /// Whether one is armed: otherwise an extension starts from now.
    pub(crate) armed: bool,
    pub(crate) selected: usize,
}

impl ExtendMenu {
    /// What can be chosen: words and what they do.
    pub(crate) fn entries(&self) -> Vec<(&'static str, Deadline)> {
        let minutes = |count: u64| Deadline::Extend(Duration::from_secs(count * 60));
        let mut entries = if self.armed {
            vec![
                ("1 minute more", minutes(1)),
                ("5 minutes more", minutes(5)),
                ("30 minutes more", minutes(30)),
                ("2 hours more", minutes(120)),
            ]
        } else {
            vec![
                ("1 minute from now", minutes(1)),
                ("5 minutes from now", minutes(5)),
                ("30 minutes from now", minutes(30)),
                ("2 hours from now", minutes(120)),
            ]
        };
        if self.armed {
            entries.push(("no deadline", Deadline::Remove));
        }
        entries
    }
}

/// The forms of an export.
#[derive(Debug, Clone)]
pub(crate) struct ExportMenu {
    pub(crate) run: RunId,
    pub(crate) name: String,
    pub(crate) selected: usize,
}

/// How the question before leaving can be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeaveAnswer {
    /// Leave; the server goes on with the runs.
    Detach,
    StopAll,
    Stay,
}

impl LeaveAnswer {
    pub(crate) fn words(self) -> &'static str {
        match self {
            LeaveAnswer::Detach => "detach: leave, the runs go on",
            LeaveAnswer::StopAll => "stop all and leave",
            LeaveAnswer::Stay => "stay",
        }
    }
}

/// The question before leaving.
#[derive(Debug, Clone)]
pub(crate) struct LeaveQuestion {
    pub(crate) answers: &'static [LeaveAnswer],
    pub(crate) selected: usize,
}

impl LeaveQuestion {
    pub(crate) fn new(has_server: bool) -> LeaveQuestion {
        let answers: &[LeaveAnswer] = &[LeaveAnswer::Detach, LeaveAnswer::StopAll, LeaveAnswer::Stay];
        LeaveQuestion { answers: &answers[usize::from(!has_server)..], selected: 0 }
    }
}
