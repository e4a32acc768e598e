//! A cgroup of the run's own, where one can be made: its members are known without a walk and killed in one step.
//!
//! It only ever adds to the other ways to find the tree, so every failure here just means to do without.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Access, AtFlags, Dir, Mode, OFlags};

use crate::sys::proc;

/// Where cgroups of runs are made: below the one that the fork server is in.
#[derive(Debug, Clone)]
pub(super) struct CgroupParent {
    path: String,
}

/// How the directories are named, before the holder's pid.
const PREFIX: &str = "shtask-";

/// Far more than a list of mounts has.
const MAX_LIST_BYTES: usize = 4 << 20;

/// How deep the cgroups go that a run may have made inside its own.
const MAX_DEPTH: u32 = 8;

impl CgroupParent {
    /// Finds the v2 hierarchy and the caller's place in it; `None` when new cgroups cannot be made there.
    pub(super) fn find() -> Option<Self> {
        let mounts = proc::read_all("/proc/self/mountinfo", MAX_LIST_BYTES).ok()?;
        let own = proc::read_all("/proc/self/cgroup", MAX_LIST_BYTES).ok()?;
        let path = place(std::str::from_utf8(&mounts).ok()?, std::str::from_utf8(&own).ok()?)?;
        rustix::fs::accessat(rustix::fs::CWD, &path, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS).ok()?;
        // A process may be put into a child only by who may write the common ancestor's list, too.
        rustix::fs::accessat(rustix::fs::CWD, format!("{path}/cgroup.procs"), Access::WRITE_OK, AtFlags::EACCESS)
            .ok()?;
        Some(Self { path })
    }

    /// Removes what holders that were killed left behind: empty ones whose holder is gone.
    pub(super) fn sweep(&self) {
        for name in directories(&self.path) {
            let holder = name.strip_prefix(PREFIX).and_then(|pid| pid.parse::<i32>().ok());
            let gone = holder.is_some_and(|pid| proc::stat(pid).is_err_and(|error| proc::is_gone(&error)));
            if gone {
                remove(&format!("{}/{name}", self.path), MAX_DEPTH);
            }
        }
    }

    /// Makes a cgroup for the tree of the holder with this pid.
    pub(super) fn make(&self, holder: i32) -> io::Result<Cgroup> {
        let path = format!("{}/{PREFIX}{holder}", self.path);
        match rustix::fs::mkdir(&path, Mode::from_raw_mode(0o755)) {
            // An earlier holder with this pid left it.
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match rustix::fs::open(&path, flags, Mode::empty()) {
            Ok(directory) => Ok(Cgroup { path, directory }),
            Err(error) => {
                remove(&path, MAX_DEPTH);
                Err(error.into())
            }
        }
    }
}

/// How often, and after which pause, a cgroup is tried to be removed; nobody waits for it.
const REMOVE_TRIES: u32 = 50;
const REMOVE_PAUSE: std::time::Duration = std::time::Duration::from_millis(2);

/// A run's cgroup; removed when it is dropped and nobody is in it.
#[derive(Debug)]
pub(super) struct Cgroup {
    path: String,
    directory: OwnedFd,
}

impl Cgroup {
    /// The directory, to fork into.
    pub(super) fn directory(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }

    /// Lists who is in it, and in cgroups that were made inside it.
    pub(super) fn members(&self) -> Vec<i32> {
        let mut pids = Vec::new();
        collect(&self.path, MAX_DEPTH, &mut pids);
        pids
    }

    /// Kills all members in one step, those that are being forked too; false where the kernel cannot (before 5.14).
    pub(super) fn kill(&self) -> bool {
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        rustix::fs::open(format!("{}/cgroup.kill", self.path), flags, Mode::empty())
            .and_then(|file| rustix::io::write(&file, b"1"))
            .is_ok()
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // A process that has been reaped may be in it for another moment, until its processor has left it for good.
        for _ in 0..REMOVE_TRIES {
            if remove(&self.path, MAX_DEPTH) {
                return;
            }
            std::thread::sleep(REMOVE_PAUSE);
        }
    }
}

fn collect(path: &str, depth: u32, pids: &mut Vec<i32>) {
    if let Ok(list) = proc::read_all(&format!("{path}/cgroup.procs"), MAX_LIST_BYTES) {
        pids.extend(String::from_utf8_lossy(&list).lines().filter_map(|line| line.parse::<i32>().ok()));
    }
    if depth > 0 {
        for name in directories(path) {
            collect(&format!("{path}/{name}"), depth - 1, pids);
        }
    }
}

/// Removes a cgroup and those inside it; false when it stays, since somebody is in it.
fn remove(path: &str, depth: u32) -> bool {
    if depth > 0 {
        for name in directories(path) {
            remove(&format!("{path}/{name}"), depth - 1);
        }
    }
    matches!(rustix::fs::rmdir(path), Ok(()) | Err(rustix::io::Errno::NOENT))
}

fn directories(path: &str) -> Vec<String> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(directory) = rustix::fs::open(path, flags, Mode::empty()) else {
        return Vec::new();
    };
    let Ok(entries) = Dir::read_from(&directory) else {
        return Vec::new();
    };
    entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type() == rustix::fs::FileType::Directory)
        .filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned))
        .filter(|name| name != "." && name != "..")
        .collect()
}

/// Puts together where the caller's cgroup is, from its mounts and its memberships.
fn place(mounts: &str, own: &str) -> Option<String> {
    // "36 25 0:31 /root /sys/fs/cgroup/unified rw,… shared:9 - cgroup2 cgroup2 rw"
    let (root, mount) = mounts.lines().find_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        (after.split(' ').next() == Some("cgroup2")).then_some(())?;
        let mut fields = before.split(' ').skip(3);
        Some((fields.next()?, fields.next()?))
    })?;
    if mount.contains('\\') {
        return None;
    }
    let own = own.lines().find_map(|line| line.strip_prefix("0::"))?;
    // The mount shows the hierarchy from `root` down; outside of that the caller's place has no name.
    let below = if root == "/" { own } else { own.strip_prefix(root)? };
    if below.split('/').any(|part| part == "..") {
        return None;
    }
    let mount = mount.trim_end_matches('/');
    Some(format!("{mount}/{}", below.trim_matches('/')).trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HYBRID: &str = "30 25 0:26 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n\
        36 25 0:31 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw\n";

    #[test]
    fn the_place_is_found_in_a_hybrid_layout() {
        let own = "4:memory:/a/b\n0::/user.slice/x.scope\n";
        assert_eq!(place(HYBRID, own).as_deref(), Some("/sys/fs/cgroup/unified/user.slice/x.scope"));
        assert_eq!(place(HYBRID, "0::/\n").as_deref(), Some("/sys/fs/cgroup/unified"));
    }

    #[test]
    fn a_place_outside_the_mount_is_none() {
        let inside = "36 25 0:31 /box /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        assert_eq!(place(inside, "0::/box/a\n").as_deref(), Some("/sys/fs/cgroup/a"));
        assert_eq!(place(inside, "0::/elsewhere\n"), None);
        assert_eq!(place(inside, "0::/../elsewhere\n"), None);
        assert_eq!(place("", "0::/\n"), None);
    }
}
