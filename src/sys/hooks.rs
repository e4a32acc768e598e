//! Named points at which a test ends the program, and steps that it makes fail (feature `test-hooks`); without the feature nothing.
//!
//! The variable `SHTASK_TEST_HOOKS` has a list of `NAME=WHAT@NUMBER`: at the point or step of that name, the time of that number (from 1), the
//! program is ended by SIGKILL (`kill`) or the step fails with that error number of the system.

/// Every point on the ways of starting, flushing, finalising, stopping and recovering, in the order of a run's life.
pub const POINTS: [&str; 30] = [
    "start.record",
    "start.recorded",
    "start.drive",
    "start.spawned",
    "start.running",
    "start.confirmed",
    "log.begin",
    "log.index",
    "log.begun",
    "log.write",
    "log.written",
    "log.entry",
    "log.drop",
    "log.dropped",
    "flush.snapshot",
    "flush.stored",
    "store.begin",
    "store.commit",
    "store.committed",
    "stop.end",
    "stop.signalled",
    "stop.ended",
    "final.exited",
    "final.finish",
    "final.finished",
    "final.store",
    "final.stored",
    "recover.commit",
    "recover.committed",
    "prune.committed",
];

/// Every point on the ways of a server that another one takes its runs up from: notes for it, output on its way into the log, taking up, leaving
/// runs, sessions, other names.
pub const SERVER_POINTS: [&str; 14] = [
    "note.write",
    "note.written",
    "spool.hopped",
    "spool.moved",
    "take.met",
    "take.rebuilt",
    "take.logged",
    "take.told",
    "leave.asked",
    "leave.ending",
    "session.store",
    "session.stored",
    "rename.store",
    "rename.stored",
];

/// The variable that says what happens where.
pub const VARIABLE: &str = "SHTASK_TEST_HOOKS";

#[cfg(feature = "test-hooks")]
mod planned {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// What happens at one name.
    struct Planned {
        name: String,
        /// The error number; none for SIGKILL.
        errno: Option<i32>,
        at: u64,
        count: AtomicU64,
    }

    fn parse(entry: &str) -> Option<Planned> {
        let (name, what) = entry.split_once('=')?;
        let (what, at) = what.split_once('@')?;
        let errno = if what == "kill" { None } else { Some(what.parse().ok()?) };
        Some(Planned { name: name.to_owned(), errno, at: at.parse().ok()?, count: AtomicU64::new(0) })
    }

    /// Does what is planned for a name; returns the error number that it is to fail with.
    pub(super) fn reach(name: &str) -> Option<i32> {
        static PLAN: OnceLock<Vec<Planned>> = OnceLock::new();
        let plan = PLAN.get_or_init(|| {
            let text = std::env::var(super::VARIABLE).unwrap_or_default();
            let entries = text.split(',').filter(|entry| !entry.is_empty());
            entries.map(|entry| parse(entry).unwrap_or_else(|| panic!("no hook: {entry}"))).collect()
        });
        let planned = plan.iter().find(|planned| planned.name == name)?;
        if planned.count.fetch_add(1, Ordering::AcqRel) + 1 != planned.at {
            return None;
        }
        if planned.errno.is_none() {
            // It does not come back.
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
        planned.errno
    }
}

/// Passes a named point: a test may end the program here.
#[cfg_attr(not(feature = "test-hooks"), inline(always))]
pub fn pass(point: &str) {
    #[cfg(feature = "test-hooks")]
    {
        debug_assert!(POINTS.contains(&point) || SERVER_POINTS.contains(&point), "{point} is not in the list");
        planned::reach(point);
    }
    #[cfg(not(feature = "test-hooks"))]
    let _ = point;
}

/// Takes a step of the system that a test may make fail.
///
/// # Errors
/// What the test has planned; without the feature nothing.
#[cfg_attr(not(feature = "test-hooks"), inline(always))]
pub fn step(name: &str) -> std::io::Result<()> {
    #[cfg(feature = "test-hooks")]
    if let Some(errno) = planned::reach(name) {
        return Err(std::io::Error::from_raw_os_error(errno));
    }
    let _ = name;
    Ok(())
}
