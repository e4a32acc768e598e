//! What `/proc` says of processes, read with as few calls as it takes.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;

use rustix::fs::{Dir, Mode, OFlags};

/// Enough for a line of `/proc/PID/stat`: about fifty numbers and a name of at most 64 bytes.
const STAT_BYTES: usize = 1024;

/// The most that is read of one process's environment: the kernel's own limit of arguments and environment together
/// is 6 MiB.
const MAX_ENVIRON_BYTES: usize = 8 << 20;

/// One process as `/proc/PID/stat` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stat {
    /// Its process id.
    pub pid: i32,
    /// Its parent's process id.
    pub ppid: i32,
    /// Its process group.
    pub group: i32,
    /// Its session.
    pub session: i32,
    /// The state's letter: `R` running, `S` sleeping, `D` uninterruptible, `T` stopped, `Z` zombie …
    pub state: u8,
    /// The command's name, at most 15 bytes for a program.
    pub comm: OsString,
    /// How many threads it has; 1 for a zombie.
    pub threads: u32,
    /// Its start in clock ticks since boot.
    pub start_ticks: u64,
    /// The processor time it used, user and system together, in clock ticks of [`ticks_per_second`].
    pub cpu_ticks: u64,
    /// Its resident memory in pages.
    pub rss_pages: u64,
}

impl Stat {
    /// Returns whether all of the process has ended and only its exit status is left.
    ///
    /// A process whose first thread has left while others run shows a zombie's letter, but is alive.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x') && self.threads <= 1
    }

    /// Returns what tells the process from any other of this boot.
    #[must_use]
    pub fn id(&self) -> super::pidfd::ProcessId {
        super::pidfd::ProcessId { pid: self.pid, start_ticks: self.start_ticks }
    }

    /// Returns its resident memory in bytes.
    #[must_use]
    pub fn resident_bytes(&self) -> u64 {
        self.rss_pages.saturating_mul(page_bytes())
    }
}

/// Reads one process's line.
///
/// # Errors
///
/// `NotFound` (or `ESRCH`) when there is no such process; `InvalidData` for a line of unknown form.
pub fn stat(pid: i32) -> io::Result<Stat> {
    let mut buffer = [0_u8; STAT_BYTES];
    let line = read_into(&format!("/proc/{pid}/stat"), &mut buffer)?;
    parse_stat(line).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Reads when a process started, in clock ticks since boot.
///
/// # Errors
///
/// As [`stat`].
pub fn start_ticks(pid: i32) -> io::Result<u64> {
    Ok(stat(pid)?.start_ticks)
}

/// Returns how many clock ticks a second has (100 on nearly all machines).
#[must_use]
pub fn ticks_per_second() -> u64 {
    static TICKS: OnceLock<u64> = OnceLock::new();
    *TICKS.get_or_init(|| system_number(libc::_SC_CLK_TCK, 100))
}

pub(super) fn page_bytes() -> u64 {
    static BYTES: OnceLock<u64> = OnceLock::new();
    *BYTES.get_or_init(|| system_number(libc::_SC_PAGESIZE, 4096))
}

#[expect(unsafe_code, reason = "sysconf has no wrapper among our crates' enabled parts")]
fn system_number(name: i32, otherwise: u64) -> u64 {
    // SAFETY: sysconf reads a number by its name.
    u64::try_from(unsafe { libc::sysconf(name) }).ok().filter(|number| *number > 0).unwrap_or(otherwise)
}

/// Reads the random id that the kernel made for this boot: pids and start times mean something only beside it.
///
/// # Errors
///
/// `/proc` cannot be read.
pub fn boot_id() -> io::Result<String> {
    let mut buffer = [0_u8; 64];
    let id = read_into("/proc/sys/kernel/random/boot_id", &mut buffer)?;
    std::str::from_utf8(id).map(|id| id.trim().to_owned()).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// Appends the children of a process to `into`: of all its threads, zombies included.
///
/// For the caller's own children the list is whole, as only the caller can take one off it; for others it is a
/// moment's look.
///
/// # Errors
///
/// The process is gone, or the kernel was built without these lists (`Unsupported`).
pub fn children(pid: i32, into: &mut Vec<i32>) -> io::Result<()> {
    let tasks = open_dir(&format!("/proc/{pid}/task"))?;
    let mut any_list = false;
    let mut any_task = false;
    for entry in Dir::read_from(&tasks)? {
        let entry = entry?;
        let Some(task) = number::<i32>(entry.file_name().to_bytes()) else {
            continue;
        };
        any_task = true;
        match read_all(&format!("/proc/{pid}/task/{task}/children"), usize::MAX) {
            Ok(list) => {
                any_list = true;
                into.extend(list.split(|byte| *byte == b' ').filter_map(number::<i32>));
            }
            // The thread ended meanwhile; its children went to another thread.
            Err(error) if is_gone(&error) => {}
            Err(error) => return Err(error),
        }
    }
    if any_task && !any_list && lists_of_children_are_missing() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    Ok(())
}

fn lists_of_children_are_missing() -> bool {
    static MISSING: OnceLock<bool> = OnceLock::new();
    *MISSING.get_or_init(|| {
        let own = std::process::id();
        rustix::fs::access(format!("/proc/{own}/task/{own}/children"), rustix::fs::Access::EXISTS).is_err()
    })
}

/// Lists all processes that can be seen, by pid only.
///
/// # Errors
///
/// `/proc` cannot be read.
pub fn all_pids() -> io::Result<Vec<i32>> {
    let mut pids = Vec::new();
    for entry in Dir::read_from(&open_dir("/proc")?)? {
        pids.extend(number::<i32>(entry?.file_name().to_bytes()));
    }
    Ok(pids)
}

/// Lists everything below a process, itself not included, parents before their children, zombies included.
///
/// # Errors
///
/// `/proc` cannot be read at all. Processes that end during the walk are left out.
pub fn descendants(ancestor: i32) -> io::Result<Vec<Stat>> {
    match descendants_by_lists(ancestor) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => descendants_by_parents(ancestor),
        found => found,
    }
}

/// Lists a process and everything below it.
///
/// # Errors
///
/// As [`stat`] for the process itself.
pub fn tree(root: i32) -> io::Result<Vec<Stat>> {
    let mut members = vec![stat(root)?];
    members.extend(descendants(root)?);
    Ok(members)
}

fn descendants_by_lists(ancestor: i32) -> io::Result<Vec<Stat>> {
    let mut pids = Vec::new();
    children(ancestor, &mut pids)?;
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut next = 0;
    while let Some(&pid) = pids.get(next) {
        next += 1;
        // A child that changed hands during the walk is listed twice.
        if !seen.insert(pid) {
            continue;
        }
        match stat(pid) {
            Ok(stat) => found.push(stat),
            Err(error) if is_gone(&error) => continue,
            Err(error) => return Err(error),
        }
        match children(pid, &mut pids) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::Unsupported => return Err(error),
            // It ended, or may not be looked into: what is below it is found by other means when it is orphaned.
            Err(_) => {}
        }
    }
    Ok(found)
}

fn descendants_by_parents(ancestor: i32) -> io::Result<Vec<Stat>> {
    let all: Vec<Stat> = all_pids()?.into_iter().filter_map(|pid| stat(pid).ok()).collect();
    let mut inside = vec![ancestor];
    let mut found: Vec<Stat> = Vec::new();
    let mut next = 0;
    while let Some(&parent) = inside.get(next) {
        next += 1;
        for stat in all.iter().filter(|stat| stat.ppid == parent) {
            inside.push(stat.pid);
            found.push(stat.clone());
        }
    }
    Ok(found)
}

/// Lists the threads of a process, the first one first.
///
/// # Errors
/// The process is gone.
pub fn all_tasks(pid: i32) -> io::Result<Vec<i32>> {
    let mut tasks = Vec::new();
    for entry in Dir::read_from(&open_dir(&format!("/proc/{pid}/task"))?)? {
        tasks.extend(number::<i32>(entry?.file_name().to_bytes()));
    }
    tasks.sort_by_key(|task| (*task != pid, *task));
    Ok(tasks)
}

/// Returns whether a process's environment, as it was at its exec, has this entry (`NAME=VALUE`).
///
/// # Errors
///
/// The process is gone, or belongs to another user.
pub fn environ_has(pid: i32, entry: &[u8]) -> io::Result<bool> {
    let environ = read_all(&format!("/proc/{pid}/environ"), MAX_ENVIRON_BYTES)?;
    Ok(environ.split(|byte| *byte == 0).any(|found| found == entry))
}

/// Returns whether a process has a handler of its own for a signal (neither default nor ignored).
///
/// # Errors
///
/// The process is gone.
pub fn catches(pid: i32, signo: i32) -> io::Result<bool> {
    let status = read_all(&format!("/proc/{pid}/status"), 64 << 10)?;
    let caught = status
        .split(|byte| *byte == b'\n')
        .find_map(|line| line.strip_prefix(b"SigCgt:"))
        .and_then(|mask| std::str::from_utf8(mask.trim_ascii()).ok())
        .and_then(|mask| u64::from_str_radix(mask, 16).ok())
        .unwrap_or(0);
    Ok((1..=64).contains(&signo) && caught & (1 << (signo - 1)) != 0)
}

/// Returns whether a failed look at a process means that it has ended.
#[must_use]
pub fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH)
}

/// Reads a whole file of `/proc` or a cgroup, up to a number of bytes.
///
/// # Errors
///
/// The file cannot be opened or read.
pub fn read_all(path: &str, max_bytes: usize) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let mut all = Vec::new();
    let mut buffer = [0_u8; STAT_BYTES];
    loop {
        match rustix::io::read(&file, &mut buffer)? {
            0 => return Ok(all),
            count => all.extend_from_slice(&buffer[..count]),
        }
        if all.len() >= max_bytes {
            all.truncate(max_bytes);
            return Ok(all);
        }
    }
}

fn read_into<'a>(path: &str, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
    let file = open(path)?;
    let count = rustix::io::read(&file, &mut *buffer)?;
    Ok(&buffer[..count])
}

fn open(path: &str) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)
}

fn open_dir(path: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

fn number<T: std::str::FromStr>(digits: &[u8]) -> Option<T> {
    std::str::from_utf8(digits.trim_ascii()).ok()?.parse().ok()
}

fn parse_stat(line: &[u8]) -> Option<Stat> {
    // The name may hold anything, closing brackets and spaces too: the last bracket ends it.
    let open = line.iter().position(|byte| *byte == b'(')?;
    let close = line.iter().rposition(|byte| *byte == b')')?;
    let comm = OsStr::from_bytes(line.get(open + 1..close)?).to_owned();
    let rest: Vec<&[u8]> = line.get(close + 2..)?.split(|byte| *byte == b' ').collect();
    // Fields are counted from 1 in the manual, and `rest` starts with field 3.
    let field = |index: usize| rest.get(index - 3).copied();
    Some(Stat {
        pid: number(&line[..open])?,
        state: *field(3)?.first()?,
        ppid: number(field(4)?)?,
        group: number(field(5)?)?,
        session: number(field(6)?)?,
        cpu_ticks: number::<u64>(field(14)?)?.saturating_add(number(field(15)?)?),
        threads: number(field(20)?)?,
        start_ticks: number(field(22)?)?,
        rss_pages: number::<i64>(field(24)?).map_or(0, |pages| u64::try_from(pages).unwrap_or(0)),
        comm,
    })
}

#[cfg(test)]
#[path = "proc_tests.rs"]
mod tests;
