//! A home for one test: folders of its own, and the end of whatever was started in it.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::process::{Process, kill_all};

/// The variable by which the processes of a home are found again, also those that left their session and group.
const HOME_MARK: &str = "SHTASK_TEST_HOME";

/// The folders of one test. They vanish, and every process that was started in them ends, when this is dropped.
pub(crate) struct Home {
    root: TempDir,
}

impl Home {
    /// Makes the folders.
    pub(crate) fn new() -> Home {
        Home::in_folder(tempfile::Builder::new().prefix("shtask-it-"))
    }

    /// Makes the folders below a temporary folder that is always called so, for what must look the same each time. Two
    /// of one name cannot be at the same time.
    pub(crate) fn named(name: &str) -> Home {
        Home::in_folder(tempfile::Builder::new().prefix(name).rand_bytes(0))
    }

    fn in_folder(builder: &mut tempfile::Builder<'_, '_>) -> Home {
        let root = builder.tempdir().expect("a temporary folder can be made");
        let home = Home { root };
        for folder in ["home", "config", "state", "cache", "data", "run", "tmp", "work"] {
            fs::create_dir(home.folder(folder)).expect("a folder can be made");
        }
        let private = fs::Permissions::from_mode(0o700);
        fs::set_permissions(home.folder("run"), private).expect("a folder can be made private");
        home
    }

    /// The folder that programs start in.
    pub(crate) fn work(&self) -> PathBuf {
        self.folder("work")
    }

    /// One of the folders: `home config state cache data run tmp work`.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Writes a file below the folder that programs start in, and returns its path.
    pub(crate) fn write(&self, name: impl AsRef<Path>, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.work().join(name);
        fs::write(&path, text).expect("a file can be written");
        path
    }

    /// Writes an executable shell script below the folder that programs start in, and returns its path.
    pub(crate) fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.write(name, format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a file can be made executable");
        path
    }

    /// Makes everything in it the property of another user, given as numbers: `UID:GID`.
    pub(crate) fn give_to(&self, owner: &str) {
        let status = Command::new("chown").args(["-R", owner]).arg(self.root.path()).status();
        assert!(status.is_ok_and(|status| status.success()), "the home can be given to {owner}");
    }

    /// Reads a file below the folder that programs start in; `None` when it is not there.
    pub(crate) fn read(&self, name: impl AsRef<Path>) -> Option<String> {
        let bytes = fs::read(self.work().join(name)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The whole environment of a program of this home.
    pub(crate) fn environment(&self) -> Vec<(String, OsString)> {
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        let mut all: Vec<(String, OsString)> = vec![
            ("PATH".into(), path),
            ("TERM".into(), "xterm-256color".into()),
            ("COLORTERM".into(), "truecolor".into()),
            ("LANG".into(), "C.UTF-8".into()),
            ("SHELL".into(), "/bin/sh".into()),
            ("USER".into(), "tester".into()),
            ("LOGNAME".into(), "tester".into()),
            ("PS1".into(), "$ ".into()),
            (HOME_MARK.into(), self.mark()),
        ];
        let folders = [
            ("HOME", "home"),
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_CACHE_HOME", "cache"),
            ("XDG_DATA_HOME", "data"),
            ("XDG_RUNTIME_DIR", "run"),
            ("TMPDIR", "tmp"),
        ];
        all.extend(folders.map(|(name, folder)| (name.into(), self.folder(folder).into_os_string())));
        all
    }

    fn mark(&self) -> OsString {
        self.root.path().as_os_str().to_owned()
    }

    /// All living processes that were started in this home and still have its environment.
    pub(crate) fn processes(&self) -> Vec<Process> {
        let mut entry = OsString::from(HOME_MARK);
        entry.push("=");
        entry.push(self.mark());
        Process::all().into_iter().filter(|process| process.has_environment_entry(&entry)).collect()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        kill_all(|| self.processes());
    }
}
