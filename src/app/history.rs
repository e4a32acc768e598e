//! The command lines of the new-run form, kept over sessions in the state directory: bounded, private, without secrets.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, open};

use crate::redact::Redactor;
use crate::settings::Settings;

const NAME: &str = "new-run-history";

/// The most lines that are kept.
const MAX_LINES: usize = 200;
/// The largest file that is read.
const MAX_BYTES: u64 = 1024 * 1024;

/// The file with the lines.
pub(super) struct History {
    path: PathBuf,
    redactor: Redactor,
}

impl History {
    /// Finds the file of a configuration; none when there is no place for it.
    pub(super) fn of(settings: &Settings) -> Option<History> {
        let folder = settings.directories.state.as_ref()?;
        Some(History { path: folder.join(NAME), redactor: Redactor::new(&settings.redact.patterns).ok()? })
    }

    /// Reads the lines, the newest last. What cannot be read is not there.
    pub(super) fn lines(&self) -> Vec<String> {
        let is_small = fs::symlink_metadata(&self.path).is_ok_and(|file| file.is_file() && file.len() <= MAX_BYTES);
        let text = if is_small { fs::read_to_string(&self.path).unwrap_or_default() } else { String::new() };
        text.lines().filter(|line| !line.trim().is_empty()).map(String::from).collect()
    }

    /// Adds a line. That it cannot be written is told in the log: it keeps no run from being started.
    pub(super) fn add(&self, line: &str) {
        let line = self.redactor.redact_command(line).text.replace('\n', " ");
        let mut lines = self.lines();
        lines.retain(|known| *known != line);
        lines.push(line);
        let first = lines.len().saturating_sub(MAX_LINES);
        if let Err(error) = write(&self.path, &(lines[first..].join("\n") + "\n")) {
            tracing::warn!(%error, path = %self.path.display(), "the history of the new-run form was not written");
        }
    }
}

/// Writes a private file whole or not at all.
pub(super) fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let new = path.with_extension(format!("{}.new", std::process::id()));
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let file = open(&new, flags, Mode::RUSR | Mode::WUSR)?;
    let written = fs::File::from(file).write_all(text.as_bytes()).and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn lines_are_kept_bounded_private_and_without_secrets() {
        let folder = tempfile::tempdir().expect("tempdir");
        let history = || History { path: folder.path().join(NAME), redactor: Redactor::new(&[]).expect("a redactor") };
        for n in 0..MAX_LINES + 5 {
            history().add(&format!("echo {n}"));
        }
        history().add("echo 7");
        history().add("curl -H 'Authorization: Bearer abcdefghijklmnop0123456789' example.org");
        let lines = history().lines();
        assert_eq!(lines.len(), MAX_LINES);
        assert_eq!(lines[MAX_LINES - 2], "echo 7");
        assert!(!lines.join("\n").contains("abcdefghijklmnop"), "{:?}", lines.last());
        let mode = fs::metadata(folder.path().join(NAME)).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
