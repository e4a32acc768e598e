//! The state of the TUI: plain data that `update` changes and `view` draws.

mod arrange;
mod attention;
mod browser;
mod filter;
mod find;
mod fuzzy;
mod history;
mod inspect;
mod keyboards;
mod layout;
mod list;
mod menu;
mod over;
mod palette;
mod pane;
mod pane_reading;
mod panes;
mod prompt;
mod question;
mod reading;
mod recall;
mod rename;
mod show;
mod split;
mod state;
mod summary;
mod text;
mod usage;

pub(crate) use arrange::{Arrangement, Line, Sort};
pub(crate) use attention::{Notified, worth_telling};
pub(crate) use browser::{Browser, when};
pub(crate) use filter::ListFilter;
pub(crate) use find::Find;
pub(crate) use fuzzy::{Match, fuzzy};
pub(crate) use history::HistoryCache;
pub(crate) use inspect::{INSPECT_EVERY, InspectPanel};
pub(crate) use keyboards::{Keyboards, name as owner_name};
pub(crate) use layout::{Areas, MIN_COLS, MIN_ROWS, areas, overlay_area, panes_place};
pub(crate) use list::{Known, List, Row, RowKey};
pub(crate) use menu::{ExportMenu, ExtendMenu, LeaveAnswer, LeaveQuestion, SIGNALS, SignalMenu};
pub(crate) use over::ended_words;
pub(crate) use palette::{Palette, PaletteEntry, Target};
pub(crate) use pane::Pane;
pub(crate) use prompt::{Field, Prompt};
pub(crate) use question::{Deed, Question};
pub(crate) use reading::*;
pub(crate) use recall::{Recall, RecallPlace};
pub(crate) use rename::{RenamePrompt, Renaming};
pub(crate) use show::Shown;
pub(crate) use split::{MAX_PANES, Split, grid};
pub(crate) use state::{
    Doubling, Ending, Focus, Level, Model, Notice, Overlay, Setup, counts_to, display_name, grace_end,
};
pub(crate) use summary::{detached, summary};
pub(crate) use text::{bytes, countdown, countdown_step, cut, fit, span, width};
pub(crate) use usage::{CPU_COLS, MEMORY_COLS, Sampling, Usage, short_bytes};
