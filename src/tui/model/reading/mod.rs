//! Reading what a terminal shows and has shown: its rows as text, searches, filters, a cursor and a selection.

mod filter;
mod line_prompt;
mod packed;
mod pattern;
mod place;
mod scan;
mod search;
mod select;
mod state;
mod text;

pub(crate) use filter::Filter;
pub(crate) use line_prompt::{Before, LineKind, LinePrompt};
pub(crate) use packed::PackedRow;
pub(crate) use pattern::Pattern;
pub(crate) use place::{Motion, Point, moved, word_at};
pub(crate) use search::Search;
pub(crate) use select::{Kind, Selection, copied, selected_cols};
pub(crate) use state::{Press, Reading};
pub(crate) use text::Text;
