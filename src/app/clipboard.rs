//! The program that takes copies on this machine.

use std::ffi::OsString;
use std::path::Path;

/// The programs that are known: what in the environment tells that they have a clipboard to give it to, and their words.
const KNOWN: [(&str, &[&str]); 7] = [
    ("WAYLAND_DISPLAY", &["wl-copy"]),
    ("DISPLAY", &["xclip", "-selection", "clipboard"]),
    ("DISPLAY", &["xsel", "--clipboard", "--input"]),
    ("WSL_DISTRO_NAME", &["clip.exe"]),
    ("WSL_INTEROP", &["clip.exe"]),
    ("PATH", &["pbcopy"]),
    // It takes no copies from the programs in it as it is set up at first; as its own buffer it hands them on to the terminal around it.
    ("TMUX", &["tmux", "load-buffer", "-w", "-"]),
];

/// Returns the program and its arguments: the one that was wished for, or else the first known one that is there; empty for none.
pub(super) fn program(wished: Option<&[String]>, env: impl Fn(&str) -> Option<OsString>) -> Vec<String> {
    if let Some(wished) = wished {
        return wished.to_vec();
    }
    let path = env("PATH").unwrap_or_default();
    let is_there = |name: &str| std::env::split_paths(&path).any(|folder| is_program(&folder.join(name)));
    let is_set = |name: &str| env(name).is_some_and(|value| !value.is_empty());
    let known = KNOWN.iter().find(|(variable, words)| is_set(variable) && is_there(words[0]));
    known.map_or_else(Vec::new, |(_, words)| words.iter().map(|word| (*word).to_owned()).collect())
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_the_one_that_has_a_clipboard_to_give_to() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["xsel", "wl-copy", "tmux"] {
            let path = folder.path().join(name);
            std::fs::write(&path, "").expect("a file");
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("rights");
        }
        let choose = |wished: Option<&[String]>, set: &[&str]| {
            program(wished, |name| match name {
                "PATH" => Some(folder.path().into()),
                _ => set.contains(&name).then(|| "1".into()),
            })
        };
        assert_eq!(choose(None, &["WAYLAND_DISPLAY", "DISPLAY"]), ["wl-copy"]);
        assert_eq!(choose(None, &["DISPLAY"])[0], "xsel", "xclip is not there");
        assert_eq!(choose(None, &["DISPLAY", "TMUX"])[0], "xsel");
        assert_eq!(choose(None, &["TMUX"]), ["tmux", "load-buffer", "-w", "-"], "tmux hands it on");
        assert!(choose(None, &[]).is_empty(), "without a display nobody would get it");
        assert_eq!(choose(Some(&["my".into(), "own".into()]), &["DISPLAY"]), ["my", "own"]);
        assert!(choose(Some(&[]), &["DISPLAY"]).is_empty());
    }
}
