//! Sockets with a name in a private folder, for processes of the same user.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, Mode, OFlags};
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, accept_with, bind, connect, listen, socket_with, sockopt,
};

/// How many connections may wait. One is taken at a time, and nobody but the next server asks for one.
const BACKLOG: i32 = 8;

/// A folder of sockets that only its owner can enter.
#[derive(Debug)]
pub struct SocketFolder {
    folder: OwnedFd,
}

impl SocketFolder {
    /// Makes the folder if needed, with rights for its owner only. The folder above has to be there.
    ///
    /// # Errors
    ///
    /// It cannot be made, is a link or no folder, or belongs to somebody else.
    pub fn open(path: &Path) -> io::Result<Self> {
        match rustix::fs::mkdir(path, Mode::RWXU) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(path, flags, Mode::empty())?;
        if rustix::fs::fstat(&folder)?.st_uid != rustix::process::geteuid().as_raw() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the folder belongs to somebody else"));
        }
        rustix::fs::fchmod(&folder, Mode::RWXU)?;
        Ok(Self { folder })
    }

    /// The path of a socket by way of the descriptor: the address of a socket holds no more than 107 bytes.
    fn address(&self, name: &str) -> io::Result<SocketAddrUnix> {
        let path: PathBuf = format!("/proc/self/fd/{}/{name}", self.folder.as_raw_fd()).into();
        Ok(SocketAddrUnix::new(path)?)
    }

    /// Listens under a name; what had it before is replaced. The socket is close-on-exec and non-blocking.
    ///
    /// # Errors
    ///
    /// The name is too long or cannot be made.
    pub fn listen(&self, name: &str) -> io::Result<OwnedFd> {
        self.remove(name)?;
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        bind(&socket, &self.address(name)?)?;
        rustix::fs::chmodat(&self.folder, name, Mode::RUSR | Mode::WUSR, AtFlags::empty())?;
        listen(&socket, BACKLOG)?;
        Ok(socket)
    }

    /// Connects to a name; none when nobody listens there any more.
    ///
    /// # Errors
    ///
    /// `PermissionDenied` when another user listens there; `WouldBlock` when too many wait already.
    pub fn connect(&self, name: &str) -> io::Result<Option<OwnedFd>> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        match connect(&socket, &self.address(name)?) {
            Ok(()) => {}
            Err(rustix::io::Errno::CONNREFUSED | rustix::io::Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        check_peer(&socket)?;
        Ok(Some(socket))
    }

    /// Removes a name; that it is not there is as good.
    ///
    /// # Errors
    ///
    /// The folder cannot be written.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        match rustix::fs::unlinkat(&self.folder, name, AtFlags::empty()) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Lists the names.
    ///
    /// # Errors
    ///
    /// The folder cannot be read.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name().to_str().ok().filter(|name| !matches!(*name, "." | ".."));
            names.extend(name.map(str::to_owned));
        }
        Ok(names)
    }
}

/// Takes a connection of the same user, close-on-exec and non-blocking; none when there is none, or another user's.
///
/// # Errors
///
/// Out of descriptors.
pub fn accept(listener: impl AsFd) -> io::Result<Option<OwnedFd>> {
    match accept_with(listener, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK) {
        Ok(socket) => Ok(check_peer(&socket).is_ok().then_some(socket)),
        Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR | rustix::io::Errno::CONNABORTED) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn check_peer(socket: &OwnedFd) -> io::Result<()> {
    if sockopt::socket_peercred(socket)?.uid == rustix::process::geteuid() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::PermissionDenied, "the other end of the socket belongs to another user"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_name_in_a_folder_however_deep_is_private_and_can_be_taken_again() {
        let above = tempfile::tempdir().expect("a folder");
        let deep = above.path().join("x".repeat(150));
        std::fs::create_dir(&deep).expect("a folder");
        let folder = SocketFolder::open(&deep.join("holders")).expect("a folder");
        let mode = |path: &Path| std::fs::metadata(path).expect("facts").permissions().mode() & 0o777;
        assert!(folder.connect("one").expect("asked").is_none());
        let first = folder.listen("one").expect("listens");
        assert_eq!((mode(&deep.join("holders")), mode(&deep.join("holders/one"))), (0o700, 0o600));
        drop(first);
        assert!(folder.connect("one").expect("asked").is_none(), "its listener is gone");
        let second = folder.listen("one").expect("listens");
        assert!(accept(&second).expect("asked").is_none());
        assert!(folder.connect("one").expect("asked").is_some());
        assert!(accept(&second).expect("asked").is_some());
        assert_eq!(folder.names().expect("names"), ["one"]);
        folder.remove("one").expect("removed");
        folder.remove("one").expect("removed");
        assert!(folder.connect("one").expect("asked").is_none());
    }

    #[test]
    fn a_link_in_place_of_the_folder_is_not_followed() {
        let above = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink(above.path(), above.path().join("holders")).expect("a link");
        assert!(SocketFolder::open(&above.path().join("holders")).is_err());
    }
}
