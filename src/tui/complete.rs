//! Completion in the new-run form: programs of the search path, files and folders.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The most entries of one folder that are looked at.
const MAX_ENTRIES: usize = 20_000;
/// The most choices that are given.
const MAX_CHOICES: usize = 200;

/// What is to be completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Completing {
    /// The text up to the cursor.
    pub(crate) text: String,
    /// Whether it is a command line; otherwise it is the path of a folder.
    pub(crate) is_command: bool,
    /// Where relative paths start.
    pub(crate) base: PathBuf,
    /// What `~` means.
    pub(crate) home: Option<PathBuf>,
}

/// Returns the texts that what was typed could become, in their order.
pub(super) fn complete(wanted: &Completing, search_path: Option<&OsStr>) -> Vec<String> {
    let start = if wanted.is_command { start_of_word(&wanted.text) } else { 0 };
    let (before, word) = wanted.text.split_at(start);
    let plain = if wanted.is_command { unquoted(word) } else { word.to_owned() };
    let is_first = wanted.is_command && is_first_word(before);
    let found = if is_first && !plain.contains('/') && !plain.starts_with('~') {
        programs(&plain, search_path)
    } else {
        paths(&plain, wanted, is_first)
    };
    let write = |found: String| if wanted.is_command { format!("{before}{}", quoted(&found)) } else { found };
    let ended = |text: String| if wanted.is_command && !text.ends_with('/') { text + " " } else { text };
    found.into_iter().take(MAX_CHOICES).map(|found| ended(write(found))).collect()
}

fn programs(start: &str, search_path: Option<&OsStr>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if start.is_empty() {
        return found;
    }
    for folder in search_path.map(std::env::split_paths).into_iter().flatten() {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for entry in entries.flatten().take(MAX_ENTRIES) {
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with(start) && is_program(&entry.path()) {
                found.insert(name);
            }
        }
    }
    found
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

fn paths(start: &str, wanted: &Completing, only_programs: bool) -> BTreeSet<String> {
    let (shown, name) = start.rsplit_once('/').map_or(("", start), |(folder, name)| (&start[..=folder.len()], name));
    let folder = match (shown.strip_prefix("~/"), &wanted.home) {
        (Some(rest), Some(home)) => home.join(rest),
        (Some(_) | None, _) => wanted.base.join(shown),
    };
    let mut found = BTreeSet::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries.flatten().take(MAX_ENTRIES) {
        let Ok(file) = entry.file_name().into_string() else { continue };
        let is_hidden = file.starts_with('.') && !name.starts_with('.');
        if !file.starts_with(name) || is_hidden || file.chars().any(char::is_control) {
            continue;
        }
        if entry.path().is_dir() {
            found.insert(format!("{shown}{file}/"));
        } else if wanted.is_command && (!only_programs || is_program(&entry.path())) {
            found.insert(format!("{shown}{file}"));
        }
    }
    found
}

/// Where the last word of a shell line begins.
fn start_of_word(line: &str) -> usize {
    let (mut start, mut quote, mut escaped) = (0, None, false);
    for (at, c) in line.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (None | Some('"'), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, ' ' | '\t' | ';' | '|' | '&' | '(' | '<' | '>') => start = at + c.len_utf8(),
            (None, _) => {}
        }
    }
    start
}

/// Whether what stands before a word makes it the name of a program.
fn is_first_word(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with([';', '|', '&', '('])
}

fn unquoted(word: &str) -> String {
    let (mut text, mut escaped) = (String::with_capacity(word.len()), false);
    for c in word.chars() {
        match c {
            _ if escaped => {
                text.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            '"' | '\'' => {}
            c => text.push(c),
        }
    }
    text
}

/// Writes a word for a shell: what means something there gets a backslash. A `~` at its start stays one.
fn quoted(word: &str) -> String {
    let mut text = String::with_capacity(word.len());
    for (at, c) in word.char_indices() {
        let is_plain = c.is_alphanumeric() || "/._-+:,@%=".contains(c) || (c == '~' && at == 0);
        if !is_plain {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> tempfile::TempDir {
        let place = tempfile::tempdir().expect("tempdir");
        for folder in ["bin", "src/deep", "my dir", ".git"] {
            fs::create_dir_all(place.path().join(folder)).expect("folder");
        }
        for file in ["bin/makeit", "bin/maker", "bin/notes", "src/main.rs", "script.sh"] {
            fs::write(place.path().join(file), "").expect("file");
        }
        for program in ["bin/makeit", "bin/maker", "script.sh"] {
            fs::set_permissions(place.path().join(program), fs::Permissions::from_mode(0o755)).expect("mode");
        }
        place
    }

    fn completed(text: &str, is_command: bool) -> Vec<String> {
        let place = place();
        let wanted = Completing {
            text: text.into(),
            is_command,
            base: place.path().to_owned(),
            home: Some(place.path().join("src")),
        };
        complete(&wanted, Some(place.path().join("bin").as_os_str()))
    }

    #[test]
    fn the_first_word_is_a_program_of_the_search_path() {
        assert_eq!(completed("ma", true), ["makeit ", "maker "]);
        assert_eq!(
            completed("cd src && maker; (make", true),
            ["cd src && maker; (makeit ", "cd src && maker; (maker "]
        );
        assert_eq!(completed("not", true), [""; 0], "no program");
        assert_eq!(completed("./s", true), ["./script.sh ", "./src/"]);
    }

    #[test]
    fn other_words_are_files_and_folders() {
        assert_eq!(completed("cat s", true), ["cat script.sh ", "cat src/"]);
        assert_eq!(completed("cat src/m", true), ["cat src/main.rs "]);
        assert_eq!(completed("cat my", true), ["cat my\\ dir/"]);
        assert_eq!(completed("cat my\\ d", true), ["cat my\\ dir/"]);
        assert_eq!(completed("cat >src/ma", true), ["cat >src/main.rs "]);
        assert_eq!(completed("cat ~/m", true), ["cat ~/main.rs "]);
        assert_eq!(completed("cat .g", true), ["cat .git/"]);
    }

    #[test]
    fn a_directory_is_completed_by_folders_as_they_are_called() {
        assert_eq!(completed("", false), ["bin/", "my dir/", "src/"]);
        assert_eq!(completed("src/", false), ["src/deep/"]);
        assert_eq!(completed("nowhere/", false), [""; 0]);
    }
}
