//! Where things are: configuration, state and run-time directories (XDG).

use std::ffi::OsString;
use std::path::PathBuf;

/// How variables are looked up: the process's own in `main`, a table in tests.
pub type EnvLookup<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// Looks a variable up in the environment of this process; `HOME`, when it is unset, in the password database.
pub fn process_env(name: &str) -> Option<OsString> {
    let set = std::env::var_os(name).filter(|value| !value.is_empty());
    if name == "HOME" { set.or_else(|| std::env::home_dir().map(PathBuf::into_os_string)) } else { set }
}

/// The user's directories. They are only named here, not made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directories {
    /// The home directory.
    pub home: Option<PathBuf>,
    /// Configuration: `$XDG_CONFIG_HOME/shtask`, else `~/.config/shtask`.
    pub config: Option<PathBuf>,
    /// Records and logs: `$SHTASK_STATE_DIR`, else `$XDG_STATE_HOME/shtask`, else `~/.local/state/shtask`.
    pub state: Option<PathBuf>,
    /// The socket: `$XDG_RUNTIME_DIR/shtask`; without that variable (cron, containers, `su`) the `run` folder of the state
    /// directory, which is private as well.
    pub runtime: Option<PathBuf>,
}

impl Directories {
    /// Finds the directories from variables. As XDG demands, a relative path counts as unset; without `HOME` only what is
    /// given outright is known.
    pub fn find(env: EnvLookup<'_>) -> Directories {
        let absolute = |name: &str| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = absolute("HOME");
        let xdg = |name: &str, fallback: &str| {
            absolute(name).or_else(|| home.as_ref().map(|home| home.join(fallback))).map(|dir| dir.join("shtask"))
        };
        let state = absolute("SHTASK_STATE_DIR").or_else(|| xdg("XDG_STATE_HOME", ".local/state"));
        let runtime = absolute("XDG_RUNTIME_DIR").map(|dir| dir.join("shtask"));
        Directories {
            config: xdg("XDG_CONFIG_HOME", ".config"),
            runtime: runtime.or_else(|| state.as_ref().map(|dir| dir.join("run"))),
            state,
            home,
        }
    }

    /// Returns the path of the user's own file, `config.toml` in the configuration directory.
    pub fn user_file(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|dir| dir.join("config.toml"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn find(vars: &[(&str, &str)]) -> Directories {
        Directories::find(&|name| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn directories_follow_xdg_and_fall_back_to_home() {
        let dirs = find(&[("HOME", "/h")]);
        assert_eq!(dirs.user_file().as_deref(), Some(Path::new("/h/.config/shtask/config.toml")));
        assert_eq!(dirs.state.as_deref(), Some(Path::new("/h/.local/state/shtask")));
        assert_eq!(dirs.runtime.as_deref(), Some(Path::new("/h/.local/state/shtask/run")));
        let dirs =
            find(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/c"), ("XDG_RUNTIME_DIR", "/r"), ("SHTASK_STATE_DIR", "/s")]);
        assert_eq!(dirs.config.as_deref(), Some(Path::new("/c/shtask")));
        assert_eq!(dirs.runtime.as_deref(), Some(Path::new("/r/shtask")));
        assert_eq!(dirs.state.as_deref(), Some(Path::new("/s")));
    }

    #[test]
    fn a_relative_path_counts_as_unset() {
        assert_eq!(find(&[("XDG_CONFIG_HOME", "c"), ("HOME", "h")]).config, None);
    }
}
