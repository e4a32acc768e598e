//! The few things that are done to files of a log: one place where each of them may fail, also in a test.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use crate::sys::hooks;

/// What is done to files.
#[derive(Debug, Clone, Default)]
pub(super) struct Files {
    #[cfg(test)]
    pub(super) faults: std::sync::Arc<faults::Faults>,
}

impl Files {
    /// Makes a private folder, unless it is there.
    pub(super) fn folder(&self, path: &Path) -> io::Result<()> {
        #[cfg(test)]
        self.faults.check(faults::Step::Folder)?;
        match std::fs::DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        }
    }

    /// Makes a private file that is not there yet; never follows a link.
    pub(super) fn create(&self, path: &Path) -> io::Result<File> {
        #[cfg(test)]
        self.faults.check(faults::Step::Create)?;
        hooks::step("log-open")?;
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?))
    }

    /// Writes all, or says how much of it was written before it failed.
    pub(super) fn write(&self, file: &File, bytes: &[u8]) -> Result<(), (usize, io::Error)> {
        let mut written = 0;
        while written < bytes.len() {
            match self.write_some(file, &bytes[written..]) {
                Ok(0) => return Err((written, io::ErrorKind::WriteZero.into())),
                Ok(count) => written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err((written, error)),
            }
        }
        Ok(())
    }

    fn write_some(&self, mut file: &File, bytes: &[u8]) -> io::Result<usize> {
        #[cfg(test)]
        self.faults.check(faults::Step::Write)?;
        hooks::step("log-write")?;
        file.write(bytes)
    }

    /// Removes a file; that it is not there is as good.
    pub(super) fn remove(&self, path: &Path) -> io::Result<()> {
        #[cfg(test)]
        self.faults.check(faults::Step::Remove)?;
        match std::fs::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }
}

#[cfg(test)]
pub(super) mod faults {
    //! Failures on demand.

    use std::io;
    use std::sync::Mutex;

    /// What can fail.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(in super::super) enum Step {
        Folder,
        Create,
        Write,
        Remove,
    }

    /// Which steps fail: of one kind, those whose number lies in the range.
    #[derive(Debug, Default)]
    pub(in super::super) struct Faults(Mutex<Option<(Step, std::ops::Range<u64>, u64)>>);

    impl Faults {
        pub(in super::super) fn fail(&self, step: Step, which: std::ops::Range<u64>) {
            *self.0.lock().expect("faults") = Some((step, which, 0));
        }

        pub(super) fn check(&self, step: Step) -> io::Result<()> {
            let mut faults = self.0.lock().expect("faults");
            if let Some((failing, which, count)) = &mut *faults
                && *failing == step
            {
                *count += 1;
                if which.contains(&(*count - 1)) {
                    return Err(io::Error::from_raw_os_error(libc::ENOSPC));
                }
            }
            Ok(())
        }
    }
}
