//! What the program's processes use: memory, processor time, wake-ups.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::harness::{Process, Terminal};
use crate::product::PROGRAM;

/// The processes of the program itself: the TUI, the holders, and whatever starts them; not the runs' own.
pub(crate) fn own_processes(terminal: &Terminal) -> Vec<i32> {
    let mut found: BTreeSet<i32> = terminal.home().processes().iter().map(|one| one.pid).collect();
    let all = Process::all();
    // A holder may have shed its environment: take the descendants in, too.
    found.insert(terminal.pid());
    loop {
        let before = found.len();
        found.extend(all.iter().filter(|one| found.contains(&one.parent)).map(|one| one.pid).collect::<Vec<i32>>());
        if found.len() == before {
            break;
        }
    }
    let folder = Path::new(PROGRAM).parent();
    let ours = |one: &Process| one.executable().is_some_and(|path| path.parent() == folder);
    all.iter().filter(|one| found.contains(&one.pid) && ours(one)).map(|one| one.pid).collect()
}

/// Memory of one process in KiB.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Memory {
    /// Its proportional share.
    pub(crate) pss: u64,
    /// What no other process has.
    pub(crate) private: u64,
}

/// Reads the memory of a process.
pub(crate) fn memory(pid: i32) -> Memory {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0)
    };
    Memory { pss: field("Pss"), private: field("Private_Clean") + field("Private_Dirty") }
}

/// The proportional memory of these processes in MiB.
pub(crate) fn pss_mib(pids: &[i32]) -> f64 {
    mib(pids.iter().map(|pid| memory(*pid).pss).sum())
}

/// KiB as MiB.
pub(crate) fn mib(kib: u64) -> f64 {
    u32::try_from(kib).map_or(f64::NAN, f64::from) / 1024.0
}

/// Processor time and wake-ups since the start, of all threads.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Work {
    /// In microseconds.
    pub(crate) processor_us: u64,
    /// How often a thread gave the processor back by itself, which is how often it had been woken.
    pub(crate) wake_ups: u64,
}

/// Reads the work of these processes.
pub(crate) fn work(pids: &[i32]) -> Work {
    let mut sum = Work::default();
    for pid in pids {
        let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { continue };
        for thread in threads.flatten() {
            let read = |name: &str| fs::read_to_string(thread.path().join(name)).unwrap_or_default();
            let nanoseconds = read("schedstat").split_whitespace().next().and_then(|one| one.parse::<u64>().ok());
            sum.processor_us += nanoseconds.unwrap_or(0) / 1000;
            let status = read("status");
            let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
            sum.wake_ups += line.and_then(|rest| rest.trim().parse::<u64>().ok()).unwrap_or(0);
        }
    }
    sum
}
