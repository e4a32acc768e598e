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
    // A process may vanish between the list and the look at it: it is left out then.
    let members = proc::descendants(holder_pid).unwrap_or_default();
    let facts = members.iter().take(MAX_SHOWN).filter_map(|member| proc::facts(member.pid).ok());
    let shown = facts.map(|facts| ProcessFacts {
        pid: facts.stat.pid,
        parent: facts.stat.ppid,
        name: plain_line(&facts.stat.comm.to_string_lossy(), MAX_NAME),
        state: char::from(facts.stat.state),
        cpu: Duration::from_millis(facts.cpu_ticks.saturating_mul(1000) / proc::ticks_per_second().max(1)),
        resident_bytes: facts.rss_bytes,
    });
    shown.collect()
}

/// Returns the pid of the holder: the parent of the root.
pub(super) fn parent(root_pid: i32) -> Option<i32> {
    proc::stat(root_pid).ok().map(|stat| stat.ppid)
}
