//! The tree of a run: who is in it, and what may be done to them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::sys::pidfd::{self, ProcessId};
use crate::sys::proc::{self, Stat};
use crate::sys::wait::{self, Look, Whose};

use super::cgroup::Cgroup;
use super::ladder::{Grip, Subject};

/// The environment variable that marks a run's processes.
const MARKER_NAME: &[u8] = b"SHTASK_RUN_ID=";

/// Everything that descends from the holder, is in the run's cgroup, or carries its mark.
#[derive(Debug)]
pub(super) struct Tree {
    holder: i32,
    /// The root, whose zombie is kept.
    pub(super) root: Option<i32>,
    /// The stop command, which is not part of what it stops while it runs.
    pub(super) stop_command: Option<i32>,
    pub(super) cgroup: Option<Cgroup>,
    marker: Option<Vec<u8>>,
    /// Marked processes that are found by no other way.
    strays: Vec<ProcessId>,
    /// The holder, its ancestors and the driver's process: never touched.
    protected: Vec<ProcessId>,
}

impl Tree {
    /// An empty tree of the calling holder, whose driver is in process `driver`.
    pub(super) fn new(driver: Option<i32>) -> Self {
        let holder = i32::try_from(std::process::id()).unwrap_or(0);
        let mut protected = Vec::new();
        let mut above = Some(holder);
        while let Some(stat) = above.and_then(|pid| proc::stat(pid).ok()) {
            above = (stat.ppid > 0).then_some(stat.ppid);
            protected.push(stat.id());
        }
        protected.extend(driver.and_then(|pid| proc::stat(pid).ok()).map(|stat| stat.id()));
        Self { holder, root: None, stop_command: None, cgroup: None, marker: None, strays: Vec::new(), protected }
    }

    /// Never touches this process either: the next server's.
    pub(super) fn protect(&mut self, pid: i32) {
        self.protected.extend(proc::stat(pid).ok().map(|stat| stat.id()));
    }

    pub(super) fn mark(&mut self, run: &OsStr) {
        self.marker = (!run.is_empty()).then(|| [MARKER_NAME, run.as_bytes()].concat());
    }

    /// Reaps every child that has ended but the root and the stop command.
    pub(super) fn reap_strangers(&self) {
        // As long as no kept zombie is at the head of the queue, the kernel names the ended ones one by one.
        while let Ok(Look::Ended(ended)) = wait::peek(Whose::Any) {
            if self.is_kept(ended.pid) {
                // It hides those behind it: ask for each.
                for pid in self.children().into_iter().filter(|pid| !self.is_kept(*pid)) {
                    let _ = wait::reap(Whose::Pid(pid));
                }
                return;
            }
            if wait::reap(Whose::Pid(ended.pid)).is_err() {
                return;
            }
        }
    }

    /// Returns whether any child has not ended.
    pub(super) fn has_living_child(&self) -> bool {
        self.children().into_iter().any(|pid| matches!(wait::peek(Whose::Pid(pid)), Ok(Look::Alive)))
    }

    /// Lists all that descends from the holder and known strays, zombies too.
    pub(super) fn list(&mut self, search_marked: bool) -> Vec<Stat> {
        let mut members = proc::descendants(self.holder).unwrap_or_default();
        let mut pids: BTreeSet<i32> = members.iter().map(|member| member.pid).collect();
        if let Some(cgroup) = &self.cgroup {
            for pid in cgroup.members() {
                self.add(pid, &mut pids, &mut members);
            }
        }
        if search_marked {
            self.search_marked(&pids);
        }
        self.strays.retain(|stray| proc::stat(stray.pid).is_ok_and(|stat| stat.id() == *stray && !stat.is_over()));
        for stray in self.strays.clone() {
            self.add(stray.pid, &mut pids, &mut members);
            for stat in proc::descendants(stray.pid).unwrap_or_default() {
                self.add(stat.pid, &mut pids, &mut members);
            }
        }
        members
    }

    fn add(&self, pid: i32, pids: &mut BTreeSet<i32>, members: &mut Vec<Stat>) {
        if !pids.insert(pid) {
            return;
        }
        if let Ok(stat) = proc::stat(pid)
            && !self.protected.contains(&stat.id())
        {
            members.push(stat);
        }
    }

    fn search_marked(&mut self, known: &BTreeSet<i32>) {
        let Some(marker) = &self.marker else { return };
        for pid in proc::all_pids().unwrap_or_default() {
            let is_known =
                pid == self.holder || known.contains(&pid) || self.strays.iter().any(|stray| stray.pid == pid);
            if is_known || !proc::environ_has(pid, marker).unwrap_or(false) {
                continue;
            }
            if let Ok(stat) = proc::stat(pid)
                && !self.protected.contains(&stat.id())
            {
                self.strays.push(stat.id());
            }
        }
    }

    /// Children of the holder, zombies too.
    fn children(&self) -> Vec<i32> {
        let mut pids = Vec::new();
        if proc::children(self.holder, &mut pids).is_err() {
            pids = proc::descendants(self.holder)
                .unwrap_or_default()
                .into_iter()
                .filter(|stat| stat.ppid == self.holder)
                .map(|stat| stat.pid)
                .collect();
        }
        pids
    }

    fn is_kept(&self, pid: i32) -> bool {
        self.root == Some(pid) || self.stop_command == Some(pid)
    }

    /// Takes the stop command and what is below it out of a list in which parents come before children.
    fn without_stop_command(&self, members: Vec<Stat>) -> Vec<Stat> {
        let Some(command) = self.stop_command else {
            return members;
        };
        let mut spared = BTreeSet::from([command]);
        for member in &members {
            if spared.contains(&member.ppid) {
                spared.insert(member.pid);
            }
        }
        members.into_iter().filter(|member| !spared.contains(&member.pid)).collect()
    }
}

impl Grip for Tree {
    fn members(&mut self, search_marked: bool) -> Vec<Subject> {
        self.reap_strangers();
        let members = self.list(search_marked);
        self.without_stop_command(members)
            .into_iter()
            .filter(|stat| !stat.is_over())
            .map(|stat| Subject { id: stat.id(), state: stat.state })
            .collect()
    }

    fn signal(&mut self, id: ProcessId, signo: i32) -> Result<(), i32> {
        pidfd::signal_exact(id, signo).map_err(|error| error.raw_os_error().unwrap_or(libc::EINVAL))
    }

    fn catches(&mut self, id: ProcessId, signo: i32) -> bool {
        proc::catches(id.pid, signo).unwrap_or(false)
    }

    fn kill_together(&mut self) -> bool {
        self.cgroup.as_ref().is_some_and(Cgroup::kill)
    }

    fn spare_nobody(&mut self) {
        self.stop_command = None;
    }

    fn stop_command_runs(&self) -> bool {
        self.stop_command.is_some()
    }
}
