//! Finding and reading configuration files.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::error::{Place, Problem};
use crate::model::shown;

/// The name of a project's file.
const PROJECT_FILE: &str = "shtask.toml";

/// The longest configuration file that is read, in bytes: far above what a person writes, and far below what would be felt.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Searches `shtask.toml` in `start` and the folders above it.
///
/// Its tasks start by themselves, so a file of somebody else (in `/tmp`, say) is not taken up silently: it must belong to this user or
/// to root.
pub(super) fn find_project_file(start: &Path, uids: &[u32]) -> Result<Option<PathBuf>, Problem> {
    for folder in start.ancestors() {
        let path = folder.join(PROJECT_FILE);
        // A link to nowhere is there as well: reading it says what is wrong.
        let Ok(link) = path.symlink_metadata() else { continue };
        let file_type = path.metadata().map_or(link.file_type(), |file| file.file_type());
        if file_type.is_fifo() || file_type.is_socket() || file_type.is_char_device() {
            // Reading it could wait without end, or do something.
            let message = "is no ordinary file and was not named by you".to_owned();
            let hint = Some(format!("--config {} reads it all the same", shown(&path)));
            return Err(Problem { hint, place: Place::File(path), message });
        }
        let owner = path.metadata().map_or(link.uid(), |file| file.uid());
        if !uids.contains(&owner) {
            return Err(Problem {
                message: format!("belongs to another user (uid {owner}) and was not named by you"),
                hint: Some(format!("if you trust its commands: --config {}", shown(&path))),
                place: Place::File(path),
            });
        }
        return Ok(Some(path));
    }
    Ok(None)
}

/// Returns whose project files are taken up: those of the effective user, of root, and, under sudo, of who called it.
pub(super) fn trusted_uids(sudo_uid: Option<u32>) -> Vec<u32> {
    let own = rustix::process::geteuid().as_raw();
    let mut uids = vec![own, 0];
    uids.extend(sudo_uid.filter(|_| own == 0));
    uids
}

/// Reads a file as text. A file that is not there is none when `optional`.
pub(super) fn read_text(path: &Path, optional: bool) -> Result<Option<String>, Problem> {
    let problem = |message: String| Problem {
        place: Place::File(path.to_owned()),
        message,
        hint: Some("look at its path and at its rights".into()),
    };
    let bytes = match read_bounded(path) {
        Ok(bytes) => bytes,
        Err(error) if optional && error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => return Ok(None),
        Err(error) => return Err(problem(describe(path, &error))),
    };
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(problem("is too large: a configuration file has at most 1 MiB".into()));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let bytes = error.as_bytes();
            let text = std::str::from_utf8(&bytes[..at]).expect("the text up to the first bad byte is valid");
            let (line, column) = line_and_column(text, at);
            Err(Problem {
                place: Place::Point { path: path.to_owned(), line, column },
                message: format!("byte 0x{:02X} is no UTF-8", bytes[at]),
                hint: Some("TOML files are UTF-8".into()),
            })
        }
    }
}

fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn describe(path: &Path, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound if path.is_symlink() => "is a link to a file that does not exist".into(),
        io::ErrorKind::NotFound => "does not exist".into(),
        io::ErrorKind::PermissionDenied => "cannot be read: permission denied".into(),
        io::ErrorKind::IsADirectory => "is a folder, not a file".into(),
        io::ErrorKind::NotADirectory => "does not exist: a part of the path is a file".into(),
        _ => format!("cannot be read: {error}"),
    }
}

/// Returns the line and the column, both from 1 and the column in characters, of the byte at `offset`.
pub(super) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> Vec<u32> {
        trusted_uids(None)
    }

    #[test]
    fn the_project_file_is_searched_upwards() {
        let dir = tempfile::tempdir().expect("tempdir");
        let deep = dir.path().join("a/b");
        std::fs::create_dir_all(&deep).expect("folders");
        let file = dir.path().join("a/shtask.toml");
        std::fs::write(&file, "").expect("file");
        assert_eq!(find_project_file(&deep, &own()), Ok(Some(file)));
    }

    #[test]
    fn a_project_file_of_another_user_is_not_taken_up_silently() {
        let dir = tempfile::tempdir().expect("tempdir");
        std::fs::write(dir.path().join("shtask.toml"), "").expect("file");
        let problem = find_project_file(dir.path(), &[u32::MAX]).expect_err("another user's");
        assert!(problem.message.contains("another user"), "{problem}");
        assert!(problem.hint.is_some_and(|hint| hint.contains("--config")));
    }

    #[test]
    fn a_pipe_with_the_name_of_the_project_file_is_not_waited_for() {
        let dir = tempfile::tempdir().expect("tempdir");
        let pipe = dir.path().join("shtask.toml");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("pipe");
        let problem = find_project_file(dir.path(), &own()).expect_err("nobody writes into it");
        assert!(
            problem.to_string().ends_with("shtask.toml: is no ordinary file and was not named by you"),
            "{problem}"
        );
    }

    #[test]
    fn files_that_cannot_be_read_say_why() {
        let dir = tempfile::tempdir().expect("tempdir");
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir(at("folder")).expect("folder");
        std::fs::write(at("big"), vec![b'#'; 10 * 1024 * 1024]).expect("file");
        std::fs::write(at("bytes"), b"# ok\na = \"\xff\"\n").expect("file");
        std::os::unix::fs::symlink(at("nowhere"), at("link")).expect("link");
        let cases = [
            ("folder", "folder: is a folder, not a file"),
            ("big", "big: is too large: a configuration file has at most 1 MiB"),
            ("bytes", "bytes:2:6: byte 0xFF is no UTF-8"),
            ("link", "link: is a link to a file that does not exist"),
            ("none", "none: does not exist"),
            ("big/x", "big/x: does not exist: a part of the path is a file"),
        ];
        for (name, message) in cases {
            let problem = read_text(&at(name), false).expect_err(name);
            assert!(problem.to_string().ends_with(message), "{problem}");
        }
        assert_eq!(read_text(&at("none"), true), Ok(None));
        assert!(read_text(&at("link"), true).is_err(), "a link to nowhere is a mistake, not an absence");
    }

    #[test]
    fn columns_are_counted_in_characters() {
        assert_eq!(line_and_column("é = 1\nü = é", 12), (2, 5));
        assert_eq!(line_and_column("", 99), (1, 1));
    }
}
