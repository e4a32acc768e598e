//! Live facts of a run's tree, for the inspect panel.

use std::time::Duration;

use crate::api::ProcessFacts;
use crate::model::plain_line;
use crate::sys::proc;

/// The most processes that are shown; a fork storm is seen by its first ones.
const MAX_SHOWN: usize = 256;

/// The longest name of a process, in characters.
const MAX_NAME: usize = 64;

/// Returns the processes below the holder, parents before children; empty when it is gone.
pub(super) fn tree(holder_pid: i32) -> Vec<ProcessFacts> {
    let members = proc::descendants(holder_pid).unwrap_or_default();
    let shown = members.iter().take(MAX_SHOWN).map(|member| ProcessFacts {
        pid: member.pid,
        parent: member.ppid,
        name: plain_line(&member.comm.to_string_lossy(), MAX_NAME),
        state: char::from(member.state),
        cpu: Duration::from_millis(member.cpu_ticks.saturating_mul(1000) / proc::ticks_per_second().max(1)),
        resident_bytes: member.resident_bytes(),
    });
    shown.collect()
}

/// Returns the pid of the holder: the parent of the root.
pub(super) fn parent(root_pid: i32) -> Option<i32> {
    proc::stat(root_pid).ok().map(|stat| stat.ppid)
}
