//! Processes as `/proc` shows them.

use std::ffi::OsStr;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, getpid, pidfd_open, pidfd_send_signal};

/// One process at the moment of the look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    /// Its number.
    pub(crate) pid: i32,
    /// The number of its parent.
    pub(crate) parent: i32,
    /// `R`, `S`, `D`, `T`, `Z` … as in `/proc/PID/stat`.
    pub(crate) state: char,
    /// Its arguments; empty for a zombie.
    pub(crate) arguments: Vec<String>,
}

impl Process {
    /// Every process that can be seen, but this one.
    pub(crate) fn all() -> Vec<Process> {
        let this = getpid().as_raw_nonzero().get();
        let entries = fs::read_dir("/proc").expect("/proc can be read");
        let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
        pids.filter(|pid| *pid != this).filter_map(Process::look).collect()
    }

    /// Looks at one process; `None` when there is none of that number.
    pub(crate) fn look(pid: i32) -> Option<Process> {
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        let stat = String::from_utf8_lossy(&stat);
        // The name stands in parentheses and may hold anything, so look behind the last one.
        let mut fields = stat[stat.rfind(')')? + 1..].split_whitespace();
        let state = fields.next()?.chars().next()?;
        let parent = fields.next()?.parse().ok()?;
        let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let arguments = line.split(|byte| *byte == 0).map(|part| String::from_utf8_lossy(part).into_owned());
        let mut arguments: Vec<String> = arguments.collect();
        arguments.pop_if(|last| last.is_empty());
        Some(Process { pid, parent, state, arguments })
    }

    /// Whether it has ended and only waits for its parent.
    pub(crate) fn is_zombie(&self) -> bool {
        self.state == 'Z'
    }

    /// Whether its environment, as it was at its start, has exactly this `NAME=VALUE`.
    pub(crate) fn has_environment_entry(&self, entry: &OsStr) -> bool {
        let environment = fs::read(format!("/proc/{}/environ", self.pid)).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|one| one == entry.as_bytes())
    }

    /// The program file that it executes; `None` when it has ended.
    pub(crate) fn executable(&self) -> Option<PathBuf> {
        let path = fs::read_link(format!("/proc/{}/exe", self.pid)).ok()?;
        Some(PathBuf::from(std::ffi::OsString::from_vec(path.into_os_string().into_vec())))
    }

    /// A handle on the process that stays right when its number is used again.
    pub(crate) fn handle(&self) -> Option<OwnedFd> {
        pidfd_open(Pid::from_raw(self.pid)?, PidfdFlags::empty()).ok()
    }
}

/// Kills what `find` finds, again and again until it finds nothing, and waits for the end of each.
pub(crate) fn kill_all(find: impl Fn() -> Vec<Process>) {
    /// New ones can be made between look and kill; so many rounds end everything but a program written to outrun them.
    const ROUNDS: usize = 100;
    for _ in 0..ROUNDS {
        let found: Vec<Process> = find().into_iter().filter(|process| !process.is_zombie()).collect();
        if found.is_empty() {
            return;
        }
        let handles: Vec<OwnedFd> = found.iter().filter_map(Process::handle).collect();
        // The number may have passed on to a stranger before the handle was made: only what is still found dies.
        let still = find();
        for (process, handle) in found.iter().zip(&handles) {
            if still.iter().any(|one| one.pid == process.pid) {
                let _ = pidfd_send_signal(handle, Signal::KILL);
            }
        }
        for handle in &handles {
            wait_for_end(handle, Duration::from_millis(500));
        }
    }
}

/// Waits until the process has ended, at most `timeout`.
pub(crate) fn wait_for_end(handle: &OwnedFd, timeout: Duration) {
    let timeout = Timespec { tv_sec: timeout.as_secs().cast_signed(), tv_nsec: timeout.subsec_nanos().into() };
    let mut fds = [PollFd::new(handle, PollFlags::IN)];
    let _ = poll(&mut fds, Some(&timeout));
}
