//! What the processes of live runs use and hold, read from the system when somebody asks: nothing is looked at by itself.

use std::collections::HashMap;
use std::time::Duration;

use super::core::{After, Core, Do};
use super::serving::not_found;
use crate::api::{Answer, LimitFacts, PortFacts, RunUsage, Surroundings};
use crate::model::{ProcessIdentity, RunId, SessionName, plain_line};
use crate::store::Redaction;
use crate::sys::proc::{self, Stat};
use crate::sys::sockets;

/// The most processes of a run that are looked at.
const MAX_PROCESSES: usize = 1024;
/// The most variables that are told, and the longest value of one, in characters.
const MAX_VARIABLES: usize = 1000;
const MAX_VALUE: usize = 2000;
/// The most of an environment that is read.
const MAX_ENVIRONMENT_BYTES: usize = 1 << 20;

impl Core {
    /// Measures what the live runs of a session use, beside the loop.
    pub(super) fn usage(&self, session: &SessionName, answer: Answer<Vec<RunUsage>>) -> Vec<Do> {
        let live = self.runs.iter().filter(|(_, entry)| entry.record.session == *session && !entry.is_final());
        let roots: Vec<(RunId, ProcessIdentity)> =
            live.filter_map(|(run, entry)| Some((*run, entry.record.process.clone()?))).collect();
        vec![Do::Beside(Box::new(move |_| {
            answer.send(Ok(measure(&roots)));
            After::Nothing
        }))]
    }

    /// Looks at what a run has around it, beside the loop.
    pub(super) fn surroundings(&self, run: RunId, answer: Answer<Surroundings>) -> Vec<Do> {
        let Some(entry) = self.runs.get(&run) else {
            answer.send(Err(not_found(run)));
            return Vec::new();
        };
        let root = entry.record.process.clone().filter(|_| !entry.is_final());
        let redaction = self.redaction.clone();
        vec![Do::Beside(Box::new(move |_| {
            answer.send(Ok(root.map(|root| look_around(&root, &redaction)).unwrap_or_default()));
            After::Nothing
        }))]
    }
}

/// The processes of runs: one pass over all that the system has, as the lists of children would be one for each process.
struct Table {
    stats: HashMap<i32, Stat>,
    children: HashMap<i32, Vec<i32>>,
}

impl Table {
    fn read() -> Table {
        let pids = proc::all_pids().unwrap_or_default();
        let stats: HashMap<i32, Stat> = pids.into_iter().filter_map(|pid| Some((pid, proc::stat(pid).ok()?))).collect();
        let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
        for stat in stats.values() {
            children.entry(stat.ppid).or_default().push(stat.pid);
        }
        Table { stats, children }
    }

    /// The tree of a run: all below its holder, which is the parent of its root.
    fn tree(&self, root: &ProcessIdentity) -> Vec<&Stat> {
        let Some(stat) = self.stats.get(&root.pid).filter(|stat| stat.start_ticks == root.start_ticks) else {
            return Vec::new();
        };
        // Without its holder the root belongs to whoever takes in orphans.
        let mut waiting =
            if stat.ppid > 1 { self.children.get(&stat.ppid).cloned().unwrap_or_default() } else { vec![root.pid] };
        let mut found = Vec::new();
        while let Some(pid) = waiting.pop() {
            found.extend(self.stats.get(&pid));
            waiting.extend(self.children.get(&pid).into_iter().flatten());
            if found.len() >= MAX_PROCESSES {
                break;
            }
        }
        found
    }
}

fn measure(roots: &[(RunId, ProcessIdentity)]) -> Vec<RunUsage> {
    if roots.is_empty() {
        return Vec::new();
    }
    let table = Table::read();
    let usage = roots.iter().map(|(run, root)| {
        let tree = table.tree(root);
        let ticks: u64 = tree.iter().map(|stat| stat.cpu_ticks).sum();
        RunUsage {
            run: *run,
            processes: tree.iter().filter(|stat| !stat.is_over()).count(),
            cpu: Duration::from_millis(ticks.saturating_mul(1000) / proc::ticks_per_second().max(1)),
            resident_bytes: tree.iter().map(|stat| stat.resident_bytes()).sum(),
        }
    });
    usage.collect()
}

fn look_around(root: &ProcessIdentity, redaction: &Redaction) -> Surroundings {
    let table = Table::read();
    let pids: Vec<i32> = table.tree(root).into_iter().map(|stat| stat.pid).collect();
    if pids.is_empty() {
        return Surroundings::default();
    }
    let ports = sockets::listening(&pids).into_iter().map(|found| PortFacts {
        protocol: found.protocol.to_owned(),
        address: plain_line(&found.address, 200),
        pid: found.pid,
    });
    Surroundings { ports: ports.collect(), environment: environment(root.pid, redaction), limits: limits(root.pid) }
}

/// The variables that the root was started with, sorted.
fn environment(pid: i32, redaction: &Redaction) -> Vec<(String, String)> {
    let block = proc::read_all(&format!("/proc/{pid}/environ"), MAX_ENVIRONMENT_BYTES).unwrap_or_default();
    let entries = block.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
    let mut variables: Vec<(String, String)> = entries
        .filter_map(|entry| {
            let text = String::from_utf8_lossy(entry);
            let (name, value) = text.split_once('=')?;
            Some((plain_line(name, 200), plain_line(&redaction.variable(name, value), MAX_VALUE)))
        })
        .take(MAX_VARIABLES)
        .collect();
    variables.sort();
    variables
}

/// The limits of a process that limit something.
fn limits(pid: i32) -> Vec<LimitFacts> {
    let list = proc::read_all(&format!("/proc/{pid}/limits"), 64 << 10).unwrap_or_default();
    String::from_utf8_lossy(&list).lines().skip(1).filter_map(limit).filter(|limit| limit.soft != "unlimited").collect()
}

/// Reads a line of the table: its columns are apart by two blanks or more.
fn limit(line: &str) -> Option<LimitFacts> {
    let mut columns = line.split("  ").map(str::trim).filter(|column| !column.is_empty());
    let (name, soft, hard) = (columns.next()?, columns.next()?, columns.next()?);
    Some(LimitFacts { name: name.to_owned(), soft: soft.to_owned(), hard: hard.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_read_with_both_its_values() {
        let line = "Max open files            1024                 1048576              files     ";
        let read = limit(line).expect("a limit");
        assert_eq!((read.name.as_str(), read.soft.as_str(), read.hard.as_str()), ("Max open files", "1024", "1048576"));
        assert_eq!(limit("odd"), None);
    }

    #[test]
    fn what_a_process_of_another_time_uses_is_not_told() {
        let own = i32::try_from(std::process::id()).expect("a pid");
        let root = |start_ticks| ProcessIdentity { pid: own, start_ticks, boot_id: String::new() };
        let ticks = proc::start_ticks(own).expect("its own start");
        let run = RunId::from_bits([1; 10]);
        assert!(measure(&[(run, root(ticks))])[0].resident_bytes > 0);
        assert_eq!(measure(&[(run, root(ticks + 1))])[0].processes, 0);
    }
}
