//! The socket and its lock in the file system (S9.1).
//!
//! The lock, a file beside the socket, is the truth of who serves: who holds it may replace the socket, whatever that is. Nothing is reached
//! through a link, and nothing of another user's is taken.

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File, Permissions, TryLockError};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

use super::PlaceError;

/// How many clients may wait to be accepted: a burst of scripts, while the server is busy for a moment.
const BACKLOG: i32 = 1024;

/// What is known of the folder of a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Privacy {
    /// It is shtask's own: it is made private.
    Own,
    /// The user chose it: it is left as it is, and taken when nobody else can put something in the way.
    Chosen,
}

/// A socket's place, held by this server alone.
#[derive(Debug)]
pub struct Place {
    socket: PathBuf,
    privacy: Privacy,
    folder: OwnedFd,
    lock: File,
    /// The socket that was made last: device and inode.
    made: Option<(u64, u64)>,
}

/// Returns the path of the lock of a socket.
pub fn lock_path(socket: &Path) -> PathBuf {
    beside(socket, ".lock")
}

fn beside(socket: &Path, ending: &str) -> PathBuf {
    let mut path = OsString::from(socket);
    path.push(ending);
    path.into()
}

impl Place {
    /// Takes the lock; a folder that is shtask's own is made where it is missing.
    ///
    /// # Errors
    /// [`PlaceError::InUse`] when another server has the lock; [`PlaceError::NoFolder`] when a chosen folder is missing; [`PlaceError`] when something
    /// in the way is not ours.
    pub fn claim(socket: &Path, privacy: Privacy) -> Result<Place, PlaceError> {
        check_folder(socket, privacy)?;
        let folder = folder(socket, privacy)?;
        let lock = lock(&folder, socket)?;
        Ok(Place { socket: socket.to_owned(), privacy, folder, lock, made: None })
    }

    /// Returns the path of the socket.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Makes the socket, in place of one that is there, and listens. It is readable and writable by its owner only from its first moment.
    ///
    /// # Errors
    /// [`PlaceError::Untrusted`] when something else is in the way.
    pub fn listen(&mut self) -> Result<UnixListener, PlaceError> {
        let failed = |errno: Errno| PlaceError::File { path: self.socket.clone(), source: errno.into() };
        let name = name(&self.socket)?;
        if let Some(found) = look(&self.folder, name).map_err(failed)? {
            check_owner(&self.socket, found.st_uid)?;
            if FileType::from_raw_mode(found.st_mode) != FileType::Socket {
                return Err(untrusted(&self.socket, "it is no socket"));
            }
            rustix::fs::unlinkat(&self.folder, name, AtFlags::empty()).map_err(failed)?;
        }
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let listener =
            rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).map_err(failed)?;
        // The file gets the mode of the socket: there is no moment at which it is open to others.
        rustix::fs::fchmod(&listener, Mode::RUSR | Mode::WUSR).map_err(failed)?;
        let address = SocketAddrUnix::new(&self.socket).map_err(failed)?;
        rustix::net::bind(&listener, &address).map_err(failed)?;
        rustix::net::listen(&listener, BACKLOG).map_err(failed)?;
        let made = look(&self.folder, name).map_err(failed)?;
        self.made = made.map(|made| (made.st_dev, made.st_ino));
        Ok(UnixListener::from(listener))
    }

    /// Returns whether socket and lock are still where clients look for them.
    pub fn is_intact(&self) -> bool {
        let same = |path: &Path, known: Option<(u64, u64)>| {
            let found = path.symlink_metadata().ok().map(|found| (found.dev(), found.ino()));
            found.is_some() && found == known
        };
        let lock = self.lock.metadata().ok().map(|lock| (lock.dev(), lock.ino()));
        same(&self.socket, self.made) && same(&lock_path(&self.socket), lock)
    }

    /// Makes anew what was taken away: folder, lock and socket.
    ///
    /// # Errors
    /// As [`Place::claim`] and [`Place::listen`]. What could be made is kept then, a lock above all, so that nobody else takes the place; the next
    /// call makes the rest.
    pub fn restore(&mut self) -> Result<UnixListener, PlaceError> {
        let folder = folder(&self.socket, self.privacy)?;
        let known = self.lock.metadata().ok().map(|lock| (lock.dev(), lock.ino()));
        let there = lock_path(&self.socket).symlink_metadata().ok().map(|lock| (lock.dev(), lock.ino()));
        if there.is_none() || there != known {
            self.lock = lock(&folder, &self.socket)?;
        }
        self.folder = folder;
        self.listen()
    }

    /// Returns the folder that the socket is in.
    pub(super) fn folder_path(&self) -> &Path {
        parent(&self.socket)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // A socket that nobody listens on would only be replaced by the next server. The lock's file stays: to remove it
        // would let two hold "the" lock.
        if self.is_intact()
            && let Ok(name) = name(&self.socket)
        {
            let _ = rustix::fs::unlinkat(&self.folder, name, AtFlags::empty());
        }
        // Closing would not do: a child that was forked and has not begun its program yet has the file open, too.
        let _ = self.lock.unlock();
    }
}

/// Checks that the folder of a socket is there where the user chose it.
///
/// # Errors
/// [`PlaceError::NoFolder`].
pub fn check_folder(socket: &Path, privacy: Privacy) -> Result<(), PlaceError> {
    let path = parent(socket);
    // What else may be wrong with it is found by who uses it.
    let is_missing = path.metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    if privacy == Privacy::Chosen && is_missing {
        return Err(PlaceError::NoFolder { path: path.to_owned() });
    }
    Ok(())
}

fn parent(socket: &Path) -> &Path {
    socket.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn name(socket: &Path) -> Result<&OsStr, PlaceError> {
    socket.file_name().ok_or_else(|| untrusted(socket, "it has no name"))
}

fn untrusted(path: &Path, why: impl Into<String>) -> PlaceError {
    PlaceError::Untrusted { path: path.to_owned(), why: why.into() }
}

fn look(folder: &OwnedFd, name: &OsStr) -> Result<Option<Stat>, Errno> {
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => Ok(Some(found)),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno),
    }
}

fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn check_owner(path: &Path, uid: u32) -> Result<(), PlaceError> {
    let own = own_uid();
    if uid == own { Ok(()) } else { Err(untrusted(path, format!("it belongs to user {uid} and not to you ({own})"))) }
}

/// Makes and opens the folder of a socket.
fn folder(socket: &Path, privacy: Privacy) -> Result<OwnedFd, PlaceError> {
    let path = parent(socket);
    let failed = |source| PlaceError::File { path: path.to_owned(), source };
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed)?;
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    // What the user chose may be a link that the user made.
    let flags = if privacy == Privacy::Own { flags | OFlags::NOFOLLOW } else { flags };
    let folder = rustix::fs::open(path, flags, Mode::empty()).map_err(|errno| match errno {
        Errno::LOOP | Errno::NOTDIR => untrusted(path, "it is a link and no directory"),
        errno => failed(errno.into()),
    })?;
    let folder = File::from(folder);
    let facts = folder.metadata().map_err(failed)?;
    match privacy {
        Privacy::Own => {
            check_owner(path, facts.uid())?;
            if facts.mode() & 0o077 != 0 {
                folder.set_permissions(Permissions::from_mode(0o700)).map_err(failed)?;
            }
        }
        Privacy::Chosen => {
            // Where others can write, they must not be able to replace what is ours (sticky, as /tmp).
            let is_shared = facts.mode() & 0o022 != 0;
            let is_sticky = facts.mode() & 0o1000 != 0;
            if ![0, own_uid()].contains(&facts.uid()) || is_shared && !is_sticky {
                return Err(untrusted(path, "others can replace what is in it"));
            }
        }
    }
    Ok(folder.into())
}

/// Takes the lock of a socket.
fn lock(folder: &OwnedFd, socket: &Path) -> Result<File, PlaceError> {
    let path = lock_path(socket);
    let failed = |source| PlaceError::File { path: path.clone(), source };
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = rustix::fs::openat(folder.as_fd(), name(&path)?, flags, Mode::RUSR | Mode::WUSR);
    let file = File::from(file.map_err(|errno| match errno {
        Errno::LOOP => untrusted(&path, "it is a link"),
        errno => failed(errno.into()),
    })?);
    let facts = file.metadata().map_err(failed)?;
    if !facts.is_file() {
        return Err(untrusted(&path, "it is no plain file"));
    }
    check_owner(&path, facts.uid())?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(PlaceError::InUse { path: socket.to_owned() }),
        Err(TryLockError::Error(source)) => Err(failed(source)),
    }
}
