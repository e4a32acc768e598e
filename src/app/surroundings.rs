//! What a verb finds around it: the present folder, the configuration.

use std::path::{Path, PathBuf};

use crate::cli::{Console, Exit, Global};
use crate::model::{ErrorCode, Failure};
use crate::settings::{self, LoadRequest, Settings, SettingsError};
use crate::tui::{ByGround, ColorChoice, Keymap, Theme};

/// The most faults of a configuration that are printed: a screenful, with their hints.
const MAX_FAULTS: usize = 10;

/// Returns the present folder.
///
/// # Errors
/// It was removed, or cannot be entered.
pub(super) fn present_dir() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        Failure::new(ErrorCode::NotRunnable, format!("the present directory cannot be used: {error}"))
            .with_hint("go to a directory that exists")
    })
}

/// Reads the configuration.
///
/// # Errors
/// Every fault of it.
pub(super) fn settings(global: &Global, start_dir: &Path) -> Result<Settings, SettingsError> {
    let config = global.config.as_deref();
    settings::load(LoadRequest { start_dir, env: &settings::process_env, config })
}

/// What the user wants of the terminal interface.
pub(super) struct Interface {
    /// What its keys do.
    pub(super) keys: Keymap,
    /// How it looks.
    pub(super) theme: Theme,
    /// How it looks once the terminal has told its background.
    pub(super) by_ground: Option<ByGround>,
    /// How many colours there are.
    pub(super) colors: ColorChoice,
}

/// Returns what the user wants of the terminal interface.
///
/// # Errors
/// Every fault of `[keys]` and `[theme]` that the words alone do not show: unknown actions and roles, keys with two meanings.
pub(super) fn interface(settings: &Settings) -> Result<Interface, SettingsError> {
    let colors = ColorChoice::from_env(settings::process_env);
    let background = settings::process_env("COLORFGBG").and_then(|value| value.into_string().ok());
    match (Keymap::of(settings), Theme::of(settings, colors, background.as_deref())) {
        (Ok(keys), Ok(theme)) => Ok(Interface { keys, theme, by_ground: ByGround::of(settings, colors), colors }),
        (keys, theme) => {
            let problems = keys.err().into_iter().chain(theme.err()).flatten().collect();
            Err(SettingsError::of(problems).expect("what failed has a problem"))
        }
    }
}

/// Tells what is wrong with a configuration, fault by fault; returns the exit code that goes with it.
pub(super) fn tell_misconfigured(error: &SettingsError, console: &mut Console) -> Exit {
    let count = error.problems().count();
    for problem in error.problems().take(MAX_FAULTS) {
        console.fail(&problem.into());
    }
    if count > MAX_FAULTS {
        console.fail(&Failure::new(ErrorCode::Invalid, format!("and {} more", count - MAX_FAULTS)));
    }
    Exit::of(ErrorCode::Invalid)
}
