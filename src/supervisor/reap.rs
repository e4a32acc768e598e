//! Ending what outlived the shtask that had started it (S7.3).

use std::thread;
use std::time::{Duration, Instant};

use super::kept::Kept;
use crate::api::Reaped;
use crate::model::{ErrorCode, Failure, Limits, Mode, ProcessIdentity, Record, RunId, SessionName, Status, StillAlive};
use crate::sys::pidfd::{ProcessId, signal_exact};
use crate::sys::proc;

/// The most orphaned runs that are looked at; older ones have been looked at before, or are long gone.
pub(super) const MAX_ORPHANS: usize = 1000;

/// How often it is looked whether something is left.
const PAUSE: Duration = Duration::from_millis(50);

/// How long SIGKILL is repeated.
const KILLING: Duration = Duration::from_secs(5);

/// Returns whether a process is still the one that was started: same pid, start and boot.
pub fn is_alive(process: &ProcessIdentity) -> bool {
    let is_this_boot = proc::boot_id().is_ok_and(|boot| boot == process.boot_id);
    is_this_boot && proc::stat(process.pid).is_ok_and(|stat| stat.start_ticks == process.start_ticks && !stat.is_over())
}

impl Kept {
    /// Ends what is left of a session's orphaned runs. Blocks for as long as that takes.
    pub(super) fn reap(&self, session: &SessionName, run: Option<RunId>) -> Result<Vec<Reaped>, Failure> {
        let Some(records) = &self.records else { return Ok(Vec::new()) };
        let orphans = match run {
            None => records.orphaned(Some(session), MAX_ORPHANS)?,
            Some(run) => {
                let record = records.of(session, run)?.ok_or_else(|| super::serving::not_found(run))?;
                if record.status != Status::Orphaned {
                    let message = format!("run {} is {} and not orphaned", run.short(), record.status.word());
                    let failure = Failure::new(ErrorCode::Conflict, message);
                    return Err(failure.with_hint("only orphaned runs leave something to reap: stop a live one"));
                }
                vec![record]
            }
        };
        let lives: Vec<(Record, Vec<ProcessId>)> = orphans
            .into_iter()
            .map(|record| {
                let members = members(&record);
                (record, members)
            })
            .filter(|(_, members)| !members.is_empty())
            .collect();
        Ok(end_all(lives))
    }
}

/// Ends all trees at the same time: the longest grace is waited for once.
fn end_all(mut lives: Vec<(Record, Vec<ProcessId>)>) -> Vec<Reaped> {
    let mut reaped: Vec<Reaped> =
        lives.iter().map(|(record, _)| Reaped { run: record.id, ended: 0, left: Vec::new() }).collect();
    let mut seen: Vec<Vec<ProcessId>> = vec![Vec::new(); lives.len()];
    let start = Instant::now();
    loop {
        let is_killing = start.elapsed() >= Limits::GRACE;
        let mut is_left = false;
        for (place, (record, members)) in lives.iter_mut().enumerate() {
            for member in members.iter() {
                let is_new = !seen[place].contains(member);
                if is_new {
                    seen[place].push(*member);
                }
                let signals: &[i32] = match (is_killing, is_new, record.mode) {
                    (true, _, _) => &[libc::SIGKILL],
                    (false, true, Mode::Pty) => &[libc::SIGTERM, libc::SIGHUP, libc::SIGCONT],
                    (false, true, Mode::Pipes) => &[libc::SIGTERM, libc::SIGCONT],
                    (false, false, _) => &[],
                };
                for signal in signals {
                    // That it is gone is what is wanted; that it may not be signalled shows at the end.
                    let _ = signal_exact(*member, *signal);
                }
            }
            is_left |= !members.is_empty();
        }
        if !is_left || start.elapsed() >= Limits::GRACE + KILLING {
            break;
        }
        thread::sleep(PAUSE);
        for (record, before) in &mut lives {
            let mut now = members(record);
            // What lost its mark or its parent is still what it was.
            now.extend(before.iter().filter(|member| is_there(**member)).copied());
            now.sort_by_key(|member| member.pid);
            now.dedup();
            *before = now;
        }
    }
    for (place, (_, members)) in lives.iter().enumerate() {
        let left = members.iter().map(|member| StillAlive { pid: member.pid, why: "it would not die".to_owned() });
        reaped[place].left = left.collect();
        reaped[place].ended = seen[place].len() - reaped[place].left.len().min(seen[place].len());
    }
    reaped
}

fn is_there(member: ProcessId) -> bool {
    proc::stat(member.pid).is_ok_and(|stat| stat.id() == member && !stat.is_over())
}

/// Returns what is left of a run: its process with everything below it, and whatever carries its mark.
fn members(record: &Record) -> Vec<ProcessId> {
    let Some(process) = &record.process else { return Vec::new() };
    if proc::boot_id().is_ok_and(|boot| boot != process.boot_id) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if is_alive(process) {
        let tree = proc::tree(process.pid).unwrap_or_default();
        found.extend(tree.iter().filter(|stat| !stat.is_over()).map(|stat| stat.id()));
    }
    let mark = format!("SHTASK_RUN_ID={}", record.id);
    let own = std::process::id();
    // This program may itself have been started in a run that is orphaned now.
    let pids = proc::all_pids().unwrap_or_default().into_iter().filter(|pid| pid.unsigned_abs() != own);
    for pid in pids {
        if proc::environ_has(pid, mark.as_bytes()).unwrap_or(false)
            && let Ok(stat) = proc::stat(pid)
            && !stat.is_over()
        {
            found.push(stat.id());
        }
    }
    found.sort_by_key(|member| member.pid);
    found.dedup();
    found
}
