//! The configuration: `shtask.toml` over the user's file over the defaults, with `SHTASK_*` variables over all three (S8.1).
//!
//! Files are read once, by [`load`]; every fault of a file is reported with its line and column.

mod bytes;
mod default_toml;
mod dirs;
mod error;
mod files;
mod keymap;
mod keys;
mod load;
mod read_patterns;
mod read_task;
mod reader;
mod schema;
mod theme;
mod tui;
mod types;

pub use bytes::{parse_bytes, show_bytes};
pub use default_toml::default_toml;
pub use dirs::{Directories, EnvLookup, process_env};
pub use error::{Place, Problem, SettingsError};
pub use keymap::{KeyChoice, KeyPreset, KeySettings, KeyTable};
pub use keys::{KeyEntry, Kind, Section, sections};
pub use load::{LoadRequest, load};
pub use schema::{SchemaNames, schema};
pub use theme::{RoleLook, ThemeName, ThemeSettings};
pub use tui::{ListPlace, Notify, TuiSettings};
pub use types::{Defaults, OutputSettings, RedactSettings, RetentionSettings, Settings, StoreSettings, TaskSettings};
