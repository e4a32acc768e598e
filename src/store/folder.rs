//! The state directory: private, ours, and used by one program at a time (S9.1).

use std::fs::{DirBuilder, File, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rustix::fs::{Mode, OFlags};

use super::OpenError;
use crate::sys::hooks;

const LOCK: &str = "lock";

/// Nobody needs more of a lock's file than its line.
const MAX_LOCK_BYTES: usize = 200;

/// For how long a lock is waited for that nobody holds who lives: a child of a program that was killed has it until its own program begins.
const PASSING: Duration = Duration::from_secs(1);
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// The state directory, for as long as this program is the one that works with it.
#[derive(Debug)]
pub struct StateFolder {
    path: PathBuf,
    lock: File,
    was_left_in_order: bool,
}

impl StateFolder {
    /// Makes the directory if needed, and locks it. Everything in it is readable by its owner only.
    ///
    /// # Errors
    /// [`OpenError::InUse`] with who uses it; [`OpenError::Untrusted`] when it is a link or belongs to somebody else.
    pub fn open(path: &Path) -> Result<StateFolder, OpenError> {
        private_folder(path)?;
        let lock_path = path.join(LOCK);
        let mut lock = private_file(&lock_path, OFlags::RDWR | OFlags::CREATE)?;
        let failed = |source| OpenError::File { path: lock_path.clone(), source };
        let patience = Instant::now() + PASSING;
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {
                    let holder = read_holder(&lock);
                    if Instant::now() >= patience || holder.as_deref().is_some_and(lives) {
                        let holder = holder.unwrap_or_else(|| "it has not said which process it is".to_owned());
                        return Err(OpenError::InUse { path: path.to_owned(), holder });
                    }
                    std::thread::sleep(LOOK_AGAIN);
                }
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
        }
        // Who ended in order has left the file empty.
        let length = lock.metadata().map_err(failed)?.len();
        lock.set_len(0).map_err(failed)?;
        let now = Timestamp::from_second(Timestamp::now().as_second()).unwrap_or_default();
        writeln!(lock, "process {}, since {now}", std::process::id()).map_err(failed)?;
        Ok(StateFolder { path: path.to_owned(), lock, was_left_in_order: length == 0 })
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the program before this one ended in order.
    pub fn was_left_in_order(&self) -> bool {
        self.was_left_in_order
    }
}

impl Drop for StateFolder {
    fn drop(&mut self) {
        // It only saves the next start a closer look.
        let _ = self.lock.set_len(0);
        // Closing would not do: a child that was forked and has not begun its program yet has the file open, too.
        let _ = self.lock.unlock();
    }
}

/// Returns what the holder of the lock says of itself. That is for people; who holds the lock is the kernel's knowledge.
fn read_holder(lock: &File) -> Option<String> {
    let mut line = [0; MAX_LOCK_BYTES];
    let length = lock.read_at(&mut line, 0).unwrap_or_default();
    let line = crate::model::plain_line(String::from_utf8_lossy(&line[..length]).trim(), 120);
    (!line.is_empty()).then_some(line)
}

/// Returns whether the process that has written this line is there.
fn lives(line: &str) -> bool {
    let pid = line.strip_prefix("process ").and_then(|rest| rest.split(',').next()?.parse().ok());
    let pid = pid.and_then(rustix::process::Pid::from_raw);
    // A line that is not understood is no reason to wait.
    pid.is_none_or(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// Makes a private directory, or takes one that is there and ours.
pub(super) fn private_folder(path: &Path) -> Result<(), OpenError> {
    let failed = |source| OpenError::File { path: path.to_owned(), source };
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed)?;
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
    let folder = rustix::fs::open(path, flags, Mode::empty()).map_err(|errno| match errno {
        rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR => {
            OpenError::Untrusted { path: path.to_owned(), why: "it is a link and no directory".to_owned() }
        }
        errno => failed(errno.into()),
    })?;
    let folder = File::from(folder);
    let facts = folder.metadata().map_err(failed)?;
    check_owner(path, facts.uid())?;
    if facts.mode() & 0o077 != 0 {
        folder.set_permissions(Permissions::from_mode(0o700)).map_err(failed)?;
    }
    Ok(())
}

/// Opens a private file without following a link, and takes an existing one only when it is a plain file of ours.
pub(super) fn private_file(path: &Path, flags: OFlags) -> Result<File, OpenError> {
    let failed = |source: io::Error| OpenError::File { path: path.to_owned(), source };
    hooks::step("open").map_err(failed)?;
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR).map_err(|errno| match errno {
        rustix::io::Errno::LOOP => OpenError::Untrusted { path: path.to_owned(), why: "it is a link".to_owned() },
        errno => failed(errno.into()),
    })?;
    let file = File::from(file);
    let facts = file.metadata().map_err(failed)?;
    if !facts.is_file() {
        return Err(OpenError::Untrusted { path: path.to_owned(), why: "it is no plain file".to_owned() });
    }
    check_owner(path, facts.uid())?;
    if facts.mode() & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(0o600)).map_err(failed)?;
    }
    Ok(file)
}

fn check_owner(path: &Path, uid: u32) -> Result<(), OpenError> {
    let own = rustix::process::geteuid().as_raw();
    if uid == own {
        return Ok(());
    }
    let why = format!("it belongs to user {uid} and not to you ({own})");
    Err(OpenError::Untrusted { path: path.to_owned(), why })
}

/// Renames something damaged, so that it is kept but no longer in the way. Returns its new name.
pub(super) fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let now = Timestamp::now().strftime("%Y%m%dT%H%M%S").to_string();
    let mut aside = path.as_os_str().to_owned();
    aside.push(format!(".damaged-{now}-{}", std::process::id()));
    let aside = PathBuf::from(aside);
    hooks::step("rename")?;
    std::fs::rename(path, &aside)?;
    Ok(aside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_was_left_is_free_though_a_forked_child_still_has_its_lock_open() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = StateFolder::open(folder.path()).expect("opened");
        // What a fork does to it.
        let of_child = state.lock.try_clone().expect("a duplicate");
        drop(state);
        StateFolder::open(folder.path()).expect("nobody uses it");
        drop(of_child);
    }

    #[test]
    fn a_lock_that_only_a_child_of_a_dead_program_has_is_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(LOCK);
        std::fs::write(&path, "process 2147483647, since then\n").expect("written");
        let of_child = File::options().read(true).write(true).open(&path).expect("opened");
        of_child.try_lock().expect("locked");
        let other = std::thread::spawn({
            let folder = folder.path().to_owned();
            move || StateFolder::open(&folder).map(drop)
        });
        std::thread::sleep(4 * LOOK_AGAIN);
        drop(of_child);
        other.join().expect("no panic").expect("it is free now");
    }
}
