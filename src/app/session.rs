//! The session of a project.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::model::SessionName;

/// How much of a directory's name goes into that of its session.
const MAX_SESSION_NAME: usize = 100;

/// Names the session of a project: after its directory for people, and by its path, which tells projects and checkouts of the same name apart.
pub(super) fn session_of(project_dir: &Path) -> SessionName {
    let path = project_dir.canonicalize().unwrap_or_else(|_| project_dir.to_owned());
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let allowed = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '-' };
    let name: String = name.chars().map(allowed).take(MAX_SESSION_NAME).collect();
    let name = if name.is_empty() { "root".to_owned() } else { name };
    let hash = fnv(path.as_os_str().as_bytes());
    format!("{name}-{hash:08x}").parse().expect("a name of allowed characters, not empty and not too long")
}

/// Hashes bytes (FNV-1a, 32 bits). The same bytes give the same hash in every version, as a folder is named by it.
pub(super) fn fnv(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkouts_of_the_same_name_have_sessions_of_their_own() {
        let session = |path: &str| session_of(Path::new(path)).to_string();
        assert_ne!(session("/nowhere/a/web"), session("/nowhere/b/web"));
        assert_eq!(session("/nowhere/a/web"), session("/nowhere/a/web"));
        assert!(session("/nowhere/a/my web!").starts_with("my-web--"));
        assert!(session("/").starts_with("root-"));
        session(&format!("/nowhere/{}", "x".repeat(250)));
    }
}
