//! Where the server is: its socket and how it is found.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::session::fnv;
use crate::model::{ErrorCode, Failure};
use crate::server::{Privacy, lock_path};
use crate::settings::Directories;

/// The longest path that the address of a socket holds, and its lock beside it is a file like any other.
const MAX_SOCKET_PATH: usize = 107;

/// The socket of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServerPlace {
    pub(super) socket: PathBuf,
    pub(super) privacy: Privacy,
}

impl ServerPlace {
    /// Finds the socket: the one that is given, else that of `SHTASK_SOCKET`, else `server.sock` in the run-time directory. One whose path is too
    /// long for an address is a short one in a private directory, the same for the same path.
    ///
    /// # Errors
    /// [`ErrorCode::Unavailable`] when there is no place for one.
    pub(super) fn find(
        given: Option<&Path>,
        variable: Option<&OsStr>,
        dirs: &Directories,
    ) -> Result<ServerPlace, Failure> {
        let chosen = given.or(variable.filter(|path| !path.is_empty()).map(Path::new));
        let (socket, privacy) = match chosen {
            Some(path) => (absolute(path)?, Privacy::Chosen),
            None => {
                let folder = dirs.runtime.as_ref().ok_or_else(|| {
                    let message = "there is no place for the server's socket: neither XDG_RUNTIME_DIR nor HOME is set";
                    Failure::new(ErrorCode::Unavailable, message).with_hint("set SHTASK_SOCKET")
                })?;
                (folder.join("server.sock"), Privacy::Own)
            }
        };
        if socket.as_os_str().len() <= MAX_SOCKET_PATH {
            return Ok(ServerPlace { socket, privacy });
        }
        let name = format!("{:08x}.sock", fnv(socket.as_os_str().as_bytes()));
        Ok(ServerPlace { socket: short_folder().join(name), privacy: Privacy::Own })
    }

    /// Returns the path of the lock of those who start a server: one at a time.
    pub(super) fn start_lock(&self) -> PathBuf {
        let mut path = lock_path(&self.socket).into_os_string();
        path.push(".start");
        path.into()
    }
}

fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path)
        .map_err(|error| Failure::new(ErrorCode::Unavailable, format!("{}: {error}", path.display())))
}

/// Returns a private directory with a short path. Whether it is one is checked by who makes a socket in it.
fn short_folder() -> PathBuf {
    let uid = rustix::process::geteuid().as_raw();
    let runtime = PathBuf::from(format!("/run/user/{uid}"));
    if runtime.metadata().is_ok_and(|found| found.is_dir() && found.uid() == uid) {
        runtime.join("shtask")
    } else {
        PathBuf::from(format!("/tmp/shtask-{uid}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dirs(runtime: &str) -> Directories {
        Directories { home: None, config: None, state: None, runtime: Some(runtime.into()) }
    }

    #[test]
    fn the_flag_comes_before_the_variable_and_that_before_the_directory() {
        let find = |given: Option<&str>, variable: Option<&str>| {
            ServerPlace::find(given.map(Path::new), variable.map(OsStr::new), &dirs("/run/x")).expect("a place")
        };
        assert_eq!(find(Some("/a/s"), Some("/b/s")).socket, Path::new("/a/s"));
        assert_eq!(find(None, Some("/b/s")).privacy, Privacy::Chosen);
        let own = find(None, Some(""));
        assert_eq!((own.socket.as_path(), own.privacy), (Path::new("/run/x/server.sock"), Privacy::Own));
        let nowhere = ServerPlace::find(None, None, &Directories { runtime: None, ..dirs("/") });
        assert_eq!(nowhere.expect_err("no place").code, ErrorCode::Unavailable);
    }

    #[test]
    fn a_path_that_is_too_long_for_a_socket_becomes_a_short_one_of_its_own() {
        let find = |folder: &str| ServerPlace::find(None, None, &dirs(folder)).expect("a place");
        let longest = find(&format!("/{}", "x".repeat(107 - "/server.sock".len() - 1)));
        assert_eq!(longest.socket.as_os_str().len(), 107);
        assert!(longest.socket.ends_with("server.sock"));
        let (one, other) = (find(&"/one".repeat(40)), find(&"/two".repeat(40)));
        assert!(one.socket.as_os_str().len() < 60 && one.privacy == Privacy::Own, "{one:?}");
        assert_ne!(one.socket, other.socket);
        assert_eq!(one, find(&"/one".repeat(40)));
    }
}
