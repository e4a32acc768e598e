//! The screen of a run: bytes to cells, answers, history, and the encoding of input.
//!
//! `vt100` is the grid; around it stands what it lacks, in files with one job each. From the outside in: [`Screen`] is the
//! collector, `parser` cuts the bytes into text and sequences, `dispatch` says which does what to the `terminal`, `moves`,
//! `modes`, `strings` and `queries` do it, `grid` holds the cells, `styles` what cells look like beyond what the grid can
//! keep, `scrolled` and `history` what left the top. Nothing outside this folder names `vt100`.

mod blocks;
mod cast;
mod cells;
mod charset;
mod collector;
mod dispatch;
mod encode;
mod encode_key;
mod encode_mouse;
mod forward;
mod grid;
mod history;
mod intake;
mod keyboard;
mod line;
mod links;
mod log_view;
mod modes;
mod moves;
mod notifications;
mod output;
mod parser;
mod picture;
mod queries;
mod redraw;
mod render;
mod replies;
mod resize;
mod rest;
mod scrolled;
mod sequence;
mod sgr;
mod sides;
mod signals;
mod skipped;
mod strings;
mod styles;
mod tabs;
mod terminal;
mod touched;

pub use cast::{RenderError, render_stream};
pub use collector::Screen;
pub use encode::{EncodeError, encode};
pub use grid::is_guarded;
pub use log_view::LogView;
pub use picture::{html, svg};
pub use render::{json, render, text};
pub use replies::{MAX_REPLY_BYTES, ReplyOverflow};
pub use signals::Signal;
